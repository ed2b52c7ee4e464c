"""A tree in the language of Graphviz, for those who draw with it."""

from __future__ import annotations

from collections.abc import Iterator

from branchwork.model.model import Model
from branchwork.view.cards import Branch, Card, Deck, deck
from branchwork.view.palette import LIGHT, fill

WIDEST_PEN = 8.0


def to_dot(model: Model, *, max_depth: int | None = None) -> str:
    """Write a tree as a Graphviz digraph.

    Parameters
    ----------
    max_depth : write nodes down to this depth. None: as deep as about 200 nodes allow; the graph's label says what is
        left out.
    """
    return "\n".join(_lines(deck(model, max_depth=max_depth))) + "\n"


def quoted(*lines: str) -> str:
    r"""Lines as one string of DOT, where quotes end a string, backslashes begin an escape and & an entity.

    >>> print(quoted('say "a"', "b\\c & d"))
    "say \"a\"\nb\\c &amp; d"
    """
    escaped = [line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'


def _lines(shown: Deck) -> Iterator[str]:
    yield "digraph tree {"
    yield f'  graph [ordering="out", label={quoted(shown.notice)}, labelloc="t", fontname="Helvetica"];'
    yield (
        f'  node [shape="box", style="rounded,filled", fontname="Helvetica", color="{LIGHT.edge}", '
        f'fillcolor="{LIGHT.card}", fontcolor="{LIGHT.ink}"];'
    )
    yield f'  edge [fontname="Helvetica", color="{LIGHT.muted}", fontcolor="{LIGHT.ink}", arrowhead="none"];'
    for card in shown.cards:
        yield _node(shown, card)
    for branch in shown.branches:
        yield _edge(branch)
    yield "}"


def _node(shown: Deck, card: Card) -> str:
    label = quoted(*(line for line in (card.title, card.facts, card.below) if line))
    attributes = [f"label={label}", f"tooltip={quoted(*card.about)}"]
    if card.is_leaf:
        colour = LIGHT.fills()[fill(shown, card)]
        attributes += [f'color="{colour}"', f'fillcolor="{LIGHT.tinted(colour)}"']
    return f"  {card.node} [{', '.join(attributes)}];"


def _edge(branch: Branch) -> str:
    """A branch; dashed if missing values go this way."""
    attributes = [
        f"label={quoted(branch.label)}",
        f"tooltip={quoted(branch.condition)}",
        f'penwidth="{max(1.0, WIDEST_PEN * branch.share):.2f}"',
    ]
    if branch.missing:
        attributes.append('style="dashed"')
    return f"  {branch.parent} -> {branch.child} [{', '.join(attributes)}];"
