"""A table for `rich.print` that fits the terminal: words go on in the next line, numbers and words are never parted.

Where there is no room for all columns, those that tell least are left out, and a line says which. Where there is none
for any table, rows are told below each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchwork.view.blocks import Grid, Mark
from branchwork.view.terminal import harmless

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table
    from rich.text import Text

LEAST_TELLING = ("before", "split info", "chi2", "f", "remainder", "p value", "gain ratio")
"""Columns that are left out, this one first: the first stands above the table, others follow from what is left."""
BETWEEN = 2
"""Blanks between two columns."""
MOST_LINES = 3
"""Of a cell, if there is any choice."""
STYLES: dict[Mark, str] = {"chosen": "green", "detail": "dim", "": ""}


@dataclass(frozen=True)
class FittingTable:
    """A grid, laid out when the width of the terminal is known."""

    grid: Grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay it out."""
        from rich.text import Text

        room = options.max_width
        columns = [_Column.of(self.grid, k) for k in range(len(self.grid.header))]
        left_out: list[str] = []
        for name in LEAST_TELLING:
            if _width([column.wish for column in columns]) <= room:
                break
            left_out.extend(column.name for column in columns if column.name == name)
            columns = [column for column in columns if column.name != name]
        if _width([column.least for column in columns]) > room:
            yield from self._stack()
            return
        yield self._table(columns, _widths(columns, room))
        if left_out:
            yield Text(f"There is no room for: {', '.join(left_out)}.", "dim")

    def _stack(self) -> Iterator[Text]:
        """The rows below each other, for a terminal that is too narrow for any table."""
        from rich.text import Text

        feature, test, *numbers = range(len(self.grid.header) - 1)
        for line, mark in zip(self.grid.rows, self.grid.marks, strict=True):
            cells = [harmless(cell) for cell in line]
            told = [f"{self.grid.header[k]} {cells[k]}" for k in numbers if cells[k] not in ("", "–")]
            yield Text(cells[feature] if cells[test] == "–" else cells[test], f"bold {STYLES[mark]}".strip())
            yield from (Text(text, STYLES[mark]) for text in (", ".join(told), cells[-1]) if text)

    def _table(self, columns: list[_Column], widths: list[int]) -> Table:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for column, width in zip(columns, widths, strict=True):
            justify = "left" if column.is_words else "right"
            table.add_column(Text(column.name), justify=justify, width=width, overflow="fold")  # type: ignore[arg-type]
        for line, mark in zip(self.grid.rows, self.grid.marks, strict=True):
            table.add_row(*(Text(harmless(line[column.place])) for column in columns), style=STYLES[mark])
        return table


@dataclass(frozen=True)
class _Column:
    """A column of a grid: the width of its longest word, one that makes few lines, and one that makes one line."""

    place: int
    name: str
    is_words: bool
    least: int
    wish: int
    most: int

    @staticmethod
    def of(grid: Grid, k: int) -> _Column:
        from rich.cells import cell_len

        name, is_words = grid.header[k], k in grid.words
        cells = [harmless(line[k]) for line in grid.rows]
        parts = [part for cell in (name, *(cells if is_words else ())) for part in cell.split()]
        longest, most = max(map(cell_len, parts)), max(map(cell_len, cells), default=0)
        if not is_words:
            most = longest = max(
                longest, most
            )  # numbers stay whole; their heading may go on in the next line
        return _Column(k, name, is_words, longest, max(longest, math.ceil(most / MOST_LINES)), most)


def _width(widths: list[int]) -> int:
    return sum(widths) + BETWEEN * (len(widths) - 1)


def _widths(columns: list[_Column], room: int) -> list[int]:
    """What each column gets: the least it must have, and the rest goes where cells are longest."""
    widths = [column.least for column in columns]
    for _ in range(room - _width(widths)):
        wanting = [k for k, column in enumerate(columns) if widths[k] < column.most]
        if not wanting:
            break
        widths[max(wanting, key=lambda k: columns[k].most / widths[k])] += 1
    return widths
