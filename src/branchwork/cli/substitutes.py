"""What stands in for signs that a terminal cannot show: in a C locale a tree is drawn with | and -, not with escapes.

    ├─ Outlook = Overcast → Yes        |- Outlook = Overcast : Yes
    └─ Outlook = Sunny → No            `- Outlook = Sunny : No

Signs of a drawing have substitutes of one character, so that columns stay below each other. Letters of other languages
are data: they become escapes, as Python writes them.
"""

from __future__ import annotations

import codecs

HANDLER = "branchwork.ascii"
"""The name under which streams know this way to encode."""

SUBSTITUTES = {
    "├": "|",
    "└": "`",
    "│": "|",
    "─": "-",
    "┌": "+",
    "┐": "+",
    "┘": "+",
    "┬": "+",
    "┴": "+",
    "╭": "+",
    "╮": "+",
    "→": ":",
    "►": ">",
    "█": "#",
    "▄": "#",
    "░": ".",
    "…": "...",
    "−": "-",
    "–": "-",
    "—": "-",
    "·": "*",
    "×": "x",
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "²": "^2",
    "√": "sqrt ",
    "½": "1/2",
    "α": "alpha",
    "ε": "epsilon",
    "π": "pi",
    "Σ": "sum ",
    "∑": "sum ",
    "\u0302": "^",
}


def register() -> None:
    """Make the way to encode known to Python's streams."""
    codecs.register_error(HANDLER, _substitute)


def _substitute(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return what stands in for the signs that an encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(SUBSTITUTES.get(sign) or _escaped(sign) for sign in signs), error.end


def _escaped(sign: str) -> str:
    return sign.encode("ascii", "backslashreplace").decode("ascii")
