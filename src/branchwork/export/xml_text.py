"""XML, line by line: elements as lists of lines, with all text from the user's table escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from branchwork.errors import ParameterError

MOST_INDENTED = 40
"""Deeper elements are not indented further; otherwise a chain of 20 000 elements would consist of blanks."""

_CANNOT_BE_HELD = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IN_XML = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
    "\x85": "&#133;",
    "\u2028": "&#8232;",
}


def in_xml(text: str) -> str:
    """Escape text of unknown origin for an attribute or a text. Characters that XML cannot contain are refused.

    >>> in_xml('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    strange = _CANNOT_BE_HELD.search(text)
    if strange:
        raise ParameterError(
            f"{text[:60]!r} has the character {strange.group()!r}, which XML 1.0 cannot contain. Rename it "
            "before fitting."
        )
    return "".join(_IN_XML.get(sign, sign) for sign in text)


def opening(tag: str, attributes: dict[str, str], *, close: bool = False) -> str:
    """Return a tag with its attributes; with `close`, an empty element."""
    written = "".join(f' {name}="{in_xml(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}{'/' * close}>"


def element(tag: str, attributes: dict[str, str], inner: Iterable[str] = ()) -> list[str]:
    """Return an element with the lines inside it."""
    lines = list(inner)
    if not lines:
        return [opening(tag, attributes, close=True)]
    return [opening(tag, attributes), *indented(lines), f"</{tag}>"]


def elements(tag: str, each: Iterable[dict[str, str]]) -> list[str]:
    """Return elements that have only attributes."""
    return [opening(tag, attributes, close=True) for attributes in each]


def indented(lines: Iterable[str], depth: int = 1) -> list[str]:
    """Return the lines indented."""
    blanks = "  " * min(depth, MOST_INDENTED)
    return [blanks + line for line in lines]
