"""Read CSV and TSV files: every cell is text, and the text of a column decides the column's kind.

A column of decimal numbers is numeric, any other is nominal with its text as given, without the blanks around it
unless it stands in quotes; empty cells, NA, NaN and nan are missing. The csv module defines the rule; DuckDB, where
installed, gives the same columns faster.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from branchwork.errors import FileFormatError
from branchwork.table.cells import Cells, assemble, factorised
from branchwork.table.csv_duckdb import cells_by_duckdb
from branchwork.table.csv_records import (
    SPACES,
    Record,
    Records,
    delimiter_of,
    line_of,
    longest_field,
    wrong_length,
)
from branchwork.table.decimal_comma import Decimal, parse_either, takes_commas, with_decimal_commas
from branchwork.table.gzipped import bytes_of, unpacked
from branchwork.table.leave_out import kept_places
from branchwork.table.lines import decoded, text_of
from branchwork.table.schema import Column
from branchwork.table.table import LARGEST_EXACT_INTEGER, Table, read_only
from branchwork.table.text_cells import is_number, parse_number, refuse_duplicates, refuse_inexact

MISSING_TEXT = ("NA", "NaN", "nan")
"""Cells that are missing, besides empty ones, unless the caller names others."""
HEAD = 2**16
"""The first line, which determines the delimiter, is within this many bytes."""
AT_ONCE = 1024
"""The number of records that are read together."""


def read_csv(
    path: Path,
    missing: Sequence[str] | None = None,
    delimiter: str | None = None,
    drop: Any = None,
    decimal: Decimal | None = None,
) -> Table:
    """Read a file with a header row; its first line determines the delimiter (`delimiter_of`).

    A cell with blanks around it, even in quotes, can still be a missing value or a number.
    """
    data = bytes_of(path)
    delimiter = delimiter_of(decoded(path, data), delimiter)
    gone = absent_texts(missing)
    with longest_field(len(data) + 1):
        names = _records(path, data, delimiter).header()
        places = kept_places(names, drop, path)
        refuse_duplicates(path, [names[place] for place in places])
        cells = cells_by_duckdb(path, data, names, places, delimiter, gone)
        if cells is None:
            cells = cells_by_csv(path, data, names, places, delimiter, gone)
    return assemble(with_decimal_commas(path, cells, delimiter, decimal), named=True, rows=0)


def absent_texts(missing: Sequence[str] | None) -> list[str]:
    """Return the texts that mean a missing cell, without blanks around them."""
    return ["", *(MISSING_TEXT if missing is None else (marker.strip(SPACES) for marker in missing))]


def number_reader(
    path: Path, delimiter: str | None, decimal: Decimal | None
) -> Callable[[str], float | None]:
    """Return what reads a number as the columns of a file were read: with decimal commas, where it may have any."""
    with path.open("rb") as stream:
        head = unpacked(stream, path).read(HEAD).decode(errors="replace")
    return parse_either if takes_commas(delimiter_of(head, delimiter), decimal) else parse_number


def lines_of_rows(path: Path, rows: Sequence[int], delimiter: str | None = None) -> list[int]:
    """Return the lines of a file that some rows begin on; both in ascending order, rows counted from 0."""
    data = bytes_of(path)
    found: list[int] = []
    with longest_field(len(data) + 1):
        records = _records(path, data, delimiter_of(decoded(path, data), delimiter))
        records.header()
        first, lines_before = 0, records.lines_read
        while len(found) < len(rows) and (some := records.read(AT_ONCE)):
            count = sum(map(bool, some))
            here = [row - first for row in rows[len(found) :] if row < first + count]
            found += [line_of(row, some, lines_before) for row in here]
            first, lines_before = first + count, records.lines_read
    return found


# ---- the csv module: defines the rule, and says what is wrong ----------------------------------------------


def cells_by_csv(
    path: Path, data: bytes, names: Sequence[str], places: Sequence[int], delimiter: str, gone: Sequence[str]
) -> list[Cells]:
    """Read some columns with the standard library."""
    records = _records(path, data, delimiter)
    records.header()
    rows: list[Record] = []
    lines_before = records.lines_read
    while some := records.read(AT_ONCE):
        new = [record for record in some if record]
        for row, record in enumerate(new):
            if len(record) != len(names):
                where = f"{path}, line {line_of(row, some, lines_before)}"
                raise FileFormatError(wrong_length(where, names, record, delimiter))
        rows += new
        lines_before = records.lines_read
    absent = frozenset(gone)
    return [_column(path, names[place], [row[place] for row in rows], absent) for place in places]


def _records(path: Path, data: bytes, delimiter: str) -> Records:
    return Records(text_of(io.BytesIO(data)), path, delimiter)


def _column(path: Path, name: str, cells: Sequence[str], gone: frozenset[str]) -> Cells:
    texts = [cell.strip(SPACES) for cell in cells]
    if not all(text in gone or is_number(text) for text in texts):
        return factorised(name, [None if t in gone else cell for t, cell in zip(texts, cells, strict=True)])
    values = np.array([np.nan if text in gone else float(text) for text in texts], np.float64)
    for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER):
        refuse_inexact(texts[row], values[row], f"{path}: Column {name!r}, row {row}", name)
    return Column(name, "numeric"), read_only(values)
