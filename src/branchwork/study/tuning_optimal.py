"""Measure the errors of all settings of optimal trees: one search per penalty finds the best tree of every depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from branchwork.grow.grow import sample_limits
from branchwork.grow.optimal import Costs
from branchwork.grow.optimal_path import Searches
from branchwork.lazy import cached_property
from branchwork.study.tuning_fits import Done, Measured, Part
from branchwork.study.tuning_grid import Grid, Setting, settings_of
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.tree import Tree


def one_search_is_enough(est: Any) -> bool:
    """Return whether one search finds the trees of all depths: the exact search for the smallest error."""
    wanted = {
        "effort": "exact",
        "minimise": "error",
        "max_leaf_nodes": None,
        "xval": None,
        "time_limit": None,
    }
    wanted |= {"memory_limit": None, "min_category_rows": None, "max_levels": None}
    plain = all(getattr(est, name, value) == value for name, value in wanted.items())
    return plain and not getattr(est, "max_gap", 0) and getattr(est, "loss", None) is None


@dataclass(frozen=True, eq=False)
class OptimalTrials:
    """Optimal trees: for each penalty one search, which finds the best tree of every depth."""

    est: Any
    table: Table
    target: Target
    grid: Grid
    n_jobs: int = 1

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""
        return settings_of(self.grid)

    @property
    def n_steps(self) -> int:
        """One search for each penalty."""
        return len(self.grid["leaf_penalty"])

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Search the training rows of each part."""
        recipe = self.est._recipe()
        depths, count, found = self.grid["max_depth"], 0, []
        recipe = recipe.replace(stopping=replace(recipe.stopping, max_depth=max(depths)))
        assert recipe.optimal is not None
        costs = Costs.of(self.target, replace(recipe.optimal, leaf_penalty=0.0))
        for train, test in parts:
            target = self.target.take(train)
            least = sample_limits(recipe, target)[1]
            own = Searches(self.table.take(train), target, recipe, min_leaf=least, n_jobs=self.n_jobs)
            held, truth = self.table.take(test), self.target.take(test)
            by_setting = {}
            for penalty in self.grid["leaf_penalty"]:
                trees = own.trees(penalty)
                for depth in depths:
                    tree = trees[min(depth, len(trees) - 1)]
                    by_setting[depth, penalty] = _loss_of(tree, costs, held, truth), float(tree.n_leaves)
                count += 1
                done(count)
            numbers = [by_setting[one["max_depth"], one["leaf_penalty"]] for one in self.settings]
            found.append(Measured(*np.array(numbers).T))
        return found


def _loss_of(tree: Tree, costs: Costs, table: Table, target: Target) -> float:
    leaf = apply(tree, table)
    if isinstance(target, Classes):
        answers = costs.answers(tree)
        said = np.argmax(tree.value, axis=1) if answers is None else answers
        return float((said[leaf] != target.codes).mean())
    return float(((tree.value[leaf, 0] - target.values) ** 2).mean())
