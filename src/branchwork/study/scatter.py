"""Show rows as points on a plane of two columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.model.model import Model
from branchwork.table import target as targets
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.view.axis import Axis
from branchwork.view.class_key import ClassKey
from branchwork.view.plane import Points

Floats = npt.NDArray[np.float64]

MOST_POINTS = 2000
"""The approximate number of points that are shown; more would hide the areas."""
GOLDEN, ACROSS, UP = 0.6180339887498949, 0.7548776662466927, 0.5698402909980532
"""Multiples of these, modulo 1, fill a line evenly, and those of the last two a square (Roberts 2018)."""
BAND = 0.6
"""The part of a category's band over which its points are spread."""
APART = 0.018
"""The distance between classes at the same place, as a share of the axis."""


def rows_of(model: Model, X: Any, y: Any) -> tuple[Table, Target]:
    """Return rows in the model's own categories and labels."""
    table = model.table(X)
    target = targets.values(y) if model.labels is None else targets.classes(y).in_labels(model.labels)
    if len(target) != table.n_rows:
        raise DataError(f"X has {table.n_rows} rows, but y has {len(target)}.")
    return table, target


def scatter(
    table: Table, target: Target, plane: tuple[int, int], key: ClassKey | None, axis: Axis
) -> tuple[Points, list[str]]:
    """Return the rows as points on a plane, and a note about rows that are not shown."""
    across, up = (_numbers(table.schema[feature], table.arrays[feature]) for feature in plane)
    placed = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    shown = placed[_steps(len(placed), GOLDEN) * len(placed) <= MOST_POINTS]
    notes = []
    if len(shown) < len(placed):
        notes.append(f"{len(shown)} of {len(placed)} rows are shown.")
    if absent := table.n_rows - len(placed):
        notes.append(
            f"{absent} row{'s' * (absent > 1)} without a place on both axes: a cell is missing, infinite or new."
        )
    x, y = (
        _spread(cells[shown], share) if table.schema[feature].is_nominal else cells[shown]
        for feature, cells, share in zip(plane, (across, up), (ACROSS, UP), strict=True)
    )
    answers = _answers(target, key)[shown]
    if key is not None:
        x = x + np.array(_aside(x, y, answers)) * (axis.high * APART - axis.low * APART)
    return Points(x, y, answers), notes


def _numbers(column: Column, cells: npt.NDArray[Any]) -> Floats:
    """Return cells as numbers; NaN if there is nothing to show."""
    numbers = cells.astype(np.float64)
    return np.where(cells >= 0, numbers, np.nan) if column.is_nominal else numbers


def _answers(target: Target, key: ClassKey | None) -> Floats:
    """Return the entry of the legend, or the number, of each row."""
    if isinstance(target, targets.Values) or key is None:
        assert isinstance(target, targets.Values)
        return target.values
    return key.entry[target.codes].astype(np.float64)


def _spread(codes: Floats, share: float) -> Floats:
    """Spread the points of one category side by side; the result is the same every time."""
    return codes + (_steps(len(codes), share) - 0.5) * BAND


def _steps(n: int, share: float) -> Floats:
    """Return numbers from 0 to 1 without a visible pattern, the same every time."""
    return np.asarray(np.arange(1, n + 1) * share % 1)


def _aside(x: Floats, y: Floats, answers: Floats) -> list[float]:
    """Return how many steps each point is moved aside because other classes have points at the same place."""
    rows = list(zip(x.tolist(), y.tolist(), answers.tolist(), strict=True))
    here: dict[tuple[float, float], list[float]] = {}
    for across, up, answer in sorted(set(rows)):
        here.setdefault((across, up), []).append(answer)
    places = [here[across, up] for across, up, _ in rows]
    return [own.index(answer) - (len(own) - 1) / 2 for own, (*_, answer) in zip(places, rows, strict=True)]
