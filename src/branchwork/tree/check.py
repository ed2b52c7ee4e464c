"""What makes a tree valid. Loaders and tests use it, so that prediction needs no bounds check and cannot loop.

Each requirement is one pass over whole arrays: a file of a hundred megabytes is checked in a blink.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Schema
from branchwork.tree.check_ledger import check_ledger
from branchwork.tree.require import (
    require,
    require_array,
    require_everywhere,
    require_packed,
    slots_of,
)
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import STOP_REASONS, Tree

TOLERANCE = 1e-9
"""Children's weights may miss their parent's by this share: sums of doubles in another order."""

PER_NODE: dict[str, type[np.generic]] = {
    "feature": np.int32,
    "cut": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "lookup": np.int32,
    "default_child": np.int32,
    "weight": np.float64,
    "n_rows": np.int64,
    "impurity": np.float64,
    "gain": np.float64,
    "stop": np.uint8,
}
"""Arrays with one number a node."""


def check(tree: Tree, schema: Schema) -> None:
    """Raise TreeError unless the arrays make a tree on these columns."""
    _check_arrays(tree)
    _check_shape(tree, len(schema))
    levels = np.array(schema.levels, np.int64)
    _check_splits(tree, levels)
    _check_weights(tree)
    _check_outputs(tree)
    if tree.surrogates is not None:
        _check_surrogates(tree, tree.surrogates, levels)
    if tree.ledger is not None:
        check_ledger(tree.ledger, tree.n_nodes, levels)


def _check_arrays(tree: Tree) -> None:
    """Types and lengths; the core walks over the arrays as they lie."""
    require_array("feature", tree.feature, np.int32, (None,))
    n = tree.n_nodes
    require(n > 0, "a tree has at least one node")
    for name, dtype in PER_NODE.items():
        require_array(name, getattr(tree, name), dtype, (n,))
        require_packed(name, getattr(tree, name))
    require_array("pool", tree.pool, np.int32, (None,))
    require_array("bounds", tree.bounds, np.float64, (None,))
    require_packed("pool", tree.pool)
    require_packed("bounds", tree.bounds)
    require_array("value", tree.value, np.float64, (n, None))
    require(tree.n_outputs > 0, "value has no outputs")
    if tree.distribution is not None:
        require_array("distribution", tree.distribution, np.float64, (n, None))
    if tree.variance is not None:
        require_array("variance", tree.variance, np.float64, (n,))
    if tree.answer is not None:
        require_array("answer", tree.answer, np.int32, (n,))
    if tree.unseen_child is not None:
        require_array("unseen_child", tree.unseen_child, np.int32, (n,))
        require_packed("unseen_child", tree.unseen_child)


def _check_shape(tree: Tree, n_columns: int) -> None:
    """Children after their parents, side by side in breadth-first order, each referenced exactly once."""
    inner = tree.feature >= 0
    in_range = (tree.feature >= -1) & (tree.feature < n_columns)
    require_everywhere(in_range, "feature of node {} is out of range")
    require_everywhere(~inner | (tree.n_children >= 2), "n_children of node {}: fewer than two")
    require_everywhere(inner | (tree.n_children == 0), "n_children of node {}: a leaf has none")
    require_everywhere(inner | (tree.first_child == -1), "first_child of node {}: a leaf has none")
    up_to = np.cumsum(tree.n_children, dtype=np.int64)
    require(up_to[-1] == tree.n_nodes - 1, "n_children: the children do not add up to the nodes")
    in_order = ~inner | (tree.first_child == up_to - tree.n_children + 1)
    require_everywhere(in_order, "first_child of node {}: nodes are not numbered breadth first")
    after = ~inner | (tree.first_child > np.arange(tree.n_nodes, dtype=np.int32))
    require_everywhere(after, "first_child of node {}: a child comes before its parent")


def _check_splits(tree: Tree, levels: npt.NDArray[np.int64]) -> None:
    """`levels`: the number of categories of each column; -1: numeric."""
    inner = np.flatnonzero(tree.feature >= 0)
    default, n_children = tree.default_child[inner], tree.n_children[inner]
    in_range = (default >= -1) & (default < n_children)
    require_everywhere(in_range, "default_child of node {} is out of range", inner)
    if tree.unseen_child is not None:
        unseen = tree.unseen_child[inner]
        in_range = (unseen >= 0) & (unseen < n_children)
        require_everywhere(in_range, "unseen_child of node {} is out of range", inner)
        leaf = np.flatnonzero(tree.feature < 0)
        require_everywhere(tree.unseen_child[leaf] == -1, "unseen_child of node {}: a leaf has none", leaf)
    nominal = levels[tree.feature[inner]] >= 0
    _check_lookups(tree, inner[nominal], levels)
    numeric = inner[~nominal]
    is_cut = ~np.isnan(tree.cut[numeric])
    _check_cuts(tree, numeric[is_cut])
    _check_bounds(tree, numeric[~is_cut])


def _check_lookups(tree: Tree, nodes: npt.NDArray[np.intp], levels: npt.NDArray[np.int64]) -> None:
    """Every category of the column has a slot of its own, and so have missing cells: the first."""
    if not len(nodes):
        return
    begin, size = tree.lookup[nodes].astype(np.int64), 1 + levels[tree.feature[nodes]]
    inside = (begin >= 0) & (begin + size <= len(tree.pool))
    require_everywhere(inside, "lookup of node {} is out of range", nodes)
    require(size.sum() <= len(tree.pool), "lookup: nodes share slots of the pool")
    places, run = slots_of(begin, size)
    slots = tree.pool[places]
    lowest = np.where(places == begin[run], -1, 0 if tree.surrogates is None else -1)  # -1: absent here
    in_range = (slots >= lowest) & (slots < tree.n_children[nodes][run])
    require_everywhere(in_range, "pool of node {} is out of range", nodes[run])


def _check_cuts(tree: Tree, nodes: npt.NDArray[np.intp]) -> None:
    require_everywhere(tree.lookup[nodes] == -1, "lookup of node {}: there is a cut, and bounds too", nodes)
    require_everywhere(tree.n_children[nodes] <= 3, "n_children of node {}: more than three at a cut", nodes)


def _check_bounds(tree: Tree, nodes: npt.NDArray[np.intp]) -> None:
    """Bounds of intervals rise; only the last may be infinite, which leaves the last child to missing cells."""
    if not len(nodes):
        return
    begin, size = tree.lookup[nodes].astype(np.int64), tree.n_children[nodes].astype(np.int64) - 1
    inside = (begin >= 0) & (begin + size <= len(tree.bounds))
    require_everywhere(inside, "cut of node {}: it has no cut, and no bounds either", nodes)
    require(size.sum() <= len(tree.bounds), "lookup: nodes share bounds")
    places, run = slots_of(begin, size)
    bounds = tree.bounds[places]
    last = places == (begin + size - 1)[run]
    known = np.isfinite(bounds) | (last & (bounds == np.inf))
    require_everywhere(known, "bounds of node {}: not a number", nodes[run])
    rises = last[:-1] | (bounds[1:] > bounds[:-1])
    require_everywhere(rises, "bounds of node {} do not rise", nodes[run])


def _check_weights(tree: Tree) -> None:
    """Children add up to their parent; where rows are shared, there is somebody to share them among."""
    weighs = (tree.weight >= 0) & np.isfinite(tree.weight)
    require_everywhere(weighs, "weight of node {} is negative or not finite")
    require_everywhere(tree.n_rows >= 0, "n_rows of node {} is negative")
    inner = np.flatnonzero(tree.feature >= 0)
    if not inner.size:
        return
    shared = tree.default_child[inner] < 0
    for name in ("weight", "n_rows"):
        own, below = getattr(tree, name)[inner], _of_children(tree, inner, getattr(tree, name))
        close = np.abs(below - own) <= TOLERANCE * np.maximum(own, 1)
        if name == "n_rows" and shared.any():  # a row that is shared counts in every branch it reaches
            most = np.maximum.reduceat(tree.n_rows[1:], tree.first_child[inner] - 1)
            close |= shared & (below >= own) & (most <= own)
        elif name == "weight":
            require_everywhere(~shared | (below > 0), "default_child of node {}: nobody to share with", inner)
        require_everywhere(close, f"{name} of the children of node {{}} does not add up to its own", inner)


def _of_children(tree: Tree, inner: npt.NDArray[np.intp], own: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The sum over the children of each inner node: they stand side by side, in the order of their parents."""
    numbers = own[1:].astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        if len(numbers) == 2 * len(inner) and not (tree.n_children > 2).any():
            return numbers[::2] + numbers[1::2]
        return np.asarray(np.add.reduceat(numbers, tree.first_child[inner] - 1))


def _check_outputs(tree: Tree) -> None:
    """What a node answers is a number, and a class that there is."""
    require_everywhere(np.isfinite(tree.value), "value of node {} is not finite")
    require_everywhere(tree.stop < len(STOP_REASONS), "stop of node {} is out of range")
    if tree.distribution is not None:
        weighs = np.isfinite(tree.distribution) & (tree.distribution >= 0)
        require_everywhere(weighs, "distribution of node {} is negative or not finite")
    if tree.answer is not None:
        known = (tree.answer >= 0) & (tree.answer < tree.n_outputs)
        require_everywhere(known, "answer of node {} is out of range")


def _check_surrogates(tree: Tree, surrogates: Surrogates, levels: npt.NDArray[np.int64]) -> None:
    """Each of two children, by a column that exists; those of a node stand side by side."""
    _check_surrogate_arrays(tree, surrogates)
    first, count = surrogates.first.astype(np.int64), surrogates.count.astype(np.int64)
    require_everywhere(count >= 0, "surrogates.count of node {} is negative")
    in_order = (count == 0) | (first == np.cumsum(count) - count)
    require_everywhere(in_order, "surrogates.first of node {} is out of range")
    require(count.sum() == len(surrogates), "surrogates.count does not add up to the surrogates")
    require_everywhere((count == 0) | (tree.n_children == 2), "surrogates.count of node {}: not two children")
    last_resort = (tree.feature < 0) | (tree.default_child >= 0)
    require_everywhere(last_resort, "default_child of node {}: surrogates need a last resort")
    known = (surrogates.feature >= 0) & (surrogates.feature < len(levels))
    require_everywhere(known, "surrogates.feature {} is out of range")
    nominal = levels[surrogates.feature] >= 0
    side = (surrogates.low_child == 0) | (surrogates.low_child == 1)
    require_everywhere(nominal | side, "surrogates.low_child {} is out of range")
    require_everywhere(nominal | ~np.isnan(surrogates.cut), "surrogates.cut {} is not a number")
    require_everywhere(nominal == (surrogates.lookup >= 0), "surrogates.lookup {} is out of range")
    _check_surrogate_pool(surrogates, np.flatnonzero(nominal), levels)


def _check_surrogate_arrays(tree: Tree, surrogates: Surrogates) -> None:
    total = len(surrogates)
    for name in ("first", "count"):
        require_array(f"surrogates.{name}", getattr(surrogates, name), np.int32, (tree.n_nodes,))
    for name in ("feature", "low_child", "lookup"):
        require_array(f"surrogates.{name}", getattr(surrogates, name), np.int32, (total,))
    for name in ("cut", "agreement", "adjusted"):
        require_array(f"surrogates.{name}", getattr(surrogates, name), np.float64, (total,))
    require_array("surrogates.pool", surrogates.pool, np.int32, (None,))
    for name, array in vars(surrogates).items():
        require_packed(f"surrogates.{name}", array)


def _check_surrogate_pool(
    surrogates: Surrogates, nominal: npt.NDArray[np.intp], levels: npt.NDArray[np.int64]
) -> None:
    begin, size = surrogates.lookup[nominal].astype(np.int64), levels[surrogates.feature[nominal]]
    inside = begin + size <= len(surrogates.pool)
    require_everywhere(inside, "surrogates.lookup {} is out of range", nominal)
    require(size.sum() <= len(surrogates.pool), "surrogates.lookup: some share slots of the pool")
    places, run = slots_of(begin, size)
    slots = surrogates.pool[places]
    in_range = (slots >= -1) & (slots < 2)
    require_everywhere(in_range, "surrogates.pool of surrogate {} is out of range", nominal[run])
