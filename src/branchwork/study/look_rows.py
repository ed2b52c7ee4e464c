"""Find rows that repeat others, and rows that contradict others.

Every cell has a 64-bit number, and a row has the sum of its cells' numbers. Equal rows have equal sums; rows with equal
sums are compared cell by cell. Subtracting the numbers of a column leaves it out.

In a coarse table, rows may be equal by chance; in a fine one, they are copies. The rows that are equal in all
columns but one show how much is due to chance (docs/decisions/0028).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Profile
from branchwork.table.target import Classes, Target

Keys = npt.NDArray[np.uint64]

MOST_ROWS = 5
"""The largest number of rows that a finding names."""
FEWEST_ROWS = 10
"""In a smaller table, equal rows are not reported: they are seen at a glance."""
MANY_VALUES = 20
"""A table without a column of more distinct values is coarse: three rows or more are often equal there."""
MOST_COLUMNS = 40
"""The number of columns that are left out in turn to measure chance: those with the most distinct values."""
MORE_THAN_CHANCE = 1.5
"""Rows are copies if more than this many times as many are repeated as expected by chance."""
FEWEST_BY_CHANCE, DESIGNED = 10.0, 0.2
"""Rows were chosen to be different if this many pairs would be equal by chance, and less than this share are."""
DEPENDENCE = 4.0
"""Columns depend on each other, so two rows agree in one more column this many times as often as by chance alone."""


@dataclass(frozen=True)
class Repeats:
    """Equal rows.

    Parameters
    ----------
    rows : rows that repeat an earlier one.
    firsts : the row that each of them repeats.
    by_chance : how many different rows one would expect to be repeated by chance.
    groups : how many different rows are repeated.
    n_rows : how many rows the table has.
    """

    rows: npt.NDArray[np.intp]
    firsts: npt.NDArray[np.intp]
    by_chance: float
    groups: int
    n_rows: int

    @property
    def are_copies(self) -> bool:
        """Whether there are clearly more repeats than chance explains."""
        return self.n_rows >= FEWEST_ROWS and self.groups > MORE_THAN_CHANCE * self.by_chance


def key_of_cells(profile: Profile, place: int) -> Keys:
    """Return the number of each cell of a column; `place` is the column's position."""
    if profile.column.is_nominal:
        levels = np.arange(len(profile.column.categories) + 1, dtype=np.uint64)
        return np.asarray(_mixed_bits(levels, place)[np.maximum(profile.cells, -1) + 1])
    numbers = profile.cells + 0.0  # -0.0 becomes 0.0
    numbers[np.isnan(numbers)] = np.nan  # one of many NaNs
    return _mixed_bits(numbers.view(np.uint64), place)


def _mixed_bits(bits: Keys, place: int) -> Keys:
    """Mix the bits of numbers, differently for each column (splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = bits + np.uint64(0x9E3779B97F4A7C15) * np.uint64(2 * place + 1)
        mixed ^= mixed >> np.uint64(30)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(27)
        mixed *= np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed


def equal_rows(
    keys: Keys, columns: Sequence[npt.NDArray[Any]]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the rows that repeat an earlier one, in their order, and the first row that each of them repeats.

    Parameters
    ----------
    keys : the sum of the numbers of the cells of each row.
    columns : the cells that must be equal.
    """
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    place = np.flatnonzero(in_order[1:] == in_order[:-1])
    before, after = order[place], order[place + 1]
    same = np.ones(len(place), bool)
    for cells in columns:
        one, other = cells[before], cells[after]
        same &= (one == other) | ((one != one) & (other != other))
    before, after, place = before[same], after[same], place[same]
    starts = np.concatenate([[True], (place[1:] != place[:-1] + 1)])[: len(place)]
    firsts = before[np.flatnonzero(starts)][np.cumsum(starts) - 1]
    by_row = np.argsort(after)
    return after[by_row], firsts[by_row]


def repeats(
    keys: Keys, columns: Sequence[npt.NDArray[Any]], profiles: Sequence[Profile], n_features: int
) -> Repeats:
    """Find rows that are equal in all columns, and how many chance would repeat.

    Parameters
    ----------
    keys, columns : as in `equal_rows`.
    profiles : the same columns; each may be left out to measure chance.
    n_features : how many of them are features; the target may follow.
    """
    rows, firsts = equal_rows(keys, columns)
    if not len(rows):
        return Repeats(rows, firsts, 0.0, 0, len(keys))
    more = np.unique(firsts, return_counts=True)[1]  # rows equal to each first one
    groups = len(more)
    if _is_designed(profiles[:n_features], len(keys), int((more * (more + 1) // 2).sum())):
        return Repeats(rows, firsts, 0.0, groups, len(keys))
    chance = _by_chance(keys, profiles, len(rows))
    if max(profile.distinct for profile in profiles[:n_features]) <= MANY_VALUES:
        chance += len(rows) - groups
    return Repeats(rows, firsts, chance, groups, len(keys))


def _is_designed(features: Sequence[Profile], n_rows: int, equal_pairs: int) -> bool:
    """Return whether rows were chosen to be different, as in a table that lists every combination once.

    Then far fewer pairs are equal than if every column were filled by chance, and those that are equal are copies.
    """
    by_chance = n_rows * (n_rows - 1) / 2 * math.prod(one.agreement for one in features)
    return by_chance >= FEWEST_BY_CHANCE and equal_pairs < DESIGNED * by_chance


def _by_chance(keys: Keys, profiles: Sequence[Profile], n_repeats: int) -> float:
    """Return how many rows chance would repeat.

    If rows that agree in all columns but one agree in that one with probability c, then for every pair that differs
    there, one expects c / (1 - c) pairs that do not.
    """
    finest = sorted(range(len(profiles)), key=lambda k: -profiles[k].distinct)[:MOST_COLUMNS]
    expected = 0.0
    for k in finest:
        with np.errstate(over="ignore"):
            left = np.sort(keys - key_of_cells(profiles[k], k))
        differ_here = int(np.count_nonzero(left[1:] == left[:-1])) - n_repeats
        chance = min(0.5, DEPENDENCE * profiles[k].agreement)
        expected = max(expected, differ_here * chance / (1 - chance))
    return expected


def duplicate_rows(found: Repeats) -> Finding | None:
    """Find rows that were copied: more of them are equal than chance explains."""
    if not found.are_copies:
        return None
    count = len(found.rows)
    repeat = "1 row repeats" if count == 1 else f"{count} of {found.n_rows} rows repeat"
    message = (
        f"{repeat} an earlier row in every column: row {found.rows[0]} is the same as row {found.firsts[0]}."
    )
    rows = tuple(found.rows[:MOST_ROWS].tolist())
    return Finding("duplicate_rows", None, message, Fix("drop_duplicate_rows"), count, rows)


def contradictory_rows(found: Repeats, target: Target, say: Callable[[int], str]) -> Finding | None:
    """Find rows that are equal in all features but not in the target; `say` returns the target of a row as text."""
    if not found.are_copies:
        return None
    differ = contradict(target, found.rows, found.firsts)
    rows, firsts = found.rows[differ], found.firsts[differ]
    if not len(rows):
        return None
    pair = f"Rows {firsts[0]} and {rows[0]} have the same features, but their targets are {say(int(firsts[0]))} and "
    others = len(rows) - 1
    more = (
        f" There {'is' if others == 1 else 'are'} {others} more such row{'s' * (others > 1)}."
        if others
        else ""
    )
    message = f"{pair}{say(int(rows[0]))}.{more}"
    listed = tuple(rows[:MOST_ROWS].tolist())
    finding = Finding("contradictory_rows", None, message, Fix("drop_contradictory_rows"), len(rows), listed)
    return finding.on_request("a tree that never saw a contradiction is too sure of itself")


def contradict(
    target: Target, rows: npt.NDArray[np.intp], others: npt.NDArray[np.intp]
) -> npt.NDArray[np.bool_]:
    """Return whether the targets of pairs of rows contradict each other.

    Classes do if they differ, numbers if they differ by more than the standard deviation of the target.
    """
    if isinstance(target, Classes):
        return np.asarray(target.codes[rows] != target.codes[others])
    return np.asarray(np.abs(target.values[rows] - target.values[others]) > target.values.std())
