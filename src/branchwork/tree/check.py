"""Check that a tree is valid, so that prediction needs no bounds checks and cannot loop. Loaders and tests call this.

Each check is one pass over whole arrays, of one tree or of many trees side by side (grove.py), so that even a file of a
hundred megabytes is checked quickly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Schema
from branchwork.tree.check_ledger import check_ledger
from branchwork.tree.grove import Grove, before, groves
from branchwork.tree.ranges import OF_NODES, OF_SURROGATES, require_ranges
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
"""The children's weights may differ from their parent's by this share, because the sums were taken in another order."""
SPLIT = STOP_REASONS.index("split")
LARGEST_SQUARED = 1e150
"""The square of a larger number overflows."""

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
"""Arrays with one number per node."""


def check(tree: Tree, schema: Schema) -> None:
    """Raise TreeError unless the arrays make a tree on these columns."""
    for _ in checked((tree,), schema):
        pass


def checked(trees: Sequence[Tree], schema: Schema) -> Iterator[Grove]:
    """Yield the trees in groves, each after its check; raise TreeError if one is not valid.

    Use `first_refused` to find which tree and node it was.
    """
    levels = np.array(schema.levels, np.int64)
    for tree in trees:
        _check_arrays(tree)
    for grove in groves(trees, levels):
        require_ranges(grove, OF_NODES, "node")
        _check_shape(grove)
        _check_splits(grove)
        _check_weights(grove)
        _check_outputs(grove)
        for tree in grove.trees:
            if tree.missing_weight is not None:
                _check_missing(tree.missing_weight, tree.weight)
            if tree.surrogates is not None:
                _check_surrogates(tree, tree.surrogates, levels)
            if tree.ledger is not None:
                check_ledger(tree.ledger, tree, levels)
        yield grove


def _check_arrays(tree: Tree) -> None:
    """Check types and lengths; the core walks over the arrays as they are in memory."""
    require_array("feature", tree.feature, np.int32, (None,))
    n = tree.n_nodes
    require(n > 0, "a tree has at least one node")
    for name, dtype in PER_NODE.items():
        array = getattr(tree, name)
        require_array(name, array, dtype, (n,))
        require_packed(name, array)
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
    if tree.missing_weight is not None:
        require_array("missing_weight", tree.missing_weight, np.float64, (n,))
    if tree.answer is not None:
        require_array("answer", tree.answer, np.int32, (n,))
    if tree.unseen_child is not None:
        require_array("unseen_child", tree.unseen_child, np.int32, (n,))
        require_packed("unseen_child", tree.unseen_child)


def _check_missing(missing: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]) -> None:
    """Check that `missing_weight` is at most the weight of each node, and 0 at the root, which has no parent."""
    require(missing[0] == 0, "missing_weight of the root is not 0")
    is_part = (missing >= 0) & (missing <= weight * (1 + TOLERANCE))
    require_everywhere(is_part, "missing_weight of node {} is not a part of its weight")


def _check_shape(grove: Grove) -> None:
    """Check that children follow their parents, side by side in breadth-first order, each referenced exactly once."""
    feature, n_children = grove.feature, grove.n_children
    inner = feature >= 0
    in_range = (feature >= -1) & (feature < len(grove.levels))
    require_everywhere(in_range, "feature of node {} is out of range")
    require_everywhere(~inner | (n_children >= 2), "n_children of node {}: fewer than two")
    require_everywhere(inner | (n_children == 0), "n_children of node {}: a leaf has none")
    require_everywhere(inner | (grove.first_child == -1), "first_child of node {}: a leaf has none")
    children = np.add.reduceat(n_children, grove.start, dtype=np.int64)
    require((children == grove.size - 1).all(), "n_children: the children do not add up to the nodes")
    start, roots = grove.each(grove.start), grove.each(np.arange(1, 1 + len(grove.trees)))
    first = grove.first_child[grove.inner] + start
    in_order = first == grove.first + roots  # the roots up to here are not children
    require_everywhere(in_order, "first_child of node {}: nodes are not numbered breadth first", grove.inner)
    after = first > grove.inner
    require_everywhere(after, "first_child of node {}: a child comes before its parent", grove.inner)


def _check_splits(grove: Grove) -> None:
    inner, default = grove.inner, grove.default
    in_range = (default >= -1) & (default < grove.branches)
    require_everywhere(in_range, "default_child of node {} is out of range", inner)
    if grove.unseen_child is not None:
        unseen = grove.unseen_child[inner]
        in_range = (unseen >= 0) & (unseen < grove.branches)
        require_everywhere(in_range, "unseen_child of node {} is out of range", inner)
        leaf = np.flatnonzero(grove.feature < 0)
        require_everywhere(grove.unseen_child[leaf] == -1, "unseen_child of node {}: a leaf has none", leaf)
    _check_lookups(grove, grove.nominal)
    _check_cuts(grove, grove.cuts)
    _check_bounds(grove, grove.parted)


def _check_lookups(grove: Grove, nodes: npt.NDArray[np.intp]) -> None:
    """Check that missing cells have a slot, the first one, and that every category of the column has one, too."""
    if not len(nodes):
        return
    begin, size = grove.lookup[nodes].astype(np.int64), 1 + grove.levels[grove.feature[nodes]]
    length, tree = grove.lengths("pool"), grove.tree_of(nodes)
    inside = (begin >= 0) & (begin + size <= length[tree])
    require_everywhere(inside, "lookup of node {} is out of range", nodes)
    require(_fit(size, tree, length), "lookup: nodes share slots of the pool")
    begin += before(length)[tree]
    places, run = slots_of(begin, size)
    slots = grove.pool[places]
    lowest = np.where(places == begin[run], -1, 0 if grove.trees[0].surrogates is None else -1)  # -1: absent
    in_range = (slots >= lowest) & (slots < grove.n_children[nodes][run])
    require_everywhere(in_range, "pool of node {} is out of range", nodes[run])


def _fit(size: npt.NDArray[np.int64], tree: npt.NDArray[np.intp], length: npt.NDArray[np.int64]) -> bool:
    """Return whether runs of these sizes fit side by side into their trees' arrays of these lengths."""
    return bool((np.bincount(tree, size, len(length)) <= length).all())


def _check_cuts(grove: Grove, nodes: npt.NDArray[np.intp]) -> None:
    require_everywhere(grove.lookup[nodes] == -1, "lookup of node {}: there is a cut, and bounds too", nodes)
    require_everywhere(grove.n_children[nodes] <= 3, "n_children of node {}: more than three at a cut", nodes)


def _check_bounds(grove: Grove, nodes: npt.NDArray[np.intp]) -> None:
    """Check that the bounds of intervals rise.

    Only the last may be infinite, which leaves the last child to missing cells.
    """
    if not len(nodes):
        return
    begin, size = grove.lookup[nodes].astype(np.int64), grove.n_children[nodes].astype(np.int64) - 1
    length, tree = grove.lengths("bounds"), grove.tree_of(nodes)
    inside = (begin >= 0) & (begin + size <= length[tree])
    require_everywhere(inside, "cut of node {}: it has no cut, and no bounds either", nodes)
    require(_fit(size, tree, length), "lookup: nodes share bounds")
    begin += before(length)[tree]
    places, run = slots_of(begin, size)
    bounds = grove.bounds[places]
    last = places == (begin + size - 1)[run]
    known = np.isfinite(bounds) | (last & (bounds == np.inf))
    require_everywhere(known, "bounds of node {}: not a number", nodes[run])
    rises = last[:-1] | (bounds[1:] > bounds[:-1])
    require_everywhere(rises, "bounds of node {} do not rise", nodes[run])


def _check_weights(grove: Grove) -> None:
    """Check that children's weights add up to their parent's, and that shared rows have a branch to go to."""
    inner = grove.inner
    if not inner.size:
        return
    shared = grove.default < 0
    for name in ("weight", "n_rows"):
        own, children = getattr(grove, name)[inner], grove.below(name)
        below = _summed(children, grove.first)
        close = np.abs(below - own) <= TOLERANCE * np.maximum(own, 1)
        if name == "weight":
            require_everywhere(
                ~shared | (below > 0),
                "default_child of node {}: no branch has any weight",
                inner,
            )
        elif shared.any():  # a shared row counts in every branch that it reaches
            most = np.maximum.reduceat(children, grove.first)
            close |= shared & (below >= own) & (most <= own)
        require_everywhere(close, f"{name} of the children of node {{}} does not add up to its own", inner)


def _summed(children: npt.NDArray[Any], first: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return the sum over the children of each inner node, which begin at `first`."""
    numbers = children.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        if len(numbers) == 2 * len(first):  # every inner node has exactly two, as none has fewer
            return numbers[::2] + numbers[1::2]
        return np.asarray(np.add.reduceat(numbers, first))


def _check_outputs(grove: Grove) -> None:
    """Check the outputs of each node: they are numbers, its class exists, and its counts fit its weight."""
    require_everywhere(grove.stop < len(STOP_REASONS), "stop of node {} is out of range")
    is_inner = grove.feature >= 0
    require_everywhere((grove.stop == SPLIT) == is_inner, "stop of node {} does not say whether it is a leaf")
    require_everywhere(is_inner | (grove.gain == 0), "gain of node {}: a leaf has none")
    square = np.square(np.minimum(np.abs(grove.value).max(axis=1), LARGEST_SQUARED))
    rounding = grove.impurity < -TOLERANCE * (1 + square)  # the mean of squares minus the square of the mean
    require_everywhere(~rounding, "impurity of node {} is negative")
    if grove.distribution is not None:
        with np.errstate(over="ignore"):
            apart = np.abs(grove.distribution.sum(axis=1) - grove.weight)
        together = apart <= TOLERANCE * np.maximum(grove.weight, 1)
        require_everywhere(together, "distribution of node {} does not add up to its weight")
    if grove.answer is not None:
        known = (grove.answer >= 0) & (grove.answer < grove.value.shape[1])
        require_everywhere(known, "answer of node {} is out of range")


def _check_surrogates(tree: Tree, surrogates: Surrogates, levels: npt.NDArray[np.int64]) -> None:
    """Check that surrogates use existing columns, have two children, and lie side by side for each node."""
    _check_surrogate_arrays(tree, surrogates)
    require_ranges(surrogates, OF_SURROGATES, "surrogate", "surrogates.")
    first, count = surrogates.first.astype(np.int64), surrogates.count.astype(np.int64)
    require_everywhere(count >= 0, "surrogates.count of node {} is negative")
    in_order = (count == 0) | (first == np.cumsum(count) - count)
    require_everywhere(in_order, "surrogates.first of node {} is out of range")
    require(count.sum() == len(surrogates), "surrogates.count does not add up to the surrogates")
    require_everywhere((count == 0) | (tree.n_children == 2), "surrogates.count of node {}: not two children")
    last_resort = (tree.feature < 0) | (tree.default_child >= 0)
    require_everywhere(
        last_resort, "default_child of node {}: a node with surrogates also needs one default branch"
    )
    known = (surrogates.feature >= 0) & (surrogates.feature < len(levels))
    require_everywhere(known, "surrogates.feature {} is out of range")
    other = surrogates.feature != np.repeat(tree.feature, count)
    require_everywhere(other, "surrogates.feature {} is the column that it stands in for")
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
