"""Read untrusted JSON strictly: every value is read by its type, and every error names its place."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Any, Never

from branchwork.errors import ModelFormatError
from branchwork.tree.split import harmless

MOST_TEXT = 64 * 2**20
"""The largest size of the JSON in a file, in bytes. Larger models belong into the arrays of a .bw file."""
MOST_VALUES = 4_000_000
"""The largest number of values in it: each takes up to a hundred bytes of memory."""


def wrong(place: str, message: str) -> ModelFormatError:
    """Return the error that says what is wrong, and where."""
    return ModelFormatError(f"{harmless(place[:120])}: {message}.")


def refuse(place: str, message: str) -> Never:
    """Raise the error that says what is wrong, and where."""
    raise wrong(place, message)


def too_much(data: bytes) -> str | None:
    """Return the message for JSON that is too large, or None if it is not."""
    if len(data) > MOST_TEXT:
        return f"{len(data)} bytes of JSON; at most {MOST_TEXT} are read"
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        return f"more than {MOST_VALUES} values"
    return None


def parse(data: bytes, place: str) -> Any:
    """Parse JSON. Refuse repeated names in an object, NaN, and anything too large or too deep."""
    if complaint := too_much(data):
        refuse(place, complaint)
    try:
        text = data.decode("utf-8")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except UnicodeDecodeError as error:
        refuse(place, f"byte {error.start} is not UTF-8")
    except json.JSONDecodeError as error:
        refuse(place, f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}")
    except RecursionError:
        refuse(place, "not JSON of a model: nested too deep")
    except ModelFormatError:
        raise
    except ValueError:  # Python refuses numbers of more than 4 300 digits
        refuse(place, "a number with too many digits")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ModelFormatError(f"{_shown(twice)} occurs twice in one object.")
    return found


def _constant(word: str) -> Never:
    raise ModelFormatError(f"{word} is not JSON.")


def _shown(found: Any) -> str:
    """Return a value for a message: short, and with control characters escaped."""
    if isinstance(found, str):
        return harmless(repr(found[:40])) + "…" * (len(found) > 40)
    if isinstance(found, dict | list):
        return "an object" if isinstance(found, dict) else "a list"
    return "null" if found is None else json.dumps(found) if isinstance(found, bool | float) else _int(found)


def _int(found: int) -> str:
    return str(found) if abs(found) < 10**20 else "a huge number"


def an_object(
    found: Any, place: str, needed: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Return an object that must have these names and no others."""
    if not isinstance(found, dict):
        refuse(place, f"expected an object, found {_shown(found)}")
    for name in needed:
        if name not in found:
            refuse(place, f"{name} is missing")
    for name in found if len(found) > len(needed) else ():
        if name not in needed and name not in optional:
            refuse(place, f"{_shown(name)} is not known")
    return found


def a_list(found: Any, place: str, length: int | None = None) -> list[Any]:
    """Return a list, of this length if one is given."""
    if not isinstance(found, list):
        refuse(place, f"expected a list, found {_shown(found)}")
    if length is not None and len(found) != length:
        refuse(place, f"expected {length} items, found {len(found)}")
    return found


def a_text(found: Any, place: str) -> str:
    """Return text that can be encoded: it may not contain a lone surrogate, half of a character."""
    if not isinstance(found, str):
        refuse(place, f"expected text, found {_shown(found)}")
    if not (found.isascii() or writable(found)):
        refuse(place, "half a character (a lone surrogate)")
    return found


def writable(text: str) -> bool:
    """Return whether text has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_of(found: Any, place: str, known: Collection[str]) -> str:
    """Return a text that must be one of some words."""
    if not isinstance(found, str) or found not in known:
        refuse(place, f"expected one of {', '.join(map(repr, known))}, found {_shown(found)}")
    return found


def a_flag(found: Any, place: str) -> bool:
    """Return true or false."""
    if not isinstance(found, bool):
        refuse(place, f"expected true or false, found {_shown(found)}")
    return found


def a_whole(found: Any, place: str, low: int, high: int) -> int:
    """Return an integer between two limits, both included."""
    if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
        refuse(place, f"expected a whole number from {low} to {high}, found {_shown(found)}")
    return found


def are_whole(found: Any, length: int, high: int) -> bool:
    """Return whether this is a list of this many integers, each between 0 and `high`, both included."""
    if not isinstance(found, list) or len(found) != length:
        return False
    for number in found:  # noqa: SIM110 - all(…) takes three times as long, and large files have many
        if type(number) is not int or not 0 <= number <= high:
            return False
    return True


def a_number(found: Any, place: str) -> float:
    """Return a number: null is NaN, "inf" and "-inf" are infinite."""
    if found is None:
        return math.nan
    if found in ("inf", "-inf"):
        return float(found)
    if isinstance(found, float) and math.isfinite(found):
        return found
    if isinstance(found, int) and not isinstance(found, bool) and abs(found) <= 2**53:
        return float(found)
    refuse(place, f'expected a number, null, "inf" or "-inf", found {_shown(found)}')


def number_as_json(number: float) -> float | str | None:
    """Return a number in the form that `a_number` reads."""
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else repr(number)
