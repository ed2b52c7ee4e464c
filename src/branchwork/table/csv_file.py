"""CSV and TSV files: every cell is text, and the text of a column decides what the column is.

A column of decimal numbers is numeric, any other is nominal with its text as given; empty cells, NA, NaN and
nan are missing. The csv module defines the rule; DuckDB, where installed, gives the same columns faster.
"""

from __future__ import annotations

import csv
import glob
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from branchwork.errors import FileFormatError
from branchwork.table.cells import Cells, factorised
from branchwork.table.lines import not_utf8, text_of
from branchwork.table.schema import Column, Schema
from branchwork.table.table import LARGEST_EXACT_INTEGER, MISSING, Table, read_only

MISSING_TEXT = ("NA", "NaN", "nan")
"""Cells that are missing, besides empty ones, unless the caller names others."""

SPACES = " \t"
NUMBER = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))"
_is_number = re.compile(NUMBER).fullmatch
_is_integer = re.compile(r"[+-]?[0-9]+").fullmatch
_QUOTED = re.compile(r'"(?:[^"]|"")*+"')
_FIRST_LINE = re.compile(rf'[\r\n]*((?:{_QUOTED.pattern}|[^"\r\n])*+)')


def read_csv(path: Path, missing: Sequence[str] | None = None, delimiter: str | None = None) -> Table:
    """Read a file with a header row; the delimiter is the most frequent of , ; and tab there, unless given.

    Spaces around a cell do not keep it from being missing or a number; a category keeps them.
    """
    data = path.read_bytes()
    text = decoded(path, data)
    delimiter = delimiter or delimiter_of(text)
    gone = absent_texts(missing)
    with longest_field(len(data) + 1):
        _, names = next(_records(path, data, delimiter), (0, None))
        if names is None:
            raise FileFormatError(without_header(path))
        refuse_duplicates(path, names)
        cells = cells_by_duckdb(path, data, names, delimiter, gone)
        if cells is None:
            cells = cells_by_csv(path, data, names, delimiter, gone)
    return Table(Schema(tuple(column for column, _ in cells)), tuple(array for _, array in cells))


def delimiter_of(text: str) -> str:
    """The most frequent of , ; and tab outside quotes in the first line that is not blank."""
    first_line = _FIRST_LINE.match(text)
    names = _QUOTED.sub("", first_line[1] if first_line else "")
    return max(",;\t", key=names.count)


def absent_texts(missing: Sequence[str] | None) -> list[str]:
    """Texts that mean a missing cell, without spaces around them."""
    return ["", *(MISSING_TEXT if missing is None else (marker.strip(SPACES) for marker in missing))]


@contextmanager
def longest_field(characters: int) -> Iterator[None]:
    """Let the csv module read longer fields than its 128 kB."""
    limit = csv.field_size_limit(characters)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


# ---- what the text formats share ---------------------------------------------------------------------------


def decoded(path: Path, data: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file, counted from 1, without their ends."""
    return enumerate(re.split(r"\r\n?|\n", decoded(path, path.read_bytes())), start=1)


def parse_number(text: str) -> float | None:
    """The number that a text is, or None.

    >>> parse_number("-1.5e3"), parse_number("1,000"), parse_number("0x10")
    (-1500.0, None, None)
    """
    return float(text) if _is_number(text) else None


def refuse_inexact(text: str, value: float, where: str) -> None:
    """Refuse a number written as an integer beyond ±2^53."""
    if abs(value) < LARGEST_EXACT_INTEGER or not _is_integer(text):
        return
    if abs(Decimal(text)) > LARGEST_EXACT_INTEGER:
        raise FileFormatError(
            f"{where}: the integer {text} is beyond ±2^53, where numbers are no longer exact. "
            "If it is an identifier, drop the column or turn it into text."
        )


def refuse_duplicates(path: object, names: Sequence[str]) -> None:
    """Refuse a file that gives two columns one name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise FileFormatError(f"{path}: the column name {name!r} occurs {count} times; expected once.")


# ---- the csv module: defines the rule, and says what is wrong ----------------------------------------------


def cells_by_csv(
    path: Path, data: bytes, names: list[str], delimiter: str, gone: Sequence[str]
) -> list[Cells]:
    """All columns, read with the standard library."""
    found = _records(path, data, delimiter)
    next(found)  # the header
    rows = []
    for line, fields in found:
        if len(fields) != len(names):
            raise FileFormatError(wrong_length(f"{path}, line {line}", names, fields))
        rows.append(fields)
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return [_column(path, name, cells, frozenset(gone)) for name, cells in zip(names, columns, strict=True)]


def wrong_length(where: str, names: Sequence[str], fields: Sequence[str]) -> str:
    """What to say of a row that is shorter or longer than the header."""
    return f"{where}: expected {len(names)} fields, as in the header, found {len(fields)}."


def without_header(path: object) -> str:
    """What to say of a file with nothing in it."""
    return f"{path} is empty; expected a row of column names, then one line a row."


def _records(path: Path, data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line it starts on; a line with nothing on it is no record."""
    lines = text_of(io.BytesIO(data))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FileFormatError(bad_quotes(f"{path}, line {line}", error, delimiter)) from None
        if fields:
            yield line, fields


def bad_quotes(where: str, error: csv.Error, delimiter: str) -> str:
    """What to say of a record that the csv module cannot part."""
    return (
        f"{where}: a field in quotes does not end well ({error}). Expected a quote right "
        f'before {delimiter!r} or the end of the line, and "" for a quote inside the field.'
    )


def _column(path: Path, name: str, cells: Sequence[str], gone: frozenset[str]) -> Cells:
    texts = [cell.strip(SPACES) for cell in cells]
    if not all(text in gone or _is_number(text) for text in texts):
        return factorised(name, [None if t in gone else cell for t, cell in zip(texts, cells, strict=True)])
    values = np.array([np.nan if text in gone else float(text) for text in texts], np.float64)
    for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER):
        refuse_inexact(texts[row], values[row], f"{path}: Column {name!r}, row {row}")
    return Column(name, "numeric"), read_only(values)


# ---- DuckDB: the same columns, faster ----------------------------------------------------------------------


def cells_by_duckdb(
    path: Path, data: bytes, names: list[str], delimiter: str, gone: Sequence[str]
) -> list[Cells] | None:
    """All columns, read with DuckDB; None if it is not installed or the file is one for the csv module."""
    # DuckDB makes a cell of a blank line if there is one column, errs in headers with a line end, forgives
    # spaces beside quotes, and does not see a quote behind a byte-order mark.
    strange = (b' "', b'" ', b'\t"', b'"\t', b'\xef\xbb\xbf"')
    if len(names) == 1 or any("\r" in name or "\n" in name for name in names):
        return None
    if b'"' in data and any(pair in data for pair in strange):
        return None
    try:
        import duckdb
    except ImportError:
        return None
    columns = [f"c{j}" for j in range(len(names))]
    absent = ", ".join("'" + text.replace("'", "''") + "'" for text in gone)
    known = (  # trimming is slow: only cells with a space
        f"CASE WHEN {c} IN ({absent}) THEN NULL WHEN contains({c}, ' ') OR contains({c}, '\t') THEN "
        f"CASE WHEN trim({c}, '{SPACES}') IN ({absent}) THEN NULL ELSE {c} END ELSE {c} END AS {c}"
        for c in columns
    )
    options = (
        "columns = $columns, delim = $delimiter, header = true, quote = '\"', escape = '\"', comment = '', "
        "strict_mode = true, auto_detect = false, compression = 'none', hive_partitioning = false"
    )
    query = f"CREATE TEMP TABLE cells AS SELECT {', '.join(known)} FROM read_csv($path, {options})"
    types = dict.fromkeys(columns, "VARCHAR")
    try:
        with duckdb.connect() as db:
            here = glob.escape(str(path.absolute()))
            db.execute(query, {"path": here, "columns": types, "delimiter": delimiter})
            return _typed(db, data, names, columns, delimiter)
    except duckdb.Error:
        return None  # the csv module reads what DuckDB cannot, or says what is wrong and on which line


def _typed(db: Any, data: bytes, names: list[str], columns: list[str], delimiter: str) -> list[Cells] | None:
    """The columns of the DuckDB table `cells` of text, in which NULL is missing."""

    def one(expressions: Sequence[str]) -> tuple[Any, ...]:
        return tuple(db.execute(f"SELECT {', '.join(expressions)} FROM cells").fetchone())

    def filled(expression: str, missing: float) -> Any:
        found = db.execute(f"SELECT {expression} AS found FROM cells").fetchnumpy()["found"]
        return read_only(np.ma.filled(found, missing))

    # DuckDB drops one empty field too many at the end of a row: no delimiter of the file may be left over.
    inside = [f"coalesce(sum(strlen({c}) - strlen(replace({c}, '{delimiter}', ''))), 0)" for c in columns]
    rows, *in_cells = one(["count(*)", *(inside if b'"' in data else [])])
    between = (len(names) - 1) * (rows + 1)
    if data.count(delimiter.encode()) != between + sum(in_cells) + "".join(names).count(delimiter):
        return None
    number, long_integer = (f"'[{SPACES}]*{text}[{SPACES}]*'" for text in (NUMBER, "[+-]?[0-9]{16,}"))
    kinds = one([f"coalesce(bool_and(regexp_full_match({c}, {number})), true)" for c in columns])
    cells: list[Cells] = []
    for name, c, numeric in zip(names, columns, kinds, strict=True):
        if not numeric:
            found = f"SELECT DISTINCT {c} FROM cells WHERE {c} IS NOT NULL ORDER BY {c}"
            db.execute(f"CREATE TYPE of_{c} AS ENUM ({found})")
            (categories,) = db.execute(f"SELECT enum_range(CAST(NULL AS of_{c}))").fetchone()
            codes = filled(f"CAST(enum_code(CAST({c} AS of_{c})) AS INTEGER)", MISSING)
            cells.append((Column(name, "nominal", tuple(categories)), codes))
            continue
        values = filled(f"CAST({c} AS DOUBLE)", np.nan)
        has_long = f"bool_or(regexp_full_match({c}, {long_integer}))"
        if np.any(np.abs(values) >= LARGEST_EXACT_INTEGER) and one([has_long]) == (True,):
            return None  # an integer beyond ±2^53, perhaps
        cells.append((Column(name, "numeric"), values))
    return cells
