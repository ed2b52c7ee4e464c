"""The gain of every cut of a numeric feature at a node: as data, as a picture, with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchwork.errors import ParameterError, did_you_mean
from branchwork.tree.split import number
from branchwork.view.axis import Axis, axis_of_numbers, round_numbers
from branchwork.view.digits import measured, settled
from branchwork.view.figure import LITERAL, axes_for
from branchwork.view.metrics import fitted, text_width
from branchwork.view.mpl_theme import theme_of
from branchwork.view.notebook import in_cell
from branchwork.view.palette import DARK, LIGHT, Theme, ThemeName, check_theme
from branchwork.view.pieces import Svg, escaped
from branchwork.view.style import by_theme
from branchwork.view.terminal import harmless

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 640, 380
TOP, BOTTOM, RIGHT = 76, 56, 28
SIZE = 13
"""Of letters; those of ticks are a little smaller."""
MOST_DOTS = 80
"""With more cuts only the line is drawn."""
LINE, MARK = 0, 5
"""Colours of the curve and of the best cut, among those of classes."""


@dataclass(frozen=True)
class GainCurve:
    """What every cut of a numeric feature gains at a node.

    `cuts` rise. `best` is the place of the feature's own best cut; `chosen` says whether the node was split there. A
    cut of infinity parts known cells from missing ones.
    """

    feature: str
    node: int
    unit: str
    cuts: tuple[float, ...]
    gains: tuple[float, ...]
    best: int
    chosen: bool

    @property
    def best_cut(self) -> float:
        """The feature's best cut."""
        return self.cuts[self.best]

    @property
    def best_gain(self) -> float:
        """What the best cut gains."""
        return self.gains[self.best]

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        return {
            "feature": self.feature,
            "node": self.node,
            "unit": self.unit,
            "cuts": list(self.cuts),
            "gains": list(self.gains),
            "best_cut": self.best_cut,
            "best_gain": self.best_gain,
            "chosen": self.chosen,
        }

    def to_svg(self, *, theme: ThemeName = "auto") -> Svg:
        """Draw the curve; `theme` is "light", "dark", or "auto": what the reader's system or notebook asks for."""
        check_theme(theme)
        return _picture(self, theme)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve with matplotlib, into the given axes or into new ones, and return them."""
        axes = axes_for("GainCurve.plot()", ax, (6.4, 4.8))
        cuts, gains = self._drawn()
        colours = theme_of(axes).classes
        dots = "o" if len(cuts) <= MOST_DOTS else ""
        axes.plot(cuts, gains, marker=dots, markersize=3, color=colours[LINE])
        if math.isfinite(self.best_cut):
            axes.axvline(self.best_cut, linestyle="--", color=colours[MARK])
            axes.plot([self.best_cut], [self.best_gain], "o", color=colours[MARK])
        axes.set_title(self._headline(), **LITERAL)
        axes.set_xlabel(f"cut of {_fit(self.feature, WIDTH / 2)}", **LITERAL)
        axes.set_ylabel(f"gain, {self.unit}")
        return axes

    def __repr__(self) -> str:
        """Show what it is."""
        return f"GainCurve({self._headline()}; {len(self.cuts)} cuts)"

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(), str(self))

    def _drawn(self) -> tuple[list[float], list[float]]:
        """The cuts that have a place on an axis, and their gains."""
        kept = [k for k, cut in enumerate(self.cuts) if math.isfinite(cut)]
        return [self.cuts[k] for k in kept], [self.gains[k] for k in kept]

    def _headline(self, width: float = WIDTH) -> str:
        """The best cut and its gain; the feature's name is cut short where it would be too wide."""
        cut = self.best_cut
        test = " is known" if cut == math.inf else f" <= {number(cut)}"
        rest = f"{test}: gain {measured(self.best_gain)}{', chosen' if self.chosen else ''}"
        return _fit(self.feature, width - text_width(rest, SIZE)) + rest


def _fit(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    return fitted(harmless(text), room, size, bold=bold)


def curve_of(rows: Mapping[str, dict[str, Any]], feature: str, *, node: int, unit: str) -> GainCurve:
    """The curve of a feature; `rows` are those of a working, by feature, with all `cuts` and the `best_cut`."""
    names = list(rows)
    if feature not in names:
        hint = did_you_mean(feature, names) if isinstance(feature, str) else ""
        known = f" It has {', '.join(map(repr, names[:20]))}." if names else " It has no candidates."
        raise ParameterError(f"Node {node} has no candidate feature {feature!r}.{hint}{known}")
    row, best = rows[feature], rows[feature]["best_cut"]
    if not row["cuts"] or best is None:
        raise ParameterError(_why_no_curve(row, best, node))
    cuts = [cut["cut"] for cut in row["cuts"]]
    at = min(int(np.searchsorted(cuts, best)), len(cuts) - 1)
    cuts[at] = best  # may have been moved down, to a value of the table
    gains = tuple(settled(cut["gain"], row["before"]) for cut in row["cuts"])
    return GainCurve(feature, node, unit, tuple(cuts), gains, at, row["verdict"] in ("chosen", "tree_split"))


def _why_no_curve(row: dict[str, Any], best: float | None, node: int) -> str:
    name = row["feature"]
    if row["test"] is None:
        return f"Feature {name!r} has no cut at node {node}: {row['reason']}."
    if best is None:
        return (
            f"Feature {name!r} is not cut in two at node {node}: its test is {row['test']}. A curve needs a numeric "
            "feature and one cut."
        )
    return (
        f"The cuts of {name!r} at node {node} are not at hand. Hand back the training data: "
        f"working({node}, X=X, y=y).curve({name!r})."
    )


# ---- the picture


@dataclass(frozen=True)
class _Scale:
    """An axis in pixels: its low end is at `start`, its high end at `end`."""

    axis: Axis
    start: float
    end: float
    most: int  # ticks, about

    def at(self, x: float) -> float:
        """The place of a number."""
        return self.start + float(self.axis.place(np.array(x))) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Round numbers and their texts."""
        return round_numbers(self.axis.low, self.axis.high, self.most)


def _picture(curve: GainCurve, theme: ThemeName) -> Svg:
    """Axes, the curve, and the best cut with a label above the plot, where nothing else is."""
    colours = DARK if theme == "dark" else LIGHT
    cuts, gains = curve._drawn()
    low, high = min(0.0, *gains, 0.0), max(0.0, *gains, 0.0)
    y = _Scale(Axis("gain", low, high if low < high else low + 1), HEIGHT - BOTTOM, TOP, most=5)
    left = 44 + max(text_width(label, SIZE - 2) for _, label in y.ticks())
    x = _Scale(axis_of_numbers(curve.feature, cuts), left, WIDTH - RIGHT, most=6)
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{colours.background}"/>',
        *_axes(curve, x, y, left, colours),
        *_line(x, y, cuts, gains, colours),
        *_best(curve, x, y, left, colours),
    ]
    title = escaped(f"Gain of every cut at node {curve.node}. Best: {curve._headline()}")
    style = f"<style>{by_theme(_repainted, theme, '.bw-curve-auto')}</style>" if theme == "auto" else ""
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bw-curve-{theme}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" style="max-width:100%;height:auto" role="img" aria-label="{title}" '
        f'font-family="system-ui, sans-serif" font-size="{SIZE}"><title>{title}</title>{style}{"".join(parts)}</svg>'
    )


def _repainted(theme: Theme) -> str:
    """Rules that give what was drawn in a light colour the same colour of a theme."""
    pairs = [
        (getattr(LIGHT, name), getattr(theme, name)) for name in ("background", "track", "muted", "ink")
    ] + [(LIGHT.classes[k], theme.classes[k]) for k in (LINE, MARK)]
    return "".join(
        f'.bw-curve-auto [{what}="{light}"]{{{what}:{colour}}}'
        for light, colour in pairs
        for what in ("fill", "stroke")
    )


def _axes(curve: GainCurve, x: _Scale, y: _Scale, left: float, colours: Theme) -> list[str]:
    floor, end = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for tick, label in y.ticks():
        at = y.at(tick)
        parts.append(_stroke(left, at, end, at, colours.muted if tick == 0 else colours.track))
        parts.append(_words(left - 8, at + 4, label, colours.muted, "end", SIZE - 2))
    for tick, label in _apart(x):
        at = x.at(tick)
        parts.append(_stroke(at, floor, at, floor + 5, colours.muted))
        parts.append(_words(at, floor + 19, label, colours.muted, "middle", SIZE - 2))
    title = _fit(f"Gain of every cut of {curve.feature}, node {curve.node}", WIDTH - 32, SIZE + 2, bold=True)
    name = _fit(f"cut of {curve.feature}", end - left)
    parts.append(_words(16, 26, title, colours.ink, "start", SIZE + 2, bold=True))
    parts.append(_words((left + end) / 2, HEIGHT - 14, name, colours.ink, "middle"))
    middle = (TOP + floor) / 2
    words = escaped(_fit(f"gain, {curve.unit}", floor - TOP))
    parts.append(
        f'<text transform="translate(20 {middle:.1f}) rotate(-90)" text-anchor="middle" '
        f'fill="{colours.ink}">{words}</text>'
    )
    return parts


def _apart(x: _Scale) -> list[tuple[float, str]]:
    """Ticks whose labels do not touch."""
    shown: list[tuple[float, str]] = []
    free = -math.inf
    for tick, label in x.ticks():
        half = text_width(label, SIZE - 2) / 2
        if x.at(tick) - half > free:
            shown.append((tick, label))
            free = x.at(tick) + half + 8
    return shown


def _line(x: _Scale, y: _Scale, cuts: list[float], gains: list[float], colours: Theme) -> list[str]:
    points = _thinned([(x.at(cut), y.at(gain)) for cut, gain in zip(cuts, gains, strict=True)])
    path = " ".join(f"{px:.2f},{py:.2f}" for px, py in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colours.classes[LINE]}" stroke-width="1.8"/>']
    if len(cuts) <= MOST_DOTS:
        parts.extend(_dot(px, py, 3, colours.classes[LINE]) for px, py in points)
    return parts


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of many points the highest and the lowest in each column of pixels: the picture stays the same."""
    if len(points) <= 2 * WIDTH:
        return points
    columns: dict[int, list[tuple[float, float]]] = {}
    for point in points:
        columns.setdefault(int(point[0]), []).append(point)
    kept = []
    for column in columns.values():
        low, high = min(column, key=lambda p: p[1]), max(column, key=lambda p: p[1])
        kept.extend(sorted({low, high}))
    return kept


def _best(curve: GainCurve, x: _Scale, y: _Scale, left: float, colours: Theme) -> list[str]:
    headline = curve._headline(WIDTH - RIGHT - left)
    half = text_width(headline, SIZE) / 2
    if not math.isfinite(curve.best_cut):
        return [_words(left, TOP - 22, headline, colours.ink, "start")]
    at = x.at(curve.best_cut)
    middle = min(max(at, left + half), WIDTH - RIGHT - half)
    height = y.at(curve.best_gain)
    dashes = ' stroke-dasharray="5 4"'
    return [
        _stroke(at, TOP - 14, at, HEIGHT - BOTTOM, colours.classes[MARK], dashes),
        _dot(at, height, 5, colours.classes[MARK]),
        _words(middle, TOP - 22, headline, colours.ink, "middle"),
    ]


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{colour}"{more}/>'


def _dot(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" fill="{colour}"/>'


def _words(
    x: float, y: float, text: str, colour: str, anchor: str, size: float = SIZE, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" fill="{colour}" font-size="{size:g}"{weight}>'
        f"{escaped(text)}</text>"
    )
