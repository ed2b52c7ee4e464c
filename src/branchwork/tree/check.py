"""What makes a tree valid. Loaders and tests use it, so that prediction needs no bounds check and cannot loop."""

from __future__ import annotations

import numpy as np

from branchwork.errors import TreeError
from branchwork.table.schema import Schema
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import Tree

TOLERANCE = 1e-9
"""Children's weights may miss their parent's by this share: sums of doubles in another order."""


def check(tree: Tree, schema: Schema) -> None:
    """Raise TreeError unless the arrays make a tree on these columns."""
    n = tree.n_nodes
    _require(n > 0, "a tree has at least one node")
    for name in (
        "cut",
        "first_child",
        "n_children",
        "lookup",
        "default_child",
        "weight",
        "n_rows",
        "impurity",
        "gain",
        "stop",
    ):
        array = getattr(tree, name)
        _require(array.shape == (n,), f"{name} has shape {array.shape}, expected ({n},)")
    _require(
        tree.value.ndim == 2 and len(tree.value) == n,
        f"value has shape {tree.value.shape}, expected ({n}, …)",
    )
    _require(bool(np.isfinite(tree.value).all()), "value holds a number that is not finite")
    if tree.unseen_child is not None:
        _require(tree.unseen_child.shape == (n,), f"unseen_child has shape {tree.unseen_child.shape}")
    _check_shape(tree, len(schema))
    _check_splits(tree, schema)
    _check_weights(tree)
    if tree.surrogates is not None:
        _check_surrogates(tree, tree.surrogates, schema)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise TreeError(f"Not a valid tree: {message}.")


def _check_shape(tree: Tree, n_columns: int) -> None:
    """Children after their parents, side by side in breadth-first order, each referenced exactly once."""
    inner = tree.feature >= 0
    _require(bool((tree.feature >= -1).all() and (tree.feature < n_columns).all()), "feature is out of range")
    _require(bool((tree.n_children[inner] >= 2).all()), "an inner node has fewer than two children")
    _require(bool((tree.n_children[~inner] == 0).all()), "a leaf has children")
    _require(bool((tree.first_child[~inner] == -1).all()), "a leaf has a first child")
    sizes = tree.n_children[inner].astype(np.int64)
    expected = 1 + np.concatenate(([0], np.cumsum(sizes)))
    _require(bool(expected[-1] == tree.n_nodes), "the children do not add up to the nodes")
    _require(bool((tree.first_child[inner] == expected[:-1]).all()), "nodes are not numbered breadth first")
    _require(bool((tree.first_child[inner] > np.flatnonzero(inner)).all()), "a child comes before its parent")


def _check_splits(tree: Tree, schema: Schema) -> None:
    lowest = 0 if tree.surrogates is None else -1  # a category that is absent from the node
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        column = schema[int(tree.feature[node])]
        n_children = int(tree.n_children[node])
        _require(-1 <= tree.default_child[node] < n_children, f"default_child of node {node} is out of range")
        if tree.unseen_child is not None:
            _require(
                0 <= tree.unseen_child[node] < n_children, f"unseen_child of node {node} is out of range"
            )
        if not column.is_nominal:
            _check_numeric_split(tree, node, n_children)
            continue
        begin, end = int(tree.lookup[node]), int(tree.lookup[node]) + 1 + len(column.categories)
        _require(begin >= 0 and end <= len(tree.pool), f"lookup of node {node} is out of range")
        slots = tree.pool[begin:end]
        _require(
            bool((slots[1:] >= lowest).all() and (slots < n_children).all()),
            f"pool of node {node} is out of range",
        )


def _check_numeric_split(tree: Tree, node: int, n_children: int) -> None:
    """A cut, or bounds of intervals that rise; only the last may be infinite, for missing cells alone."""
    if np.isnan(tree.cut[node]):
        begin, end = int(tree.lookup[node]), int(tree.lookup[node]) + n_children - 1
        _require(begin >= 0 and end <= len(tree.bounds), f"node {node} has no cut, and no bounds either")
        rises = bool((np.diff(tree.bounds[begin:end]) > 0).all()) and not np.isnan(tree.bounds[begin])
        _require(rises, f"the bounds of node {node} do not rise")
        return
    _require(int(tree.lookup[node]) == -1, f"node {node} has both a cut and bounds")
    _require(n_children in (2, 3), f"node {node} has {n_children} children at a cut")


def _check_surrogates(tree: Tree, surrogates: Surrogates, schema: Schema) -> None:
    n, total = tree.n_nodes, len(surrogates)
    _require(
        surrogates.first.shape == surrogates.count.shape == (n,), "surrogates do not belong to the nodes"
    )
    names = ("cut", "low_child", "lookup", "agreement", "adjusted")
    same = all(getattr(surrogates, name).shape == (total,) for name in names)
    _require(same, "the arrays of surrogates differ in length")
    inside = (surrogates.first >= 0) & (surrogates.count >= 0)
    inside &= surrogates.first.astype(np.int64) + surrogates.count <= total
    _require(bool(inside.all()), "first or count of surrogates is out of range")
    _require(bool((surrogates.count[tree.feature < 0] == 0).all()), "a leaf has surrogates")
    _require(bool((tree.n_children[surrogates.count > 0] == 2).all()), "surrogates need two children")
    _require(bool((tree.default_child[tree.feature >= 0] >= 0).all()), "surrogates need a last resort")
    right = (surrogates.feature >= 0) & (surrogates.feature < len(schema))
    _require(bool(right.all()), "feature of a surrogate is out of range")
    for k, feature in enumerate(surrogates.feature.tolist()):
        if not schema[feature].is_nominal:
            _require(surrogates.low_child[k] in (0, 1), f"low_child of surrogate {k} is out of range")
            _require(not np.isnan(surrogates.cut[k]), f"surrogate {k} has no cut")
            continue
        begin, end = int(surrogates.lookup[k]), int(surrogates.lookup[k]) + len(schema[feature].categories)
        _require(begin >= 0 and end <= len(surrogates.pool), f"lookup of surrogate {k} is out of range")
        slots = surrogates.pool[begin:end]
        _require(bool((slots >= -1).all() and (slots < 2).all()), f"pool of surrogate {k} is out of range")


def _check_weights(tree: Tree) -> None:
    _require(
        bool((tree.weight >= 0).all() and np.isfinite(tree.weight).all()),
        "a weight is negative or not finite",
    )
    inner = np.flatnonzero(tree.feature >= 0)
    if not inner.size:
        return
    for name, own in (("weight", tree.weight), ("n_rows", tree.n_rows)):
        below = np.add.reduceat(own[1:], tree.first_child[inner] - 1)
        close = np.abs(below - own[inner]) <= TOLERANCE * np.maximum(own[inner], 1)
        if name == "n_rows":  # a row that is shared counts in every branch it reaches
            close |= (tree.default_child[inner] < 0) & (below >= own[inner])
        _require(bool(close.all()), f"{name} of the children does not add up to their parent's")
