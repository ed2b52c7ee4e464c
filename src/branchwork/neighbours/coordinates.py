"""Represent rows as points in space whose Euclidean or Manhattan distances are those of the metric.

A number is one coordinate. A category is a coordinate per level, of which one is not 0:

    level        a      b      c               Euclidean: s = 1/√2, so that two levels are √(s² + s²) = 1 apart
    row with b   0      s      0               Manhattan: s = 1/2, so that they are s + s = 1 apart

Where only categories are compared, Manhattan distances are squares of Euclidean ones, with s = 1/√2.

A missing category of a training row is a level of its own. A missing or unseen category of a query is at none of the
levels, which is s away from each of them; the rest of the distance is put into one last coordinate, which is 0 for all
training rows.
"""

from __future__ import annotations

import numpy as np

from branchwork.neighbours.distance import Axes, Cells, Floats


def power(axes: Axes) -> int:
    """Return the power of the distances in space: 2 is Euclidean.

    If all features are categories, Euclidean space also serves for metrics that add differences: the square of the
    distance is their sum. Euclidean distances are much faster to compute by brute force.
    """
    return axes.power if axes.numeric else 2


def width(axes: Axes) -> int:
    """Return the number of coordinates."""
    return len(axes.numeric) + sum(n + 1 for n in _levels(axes)) + bool(axes.nominal)


def of_training(axes: Axes, cells: Cells) -> Floats:
    """Return the coordinates of training rows; none of their numbers may be missing."""
    return _coordinates(axes, cells, training=True)


def of_queries(axes: Axes, cells: Cells) -> Floats:
    """Return the coordinates of queries; none of their numbers may be missing."""
    return _coordinates(axes, cells, training=False)


def _levels(axes: Axes) -> list[int]:
    return [len(axes.values[j]) if j in axes.values else len(axes.schema[j].categories) for j in axes.nominal]


def _coordinates(axes: Axes, cells: Cells, *, training: bool) -> Floats:
    rows = np.arange(len(cells))
    found = np.zeros((len(cells), width(axes)))
    for k, (numbers, low, scale) in enumerate(zip(cells.numbers, axes.low, axes.scale, strict=True)):
        found[:, k] = (numbers - low) * scale
    at = len(axes.numeric)
    for codes, n, differs in zip(cells.codes, _levels(axes), axes.differs, strict=True):
        step = (differs**axes.power / 2) ** (1 / power(axes))
        if training:
            found[rows, at + np.where(codes >= 0, codes, n)] = step
        else:
            known = codes >= 0
            found[rows[known], at + codes[known]] = step
            found[~known, -1] += step ** power(axes)
        at += n + 1
    if not training and axes.nominal and power(axes) == 2:
        found[:, -1] = np.sqrt(found[:, -1])
    return found
