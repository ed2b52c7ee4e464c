"""Check settings: each check takes a name and a value, and returns the value as plain Python or refuses it.

Numbers and strings of NumPy are accepted like Python's. True and False are never numbers. A fit runs all checks, so
each takes well below a microsecond: plain Python values, the usual case, are checked first.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from branchwork.errors import ParameterError, did_you_mean, shown

Check = Callable[[str, Any], Any]


def one_of(name: str, value: object, literal: Any) -> Any:
    """Refuse a word that is not in a Literal, or in a Literal or None."""
    return word_in(literal)(name, value)


def word_in(literal: Any) -> Check:
    """Return a check that refuses words that are not in a Literal, or in a Literal or None."""
    known = {word: word for word in _words(literal)}

    def check(name: str, value: Any) -> Any:
        try:
            return known[value]
        except (KeyError, TypeError):  # an unknown word, or something that cannot be one
            words = [word for word in known if isinstance(word, str)]
            hint = did_you_mean(value, words) if isinstance(value, str) else ""
            raise ParameterError(
                f"{name}={shown(value)} is not known.{hint} Expected one of {', '.join(map(repr, known))}."
            ) from None

    return check


def _words(literal: Any) -> list[str | None]:
    """Return the words of a Literal; those of `Literal[...] | None` include None."""
    found: list[str | None] = []
    for part in get_args(literal):
        found.extend(get_args(part) or [None if part is type(None) else part])
    return found


def true_or_false(name: str, value: Any) -> bool:
    """Refuse anything but True and False; 1 and 0 are refused, too."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ParameterError(f"{name}={shown(value)}; expected True or False.")


def number_in(
    name: str,
    value: Any,
    *,
    low: float,
    high: float = math.inf,
    low_excluded: bool = False,
    none: bool = False,
) -> Any:
    """Refuse anything but a finite number within limits; with `none`, accept None, too."""
    if value is None and none:
        return None
    plain = value if type(value) in (float, int) else _plain(value)
    is_finite = plain is not None and -sys.float_info.max <= plain <= sys.float_info.max
    if is_finite and plain <= high and (low < plain if low_excluded else low <= plain):
        return plain
    expected = f"a {'' if is_finite else 'finite '}number {'above' if low_excluded else 'of at least'} {low}"
    expected += f" and at most {high}" if high < math.inf else ""
    raise ParameterError(f"{name}={shown(value)}; expected {expected}{', or None' if none else ''}.")


def _plain(value: Any) -> Any:
    """Return a number of any type as an int or a float, or None if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    except OverflowError:  # a fraction of large numbers
        return None


def whole_number(name: str, value: Any, *, low: int, none: bool = False) -> Any:
    """Refuse anything but a whole number of at least `low`; with `none`, accept None, too."""
    if value is None and none:
        return None
    kind = type(value)
    if (kind is int or (isinstance(value, numbers.Integral) and kind is not bool)) and value >= low:
        return int(value)
    more = ", or None" if none else ""
    raise ParameterError(f"{name}={shown(value)}; expected a whole number of at least {low}{more}.")


def smoothing_of(name: str, value: Any) -> Any:
    """Refuse anything but None, "laplace" or the m of an m-estimate."""
    if value is None:
        return None
    if isinstance(value, str):
        if value == "laplace":
            return "laplace"
        raise ParameterError(f'{name}={shown(value)} is not known; expected None, "laplace" or a number m.')
    return number_in(name, value, low=0)


def count_or_share(name: str, value: Any, others: str = "") -> int | float:
    """Refuse anything but a whole number of at least 1 or a share above 0 and up to 1.0."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    if is_number and isinstance(value, numbers.Integral) and int(value) >= 1:
        return int(value)
    if is_number and not isinstance(value, numbers.Integral) and 0 < value <= 1:
        return float(value)
    expected = f"{others}, " if others else ""
    raise ParameterError(
        f"{name}={shown(value)}; expected {expected}a whole number of at least 1, or a share above 0 and up to 1.0."
    )
