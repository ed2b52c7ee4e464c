"""CSV and TSV some rows at a time, the kinds of its columns as a model has them.

A whole file can look at all cells of a column before it says what the column is; some rows of it cannot. A column that
was numeric in training must hold numbers; in a nominal one a cell is the category of that text ("01"), or else of that
number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from branchwork.errors import FileFormatError
from branchwork.table.cells import Cells, factorised
from branchwork.table.csv_file import (
    SPACES,
    absent_texts,
    delimiter_of,
    header,
    longest_field,
    parse_number,
    records,
    refuse_inexact,
    wrong_length,
)
from branchwork.table.lines import Lines
from branchwork.table.rows import Batch, Where
from branchwork.table.schema import Column
from branchwork.table.table import LARGEST_EXACT_INTEGER, read_only

MOST_CHARACTERS = 2**24
"""Of a batch, about, and of one field: a quote that is never closed must not swallow a file."""
HEADER_LINES = 100
"""The names of the columns end within so many lines."""


class CsvRows:
    """The rows of a CSV file or stream, some at a time."""

    def __init__(
        self,
        stream: BinaryIO,
        name: str,
        *,
        missing: Sequence[str] | None = None,
        delimiter: str | None = None,
    ) -> None:
        self._name = name
        self._lines = Lines(stream, name)
        self._gone = frozenset(absent_texts(missing))
        first = list(islice(self._lines, HEADER_LINES))
        self._records = records(name, chain(first, self._lines), delimiter or delimiter_of("".join(first)))
        with longest_field(MOST_CHARACTERS):
            self.names = tuple(header(name, self._records))

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """The cells of some columns as text, at most so many rows at a time; fewer of long rows."""
        first = 0
        with longest_field(MOST_CHARACTERS):
            while some := self._some(places, rows):
                lines = [line for line, _ in some]
                columns = list(zip(*(cells for _, cells in some), strict=True))
                yield Batch(first, columns, lambda row, lines=lines: self._where(lines[row]))  # type: ignore[misc]
                first += len(some)

    def _some(self, places: Sequence[int], rows: int) -> list[tuple[int, list[str]]]:
        some: list[tuple[int, list[str]]] = []
        enough = self._lines.characters + MOST_CHARACTERS
        for line, fields in self._records:
            if len(fields) != len(self.names):
                raise FileFormatError(wrong_length(self._where(line), self.names, fields))
            some.append((line, [fields[place] for place in places]))
            if len(some) == rows or self._lines.characters >= enough:
                break
        return some

    def _where(self, line: int) -> str:
        return f"{self._name}, line {line}"

    def column(self, wanted: Column, place: int, cells: Sequence[Any], where: Where) -> Cells:
        """Cells as a column of the kind that is wanted."""
        return self._categories(wanted, cells) if wanted.is_nominal else self._numbers(wanted, cells, where)

    def shown(self, place: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Cells as they stand in the file."""
        return cells

    def _numbers(self, wanted: Column, cells: Sequence[str], where: Where) -> Cells:
        gone = self._gone
        texts = [cell.strip(SPACES) for cell in cells]
        found = [np.nan if text in gone else parse_number(text) for text in texts]
        if None in found:
            row = found.index(None)
            raise FileFormatError(
                f"{where(row)}: column {wanted.name!r} is {cells[row]!r}; expected a number, as in training."
            )
        values = np.array(found, np.float64)
        for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER).tolist():
            refuse_inexact(texts[row], values[row], f"{where(row)}: column {wanted.name!r}")
        return Column(wanted.name, "numeric"), read_only(values)

    def _categories(self, wanted: Column, cells: Sequence[str]) -> Cells:
        known = {text for text in set(cells) if text.strip(SPACES) not in self._gone}
        category = {text: category_of(wanted, text) for text in known}
        return factorised(wanted.name, [category.get(cell) for cell in cells])


def category_of(column: Column, text: str) -> Hashable:
    """The category that a text stands for: that text, or else that number; the text, if there is neither."""
    number = None if text in column.code_of else parse_number(text.strip(SPACES))
    return number if number is not None and number in column.code_of else text
