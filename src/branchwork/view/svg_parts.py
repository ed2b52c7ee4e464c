"""Small help for drawing: words that fit and cannot harm, round numbers on an axis, colours."""

from __future__ import annotations

import html
import math
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from branchwork.errors import ParameterError, did_you_mean
from branchwork.tree.split import number
from branchwork.view.terminal import harmless

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """Colours of a picture."""

    paper: str
    ink: str
    faint: str
    grid: str
    line: str
    mark: str


PALETTES: dict[str, Palette] = {
    "light": Palette("#ffffff", "#1f2933", "#52606d", "#e4e7eb", "#2b6cb0", "#b7410e"),
    "dark": Palette("#15191e", "#e8ecf0", "#9aa5b1", "#2d353d", "#63b3ed", "#f6ad55"),
}


def palette(theme: str) -> Palette:
    """The colours of a theme."""
    if theme not in PALETTES:
        raise ParameterError(
            f"theme={theme!r} is not known.{did_you_mean(str(theme), PALETTES)} Expected 'light' or 'dark'."
        )
    return PALETTES[theme]


def in_svg(text: str) -> str:
    """Words of unknown origin for SVG.

    >>> in_svg("<b> & \\x07")
    '&lt;b&gt; &amp; \\\\x07'
    """
    return html.escape(harmless(text))


def text_width(text: str, size: float) -> float:
    """About how wide a text is; rather too wide than too narrow."""
    return sum(1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.6 for sign in text) * size


def fitted(text: str, width: float, size: float) -> str:
    """Text that is at most so wide.

    >>> fitted("a long name of a column", 80, 10)
    'a long name …'
    """
    shown = harmless(text[:1000])
    if text_width(shown, size) <= width and len(text) <= 1000:
        return shown
    while shown and text_width(shown + "…", size) > width:
        shown = shown[:-1]
    return shown + "…"


@dataclass(frozen=True)
class Axis:
    """Numbers to places: `low` is at the pixel `start`, `high` at `end`; ticks are round numbers between them."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def at(self, x: float) -> float:
        """The place of a number. Quarters, because the whole range may be more than a float can hold."""
        share = (x / 4 - self.low / 4) / (self.high / 4 - self.low / 4)
        return self.start + share * (self.end - self.start)


def axis(low: float, high: float, start: float, end: float, most: int = 6) -> Axis:
    """An axis over a range, with room beside a single number.

    >>> found = axis(0, 0.86, 0, 100)
    >>> found.labels, round(found.at(0.43))
    (('0', '0.2', '0.4', '0.6', '0.8'), 50)
    """
    if not low < high:
        room = abs(low) / 10 or 1.0
        low, high = low - room, high + room
    ticks = _round_numbers(low, high, most)
    return Axis(low, high, start, end, ticks, _labels(ticks))


def _round_numbers(low: float, high: float, most: int) -> tuple[float, ...]:
    rough = (high / 4 - low / 4) / most * 4
    if not 1e-300 < rough < 1e300:
        return (low, high)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last - first > 2 * most or first * step + step == first * step:  # the numbers are too close to count
        return (low, high)
    return tuple(k * step for k in range(first, last + 1))


def _labels(ticks: tuple[float, ...]) -> tuple[str, ...]:
    """The shortest labels that tell ticks apart."""
    gap = min((b - a for a, b in pairwise(ticks)), default=1.0)
    for digits in range(3, 18):
        texts = [f"{tick:.{digits}g}" for tick in ticks]
        if all(abs(float(text) - tick) <= 1e-3 * gap for text, tick in zip(texts, ticks, strict=True)):
            break
    return tuple(_plain(text) for text in texts)


def _plain(text: str) -> str:
    x = float(text)
    shown = number(x) if x == 0 or 1e-5 <= abs(x) < 1e7 else text
    return f"−{shown[1:]}" if shown.startswith("-") else shown
