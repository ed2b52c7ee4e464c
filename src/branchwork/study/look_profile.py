"""Sort a column of a table once; everything that `look` says about it is computed from its distinct values.

cells     3  1  ?  1  2  1           one per row
values    1  2  3                    distinct, ascending; of a nominal column, the codes that occur
counts    3  1  1
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.table.schema import Column

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

MOST_GROUPS = 10
"""Numbers are divided into up to this many groups of about equal size before they are counted against a target ..."""
ROWS_PER_GROUP = 15
"""... as long as a group has at least this many rows; there are always two groups or more."""


@dataclass(frozen=True, eq=False)
class Profile:
    """A column, its cells, and its distinct known values with their counts.

    Parameters
    ----------
    array : the cells as the table has them.
    values : distinct finite numbers, ascending; for a nominal column, the codes that occur. `light` drops them.
    counts : how often each of the values occurs.
    distinct : how many different values occur, infinities aside.
    finite : how many cells have a value that can be counted: known, and not infinite.
    infinite : how many cells are infinite. They are known, but not among the values.
    agreement : how likely two rows, drawn with replacement, have the same cell (a missing one included).
    cuts : the largest value of every group of a numeric column but the last.
    order : the rows of the finite cells, ascending by cell, if they were asked for. `light` drops them.
    """

    column: Column
    array: npt.NDArray[Any]
    values: npt.NDArray[Any]
    counts: Counts
    distinct: int
    finite: int
    infinite: int
    agreement: float
    cuts: Floats
    order: npt.NDArray[np.intp] | None = None

    def light(self, array: npt.NDArray[Any]) -> Profile:
        """Return the profile without its values, which would take too much memory for every column of a large table."""
        return replace(self, array=array, values=self.values[:0], counts=self.counts[:0], order=None)

    @property
    def cells(self) -> npt.NDArray[Any]:
        """The cells: float64, where NaN is missing, or the codes of a nominal column, where -1 is missing."""
        return self.array if self.column.is_nominal else np.asarray(self.array, np.float64)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.array)

    @property
    def known(self) -> int:
        """How many cells have a value."""
        return self.finite + self.infinite

    @property
    def missing(self) -> int:
        """How many cells have no value."""
        return self.n_rows - self.known

    @property
    def is_countable(self) -> npt.NDArray[np.bool_]:
        """Whether each cell is known and not infinite."""
        return np.asarray(self.array >= 0 if self.column.is_nominal else np.isfinite(self.array))

    @property
    def are_integers(self) -> bool:
        """Whether all values are integers."""
        return not self.column.is_nominal and bool((self.values == np.floor(self.values)).all())

    def category(self, code: int) -> Hashable:
        """Return the category of a code."""
        return self.column.categories[code]

    def quantile(self, share: float) -> float:
        """Return the smallest value such that at least this share of the finite cells do not exceed it.

        >>> profile_of(Column("x", "numeric"), np.array([1.0, 2.0, 2.0, 9.0])).quantile(0.5)
        2.0
        """
        position = np.searchsorted(self._cumulative, share * self.finite - 1e-9)
        return float(self.values[min(int(position), self.distinct - 1)])

    @cached_property
    def _cumulative(self) -> Counts:
        return np.cumsum(self.counts)

    @property
    def ranks(self) -> Floats:
        """The rank of each finite cell, counted from 1; equal cells share the mean of their ranks. Needs `order`."""
        assert self.order is not None
        ranked = np.empty(self.n_rows)
        ranked[self.order] = np.repeat(self._cumulative - (self.counts - 1) / 2, self.counts)
        return ranked

    @property
    def n_groups(self) -> int:
        """The number of groups in `groups`."""
        return len(self.column.categories) if self.column.is_nominal else len(self.cuts) + 1

    @cached_property
    def groups(self) -> Codes:
        """The group of each cell: its category, or its position among the cuts; -1 means none."""
        return self.groups_of(self.cells)

    def groups_of(self, cells: npt.NDArray[Any]) -> Codes:
        """Return the groups of some cells."""
        if self.column.is_nominal:
            return np.asarray(np.maximum(cells, -1), np.int32)
        found = np.zeros(len(cells), np.int8)
        for cut in self.cuts.tolist():  # a few comparisons of all cells are faster than a search for each
            found += cells > cut
        if self.finite < self.n_rows:
            found[~np.isfinite(cells)] = -1
        return found.astype(np.int32)


def profile_of(column: Column, array: npt.NDArray[Any], *, ordered: bool = False) -> Profile:
    """Sort a column, or count its categories; `ordered` also keeps the order of the rows of a numeric column."""
    infinite, order = 0, None
    values: npt.NDArray[Any]
    if column.is_nominal:
        counted = np.bincount(array[array >= 0], minlength=len(column.categories))
        values = np.flatnonzero(counted)
        counts = counted[values].astype(np.int64)
    else:
        array = np.ascontiguousarray(array, np.float64)
        order = np.argsort(array) if ordered else None  # NaN last
        in_order = np.sort(array) if order is None else array[order]
        first = int(np.searchsorted(in_order, -np.inf, "right"))
        last = int(np.searchsorted(in_order, np.inf))
        infinite = int(np.searchsorted(in_order, np.nan)) - last + first
        values, counts = _distinct(in_order[first:last])
        order = None if order is None else order[first:last]
    finite = int(counts.sum())
    missing = len(array) - finite - infinite
    agreement = float(((counts / len(array)) ** 2).sum()) + (missing / len(array)) ** 2 if len(array) else 0.0
    cuts = np.empty(0) if column.is_nominal else _cuts(values, counts, finite, MOST_GROUPS)
    return Profile(column, array, values, counts, len(values), finite, infinite, agreement, cuts, order)


def _distinct(in_order: Floats) -> tuple[Floats, Counts]:
    """Return the distinct numbers among sorted ones, and their counts."""
    starts = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]])[: len(in_order)])
    return in_order[starts], np.diff(starts, append=len(in_order)).astype(np.int64)


def _cuts(values: npt.NDArray[Any], counts: Counts, n: int, most: int) -> Floats:
    """Cut numbers into groups of about equal size; equal numbers stay together.

    Columns with few distinct values have a group for each.
    """
    if len(values) <= most:
        return np.asarray(values[:-1], np.float64)
    fitting = int(np.clip(n // ROWS_PER_GROUP, 2, most))
    wanted = np.arange(1, fitting) * (n / fitting)
    places = np.unique(np.searchsorted(np.cumsum(counts), wanted - 1e-9))
    return np.asarray(values[places[places < len(values) - 1]], np.float64)
