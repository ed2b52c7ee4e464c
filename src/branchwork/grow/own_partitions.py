"""The ways to part a node's rows in two by one column, as arrays of class weights, for a user's own score.

They come in the order in which the core looks at them, so that ties go the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.recipe import Search
from branchwork.measure.own_score import Floats

MOST_EXHAUSTIVE = 12
"""Up to this many categories present in a node, all ways to group them are tried."""
ABSENT, FIRST, SECOND = -1, 0, 1
NO_SIDES: npt.NDArray[np.int32] = np.empty(0, np.int32)


@dataclass(frozen=True)
class Column:
    """What a node's tally says of one column: class weights of its missing cells, and of each category or value."""

    missing: Floats  # (classes,)
    groups: Floats  # (groups, classes), without categories that the node does not have
    codes: npt.NDArray[np.intp]  # of each group, its category; empty for numbers
    values: Floats  # of each group, its number; empty for categories
    levels: int

    @staticmethod
    def of(tally: _core.ColumnTally, classes: int) -> Column:
        """Read a tally."""
        stats = tally.stats.reshape(-1, classes)
        if len(tally.values):
            return Column(stats[0], stats[1:], np.empty(0, np.intp), tally.values, 0)
        present = np.flatnonzero(stats[1:].sum(axis=1) > 0)
        return Column(stats[0], stats[1:][present], present, np.empty(0), len(stats) - 1)

    @property
    def known(self) -> Floats:
        """All rows whose cell is known."""
        return np.asarray(self.groups.sum(axis=0))


@dataclass(frozen=True)
class Partitions:
    """Ways to part the known rows in two: what is on the first side of each, and what each of them is called."""

    left: Floats  # (partitions, classes)
    cut: Callable[[int], float]
    in_left: Callable[[int], npt.NDArray[np.bool_]]  # of each group


def partitions_of(column: Column, search: Search) -> Partitions:
    """Return all partitions of a column that a recipe looks at."""
    if len(column.values):
        return _cuts(column, search)
    groups = column.groups
    if len(groups) < 2:
        return _by_masks(groups, np.zeros((0, len(groups)), bool))
    if search.nominal == "one_vs_rest":
        return _by_masks(groups, np.eye(len(groups), dtype=bool))
    if len(groups) <= MOST_EXHAUSTIVE:
        numbers = np.arange(2 ** (len(groups) - 1) - 1)
        others = (numbers[:, None] >> np.arange(len(groups) - 1)) & 1
        return _by_masks(groups, np.concatenate([np.ones((len(numbers), 1), bool), others > 0], axis=1))
    return _by_masks(groups, _orders(groups))


def _cuts(column: Column, search: Search) -> Partitions:
    groups, values = column.groups, column.values
    at = np.arange(1, len(groups))
    if search.cuts == "changes":
        pure = (groups > 0).sum(axis=1) == 1
        label = groups.argmax(axis=1)
        at = at[~(pure[:-1] & pure[1:] & (label[:-1] == label[1:]))]
    below = groups.cumsum(axis=0)[at - 1]

    def cut(k: int) -> float:
        low, high = float(values[at[k] - 1]), float(values[at[k]])
        middle = low / 2 + high / 2
        return middle if low <= middle < high else low

    return Partitions(below, cut, lambda k: np.arange(len(groups)) < at[k])


def _orders(groups: Floats) -> npt.NDArray[np.bool_]:
    """Many categories: neighbours in the order of the share of each class in turn."""
    shares = groups / groups.sum(axis=1, keepdims=True)
    two = groups.shape[1] == 2
    masks = []
    for shares_of_class in shares.T[1:] if two else shares.T:
        place = np.empty(len(groups), np.intp)
        place[np.argsort(shares_of_class, kind="stable")] = np.arange(len(groups))
        masks.append(place[None, :] < np.arange(1, len(groups))[:, None])
    return np.concatenate(masks)


def _by_masks(groups: Floats, masks: npt.NDArray[np.bool_]) -> Partitions:
    return Partitions(masks.astype(np.float64) @ groups, lambda _: float("nan"), lambda k: masks[k])


def sides_of(
    column: Column, in_left: npt.NDArray[np.bool_] | None, search: Search
) -> tuple[npt.NDArray[np.int32], bool]:
    """Return the branch of every category, and whether the sides were exchanged; `in_left` None: known against missing.

    Of two groups, the one with the first category is the first branch.
    """
    if not column.levels:
        return NO_SIDES, False
    left = np.ones(len(column.groups), bool) if in_left is None else in_left
    swap = bool(search.nominal == "subset" and not left[0])
    others = FIRST if in_left is None else SECOND if search.nominal == "one_vs_rest" else ABSENT
    sides = np.full(column.levels, others, np.int32)
    sides[column.codes] = np.where(left != swap, FIRST, SECOND)
    return sides, swap
