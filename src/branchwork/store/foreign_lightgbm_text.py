"""Split LightGBM's text: a header of `name=value` lines, a block of them for every tree, and the rest.

tree                       Tree=0                    end of trees
version=v4                 num_leaves=3              …
max_feature_idx=4          split_feature=2 0         parameters:
objective=binary …         …                         [categorical_feature: 1,2]
                                                     pandas_categorical:[["a", "b"]]
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError
from branchwork.store.foreign_json import LARGEST, parsed

Fields = dict[str, str]


@dataclass(frozen=True)
class Written:
    """The parts of the text; `after` has the settings and everything else below the trees."""

    head: Fields
    trees: list[Fields]
    settings: Fields = field(default_factory=dict)
    pandas_categorical: Any = None


def read_text(text: str) -> Written:
    """Split the text into its parts, without interpreting them."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if not lines or lines[0].strip() != "tree":
        raise ModelFormatError("This is not LightGBM's text: it does not begin with the line 'tree'.")
    if "end of trees" not in lines:
        raise ModelFormatError("The text is cut off: there is no line 'end of trees'.")
    end = lines.index("end of trees")
    starts = [at for at in range(end) if lines[at].startswith("Tree=")]
    for k, at in enumerate(starts):
        if lines[at] != f"Tree={k}":
            raise ModelFormatError(f"Line {at + 1} is {lines[at][:40]!r}, expected 'Tree={k}'.")
    stops = [*starts[1:], end]
    return Written(
        _fields(lines[1 : starts[0] if starts else end]),
        [_fields(lines[a + 1 : b]) for a, b in zip(starts, stops, strict=True)],
        _settings(lines[end:]),
        _pandas_categorical(lines[end:]),
    )


def _fields(lines: list[str]) -> Fields:
    return {name: value for name, _, value in (line.partition("=") for line in lines) if name}


def _settings(lines: list[str]) -> Fields:
    """Return the settings in lines like [name: value]."""
    inside = (line[1:-1].partition(":") for line in lines if line[:1] == "[" and line[-1:] == "]")
    return {name: value.strip() for name, _, value in inside}


def _pandas_categorical(lines: list[str]) -> Any:
    mark = "pandas_categorical:"
    for line in reversed(lines):
        if line.startswith(mark):
            return parsed(line[len(mark) :])
    return None


def whole(fields: Fields, name: str, place: str, lowest: int = 0) -> int:
    """Return an integer of the header or of a tree."""
    return int(wholes(fields, name, place, 1, lowest=lowest)[0])


def wholes(
    fields: Fields, name: str, place: str, length: int, *, lowest: int = 0, highest: int = LARGEST
) -> npt.NDArray[np.int64]:
    """Return this many integers."""
    items = _items(fields, name, place, length)
    try:
        found = [int(item) for item in items]
    except ValueError:
        raise ModelFormatError(f"{place}: {name} holds something that is not a whole number.") from None
    for number in found:
        if not lowest <= number <= highest:
            raise ModelFormatError(f"{place}: {name} holds {number}, expected {lowest} to {highest}.")
    return np.array(found, np.int64)


def numbers(fields: Fields, name: str, place: str, length: int) -> npt.NDArray[np.float64]:
    """Return this many numbers, which may be infinite but not NaN."""
    items = _items(fields, name, place, length)
    try:
        found = [float(item) for item in items]
    except ValueError:
        raise ModelFormatError(f"{place}: {name} holds something that is not a number.") from None
    if any(math.isnan(number) for number in found):
        raise ModelFormatError(f"{place}: {name} holds NaN.")
    return np.array(found, np.float64)


def _items(fields: Fields, name: str, place: str, length: int) -> list[str]:
    if name not in fields:
        raise ModelFormatError(f"{place} has no {name}.")
    items = fields[name].split()
    if len(items) != length:
        raise ModelFormatError(f"{place}: {name} has {len(items)} entries, expected {length}.")
    return items
