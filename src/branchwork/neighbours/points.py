"""Group training rows into points: rows that agree in every cell are one point, which lists its rows in order.

    rows    0  1  2  3  4  5            point 0: rows 0, 2, 5
    cells   A  B  A  C  B  A     →      point 1: rows 1, 4
                                        point 2: row 3

So a search never has to distinguish identical rows, of which tables of categories have many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.neighbours.distance import Cells, Positions


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct rows.

    Parameters
    ----------
    cells : of each point.
    rows : the rows of all points, point after point, each in rising order.
    start : where the rows of each point begin.
    count : how many rows each point has.
    """

    cells: Cells
    rows: Positions
    start: Positions
    count: Positions

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.start)


def points(cells: Cells, rows: Positions) -> Points:
    """Group rows with equal cells; `rows` are the rows to use."""
    taken = cells.take(rows)
    columns: list[npt.NDArray[Any]] = [*taken.numbers, *taken.codes]
    keys = np.empty((len(rows), len(columns)))
    for j, column in enumerate(columns):
        keys[:, j] = column + 0.0  # -0.0 becomes 0.0
    keys[np.isnan(keys)] = np.nan  # one pattern of bits
    found, first = _core.distinct(keys.view(np.uint8).ravel(), keys.itemsize * len(columns))
    of_row: npt.NDArray[np.int32] = found
    count = np.bincount(of_row, minlength=len(first)).astype(np.intp)
    order = np.argsort(of_row, kind="stable")
    return Points(taken.take(first), rows[order], np.cumsum(count) - count, count)
