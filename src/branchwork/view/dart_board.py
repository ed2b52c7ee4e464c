"""Dart boards: each dart is a model, and the middle is the truth. As plain data, and as SVG.

The distance from the middle to the centre of all darts is the root of the squared bias; how far darts scatter around
their own centre is the variance. All boards of a picture have the same scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from branchwork.view.axis import round_numbers
from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.picture import picture
from branchwork.view.pieces import Svg, path, short, words
from branchwork.view.style import BODY

RADIUS, GAP, MARGIN, TOP = 92.0, 22.0, 16.0, 64.0
COLUMNS = 3


@dataclass(frozen=True)
class Board:
    """One board: a title, a note below it, where the darts hit, and the centre of all of them."""

    title: str
    note: str
    darts: tuple[tuple[float, ...], ...]
    centre: tuple[float, ...]


def reach_of(boards: Sequence[Board]) -> float:
    """Return how far the boards reach: nearly all darts are on them, and the centre of all of them surely is."""
    lengths = sorted(math.hypot(*dart) for board in boards for dart in board.darts)
    most = lengths[min(len(lengths) - 1, math.ceil(0.98 * len(lengths)))]
    return max(most, *(math.hypot(*board.centre) for board in boards)) * 1.06 or 1.0


def boards_svg(boards: Sequence[Board], title: str, theme: ThemeName = "auto") -> Svg:
    """Draw boards side by side."""
    check_theme(theme)
    columns = min(COLUMNS, len(boards))
    rows = math.ceil(len(boards) / columns)
    tall = 2 * RADIUS + 52
    width = max(2 * MARGIN + columns * 2 * RADIUS + (columns - 1) * GAP, 420.0)
    height = TOP + rows * tall + 4
    left = (width - columns * 2 * RADIUS - (columns - 1) * GAP) / 2
    scale = RADIUS / reach_of(boards)
    pieces = [
        f'<circle class="f0" cx="{short(MARGIN + 4)}" cy="41" r="4" fill-opacity="0.6"/>',
        words("a model", MARGIN + 14, 45, "muted", BODY, room=80),
        f'<circle class="f5" cx="{short(MARGIN + 79)}" cy="41" r="5"/>',
        words("centre of all models", MARGIN + 90, 45, "muted", BODY, room=140),
        path(_cross(MARGIN + 219, 41), "cut"),
        words("the truth", MARGIN + 230, 45, "muted", BODY, room=140),
    ]
    for k, board in enumerate(boards):
        x = left + RADIUS + (k % columns) * (2 * RADIUS + GAP)
        y = TOP + 18 + RADIUS + (k // columns) * tall
        pieces += _board(board, x, y, scale)
    return picture(width, height, title, theme, pieces, margin=MARGIN)


def _board(board: Board, x: float, y: float, scale: float) -> list[str]:
    """Draw rings at round distances, the darts that are on the board, and the way from the truth to their centre."""
    pieces = [
        words(board.title, x, y - RADIUS - 7, "ink", BODY, room=2 * RADIUS, anchor="middle"),
        f'<circle class="card" cx="{short(x)}" cy="{short(y)}" r="{short(RADIUS)}"/>',
    ]
    for distance, text in round_numbers(0.0, RADIUS / scale, 3):
        if 0 < distance * scale < RADIUS:
            ring = short(distance * scale)
            pieces.append(f'<circle class="branch" fill="none" cx="{short(x)}" cy="{short(y)}" r="{ring}"/>')
            pieces.append(words(text, x, y - distance * scale - 2, "muted id", 9, room=40, anchor="middle"))
    for across, up in board.darts:
        if math.hypot(across, up) * scale <= RADIUS:
            at = f'cx="{short(x + across * scale)}" cy="{short(y - up * scale)}"'
            pieces.append(f'<circle class="f0" {at} r="2.4" fill-opacity="0.45"/>')
    across, up = board.centre
    end_x, end_y = x + across * scale, y - up * scale
    pieces.append(path(f"M{short(x)} {short(y)}L{short(end_x)} {short(end_y)}", "cut"))
    pieces.append(path(_cross(x, y), "cut"))
    pieces.append(f'<circle class="f5" cx="{short(end_x)}" cy="{short(end_y)}" r="4.5"/>')
    pieces.append(words(board.note, x, y + RADIUS + 16, "muted", BODY, room=2 * RADIUS + 8, anchor="middle"))
    return pieces


def _cross(x: float, y: float) -> str:
    return f"M{short(x - 5)} {short(y)}h10M{short(x)} {short(y - 5)}v10"
