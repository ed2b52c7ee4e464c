"""What the text formats share: numbers as they are written, and names of columns that occur once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from branchwork.errors import FileFormatError
from branchwork.table.leave_out import dispensable
from branchwork.table.table import LARGEST_EXACT_INTEGER

NUMBER = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))"
is_number = re.compile(NUMBER).fullmatch
_is_integer = re.compile(r"[+-]?[0-9]+").fullmatch


def parse_number(text: str) -> float | None:
    """Return the number that a text is, or None.

    >>> parse_number("-1.5e3"), parse_number("1,000"), parse_number("0x10")
    (-1500.0, None, None)
    """
    return float(text) if is_number(text) else None


def refuse_inexact(text: str, value: float, where: str, column: str) -> None:
    """Refuse a number written as an integer beyond ±2^53."""
    if abs(value) < LARGEST_EXACT_INTEGER or not _is_integer(text):
        return
    if abs(Decimal(text)) > LARGEST_EXACT_INTEGER:
        message = f"{where}: the integer {text} is beyond ±2^53, where numbers are no longer exact."
        raise dispensable(FileFormatError(message), column)


def refuse_duplicates(path: object, names: Sequence[str]) -> None:
    """Refuse a file that gives two columns one name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise FileFormatError(f"{path}: the column name {name!r} occurs {count} times; expected once.")
