"""JSON without recursion: a tree may be deeper than Python's stack."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def dumps(value: Any) -> str:
    """JSON text of nested dicts and lists; numbers that JSON does not know become null, keys become text.

    >>> dumps({"a": [1, None, True], 2: float("nan")})
    '{"a": [1, null, true], "2": null}'
    """
    out: list[str] = []
    waiting: list[Any] = [value]  # what is still to be written, the next one last; _Text is written as it is
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Text):
            out.append(item)
        elif isinstance(item, Mapping):
            pieces = [[_Text(json.dumps(_key(key)) + ": "), child] for key, child in item.items()]
            waiting.extend(reversed(_joined(_Text("{"), pieces, _Text("}"))))
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(_joined(_Text("["), [[child] for child in item], _Text("]"))))
        elif isinstance(item, float) and not math.isfinite(item):
            out.append("null")
        elif item is None or isinstance(item, bool | int | float | str):
            out.append(json.dumps(item))
        else:
            out.append(json.dumps(str(item)))
    return "".join(out)


class _Text(str):
    """Text that is JSON already."""

    __slots__ = ()


def _key(key: object) -> str:
    return key if isinstance(key, str) else str(key)


def _joined(begin: _Text, pieces: list[list[Any]], end: _Text) -> list[Any]:
    items: list[Any] = [begin]
    for k, piece in enumerate(pieces):
        if k:
            items.append(_Text(", "))
        items.extend(piece)
    return [*items, end]
