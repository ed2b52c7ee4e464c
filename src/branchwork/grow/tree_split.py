"""Find the split of the tree among the candidates of some rows.

On the training rows, it is the chosen candidate. On other rows, another split may be better; and a subtree that pruning
has raised has a split that was chosen on other rows. Then both are shown and marked.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import replace

import numpy as np

from branchwork.grow.parting import NodeRows, gain_of
from branchwork.grow.recipe import Recipe
from branchwork.measure.chance import chi_square, f_test
from branchwork.measure.criteria import criterion_of
from branchwork.measure.impurity import entropy
from branchwork.table.schema import Column, Schema
from branchwork.tree.ledger import Candidate, Group, Parting
from branchwork.tree.tree import STOP_REASONS, Tree

NOTHING = 1e-12
"""Squares within branches that are less than this share of all squares are rounding errors."""
SAME = 1e-9
NEVER_SPLIT = ("max_depth", "not_told")
"""Leaves for which growth chose no split, though there is one."""


def marked(
    candidates: tuple[Candidate, ...],
    tree: Tree,
    node: int,
    own: Parting | None,
    here: NodeRows,
    recipe: Recipe,
    schema: Schema,
) -> tuple[Candidate, ...]:
    """Return the candidates including the tree's split; `own` is how it divides the rows (None for a leaf)."""
    if own is None:
        if STOP_REASONS[tree.stop[node]] not in NEVER_SPLIT:
            return candidates
        return tuple(_instead(one, "chosen", "best_here") for one in candidates)
    feature = int(tree.feature[node])
    at = next((k for k, one in enumerate(candidates) if one.feature == feature), None)
    like_tree = None if at is None else candidates[at]
    if like_tree is None or like_tree.parting is None or not _same(like_tree.parting, own):
        penalty = None if like_tree is None else like_tree.penalty
        extra = _candidate(tree, node, own, here, recipe, schema[feature], penalty)
        candidates = tuple(_instead(one, "chosen", "best_here") for one in candidates)
        after = len(candidates) if at is None else at + 1
        return (*candidates[:after], extra, *candidates[after:])
    like_tree = _with_cut(like_tree, float(tree.cut[node]))
    if like_tree.verdict != "chosen":
        candidates = tuple(_instead(one, "chosen", "best_here") for one in candidates)
        like_tree = replace(like_tree, verdict="tree_split")
    return tuple(like_tree if k == at else one for k, one in enumerate(candidates))


def _with_cut(one: Candidate, cut: float) -> Candidate:
    """Return the same split with another threshold that has the same rows on its sides."""
    if one.cut is None or math.isnan(cut) or cut == one.cut:
        return one
    cuts = list(one.cuts)
    if cuts:
        at = min(bisect_left([c.cut for c in cuts], one.cut), len(cuts) - 1)
        cuts[at] = replace(cuts[at], cut=cut)
    return replace(one, cut=cut, cuts=tuple(cuts))


def _instead(one: Candidate, old: str, new: str) -> Candidate:
    return replace(one, verdict=new) if one.verdict == old else one  # type: ignore[arg-type]


def _same(a: Parting, b: Parting) -> bool:
    """Return whether two partings have the same rows in their branches; empty branches do not count."""
    of_a, of_b = (tuple(group for group in one.branches if group.weight > 0) for one in (a, b))
    return len(of_a) == len(of_b) and all(map(_same_rows, of_a, of_b))


def _same_rows(a: Group, b: Group) -> bool:
    numbers = zip((a.weight, *(a.counts or ()), a.mean), (b.weight, *(b.counts or ()), b.mean), strict=True)
    return all(
        x is y is None or math.isclose(x, y, rel_tol=SAME, abs_tol=SAME * a.weight)  # type: ignore[arg-type]
        for x, y in numbers
    )


def _candidate(
    tree: Tree, node: int, own: Parting, here: NodeRows, recipe: Recipe, column: Column, penalty: float | None
) -> Candidate:
    """Return the tree's split as a candidate, with its numbers on these rows."""
    weight, cut, begin = here.all.weight, float(tree.cut[node]), int(tree.lookup[node])
    sides: list[int] = []
    bounds: list[float] = []
    if column.is_nominal:
        sides = tree.pool[begin + 1 : begin + 1 + len(column.categories)].tolist()
    elif math.isnan(cut):
        bounds = tree.bounds[begin : begin + int(tree.n_children[node]) - 1].tolist()
    left_out = max(0.0, weight - own.whole.weight)
    weights = np.array([*(group.weight for group in own.branches), left_out])
    statistic, p_value = test_of(own, recipe)
    return Candidate(
        int(tree.feature[node]),
        "tree_split",
        cut=None if math.isnan(cut) else cut,
        gain=gain_of(own, weight) - (penalty or 0.0),
        split_info=None if recipe.chaid else entropy(weights),
        known=own.whole.weight / weight,
        before=own.whole.impurity,
        penalty=penalty or 0.0,
        sides=tuple(sides) or None,
        parts=tuple(bounds) or None,
        statistic=statistic,
        p_value=p_value,
        parting=own,
    )


def test_of(parting: Parting, recipe: Recipe) -> tuple[float | None, float | None]:
    """Return Pearson's test of branches against classes, or the F test of their means; None for deviances."""
    if criterion_of(recipe.criterion).of_counts or (recipe.chaid and recipe.chaid.statistic == "likelihood"):
        return None, None
    branches, whole = parting.branches, parting.whole
    if recipe.is_classification:
        return chi_square(np.array([group.counts for group in branches], np.float64))
    weight = np.array([group.weight for group in branches])
    mean = np.array([group.mean for group in branches])
    squares = whole.impurity * (whole.weight - (1 if criterion_of(recipe.criterion).of_sample else 0))
    within = squares - float(weight @ (mean - (whole.mean or 0.0)) ** 2)
    return f_test(weight, mean, within if within > NOTHING * squares else 0.0)
