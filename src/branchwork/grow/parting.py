"""What a candidate makes of a node's rows: the rows of each branch, counted plainly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from branchwork.grow.recipe import Recipe
from branchwork.measure.impurity import impurity_of_counts, impurity_of_values
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import Candidate, Group, Parting

Branches = npt.NDArray[np.intp]
"""The branch of every row of a node; -1: its cell is missing, and the candidate was judged without it."""


@dataclass(frozen=True, eq=False)
class NodeRows:
    """Rows of a table that reach a node, and the weight that each of them has there."""

    target: Target
    rows: npt.NDArray[np.intp]
    weights: npt.NDArray[np.float64]
    criterion: str

    @staticmethod
    def of(
        target: Target,
        rows: npt.NDArray[np.intp],
        criterion: str,
        shares: npt.NDArray[np.float64] | None = None,
    ) -> NodeRows:
        """Rows with the target's weights, times their shares where rows are shared."""
        weights = np.ones(len(rows)) if target.weights is None else target.weights[rows].astype(np.float64)
        return NodeRows(target, rows, weights if shares is None else weights * shares, criterion)

    def weighted_target(self) -> Target:
        """The target with the weights that these rows have here; itself, where they are its own."""
        own = np.ones(len(self.rows)) if self.target.weights is None else self.target.weights[self.rows]
        if np.array_equal(own, self.weights):
            return self.target
        weights = np.ones(len(self.target))
        weights[self.rows] = self.weights
        return replace(self.target, weights=weights)

    def parting(self, branch: Branches, n_branches: int) -> Parting:
        """The rows that are parted, and those of each branch."""
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
            return Group(weight, impurity_of_counts(self.criterion, counts), tuple(counts.tolist()))
        values = self.target.values[self.rows[inside]]
        mean = float(weights @ values) / weight if weight > 0 else 0.0
        return Group(weight, impurity_of_values(self.criterion, values, weights), mean=mean)


def part(
    candidate: Candidate, node: NodeRows, table: Table, recipe: Recipe, missing_child: int = -1
) -> Parting | None:
    """Part a node's rows as a candidate does; None where it does not part them.

    `missing_child` is the branch that a recipe with missing="learn" found for missing cells.
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


def _branches(candidate: Candidate, table: Table, rows: npt.NDArray[np.intp]) -> tuple[Branches, int]:
    """The branch of every known cell, -1 for missing ones, and the number of branches."""
    column, cells = table.schema[candidate.feature], table.arrays[candidate.feature][rows]
    if candidate.cut is not None:
        return np.where(np.isnan(cells), -1, np.where(cells <= candidate.cut, 0, 1)).astype(np.intp), 2
    codes = cells.astype(np.intp)
    if candidate.sides is None:
        return codes, len(column.categories)
    sides = np.array(candidate.sides, np.intp)
    return np.where(codes < 0, -1, sides[codes]), max(1, *candidate.sides) + 1
