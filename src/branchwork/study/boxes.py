"""Describe the leaves of a tree as boxes: for each column, which known cells lead to the leaf.

    space     any x, any y
    ├─ x <= 2        x up to 2, any y                     leaf 1
    └─ x > 2
       ├─ y in {a}   x above 2, y = a                     leaf 3
       └─ y in {b}   x above 2, y = b                     leaf 4

Every row without missing cells lies in exactly one box, and the tree sends it to the leaf of that box.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from branchwork.model.model import Model
from branchwork.rules.condition import Among, Interval, Plain, merged
from branchwork.rules.extract import branches
from branchwork.tree.surrogates import Surrogate

Space = Mapping[int, Plain]
"""What is known about the cells, by column; a column that is not listed may hold anything."""


class Box(NamedTuple):
    """A leaf, and the cells that lead to it."""

    leaf: int
    space: Space


def boxes(model: Model, space: Space) -> Iterator[Box]:
    """Return the boxes into which a tree divides a space, from left to right."""
    waiting = [Box(0, space)]
    while waiting:
        box = waiting.pop()
        if model.tree.is_leaf(box.leaf):
            yield box
        else:
            waiting.extend(reversed(list(_parts(model, *box))))


def just(feature: int, number: float) -> Interval:
    """Return the condition that only this number meets."""
    below = None if number == -math.inf else float(np.nextafter(number, -math.inf))
    return Interval(feature, below, number)


def _parts(model: Model, node: int, space: Space) -> Iterator[Box]:
    tree, feature = model.tree, int(model.tree.feature[node])
    for child, (condition, _) in zip(tree.children(node), branches(model, node), strict=True):
        yield from _within(child, space, condition.strict())
    if tree.surrogates is not None and model.schema[feature].is_nominal:
        begin = int(tree.lookup[node]) + 1
        place = tree.pool[begin : begin + len(model.schema[feature].categories)]
        for _, absent in _within(node, space, _codes(feature, place.tolist(), -1)):
            yield from _by_surrogates(model, node, absent)


def _by_surrogates(model: Model, node: int, space: Space) -> Iterator[Box]:
    """Return where a category absent from the node goes: the first surrogate whose own cell is known decides."""
    tree, children = model.tree, model.tree.children(node)
    assert tree.surrogates is not None
    left = [space]  # the part that no surrogate has decided yet
    for surrogate in tree.surrogates.of(node, [len(column.categories) for column in model.schema]):
        undecided, *ways = _ways(surrogate)
        for child, way in zip(children, ways, strict=True):
            for rest in left:
                yield from _within(child, rest, way)
        left = [inside for rest in left for _, inside in _within(node, rest, undecided)]
    default = children[int(tree.default_child[node])]
    yield from (Box(default, rest) for rest in left)


def _ways(surrogate: Surrogate) -> tuple[Plain, Plain, Plain]:
    """Return what a surrogate leaves undecided, what it sends to the first child, and what to the second."""
    feature = surrogate.feature
    if surrogate.children is not None:
        undecided, first, second = (_codes(feature, surrogate.children, k) for k in (-1, 0, 1))
        return undecided, first, second
    low, high = Interval(feature, None, surrogate.cut), Interval(feature, surrogate.cut, None)
    nothing = Interval(feature, math.inf, None)
    return (nothing, low, high) if surrogate.low_child == 0 else (nothing, high, low)


def _codes(feature: int, children: list[int] | tuple[int, ...], child: int) -> Among:
    return Among(feature, tuple(code for code, at in enumerate(children) if at == child))


def _within(node: int, space: Space, condition: Plain) -> Iterator[Box]:
    """Return the part of a space where a condition holds, if there is one."""
    feature = condition.feature
    both = merged(space[feature], condition) if feature in space else condition
    if not both.is_impossible():
        yield Box(node, {**space, feature: both})
