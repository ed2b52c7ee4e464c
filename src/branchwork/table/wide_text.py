"""Text in a terminal: how many cells it takes, and padding and cutting by cells instead of by characters.

Most characters take one cell. Chinese, Japanese and Korean ones and emoji take two; accents that join the character
before them, and the joiners inside an emoji, take none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

NARROW = re.compile(r"[\x00-\xac\xae-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u257f]*")
"""Latin letters, dashes, quotes, arrows, signs of mathematics and lines of boxes: they take one cell each. Most text
consists of them, and a pattern recognises it faster than a loop over its characters."""
JOINER, EMOJI_STYLE = "\u200d", "\ufe0f"
SKIN_TONES = range(0x1F3FB, 0x1F400)
JOINING_JAMO = range(0x1160, 0x1200)
"""Vowels and final consonants of Korean, which join the consonant before them."""


def cells(text: str) -> int:
    """Return the number of terminal cells that a text takes.

    >>> cells("naïve"), cells("日本"), cells("e\\u0301"), cells("👍🏽"), cells("👩\\u200d🔬")
    (5, 4, 1, 2, 2)
    """
    if NARROW.fullmatch(text):
        return len(text)
    return sum(_widths(text))


def _widths(text: str) -> Iterator[int]:
    """Yield the cells of each character; a joined one adds nothing to the one before it."""
    for place, sign in enumerate(text):
        is_joined = place > 0 and (text[place - 1] == JOINER or ord(sign) in SKIN_TONES)
        width = 0 if is_joined else _width(sign)
        yield 2 if width == 1 and text[place + 1 : place + 2] == EMOJI_STYLE else width


def _width(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf") or ord(sign) in JOINING_JAMO:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def left(text: str, width: int) -> str:
    """Return the text at the left of this many cells.

    >>> left("日本", 5) + "|"
    '日本 |'
    """
    return text + " " * (width - cells(text))


def right(text: str, width: int) -> str:
    """Return the text at the right of this many cells."""
    return " " * (width - cells(text)) + text


def cut(text: str, most: int) -> str:
    """Return the text in no more than this many cells; the last sign of a text that was cut says so.

    >>> cut("Outlook", 4), cut("Wind", 4), cut("日本語", 4)
    ('Out…', 'Wind', '日…')
    """
    if NARROW.fullmatch(text[: most + 1]):
        return text if len(text) <= most else text[: most - 1].rstrip() + "…" if most > 0 else ""
    used, kept = 0, 0
    for place, width in enumerate(_widths(text), start=1):
        used += width
        if used < most:
            kept = place
        elif used > most:  # the rest need not be measured, however long it is
            return text[:kept].rstrip() + "…" if most > 0 else ""
    return text


def fold(text: str, width: int | None, indent: str = "") -> list[str]:
    """Return a sentence in lines of whole words that fit a width; further lines are indented. None: in one line.

    >>> fold("one two three", 8, "  "), fold("one two", None), fold("日本 語", 5)
    (['one two', '  three'], ['one two'], ['日本', '語'])
    """
    if width is None or cells(text) <= width:
        return [text]
    start = len(text) - len(text.lstrip(" "))
    lines, line, used = [], text[:start], start
    is_empty = True
    for word in text[start:].split(" "):
        size = cells(word)
        if not is_empty and used + 1 + size > width:
            lines.append(line)
            line, used, is_empty = indent, cells(indent), True
        line, used = (line + word, used + size) if is_empty else (f"{line} {word}", used + 1 + size)
        is_empty = False
    return [cut(one, width) for one in (*lines, line)]
