"""Colour for terminals, and only there."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from branchwork.tree.split import harmless as harmless

_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33", "cyan": "36"}


def wants_colour(stream: TextIO | None = None) -> bool:
    """Whether a stream is a terminal whose owner has not said NO_COLOR."""
    stream = sys.stdout if stream is None else stream
    return bool(stream.isatty()) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def paint(text: str, *styles: str, colour: bool) -> str:
    """Wrap text in ANSI styles, or leave it alone."""
    if not colour or not text:
        return text
    return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"
