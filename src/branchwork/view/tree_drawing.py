"""Where everything stands in a picture of a tree: the cards and branches of `view/cards.py`, measured and placed.

One unit is one point, y grows downwards. Boxes are made to fit their text before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from branchwork.view.cards import Branch, Card, Deck, starts
from branchwork.view.layout import Layout, tidy
from branchwork.view.metrics import fitted, text_width

TITLE, BODY = 9.0, 7.5
"""Sizes of letters."""
PADDING, LINE, BAR, GAP = 7.0, 11.0, 6.0, 10.0
NARROWEST, WIDEST, WIDEST_LABEL = 60.0, 190.0, 150.0
LEVEL_GAP, LABEL, SLOPE = 46.0, 16.0, 0.12
"""From one level to the next, the part of it where labels stand, and how steep a branch is at least."""
FULL_BRANCH, THINNEST_BRANCH = 10.0, 0.9
"""How wide a branch with all rows would be, and one with next to none is."""
SIGN, BETWEEN, NARROWEST_KEY = 14.0, 12.0, 220.0


@dataclass(frozen=True)
class CardBox:
    """The size of a card, and the width of the label above it."""

    width: float
    height: float
    label: float

    @property
    def room(self) -> float:
        """For text."""
        return self.width - 2 * PADDING


@dataclass(frozen=True)
class KeyEntry:
    """A sign and its words, and where they begin. Signs: an entry of the legend, -1 for missing cells, or None."""

    x: float
    y: float
    sign: int | None
    text: str


@dataclass(frozen=True, eq=False)
class Drawing:
    """A deck with a place for everything: cards and branches below, the key above them."""

    shown: Deck
    boxes: tuple[CardBox, ...]
    layout: Layout
    aside: list[float]  # of each branch, where it leaves its parent's card, from the middle
    key: tuple[KeyEntry, ...]
    width: float
    height: float

    def x(self, node: int) -> float:
        """The middle of a card."""
        return float(self.layout.x[node]) + (self.width - self.layout.width) / 2

    def y(self, node: int) -> float:
        """The top of a card."""
        return float(self.layout.y[node]) + self._top

    def level(self, node: int) -> float:
        """The end of a card's level."""
        return float(self.layout.bottom[node]) + self._top

    @property
    def _top(self) -> float:
        return self.height - GAP - self.layout.height

    def start(self, branch: Branch) -> float:
        """Where a branch leaves its parent's card."""
        return self.x(branch.parent) + self.aside[branch.child - 1]


def place(shown: Deck) -> Drawing:
    """Find a place for everything."""
    labels = {
        branch.child: min(text_width(branch.label, BODY) + PADDING, WIDEST_LABEL) for branch in shown.branches
    }
    boxes = tuple(_box(card, labels.get(card.node, 0.0)) for card in shown.cards)
    slots = [max(box.width, box.label) for box in boxes]
    heights = [box.height for box in boxes]
    layout = tidy(shown.children, slots, heights, gap=GAP, level_gap=LEVEL_GAP, slope=SLOPE)
    key = tuple(_key(shown, max(layout.width, NARROWEST_KEY)))
    right = max((entry.x + _entry_width(entry.sign, entry.text) for entry in key), default=GAP)
    top = key[-1].y + LINE + GAP if key else GAP
    width, height = max(layout.width + GAP, right) + GAP, top + layout.height + GAP
    aside = starts(shown, thickness, [box.room for box in boxes])
    return Drawing(shown, boxes, layout, aside, key, width, height)


def facts(card: Card) -> list[str]:
    """The lines below a card's title."""
    return [line for line in (card.size, card.note, card.below) if line]


def thickness(branch: Branch) -> float:
    """How wide a branch is, by its share of all rows."""
    return max(THINNEST_BRANCH, FULL_BRANCH * branch.share)


def _box(card: Card, label: float) -> CardBox:
    lines = [text_width(card.title, TITLE, bold=True), *(text_width(line, BODY) for line in facts(card))]
    width = min(max(NARROWEST, *lines) + 2 * PADDING, WIDEST)
    return CardBox(width, 2 * PADDING + TITLE + LINE * len(facts(card)) + 4 + BAR, label)


def _key(shown: Deck, room: float) -> Iterator[KeyEntry]:
    """Entries from left to right, line by line."""
    entries: list[tuple[int | None, str]] = [(None, shown.notice)] if shown.notice else []
    entries += [(k, fitted(name, WIDEST_LABEL, BODY)) for k, name in shown.legend.items()]
    entries += [(-1, sentence) for sentence in shown.missing.values()]
    x, y = GAP, GAP
    for sign, text in entries:
        width = _entry_width(sign, text)
        if x > GAP and x + width > room:
            x, y = GAP, y + LINE
        yield KeyEntry(x, y, sign, text)
        x += width + BETWEEN


def _entry_width(sign: int | None, text: str) -> float:
    return text_width(text, BODY) + (0 if sign is None else SIGN + 4)
