"""A tree as an SVG picture: a card for each node, a branch as wide as its share of the rows to each child.

    ┌─────────────────────┐      what it asks            node
    │ Outlook           0 │
    │ 14 rows · Yes: 9 …  │      how many rows, what they are like
    │ ███████████░░░░     │      classes, or mean ± standard deviation on the scale of all cards
    └───────┬─────────────┘
        ╭───┴───╮                the bend; then straight on, past the label, so that no branch crosses one
     (Sunny) (Rain)              label
     ┌──┴──┐ ┌──┴──┐

Boxes are measured before anything is drawn (view/metrics.py), so text fits where it stands and never overlaps. A
compact picture has one line for each node, or a mark alone (view/compact.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.view.arrange import Arranged, CardBox, Orientation, Spacing, Way, arrange, check_orientation
from branchwork.view.cards import Branch, Card, Compact, Deck, deck
from branchwork.view.compact import SPACING, compact_box, compact_card, compact_thickness
from branchwork.view.glyphs import glyphs, height
from branchwork.view.hatching import patterns
from branchwork.view.legend import legend
from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme, fill
from branchwork.view.pieces import Svg, escaped, path, rect, short, title, words
from branchwork.view.style import BODY, SMALL, TITLE, style_sheet

MARGIN = 16.0
PADDING, NARROWEST, WIDEST = 10.0, 84.0, 260.0
LABEL_HEIGHT, WIDEST_LABEL = 18.0, 220.0
DISTANCES = Spacing(gap=14.0, bend=48.0, slope=0.1, label=LABEL_HEIGHT, around=5.0)
LINE = 16.0
FULL_BRANCH, THINNEST_BRANCH, THINNEST_STRONG = 16.0, 1.2, 3.0
"""How wide a branch with all rows would be, and one with next to none is; also on the way that is pointed out."""
MOST_DESCRIBED = 60
"""Cards that are told one by one to those who cannot see the picture."""


def to_svg(
    model: Model,
    *,
    max_depth: int | None = None,
    theme: ThemeName = "auto",
    highlight: int | None = None,
    data: tuple[Table, Target] | None = None,
    orientation: Orientation = "TB",
    compact: Compact = False,
) -> Svg:
    """Draw a tree.

    Parameters
    ----------
    max_depth : draw nodes down to this depth. None: as deep as about 200 nodes allow, or 1 000 where the picture is
        compact; a line says what is left out.
    theme : "light", "dark", or "auto": what the reader's system or notebook asks for.
    highlight : a node; the way to it is drawn strong.
    data : rows in the model's columns and labels, for a histogram in each node.
    orientation : "TB", from top to bottom, or "LR", from left to right, which suits deep trees.
    compact : True or "lines": one line for each node; "marks": a coloured mark for each node, without words.
    """
    check_theme(theme)
    check_orientation(orientation)
    shown = deck(model, max_depth=max_depth, highlight=highlight, data=data, compact=compact)
    return _picture(shown, theme, orientation, compact)


def _picture(shown: Deck, theme: ThemeName, orientation: Orientation, compact: Compact) -> Svg:
    boxes = _boxes(shown, compact)
    spacing = SPACING[compact] if compact else DISTANCES
    placed = arrange(shown, boxes, spacing, orientation, compact_thickness if compact else _thickness)
    key = legend(shown, placed.width)
    width = max(placed.width, key.width) + 2 * MARGIN
    tall = key.height + placed.height + 2 * MARGIN
    left = MARGIN if orientation == "LR" else (width - placed.width) / 2
    size = f'width="{short(width)}" height="{short(tall)}" viewBox="0 0 {short(width)} {short(tall)}"'
    return Svg(
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="branchwork-{theme}" role="img" {size} '
                f'style="max-width:100%;height:auto" aria-label="{escaped(shown.summary)}">',
                f"<title>{escaped(shown.summary)}</title>",
                f"<desc>{escaped(' '.join(_description(shown)))}</desc>",
                f"<style>{style_sheet(theme, shown.plain_entries)}</style>",
                patterns(shown.plain_entries, f"branchwork-{theme}"),
                rect(0, 0, width, tall, "background"),
                f'<g transform="translate({short(MARGIN)} {short(MARGIN)})">',
                *key.pieces,
                "</g>",
                f'<g transform="translate({short(left)} {short(MARGIN + key.height)})">',
                *_branches(shown, placed, boxes, compact),
                *_cards(shown, placed, boxes, compact),
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


def _boxes(shown: Deck, compact: Compact) -> list[CardBox]:
    labels = {branch.child: _label_width(branch) for branch in shown.branches}
    if compact:
        return [compact_box(shown, card, labels.get(card.node, 0.0), compact) for card in shown.cards]
    return [_box(card, labels.get(card.node, 0.0)) for card in shown.cards]


def _label_width(branch: Branch) -> float:
    return min(text_width(branch.label, BODY, bold=branch.strong) + PADDING, WIDEST_LABEL)


def _box(card: Card, label: float) -> CardBox:
    lines = [
        text_width(card.title, TITLE, bold=True) + _id_width(card),
        text_width(card.facts, BODY),
        text_width(card.below, BODY, bold=True),
    ]
    width = min(max(NARROWEST, *lines) + 2 * PADDING, WIDEST)
    tall = PADDING * 2 + LINE * 2 + height(card) + (LINE if card.hidden else 0)
    return CardBox(width, tall, label, PADDING)


def _id_width(card: Card) -> float:
    return text_width(str(card.node), SMALL) + PADDING


# ---- cards


def _cards(shown: Deck, placed: Arranged, boxes: list[CardBox], compact: Compact) -> Iterator[str]:
    for card, box, corner in zip(shown.cards, boxes, placed.corner, strict=True):
        if compact:
            yield compact_card(shown, card, box, corner, compact)
        else:
            yield _card(shown, card, box, *corner)


def _card(shown: Deck, card: Card, box: CardBox, x: float, y: float) -> str:
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


def _branches(shown: Deck, placed: Arranged, boxes: list[CardBox], compact: Compact) -> Iterator[str]:
    for branch, way in zip(shown.branches, placed.ways, strict=True):
        about = (branch.condition, f"{branch.share:.1%} of all weight", shown.missing.get(branch.missing, ""))
        width = compact_thickness(branch) if compact else _thickness(branch)
        style = "strong" if branch.strong else "branch"
        pieces = ["<g>", title(about), path(_curve(way), style, width=width)]
        if branch.missing:
            pieces.append(path(_curve(way), "missing"))
        if compact != "marks":
            pieces += _label(branch, boxes[branch.child].label, way)
        yield "".join([*pieces, "</g>"])


def _label(branch: Branch, width: float, way: Way) -> list[str]:
    style = f"{'strongly ' if branch.strong else ''}{'alone ' if branch.missing == 'only' else ''}ink"
    x, y = way.label
    top, room = y - LABEL_HEIGHT / 2, width - PADDING
    return [
        rect(x - width / 2, top, width, LABEL_HEIGHT, "background", corner=LABEL_HEIGHT / 2),
        words(
            branch.label,
            x,
            top + LABEL_HEIGHT - 5,
            style,
            BODY,
            room=room,
            bold=branch.strong,
            anchor="middle",
        ),
    ]


def _thickness(branch: Branch) -> float:
    return max(THINNEST_STRONG if branch.strong else THINNEST_BRANCH, FULL_BRANCH * branch.share)


def _curve(way: Way) -> str:
    """Out of a card to the end of its level, across, and straight on past the label."""
    start, level, first, second, zone, end = (
        f"{short(x)} {short(y)}"
        for x, y in (way.start, way.level, way.first_control, way.second_control, way.zone, way.end)
    )
    return f"M{start}L{level}C{first} {second} {zone}L{end}"
