"""Colour and width of terminals; a pipe or a file has neither."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from branchwork.table.text_table import terminal_width as terminal_width
from branchwork.table.wide_text import fold
from branchwork.tree.split import harmless as harmless

_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33", "cyan": "36"}


def wants_colour(stream: TextIO | None = None) -> bool:
    """Whether a stream is a terminal whose owner has not said NO_COLOR."""
    stream = sys.stdout if stream is None else stream
    return bool(stream.isatty()) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def paint(text: str, *styles: str, colour: bool) -> str:
    """Wrap text in ANSI styles, or leave it alone. A style is a name, or a colour such as "#0072b2"."""
    if not colour or not text:
        return text
    return f"\x1b[{';'.join(_code(style) for style in styles)}m{text}\x1b[0m"


def _code(style: str) -> str:
    if not style.startswith("#"):
        return _CODES[style]
    channels = [int(style[k : k + 2], 16) for k in (1, 3, 5)]
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "38;2;" + ";".join(map(str, channels))
    return f"38;5;{_of_256(channels)}"


def _of_256(channels: list[int]) -> int:
    """Return the nearest of the 216 colours that every terminal with 256 of them has.

    >>> _of_256([255, 255, 255]), _of_256([0, 114, 178])
    (231, 25)
    """
    steps = (0, 95, 135, 175, 215, 255)
    red, green, blue = (min(range(6), key=lambda k: abs(steps[k] - channel)) for channel in channels)
    return 16 + 36 * red + 6 * green + blue


def folded(text: str, width: int | None, indent: str = "") -> str:
    """Return a sentence in lines of whole words that fit a width; None: in one line."""
    return "\n".join(fold(text, width, indent))
