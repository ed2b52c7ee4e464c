"""Small drawings inside a card: the bar of classes, the mark of a mean, the histogram."""

from __future__ import annotations

from collections.abc import Iterator

from branchwork.view.cards import Card, Deck
from branchwork.view.histograms import Histogram
from branchwork.view.palette import entry_fill, fill
from branchwork.view.pieces import path, rect, short, words
from branchwork.view.style import SMALL

BAR, PLOT, ABOVE = 9.0, 38.0, 4.0
ENDS = SMALL + 4
BETWEEN = 5.0


def height(card: Card) -> float:
    """How high the drawings of a card are."""
    if card.histogram is None:
        return BAR
    plot = ABOVE + PLOT + (ENDS if card.histogram.ends else 0)
    return plot if card.spread else plot + BETWEEN + BAR


def glyphs(shown: Deck, card: Card, x: float, y: float, room: float) -> Iterator[str]:
    """The drawings of a card, from this corner on."""
    if card.histogram is not None:
        yield from _histogram(shown, card, card.histogram, x, y + ABOVE, room)
    if card.spread is None:
        yield from _bar(shown, card, x, y + height(card) - BAR, room)
    elif card.histogram is None:
        yield from _spread(shown, card, x, y, room)


def _pale(card: Card) -> str:
    return " pale" if card.is_empty else ""


def _bar(shown: Deck, card: Card, x: float, y: float, room: float) -> Iterator[str]:
    """The classes side by side, by weight."""
    done = 0.0
    for entry, share in enumerate(card.shares):
        if share > 0:
            end = done + share * room
            yield rect(x + done, y, max(0.4, end - done - 1), BAR, entry_fill(shown, entry) + _pale(card))
            done = end


def _spread(shown: Deck, card: Card, x: float, y: float, room: float) -> Iterator[str]:
    """The mean as a mark, a band from one deviation below it to one above, on the scale of all cards."""
    assert shown.scale is not None and card.spread is not None
    low, high = shown.scale
    mean, deviation = card.spread.mean, card.spread.deviation
    unit = room / (high - low) if high > low else 0.0
    middle = (mean - low) * unit if unit else room / 2
    begin, width = (mean - deviation - low) * unit, 2 * deviation * unit
    yield rect(x, y + BAR / 2 - 1, room, 2, "track")
    yield rect(x + begin, y + 1, width, BAR - 2, fill(shown, card) + _pale(card), corner=2)
    yield rect(x + min(max(0, middle - 1), room - 2), y - 1, 2, BAR + 2, "mark" + _pale(card))


def _histogram(shown: Deck, card: Card, drawn: Histogram, x: float, y: float, room: float) -> Iterator[str]:
    tallest = max(sum(column) for column in drawn.counts)
    unit = PLOT / tallest if tallest else 0.0
    width = room / len(drawn.counts)
    gap = min(1.0 if drawn.ends else 5.0, width / 4)
    for k, column in enumerate(drawn.counts):
        top = y + PLOT
        for entry, count in enumerate(column):
            if count > 0:
                top -= count * unit
                style = fill(shown, card) if card.spread else entry_fill(shown, entry)
                yield rect(x + k * width, top, width - gap, count * unit, style)
    yield rect(x, y + PLOT, room, 1, "track")
    for mark in drawn.marks:
        at = short(x + mark * room - gap / 2)
        yield path(f"M{at} {short(y - 3)}V{short(y + PLOT + 1)}", "cut")
    if drawn.ends:
        low, high = drawn.ends
        bottom = y + PLOT + SMALL + 1
        yield words(low, x, bottom, "id muted", SMALL, room=room / 2)
        yield words(high, x + room, bottom, "id muted", SMALL, room=room / 2, anchor="end")
