"""JSON from strangers: read without surprises, each thing asked for by its type, and each complaint with its place."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Any, Never

from branchwork.errors import ModelFormatError
from branchwork.tree.split import harmless

MOST_TEXT = 64 * 2**20
"""Bytes of JSON in a file. What is larger belongs into the arrays of a .bw file."""
MOST_VALUES = 4_000_000
"""Values in it: each takes up to a hundred bytes once it is read."""


def wrong(place: str, message: str) -> ModelFormatError:
    """What is wrong, and where."""
    return ModelFormatError(f"{harmless(place[:120])}: {message}.")


def refuse(place: str, message: str) -> Never:
    """Say what is wrong, and where."""
    raise wrong(place, message)


def too_much(data: bytes) -> str | None:
    """What to say of JSON that is too large to be read; None: it is not."""
    if len(data) > MOST_TEXT:
        return f"{len(data)} bytes of JSON; at most {MOST_TEXT} are read"
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        return f"more than {MOST_VALUES} values"
    return None


def parse(data: bytes, place: str) -> Any:
    """Read JSON: no name twice in an object, no NaN, nothing too large or too deep."""
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
    except ValueError:  # Python reads no number of more than 4 300 digits
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
    """A value for a message: not long, and harmless."""
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
    """An object with these names and no others."""
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
    """A list, of this length if one is given."""
    if not isinstance(found, list):
        refuse(place, f"expected a list, found {_shown(found)}")
    if length is not None and len(found) != length:
        refuse(place, f"expected {length} items, found {len(found)}")
    return found


def a_text(found: Any, place: str) -> str:
    """Text that can be written down: half a character (a lone surrogate) cannot."""
    if not isinstance(found, str):
        refuse(place, f"expected text, found {_shown(found)}")
    if not (found.isascii() or writable(found)):
        refuse(place, "half a character (a lone surrogate)")
    return found


def writable(text: str) -> bool:
    """Whether text has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_of(found: Any, place: str, known: Collection[str]) -> str:
    """One of some words."""
    if not isinstance(found, str) or found not in known:
        refuse(place, f"expected one of {', '.join(map(repr, known))}, found {_shown(found)}")
    return found


def a_flag(found: Any, place: str) -> bool:
    """True or false."""
    if not isinstance(found, bool):
        refuse(place, f"expected true or false, found {_shown(found)}")
    return found


def a_whole(found: Any, place: str, low: int, high: int) -> int:
    """A whole number between two, both included."""
    if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
        refuse(place, f"expected a whole number from {low} to {high}, found {_shown(found)}")
    return found


def are_whole(found: Any, length: int, high: int) -> bool:
    """Whether this is a list of so many whole numbers, each between 0 and `high`, both included."""
    if not isinstance(found, list) or len(found) != length:
        return False
    for number in found:  # noqa: SIM110 - all(…) takes three times as long, and large files have many
        if type(number) is not int or not 0 <= number <= high:
            return False
    return True


def a_number(found: Any, place: str) -> float:
    """A number: null is not-a-number, "inf" and "-inf" are infinite."""
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
    """The number as `a_number` reads it."""
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else repr(number)
