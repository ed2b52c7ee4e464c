"""Classes in a terminal: a dot in the colour that the class has in every picture. Without colours there are no dots."""

from __future__ import annotations

from collections.abc import Callable

from branchwork.model.model import Model
from branchwork.tree.split import category, harmless
from branchwork.view.class_key import key_of
from branchwork.view.palette import LIGHT
from branchwork.view.terminal import paint

SIGNS = "●■▲◆"
"""Of eight classes each; further classes have the same colours again."""
MOST_LABELS = 10
"""Labels that the first line of a tree names."""

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


def heading_of(model: Model, dot: Dot) -> str | None:
    """Return the first line of a tree: what is predicted, and its classes; None if it has no name."""
    if model.target is None:
        return None
    name = harmless(model.target)
    if model.labels is None:
        return f"{name}: a number"
    shown = [
        f"{dot(code)}{harmless(category(label))}" for code, label in enumerate(model.labels[:MOST_LABELS])
    ]
    left = len(model.labels) - MOST_LABELS
    between = "  " if dot(0) else ", "
    return f"{name}: {between.join([*shown, *([f'… {left} more'] if left > 0 else [])])}"
