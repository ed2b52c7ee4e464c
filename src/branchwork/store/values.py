"""Write and read labels and categories as JSON, each in its own type: text, integers of any size, floats, booleans.

A value that JSON cannot express is an object with one name:

    {"int": "0x8000000000000000"}      an integer beyond 64 bits
    {"float": "nan"}                   nan, inf or -inf
    {"text": "d800"}                   text with a lone surrogate in it, in UTF-16
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from typing import Any

from branchwork.store.strict import a_text, an_object, refuse, writable, wrong

LARGEST = 2**63
TAGS = frozenset({"int", "float", "text"})
HEXADECIMAL = re.compile(r"-?0x[0-9a-f]+")


def as_json(value: Hashable, place: str) -> Any:
    """Return a label or category as JSON.

    >>> as_json(True, "here"), as_json(1.0, "here"), as_json(2**70, "here")
    (True, 1.0, {'int': '0x400000000000000000'})
    """
    if type(value) is str:
        return value if writable(value) else {"text": value.encode("utf-16-be", "surrogatepass").hex()}
    if type(value) is int:
        return value if abs(value) < LARGEST else {"int": hex(value)}
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if type(value) is bool:
        return value
    raise wrong(place, f"a {type(value).__name__}; a model file holds text, numbers and booleans only")


def from_json(found: Any, place: str) -> Hashable:
    """Return the value that `as_json` wrote."""
    if isinstance(found, str):
        return a_text(found, place)
    if isinstance(found, bool) or (isinstance(found, int) and abs(found) < LARGEST):
        return found
    if isinstance(found, float) and math.isfinite(found):
        return found
    kind, text = _tagged(found, place)
    if kind == "float" and text in ("nan", "inf", "-inf"):
        return float(text)
    if kind == "int" and HEXADECIMAL.fullmatch(text) and abs(whole := int(text, 16)) >= LARGEST:
        return whole
    if kind == "text":
        try:
            return bytes.fromhex(text).decode("utf-16-be", "surrogatepass")
        except ValueError:
            pass
    raise wrong(place, f"{kind} has an invalid value")


def _tagged(found: Any, place: str) -> tuple[str, str]:
    if not isinstance(found, dict) or len(found) != 1:
        refuse(place, "expected text, a number or a boolean")
    (kind,) = an_object(found, place, (), TAGS)
    return kind, a_text(found[kind], place)


def plain(value: Any, place: str, depth: int = 8) -> Any:
    """Return settings as plain data that JSON can hold."""
    if depth == 0:
        refuse(place, "nested too deep")
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value) or value.keys() & TAGS:
            refuse(place, f"names must be text, and none of {', '.join(sorted(TAGS))}")
        return {name: plain(item, f"{place}.{name}", depth - 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{place}[{k}]", depth - 1) for k, item in enumerate(value)]
    return None if value is None else as_json(value, place)


def from_plain(found: Any, place: str, depth: int = 8) -> Any:
    """Return the settings that `plain` made."""
    if depth == 0:
        refuse(place, "nested too deep")
    if isinstance(found, dict) and not found.keys() & TAGS:
        names = [a_text(name, place) for name in found]
        return {name: from_plain(found[name], f"{place}.{name}"[:80], depth - 1) for name in names}
    if isinstance(found, list):
        return [from_plain(item, f"{place}[{k}]", depth - 1) for k, item in enumerate(found)]
    return None if found is None else from_json(found, place)
