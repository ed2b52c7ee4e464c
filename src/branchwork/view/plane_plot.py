"""A plane of areas and points, drawn with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from branchwork.view.axis import Axis
from branchwork.view.class_key import MARKS, ClassKey
from branchwork.view.digits import shortened
from branchwork.view.figure import LITERAL, WIDEST_NAME, axes_for, legend_beside
from branchwork.view.mpl_theme import HATCHES, theme_of
from branchwork.view.palette import PATTERNS
from branchwork.view.plane import Area, Plane, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST_LABEL = 60
"""Signs of a name that fit below an axis."""
MOST_TICKS = 25
"""Of more categories, only every k-th is named."""


def plot(plane: Plane, ax: Axes | None = None) -> Axes:
    """Draw on given axes or in a new figure; return the axes."""
    ax = axes_for("Regions.plot()", ax, (6.4, 4.8))
    if plane.key is None:
        _draw_numbers(plane, ax)
    else:
        _draw_classes(plane, plane.key, ax)
    ax.set(xlim=(plane.across.low, plane.across.high), ylim=(plane.up.low, plane.up.high))
    ax.set_xlabel(shortened(plane.across.name, WIDEST_LABEL), **LITERAL)
    ax.set_ylabel(shortened(plane.up.name, WIDEST_LABEL), **LITERAL)
    ax.set_title("\n".join(plane.caption), loc="left", fontsize="small", wrap=True, **LITERAL)
    _name_categories(plane.across, ax.set_xticks, slanted=True)
    _name_categories(plane.up, ax.set_yticks, slanted=False)
    return ax


def _draw_classes(plane: Plane, key: ClassKey, ax: Axes) -> None:
    from matplotlib.colors import to_rgba

    theme = theme_of(ax)
    colours = key.colours(theme)
    faces = [to_rgba(colours[int(area.answer)], tint(area.strength)) for area in plane.areas]
    _draw_areas(plane.areas, ax, facecolors=faces, edgecolors=theme.muted)
    for pattern in PATTERNS[1:]:
        hatched = [area for area in plane.areas if key.pattern(int(area.answer)) == pattern]
        if hatched:
            lines = {
                "facecolors": "none",
                "edgecolors": to_rgba(theme.muted, 0.35),
                "hatch": HATCHES[pattern],
            }
            _draw_areas(hatched, ax, **lines)
    entries = []
    for entry in plane.occurring:
        own = plane.points.answer == entry
        look: dict[str, Any] = {
            "c": colours[entry],
            "marker": MARKS[key.mark(entry)],
            "s": 26,
            "edgecolors": theme.background,
        }
        marks = ax.scatter(plane.points.x[own], plane.points.y[own], **look, linewidths=0.6, zorder=2)
        entries.append((marks, shortened(key.names[entry], WIDEST_NAME)))
    legend_beside(ax, entries, plane.heading)


def _draw_numbers(plane: Plane, ax: Axes) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    theme = theme_of(ax)
    colours = LinearSegmentedColormap.from_list("one hue", theme.ramp)
    scale = ScalarMappable(Normalize(*plane.range), colours)
    faces = scale.to_rgba(np.array([area.answer for area in plane.areas]))
    _draw_areas(plane.areas, ax, facecolors=faces, edgecolors=theme.muted)
    points = plane.points
    ax.scatter(points.x, points.y, s=26, c="none", edgecolors=theme.background, linewidths=2, zorder=2)
    ax.scatter(
        points.x,
        points.y,
        c=scale.to_rgba(points.answer),
        s=26,
        edgecolors=theme.muted,
        linewidths=0.6,
        zorder=2,
    )
    bar = ax.figure.colorbar(scale, ax=ax)
    bar.set_label(shortened(plane.heading, WIDEST_LABEL), **LITERAL)


def _draw_areas(areas: Sequence[Area], ax: Axes, **look: Any) -> None:
    from matplotlib.collections import PolyCollection

    corners = [
        [(area.x[0], area.y[0]), (area.x[1], area.y[0]), (area.x[1], area.y[1]), (area.x[0], area.y[1])]
        for area in areas
    ]
    ax.add_collection(PolyCollection(corners, linewidths=0.6, zorder=1, **look))


def _name_categories(axis: Axis, set_ticks: Any, *, slanted: bool) -> None:
    if axis.categories is None:
        return
    marks = axis.ticks()[:: math.ceil(len(axis.categories) / MOST_TICKS) or 1]
    long = slanted and sum(len(text) for _, text in marks) > 50
    turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if long else {}
    set_ticks(
        [at for at, _ in marks], [shortened(text, WIDEST_NAME) for _, text in marks], **turned, **LITERAL
    )
