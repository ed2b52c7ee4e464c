"""A table of plain text that fits a width: columns that tell least are left out, words are cut, no line is broken."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TextIO

from branchwork.table.wide_text import cells, cut, fold, left, right

BETWEEN = 2
"""Blanks between two columns."""
COMFORTABLE, NARROWEST = 26, 10
"""A column of words is cut to the first width before any column is left out, and to the second when none is left."""


NARROWEST_TERMINAL = 40
"""Columns that a terminal is taken to have at least."""


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return how many columns a terminal has; None: the stream is no terminal, and lines may have any length."""
    stream = sys.stdout if stream is None else stream
    if not stream.isatty():
        return None
    return max(NARROWEST_TERMINAL, shutil.get_terminal_size().columns)


@dataclass(frozen=True)
class TextTable:
    """The lines of a table, the header first; the widths of its columns; the names of those there is no room for."""

    lines: tuple[str, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...]

    @property
    def rule(self) -> str:
        """A line below the header."""
        return (" " * BETWEEN).join("─" * width for width in self.widths)

    @property
    def note(self) -> str:
        """A sentence about what is left out; empty if nothing is."""
        return no_room_for(self.left_out)


def no_room_for(names: Sequence[str]) -> str:
    """Say which columns are left out, and how to see them; nothing if there are none."""
    told = ", ".join(name or "the last column" for name in names)
    return f"No room for: {told}. A wider terminal shows more." if names else ""


def plain_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Collection[int] = (),
    spare: Sequence[str] = (),
    room: int | None = None,
) -> str:
    """Return the lines of `text_table`, without a rule below the header, and the note about what is left out.

    >>> print(plain_table(["k", "rows", "error"], [["1", "14", "0.1"]], spare=["rows"], room=12))
    k  error
    1    0.1
    No room for:
    rows. A
    wider
    terminal
    shows more.
    """
    table = text_table(header, rows, words=words, spare=spare, room=room)
    return "\n".join([*table.lines, *(fold(table.note, room) if table.note else [])])


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Collection[int],
    spare: Sequence[str] = (),
    room: int | None = None,
) -> TextTable:
    """Lay a table out.

    Parameters
    ----------
    header, rows : the cells, as text without control characters.
    words : places of the columns of words, which stand at the left; numbers stand at the right and are never cut.
    spare : names of columns that may be left out, the first one first. Of the others, the last ones go first.
    room : the width that the table may have; None: any.

    >>> found = text_table(["name", "rows", "gain"], [["a", "14", "0.1"]], words=[0], spare=["rows"], room=12)
    >>> found.lines, found.left_out
    (('name  gain', 'a      0.1'), ('rows',))
    """
    lines = [header, *rows]
    full = [max(cells(line[k]) for line in lines) for k in range(len(header))]
    kept = _kept(header, full, words, spare, room)
    widths = _widths([full[k] for k in kept], [k in words for k in kept], NARROWEST, room)
    texts = [
        (" " * BETWEEN)
        .join(
            (left if k in words else right)(cut(line[k], width), width)
            for k, width in zip(kept, widths, strict=True)
        )
        .rstrip()
        for line in lines
    ]
    if room is not None:
        texts = [cut(text, room) for text in texts]
    left_out = tuple(header[k] for k in range(len(header)) if k not in kept)
    return TextTable(tuple(texts), tuple(widths), left_out)


def _kept(
    header: Sequence[str],
    full: Sequence[int],
    words: Collection[int],
    spare: Sequence[str],
    room: int | None,
) -> list[int]:
    """Return the places of the columns that there is room for; the first one always stays."""
    kept = list(range(len(header)))
    by_name = [k for name in spare for k in kept if header[k] == name and k > 0]
    others = [k for k in reversed(kept[1:]) if k not in by_name]
    for least, going in ((COMFORTABLE, by_name), (NARROWEST, others)):
        for place in going:
            if _fits([full[k] for k in kept], [k in words for k in kept], least, room):
                return kept
            kept.remove(place)
    return kept


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + BETWEEN * (len(widths) - 1)


def _fits(full: Sequence[int], is_words: Sequence[bool], least: int, room: int | None) -> bool:
    """Return whether columns fit if words are cut to this many cells."""
    if room is None:
        return True
    return (
        _width([min(w, least) if of_words else w for w, of_words in zip(full, is_words, strict=True)]) <= room
    )


def _widths(full: Sequence[int], is_words: Sequence[bool], least: int, room: int | None) -> list[int]:
    """Return the width of each column: the widest column of words is cut until all fit."""
    widths = list(full)
    while room is not None and _width(widths) > room:
        cuttable = [k for k, of_words in enumerate(is_words) if of_words and widths[k] > least]
        if not cuttable:
            break
        widths[max(cuttable, key=lambda k: widths[k])] -= 1
    return widths
