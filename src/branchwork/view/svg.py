"""A tree as an SVG picture: a card for each node, a branch as wide as its share of the rows to each child.

    ┌─────────────────┐      what it asks            node
    │ Outlook       0 │
    │ 14 rows · 64% … │      how many rows, what they are like
    │ ███████████░░░░ │      classes, or mean ± standard deviation on the scale of all cards
    └───────┬─────────┘
        ╭───┴───╮            the bend; then straight down, past the label, so that no branch crosses one
     (Sunny) (Rain)          label
     ┌──┴──┐ ┌──┴──┐

Boxes are measured before anything is drawn (view/metrics.py), so text fits where it stands and never overlaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.view.cards import Branch, Card, Deck, deck, starts
from branchwork.view.glyphs import glyphs, height
from branchwork.view.layout import Layout, tidy
from branchwork.view.legend import legend
from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme, fill
from branchwork.view.pieces import Svg, escaped, path, rect, short, title, words
from branchwork.view.style import BODY, SMALL, TITLE, style_sheet

MARGIN, GAP, LEVEL_GAP, SLOPE = 16.0, 14.0, 76.0, 0.14
PADDING, NARROWEST, WIDEST = 10.0, 84.0, 260.0
LABEL_HEIGHT, LABEL_ZONE, WIDEST_LABEL = 18.0, 28.0, 220.0
LINE = 16.0
FULL_BRANCH, THINNEST_BRANCH, THINNEST_STRONG = 16.0, 1.2, 3.0
"""How wide a branch with all rows would be, and one with next to none is; also on the way that is pointed out."""
MOST_DESCRIBED = 60
"""Cards that are told one by one to those who cannot see the picture."""


def to_svg(
    model: Model,
    *,
    max_depth: int | None = None,
    theme: ThemeName = "light",
    highlight: int | None = None,
    data: tuple[Table, Target] | None = None,
) -> Svg:
    """Draw a tree.

    Parameters
    ----------
    max_depth : draw nodes down to this depth. None: as deep as about 200 nodes allow; a line says what is left out.
    theme : "light", "dark", or "auto": what the reader's system asks for.
    highlight : a node; the way to it is drawn strong.
    data : rows in the model's columns and labels, for a histogram in each node.
    """
    check_theme(theme)
    return _picture(deck(model, max_depth=max_depth, highlight=highlight, data=data), theme)


def _picture(shown: Deck, theme: ThemeName) -> Svg:
    boxes = _boxes(shown)
    layout = tidy(
        shown.children,
        [box.slot for box in boxes],
        [box.height for box in boxes],
        gap=GAP,
        level_gap=LEVEL_GAP,
        slope=SLOPE,
    )
    key = legend(shown, layout.width)
    width = max(layout.width, key.width) + 2 * MARGIN
    tall = key.height + layout.height + 2 * MARGIN
    left, top = (width - layout.width) / 2, MARGIN + key.height
    size = f'width="{short(width)}" height="{short(tall)}" viewBox="0 0 {short(width)} {short(tall)}"'
    return Svg(
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="branchwork-{theme}" role="img" {size} '
                f'style="max-width:100%;height:auto" aria-label="{escaped(shown.summary)}">',
                f"<title>{escaped(shown.summary)}</title>",
                f"<desc>{escaped(' '.join(_description(shown)))}</desc>",
                f"<style>{style_sheet(theme)}</style>",
                rect(0, 0, width, tall, "background"),
                f'<g transform="translate({short(MARGIN)} {short(MARGIN)})">',
                *key.pieces,
                "</g>",
                f'<g transform="translate({short(left)} {short(top)})">',
                *_branches(shown, boxes, layout),
                *(_card(shown, card, boxes[card.node], layout) for card in shown.cards),
                "</g>",
                "</svg>\n",
            ]
        )
    )


def _description(shown: Deck) -> Iterator[str]:
    """The picture in sentences."""
    yield shown.summary
    if shown.notice:
        yield shown.notice
    for card in shown.cards[:MOST_DESCRIBED]:
        verb = "answers" if card.is_leaf else "asks"
        yield f"{card.about[0]}; {card.size}; {verb} {card.title}."


# ---- boxes


@dataclass(frozen=True)
class _CardBox:
    """The size of a card, and of the place that it and the label above it need."""

    width: float
    height: float
    label: float

    @property
    def slot(self) -> float:
        return max(self.width, self.label)

    @property
    def room(self) -> float:
        """For text."""
        return self.width - 2 * PADDING


def _boxes(shown: Deck) -> list[_CardBox]:
    labels = {branch.child: _label_width(branch) for branch in shown.branches}
    return [_box(card, labels.get(card.node, 0.0)) for card in shown.cards]


def _label_width(branch: Branch) -> float:
    return min(text_width(branch.label, BODY, bold=branch.strong) + PADDING, WIDEST_LABEL)


def _box(card: Card, label: float) -> _CardBox:
    lines = [
        text_width(card.title, TITLE, bold=True) + _id_width(card),
        text_width(card.facts, BODY),
        text_width(card.below, BODY, bold=True),
    ]
    width = min(max(NARROWEST, *lines) + 2 * PADDING, WIDEST)
    return _CardBox(width, PADDING * 2 + LINE * 2 + height(card) + (LINE if card.hidden else 0), label)


def _id_width(card: Card) -> float:
    return text_width(str(card.node), SMALL) + PADDING


# ---- cards


def _card(shown: Deck, card: Card, box: _CardBox, layout: Layout) -> str:
    x, y = float(layout.x[card.node]) - box.width / 2, float(layout.y[card.node])
    left, right = x + PADDING, x + box.width - PADDING
    first, second = y + PADDING + TITLE - 3, y + PADDING + LINE + BODY
    room = box.room - _id_width(card)
    pieces = [
        "<g>",
        title(card.about),
        rect(x, y, box.width, box.height, _card_style(shown, card), corner=6),
        words(card.title, left, first, "title ink", TITLE, room=room, bold=True),
        words(str(card.node), right, first, "id muted", SMALL, room=box.room, anchor="end"),
        words(card.facts, left, second, "muted", BODY, room=box.room),
        *glyphs(shown, card, left, y + PADDING + 2 * LINE, box.room),
    ]
    if card.hidden:
        bottom = y + box.height - PADDING
        pieces.append(words(card.below, left, bottom, "strongly ink", BODY, room=box.room, bold=True))
    return "".join([*pieces, "</g>"])


def _card_style(shown: Deck, card: Card) -> str:
    style = f"card leaf {fill(shown, card)}" if card.is_leaf else "card"
    return style + (" empty" if card.is_empty else "") + (" pointed" if card.strong else "")


# ---- branches


def _branches(shown: Deck, boxes: list[_CardBox], layout: Layout) -> Iterator[str]:
    for branch, aside in zip(
        shown.branches, starts(shown, _thickness, [box.room for box in boxes]), strict=True
    ):
        parent, child = branch.parent, branch.child
        start = float(layout.x[parent]) + aside
        own, level = float(layout.y[parent]) + boxes[parent].height, float(layout.bottom[parent])
        x, y = float(layout.x[child]), float(layout.y[child])
        about = (branch.condition, f"{branch.share:.1%} of all weight", shown.missing.get(branch.missing, ""))
        yield _branch(branch, about, _curve(start, own, level, x, y), x, y)


def _branch(branch: Branch, about: tuple[str, ...], way: str, x: float, y: float) -> str:
    style = "strong" if branch.strong else "branch"
    label = _label_width(branch)
    pieces = ["<g>", title(about), path(way, style, width=_thickness(branch))]
    if branch.missing:
        pieces.append(path(way, "missing"))
    text = f"{'strongly ' if branch.strong else ''}{'alone ' if branch.missing == 'only' else ''}ink"
    top = y - LABEL_ZONE + (LABEL_ZONE - LABEL_HEIGHT) / 2
    pieces += [
        rect(x - label / 2, top, label, LABEL_HEIGHT, "background", corner=LABEL_HEIGHT / 2),
        words(
            branch.label,
            x,
            top + LABEL_HEIGHT - 5,
            text,
            BODY,
            room=label - PADDING,
            bold=branch.strong,
            anchor="middle",
        ),
        "</g>",
    ]
    return "".join(pieces)


def _thickness(branch: Branch) -> float:
    return max(THINNEST_STRONG if branch.strong else THINNEST_BRANCH, FULL_BRANCH * branch.share)


def _curve(start: float, bottom: float, level: float, x: float, y: float) -> str:
    """From the bottom of a card down to that of its level, across, and straight down past the label."""
    end = y - LABEL_ZONE
    middle = (level + end) / 2
    return (
        f"M{short(start)} {short(bottom)}V{short(level)}"
        f"C{short(start)} {short(middle)} {short(x)} {short(middle)} {short(x)} {short(end)}V{short(y)}"
    )
