"""A plane of areas and points as SVG.

┌ names ─┬──────────────────────┬ key, or the scale of numbers ──┐
│        │  areas and points    │                                 │
└────────┴──── names ───────────┴─────────────────────────────────┘
  caption
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from branchwork.tree.split import rounded
from branchwork.view.axis import Axis, round_numbers
from branchwork.view.hatching import patterns
from branchwork.view.metrics import text_width
from branchwork.view.palette import N_COLOURS, Theme, ThemeName, check_theme, mixed
from branchwork.view.pieces import Svg, escaped, path, rect, short, title, words
from branchwork.view.plane import Area, Plane, tint
from branchwork.view.style import by_theme

WIDTH, HEIGHT = 480.0, 360.0
"""Of the plane itself."""
SIZE, LINE = 12.0, 18.0
"""Of letters, and from one line to the next."""
WIDEST_NAME = 120.0
"""The room for the name of a category or of a class."""
SLANT = 40.0
"""Degrees, for names that do not fit below their bands."""
PAD = 12.0
SHADES = 32
"""Numbers have so many colours."""

SHAPES = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "m-3.5 -3.5h7v7h-7z",
    "m0 -4.5l4.5 8h-9z",
    "m0 -5l4.5 5l-4.5 5l-4.5 -5z",
    "m0 4.5l-4.5 -8h9z",
    "m-1.6 -4.5h3.2v2.9h2.9v3.2h-2.9v2.9h-3.2v-2.9h-2.9v-3.2h2.9z",
    "m-4.3 -2.2l2.1 -2.1l2.2 2.1l2.2 -2.1l2.1 2.1l-2.1 2.2l2.1 2.2l-2.1 2.1l-2.2 -2.1l-2.2 2.1l-2.1 -2.1l2.1 -2.2z",
    "m0 -4.6l4.4 3.2l-1.7 5.2h-5.4l-1.7 -5.2z",
)
"""The marks of the legend's entries, around a point."""


@dataclass(frozen=True)
class _Frame:
    """Where things stand: the left edge of the plane, the room below it, and the size of the whole picture."""

    left: float
    bottom: float
    key: float
    slanted: bool

    @property
    def width(self) -> float:
        return self.left + WIDTH + PAD + self.key


def to_svg(plane: Plane, theme: ThemeName = "auto") -> Svg:
    """Draw the picture; theme "auto" follows the reader's setting."""
    check_theme(theme)
    frame = _frame(plane)
    caption = [line for text in plane.caption for line in _wrapped(text, frame.width - 2 * PAD)]
    height = PAD + HEIGHT + frame.bottom + LINE * len(caption) + PAD
    name = f"Regions of {plane.across.name} and {plane.up.name}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bw-plane-{theme}" role="img" '
        f'viewBox="0 0 {short(frame.width)} {short(height)}" width="{short(frame.width)}" height="{short(height)}" '
        'style="max-width:100%;height:auto" '
        'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" font-size="12">',
        title((name,)),
        f"<desc>{escaped('; '.join((f'{len(plane.areas)} areas', *plane.caption)))}</desc>",
        f"<style>{_style(plane, theme)}</style>",
        "" if plane.key is None else patterns(plane.key.plain, f"bw-plane-{theme}", letter="c"),
        rect(0, 0, frame.width, height, "paper"),
        f'<g transform="translate({short(frame.left)} {short(PAD)})">',
        *(_area(area, plane) for area in plane.areas),
        *_points(plane),
        rect(0, 0, WIDTH, HEIGHT, "frame"),
        *_across(plane.across, frame),
        *_up(plane.up, frame),
        *(_scale(plane) if plane.key is None else _entries(plane)),
        "</g>",
        *(
            words(line, PAD, height - PAD - LINE * k - 4, "muted", SIZE, room=frame.width - 2 * PAD)
            for k, line in enumerate(reversed(caption))
        ),
        "</svg>",
    ]
    return Svg("\n".join(lines) + "\n")


# ---- colours


def _style(plane: Plane, theme: ThemeName) -> str:
    """The colours. A style sheet counts for the whole page, so what a rule says depends on the theme alone."""
    root = f".bw-plane-{theme}"
    hatched = [] if plane.key is None else [entry for entry in plane.key.plain if plane.key.pattern(entry)]
    rules = [f"{root} .c{k} {{ fill: url(#bw-plane-{theme}-c{k}) }}" for k in hatched]
    return " ".join([*rules, by_theme(lambda colours: _rules(plane, root, colours), theme, root)])


def _rules(plane: Plane, root: str, theme: Theme) -> str:
    rules = {
        "text": f"fill: {theme.ink}",
        ".heading": "font-weight: bold",
        ".muted": f"fill: {theme.muted}",
        ".paper": f"fill: {theme.background}",
        ".frame": f"fill: none; stroke: {theme.muted}",
        ".tick": f"fill: none; stroke: {theme.muted}",
        ".area": f"stroke: {theme.muted}; stroke-width: 0.6",
        ".case": f"stroke: {theme.background}; stroke-width: 0.8",
        ".number": f"stroke: {theme.ink}; stroke-width: 0.8",
        ".gap": f"stroke: {theme.card}; stroke-width: 1.5",
        ".hole": f"fill: {theme.card}",
        ".halo": f"fill: none; stroke: {theme.background}; stroke-width: 2.4",
        **{f".{name}": f"fill: {colour}" for name, colour in _colours(plane, theme)},
    }
    return " ".join(f"{root} {what} {{ {how} }}" for what, how in rules.items())


def _colours(plane: Plane, theme: Theme) -> Iterator[tuple[str, str]]:
    if plane.key is None:
        for k in range(SHADES):
            yield f"n{k}", mixed(theme.ramp[1], theme.ramp[0], k / (SHADES - 1))
        return
    for k, colour in enumerate(plane.key.colours(theme)):
        if not plane.key.pattern(k):
            yield _colour(plane, k), colour


def _colour(plane: Plane, answer: float) -> str:
    """The name of a colour: of an entry of the legend, or of a shade of numbers."""
    if plane.key is not None:
        return "others" if plane.key.is_others(answer) else f"c{int(answer)}"
    low, high = plane.range
    return f"n{round((answer - low) / (high - low) * (SHADES - 1)) if high > low else SHADES // 2}"


def _mark_colour(plane: Plane, answer: float) -> str:
    """The name of a mark's colour. Marks are too small for hatching: those of one colour differ in shape."""
    if plane.key is None or plane.key.is_others(answer):
        return _colour(plane, answer)
    return f"c{int(answer) % N_COLOURS}"


# ---- areas and points


def _area(area: Area, plane: Plane) -> str:
    left, right = np.round(plane.across.place(np.array(area.x)) * WIDTH, 1).tolist()
    bottom, top = np.round((1 - plane.up.place(np.array(area.y))) * HEIGHT, 1).tolist()
    shown = rect(left, top, right - left, bottom - top, f"area {_colour(plane, area.answer)}")
    opacity = "" if plane.key is None else f' fill-opacity="{tint(area.strength):.2f}"'
    return f"{shown.removesuffix('/>')}{opacity}>{title((area.note,))}</rect>"


def _points(plane: Plane) -> Iterator[str]:
    """One path for all points of a colour."""
    x = plane.across.place(plane.points.x) * WIDTH
    y = (1 - plane.up.place(plane.points.y)) * HEIGHT
    found: dict[str, list[str]] = {}
    for across, up, answer in zip(x.tolist(), y.tolist(), plane.points.answer.tolist(), strict=True):
        found.setdefault(_mark_colour(plane, answer), []).append(_mark(plane, answer, across, up))
    kind = "number" if plane.key is None else "case"
    for colour, marks in sorted(found.items()):
        if kind == "number":  # on a shade of any lightness one of two rings is seen
            yield path("".join(marks), "halo")
        yield path("".join(marks), f"{kind} {colour}")


def _mark(plane: Plane, answer: float, x: float, y: float) -> str:
    return f"M{short(x)} {short(y)}{SHAPES[0 if plane.key is None else plane.key.mark(int(answer))]}"


# ---- axes


def _across(axis: Axis, frame: _Frame) -> Iterator[str]:
    for at, text in _marks_across(axis):
        x = float(axis.place(np.array(at))) * WIDTH
        yield path(f"M{short(x)} {short(HEIGHT)}v4", "tick")
        if frame.slanted:
            turned = words(text, 0, 0, "muted", SIZE, room=WIDEST_NAME, anchor="end")
            yield f'<g transform="translate({short(x + 3)} {short(HEIGHT + 14)}) rotate(-{short(SLANT)})">{turned}</g>'
        else:
            yield words(text, x, HEIGHT + 17, "muted", SIZE, room=WIDTH, anchor="middle")
    yield words(axis.name, WIDTH / 2, HEIGHT + frame.bottom - 8, "name", SIZE, room=WIDTH, anchor="middle")


def _up(axis: Axis, frame: _Frame) -> Iterator[str]:
    for at, text in _spaced(axis, HEIGHT, LINE):
        y = (1 - float(axis.place(np.array(at)))) * HEIGHT
        yield path(f"M0 {short(y)}h-4", "tick")
        yield words(text, -8, y + 4, "muted", SIZE, room=WIDEST_NAME, anchor="end")
    turned = words(axis.name, 0, 0, "name", SIZE, room=HEIGHT, anchor="middle")
    yield f'<g transform="translate({short(PAD + 6 - frame.left)} {short(HEIGHT / 2)}) rotate(-90)">{turned}</g>'


def _spaced(axis: Axis, length: float, apart: float) -> list[tuple[float, str]]:
    """The marks of an axis; where they are too close to name them all, every k-th."""
    marks = axis.ticks()
    if len(marks) < 2:
        return marks
    first, second = (axis.place(np.array([marks[0][0], marks[1][0]])) * length).tolist()
    return marks[:: math.ceil(apart / (second - first))]


def _marks_across(axis: Axis) -> list[tuple[float, str]]:
    if axis.categories is not None:
        return _spaced(axis, WIDTH, LINE)
    return _spaced(axis, WIDTH, max(text_width(text, SIZE) for _, text in axis.ticks()) + 8)


def _frame(plane: Plane) -> _Frame:
    across, up = _marks_across(plane.across), _spaced(plane.up, HEIGHT, LINE)
    left = PAD + LINE + 10 + max((_room(text) for _, text in up), default=0)
    bands = len(plane.across.categories or ())
    if all(text_width(text, SIZE) + 8 <= WIDTH / bands for _, text in across if bands):
        return _Frame(left, 28 + LINE, _key_width(plane), slanted=False)
    angle = math.radians(SLANT)
    reach = max(_room(text) * math.cos(angle) - (at + 0.5) * WIDTH / bands for at, text in across)
    drop = max(_room(text) for _, text in across) * math.sin(angle)
    return _Frame(max(left, reach + PAD), 24 + drop + LINE, _key_width(plane), slanted=True)


def _room(text: str) -> float:
    """The room for a name."""
    return min(text_width(text, SIZE), WIDEST_NAME)


# ---- legend


def _key_width(plane: Plane) -> float:
    if plane.key is None:
        numbers = max(_room(text) for _, text in round_numbers(*plane.range))
        return 40 + numbers + LINE + PAD
    widest = max(_room(name) for name in (*plane.key.names, plane.heading))
    return 24 + _columns(plane) * (widest + 30) - 10 + PAD


def _columns(plane: Plane) -> int:
    """How many columns the legend has: as many as its entries need in the height of the plane."""
    rows = int(HEIGHT / (LINE + 2)) - bool(plane.heading)
    return math.ceil(len(plane.occurring) / rows)


def _entries(plane: Plane) -> Iterator[str]:
    assert plane.key is not None
    x, y = WIDTH + PAD + 8, 10.0
    if plane.heading:
        yield words(plane.heading, x - 6, y + 4, "name heading", SIZE, room=WIDEST_NAME, bold=True)
        y += LINE + 2
    top, rows = y, math.ceil(len(plane.occurring) / _columns(plane))
    wide = 30 + max(_room(name) for name in plane.key.names)
    for k, entry in enumerate(plane.occurring):
        left, y = x + k // rows * wide, top + k % rows * (LINE + 2)
        if plane.key.pattern(entry):  # as the areas of the class look
            shown = rect(left - 9, y - 7, 18, 14, _colour(plane, entry))
            yield f'{shown.removesuffix("/>")} fill-opacity="{tint(1):.2f}"/>'
        yield path(_mark(plane, entry, left, y), f"case {_mark_colour(plane, entry)}")
        yield words(plane.key.names[entry], left + 12, y + 4, "name", SIZE, room=WIDEST_NAME)


def _scale(plane: Plane) -> Iterator[str]:
    """The colours of numbers, the highest on top, and what they measure."""
    x, low, high = WIDTH + PAD + 4, *plane.range
    for k in reversed(range(SHADES)):  # each reaches to the bottom, so that there is no seam
        top = HEIGHT * (SHADES - 1 - k) / SHADES
        yield rect(x, top, 14, HEIGHT - top, f"n{k}")
    yield rect(x, 0, 14, HEIGHT, "frame")
    axis = Axis("", low, high) if high > low else Axis("", low - 1, low + 1)
    marks = round_numbers(low, high) if high > low else [(low, rounded(low))]
    for at, text in marks:
        y = (1 - float(axis.place(np.array(at)))) * HEIGHT
        yield path(f"M{short(x + 14)} {short(y)}h4", "tick")
        yield words(text, x + 22, y + 4, "muted", SIZE, room=WIDEST_NAME)
    beside = x + 22 + max(_room(text) for _, text in marks) + LINE - 2
    named = words(plane.heading, 0, 0, "name", SIZE, room=HEIGHT, anchor="middle")
    yield f'<g transform="translate({short(beside)} {short(HEIGHT / 2)}) rotate(-90)">{named}</g>'


# ---- caption


def _wrapped(text: str, room: float) -> list[str]:
    """Lines no wider than there is room for; a word that is wider is a line of its own."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and text_width(f"{lines[-1]} {word}", SIZE) <= room:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines
