"""Prediction tree by tree, by the plain walk of the core: what every faster way must agree with, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.tree.apply import Shares
from branchwork.tree.outputs import likeliest
from branchwork.tree.tree import Tree

FEW = 900
"""Rows that one tree takes by the plain walk (`fewest_packed_rows` in apply.cpp)."""


def plain_leaves(model: Model, table: Table) -> Any:
    """Return the leaf of each row in each tree; of a row that is shared, the leaf with the largest share."""
    return np.stack([_in_parts(model, tree, table, _leaves) for tree in model.trees], axis=1)


def plain_outputs(model: Model, table: Table, n_trees: int | None = None) -> Any:
    """Return the outputs of the model, or of its first trees."""
    n_trees = n_trees or len(model.trees)
    return model.combine.first(n_trees).together(tree_outputs(model, table)[:n_trees])


def tree_outputs(model: Model, table: Table) -> list[Any]:
    """Return the outputs of each tree; of a tree that votes, 1 for its class and 0 for the others."""
    return [
        _in_parts(model, tree, table, _votes if model.combine.takes_votes else _outputs)
        for tree in model.trees
    ]


def _in_parts(model: Model, tree: Tree, table: Table, found: Any) -> Any:
    walker = tree.walker_with_majority if model.handle_unknown == "majority" else tree.walker
    parts = [table.take(slice(k, k + FEW)) for k in range(0, max(table.n_rows, 1), FEW)]
    return np.concatenate([found(tree, walker, part.core) for part in parts])


def _outputs(tree: Tree, walker: Any, core: Any) -> Any:
    if tree.shares_rows:
        return Shares(*walker.shares(core, 1)).mix(tree.value).astype(np.float64)  # of no rows, whole numbers
    return tree.value[walker.leaves(core, 1)]


def _votes(tree: Tree, walker: Any, core: Any) -> Any:
    outputs = _outputs(tree, walker, core)
    decided = likeliest(outputs) if tree.shares_rows else tree.decision[walker.leaves(core, 1)]
    return np.eye(outputs.shape[1])[decided]


def _leaves(tree: Tree, walker: Any, core: Any) -> Any:
    if tree.shares_rows and core.rows:
        return Shares(*walker.shares(core, 1)).largest()
    return walker.leaves(core, 1)


def same_bits(one: Any, other: Any) -> bool:
    """Whether two arrays are equal to the last bit, signs of zeros included."""
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
