"""What a page of working is made of, before anyone knows in which format it will be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from branchwork.view.formula import Formula

Mark = Literal["", "chosen", "detail"]
"""What a row of a table is: a candidate, the winner, or a cut of the candidate above it."""


@dataclass(frozen=True)
class Title:
    """What the page is about."""

    text: str


@dataclass(frozen=True)
class Heading:
    """What the next blocks are about."""

    text: str
    chosen: bool = False


@dataclass(frozen=True)
class Sentence:
    """A plain sentence."""

    text: str


@dataclass(frozen=True)
class Arithmetic:
    """Equations below each other."""

    lines: tuple[Formula, ...]


@dataclass(frozen=True)
class Grid:
    """A table of cells; words stand at the left of a column, numbers at the right.

    Where a terminal is too narrow, the rows are those of `short`, if there are any, and columns are left out: those
    named in `spare`, the first one first.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marks: tuple[Mark, ...]
    words: frozenset[int]
    spare: tuple[str, ...] = ()
    short: tuple[tuple[str, ...], ...] = ()


Block = Title | Heading | Sentence | Arithmetic | Grid
