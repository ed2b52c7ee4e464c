"""Read ARFF files: a header declares every attribute, and rows follow after @data.

{a, b, 'c d'} is a nominal column in declared order; numeric, real and integer are numeric columns; string is
a nominal column with sorted categories. A bare ? is a missing value. Sparse rows leave out cells that are 0 or the
first category.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from branchwork.errors import BranchworkError, CellTypeError, FileFormatError
from branchwork.table.cells import DATE_HINT, Cells, factorised
from branchwork.table.leave_out import dispensable, kept_places
from branchwork.table.lines import numbered_lines
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, Table, read_only
from branchwork.table.text_cells import parse_number, refuse_duplicates, refuse_inexact

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_VALUE = rf"""({_QUOTED}|[^\s,%{{}}'"][^,%{{}}]*)"""
_FIELD = re.compile(rf"\s*{_VALUE}?\s*(,|\}}|%|$)")
_SPARSE_FIELD = re.compile(rf"\s*([0-9]+)\s+{_VALUE}\s*(,|\}})")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+)\s*(.*)", re.IGNORECASE)
_RELATIONAL = re.compile(rf"@attribute\s+(?:{_QUOTED}|[^\s{{'\"]+)\s*relational\b", re.IGNORECASE)
_REST = re.compile(r"\s*(%.*)?$")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}

Field = str | None
"""A field as it is written in the file, with its quotes. None is an empty field."""
OMITTED = ""
"""Stands for an attribute that a sparse row leaves out."""


@dataclass(frozen=True)
class Attribute:
    """A declared column, and the reason if it cannot be used; the reason is raised only if the column is read."""

    column: Column
    refusal: BranchworkError | None = None

    @property
    def usable(self) -> Column:
        """The column, unless it cannot be used."""
        if self.refusal is not None:
            raise dispensable(self.refusal, self.column.name)
        return self.column


def read_arff(path: Path, drop: Any = None) -> Table:
    """Read an ARFF file, for example one that begins

    @relation weather
    @attribute outlook {sunny, overcast, rainy}
    @attribute temperature numeric
    @data
    sunny, 85
    """
    lines = numbered_lines(path)
    attributes = header(lines, path)
    names = [attribute.column.name for attribute in attributes]
    places = kept_places(names, drop, path)
    refuse_duplicates(path, [names[place] for place in places])
    columns = [attributes[place].usable for place in places]
    cells: list[list[Any]] = [[] for _ in columns]
    for where, row in data(lines, attributes, path):
        for column, place, column_cells in zip(columns, places, cells, strict=True):
            column_cells.append(stored(column, row[place], where))
    return table_of(columns, cells)


def header(lines: Iterable[tuple[int, str]], name: object) -> list[Attribute]:
    """Return what the file declares; lines are read up to @data."""
    attributes: list[Attribute] = []
    nested = False
    for where, word, line in _lines_of_note(lines, name):
        if nested:  # the attributes inside a relational one
            nested = word != "@end"
        elif word == "@attribute":
            attributes.append(_attribute(line.strip(), where))
            nested = _RELATIONAL.match(line.strip()) is not None
        elif word == "@data":
            if not attributes:
                raise FileFormatError(f"{where}: @data comes before any @attribute; expected at least one.")
            return attributes
        elif word != "@relation":
            raise FileFormatError(
                f"{where}: expected @relation, @attribute or @data, found {line.strip()!r}."
            )
    for attribute in attributes:
        _ = attribute.usable  # a type that cannot be read may be why there is no @data
    raise FileFormatError(
        f"{name} has no @data line; expected @relation, @attribute lines, @data, then rows."
    )


def data(
    lines: Iterable[tuple[int, str]], attributes: Sequence[Attribute], name: object
) -> Iterator[tuple[str, list[Field]]]:
    """Iterate over the rows below @data: where each stands, and its fields."""
    for where, _, line in _lines_of_note(lines, name):
        yield where, _row(line, len(attributes), where)


def stored(column: Column, field: Field, where: str) -> Any:
    """Return a field as its column stores it: a number, a code, undeclared text, or None if it is missing."""
    if field is None:
        raise FileFormatError(
            f"{where}: attribute {column.name!r} is empty; expected a value, or ? if missing."
        )
    if field == OMITTED:
        if column.is_nominal and not column.declared:
            raise FileFormatError(
                f"{where}: the sparse row leaves out {column.name!r}, a string attribute, which has no "
                "first value to stand for it."
            )
        return 0
    return None if is_absent(field) else declared_cell(column, text_of_field(field), where)


def shown(attribute: Attribute, field: Field) -> str | float | None:
    """Return a field for display, whether or not its column can be used: a number, text, or None if it is missing."""
    column = attribute.column
    if field is None or is_absent(field):
        return None
    if field == OMITTED:
        return str(column.categories[0]) if column.declared else None if column.is_nominal else 0
    text = text_of_field(field)
    number = None if column.is_nominal else parse_number(text)
    return text if number is None else number


def is_absent(field: str) -> bool:
    """Return whether a field is a bare ?, which means missing."""
    return field.rstrip() == "?"


def _lines_of_note(lines: Iterable[tuple[int, str]], name: object) -> Iterator[tuple[str, str, str]]:
    """Iterate over the lines that are neither blank nor a comment: where each is, its first word, and the line."""
    for number, line in lines:
        word = line.split(maxsplit=1)[0].lower() if line.strip() else "%"
        if not word.startswith("%"):
            yield f"{name}, line {number}", word, line


# ---- shared by the formats that declare their columns ------------------------------------------------------


def declared_cell(column: Column, text: str, where: str) -> float | int | str:
    """Return a known cell as its column stores it: a number, the code of a declared category, or undeclared text."""
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
    refuse_inexact(text, value, f"{where}: attribute {column.name!r}", column.name)
    return value


def table_of(columns: Sequence[Column], cells: Sequence[Sequence[Any]]) -> Table:
    """Make a table from columns and their stored cells, where None is a missing value."""
    finished = [
        finished_column(column, column_cells) for column, column_cells in zip(columns, cells, strict=True)
    ]
    return Table(Schema(tuple(column for column, _ in finished)), tuple(array for _, array in finished))


def finished_column(column: Column, cells: Sequence[Any]) -> Cells:
    """Return a column and its array, from its stored cells."""
    if not column.is_nominal:
        return column, read_only(np.array([math.nan if cell is None else cell for cell in cells], np.float64))
    if not column.declared:
        return factorised(column.name, cells)
    return column, read_only(np.array([MISSING if cell is None else cell for cell in cells], np.int32))


# ---- one line ----------------------------------------------------------------------------------------------


def _attribute(line: str, where: str) -> Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise FileFormatError(f"{where}: expected @attribute, a name and a type, found {line!r}.")
    name = text_of_field(match[1])
    try:
        return Attribute(_column(name, match[2], where))
    except BranchworkError as refusal:
        return Attribute(Column(name, "nominal"), refusal)


def _column(name: str, kind: str, where: str) -> Column:
    if kind.startswith("{"):
        fields, end = _fields(_FIELD, kind, 1, where)
        values = [text_of_field(field[1] or "") for field in fields]
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
            f"{where}: attribute {name!r} is of type {word}; expected numeric, string or {{values}}."
            f"{DATE_HINT if word.lower().startswith('date') else ''}"
        )
    raise FileFormatError(
        f"{where}: attribute {name!r} is {word!r}; expected numeric, real, integer, string or {{values}}."
    )


def _row(line: str, count: int, where: str) -> list[Field]:
    """Return the fields of a row, one for each attribute."""
    start = len(line) - len(line.lstrip())
    if line[start] == "{":
        return _sparse_row(line, start + 1, count, where)
    fields, _ = _fields(_FIELD, line, start, where)
    if len(fields) != count or fields[-1][2] == "}":
        found = "a }" if fields[-1][2] == "}" else str(len(fields))
        raise FileFormatError(f"{where}: expected {count} values, one per attribute, found {found}.")
    return [field[1] for field in fields]


def _sparse_row(line: str, start: int, count: int, where: str) -> list[Field]:
    given: dict[int, Field] = {}
    empty = re.compile(r"\s*\}").match(line, start)
    fields, end = ([], empty.end()) if empty else _fields(_SPARSE_FIELD, line, start, where)
    if not _REST.match(line, end):
        raise FileFormatError(
            f"{where}: expected nothing after the }} of a sparse row, found {line[end:].strip()!r}."
        )
    for field in fields:
        index = int(field[1])
        if index >= count or index in given:
            problem = (
                "is given twice" if index in given else f"is too high: there are {count}, counted from 0"
            )
            raise FileFormatError(f"{where}: attribute number {index} {problem}.")
        given[index] = field[2]
    return [given.get(index, OMITTED) for index in range(count)]


def _fields(pattern: re.Pattern[str], line: str, start: int, where: str) -> tuple[list[re.Match[str]], int]:
    """Return the comma-separated fields up to a closing brace, a comment or the end of the line, and where they end."""
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


def text_of_field(field: str) -> str:
    """Return the text of a field without its quotes and escapes."""
    if field[:1] in ("'", '"'):
        return re.sub(r"\\(.)", lambda escape: _CONTROL.get(escape[1], escape[1]), field[1:-1])
    return field.rstrip()
