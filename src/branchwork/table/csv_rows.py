"""CSV and TSV some rows at a time, the kinds of its columns as a model has them.

A whole file can look at all cells of a column before it says what the column is; some rows of it cannot. A column that
was numeric in training must hold numbers; in a nominal one a cell is the category of that text ("01"), or else of that
number.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from branchwork.errors import FileFormatError
from branchwork.table.cells import Cells, factorised
from branchwork.table.csv_file import (
    SPACES,
    absent_texts,
    bad_quotes,
    delimiter_of,
    longest_field,
    parse_number,
    refuse_duplicates,
    refuse_inexact,
    without_header,
    wrong_length,
)
from branchwork.table.lines import not_utf8, text_of
from branchwork.table.rows import Batch, Where
from branchwork.table.schema import Column
from branchwork.table.table import LARGEST_EXACT_INTEGER, read_only

MOST_CHARACTERS = 2**24
"""Of a batch, about, and of one field: a quote that is never closed must not swallow a file."""
HEADER_LINES = 100
"""The names of the columns end within so many lines."""
MOST_AT_ONCE = 1024
"""Records that are read together; fewer of long ones."""

Records = list[list[str]]

_LINE_END = re.compile(r"\r\n?|\n")


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
        self._gone = frozenset(absent_texts(missing))
        self._at_once = 1
        self._text = text_of(stream)  # would close the stream if it went
        try:
            first = list(islice(self._text, HEADER_LINES))
        except UnicodeDecodeError as error:
            raise not_utf8(name, error) from None
        self._delimiter = delimiter or delimiter_of("".join(first))
        self._reader = csv.reader(chain(first, self._text), delimiter=self._delimiter, strict=True)
        with longest_field(MOST_CHARACTERS):
            names: list[str] = []
            while not names:
                if not (read := self._read(1)):
                    raise FileFormatError(without_header(name))
                (names,) = read
        refuse_duplicates(name, names)
        self.names = tuple(names)

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """The cells of some columns as text, at most so many rows at a time; fewer of long rows."""
        first = 0
        with longest_field(MOST_CHARACTERS):
            while True:
                lines_before = self._reader.line_num
                read = self._some(rows)
                records = [record for record in read if record]
                if not read:
                    return
                if not records:  # blank lines alone
                    continue
                where = self._where(lines_before, read)
                self._check_lengths(records, where)
                columns = list(zip(*records, strict=True))
                yield Batch(first, [columns[place] for place in places], where)
                first += len(records)

    def _some(self, rows: int) -> Records:
        """Records of a batch, [] for a blank line; none at the end of the file."""
        some: Records = []
        characters = 0
        while len(some) < rows and characters < MOST_CHARACTERS:
            piece = self._read(min(self._at_once, rows - len(some)))
            if not piece:
                break
            some += piece
            length = sum(map(len, chain.from_iterable(piece)))
            characters += length
            fitting = MOST_CHARACTERS // 8 * len(piece) // (length + 1)
            self._at_once = max(1, min(fitting, 2 * self._at_once, MOST_AT_ONCE))
        return some

    def _read(self, count: int) -> Records:
        lines_before = self._reader.line_num
        records: Records = []
        try:
            records.extend(islice(self._reader, count))
        except UnicodeDecodeError as error:
            raise not_utf8(self._name, error, lines_before=self._reader.line_num) from None
        except csv.Error as error:
            line = lines_before + 1 + sum(map(_lines_in, records))
            raise FileFormatError(bad_quotes(f"{self._name}, line {line}", error, self._delimiter)) from None
        return records

    def _where(self, lines_before: int, read: Records) -> Where:
        """Finds the line of a row when asked: a field in quotes may hold line ends, and lines may be blank."""

        def where(row: int) -> str:
            line = lines_before + 1
            for record in read:
                if record and row == 0:
                    break
                row -= bool(record)
                line += _lines_in(record)
            return f"{self._name}, line {line}"

        return where

    def _check_lengths(self, records: Records, where: Where) -> None:
        expected = len(self.names)
        if set(map(len, records)) == {expected}:
            return
        row = next(row for row, record in enumerate(records) if len(record) != expected)
        raise FileFormatError(wrong_length(where(row), self.names, records[row]))

    def column(self, wanted: Column, place: int, cells: Sequence[Any], where: Where) -> Cells:
        """Cells as a column of the kind that is wanted."""
        return self._categories(wanted, cells) if wanted.is_nominal else self._numbers(wanted, cells, where)

    def shown(self, place: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Cells as they stand in the file."""
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
            refuse_inexact(cells[row].strip(SPACES), values[row], f"{where(row)}: column {wanted.name!r}")
        return Column(wanted.name, "numeric"), read_only(values)

    def _number(self, cell: str) -> float | None:
        text = cell.strip(SPACES)
        return np.nan if text in self._gone else parse_number(text)

    def _categories(self, wanted: Column, cells: Sequence[str]) -> Cells:
        known = {text for text in set(cells) if text.strip(SPACES) not in self._gone}
        category = {text: category_of(wanted, text) for text in known}
        return factorised(wanted.name, [category.get(cell) for cell in cells])


def _lines_in(record: Sequence[str]) -> int:
    """Lines that a record stands on."""
    return 1 + sum(len(_LINE_END.findall(field)) for field in record)


def category_of(column: Column, text: str) -> Hashable:
    """The category that a text stands for: that text, or else that number; the text, if there is neither."""
    number = None if text in column.code_of else parse_number(text.strip(SPACES))
    return number if number is not None and number in column.code_of else text
