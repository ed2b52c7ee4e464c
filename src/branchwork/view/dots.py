"""Classes in a terminal: a dot in the colour that the class has in every picture. Without colours there are no dots."""

from __future__ import annotations

from collections.abc import Callable

from branchwork.model.model import Model
from branchwork.table.wide_text import cells, cut
from branchwork.tree.split import category, harmless
from branchwork.view.class_key import key_of
from branchwork.view.palette import LIGHT
from branchwork.view.terminal import paint

SIGNS = "●■▲◆"
"""Of eight classes each; further classes have the same colours again."""
MOST_LABELS = 10
"""Labels that the first line of a tree names."""
INDENT = "  "
"""Of the further lines that a narrow terminal needs for them."""

Dot = Callable[[int], str]
"""From the position of a label to its dot, which is empty without colours."""


def dots_of(model: Model, *, colour: bool) -> Dot:
    """Return the function that gives the dot of a label."""
    key = key_of(model) if colour else None
    if key is None:
        return lambda _: ""
    colours, entries = key.colours(LIGHT), key.entry.tolist()

    def dot(code: int) -> str:
        entry = entries[code]
        return paint(SIGNS[entry // 8 % len(SIGNS)], colours[entry], colour=True) + " "

    return dot


def dots_by_label(model: Model, *, colour: bool) -> dict[str, str]:
    """Return the dot of each label, by the label's text; empty without colours."""
    if not colour or model.labels is None:
        return {}
    dot = dots_of(model, colour=True)
    return {harmless(category(label)): dot(code) for code, label in enumerate(model.labels)}


def heading_of(model: Model, dot: Dot, width: int | None = None) -> str | None:
    """Return the first line of a tree: what is predicted, and its classes; None if it has no name.

    Where it is wider than a terminal, it goes on in further lines, and a name that is wider still is cut.
    """
    if model.target is None:
        return None
    name = harmless(model.target)
    room = cells(name) + 1 if width is None else width
    name = f"{cut(name, room - 1)}:"
    if model.labels is None:
        return "\n".join(_in_lines([("", name), ("", "a number")], " ", width))
    shown = [(dot(code), harmless(category(label))) for code, label in enumerate(model.labels[:MOST_LABELS])]
    left = len(model.labels) - MOST_LABELS
    shown += [("", f"… {left} more")] * (left > 0)
    if not dot(0):
        shown = [(sign, f"{text},") for sign, text in shown[:-1]] + shown[-1:]
    return "\n".join(_in_lines([("", name), *shown], "  " if dot(0) else " ", width))


def _in_lines(parts: list[tuple[str, str]], between: str, width: int | None) -> list[str]:
    """Return a name and what it may be, each with a dot or none, in as few lines as fit a width."""
    lines = [parts[0][1]]
    used = cells(lines[0])
    for k, (dot, text) in enumerate(parts[1:]):
        gap = " " if k == 0 else between
        taken = cells(text) + 2 * bool(dot)
        if width is not None and used + len(gap) + taken > width:
            text = cut(text, width - len(INDENT) - 2 * bool(dot))
            lines.append(f"{INDENT}{dot}{text}")
            used = len(INDENT) + 2 * bool(dot) + cells(text)
        else:
            lines[-1] += f"{gap}{dot}{text}"
            used += len(gap) + taken
    return lines
