"""How far apart the numbers of a column lie: the scale on which a change of one is large or small."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from branchwork.table.table import Table

MOST_ROWS_LOOKED_AT = 1024
"""Of a longer table as many rows are looked at, evenly spaced: a scale must not cost what a tree does."""
SLACK = 1e-12
"""Weights add up with rounding: a quartile is reached within this share of their sum."""

Floats = npt.NDArray[np.float64]


def spread(
    table: Table, weights: Floats | None = None, *, columns: Sequence[int] | None = None
) -> tuple[float, ...]:
    """The interquartile range of each numeric column; NaN for a nominal one and for those not asked for.

    A quartile is the smallest number that has a quarter (three quarters) of the weight of the known, finite cells up to
    it. If both are the same, the range of the column stands in; if that is 0 too, 1.

    >>> from branchwork.table.adapt import to_table
    >>> spread(to_table([[1, 5, "a"], [2, 5, "b"], [3, 5, "a"], [9, 5, None]]))
    (2.0, 1.0, nan)
    """
    found = [math.nan] * len(table.schema)
    asked = range(len(table.schema)) if columns is None else columns
    numeric = [j for j in asked if not table.schema[j].is_nominal]
    if numeric:
        rows = _rows_looked_at(table.n_rows)
        cells = np.array([table.arrays[j][rows] for j in numeric], np.float64)
        widths = _widths(cells, None if weights is None else weights[rows])
        for j, width in zip(numeric, widths, strict=True):
            found[j] = width
    return tuple(found)


def _rows_looked_at(n_rows: int) -> slice | npt.NDArray[np.intp]:
    if n_rows <= MOST_ROWS_LOOKED_AT:
        return slice(None)
    return np.arange(MOST_ROWS_LOOKED_AT, dtype=np.intp) * n_rows // MOST_ROWS_LOOKED_AT


def _widths(cells: Floats, weights: Floats | None) -> list[float]:
    """The spread of each line of cells."""
    cells[~np.isfinite(cells)] = np.nan  # sorted last
    counts = np.count_nonzero(cells == cells, axis=1)
    if weights is None:
        cells.sort(axis=1)
        first, third = ((counts * quarters + 3) // 4 - 1 for quarters in (1, 3))
    else:
        cells, first, third = _sorted_by_weight(cells, weights)
    line = np.arange(len(cells))
    with np.errstate(over="ignore"):
        inner = cells[line, third] - cells[line, first]
        whole = cells[line, counts - 1] - cells[line, 0]
    width = np.where(inner > 0, inner, whole)
    # no known cell, or all of them equal: 1; wider than a float: as wide as one can be
    return np.minimum(np.where(width > 0, width, 1.0), np.finfo(np.float64).max).tolist()  # type: ignore[no-any-return]


def _sorted_by_weight(
    cells: Floats, weights: Floats
) -> tuple[Floats, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Each line sorted, and where its quartiles are."""
    order = np.argsort(cells, axis=1, kind="stable")
    cells = np.take_along_axis(cells, order, axis=1)
    below = np.cumsum(np.where(cells == cells, weights[order], 0.0), axis=1)
    first, third = (
        np.argmax(below >= below[:, -1:] * (share - SLACK), axis=1).astype(np.intp) for share in (0.25, 0.75)
    )
    return cells, first, third
