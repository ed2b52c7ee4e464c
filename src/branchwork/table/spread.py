"""Measure how far apart the numbers of a column lie, as a scale for changes of its cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.table.table import Table

Floats = npt.NDArray[np.float64]


def spread(
    table: Table, weights: Floats | None = None, *, columns: npt.ArrayLike | None = None
) -> tuple[float, ...]:
    """Return the interquartile range of each numeric column; NaN for a nominal one and for those not asked for.

    `columns` may list a column repeatedly, as the features of a tree's nodes do; -1 stands for none.

    In a table of more than 1 024 rows, only 1 024 evenly spaced rows are used.

    The first (third) quartile is the smallest number such that the known, finite cells up to it have at least a quarter
    (three quarters) of the weight. If both are equal, the range of the column is used instead; if that is 0 too, 1.

    >>> from branchwork.table.adapt import to_table
    >>> spread(to_table([[1, 5, "a"], [2, 5, "b"], [3, 5, "a"], [9, 5, None]]))
    (2.0, 1.0, nan)
    """
    asked = np.asarray(range(len(table.schema)) if columns is None else columns, np.int32)
    return tuple(table.core.spreads(asked, weights))
