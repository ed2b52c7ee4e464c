"""CSV and TSV files: every cell is text, and the text of a column decides what the column is.

A column of decimal numbers is numeric, any other is nominal with its text as given; empty cells, NA, NaN and nan are
missing. DuckDB reads fast where it is installed; wherever it would answer by another rule, the csv module reads.
"""

from __future__ import annotations

import csv
import glob
import io
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import FileFormatError
from branchwork.table.adapt import LARGEST_EXACT_INTEGER, Cells, factorised
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, Table, read_only

MISSING_TEXT = ("NA", "NaN", "nan")
"""Cells that are missing, besides empty ones, unless the caller names others."""

SPACES = " \t"
NUMBER = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))"
INTEGER = r"[+-]?[0-9]+"
BEYOND = (
    "the integer {} is beyond ±2^53, where numbers are no longer exact. If it is an identifier, drop the column or "
    "turn it into text."
)

_is_number = re.compile(NUMBER).fullmatch
_is_integer = re.compile(INTEGER).fullmatch
_HEADER_LINE = re.compile(r'(?:"(?:[^"]|"")*"|[^"\r\n])*')


def read_csv(path: Path, missing: Sequence[str] | None = None, delimiter: str | None = None) -> Table:
    """Read a file with a header row; without a delimiter it is the one of , ; and tab most frequent in the header.

    Missing text is compared without the spaces around a cell, and so are numbers; categories keep theirs.
    """
    data = path.read_bytes()
    text = decoded(path, data)
    delimiter = delimiter or _sniff(text)
    gone = ["", *(MISSING_TEXT if missing is None else (text.strip(SPACES) for text in missing))]
    limit = csv.field_size_limit(len(data) + 1)  # the csv module would refuse a field above 128 kB
    try:
        names = _header(path, data, delimiter)
        refuse_duplicates(path, names)
        cells = cells_by_duckdb(path, data, names, delimiter, gone)
        if cells is None:
            cells = cells_by_csv(path, data, names, delimiter, gone)
    finally:
        csv.field_size_limit(limit)
    return Table(Schema(tuple(column for column, _ in cells)), tuple(array for _, array in cells))


# ---- what every text format shares -------------------------------------------------------------------------------


def decoded(path: Path, data: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", data[: error.start])) + 1
        raise FileFormatError(
            f"{path}, line {line}: expected text in UTF-8, found the byte 0x{data[error.start]:02x}, which is not. "
            f"Convert the file first, for example: iconv -f latin1 -t utf-8 {path.name}"
        ) from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file, counted from 1, without their ends."""
    text = decoded(path, path.read_bytes())
    return enumerate(re.split(r"\r\n?|\n", text), start=1)


def parse_number(text: str) -> float | None:
    """The number that a text is, or None.

    >>> parse_number("-1.5e3"), parse_number("1,000"), parse_number("0x10")
    (-1500.0, None, None)
    """
    return float(text) if _is_number(text) else None


def is_beyond(text: str, value: float) -> bool:
    """Whether a number was written as an integer that float64 cannot be trusted to hold."""
    if abs(value) < LARGEST_EXACT_INTEGER or not _is_integer(text):
        return False
    return abs(Decimal(text)) > LARGEST_EXACT_INTEGER


def refuse_duplicates(path: Path, names: Sequence[str]) -> None:
    """Every column needs a name of its own."""
    for name in names:
        if names.count(name) > 1:
            raise FileFormatError(
                f"{path}: the column name {name!r} occurs more than once. Every column needs a name of its own."
            )


# ---- the header --------------------------------------------------------------------------------------------------


def _sniff(text: str) -> str:
    line = _HEADER_LINE.match(text.lstrip("\r\n"))
    header = re.sub(r'"(?:[^"]|"")*"', "", line.group() if line else "")
    return max(",;\t", key=header.count)


def _header(path: Path, data: bytes, delimiter: str) -> list[str]:
    for _, names in _records(path, data, delimiter):
        return names
    raise FileFormatError(f"{path} is empty; expected a row of column names, then one line a row.")


# ---- the csv module: defines the rule, and names what is wrong ---------------------------------------------------


def cells_by_csv(path: Path, data: bytes, names: list[str], delimiter: str, gone: Sequence[str]) -> list[Cells]:
    """Read all columns with the standard library."""
    records = _records(path, data, delimiter)
    next(records)
    rows = []
    for line, fields in records:
        if len(fields) != len(names):
            raise FileFormatError(
                f"{path}, line {line}: expected {len(names)} fields, as in the header, found {len(fields)}."
            )
        rows.append(fields)
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return [_column(path, name, cells, gone) for name, cells in zip(names, columns, strict=True)]


def _records(path: Path, data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line it starts on; lines with nothing on them are no records."""
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise FileFormatError(
                f"{path}, line {start}: quotes that do not fit the format ({error}). Expected a field in quotes to "
                f'end with " before the next {delimiter!r} or the end of the line, and "" for a quote inside it.'
            ) from None
        if fields is None:
            return
        if fields:
            yield start, fields


def _column(path: Path, name: str, cells: Sequence[str], gone: Sequence[str]) -> Cells:
    absent = frozenset(gone)
    texts = [cell.strip(SPACES) for cell in cells]
    if not all(text in absent or _is_number(text) for text in texts):
        return factorised(name, [None if t in absent else cell for t, cell in zip(texts, cells, strict=True)])
    values = np.fromiter((np.nan if text in absent else float(text) for text in texts), np.float64, len(texts))
    for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER):
        if is_beyond(texts[row], values[row]):
            raise FileFormatError(f"{path}: Column {name!r}, row {row}: {BEYOND.format(texts[row])}")
    return Column(name, "numeric"), read_only(values)


# ---- DuckDB: the same columns, faster ----------------------------------------------------------------------------


def cells_by_duckdb(
    path: Path, data: bytes, names: list[str], delimiter: str, gone: Sequence[str]
) -> list[Cells] | None:
    """Read all columns with DuckDB; None where it is not installed or the csv module must read or refuse the file."""
    # DuckDB forgives spaces beside quotes and makes a cell of a blank line in a single column: not the rule here.
    beside = (b' "', b'" ', b'\t"', b'"\t')
    if len(names) == 1 or (b'"' in data and any(pair in data for pair in beside)):
        return None
    try:
        import duckdb
    except ImportError:
        return None
    columns = [f"c{j}" for j in range(len(names))]
    absent = ", ".join("'" + text.replace("'", "''") + "'" for text in gone)
    known = ", ".join(
        f"CASE WHEN {c} IN ({absent}) THEN NULL WHEN contains({c}, ' ') OR contains({c}, '\t') THEN "  # trim is slow
        f"CASE WHEN trim({c}, '{SPACES}') IN ({absent}) THEN NULL ELSE {c} END ELSE {c} END AS {c}"
        for c in columns
    )
    try:
        with duckdb.connect() as db:
            db.execute(
                f"CREATE TEMP TABLE cells AS SELECT {known} FROM read_csv($path, columns = $columns, delim = $delimiter, "
                "header = true, quote = '\"', escape = '\"', comment = '', compression = 'none', strict_mode = true, "
                "auto_detect = false, hive_partitioning = false)",
                {
                    "path": glob.escape(str(path.absolute())),
                    "columns": dict.fromkeys(columns, "VARCHAR"),
                    "delimiter": delimiter,
                },
            )
            return _cells_of_text(db, data, names, columns, delimiter)
    except duckdb.Error:
        return None  # what DuckDB cannot read, the csv module reads, or says what is wrong and on which line


def _cells_of_text(
    db: Any, data: bytes, names: list[str], columns: list[str], delimiter: str
) -> list[Cells] | None:
    """The columns of the DuckDB table `cells`, where NULL is missing."""

    def one(*expressions: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = db.execute(f"SELECT {', '.join(expressions)} FROM cells").fetchone()
        return row

    # DuckDB drops an empty field too many at the end of a row: count the delimiters of the file, none may be left over.
    inside = [f"coalesce(sum(length({c}) - length(replace({c}, '{delimiter}', ''))), 0)" for c in columns]
    rows, *in_cells = one("count(*)", *(inside if b'"' in data else ()))
    seen = (len(names) - 1) * (rows + 1) + int(sum(in_cells)) + "".join(names).count(delimiter)
    if data.count(delimiter.encode()) != seen:
        return None
    numeric = one(*(f"coalesce(bool_and(regexp_full_match({c}, '[ \t]*{NUMBER}[ \t]*')), true)" for c in columns))
    cells: list[Cells] = []
    for name, column, is_numeric in zip(names, columns, numeric, strict=True):
        if is_numeric:
            values = _fetch(db, f"CAST({column} AS DOUBLE)", np.nan)
            big = f"count(*) FILTER (regexp_full_match({column}, '[ \t]*{INTEGER}[ \t]*') AND abs(CAST({column} AS DOUBLE)) >= {LARGEST_EXACT_INTEGER})"
            if np.any(np.abs(values) >= LARGEST_EXACT_INTEGER) and one(big) != (0,):
                return None
            cells.append((Column(name, "numeric"), read_only(values)))
        else:
            found = f"SELECT DISTINCT {column} FROM cells WHERE {column} IS NOT NULL ORDER BY {column}"
            categories = tuple(text for (text,) in db.execute(found).fetchall())
            db.execute(f"CREATE TYPE of_{column} AS ENUM ({found})")
            codes = _fetch(db, f"CAST(enum_code(CAST({column} AS of_{column})) AS INTEGER)", MISSING)
            cells.append((Column(name, "nominal", categories), read_only(codes)))
    return cells


def _fetch(db: Any, expression: str, missing: float) -> npt.NDArray[Any]:
    found = db.execute(f"SELECT {expression} AS found FROM cells").fetchnumpy()["found"]
    return np.ma.filled(found, missing)
