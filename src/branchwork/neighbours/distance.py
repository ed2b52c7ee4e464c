"""Measure how far apart two rows are: the difference of their cells in each feature, and the distance that follows.

    metric       numbers                        categories   missing or unseen   distance
    mixed        difference / range             0 or 1       1                   Euclidean
    euclidean    difference                     0 or 1       the range           Euclidean
    manhattan    difference                     0 or 1       the range           sum
    hamming      0 or 1                         0 or 1       1                   sum

The range of a feature is that of its training rows; categories have the range 1. A feature weight stretches its axis:
every difference in that feature is multiplied by it. A missing cell differs from every cell, even from another
missing one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.table.schema import Schema
from branchwork.table.table import MISSING, UNSEEN, Table
from branchwork.table.target import LARGEST_SCALE

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]
LEAST_DIVISOR = 1e-300
"""Division by a smaller range would overflow."""
Metric = Literal["mixed", "euclidean", "manhattan", "hamming"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows in the form that distances need: columns of numbers (NaN is missing) and of codes (negative is missing)."""

    numbers: tuple[Floats, ...]
    codes: tuple[npt.NDArray[np.int32], ...]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.numbers[0] if self.numbers else self.codes[0])

    def take(self, rows: Any) -> Cells:
        """Return some of the rows."""
        return Cells(tuple(one[rows] for one in self.numbers), tuple(one[rows] for one in self.codes))

    @property
    def lacks_number(self) -> npt.NDArray[np.bool_]:
        """The rows that have a missing number."""
        lacks = np.zeros(len(self), np.bool_)
        for one in self.numbers:
            lacks |= np.isnan(one)
        return lacks


@dataclass(frozen=True, eq=False)
class Axes:
    """The scale of each feature, from a training table and a metric. Features with weight 0 are left out.

    Parameters
    ----------
    schema : the features.
    metric : see above.
    numeric, nominal : positions of the features that are compared as numbers, and as equal or not.
    low : the smallest number of each numeric feature.
    scale : the factor of a difference of numbers; 0 if the range is 0.
    missing : how much a missing number differs.
    differs : how much two different categories differ.
    values : for "hamming": the sorted numbers of training of each numeric feature, by position.
    """

    schema: Schema
    metric: Metric
    numeric: tuple[int, ...]
    nominal: tuple[int, ...]
    low: tuple[float, ...]
    scale: tuple[float, ...]
    missing: tuple[float, ...]
    differs: tuple[float, ...]
    values: dict[int, Floats]

    @property
    def power(self) -> int:
        """The power of the distance: 2 is Euclidean."""
        return 2 if self.metric in ("mixed", "euclidean") else 1

    def cells(self, table: Table) -> Cells:
        """Return the rows of a table that is coded by the schema. Refuse numbers that are infinite or too large."""
        numbers = [
            _near_enough(table, j, low, scale)
            for j, low, scale in zip(self.numeric, self.low, self.scale, strict=True)
        ]
        codes = [
            _codes_of(_numbers(table, j), self.values[j])
            if j in self.values
            else np.ascontiguousarray(table.arrays[j])
            for j in self.nominal
        ]
        return Cells(tuple(numbers), tuple(codes))

    def between(self, a: Cells, i: Any, b: Cells, j: Any) -> Floats:
        """Return the distances between rows i of `a` and rows j of `b`, whose shapes are broadcast.

        Differences are taken before they are scaled, and added in the order of the features. So the distance of two
        rows has the same bits whichever search found them, and the distance of equal rows is exactly 0.
        """
        total = np.zeros(np.broadcast_shapes(np.shape(i), np.shape(j)))
        for own, other, scale, missing in zip(a.numbers, b.numbers, self.scale, self.missing, strict=True):
            gap = np.abs(own[i] - other[j]) * scale
            np.copyto(gap, missing, where=np.isnan(gap))
            total += gap * gap if self.power == 2 else gap
        for mine, others, differs in zip(a.codes, b.codes, self.differs, strict=True):
            code = others[j]
            total += np.where((mine[i] == code) & (code >= 0), 0.0, differs**self.power)
        return np.asarray(np.sqrt(total)) if self.power == 2 else total


def axes(table: Table, rows: Positions, metric: Metric, weights: tuple[float, ...]) -> Axes:
    """Measure the features of some training rows; `weights` has one number per feature."""
    numeric, nominal, low, scale, missing = [], [], [], [], []
    values: dict[int, Floats] = {}
    for j, column in enumerate(table.schema):
        if weights[j] == 0:
            continue
        if column.is_nominal or metric == "hamming":
            nominal.append(j)
            if not column.is_nominal:
                cells = _numbers(table, j)[rows]
                values[j] = np.unique(cells[~np.isnan(cells)])
            continue
        least, width = _range(table, j, rows, least=LEAST_DIVISOR if metric == "mixed" else 1 / LARGEST_SCALE)
        unit = (1 / width if width > 0 else 0.0) if metric == "mixed" else 1.0
        numeric.append(j)
        low.append(least)
        scale.append(weights[j] * unit)
        missing.append(weights[j] * (1.0 if metric == "mixed" else width))
    return Axes(
        table.schema,
        metric,
        tuple(numeric),
        tuple(nominal),
        tuple(low),
        tuple(scale),
        tuple(missing),
        tuple(weights[j] for j in nominal),
        values,
    )


def _range(table: Table, j: int, rows: Positions, *, least: float) -> tuple[float, float]:
    """Return the smallest known number of a feature and its range; both 0 where no cell is known."""
    cells = _numbers(table, j)[rows]
    known = cells[~np.isnan(cells)]
    if not known.size:
        return 0.0, 0.0
    with np.errstate(over="ignore"):
        low, width = float(known.min()), float(known.max() - known.min())
    if 0 < width < least or width == math.inf:
        raise DataError(
            f"Column {table.schema[j].name!r} has a range of {width:g}, and differences in it cannot be squared. "
            "Scale it."
        )
    return low, width


def _numbers(table: Table, j: int) -> Floats:
    """Return a numeric column as float64, NaN where missing. Refuse infinity."""
    cells = np.ascontiguousarray(table.arrays[j], np.float64)
    infinite = np.isinf(cells)
    if infinite.any():
        raise _too_far(table, j, cells, infinite, "is not a finite number (Input X contains infinity)")
    return cells


def _near_enough(table: Table, j: int, low: float, scale: float) -> Floats:
    """Return a numeric column. Refuse numbers whose squared distance to the training rows would overflow."""
    cells = _numbers(table, j)
    with np.errstate(over="ignore", invalid="ignore"):
        beyond = np.abs(cells - low) * scale > LARGEST_SCALE
    if beyond.any():
        raise _too_far(table, j, cells, beyond, "is too far away from the other rows to square the distance")
    return cells


def _too_far(table: Table, j: int, cells: Floats, which: npt.NDArray[np.bool_], what: str) -> DataError:
    row = int(np.argmax(which))
    return DataError(
        f"Column {table.schema[j].name!r}, row {row}: {cells[row]} {what}. Correct it, or scale the column."
    )


def _codes_of(cells: Floats, values: Floats) -> npt.NDArray[np.int32]:
    """Return the position of each number among the numbers of the training rows."""
    if not len(values):
        return np.where(np.isnan(cells), MISSING, UNSEEN).astype(np.int32)
    place = np.minimum(np.searchsorted(values, cells), len(values) - 1)
    codes = np.where(values[place] == cells, place, np.where(np.isnan(cells), MISSING, UNSEEN))
    return np.ascontiguousarray(codes, np.int32)
