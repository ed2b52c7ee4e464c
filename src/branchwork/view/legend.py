"""The legend of a picture: what is left out, and what colours and dashes mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from branchwork.tree.split import rounded
from branchwork.view.cards import Deck
from branchwork.view.metrics import fitted, text_width
from branchwork.view.palette import RAMP_STEPS, class_look, entry_fill
from branchwork.view.pieces import path, rect, short, words
from branchwork.view.style import BODY

LINE, SIGN, BETWEEN = 19.0, 11.0, 16.0
NARROWEST, WIDEST_NAME = 300.0, 180.0
MOST_IN_LINE = 8
"""More classes than this stand in columns."""
BELOW = 16.0
"""Between the legend and the tree."""


@dataclass(frozen=True)
class Legend:
    """Pieces of SVG that begin at 0, 0, and the place they need."""

    pieces: tuple[str, ...]
    width: float
    height: float


@dataclass(frozen=True)
class _Entry:
    """A sign, as SVG that begins at 0, 0, and the words for it; `heads`: they say what the next entries are."""

    sign: str
    sign_width: float
    text: str
    bold: bool = False
    heads: bool = False

    @property
    def text_width(self) -> float:
        return text_width(self.text, BODY, bold=self.bold)

    @property
    def width(self) -> float:
        return self.indent + self.text_width

    @property
    def indent(self) -> float:
        """Where the words begin."""
        return self.sign_width + 6 if self.sign else 0.0

    def drawn(self, x: float, y: float) -> str:
        style = "strongly ink" if self.bold else "ink"
        text = words(self.text, self.indent, BODY - 1, style, BODY, room=self.text_width, bold=self.bold)
        return f'<g transform="translate({short(x)} {short(y)})">{self.sign}{text}</g>'


def legend(shown: Deck, room: float) -> Legend:
    """Return the legend of a picture as wide as the tree, or a little wider where the tree is narrow.

    Entries stand side by side, line by line; many classes stand in columns.
    """
    room = max(room, NARROWEST)
    pieces: list[str] = []
    x = y = widest = 0.0
    classes = list(_classes(shown))
    column = max((entry.width for entry in classes), default=0.0) if len(classes) > MOST_IN_LINE else 0.0
    entries = list(_entries(shown, classes))
    for entry, following in zip(entries, [*entries[1:], None], strict=True):
        width = max(entry.width, column if entry in classes else 0.0)
        kept = (
            following.width + BETWEEN if entry.heads and following else 0.0
        )  # a heading stays with what it heads
        if x and x + width + kept > room:
            x, y = 0.0, y + LINE
        pieces.append(entry.drawn(x, y))
        widest = max(widest, x + width)
        x += width + BETWEEN
    return Legend(tuple(pieces), widest, y + LINE + BELOW if pieces else 0.0)


def _entries(shown: Deck, classes: list[_Entry]) -> Iterator[_Entry]:
    if shown.notice:
        yield _Entry("", 0.0, shown.notice, bold=True)
    if shown.target:
        yield _Entry("", 0.0, f"{fitted(shown.target, WIDEST_NAME, BODY, bold=True)}:", bold=True, heads=True)
    yield from classes
    yield from _numbers(shown)
    for sentence in shown.missing.values():
        yield _Entry(path(f"M0 {short(SIGN / 2)}H26", "missing"), 26.0, sentence)


def _classes(shown: Deck) -> Iterator[_Entry]:
    """A dot for each class; where some are hatched, larger swatches that show the pattern."""
    hatched = any(class_look(entry).pattern for entry in shown.plain_entries)
    width = 2 * SIGN if hatched else SIGN
    for entry, name in shown.legend.items():
        swatch = rect(0, 0, width, SIGN, entry_fill(shown, entry), corner=2 if hatched else SIGN / 2)
        yield _Entry(swatch, width, fitted(name, WIDEST_NAME, BODY))


def _numbers(shown: Deck) -> Iterator[_Entry]:
    """The ramp of means; the mark of a mean between its deviations, or in a histogram."""
    if shown.scale is None or shown.means is None:
        return
    step = 7.0
    ramp = "".join(rect(k * step, 0, step, SIGN, f"fr{k}") for k in range(RAMP_STEPS))
    yield _Entry(ramp, RAMP_STEPS * step, f"mean {span(shown.means)}")
    if any(card.histogram for card in shown.cards):
        yield _Entry(path(f"M4 -1V{short(SIGN + 1)}", "cut"), 8.0, "mean in a histogram of the target")
        return
    if not any(card.spread and card.spread.deviation for card in shown.cards):
        return
    mark = (
        rect(0, SIGN / 2 - 1, 40, 2, "track")
        + rect(10, 2, 20, SIGN - 4, f"fr{RAMP_STEPS // 2}", corner=2)
        + rect(19, 0, 2, SIGN, "mark")
    )
    yield _Entry(mark, 40.0, f"mean ± standard deviation, on a scale from {span(shown.scale)}")


def span(ends: tuple[float, float]) -> str:
    """Return a range in words."""
    return f"{rounded(ends[0], 4)} to {rounded(ends[1], 4)}"
