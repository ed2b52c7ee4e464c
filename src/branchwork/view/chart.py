"""Small charts of an ensemble: lines, bars, dots and a map of squares, as SVG pictures without any other library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.view.axis import round_numbers
from branchwork.view.metrics import text_width
from branchwork.view.palette import RAMP_STEPS, ThemeName
from branchwork.view.picture import picture
from branchwork.view.pieces import Svg, path, rect, short, words
from branchwork.view.style import BODY, SMALL

WIDTH, MARGIN = 560.0, 14.0
BAR, GAP = 14.0, 7.0
WIDEST_NAME = 190.0


@dataclass(frozen=True)
class Series:
    """Numbers with a name."""

    name: str
    numbers: Sequence[float]


def _picture(width: float, height: float, title: str, theme: ThemeName, pieces: Sequence[str]) -> Svg:
    return picture(width, height, title, theme, pieces, margin=MARGIN)


def number(value: float) -> str:
    """Return a number as charts and tables show it: four digits, or whole and in groups of three if it is large.

    >>> number(0.12345), number(12.0), number(0.00001), number(145700.2)
    ('0.1235', '12', '1e-05', '145 700')
    """
    return f"{value:,.0f}".replace(",", " ") if 1e4 <= abs(value) < 1e10 else f"{value:.4g}"


def line_chart(
    places: Sequence[float],
    series: Sequence[Series],
    *,
    title: str,
    across: str,
    theme: ThemeName = "auto",
    height: float = 240.0,
) -> Svg:
    """Draw lines over common places, such as the error over the number of trees."""
    left, top, right, bottom = 56.0, 54.0, WIDTH - MARGIN, height - 38.0
    every = [x for one in series for x in one.numbers]
    low, high = min(0.0, *every), max(every) * 1.05 or 1.0
    first, last = min(places), max(places)
    span = (last - first) or 1.0

    def at(place: float, value: float) -> tuple[float, float]:
        return left + (place - first) / span * (right - left), bottom - (value - low) / (high - low) * (
            bottom - top
        )

    pieces = []
    for value, text in round_numbers(low, high, 5):
        _, y = at(first, value)
        pieces.append(path(f"M{short(left)} {short(y)}H{short(right)}", "branch", width=1))
        pieces.append(words(text, left - 6, y + 3, "muted", BODY, room=left - 8, anchor="end"))
    for value, text in round_numbers(first, last, 8):
        x, _ = at(value, low)
        pieces.append(words(text, x, bottom + 15, "muted", BODY, room=60, anchor="middle"))
    pieces.append(
        words(across, (left + right) / 2, height - 8, "muted", BODY, room=right - left, anchor="middle")
    )
    for k, one in enumerate(series):
        points = [at(place, value) for place, value in zip(places, one.numbers, strict=True)]
        drawn = "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)
        pieces.append(f'<path class="line{k}" d="{drawn}" style="stroke:{_COLOURS[k]};stroke-width:2"/>')
        if len(points) <= 60:
            pieces += [
                f'<circle class="f{k}" cx="{short(x)}" cy="{short(y)}" r="2.6">'
                f"<title>{number(place)}: {number(value)}</title></circle>"
                for (x, y), place, value in zip(points, places, one.numbers, strict=True)
            ]
    pieces += _key([one.name for one in series])
    return _picture(WIDTH, height, title, theme, pieces)


_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")
"""Of lines: the first colours of the light theme, which stand out on a dark ground as well."""


def _key(names: Sequence[str]) -> list[str]:
    """Return the key of a chart below its title, from left to right."""
    pieces, x = [], MARGIN
    for k, name in enumerate(names):
        pieces.append(rect(x, 32, 10, 10, f"f{k}", corner=2))
        pieces.append(words(name, x + 15, 41, "muted", BODY, room=220))
        x += 30 + min(text_width(name, BODY), 220)
    return pieces


def bars(
    names: Sequence[str],
    numbers: Sequence[float],
    *,
    title: str,
    theme: ThemeName = "auto",
    fill: str = "f0",
) -> Svg:
    """Draw horizontal bars with their names and numbers."""
    widest = min(WIDEST_NAME, max((text_width(name, BODY) for name in names), default=0.0))
    left, right = MARGIN + widest + 8, WIDTH - MARGIN - 62
    most = max([*numbers, 0.0]) or 1.0
    least = min([*numbers, 0.0])
    zero = left + (right - left) * (-least / (most - least))
    pieces = []
    for k, (name, value) in enumerate(zip(names, numbers, strict=True)):
        y = 36 + k * (BAR + GAP)
        x = zero + (right - left) * (value / (most - least))
        pieces.append(words(name, left - 8, y + 11, "ink", BODY, room=widest, anchor="end"))
        pieces.append(rect(left, y, right - left, BAR, "track", corner=2))
        pieces.append(rect(min(x, zero), y, abs(x - zero), BAR, fill, corner=2))
        pieces.append(words(number(value), right + 8, y + 11, "muted", BODY, room=60))
    return _picture(WIDTH, 36 + len(names) * (BAR + GAP) + MARGIN, title, theme, pieces)


def bar_chart(
    names: Sequence[str], series: Sequence[Series], *, title: str, theme: ThemeName = "auto"
) -> Svg:
    """Draw upright bars, one chart below the other for each series, over common names."""
    left, right, tall = 56.0, WIDTH - MARGIN, 110.0
    step = (right - left) / max(1, len(names))
    pieces = []
    for k, one in enumerate(series):
        top = 50 + k * (tall + 42)
        high = max([*one.numbers, 0.0]) or 1.0
        pieces.append(words(one.name, left, top - 6, "muted", BODY, room=right - left))
        for value, text in round_numbers(0.0, high, 3):
            y = top + tall * (1 - value / high)
            pieces.append(path(f"M{short(left)} {short(y)}H{short(right)}", "branch", width=1))
            pieces.append(words(text, left - 6, y + 3, "muted", BODY, room=left - 8, anchor="end"))
        for j, value in enumerate(one.numbers):
            size = tall * value / high
            pieces.append(rect(left + j * step + step * 0.15, top + tall - size, step * 0.7, size, f"f{k}"))
        widest = max((text_width(name, SMALL) for name in names), default=0.0) + 6
        every = max(1, round(len(names) / 12), math.ceil(widest / step))
        pieces += [
            words(
                name,
                left + (j + 0.5) * step,
                top + tall + 14,
                "muted",
                SMALL,
                room=step * every,
                anchor="middle",
            )
            for j, name in enumerate(names)
            if j % every == 0
        ]
    return _picture(WIDTH, 50 + len(series) * (tall + 42), title, theme, pieces)


def dot_rows(
    names: Sequence[str],
    sizes: npt.NDArray[np.float64],
    marked: npt.NDArray[np.bool_] | None,
    *,
    title: str,
    columns: Sequence[str] = (),
    note: str = "",
    theme: ThemeName = "auto",
) -> Svg:
    """Draw a line of dots for each name; the area of a dot is its size, and marked dots have another colour.

    `columns` are names above the dots, if there is room for them.
    """
    left, tall = 84.0, 46.0
    step = (WIDTH - left - MARGIN) / max(1, sizes.shape[1])
    largest = min(tall * 0.48, step * 1.6)
    scale = largest / np.sqrt(sizes.max())
    pieces = [
        words(name, left + (j + 0.5) * step, 52, "muted", BODY, room=step, anchor="middle")
        for j, name in enumerate(columns)
    ]
    for k, name in enumerate(names):
        y = 58 + (k + 0.5) * tall
        pieces.append(words(name, MARGIN, y + 4, "ink", BODY, room=left - MARGIN - 6))
        pieces.append(path(f"M{short(left)} {short(y)}H{short(WIDTH - MARGIN)}", "branch", width=1))
        for j in range(sizes.shape[1]):
            style = "f5" if marked is not None and marked[k, j] else "f0"
            x, r = left + (j + 0.5) * step, max(0.8, float(scale * np.sqrt(sizes[k, j])))
            pieces.append(
                f'<circle class="{style}" cx="{short(x)}" cy="{short(y)}" r="{r:.2f}" fill-opacity="0.8">'
                f"<title>row {j}: weight {number(float(sizes[k, j]))}</title></circle>"
            )
    if marked is not None:
        pieces.append(rect(MARGIN, 32, 10, 10, "f0", corner=5))
        pieces.append(words("right in this round", MARGIN + 15, 41, "muted", BODY, room=200))
        pieces.append(rect(MARGIN + 150, 32, 10, 10, "f5", corner=5))
        pieces.append(words("wrong: its weight grows", MARGIN + 165, 41, "muted", BODY, room=200))
    if note:
        pieces.append(words(note, WIDTH - MARGIN, 41, "muted", BODY, room=200, anchor="end"))
    return _picture(WIDTH, 58 + len(names) * tall + MARGIN, title, theme, pieces)


def squares(
    numbers: npt.NDArray[np.float64], *, title: str, note: str = "", theme: ThemeName = "auto"
) -> Svg:
    """Draw a matrix as coloured squares, from the smallest number (light) to the largest (dark)."""
    count = len(numbers)
    size = min(22.0, 380.0 / max(1, count))
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    span = (high - low) or 1.0
    pieces = []
    for i in range(count):
        for j in range(count):
            step = round((float(numbers[i, j]) - low) / span * (RAMP_STEPS - 1))
            pair = f"{i} and {j}: {number(float(numbers[i, j]))}"
            pieces.append(
                f'<rect class="fr{step}" x="{short(MARGIN + j * size)}" y="{short(36 + i * size)}" '
                f'width="{size:.2f}" height="{size:.2f}"><title>{pair}</title></rect>'
            )
    bottom = 36 + count * size
    pieces.append(words(note, MARGIN, bottom + 18, "muted", BODY, room=WIDTH - 2 * MARGIN))
    return _picture(WIDTH, bottom + 30, title, theme, pieces)
