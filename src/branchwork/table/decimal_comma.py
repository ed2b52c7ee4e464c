"""Read numbers with decimal commas, as 12,5 in files whose cells are separated by ; or tab.

A column of text becomes a column of numbers if all its known cells are numbers with a comma in place of the point. In a
file with commas between the cells this happens only on request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from branchwork.errors import DecimalWarning, ParameterError, shown, warn
from branchwork.table.cells import Cells
from branchwork.table.csv_records import SPACES
from branchwork.table.schema import Column
from branchwork.table.table import read_only
from branchwork.table.text_cells import parse_number, refuse_inexact

Decimal = Literal[".", ","]

MOST_NAMED = 5
"""The largest number of columns that a message names."""
_has_comma = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+,(?:[eE][+-]?[0-9]+)?").fullmatch
_has_thousands = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+").fullmatch
_may_be_thousands = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}").fullmatch


def check_decimal(decimal: Any) -> Decimal | None:
    """Refuse a decimal mark that is neither "." nor ","."""
    if decimal is not None and decimal not in get_args(Decimal):
        raise ParameterError(f"decimal={shown(decimal)}; expected '.' or ','.")
    return decimal  # type: ignore[no-any-return]


def parse_comma(text: str) -> float | None:
    """Return the number that a text spells with a decimal comma, or without any mark; None if it spells none.

    >>> parse_comma("12,5"), parse_comma("1.234,5"), parse_comma("12"), parse_comma("12.5"), parse_comma("1,2,3")
    (12.5, 1234.5, 12.0, None, None)
    """
    plain = text.replace(".", "") if _has_thousands(text) else text
    if "." in plain:
        return None
    return float(plain.replace(",", ".")) if _has_comma(plain) else parse_number(plain)


def parse_either(text: str) -> float | None:
    """Return the number that a text spells with a decimal point or a decimal comma; None if it spells none."""
    found = parse_number(text)
    return parse_comma(text) if found is None else found


def takes_commas(delimiter: str, decimal: Decimal | None) -> bool:
    """Return whether a file may have decimal commas: on request, or if its cells are not separated by commas."""
    return decimal == "," or (decimal is None and delimiter != ",")


def with_decimal_commas(
    path: object, cells: Sequence[Cells], delimiter: str, decimal: Decimal | None
) -> list[Cells]:
    """Return the columns of a file; those with decimal commas are numeric. Say so unless it was asked for."""
    if not takes_commas(delimiter, decimal):
        return list(cells)
    found = {place: texts for place, (column, _) in enumerate(cells) if (texts := comma_texts(column))}
    if not found:
        return list(cells)
    names = [cells[place][0].name for place in found]
    if decimal is None:
        with_point = next((column.name for column, array in cells if _has_fractions(column, array)), None)
        example = next(iter(found.values()))[0]
        if with_point is not None:
            warn(
                f"{path}: {_columns(names)} held as text, because {example!r} has a comma where column {with_point!r} "
                "has decimal points. If it is a decimal comma, say decimal=',' (--decimal ,).",
                DecimalWarning,
            )
            return list(cells)
        warn(f"{path}: {_columns(names)} read with decimal commas: {_assumed(found, names)}", DecimalWarning)
    return [_numeric(path, *one) if place in found else one for place, one in enumerate(cells)]


def comma_texts(column: Column) -> list[str]:
    """Return the categories with a decimal comma, if all categories of a column are numbers written like this."""
    if not column.is_nominal:
        return []
    texts = [str(category).strip(SPACES) for category in column.categories]
    if any(parse_comma(text) is None for text in texts):
        return []
    return [text for text in texts if "," in text]


def _has_fractions(column: Column, array: Any) -> bool:
    if column.is_nominal:
        return False
    known = array[np.isfinite(array)]
    return bool((known != np.floor(known)).any())


def _columns(names: Sequence[str]) -> str:
    listed = ", ".join(map(repr, names[:MOST_NAMED]))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"column {listed} was" if len(names) == 1 else f"columns {listed}{more} were"


def _assumed(found: dict[int, list[str]], names: Sequence[str]) -> str:
    """Say how cells were read, and which of them could mean thousands."""
    unclear = [
        (name, texts[0])
        for name, texts in zip(names, found.values(), strict=True)
        if all(map(_may_be_thousands, texts))
    ]
    if not unclear:
        example = next(iter(found.values()))[0]
        return (
            f"{example!r} is {parse_comma(example):g}. decimal=',' confirms it, decimal='.' keeps the text."
        )
    name, text = unclear[0]
    return (
        f"{text!r} in column {name!r} is taken for {parse_comma(text):g}, not for {text.replace(',', '')}. decimal=',' "
        "confirms it, decimal='.' keeps the text."
    )


def _numeric(path: object, column: Column, codes: Any) -> Cells:
    values = np.full(len(column.categories) + 1, np.nan)  # code -1 is the last one, missing
    for code, category in enumerate(column.categories):
        text = str(category).strip(SPACES)
        values[code] = parse_comma(text)
        plain = text.replace(".", "").replace(",", ".")
        refuse_inexact(plain, values[code], f"{path}: Column {column.name!r}", column.name)
    return Column(column.name, "numeric"), read_only(values[codes])
