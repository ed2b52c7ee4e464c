"""Read C4.5's pair of files: .names declares the classes and the attributes, .data holds one case per line.

"attr: continuous." is a numeric column, "attr: a, b." a nominal one in declared order, "attr: discrete 9." a
nominal one with sorted categories, and "attr: ignore." is left out. The last field is the class; its column is
called "class".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchwork.errors import BranchworkError, FileFormatError
from branchwork.table.arff import Attribute, declared_cell, table_of
from branchwork.table.leave_out import kept_places
from branchwork.table.lines import numbered_lines
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.table.text_cells import refuse_duplicates

CLASS = "class"
"""Name of the last column."""

_UNCOMMENTED = re.compile(r"(?:\\.?|[^\\|])*")
# A period ends an entry only before a space or the end of the line.
_PIECE = re.compile(r"(?:\\.|\.(?=\S)|[^\\.:,])+|[:,.]")
_FIELD = re.compile(r"(?:\\.?|[^\\,])*")


@dataclass(frozen=True)
class _Attribute(Attribute):
    ignored: bool = False
    most_values: int | None = None  # of "discrete 9."


def read_c45(path: Path, drop: Any = None) -> Table:
    """Read a pair of files. The path may name either of them, for example

    .names:  no, yes.                       .data:  sunny, 85, no
             outlook: sunny, rainy.                 rainy, ?, yes
             temperature: continuous.
    """
    names, data = _pair(path)
    attributes = _attributes(names)
    places = [
        place for place in kept_places(_names_of(attributes), drop, names) if not attributes[place].ignored
    ]
    refuse_duplicates(names, [attributes[place].column.name for place in places])
    columns = [attributes[place].usable for place in places]
    cells: list[list[Any]] = [[] for _ in attributes]
    found: list[set[str]] = [set() for _ in attributes]
    for number, line in numbered_lines(data):
        row = _uncommented(line)
        if not row:
            continue
        where = f"{data}, line {number}"
        fields = _split(re.sub(r"(?<!\\)\.$", "", row))
        if len(fields) != len(attributes):
            raise FileFormatError(
                f"{where}: expected {len(attributes)} fields ({len(attributes) - 1} and the class), "
                f"as {names.name} declares, found {len(fields)}."
            )
        for j in places:
            attribute, text = attributes[j], fields[j].strip()
            cell = None if text == "?" else declared_cell(attribute.column, _clean(text), where)
            cells[j].append(cell)
            if attribute.most_values is not None and isinstance(cell, str):
                found[j].add(cell)
                if len(found[j]) > attribute.most_values:
                    raise FileFormatError(
                        f"{where}: attribute {attribute.column.name!r} is {cell!r}, one value too many; "
                        f"expected at most {attribute.most_values}, as {names.name} declares."
                    )
    return table_of(columns, [cells[j] for j in places])


def c45_names(path: Path) -> list[str]:
    """Return the names of all columns of a pair of files. The path may name either of them."""
    return _names_of(_attributes(_pair(path)[0]))


def _names_of(attributes: list[_Attribute]) -> list[str]:
    return [attribute.column.name for attribute in attributes]


def _pair(path: Path) -> tuple[Path, Path]:
    names, data = path.with_suffix(".names"), path.with_suffix(".data")
    if path.suffix.lower() == ".names":
        names = path
    else:
        data = path
    for half in (names, data):
        if not half.is_file():
            raise FileFormatError(
                f"{path} is one of a pair in C4.5's format; expected {half.name} beside it, found none. "
                "If it is a table with a header row, give it the suffix .csv."
            )
    return names, data


# ---- .names ------------------------------------------------------------------------------------------------


def _attributes(path: Path) -> list[_Attribute]:
    """Return what the fields of a row are; the class is the last."""
    entries = _entries(path)
    number, pieces = next(entries, (1, []))
    where = f"{path}, line {number}"
    if not _alternates(pieces):
        raise FileFormatError(f"{where}: expected the classes, as in 'no, yes.', found {' '.join(pieces)!r}.")
    classes = _values(CLASS, pieces[::2], where)
    attributes = [_attribute(pieces, f"{path}, line {number}") for number, pieces in entries]
    attributes.append(_Attribute(Column(CLASS, "nominal", classes, declared=True)))
    return attributes


def _entries(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Return the entries as names, colons and commas.

    An entry ends with a period, or at the end of a line that leaves nothing open.
    """
    pieces: list[str] = []
    start = 1
    for number, line in numbered_lines(path):
        for piece in map(str.strip, _PIECE.findall(_uncommented(line))):
            if not piece:
                continue
            start = start if pieces else number
            if piece != ".":
                pieces.append(piece)
            elif pieces:
                yield start, pieces
                pieces = []
        if pieces and pieces[-1] not in (",", ":"):
            yield start, pieces
            pieces = []
    if pieces:
        yield start, pieces


def _attribute(pieces: list[str], where: str) -> _Attribute:
    if pieces[1:2] != [":"] or not _alternates([pieces[0]]) or not _alternates(pieces[2:]):
        raise FileFormatError(
            f"{where}: expected an attribute, as in 'age: continuous.' or 'wind: strong, weak.', found "
            f"{' '.join(pieces)!r}."
        )
    name = _clean(pieces[0])
    try:
        return _declared(name, pieces[2::2], where)
    except BranchworkError as refusal:
        return _Attribute(Column(name, "nominal"), refusal)


def _declared(name: str, values: list[str], where: str) -> _Attribute:
    if len(values) > 1:
        return _Attribute(Column(name, "nominal", _values(name, values, where), declared=True))
    word, _, count = _clean(values[0]).lower().partition(" ")
    if word == "continuous" and not count:
        return _Attribute(Column(name, "numeric"))
    if word == "ignore" and not count:
        return _Attribute(Column(name, "nominal"), ignored=True)
    if word == "discrete" and count.isdecimal():
        return _Attribute(Column(name, "nominal"), most_values=int(count))
    raise FileFormatError(
        f"{where}: attribute {name!r} is {values[0]!r}; expected continuous, ignore, discrete and a number, "
        "or at least two values with commas between."
    )


def _values(name: str, raw: list[str], where: str) -> tuple[str, ...]:
    values = tuple(map(_clean, raw))
    for value in values:
        if values.count(value) > 1:
            raise FileFormatError(f"{where}: {name!r} declares the value {value!r} twice.")
    return values


def _alternates(pieces: list[str]) -> bool:
    """Return whether these are names with commas between them."""
    commas = set(pieces[1::2]) <= {","}
    return commas and len(pieces) % 2 == 1 and not {",", ":"} & set(pieces[::2])


# ---- text --------------------------------------------------------------------------------------------------


def _uncommented(line: str) -> str:
    match = _UNCOMMENTED.match(line)
    return match.group().strip() if match else ""


def _split(row: str) -> list[str]:
    if "\\" not in row:
        return row.split(",")
    fields, start = [], 0
    while (match := _FIELD.match(row, start)) is not None:
        fields.append(match.group())
        start = match.end() + 1
        if match.end() >= len(row):
            break
    return fields


def _clean(text: str) -> str:
    """Return text without its escapes, and with runs of spaces made one space."""
    return re.sub(r"\\(.)", r"\1", " ".join(text.split()))
