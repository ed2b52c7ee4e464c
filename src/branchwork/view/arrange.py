"""Where the cards, branches and labels of a tree go, from top to bottom or from left to right.

Both are one drawing: `along` goes from the root to the leaves, `across` from sibling to sibling, and only at the end
does one of them become x and the other y.

    along   card ─┬─ level ends   bend   zone of labels   card
                  │                 ╭─────( Sunny )────── …
                  ╰─────────────────╯
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from branchwork.errors import ParameterError
from branchwork.view.cards import Branch, Deck, starts
from branchwork.view.layout import tidy

Orientation = Literal["TB", "LR"]
"""From top to bottom, or from left to right."""

Point = tuple[float, float]


def check_orientation(orientation: str) -> None:
    """Refuse an orientation that is not known."""
    if orientation not in get_args(Orientation):
        raise ParameterError(
            f"orientation={orientation!r}; expected 'TB' (top to bottom) or 'LR' (left to right)."
        )


@dataclass(frozen=True)
class CardBox:
    """The size of a card, the width of the label of the branch that leads to it, and the padding inside it."""

    width: float
    height: float
    label: float
    padding: float

    @property
    def room(self) -> float:
        """The width that text has."""
        return self.width - 2 * self.padding


@dataclass(frozen=True)
class Spacing:
    """Distances.

    Parameters
    ----------
    gap : between two cards of a level, across.
    bend : from one level to the zone of labels of the next, at least.
    slope : how far levels move apart for branches that go far to the side.
    label : the height of a label; 0: there are none.
    around : the room around a label.
    """

    gap: float
    bend: float
    slope: float
    label: float
    around: float


class Way(NamedTuple):
    """A branch: out of its card to the end of the level, a bend, then straight past the label to the child."""

    start: Point
    level: Point
    first_control: Point
    second_control: Point
    zone: Point
    end: Point
    label: Point
    """The middle of the label."""


@dataclass(frozen=True)
class Arranged:
    """The corner of each card, the way of each branch, and the size of everything together."""

    corner: tuple[Point, ...]
    ways: tuple[Way, ...]
    width: float
    height: float


def arrange(
    shown: Deck,
    boxes: Sequence[CardBox],
    spacing: Spacing,
    orientation: Orientation,
    thickness: Callable[[Branch], float],
) -> Arranged:
    """Place the cards and branches of a deck."""
    down = orientation == "TB"
    zones = _zones(shown, boxes, spacing, down)
    if down:
        across = [max(box.width, box.label) for box in boxes]
        along = [zone + box.height for zone, box in zip(zones, boxes, strict=True)]
        rooms = [box.room for box in boxes]
    else:
        across = [max(box.height, spacing.label) for box in boxes]
        along = [zone + box.width for zone, box in zip(zones, boxes, strict=True)]
        rooms = [box.height - 2 * box.padding for box in boxes]
    layout = tidy(shown.children, across, along, gap=spacing.gap, level_gap=spacing.bend, slope=spacing.slope)
    middles, tops, ends = layout.x.tolist(), layout.y.tolist(), layout.bottom.tolist()

    def point(at: float, aside: float) -> Point:
        return (aside, at) if down else (at, aside)

    corners = []
    for node, box in enumerate(boxes):
        half = (box.width if down else box.height) / 2
        corners.append(point(tops[node] + zones[node], middles[node] - half))
    ways = []
    for branch, aside in zip(shown.branches, starts(shown, thickness, rooms), strict=True):
        parent, child = branch.parent, branch.child
        leaves, level = tops[parent] + along[parent], ends[parent]
        start, end = middles[parent] + aside, middles[child]
        zone, card = tops[child], tops[child] + zones[child]
        middle = (level + zone) / 2
        ways.append(
            Way(
                point(leaves, start),
                point(level, start),
                point(middle, start),
                point(middle, end),
                point(zone, end),
                point(card, end),
                point((zone + card) / 2, end),
            )
        )
    width, height = point(layout.height, layout.width)
    return Arranged(tuple(corners), tuple(ways), width, height)


def _zones(shown: Deck, boxes: Sequence[CardBox], spacing: Spacing, down: bool) -> list[float]:
    """How much room, along, the labels before each card need: the same for all cards of a level."""
    depth = [0] * len(boxes)
    for node, children in enumerate(shown.children):
        for child in children:
            depth[child] = depth[node] + 1
    if not spacing.label:
        return [0.0] * len(boxes)
    needed = [0.0] * (max(depth) + 1)
    for node, box in enumerate(boxes):
        if node:
            room = spacing.label if down else box.label
            needed[depth[node]] = max(needed[depth[node]], room + 2 * spacing.around)
    return [needed[level] for level in depth]
