"""Read CSV and TSV files some rows at a time, with the kinds of columns that a model has.

Whoever reads a whole file can look at all cells of a column to decide its kind; here the model decides. A column that
was numeric in training must hold numbers. In a nominal column, a cell is the category with that text ("01"), or else
the category with that number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from branchwork.errors import FileFormatError
from branchwork.table.cells import Cells, factorised
from branchwork.table.csv_file import absent_texts
from branchwork.table.csv_records import (
    SPACES,
    Record,
    Records,
    delimiter_of,
    line_of,
    longest_field,
    wrong_length,
)
from branchwork.table.decimal_comma import Decimal, parse_either, takes_commas
from branchwork.table.lines import not_utf8, refuse_wide, text_of
from branchwork.table.rows import Batch, Where
from branchwork.table.schema import Column
from branchwork.table.table import LARGEST_EXACT_INTEGER, read_only
from branchwork.table.text_cells import parse_number, refuse_duplicates, refuse_inexact

MOST_CHARACTERS = 2**24
"""The approximate size of a batch and the limit of a field: a quote that is never closed cannot swallow the file."""
HEADER_LINES = 100
"""The header must end within this many lines."""
MOST_AT_ONCE = 1024
"""The number of records that are read together; fewer if they are long."""


class CsvRows:
    """Reads the rows of a CSV file or stream, some at a time."""

    def __init__(
        self,
        stream: BinaryIO,
        name: str,
        *,
        missing: Sequence[str] | None = None,
        delimiter: str | None = None,
        decimal: Decimal | None = None,
    ) -> None:
        self._name = name
        self._gone = frozenset(absent_texts(missing))
        self._at_once = 1
        # Keep a reference: the wrapper would close the stream when it is collected.
        self._text = text_of(stream)
        try:
            first = list(islice(self._text, HEADER_LINES))
        except UnicodeDecodeError as error:
            raise not_utf8(name, error) from None
        refuse_wide(name, "".join(first))
        self._delimiter = delimiter_of("".join(first), delimiter)
        self._parse = parse_either if takes_commas(self._delimiter, decimal) else parse_number
        self._records = Records(chain(first, self._text), name, self._delimiter)
        with longest_field(MOST_CHARACTERS):
            names = self._records.header()
        refuse_duplicates(name, names)
        self.names = tuple(names)

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """Iterate over the cells of some columns as text, up to this many rows at a time; fewer if rows are long."""
        first = 0
        with longest_field(MOST_CHARACTERS):
            while True:
                lines_before = self._records.lines_read
                read = self._some(rows)
                records = [record for record in read if record]
                if not read:
                    return
                if not records:  # only blank lines
                    continue
                where = self._where(lines_before, read)
                self._check_lengths(records, where)
                columns = list(zip(*records, strict=True))
                yield Batch(first, [columns[place] for place in places], where)
                first += len(records)

    def _some(self, rows: int) -> list[Record]:
        """Return the records of a batch. A blank line is []; an empty list means the end of the file."""
        some: list[Record] = []
        characters = 0
        while len(some) < rows and characters < MOST_CHARACTERS:
            piece = self._records.read(min(self._at_once, rows - len(some)))
            if not piece:
                break
            some += piece
            length = sum(map(len, chain.from_iterable(piece)))
            characters += length
            fitting = MOST_CHARACTERS // 8 * len(piece) // (length + 1)
            self._at_once = max(1, min(fitting, 2 * self._at_once, MOST_AT_ONCE))
        return some

    def _where(self, lines_before: int, read: list[Record]) -> Where:
        return lambda row: f"{self._name}, line {line_of(row, read, lines_before)}"

    def _check_lengths(self, records: list[Record], where: Where) -> None:
        expected = len(self.names)
        if set(map(len, records)) == {expected}:
            return
        row = next(row for row, record in enumerate(records) if len(record) != expected)
        raise FileFormatError(wrong_length(where(row), self.names, records[row], self._delimiter))

    def column(self, wanted: Column, place: int, cells: Sequence[Any], where: Where) -> Cells:
        """Return cells as a column of the wanted kind."""
        return self._categories(wanted, cells) if wanted.is_nominal else self._numbers(wanted, cells, where)

    def shown(self, place: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Return cells as they are in the file, without the blanks around them."""
        return cells

    def _numbers(self, wanted: Column, cells: Sequence[str], where: Where) -> Cells:
        number = {text: self._number(text) for text in set(cells)}
        if None in number.values():
            row = next(row for row, cell in enumerate(cells) if number[cell] is None)
            raise FileFormatError(
                f"{where(row)}: column {wanted.name!r} is {cells[row]!r}; expected a number, as in training."
            )
        values = np.array([number[cell] for cell in cells], np.float64)
        for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER).tolist():
            refuse_inexact(
                cells[row].strip(SPACES), values[row], f"{where(row)}: column {wanted.name!r}", wanted.name
            )
        return Column(wanted.name, "numeric"), read_only(values)

    def _number(self, cell: str) -> float | None:
        text = cell.strip(SPACES)
        return np.nan if text in self._gone else self._parse(text)

    def _categories(self, wanted: Column, cells: Sequence[str]) -> Cells:
        known = {text for text in set(cells) if text.strip(SPACES) not in self._gone}
        category = {text: category_of(wanted, text) for text in known}
        return factorised(wanted.name, [category.get(cell) for cell in cells])


def category_of(column: Column, text: str) -> Hashable:
    """Return the category that a text stands for: that text, or else that number, or else the text itself."""
    number = None if text in column.code_of else parse_number(text.strip(SPACES))
    return number if number is not None and number in column.code_of else text
