"""Divide the rows of a node by a split, and count the rows of each branch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from branchwork.grow.recipe import Recipe
from branchwork.lazy import cached_property
from branchwork.measure.criteria import CriterionOrScore, impurity_of_counts, impurity_of_values
from branchwork.table.table import Table, read_only
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import LEFT_OUT, Candidate, Group, Parting
from branchwork.tree.route import bounds_of
from branchwork.tree.tree import Tree

Branches = npt.NDArray[np.intp]
"""The branch of every row of a node; -1: its value is missing, and the split is judged without it."""


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of a table that reach a node, and the weight that each of them has there."""

    target: Target
    rows: npt.NDArray[np.intp]
    weights: npt.NDArray[np.float64]
    criterion: CriterionOrScore

    @staticmethod
    def of(
        target: Target,
        rows: npt.NDArray[np.intp],
        criterion: CriterionOrScore,
        shares: npt.NDArray[np.float64] | None = None,
    ) -> NodeRows:
        """Return rows with the weights of the target, times their shares if rows are shared."""
        weights = np.ones(len(rows)) if target.weights is None else target.weights[rows].astype(np.float64)
        return NodeRows(target, rows, weights if shares is None else weights * shares, criterion)

    def own_target(self) -> Target:
        """Return the target of these rows only, with the weights that they have here."""
        target = self.target.take(self.rows)
        own = np.ones(len(self.rows)) if target.weights is None else target.weights
        return (
            target if np.array_equal(own, self.weights) else replace(target, weights=read_only(self.weights))
        )

    @cached_property
    def all(self) -> Group:
        """The target of all rows together."""
        return self._group(np.arange(len(self.rows)))

    def parting(self, branch: Branches, n_branches: int) -> Parting:
        """Return the rows that are divided, and those of each branch."""
        order = np.argsort(branch, kind="stable")
        begins = np.searchsorted(branch[order], np.arange(n_branches + 1))
        groups = tuple(self._group(order[begin:end]) for begin, end in pairwise(begins.tolist()))
        return Parting(self._group(np.flatnonzero(branch >= 0)), groups)

    def _group(self, inside: npt.NDArray[np.intp]) -> Group:
        weights = self.weights[inside]
        weight = float(weights.sum())
        if isinstance(self.target, Classes):
            codes = self.target.codes[self.rows[inside]]
            counts = np.bincount(codes, weights, len(self.target.labels)).astype(np.float64)
            impurity = impurity_of_counts(self.criterion, counts, self.target.labels)
            return Group(weight, impurity, tuple(counts.tolist()))
        values = self.target.values[self.rows[inside]]
        mean = float(weights @ values) / weight if weight > 0 else 0.0
        return Group(weight, impurity_of_values(self.criterion, values, weights), mean=mean)


def part(
    candidate: Candidate, node: NodeRows, table: Table, recipe: Recipe, missing_child: int
) -> Parting | None:
    """Divide the rows of a node by a candidate; None if it does not divide them.

    `missing_child` is the branch that a recipe with missing="learn" found for missing values.
    """
    if candidate.gain is None:
        return None
    branch, n_branches = _branches(candidate, table, node.rows)
    is_missing = branch < 0
    if recipe.search.missing == "learn":
        branch[is_missing] = missing_child
    elif recipe.search.missing == "branch" and is_missing.any():
        branch[is_missing] = n_branches
        n_branches += 1
    return node.parting(branch, n_branches)


def part_by_tree(tree: Tree, node: int, here: NodeRows, table: Table, recipe: Recipe) -> Parting:
    """Divide the rows of a node by the split of the tree."""
    feature = int(tree.feature[node])
    cells = table.arrays[feature][here.rows]
    if table.schema[feature].is_nominal:
        slots = tree.pool[int(tree.lookup[node]) + 1 :]
        branch = np.where(cells < 0, -1, slots[np.maximum(cells, 0)]).astype(np.intp)
    else:
        place = np.searchsorted(bounds_of(tree, node), cells.astype(np.float64), side="left")
        branch = np.where(np.isnan(cells), -1, place).astype(np.intp)
    if recipe.chaid is not None or recipe.search.missing not in LEFT_OUT:
        branch[branch < 0] = tree.default_child[node]
    return here.parting(branch, int(tree.n_children[node]))


def gain_of(parting: Parting, weight: float) -> float:
    """Return the gain of a parting per row of a node of this weight; rows that are not divided gain nothing."""
    after = sum(group.weight * group.impurity for group in parting.branches)
    return (parting.whole.weight * parting.whole.impurity - after) / weight


def _branches(candidate: Candidate, table: Table, rows: npt.NDArray[np.intp]) -> tuple[Branches, int]:
    """Return the branch of every row, -1 if its value is missing, and the number of branches."""
    column, cells = table.schema[candidate.feature], table.arrays[candidate.feature][rows]
    if candidate.cut is not None:
        return np.where(np.isnan(cells), -1, np.where(cells <= candidate.cut, 0, 1)).astype(np.intp), 2
    codes = np.maximum(cells, -1).astype(np.intp)
    if candidate.sides is None:
        return codes, len(column.categories)
    sides = np.array(candidate.sides, np.intp)
    return np.where(codes < 0, -1, sides[codes]), max(1, *candidate.sides) + 1
