"""A placed tree, drawn with matplotlib. On axes that are smaller than the tree everything shrinks alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchwork.view.arrange import Way
from branchwork.view.cards import Branch, Card, Deck
from branchwork.view.figure import LITERAL
from branchwork.view.metrics import fitted, text_width
from branchwork.view.mpl_theme import HATCHES, theme_on
from branchwork.view.palette import Pattern, Theme, entry_fill, fill
from branchwork.view.tree_drawing import (
    BAR,
    BODY,
    COMPACT_BAR,
    COMPACT_PADDING,
    LABEL,
    LINE,
    PADDING,
    SIGN,
    TITLE,
    Drawing,
    KeyEntry,
    facts,
    one_line,
    thickness,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT = "DejaVu Sans"
"""It comes with matplotlib, and its letters are measured."""


def draw(drawing: Drawing, ax: Axes) -> None:
    """Draw on axes, as large as they allow, but not larger than it is."""
    from matplotlib.colors import to_hex

    ax.set(xlim=(0, drawing.width), ylim=(drawing.height, 0), aspect="equal", anchor="N")
    ax.axis("off")
    ax.apply_aspect()
    room = ax.get_window_extent()
    point = ax.figure.get_dpi() / 72
    scale = min(room.width / drawing.width, room.height / drawing.height) / point
    paper = to_hex(ax.figure.get_facecolor())
    theme = theme_on(paper)
    brush = _Brush(ax, scale, theme, paper, theme.fills())
    for entry in drawing.key:
        _draw_entry(drawing.shown, entry, brush)
    for branch in drawing.shown.branches:
        _draw_branch(drawing, branch, brush)
    for card in drawing.shown.cards:
        _draw_card(drawing, card, brush)


@dataclass(frozen=True)
class _Brush:
    """Axes to draw on, how much everything shrinks, the theme, what is behind everything, and colours by name."""

    ax: Axes
    scale: float
    theme: Theme
    paper: str
    colours: dict[str, str]

    def write(self, text: str, x: float, y: float, size: float, colour: str, **how: Any) -> None:
        """Text on a baseline."""
        look: dict[str, Any] = {
            "fontsize": size * self.scale,
            "color": colour,
            "fontfamily": FONT,
            "va": "baseline",
        }
        self.ax.text(x, y, text, **(look | LITERAL | how))

    def fill(self, x: float, y: float, width: float, height: float, colour: str, edge: str = "none") -> None:
        """A rectangle."""
        from matplotlib.patches import Rectangle

        look: Any = {"facecolor": colour, "edgecolor": edge, "linewidth": 0.8 * self.scale}
        self.ax.add_artist(Rectangle((x, y), width, height, **look))

    def fill_class(self, x: float, y: float, width: float, height: float, shown: Deck, entry: int) -> None:
        """A rectangle that stands for a class, in its colour and pattern."""
        from matplotlib.patches import Rectangle

        self.fill(x, y, width, height, self.colours[entry_fill(shown, entry)])
        pattern: Pattern = "" if shown.key is None else shown.key.pattern(entry)
        if pattern:
            look: Any = {"facecolor": "none", "edgecolor": self.theme.card, "linewidth": 0}
            self.ax.add_artist(Rectangle((x, y), width, height, hatch=HATCHES[pattern], **look))

    def bend(self, way: Way, width: float, **how: Any) -> None:
        """A line out of a card to the end of its level, across, and straight on past the label."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points = way[:6]
        kinds = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        look: Any = {"facecolor": "none", "linewidth": width * self.scale, "capstyle": "butt"} | how
        self.ax.add_artist(PathPatch(Path(points, kinds), **look))

    @property
    def dashes(self) -> dict[str, Any]:
        """How the way of missing cells is drawn."""
        return {"edgecolor": self.theme.muted, "linestyle": (0, (3, 3))}


def _draw_entry(shown: Deck, entry: KeyEntry, brush: _Brush) -> None:
    x = entry.x
    if entry.sign is not None:
        x += SIGN + 4
        if entry.sign < 0:
            brush.ax.plot(
                [entry.x, entry.x + SIGN], [entry.y + BODY / 2] * 2, "--", color=brush.theme.muted, lw=0.9
            )
        else:
            brush.fill_class(entry.x, entry.y, SIGN, BODY, shown, entry.sign)
    weight = "bold" if entry.sign is None else "normal"
    brush.write(entry.text, x, entry.y + BODY - 1, BODY, brush.theme.ink, fontweight=weight)


def _draw_branch(drawing: Drawing, branch: Branch, brush: _Brush) -> None:
    way = drawing.way(branch)
    brush.bend(way, thickness(branch), edgecolor=brush.theme.branch)
    if branch.missing:
        brush.bend(way, 0.9, **brush.dashes)
    if drawing.compact == "marks":
        return
    label = drawing.boxes[branch.child].label
    x, y = way.label
    brush.fill(x - label / 2, y - LABEL / 2, label, LABEL, brush.paper)
    text = fitted(branch.label, label - PADDING, BODY)
    style = "italic" if branch.missing == "only" else "normal"
    brush.write(text, x, y + BODY / 2 - 1, BODY, brush.theme.ink, ha="center", fontstyle=style)


def _draw_card(drawing: Drawing, card: Card, brush: _Brush) -> None:
    box, theme, shown = drawing.boxes[card.node], brush.theme, drawing.shown
    x, y = drawing.corner(card.node)
    colour = brush.colours[fill(shown, card)]
    if drawing.compact == "marks":
        _draw_mark(drawing, card, brush)
        return
    if card.is_leaf:
        brush.fill(x, y, box.width, box.height, theme.tinted(colour), colour)
    else:
        brush.fill(x, y, box.width, box.height, theme.card, theme.edge)
    if drawing.compact:
        _draw_line(drawing, card, brush)
        return
    left, line = x + PADDING, y + PADDING + TITLE - 1
    brush.write(
        fitted(card.title, box.room, TITLE, bold=True), left, line, TITLE, theme.ink, fontweight="bold"
    )
    for k, fact in enumerate(facts(card), start=1):
        brush.write(fitted(fact, box.room, BODY), left, line + k * LINE, BODY, theme.muted)
    _draw_bar(drawing, card, left, y + box.height - PADDING - BAR, box.room, brush)


def _draw_mark(drawing: Drawing, card: Card, brush: _Brush) -> None:
    """A circle in the colour of the answer."""
    from matplotlib.patches import Circle

    shown, theme = drawing.shown, brush.theme
    x, y = drawing.corner(card.node)
    radius = drawing.boxes[card.node].width / 2
    pattern: Pattern = "" if shown.key is None else shown.key.pattern(card.decision)
    look: Any = {"facecolor": brush.colours[fill(shown, card)], "edgecolor": theme.card, "linewidth": 0}
    brush.ax.add_artist(Circle((x + radius, y + radius), radius, hatch=HATCHES[pattern] or None, **look))


def _draw_line(drawing: Drawing, card: Card, brush: _Brush) -> None:
    """One line: the classes as a small bar, the title, and how many rows there are."""
    box = drawing.boxes[card.node]
    x, y = drawing.corner(card.node)
    left, line = x + COMPACT_PADDING, y + box.height / 2 + BODY / 2 - 1
    _draw_bar(drawing, card, left, y + (box.height - BAR) / 2, COMPACT_BAR, brush)
    left += COMPACT_BAR + COMPACT_PADDING
    size = text_width(one_line(card), BODY)
    room = x + box.width - 2 * COMPACT_PADDING - size - left
    weight = "bold" if card.is_leaf else "normal"
    title = fitted(card.title, room, BODY, bold=card.is_leaf)
    brush.write(title, left, line, BODY, brush.theme.ink, fontweight=weight)
    right = x + box.width - COMPACT_PADDING
    brush.write(one_line(card), right, line, BODY, brush.theme.muted, ha="right")


def _draw_bar(drawing: Drawing, card: Card, x: float, y: float, room: float, brush: _Brush) -> None:
    """The classes side by side, by weight; or the mean between its deviations, on the scale of all cards."""
    shown, theme = drawing.shown, brush.theme
    for entry, share in enumerate(card.shares):
        brush.fill_class(x, y, share * room, BAR, shown, entry)
        x += share * room
    if card.spread is None or shown.scale is None:
        return
    low, high = shown.scale
    unit = room / (high - low) if high > low else 0.0
    mean, deviation = (card.spread.mean - low) * unit if unit else room / 2, card.spread.deviation * unit
    brush.fill(x, y + BAR / 2 - 0.5, room, 1, theme.track)
    brush.fill(x + mean - deviation, y + 0.5, 2 * deviation, BAR - 1, brush.colours[fill(shown, card)])
    brush.fill(x + min(max(mean - 0.7, 0), room - 1.4), y - 1, 1.4, BAR + 2, theme.ink)
