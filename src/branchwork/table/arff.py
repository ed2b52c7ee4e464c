"""ARFF files: a header declares every attribute, rows follow after @data.

{a, b, 'c d'} is a nominal column in declared order; numeric, real and integer are numeric columns; string is
a nominal column with sorted categories. A bare ? is missing. Sparse rows leave out 0 and first categories.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from branchwork.errors import CellTypeError, FileFormatError
from branchwork.table.cells import Cells, factorised
from branchwork.table.csv_file import numbered_lines, parse_number, refuse_duplicates, refuse_inexact
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, Table, read_only

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_VALUE = rf"""({_QUOTED}|[^\s,%{{}}'"][^,%{{}}]*)"""
_FIELD = re.compile(rf"\s*{_VALUE}?\s*(,|\}}|%|$)")
_SPARSE_FIELD = re.compile(rf"\s*([0-9]+)\s+{_VALUE}\s*(,|\}})")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+)\s*(.*)", re.IGNORECASE)
_REST = re.compile(r"\s*(%.*)?$")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}


def read_arff(path: Path) -> Table:
    """Read an ARFF file, for example one that begins

    @relation weather
    @attribute outlook {sunny, overcast, rainy}
    @attribute temperature numeric
    @data
    sunny, 85
    """
    lines = numbered_lines(path)
    columns = header(lines, path)
    cells: list[list[Any]] = [[] for _ in columns]
    for _, row in data(lines, columns, path):
        for column_cells, cell in zip(cells, row, strict=True):
            column_cells.append(cell)
    return table_of(columns, cells)


def header(lines: Iterable[tuple[int, str]], name: object) -> list[Column]:
    """The declared columns; lines are read up to @data."""
    columns: list[Column] = []
    for where, word, line in _lines_of_note(lines, name):
        if word == "@attribute":
            columns.append(_attribute(line.strip(), where))
        elif word == "@data":
            if not columns:
                raise FileFormatError(f"{where}: @data comes before any @attribute; expected at least one.")
            refuse_duplicates(name, [column.name for column in columns])
            return columns
        elif word != "@relation":
            raise FileFormatError(
                f"{where}: expected @relation, @attribute or @data, found {line.strip()!r}."
            )
    raise FileFormatError(
        f"{name} has no @data line; expected @relation, @attribute lines, @data, then rows."
    )


def data(
    lines: Iterable[tuple[int, str]], columns: Sequence[Column], name: object
) -> Iterator[tuple[str, list[Any]]]:
    """The rows below @data, each with the place it stands at: numbers, codes, undeclared text and None."""
    for where, _, line in _lines_of_note(lines, name):
        yield where, _row(line, columns, where)


def _lines_of_note(lines: Iterable[tuple[int, str]], name: object) -> Iterator[tuple[str, str, str]]:
    """Lines that are neither blank nor a comment: where, the first word, the line."""
    for number, line in lines:
        word = line.split(maxsplit=1)[0].lower() if line.strip() else "%"
        if not word.startswith("%"):
            yield f"{name}, line {number}", word, line


# ---- shared by the formats that declare their columns ------------------------------------------------------


def declared_cell(column: Column, text: str, where: str) -> float | int | str:
    """A known cell as its column stores it: a number, the code of a declared category, or undeclared text."""
    if column.is_nominal:
        if not column.declared:
            return text
        code = column.code_of.get(text)
        if code is None:
            allowed = ", ".join(map(str, column.categories))
            raise FileFormatError(
                f"{where}: attribute {column.name!r} is {text!r}; expected one of {allowed}."
            )
        return code
    value = parse_number(text)
    if value is None:
        raise FileFormatError(f"{where}: attribute {column.name!r} is {text!r}; expected a number or ?.")
    refuse_inexact(text, value, f"{where}: attribute {column.name!r}")
    return value


def table_of(columns: Sequence[Column], cells: Sequence[Sequence[Any]]) -> Table:
    """Columns and their stored cells (None is missing) as a table."""
    finished = [
        finished_column(column, column_cells) for column, column_cells in zip(columns, cells, strict=True)
    ]
    return Table(Schema(tuple(column for column, _ in finished)), tuple(array for _, array in finished))


def finished_column(column: Column, cells: Sequence[Any]) -> Cells:
    """A declared column and its stored cells."""
    if not column.is_nominal:
        return column, read_only(np.array([math.nan if cell is None else cell for cell in cells], np.float64))
    if not column.declared:
        return factorised(column.name, cells)
    return column, read_only(np.array([MISSING if cell is None else cell for cell in cells], np.int32))


# ---- one line ----------------------------------------------------------------------------------------------


def _attribute(line: str, where: str) -> Column:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise FileFormatError(f"{where}: expected @attribute, a name and a type, found {line!r}.")
    name, kind = _text(match[1]), match[2]
    if kind.startswith("{"):
        fields, end = _fields(_FIELD, kind, 1, where)
        values = [_text(field[1] or "") for field in fields]
        if fields[-1][2] != "}" or not _REST.match(kind, end):
            raise FileFormatError(f"{where}: attribute {name!r}: expected its values in {{…}} on one line.")
        for value, field in zip(values, fields, strict=True):
            if field[1] is None or values.count(value) > 1:
                wrong = "an empty value" if field[1] is None else f"the value {value!r} twice"
                raise FileFormatError(f"{where}: attribute {name!r} declares {wrong}.")
        return Column(name, "nominal", tuple(values), declared=True)
    word = kind.partition("%")[0].strip()
    if word.lower() in ("numeric", "real", "integer"):
        return Column(name, "numeric")
    if word.lower() == "string":
        return Column(name, "nominal")
    if word.lower().startswith(("date", "relational")):
        raise CellTypeError(
            f"{where}: attribute {name!r} is of type {word}; expected numeric, string or {{values}}. "
            "Turn dates into numbers first, for example days since a fixed day."
        )
    raise FileFormatError(
        f"{where}: attribute {name!r} is {word!r}; expected numeric, real, integer, string or {{values}}."
    )


def _row(line: str, columns: Sequence[Column], where: str) -> list[Any]:
    """The cells of a row: each a number, a code, undeclared text or None."""
    start = len(line) - len(line.lstrip())
    if line[start] == "{":
        return _sparse_row(line, start + 1, columns, where)
    fields, _ = _fields(_FIELD, line, start, where)
    if len(fields) != len(columns) or fields[-1][2] == "}":
        found = "a }" if fields[-1][2] == "}" else str(len(fields))
        raise FileFormatError(f"{where}: expected {len(columns)} values, one an attribute, found {found}.")
    return [_cell(column, field[1], where) for column, field in zip(columns, fields, strict=True)]


def _sparse_row(line: str, start: int, columns: Sequence[Column], where: str) -> list[Any]:
    given: dict[int, Any] = {}
    empty = re.compile(r"\s*\}").match(line, start)
    fields, end = ([], empty.end()) if empty else _fields(_SPARSE_FIELD, line, start, where)
    if not _REST.match(line, end):
        raise FileFormatError(
            f"{where}: expected nothing after the }} of a sparse row, found {line[end:].strip()!r}."
        )
    for field in fields:
        index = int(field[1])
        if index >= len(columns) or index in given:
            problem = (
                "is given twice"
                if index in given
                else f"is too high: there are {len(columns)}, counted from 0"
            )
            raise FileFormatError(f"{where}: attribute number {index} {problem}.")
        given[index] = _cell(columns[index], field[2], where)
    for index, column in enumerate(columns):
        if index not in given and column.is_nominal and not column.declared:
            raise FileFormatError(
                f"{where}: the sparse row leaves out {column.name!r}, a string attribute, which has no "
                "first value to stand for it."
            )
    return [given.get(index, 0) for index in range(len(columns))]


def _fields(pattern: re.Pattern[str], line: str, start: int, where: str) -> tuple[list[re.Match[str]], int]:
    """Comma-separated fields up to a closing brace, a comment or the end of the line, and where they end."""
    fields: list[re.Match[str]] = []
    while True:
        field = pattern.match(line, start)
        if field is None:
            wanted = "number and value" if pattern is _SPARSE_FIELD else "value"
            raise FileFormatError(
                f"{where}: expected a {wanted}, then a comma or the end; found {line[start:]!r}."
            )
        fields.append(field)
        start = field.end()
        if not field.group().endswith(","):
            return fields, start


def _cell(column: Column, field: str | None, where: str) -> Any:
    if field is None:
        raise FileFormatError(
            f"{where}: attribute {column.name!r} is empty; expected a value, or ? if missing."
        )
    return None if field.rstrip() == "?" else declared_cell(column, _text(field), where)


def _text(field: str) -> str:
    """The text of a field: without its quotes and escapes."""
    if field[:1] in ("'", '"'):
        return re.sub(r"\\(.)", lambda escape: _CONTROL.get(escape[1], escape[1]), field[1:-1])
    return field.rstrip()
