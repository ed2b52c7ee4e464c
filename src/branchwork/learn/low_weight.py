"""Warn if a tree is a single leaf only because its sample weights are small numbers.

Limits on samples, significance tests and error-based pruning read weights as numbers of rows. Weights that were
scaled to add up to 1, as many programs write them, then prevent every split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from branchwork.errors import LowWeightWarning, warn
from branchwork.grow.grow import sample_limits
from branchwork.grow.recipe import Recipe
from branchwork.measure.criteria import criterion_of
from branchwork.table.table import read_only
from branchwork.table.target import Target
from branchwork.tree.tree import STOP_REASONS, Tree


def warn_of_low_weight(
    tree: Tree, target: Target, recipe: Recipe, learn_again: Callable[[Target], Tree]
) -> None:
    """Warn if the tree is a single leaf, but would not be if the weights added up to the number of rows.

    `learn_again` learns the tree from the target with other weights; it is called only if the weights may be the
    reason.
    """
    weights = target.sample_weights
    if weights is None or target.weights is None or tree.n_nodes > 1 or STOP_REASONS[tree.stop[0]] == "pure":
        return
    rows, total = len(target), math.fsum(weights)
    if total >= rows:
        return
    scaled = replace(target, weights=read_only(target.weights * (rows / total)))
    if learn_again(scaled).n_nodes == 1:
        return
    limits, can_be_lowered = _binding_limits(recipe, target, total)
    names = " and ".join(limit.partition("=")[0] for limit in limits)
    warn(
        f"The tree is a single leaf only because the sample weights of its {rows} rows add up to {total:.6g}: for "
        f"{' and '.join(limits)}, weights are numbers of rows. Scale the weights so that they add up to the number of "
        f"rows, sample_weight * (len(y) / sum(sample_weight)){f', or lower {names}' if can_be_lowered else ''}.",
        LowWeightWarning,
    )


def _binding_limits(recipe: Recipe, target: Target, total: float) -> tuple[list[str], bool]:
    """Return the settings that prevent the root from being split, and whether lower values would allow a split."""
    stopping, search = recipe.stopping, recipe.search
    min_split, min_leaf = sample_limits(recipe, target)
    if search.rules in ("c45", "j48"):
        cases = [f"min_cases={stopping.min_samples_leaf:g}"]
        if total < 2 * min_leaf:
            return cases, total >= 2  # min_cases must be at least 1
        if recipe.pruning is not None and recipe.pruning.method == "error_based":
            cases.append(f"confidence={recipe.pruning.confidence:g}")
        return [*cases, f"threshold_penalty={search.cut_penalty}"], False
    found = []
    if total < min_split:
        found.append(f"min_samples_split={stopping.min_samples_split:g}")
    if total < 2 * min_leaf:
        found.append(f"min_samples_leaf={stopping.min_samples_leaf:g}")
    if recipe.chaid is not None:
        return [*found, f"alpha_split={recipe.chaid.alpha_split:g}"], False
    if criterion_of(recipe.criterion).of_sample:
        return [*found, f'criterion="{recipe.criterion}"'], False
    if stopping.max_p_value is not None:
        return [*found, f"max_p_value={stopping.max_p_value:g}"], False
    return found or [f"min_samples_leaf={stopping.min_samples_leaf:g}"], True
