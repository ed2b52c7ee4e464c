"""The nodes of a compact picture, so that a thousand of them stay readable: one line each, or a mark alone.

    ▐▌ Outlook  14         the classes as a small bar, what is asked, how many rows
    ▐█ Yes  4              the answer of a leaf, in bold
    ●                      a mark: its colour is the answer, its area the share of the rows

The words that have no room are in the title of each node, which is shown when the pointer rests on it.
"""

from __future__ import annotations

import math

from branchwork.view.arrange import CardBox, Point, Spacing
from branchwork.view.cards import Branch, Card, Compact, Deck
from branchwork.view.metrics import text_width
from branchwork.view.palette import entry_fill, fill
from branchwork.view.pieces import rect, short, title, words
from branchwork.view.style import BODY, SMALL

LINE_HEIGHT, PADDING, BETWEEN = 20.0, 4.0, 5.0
BAR_WIDTH, BAR_HEIGHT = 22.0, 10.0
WIDEST_TITLE = 160.0
SMALLEST_MARK, LARGEST_MARK = 3.0, 11.0
"""Radii of marks: of a node with next to no rows, and of the root."""
FULL_BRANCH, THINNEST_BRANCH = 8.0, 1.0

_LINES = Spacing(gap=4.0, bend=26.0, slope=0.05, label=18.0, around=2.0)
SPACING: dict[Compact, Spacing] = {
    True: _LINES,
    "lines": _LINES,
    "marks": Spacing(gap=3.0, bend=24.0, slope=0.06, label=0.0, around=0.0),
}


def compact_box(shown: Deck, card: Card, label: float, compact: Compact) -> CardBox:
    """Return the size of a node."""
    if compact == "marks":
        side = 2 * _radius(shown, card)
        return CardBox(side, side, 0.0, 0.0)
    width = 2 * PADDING + BAR_WIDTH + BETWEEN + _title_width(card) + BETWEEN + _size_width(card)
    return CardBox(width, LINE_HEIGHT, label, PADDING)


def compact_card(shown: Deck, card: Card, box: CardBox, corner: Point, compact: Compact) -> str:
    """Draw a node."""
    x, y = corner
    style = fill(shown, card)
    if compact == "marks":
        radius = box.width / 2
        pointed = " pointed" if card.strong else ""
        place = f'cx="{short(x + radius)}" cy="{short(y + radius)}" r="{short(radius)}"'
        return f'<g>{title(card.about)}<circle class="{style}{pointed}" {place}/></g>'
    outer = f"card leaf {style}" if card.is_leaf else "card"
    pieces = [
        "<g>",
        title(card.about),
        rect(x, y, box.width, box.height, outer + (" pointed" if card.strong else ""), corner=4),
    ]
    x, baseline = x + PADDING, y + box.height - 6
    top = y + (box.height - BAR_HEIGHT) / 2
    if card.spread is None:
        done = 0.0
        for entry, share in enumerate(card.shares):
            if share > 0:
                part = share * BAR_WIDTH
                pieces.append(rect(x + done, top, part, BAR_HEIGHT, entry_fill(shown, entry)))
                done += part
    else:
        pieces.append(rect(x, top, BAR_WIDTH, BAR_HEIGHT, style, corner=2))
    x += BAR_WIDTH + BETWEEN
    name = "strongly ink" if card.is_leaf else "ink"
    pieces += [
        words(card.title, x, baseline, name, BODY, room=_title_width(card), bold=card.is_leaf),
        words(
            _size(card),
            x + _title_width(card) + BETWEEN,
            baseline,
            "id muted",
            SMALL,
            room=_size_width(card),
        ),
        "</g>",
    ]
    return "".join(pieces)


def compact_thickness(branch: Branch) -> float:
    """Return how wide a branch is."""
    return max(THINNEST_BRANCH + branch.strong, FULL_BRANCH * branch.share)


def _radius(shown: Deck, card: Card) -> float:
    share = shown.branches[card.node - 1].share if card.node else 1.0
    return max(SMALLEST_MARK, LARGEST_MARK * math.sqrt(share))


def _size(card: Card) -> str:
    """How many rows there are, and nodes that are not in the picture."""
    return f"{card.size}  {card.below}" if card.hidden else card.size


def _title_width(card: Card) -> float:
    return min(text_width(card.title, BODY, bold=card.is_leaf), WIDEST_TITLE)


def _size_width(card: Card) -> float:
    return text_width(_size(card), SMALL)
