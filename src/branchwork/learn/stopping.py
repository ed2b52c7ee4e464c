"""Stop growth where a split is no better than chance, or does not help on validation rows.

A tree is grown from the root down, and no node depends on its neighbours. So a tree that stopped early is the full
tree, pruned at the first nodes where growth should have stopped.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.grow.recipe import Nominal, Recipe
from branchwork.prune.evidence import errors_on
from branchwork.prune.significance import p_values
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.apply import apply
from branchwork.tree.reshape import Mask, collapse, levels
from branchwork.tree.tree import Floats, Tree
from branchwork.tree.walk import preorder

Positions = npt.NDArray[np.intp]


def stop_at_chance(tree: Tree, table: Table, recipe: Recipe) -> Tree:
    """Prune at splits that are not significant: their p-value is above the limit."""
    stopping = recipe.stopping
    limit = stopping.max_p_value
    if limit is None:
        return tree
    p = p_values(tree)
    insignificant = (tree.feature >= 0) & ~(p <= limit)
    if stopping.correction is not None:
        insignificant = _corrected(tree, table, recipe.search.nominal, p, limit)
    return collapse(tree, insignificant, reason="not_significant")


def stop_without_progress(tree: Tree, table: Table, target: Target) -> Tree:
    """Prune at splits whose branches make no fewer errors on the validation rows."""
    as_leaf = errors_on(tree, table, target).as_leaf
    after = np.zeros(tree.n_nodes)
    np.add.at(after, tree.parent[1:], as_leaf[1:])
    idle = (tree.feature >= 0) & (after >= as_leaf - 1e-9)
    return collapse(tree, idle, reason="no_progress")


def _corrected(tree: Tree, table: Table, nominal: Nominal, p: Floats, limit: float) -> Mask:
    """Return the splits that are not significant once their p-value is multiplied by the number of possible splits."""
    insignificant = np.zeros(tree.n_nodes, bool)
    rows_of = RowsOfNodes(tree, table)
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if tree.feature[node] < 0:
            continue
        if p[node] * splits_to_choose_from(table, rows_of(node), nominal) > limit:
            insignificant[node] = True
        else:
            waiting.extend(tree.children(node))
    return insignificant


class RowsOfNodes:
    """Finds the rows of any node: rows are sorted by leaf, so that the rows of every subtree are one run."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.first = np.zeros(tree.n_nodes, np.int64)  # the position of a node in preorder ...
        for place, node in enumerate(preorder(tree)):
            self.first[node] = place
        size = np.ones(tree.n_nodes, np.int64)
        for level in reversed(levels(tree)[1:]):
            np.add.at(size, tree.parent[level], size[level])
        self.end = self.first + size  # ... and the position after its subtree
        places = self.first[apply(tree, table)]
        self.order = np.argsort(places, kind="stable")
        self.places = places[self.order]

    def __call__(self, node: int) -> Positions:
        """Return the rows of a node."""
        begin, end = np.searchsorted(self.places, [self.first[node], self.end[node]])
        return self.order[begin:end]


def splits_to_choose_from(table: Table, rows: Positions, nominal: Nominal) -> float:
    """Return how many different splits the columns offer in a node.

    A numeric column has one split for each gap between its values. A nominal column has a single split into all its
    values, one split for each value against the others, or 2^(k−1) − 1 splits into two groups.
    """
    total = 0.0
    for column, cells in zip(table.schema, table.arrays, strict=True):
        known = cells[rows]
        known = known[known >= 0] if column.is_nominal else known[~np.isnan(known.astype(np.float64))]
        values = len(np.unique(known))
        if values < 2:
            continue
        if not column.is_nominal:
            total += values - 1
        else:
            total += {"multiway": 1.0, "one_vs_rest": float(values), "subset": 2.0 ** (values - 1) - 1}[
                nominal
            ]
    return max(total, 1.0)
