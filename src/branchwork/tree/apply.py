"""Find the leaf of each row with one call of the core, and the nodes that each row passed through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.table.table import Table
from branchwork.tree.tree import Tree


@dataclass(frozen=True)
class Shares:
    """The leaves of every row of a tree that sends missing cells down every branch.

    The leaves of row r are leaf[starts[r] : starts[r + 1]]; their shares add up to 1.
    """

    starts: npt.NDArray[np.int64]
    leaf: npt.NDArray[np.int32]
    share: npt.NDArray[np.float64]

    def largest(self) -> npt.NDArray[np.int32]:
        """Return the leaf with the largest share of each row; ties go to the first."""
        most = np.maximum.reduceat(self.share, self.starts[:-1])
        lengths = np.diff(self.starts)
        first = np.where(self.share == np.repeat(most, lengths), np.arange(len(self.leaf)), len(self.leaf))
        return self.leaf[np.minimum.reduceat(first, self.starts[:-1])]

    def mix(self, value: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return each row's outputs: the sum of its leaves' outputs times their shares, added from the first leaf on.

        Every other walk, such as the page's, adds in the same order, so that even the last bit is the same.
        """
        n_rows = len(self.starts) - 1
        row = np.repeat(np.arange(n_rows), np.diff(self.starts))
        parts = value[self.leaf] * self.share[:, None]
        return np.column_stack([np.bincount(row, part, n_rows) for part in parts.T])


def apply(
    tree: Tree, table: Table, *, unseen_with_majority: bool = False, n_jobs: int = 1
) -> npt.NDArray[np.int32]:
    """Return the leaf of every row. The table must have been coded by the schema that the tree was grown on.

    An unseen category goes where a missing cell goes, or with the majority. A row that is shared among leaves gets
    the leaf with its largest share.
    """
    if tree.shares_rows:
        return shares(tree, table, unseen_with_majority=unseen_with_majority, n_jobs=n_jobs).largest()
    leaf: npt.NDArray[np.int32] = _walker(tree, unseen_with_majority).leaves(table.core, n_jobs)
    return leaf


def shares(tree: Tree, table: Table, *, unseen_with_majority: bool = False, n_jobs: int = 1) -> Shares:
    """Return the leaves of every row and their shares of it."""
    return Shares(*_walker(tree, unseen_with_majority).shares(table.core, n_jobs))


def _walker(tree: Tree, unseen_with_majority: bool) -> _core.Walker:
    return tree.walker_with_majority if unseen_with_majority else tree.walker


def passed_through(
    tree: Tree, leaf: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the nodes from the root to each leaf, as row pointers and ids (the CSR form of a 0–1 matrix)."""
    lengths = tree.depths[leaf].astype(np.int64) + 1
    starts = np.concatenate(([0], np.cumsum(lengths)))
    nodes = np.empty(starts[-1], np.int64)
    at, node = starts[1:] - 1, leaf.astype(np.int64)
    while at.size:  # all rows climb one level at a time, leaf to root
        nodes[at] = node
        climbing = tree.parent[node] >= 0
        at, node = at[climbing] - 1, tree.parent[node[climbing]].astype(np.int64)
    return starts, nodes
