"""Curves in a square whose sides run from 0 to 1: ROC, precision against recall, calibration; as SVG pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.picture import picture
from branchwork.view.pieces import Svg, escaped, path, rect, short, words
from branchwork.view.style import BODY

SIDE, LEFT, RIGHT, BOTTOM, MARGIN = 320.0, 58.0, 16.0, 48.0, 14.0
LINE = 18.0
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
WIDTH = LEFT + SIDE + RIGHT
COLOURS = 8


@dataclass(frozen=True)
class Mark:
    """A point with an interval up and down, and what is shown when the pointer rests on it."""

    x: float
    y: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class UnitLine:
    """A named curve: its points, and dots on it if there are any."""

    name: str
    points: Sequence[tuple[float, float]]
    dots: Sequence[Mark] = ()


@dataclass(frozen=True)
class UnitChart:
    """Some curves.

    Parameters
    ----------
    title, across, up : what is written above the picture, below it and beside it.
    lines : each in a colour of its own; at most eight.
    reference : the ends of a dashed line: what guessing gives, or what would be perfect.
    reference_text : what the dashed line is called.
    """

    title: str
    across: str
    up: str
    lines: Sequence[UnitLine]
    reference: tuple[tuple[float, float], tuple[float, float]] | None = None
    reference_text: str = ""


def unit_chart(chart: UnitChart, theme: ThemeName = "auto") -> Svg:
    """Draw the chart: a grid, the dashed line, the curves, and a key below the title."""
    check_theme(theme)
    names = [(line.name, f"f{k}") for k, line in enumerate(chart.lines)]
    key, lines = _key(names, chart.reference_text)
    top = 34.0 + lines * LINE + 8
    height = top + SIDE + BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + x * SIDE, top + (1 - y) * SIDE

    pieces = [*key, *_grid(chart, top)]
    if chart.reference is not None:
        (x1, y1), (x2, y2) = (place(*end) for end in chart.reference)
        pieces.append(path(f"M{short(x1)} {short(y1)}L{short(x2)} {short(y2)}", "missing"))
    for k, line in enumerate(chart.lines):
        joined = " ".join(f"{short(x)},{short(y)}" for x, y in (place(*point) for point in line.points))
        pieces.append(
            f'<polyline class="s{k}" fill="none" stroke-width="2" stroke-linejoin="round" points="{joined}"/>'
        )
        for dot in line.dots:
            x, low = place(dot.x, dot.low)
            _, high = place(dot.x, dot.high)
            _, y = place(dot.x, dot.y)
            pieces.append(
                f'<path class="s{k}" d="M{short(x)} {short(low)}V{short(high)}" stroke-width="1.5"/>'
                f'<circle class="f{k}" cx="{short(x)}" cy="{short(y)}" r="4">'
                f"<title>{escaped(dot.text)}</title></circle>"
            )
    return picture(WIDTH, height, chart.title, theme, pieces, margin=MARGIN, lines=True)


def _key(names: Sequence[tuple[str, str]], reference: str) -> tuple[list[str], int]:
    """Write what the colours mean, in as many lines as it takes; return their number."""
    pieces, x, line = [], MARGIN, 0
    for name, style in [*names, *([(reference, "")] if reference else [])]:
        wide = 34 + min(text_width(name, BODY), 230)
        if x > MARGIN and x + wide > WIDTH:
            x, line = MARGIN, line + 1
        y = 36 + line * LINE
        if style:
            pieces.append(rect(x, y, 11, 11, style, corner=2))
        else:
            pieces.append(path(f"M{short(x - 1)} {short(y + 6)}h13", "missing"))
        pieces.append(words(name, x + 16, y + 10, "muted", BODY, room=230))
        x += wide
    return pieces, line + 1


def _grid(chart: UnitChart, top: float) -> list[str]:
    pieces = []
    floor = top + SIDE
    for tick in TICKS:
        x, y = LEFT + tick * SIDE, floor - tick * SIDE
        text = f"{tick:.1f}"
        pieces.append(path(f"M{short(LEFT)} {short(y)}h{short(SIDE)}", "branch", width=1))
        pieces.append(path(f"M{short(x)} {short(floor)}v4", "branch", width=1))
        pieces.append(words(text, LEFT - 7, y + 4, "muted", BODY, room=40, anchor="end"))
        pieces.append(words(text, x, floor + 17, "muted", BODY, room=40, anchor="middle"))
    pieces.append(words(chart.across, LEFT + SIDE / 2, floor + 36, "ink", BODY, room=SIDE, anchor="middle"))
    pieces.append(
        f'<text class="ink" text-anchor="middle" transform="translate({short(MARGIN + 4)} {short(top + SIDE / 2)}) '
        f'rotate(-90)">{escaped(chart.up)}</text>'
    )
    return pieces
