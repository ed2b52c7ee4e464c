"""Columns as CHAID sees them: categories in order, numeric columns cut into intervals beforehand.

The cutting is done once, on the whole table: a value's mean rank r among N rows puts it into interval
floor(r · bins / (N + 1)), so intervals have about equal weight and rows of one value stay together. A column of no more
values than `bins` keeps them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.grow.chaid_multiplier import Scale
from branchwork.grow.recipe import Chaid
from branchwork.table.adapt import positions
from branchwork.table.table import Table

MOST_CATEGORIES = 1000
"""Of one column: every pair of categories is compared."""


@dataclass(frozen=True, eq=False)
class Categories:
    """One column: the category of each row, counted from 0; `count` stands for a missing cell."""

    codes: npt.NDArray[np.int32]
    count: int
    is_ordered: bool
    bounds: npt.NDArray[np.float64] | None  # numeric: between a category and the next

    def scale(self, has_missing: bool) -> Scale:
        """What may be merged, where some rows are missing or none is."""
        return "nominal" if not self.is_ordered else "floating" if has_missing else "ordinal"


def categories_of(table: Table, weights: npt.NDArray[np.float64] | None, settings: Chaid) -> list[Categories]:
    """Every column of a table as categories."""
    ordinal = set(positions("ordinal_features", settings.ordinal_features, table.schema))
    found = []
    for j, (column, cells) in enumerate(zip(table.schema, table.arrays, strict=True)):
        if column.is_nominal:
            count = len(column.categories)
            codes = np.where(cells < 0, count, cells).astype(np.int32)
            found.append(Categories(codes, count, j in ordinal, None))
        else:
            found.append(_intervals(cells, weights, None if j in ordinal else settings.bins))
        if found[-1].count > MOST_CATEGORIES:
            raise DataError(
                f"Column {column.name!r} has {found[-1].count} categories; CHAID compares every pair and takes at most "
                f"{MOST_CATEGORIES}. Group them, or drop the column."
            )
    return found


def _intervals(
    cells: npt.NDArray[np.generic], weights: npt.NDArray[np.float64] | None, bins: int | None
) -> Categories:
    numbers = cells.astype(np.float64)
    known = ~np.isnan(numbers)
    values, place = np.unique(numbers[known], return_inverse=True)
    interval = np.arange(len(values))
    if bins is not None and len(values) > bins:
        weight = np.bincount(place, None if weights is None else weights[known])
        before = np.concatenate(([0], np.cumsum(weight)[:-1]))
        rank = before + (weight + 1) / 2
        wanted = np.floor(rank * bins / (weight.sum() + 1))
        interval = np.cumsum(np.concatenate(([False], np.diff(wanted) > 0)))
    last = np.flatnonzero(np.diff(interval) > 0)  # value of each interval but the last one's
    count = int(interval[-1]) + 1 if len(interval) else 0
    codes = np.full(len(numbers), count, np.int32)
    codes[known] = interval[place]
    return Categories(codes, count, True, midpoints(values[last], values[last + 1]))


def midpoints(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cuts between neighbouring values a < b: a/2 + b/2, or a where that does not lie in [a, b)."""
    with np.errstate(invalid="ignore"):
        middle = a / 2 + b / 2
    return np.where((a <= middle) & (middle < b), middle, a) + 0.0  # no minus zero
