"""A tree in the language of Graphviz, for those who draw with it."""

from __future__ import annotations

from collections.abc import Iterator

from branchwork.model.model import Model
from branchwork.view.arrange import Orientation, check_orientation
from branchwork.view.cards import Branch, Card, Compact, Deck, deck
from branchwork.view.palette import LIGHT, Pattern, fill

WIDEST_PEN = 8.0
STRIPES: dict[Pattern, int] = {"": 0, "stripes": 3, "dots": 6, "grid": 10}
"""Stripes of the card's colour in a node of a hatched class."""
_LINES = ', height="0.25", margin="0.08,0.02", fontsize="11"'
SMALLER: dict[Compact, str] = {
    False: "",
    True: _LINES,
    "lines": _LINES,
    "marks": ', label="", width="0.14", height="0.14", fixedsize="true"',
}
"""What makes nodes smaller."""


def to_dot(
    model: Model,
    *,
    max_depth: int | None = None,
    orientation: Orientation = "TB",
    compact: Compact = False,
) -> str:
    """Write a tree as a Graphviz digraph.

    Parameters
    ----------
    max_depth : write nodes down to this depth. None: as deep as about 200 nodes allow, or 1 000 compact ones; the
        graph's label says what is left out.
    orientation : "TB", from top to bottom, or "LR", from left to right.
    compact : True or "lines": only the title of each node; "marks": points without words.
    """
    check_orientation(orientation)
    shown = deck(model, max_depth=max_depth, compact=compact)
    return "\n".join(_lines(shown, orientation, compact)) + "\n"


def quoted(*lines: str) -> str:
    r"""Lines as one string of DOT, where quotes end a string, backslashes begin an escape and & an entity.

    >>> print(quoted('say "a"', "b\\c & d"))
    "say \"a\"\nb\\c &amp; d"
    """
    escaped = [line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'


def _lines(shown: Deck, orientation: Orientation, compact: Compact) -> Iterator[str]:
    named = ", ".join(shown.legend.values())
    predicted = f"{shown.target}: {named}" if named else shown.target
    heading = quoted(*(line for line in (predicted if shown.target else "", shown.notice) if line))
    yield "digraph tree {"
    yield (
        f'  graph [ordering="out", rankdir="{orientation}", label={heading}, labelloc="t", fontname="Helvetica"];'
    )
    yield (
        f'  node [shape="box", style="rounded,filled", fontname="Helvetica", color="{LIGHT.edge}", '
        f'fillcolor="{LIGHT.card}", fontcolor="{LIGHT.ink}"{SMALLER[compact]}];'
    )
    yield f'  edge [fontname="Helvetica", color="{LIGHT.muted}", fontcolor="{LIGHT.ink}", arrowhead="none"];'
    for card in shown.cards:
        yield _node(shown, card, compact)
    for branch in shown.branches:
        yield _edge(branch, compact)
    yield "}"


def _node(shown: Deck, card: Card, compact: Compact) -> str:
    lines = (card.title, *([card.below] if compact else [card.facts, card.below]))
    attributes = [f"tooltip={quoted(*card.about)}"]
    if compact != "marks":
        attributes.insert(0, f"label={quoted(*(line for line in lines if line))}")
    if card.is_leaf or compact == "marks":
        colour = LIGHT.fills()[fill(shown, card)]
        inside = colour if compact == "marks" else LIGHT.tinted(colour)
        attributes += [f'color="{colour}"', *_inside(shown, card, inside)]
    return f"  {card.node} [{', '.join(attributes)}];"


def _inside(shown: Deck, card: Card, colour: str) -> list[str]:
    """The colour of a node. Graphviz has no hatching: a hatched class has stripes, fewer or more by its pattern."""
    pattern = "" if shown.key is None else shown.key.pattern(card.decision)
    if not pattern:
        return [f'fillcolor="{colour}"']
    striped = [colour, LIGHT.card] * STRIPES[pattern] + [colour]
    return ['style="striped"', f'fillcolor="{":".join(striped)}"']


def _edge(branch: Branch, compact: Compact) -> str:
    """A branch; dashed if missing values go this way."""
    attributes = [
        *([] if compact == "marks" else [f"label={quoted(branch.label)}"]),
        f"tooltip={quoted(branch.condition)}",
        f'penwidth="{max(1.0, WIDEST_PEN * branch.share):.2f}"',
    ]
    if branch.missing:
        attributes.append('style="dashed"')
    return f"  {branch.parent} -> {branch.child} [{', '.join(attributes)}];"
