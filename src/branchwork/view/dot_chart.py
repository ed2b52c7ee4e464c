"""Dots with intervals, one line each, over one axis of numbers, as plain data; and the picture as SVG.

Errors of learners, of leaves and of groups of rows, and probabilities of leaves, are such charts. `view/dot_plot.py`
draws the same with matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from branchwork.view.axis import round_numbers
from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.picture import picture
from branchwork.view.pieces import Svg, path, short, title, words
from branchwork.view.style import BODY

Place = Callable[[float], float]

WIDTH, MARGIN, TOP, BOTTOM = 620.0, 16.0, 42.0, 46.0
LINE = 26.0
WIDEST_NAME, WIDEST_TEXT = 220.0, 180.0


@dataclass(frozen=True)
class Dot:
    """A number with a name, NaN if it is not known, and the ends of its interval, None or NaN if there is none.

    `text` stands at the right end of the line, `more` is shown when the pointer rests on the dot. `colour` is a
    position among the colours of classes.
    """

    name: str
    number: float
    low: float | None = None
    high: float | None = None
    text: str = ""
    more: str = ""
    colour: int = 0
    strong: bool = False

    def interval(self) -> tuple[float, float] | None:
        """Return the ends of the interval, if it has two."""
        if self.low is None or self.high is None or not math.isfinite(self.low + self.high):
            return None
        return self.low, self.high


@dataclass(frozen=True)
class DotChart:
    """What a picture shows: a title, what the axis measures, the dots from top to bottom, and a dashed line."""

    heading: str
    across: str
    dots: tuple[Dot, ...]
    reference: float | None = None
    reference_text: str = ""
    percent: bool = False

    def reach(self) -> tuple[float, float]:
        """Return the least and the largest number that is drawn, with a small margin; shares do not leave 0 to 1."""
        ends = [
            end for dot in self.dots for end in (dot.number, *(dot.interval() or ())) if math.isfinite(end)
        ]
        ends += [] if self.reference is None else [self.reference]
        low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
        margin = 0.06 * (high - low) or 0.1 * abs(high) or 0.5
        if self.percent:
            return max(0.0, low - margin), min(1.0, high + margin)
        return low - margin, high + margin

    def ticks(self) -> list[tuple[float, str]]:
        """Return round numbers on the axis and their texts."""
        low, high = self.reach()
        if not self.percent:
            return round_numbers(low, high, 6)
        return [(value / 100, f"{text}%") for value, text in round_numbers(100 * low, 100 * high, 6)]


def to_svg(chart: DotChart, theme: ThemeName = "auto") -> Svg:
    """Draw the chart without any other library."""
    check_theme(theme)
    low, high = chart.reach()
    floor = TOP + LINE * len(chart.dots) + 8
    height = floor + BOTTOM
    names = (text_width(dot.name, BODY, bold=dot.strong) for dot in chart.dots)
    name_room = min(WIDEST_NAME, max(names, default=0.0))
    text_room = min(WIDEST_TEXT, max((text_width(dot.text, BODY) for dot in chart.dots), default=0.0))
    left, right = MARGIN + name_room + 16, WIDTH - MARGIN - text_room - 12

    def x_of(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    pieces: list[str] = []
    free = -1e9
    for value, text in chart.ticks():
        x, half = x_of(value), text_width(text, BODY) / 2
        pieces.append(path(f"M{short(x)} {short(TOP)}V{short(floor)}", "branch", width=1))
        if x - half > free:
            pieces.append(words(text, x, floor + 16, "muted", BODY, room=80, anchor="middle"))
            free = x + half + 6
    if chart.reference is not None:
        x = x_of(chart.reference)
        pieces.append(path(f"M{short(x)} {short(TOP - 4)}V{short(floor)}", "missing"))
        anchor = "end" if x > (left + right) / 2 else "start"
        shift = -5 if anchor == "end" else 5
        pieces.append(words(chart.reference_text, x + shift, TOP - 6, "muted", BODY, room=220, anchor=anchor))
    for k, dot in enumerate(chart.dots):
        pieces += _line(dot, TOP + LINE * (k + 0.5) + 4, x_of, name_room, text_room)
    middle = (left + right) / 2
    pieces.append(words(chart.across, middle, height - 10, "ink", BODY, room=WIDTH - 80, anchor="middle"))
    return picture(WIDTH, height, chart.heading, theme, pieces, margin=MARGIN, lines=True)


def _line(dot: Dot, y: float, place: Place, name_room: float, text_room: float) -> list[str]:
    style = "ink strongly" if dot.strong else "ink"
    pieces = [words(dot.name, MARGIN, y + 4, style, BODY, room=name_room + 4, bold=dot.strong)]
    if (ends := dot.interval()) is not None:
        a, b = (place(end) for end in ends)
        pieces.append(
            f'<path class="s{dot.colour}" stroke-width="2" d="M{short(a)} {short(y)}H{short(b)}'
            f'M{short(a)} {short(y - 4)}v8M{short(b)} {short(y - 4)}v8"/>'
        )
    if math.isfinite(dot.number):
        pieces.append(
            f'<circle class="f{dot.colour}" cx="{short(place(dot.number))}" cy="{short(y)}" '
            f'r="{5 if dot.strong else 4}">{title((dot.more or f"{dot.name}: {dot.text}",))}</circle>'
        )
    pieces.append(words(dot.text, WIDTH - MARGIN, y + 4, "muted", BODY, room=text_room + 4, anchor="end"))
    return pieces
