"""Where everything stands in a matplotlib picture of a tree: cards, branches and the key, measured and placed.

One unit is one point, y grows downwards. Boxes are made to fit their text before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from branchwork.view.arrange import Arranged, CardBox, Orientation, Point, Spacing, Way, arrange
from branchwork.view.cards import Branch, Card, Compact, Deck
from branchwork.view.legend import span
from branchwork.view.metrics import fitted, text_width

TITLE, BODY = 9.0, 7.5
"""Sizes of letters."""
PADDING, LINE, BAR, GAP = 7.0, 11.0, 6.0, 10.0
NARROWEST, WIDEST, WIDEST_LABEL = 60.0, 190.0, 150.0
LABEL = 12.0
"""The height of a label."""
DISTANCES = Spacing(gap=GAP, bend=30.0, slope=0.09, label=LABEL, around=2.0)
LINES = Spacing(gap=3.0, bend=18.0, slope=0.05, label=LABEL, around=1.0)
MARKS = Spacing(gap=2.0, bend=16.0, slope=0.06, label=0.0, around=0.0)
COMPACT_HEIGHT, COMPACT_PADDING, COMPACT_BAR = 14.0, 3.0, 15.0
SMALLEST_MARK, LARGEST_MARK = 2.0, 7.5
"""Radii of marks: of a node with next to no rows, and of the root."""
FULL_BRANCH, THINNEST_BRANCH = 10.0, 0.9
"""How wide a branch with all rows would be, and one with next to none is."""
SIGN, BETWEEN, NARROWEST_KEY = 14.0, 12.0, 220.0
MOST_IN_LINE = 8
"""More classes than this stand in columns."""


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
    compact: Compact
    boxes: tuple[CardBox, ...]
    placed: Arranged
    key: tuple[KeyEntry, ...]
    width: float
    height: float

    @property
    def shift(self) -> Point:
        """How far the cards stand from the corner of the picture."""
        return (self.width - self.placed.width) / 2, self.height - GAP - self.placed.height

    def corner(self, node: int) -> Point:
        """Return the upper left corner of a card."""
        x, y = self.placed.corner[node]
        return x + self.shift[0], y + self.shift[1]

    def way(self, branch: Branch) -> Way:
        """Return the way of a branch."""
        right, down = self.shift
        return Way(*((x + right, y + down) for x, y in self.placed.ways[branch.child - 1]))


def place(shown: Deck, orientation: Orientation = "TB", compact: Compact = False) -> Drawing:
    """Find a place for everything."""
    labels = {
        branch.child: min(text_width(branch.label, BODY) + PADDING, WIDEST_LABEL) for branch in shown.branches
    }
    boxes = tuple(_box(shown, card, labels.get(card.node, 0.0), compact) for card in shown.cards)
    spacing = MARKS if compact == "marks" else LINES if compact else DISTANCES
    placed = arrange(shown, boxes, spacing, orientation, thickness)
    key = tuple(_key(shown, max(placed.width, NARROWEST_KEY)))
    right = max((entry.x + _entry_width(entry.sign, entry.text) for entry in key), default=GAP)
    top = key[-1].y + LINE + GAP if key else GAP
    width, height = max(placed.width + GAP, right) + GAP, top + placed.height + GAP
    return Drawing(shown, compact, boxes, placed, key, width, height)


def facts(card: Card) -> list[str]:
    """Return the lines below a card's title."""
    return [line for line in (card.size, card.note, card.below) if line]


def thickness(branch: Branch) -> float:
    """Return how wide a branch is, by its share of all rows."""
    return max(THINNEST_BRANCH, FULL_BRANCH * branch.share)


def one_line(card: Card) -> str:
    """Return what stands behind the title of a compact node."""
    return f"{card.size}  {card.below}" if card.hidden else card.size


def _box(shown: Deck, card: Card, label: float, compact: Compact) -> CardBox:
    if compact == "marks":
        share = shown.branches[card.node - 1].share if card.node else 1.0
        side = 2 * max(SMALLEST_MARK, LARGEST_MARK * share**0.5)
        return CardBox(side, side, 0.0, 0.0)
    if compact:
        words = text_width(card.title, BODY, bold=card.is_leaf) + text_width(one_line(card), BODY)
        width = min(words + COMPACT_BAR + 4 * COMPACT_PADDING, WIDEST)
        return CardBox(width, COMPACT_HEIGHT, label, COMPACT_PADDING)
    lines = [text_width(card.title, TITLE, bold=True), *(text_width(line, BODY) for line in facts(card))]
    width = min(max(NARROWEST, *lines) + 2 * PADDING, WIDEST)
    return CardBox(width, 2 * PADDING + TITLE + LINE * len(facts(card)) + 4 + BAR, label, PADDING)


def _key(shown: Deck, room: float) -> Iterator[KeyEntry]:
    """Entries from left to right, line by line; many classes stand in columns."""
    entries: list[tuple[int | None, str]] = [(None, shown.notice)] if shown.notice else []
    target = f"{fitted(shown.target, WIDEST_LABEL, BODY)}:" if shown.target else ""
    if shown.means is not None:
        entries.append((None, f"{target} mean {span(shown.means)}".strip()))
    elif target:
        entries.append((None, target))
    classes = [(k, fitted(name, WIDEST_LABEL, BODY)) for k, name in shown.legend.items()]
    column = max((_entry_width(*one) for one in classes), default=0.0) if len(classes) > MOST_IN_LINE else 0.0
    entries += classes
    entries += [(-1, sentence) for sentence in shown.missing.values()]
    x, y = GAP, GAP
    for sign, text in entries:
        width = max(_entry_width(sign, text), column if sign is not None and sign >= 0 else 0.0)
        if x > GAP and x + width > room:
            x, y = GAP, y + LINE
        yield KeyEntry(x, y, sign, text)
        x += width + BETWEEN


def _entry_width(sign: int | None, text: str) -> float:
    return text_width(text, BODY) + (0 if sign is None else SIGN + 4)
