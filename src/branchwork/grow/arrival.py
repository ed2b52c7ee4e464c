"""Find the leaves that the rows of a table reach, and whether they are the rows that the tree was grown on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.grow.parting import NodeRows
from branchwork.measure.criteria import CriterionOrScore, criterion_of
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply, shares
from branchwork.tree.tree import Tree
from branchwork.tree.walk import preorder

SAME = 1e-6
"""Numbers that differ by less than this share count as equal, because sums of shares have rounding errors."""


@dataclass(frozen=True, eq=False)
class Arrival:
    """Rows and their leaves. A row that is shared among leaves occurs once per leaf."""

    tree: Tree
    target: Target
    row: npt.NDArray[np.intp]
    leaf: npt.NDArray[np.int32]
    share: npt.NDArray[np.float64]

    def rows_of(self, node: int, criterion: CriterionOrScore) -> NodeRows:
        """Return the rows that reach a node; a row that is shared counts with its share."""
        here = self._inside(node)[self.leaf]
        if not self.tree.shares_rows:
            return NodeRows.of(self.target, self.row[here], criterion)
        share = np.bincount(self.row[here], self.share[here], len(self.target)).astype(np.float64)
        rows = np.flatnonzero(share > 0)
        return NodeRows.of(self.target, rows, criterion, share[rows])

    def are_of_training(self, node: int, criterion: CriterionOrScore) -> bool:
        """Return whether the tree, or its part below a node, was grown on these rows.

        They are if each leaf gets the weight and the classes, or the mean, that the tree has recorded.
        """
        tree, inside = self.tree, self._inside(node)
        weights = self.share if self.target.weights is None else self.share * self.target.weights[self.row]
        judged = tree.feature < 0
        if inside[self.leaf].all():
            judged &= inside
        weight = np.bincount(self.leaf, weights, tree.n_nodes).astype(np.float64)
        if (np.abs(weight - tree.weight) > SAME * tree.weight)[judged].any():
            return False
        if isinstance(self.target, Classes):
            return self._same_classes(weights, judged)
        return self._same_numbers(weights, weight, judged, criterion)

    def _inside(self, node: int) -> npt.NDArray[np.bool_]:
        inside = np.zeros(self.tree.n_nodes, bool)
        inside[list(preorder(self.tree, node))] = True
        return inside

    def _same_classes(self, weights: npt.NDArray[np.float64], judged: npt.NDArray[np.bool_]) -> bool:
        tree, target = self.tree, self.target
        assert isinstance(target, Classes) and tree.distribution is not None
        cells = self.leaf.astype(np.int64) * len(target.labels) + target.codes[self.row]
        counts = np.bincount(cells, weights, tree.distribution.size).reshape(tree.distribution.shape)
        return bool((np.abs(counts - tree.distribution) <= SAME * tree.weight[:, None])[judged].all())

    def _same_numbers(
        self,
        weights: npt.NDArray[np.float64],
        weight: npt.NDArray[np.float64],
        judged: npt.NDArray[np.bool_],
        criterion: CriterionOrScore,
    ) -> bool:
        tree, target = self.tree, self.target
        assert not isinstance(target, Classes)
        values, some = target.values[self.row], judged & (weight > 0)
        mean = np.bincount(self.leaf, weights * values, tree.n_nodes)[some] / weight[some]
        if not criterion_of(criterion).of_counts:
            scale = np.abs(tree.value[some, 0]) + tree.impurity[0] ** 0.5
            return bool((np.abs(mean - tree.value[some, 0]) <= SAME * scale).all())
        # A leaf may predict a shrunken rate, which is not the mean of its rows. So compare the deviance instead.
        logs = values * np.log(values, out=np.zeros_like(values), where=values > 0)
        of_mean = mean * np.log(mean, out=np.zeros_like(mean), where=mean > 0)
        deviance = 2 * (np.bincount(self.leaf, weights * logs, tree.n_nodes)[some] / weight[some] - of_mean)
        return bool((np.abs(deviance - tree.impurity[some]) <= SAME * (1 + np.abs(of_mean))).all())


def arrive(tree: Tree, table: Table, target: Target, *, unseen_with_majority: bool = False) -> Arrival:
    """Send the rows of a table down a tree."""
    if not tree.shares_rows:
        leaf = apply(tree, table, unseen_with_majority=unseen_with_majority)
        return Arrival(tree, target, np.arange(len(leaf)), leaf, np.ones(len(leaf)))
    found = shares(tree, table, unseen_with_majority=unseen_with_majority)
    row = np.repeat(np.arange(table.n_rows), np.diff(found.starts))
    return Arrival(tree, target, row, found.leaf, found.share)
