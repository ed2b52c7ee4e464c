"""Group trees into a grove, one table of nodes, so that a check runs once over all nodes and not tree by tree.

Trees of 7, 3 and 5 nodes lie one after the other, and so do their pools and bounds; the numbers in them stay as they
are, each counted from the beginning of its own tree:

    node            0  1  2  3  4  5  6 │ 7  8  9 │10 11 12 13 14
    first_child     1  3  ·  5  ·  ·  · │ 1  ·  · │ 1  ·  3  ·  ·
    start           0                   │ 7       │10
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import TreeError
from branchwork.lazy import cached_property
from branchwork.tree.tree import Floats, Ints, Tree

MOST = 40_000
"""The approximate number of values in a grove, chosen to fit the cache; a single tree may have more."""

Counts = npt.NDArray[np.int64]
Ids = npt.NDArray[np.intp]


class Grove:
    """Trees that have the same arrays and the same number of outputs.

    Parameters
    ----------
    trees : at least one, with arrays of the right types and lengths.
    levels : the number of categories of each column; -1 means numeric.
    """

    feature: Ints
    cut: Floats
    first_child: Ints
    n_children: Ints
    lookup: Ints
    pool: Ints
    bounds: Floats
    default_child: Ints
    value: Floats
    distribution: Floats | None
    weight: Floats
    n_rows: npt.NDArray[np.int64]
    impurity: Floats
    gain: Floats
    variance: Floats | None
    stop: npt.NDArray[np.uint8]
    answer: Ints | None
    unseen_child: Ints | None

    def __init__(self, trees: Sequence[Tree], levels: Counts) -> None:
        self.trees, self.levels = trees, levels
        for name in Grove.__annotations__:
            setattr(self, name, _joined([getattr(tree, name) for tree in trees]))
        self.size = self.lengths("feature")

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @cached_property
    def start(self) -> Counts:
        """Where each tree begins."""
        return before(self.size)

    @cached_property
    def inner(self) -> Ids:
        """The nodes that have children."""
        return np.flatnonzero(self.feature >= 0)

    @cached_property
    def branches(self) -> Ints:
        """The number of children of each inner node."""
        return self.n_children[self.inner]

    @cached_property
    def default(self) -> Ints:
        """The child that a missing cell goes to at each inner node."""
        return self.default_child[self.inner]

    @cached_property
    def first(self) -> Counts:
        """Where the children of each inner node must begin. Roots do not count, because they are not children."""
        return before(self.branches)

    @cached_property
    def nominal(self) -> Ids:
        """The inner nodes that test a nominal column."""
        return self.inner[self._is_nominal]

    @cached_property
    def numeric(self) -> Ids:
        """The inner nodes that test a numeric column."""
        return self.inner[~self._is_nominal] if len(self.nominal) else self.inner

    @cached_property
    def parted(self) -> Ids:
        """The numeric nodes that have bounds instead of a cut."""
        return self.numeric[self._is_parted]

    @cached_property
    def cuts(self) -> Ids:
        """The numeric nodes that have a cut."""
        return self.numeric[~self._is_parted] if len(self.parted) else self.numeric

    @cached_property
    def _is_nominal(self) -> npt.NDArray[np.bool_]:
        return (self.levels >= 0).take(self.feature[self.inner])

    @cached_property
    def _is_parted(self) -> npt.NDArray[np.bool_]:
        return np.isnan(self.cut[self.numeric])

    def lengths(self, name: str) -> Counts:
        """Return the length of an array in each tree."""
        return np.array([len(getattr(tree, name)) for tree in self.trees], np.int64)

    def each(self, numbers: Counts) -> Counts:
        """Repeat a number of each tree for each of its inner nodes; a single tree needs no repetition."""
        if len(self.trees) == 1:
            return numbers
        return np.repeat(numbers, np.diff(np.searchsorted(self.inner, self.start), append=len(self.inner)))

    def tree_of(self, nodes: Ids) -> Ids:
        """Return the position of each node's tree."""
        return np.searchsorted(self.start, nodes, side="right") - 1

    def below(self, name: str) -> npt.NDArray[Any]:
        """Return an array without the roots: children side by side, in the order of their parents."""
        children: npt.NDArray[Any] = _joined([getattr(tree, name)[1:] for tree in self.trees])
        return children


def before(sizes: npt.NDArray[np.integer]) -> Counts:
    """Return where runs of these sizes begin if they lie side by side.

    >>> before(np.array([7, 3, 5]))
    array([ 0,  7, 10])
    """
    return np.cumsum(sizes, dtype=np.int64) - sizes


def _joined(arrays: list[Any]) -> Any:
    """Join arrays one after the other; None if the trees do not have this array."""
    return arrays[0] if len(arrays) == 1 or arrays[0] is None else np.concatenate(arrays)


def groves(trees: Sequence[Tree], levels: Counts) -> Iterator[Grove]:
    """Group neighbouring trees that have the same arrays, up to a size."""
    some: list[Tree] = []
    numbers, make = 0, None
    for tree in trees:
        own = _make(tree)
        size = _size(tree)
        if some and (own != make or numbers + size > MOST):
            yield Grove(some, levels)
            some, numbers = [], 0
        some.append(tree)
        numbers, make = numbers + size, own
    if some:
        yield Grove(some, levels)


def _size(tree: Tree) -> int:
    of_nodes = len(tree.feature) + tree.value.size + len(tree.pool) + len(tree.bounds)
    return of_nodes + (0 if tree.distribution is None else tree.distribution.size)


def _make(tree: Tree) -> tuple[Any, ...]:
    return (
        tree.value.shape[1],
        None if tree.distribution is None else tree.distribution.shape[1],
        tree.variance is None,
        tree.answer is None,
        tree.unseen_child is None,
        tree.surrogates is None,
    )


def first_refused(
    trees: Sequence[Tree], check: Callable[[Sequence[Tree]], None]
) -> tuple[int, TreeError] | None:
    """Return the first tree that a check refuses, with the error, or None if all are valid.

    All trees are checked together first. An error about a grove counts nodes from the beginning of the grove, so the
    trees are then checked again one by one, to say which tree it is and which of its nodes.
    """
    try:
        check(trees)
    except TreeError as error:
        about_all = error
    else:
        return None
    for k, tree in enumerate(trees):
        try:
            check((tree,))
        except TreeError as error:
            return k, error
    raise about_all
