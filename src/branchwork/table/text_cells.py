"""Share what all text formats need: parsing numbers and checking the names of columns."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from branchwork.errors import FileFormatError
from branchwork.table.leave_out import dispensable
from branchwork.table.table import LARGEST_EXACT_INTEGER

NUMBER = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))"
is_number = re.compile(NUMBER).fullmatch
_is_integer = re.compile(r"[+-]?[0-9]+").fullmatch
_is_written_out = re.compile(r"[+-]?[0-9]*\.?[0-9]*").fullmatch


def parse_number(text: str) -> float | None:
    """Return the number that a text spells, or None.

    >>> parse_number("-1.5e3"), parse_number("1,000"), parse_number("0x10")
    (-1500.0, None, None)
    """
    return float(text) if is_number(text) else None


def refuse_inexact(text: str, value: float, where: str, column: str) -> None:
    """Refuse a number that float64 cannot hold: an integer beyond ±2^53 written in full, or one beyond its range.

    A number with an exponent (1e23) is taken for a measurement and rounded to the nearest float64, as fractions are.
    """
    if abs(value) < LARGEST_EXACT_INTEGER:
        return
    if math.isinf(value) and any(character.isdigit() for character in text):
        message = (
            f"{where}: the number {_short(text)} is beyond ±{sys.float_info.max:.2g}, the largest float64."
        )
    elif _is_integer(text) and abs(Decimal(text)) > LARGEST_EXACT_INTEGER:
        message = f"{where}: the integer {_short(text)} is beyond ±2^53, where numbers are no longer exact."
    elif _is_written_out(text) and Decimal(text) != Decimal(value):
        message = f"{where}: the number {_short(text)} is beyond ±2^53, where numbers are no longer exact."
    else:
        return
    raise dispensable(FileFormatError(message), column)


def _short(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def refuse_duplicates(path: object, names: Sequence[str]) -> None:
    """Refuse a file in which two columns have the same name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise FileFormatError(f"{path}: the column name {name!r} occurs {count} times; expected once.")
