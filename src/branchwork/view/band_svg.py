"""A chart of lines with bands as an SVG picture, without any other library."""

from __future__ import annotations

from collections.abc import Callable

from branchwork.view.axis import round_numbers
from branchwork.view.band_chart import BandChart
from branchwork.view.chart import number
from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.picture import picture
from branchwork.view.pieces import Svg, escaped, path, rect, short, words
from branchwork.view.style import BODY

WIDTH, HEIGHT, MARGIN = 620.0, 372.0, 16.0
TOP, BOTTOM, RIGHT = 84.0, 52.0, 18.0
FEW = 40
"""Up to this many places have dots."""

Points = list[tuple[float, float]]
Place = Callable[[float], float]


def to_svg(chart: BandChart, theme: ThemeName = "auto") -> Svg:
    """Draw the chart: zones behind, then bands, lines, the floor, and the mark on top."""
    check_theme(theme)
    low, high = chart.reach()
    high += (high - low) * 0.06
    marks = round_numbers(low, high, 6)
    left = 44.0 + max(text_width(text, BODY) for _, text in marks)
    right, floor = WIDTH - RIGHT, HEIGHT - BOTTOM
    pad = 14.0

    def x_of(place: float) -> float:
        return left + pad + chart.share(place) * (right - left - 2 * pad)

    def y_of(value: float) -> float:
        return floor - (value - low) / (high - low) * (floor - TOP)

    pieces = [*_zones(chart, left, right, floor, pad)]
    for value, text in marks:
        y = y_of(value)
        pieces.append(path(f"M{short(left)} {short(y)}H{short(right)}", "branch", width=1))
        pieces.append(words(text, left - 7, y + 4, "muted", BODY, room=left - 20, anchor="end"))
    pieces += _ticks(chart, x_of, floor)
    pieces += _stack(chart, x_of, y_of) if chart.stacked else _lines(chart, x_of, y_of)
    if chart.floor is not None:
        y = y_of(chart.floor)
        pieces.append(path(f"M{short(left)} {short(y)}H{short(right)}", "missing"))
        pieces.append(words(chart.floor_text, right - 4, y - 5, "muted", BODY, room=220, anchor="end"))
    pieces += _mark(chart, x_of, y_of, floor, right)
    pieces += _names(chart, left, right, floor)
    return picture(WIDTH, HEIGHT, chart.title, theme, pieces, margin=MARGIN, lines=True)


def _zones(chart: BandChart, left: float, right: float, floor: float, pad: float) -> list[str]:
    """Draw every second zone on a ground of its own, with its name at the top."""
    pieces = []
    inner = right - left - 2 * pad
    for k, (zone, begin, end) in enumerate(chart.borders()):
        x1 = left if k == 0 else left + pad + begin * inner
        x2 = right if k == len(chart.zones) - 1 else left + pad + end * inner
        if zone.name == "fits":
            pieces.append(rect(x1, TOP - 20, x2 - x1, floor - TOP + 20, "track"))
        if x2 - x1 > 26:
            pieces.append(
                words(zone.name, (x1 + x2) / 2, TOP - 7, "muted", BODY, room=x2 - x1 - 4, anchor="middle")
            )
    return pieces


def _ticks(chart: BandChart, x_of: Place, floor: float) -> list[str]:
    pieces, free = [], -1e9
    for place, text in chart.ticks():
        x = x_of(place)
        half = text_width(text, BODY) / 2
        pieces.append(path(f"M{short(x)} {short(floor)}v4", "branch", width=1))
        if x - half > free:
            pieces.append(words(text, x, floor + 17, "muted", BODY, room=90, anchor="middle"))
            free = x + half + 6
    return pieces


def _lines(chart: BandChart, x_of: Place, y_of: Place) -> list[str]:
    bands, drawn = [], []
    for k, line in enumerate(chart.lines):
        points: Points = [(x_of(chart.places[j]), y_of(line.numbers[j])) for j in chart.order]
        if line.spread is not None:
            above = [(x_of(chart.places[j]), y_of(line.numbers[j] + line.spread[j])) for j in chart.order]
            below = [(x_of(chart.places[j]), y_of(line.numbers[j] - line.spread[j])) for j in chart.order]
            bands.append(
                f'<polygon class="f{k}" fill-opacity="0.2" points="{_joined(above + below[::-1])}"/>'
            )
        drawn.append(f'<polyline class="s{k}" fill="none" stroke-width="2" points="{_joined(points)}"/>')
        if len(points) <= FEW:
            drawn += [
                f'<circle class="f{k}" cx="{short(x)}" cy="{short(y)}" r="3"><title>'
                f"{escaped(line.name)}, {escaped(chart.texts[j])}: {number(line.numbers[j])}</title></circle>"
                for (x, y), j in zip(points, chart.order, strict=True)
            ]
    return bands + drawn


def _stack(chart: BandChart, x_of: Place, y_of: Place) -> list[str]:
    """Draw all lines but the last as areas on top of each other; the last one is the line above them."""
    pieces = []
    base = [0.0] * len(chart.places)
    for k, line in enumerate(chart.lines[:-1]):
        top = [a + b for a, b in zip(base, line.numbers, strict=True)]
        upper = [(x_of(chart.places[j]), y_of(top[j])) for j in chart.order]
        lower = [(x_of(chart.places[j]), y_of(base[j])) for j in chart.order]
        pieces.append(f'<polygon class="f{k}" fill-opacity="0.75" points="{_joined(upper + lower[::-1])}"/>')
        base = top
    total = chart.lines[-1]
    points = [(x_of(chart.places[j]), y_of(total.numbers[j])) for j in chart.order]
    pieces.append(f'<polyline class="strong" fill="none" stroke-width="2" points="{_joined(points)}"/>')
    if len(points) <= FEW:
        pieces += [
            f'<circle class="mark" cx="{short(x)}" cy="{short(y)}" r="3"><title>{escaped(chart.texts[j])}: '
            f"{', '.join(f'{escaped(one.name)} {number(one.numbers[j])}' for one in chart.lines)}</title></circle>"
            for (x, y), j in zip(points, chart.order, strict=True)
        ]
    return pieces


def _joined(points: Points) -> str:
    return " ".join(f"{short(x)},{short(y)}" for x, y in points)


def _mark(chart: BandChart, x_of: Place, y_of: Place, floor: float, right: float) -> list[str]:
    if chart.mark is None:
        return []
    x, y = x_of(chart.places[chart.mark]), y_of(chart.lines[-1].numbers[chart.mark])
    wide = text_width(chart.mark_text, BODY, bold=True) + 10
    begin = x + 6 if x + 6 + wide < right else x - 6 - wide
    top = TOP + 6 if y > (TOP + 3 * floor) / 4 else floor - 23  # away from the point that is marked
    return [
        path(f"M{short(x)} {short(TOP)}V{short(floor)}", "cut"),
        f'<circle class="f5" cx="{short(x)}" cy="{short(y)}" r="5.5"/>',
        rect(begin, top, wide, 17, "background", corner=4),
        words(chart.mark_text, begin + 5, top + 13, "ink strongly", BODY, room=200, bold=True),
    ]


def _names(chart: BandChart, left: float, right: float, floor: float) -> list[str]:
    """Write the key below the title, and the names of both axes."""
    pieces, x = [], MARGIN
    for k, line in enumerate(chart.lines):
        style = "mark" if chart.stacked and k == len(chart.lines) - 1 else f"f{k}"
        pieces.append(rect(x, 36, 11, 11, style, corner=2))
        pieces.append(words(line.name, x + 16, 46, "muted", BODY, room=220))
        x += 34 + min(text_width(line.name, BODY), 220)
    middle = (TOP + floor) / 2
    pieces.append(
        words(chart.across, (left + right) / 2, HEIGHT - 12, "ink", BODY, room=right - left, anchor="middle")
    )
    pieces.append(
        f'<text class="ink" text-anchor="middle" transform="translate({short(MARGIN + 4)} {short(middle)}) '
        f'rotate(-90)">{escaped(chart.up)}</text>'
    )
    return pieces
