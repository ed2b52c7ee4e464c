"""The rows of a table by the nodes of a tree that they reach, for pictures and pages that show data.

Rows are sorted once, by the place of their leaf in preorder. The rows of a node then lie side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.walk import preorder, subtree_sizes

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class RowsByNode:
    """Rows sorted by leaf; those of node n are the places begin[n] to end[n]. A row may have a share in several."""

    row: Indices
    weight: Floats
    begin: Indices
    end: Indices

    @staticmethod
    def of(model: Model, table: Table, target: Target) -> RowsByNode:
        """Sort the rows of a table by leaf; rows without weight are left out."""
        if table.n_rows != len(target):
            raise DataError(f"X has {table.n_rows} rows, but y has {len(target)}. Every row needs one.")
        row, leaf, weight = _leaves(model, table)
        if target.weights is not None:
            weight = weight * target.weights[row]
            row, leaf, weight = row[weight > 0], leaf[weight > 0], weight[weight > 0]
        rank = np.empty(model.tree.n_nodes, np.intp)
        rank[list(preorder(model.tree))] = np.arange(model.tree.n_nodes)
        order = np.argsort(rank[leaf], kind="stable")
        ranks = rank[leaf][order]
        begin = np.searchsorted(ranks, rank)
        end = np.searchsorted(ranks, rank + subtree_sizes(model.tree))
        return RowsByNode(row[order], weight[order], begin, end)

    def at(self, node: int) -> tuple[Indices, Floats]:
        """Return the rows of a node and their weights."""
        here = slice(self.begin[node], self.end[node])
        return self.row[here], self.weight[here]


def _leaves(model: Model, table: Table) -> tuple[Indices, npt.NDArray[np.int32], Floats]:
    """Rows, their leaves, and the share of the row in each."""
    if model.tree.shares_rows:
        found = model.shares(table)
        return np.repeat(np.arange(table.n_rows), np.diff(found.starts)), found.leaf, found.share
    return np.arange(table.n_rows), model.apply(table), np.ones(table.n_rows)
