"""Read parts of an untrusted JSON document.

A part of the wrong type raises a ModelFormatError that says where it is.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError

LARGEST = 2**31 - 1
"""The largest integer that counts something or points somewhere."""


def parsed(text: str | bytes) -> Any:
    """Parse JSON of any depth and with any numbers, or raise a ModelFormatError."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ModelFormatError("The JSON is nested too deep for a model.") from None
    except ValueError as error:
        raise ModelFormatError(f"Not JSON: {error}.") from None


def refuse(place: str, found: Any, expected: str) -> ModelFormatError:
    """Return the error about a part that is not as it should be."""
    shown = repr(found)
    return ModelFormatError(
        f"{place}: expected {expected}, found {shown[:60]}{'…' if len(shown) > 60 else ''}."
    )


def part(document: Any, *keys: str) -> Any:
    """Return the part that is found by following some keys."""
    at = document
    for depth, key in enumerate(keys):
        if not isinstance(at, dict) or key not in at:
            raise ModelFormatError(f"The model has no {'.'.join(keys[: depth + 1])}.")
        at = at[key]
    return at


def maybe(document: Any, key: str, otherwise: Any) -> Any:
    """Return the part under a key, if there is one."""
    if not isinstance(document, dict):
        raise refuse(key, document, "an object that may have it")
    return document.get(key, otherwise)


def listed(found: Any, place: str, length: int | None = None) -> list[Any]:
    """Return a list, of this length if one is given."""
    if not isinstance(found, list):
        raise refuse(place, found, "a list")
    if length is not None and len(found) != length:
        raise ModelFormatError(f"{place} has {len(found)} entries, expected {length}.")
    return found


def whole(found: Any, place: str, upto: int = LARGEST) -> int:
    """Return an integer from 0 on, which may be written as text."""
    try:
        number = int(found) if isinstance(found, str | int) and not isinstance(found, bool) else -1
    except ValueError:
        number = -1
    if not 0 <= number <= upto:
        raise refuse(place, found, f"a whole number from 0 to {upto}")
    return number


def wholes(found: Any, place: str, length: int | None = None, *, lowest: int = -1) -> npt.NDArray[np.int64]:
    """Return integers that point from node to node."""
    items = listed(found, place, length)
    for item in items:
        if type(item) not in (int, bool) or not lowest <= item <= LARGEST:
            raise refuse(place, item, f"whole numbers from {lowest} to {LARGEST}")
    return np.array(items, np.int64)


def numbers(found: Any, place: str, length: int | None = None) -> npt.NDArray[np.float64]:
    """Return numbers of any kind, including infinity and NaN."""
    items = listed(found, place, length)
    for item in items:
        if type(item) not in (int, float):
            raise refuse(place, item, "numbers")
    try:
        return np.array([float(item) for item in items])
    except OverflowError:
        raise ModelFormatError(f"{place} holds a number that is too large.") from None


def finite(array: npt.NDArray[np.float64], place: str) -> npt.NDArray[np.float64]:
    """Return the same numbers if all are finite."""
    if not np.isfinite(array).all():
        raise refuse(place, array[np.argmin(np.isfinite(array))].item(), "finite numbers")
    return array


def decimal(found: Any, place: str) -> float:
    """Return a finite number, which may be written as text."""
    try:
        number = float(found) if isinstance(found, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise refuse(place, found, "a number")
    return number


def texts(found: Any, place: str) -> list[str]:
    """Return a list of texts."""
    for item in listed(found, place):
        if not isinstance(item, str):
            raise refuse(place, item, "text")
    return list(found)
