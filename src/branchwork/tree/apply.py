"""Rows to leaves, one core call; and the nodes that each row passed through."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.table.table import Table
from branchwork.tree.tree import Tree


def apply(
    tree: Tree, table: Table, *, unseen_with_majority: bool = False, n_jobs: int = 1
) -> npt.NDArray[np.int32]:
    """The leaf of every row. The table must have been coded by the schema that the tree was grown on.

    A category that training never saw goes where a missing cell goes, or with the majority.
    """
    leaf: npt.NDArray[np.int32] = _core.apply(
        table.core,
        tree.feature,
        tree.cut,
        tree.first_child,
        tree.lookup,
        tree.pool,
        tree.default_child,
        tree.heaviest_child if unseen_with_majority else tree.default_child,
        n_jobs,
    )
    return leaf


def passed_through(
    tree: Tree, leaf: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Nodes on the way from the root to each leaf, as row pointers and ids (the CSR form of a 0–1 matrix)."""
    lengths = tree.depths[leaf].astype(np.int64) + 1
    starts = np.concatenate(([0], np.cumsum(lengths)))
    nodes = np.empty(starts[-1], np.int64)
    at, node = starts[1:] - 1, leaf.astype(np.int64)
    while at.size:  # all rows climb one level at a time, leaf to root
        nodes[at] = node
        climbing = tree.parent[node] >= 0
        at, node = at[climbing] - 1, tree.parent[node[climbing]].astype(np.int64)
    return starts, nodes
