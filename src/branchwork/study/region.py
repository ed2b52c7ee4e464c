"""Compute regions: the rectangles into which a tree divides the plane of two columns.

Columns off the plane are held at one value each, so that every leaf that can still be reached is a box over the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork.model.describe import prediction
from branchwork.model.model import Model
from branchwork.rules.condition import Among, Interval, Plain
from branchwork.study.boxes import Box, boxes
from branchwork.study.held import Features, Fixed, Held, held_off, tested_features, two_features
from branchwork.study.scatter import rows_of, scatter
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.split import harmless
from branchwork.view.axis import Axis, axis_of_categories, axis_of_numbers
from branchwork.view.class_key import ClassKey, key_of
from branchwork.view.digits import percent
from branchwork.view.figure import fitted_model
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName
from branchwork.view.plane import Area, Plane
from branchwork.view.plane_plot import plot
from branchwork.view.plane_svg import to_svg
from branchwork.view.words import answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Region:
    """The part of the plane that belongs to one leaf.

    Parameters
    ----------
    leaf : its id in the tree.
    x, y : the cells of either column that lead to it: an Interval (above < cell <= upto; None: no limit) or Among (the
        codes of categories).
    answer : the label, or the number.
    probability : the probability of the label; None for numbers.
    share : the share of the training weight in the leaf.
    """

    leaf: int
    x: Plain
    y: Plain
    answer: Any
    probability: float | None
    share: float


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a tree. A notebook shows the picture; `to_dict()` gives plain data.

    Parameters
    ----------
    schema : the columns that the tree was trained on.
    features : positions of the two columns, the one across first.
    boxes : from the left of the tree to the right.
    held : columns off the plane that the tree tests, and the values they are held at.
    plane : what the picture shows.
    """

    schema: Schema
    features: tuple[int, int]
    boxes: tuple[Region, ...]
    held: tuple[Held, ...]
    plane: Plane

    def __repr__(self) -> str:
        """Show the number of boxes and the columns."""
        across, up = (harmless(self.schema[feature].name) for feature in self.features)
        return f"Regions({len(self.boxes)} boxes over {across} and {up})"

    def to_dict(self) -> dict[str, Any]:
        """Return features, held (name → value) and boxes as plain data.

        Each box has leaf, answer, probability, share, and x and y: above and upto of a numeric column (None: no
        limit), or values, a list of categories.
        """
        return {
            "features": [self.schema[feature].name for feature in self.features],
            "held": {self.schema[held.feature].name: held.value for held in self.held},
            "boxes": [
                {
                    "leaf": box.leaf,
                    "answer": box.answer,
                    "probability": box.probability,
                    "share": box.share,
                    "x": _side(box.x, self.schema),
                    "y": _side(box.y, self.schema),
                }
                for box in self.boxes
            ],
        }

    def to_svg(self, *, theme: ThemeName = "auto") -> str:
        """Return the picture as SVG text: theme "light", "dark", or "auto", which follows the reader's setting."""
        return to_svg(self.plane, theme)

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture with matplotlib, on given axes or in a new figure; return the axes."""
        return plot(self.plane, ax)


def regions(est: Any, X: Any, y: Any, features: Features = None, fixed: Fixed = None) -> Regions:
    """Return the rectangles into which a tree divides the plane of two columns.

    They are computed from the tree, not from a grid: a cell on a cut is in the box that the tree sends it to. They
    hold for known cells; what the tree does with missing cells cannot be shown on a plane.

    Parameters
    ----------
    est : a fitted tree, or its `model_`.
    X, y : rows to show as points; X also determines how far the axes reach.
    features : two columns, by name or position, the one across first. None: those that the tree tests, if there are
        no more than two.
    fixed : values at which other columns are held, by name or position. Those not named are held at the median of X,
        or at its most frequent category.

    >>> import branchwork as bw
    >>> food = bw.datasets.load("food_allergy11")
    >>> found = bw.study.regions(bw.TreeClassifier().fit(food.X, food.y), food.X, food.y)
    >>> found
    Regions(4 boxes over Egg and Milk)
    >>> found.to_dict()["boxes"][0]["x"]
    {'above': None, 'upto': 1.5}
    """
    model = fitted_model(est)
    table, target = rows_of(model, X, y)
    plane = two_features(model, features)
    held = held_off(model, table, plane, fixed)
    space = {one.feature: one.condition for one in held}
    space |= {feature: _anything(feature, model.schema[feature]) for feature in plane}
    found = [_region(model, box, plane) for box in boxes(model, space)]
    tested = tested_features(model)
    told = [one for one in held if one.feature in tested]
    return Regions(
        model.schema, plane, tuple(found), tuple(told), _picture(model, table, target, plane, found, told)
    )


def _anything(feature: int, column: Column) -> Plain:
    """Return the condition that every known cell meets."""
    return Among(feature, tuple(range(len(column.categories)))) if column.is_nominal else Interval(feature)


def _region(model: Model, box: Box, plane: tuple[int, int]) -> Region:
    tree, leaf = model.tree, box.leaf
    return Region(
        leaf,
        box.space[plane[0]],
        box.space[plane[1]],
        prediction(model, leaf),
        None if model.labels is None else float(tree.value[leaf, tree.decision[leaf]]),
        float(tree.weight[leaf] / tree.weight[0]),
    )


def _side(condition: Plain, schema: Schema) -> dict[str, Any]:
    if isinstance(condition, Interval):
        return {"above": condition.above, "upto": condition.upto}
    return {"values": list(condition.values(schema))}


# ------------------------------------------------------------------------------------------------ the picture


def _picture(
    model: Model, table: Table, target: Target, plane: tuple[int, int], found: list[Region], told: list[Held]
) -> Plane:
    sides = [[box.x for box in found], [box.y for box in found]]
    across, up = (
        _axis(model.schema[feature], table.arrays[feature], conditions)
        for feature, conditions in zip(plane, sides, strict=True)
    )
    key = key_of(model)
    points, notes = scatter(table, target, plane, key, across)
    held = ", ".join(one.describe(model.schema[one.feature]) for one in told)
    return Plane(
        across,
        up,
        tuple(area for box in found for area in _areas(model, box, key, across, up)),
        points,
        key,
        (*([f"Held fixed: {held}"] if held else []), *notes),
        harmless(model.target or ""),
    )


def _axis(column: Column, cells: npt.NDArray[Any], conditions: list[Plain]) -> Axis:
    """Return an axis that covers the cells and the cuts."""
    if column.is_nominal:
        return axis_of_categories(column.name, column.categories)
    known = cells[np.isfinite(cells)].astype(np.float64)
    ends = [float(known.min()), float(known.max())] if len(known) else []
    cuts = [end for side in conditions if isinstance(side, Interval) for end in (side.above, side.upto)]
    return axis_of_numbers(column.name, [*ends, *(cut for cut in cuts if cut is not None)])


def _areas(model: Model, box: Region, key: ClassKey | None, across: Axis, up: Axis) -> Iterator[Area]:
    """Return the visible rectangles of a box; categories that are not neighbours give several."""
    schema = model.schema
    sides = [
        side.describe(schema)
        for side in (box.x, box.y)
        if side != _anything(side.feature, schema[side.feature])
    ]
    where = " and ".join(sides) or "everywhere"
    note = f"{answer(model, box.leaf)}: {where} ({percent(box.share)} of the training weight)"
    value = box.answer if key is None else float(key.entry[model.tree.decision[box.leaf]])
    for x, y in product(_stretches(box.x, across), _stretches(box.y, up)):
        yield Area(x, y, value, 1.0 if box.probability is None else box.probability, note)


def _stretches(side: Plain, axis: Axis) -> list[tuple[float, float]]:
    """Return the parts of an axis where a condition holds."""
    if isinstance(side, Interval):
        low = axis.low if side.above is None else max(side.above, axis.low)
        high = axis.high if side.upto is None else min(side.upto, axis.high)
        return [(low, high)] if low < high else []
    codes = set(side.codes)
    first = [code for code in side.codes if code - 1 not in codes]
    last = [code for code in side.codes if code + 1 not in codes]
    return [(begin - 0.5, end + 0.5) for begin, end in zip(first, last, strict=True)]
