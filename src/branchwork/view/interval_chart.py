"""Numbers with intervals below each other, each with a name: a dot, and a line from end to end; as an SVG picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from branchwork.view.axis import round_numbers
from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.picture import picture
from branchwork.view.pieces import Svg, escaped, path, short, words
from branchwork.view.style import BODY

WIDTH, MARGIN, STEP = 620.0, 14.0, 24.0
WIDEST_NAME = 220.0


@dataclass(frozen=True)
class Bar:
    """A number with an interval; NaN at both ends: there is none. `text` is written at the right."""

    name: str
    value: float
    low: float
    high: float
    text: str


def interval_chart(
    bars: Sequence[Bar],
    *,
    title: str,
    across: str,
    reference: float | None = None,
    reference_text: str = "",
    theme: ThemeName = "light",
) -> Svg:
    """Draw a line for each number, over one axis; a dashed line is what they are compared with."""
    check_theme(theme)
    ends = [x for bar in bars for x in (bar.value, bar.low, bar.high) if math.isfinite(x)]
    ends += [] if reference is None else [reference]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = (high - low) * 0.04 or abs(low) * 0.1 or 0.5
    low, high = (0.0 if low == 0 else low - margin), high + margin
    left = MARGIN + 12 + min(WIDEST_NAME, max((text_width(bar.name, BODY) for bar in bars), default=0.0))
    right = WIDTH - MARGIN - 12 - max((text_width(bar.text, BODY) for bar in bars), default=0.0)
    top = 44.0 if not reference_text else 60.0
    floor = top + STEP * len(bars)

    def x_of(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    pieces = []
    for value, text in round_numbers(low, high, 6):
        x = x_of(value)
        pieces.append(path(f"M{short(x)} {short(top)}V{short(floor + 4)}", "branch", width=1))
        pieces.append(words(text, x, floor + 18, "muted", BODY, room=80, anchor="middle"))
    if reference is not None:
        x = x_of(reference)
        pieces.append(path(f"M{short(x)} {short(top)}V{short(floor)}", "missing"))
        pieces.append(path(f"M{short(MARGIN)} 42h13", "missing"))
        pieces.append(words(reference_text, MARGIN + 18, 46, "muted", BODY, room=WIDTH - 60))
    for k, bar in enumerate(bars):
        y = top + STEP * (k + 0.5)
        pieces.append(words(bar.name, MARGIN, y + 4, "ink", BODY, room=left - MARGIN - 10))
        pieces.append(words(bar.text, WIDTH - MARGIN, y + 4, "muted", BODY, room=WIDTH - right, anchor="end"))
        if math.isfinite(bar.low) and math.isfinite(bar.high):
            pieces.append(
                f'<path class="s0" d="M{short(x_of(bar.low))} {short(y)}H{short(x_of(bar.high))}" stroke-width="2"/>'
            )
        if math.isfinite(bar.value):
            pieces.append(
                f'<circle class="f0" cx="{short(x_of(bar.value))}" cy="{short(y)}" r="4.5">'
                f"<title>{escaped(bar.name)}: {escaped(bar.text)}</title></circle>"
            )
    pieces.append(
        words(across, (left + right) / 2, floor + 36, "ink", BODY, room=right - left, anchor="middle")
    )
    return picture(WIDTH, floor + 46, title, theme, pieces, margin=MARGIN, lines=True)
