"""Where the boxes of a tree go: tidy, narrow, and the same every time.

Boxes of one depth stand on one level. A parent stands over the middle of its first and last child; a subtree is drawn
the same wherever it stands, and a mirrored tree is the mirrored drawing (Reingold and Tilford, 1981).

Subtrees side by side are rigid and touch where they are widest. Pushed to the left as far as they go, small ones
between large ones lean to the left; pushed to the right, to the right. Both are drawings without overlaps and equally
wide, hence so is their mean, which spreads the small ones evenly and has no sides (Kennedy, Drawing trees, 1996):

    pushed left    ▄▄▄▄ ▄ ▄     ▄▄▄▄
    pushed right   ▄▄▄▄     ▄ ▄ ▄▄▄▄
    mean           ▄▄▄▄   ▄ ▄   ▄▄▄▄

The outline of a subtree is two lists, the left and the right edge of each level, the deepest level first, so that a
parent is appended. Outlines are compared down to the second deepest subtree only, and the deepest one's lists are
taken over by the parent. Every other subtree is paid for once, by its depth: the time is linear in the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of boxes; all lie between 0 and `width`, 0 and `height`.

    Parameters
    ----------
    x, y : the middle of each box, and its top.
    bottom : where the level of each box ends: as low as its tallest box.
    """

    x: Floats
    y: Floats
    bottom: Floats
    width: float
    height: float


@dataclass(slots=True)
class _Outline:
    """Edges of a subtree by level, the deepest first; the true ones are `shift` further right."""

    left: list[float]
    right: list[float]
    shift: float

    @property
    def depth(self) -> int:
        return len(self.left)

    def lefts(self, levels: int) -> list[float]:
        """Left edges of the upper levels, from the top."""
        return [edge + self.shift for edge in self.left[: -levels - 1 : -1]]

    def rights(self, levels: int) -> list[float]:
        """Right edges of the upper levels, from the top."""
        return [edge + self.shift for edge in self.right[: -levels - 1 : -1]]


def tidy(
    children: Sequence[Sequence[int]],
    widths: Sequence[float],
    heights: Sequence[float],
    *,
    gap: float = 16.0,
    level_gap: float = 56.0,
    slope: float = 0.0,
) -> Layout:
    """Place the boxes of a tree.

    Parameters
    ----------
    children : of each node, in order. Node 0 is the root; every child has a greater number than its parent.
    widths, heights : of each node's box.
    gap : least distance between two boxes of a level.
    level_gap : least distance between the tallest box of a level and the next level.
    slope : the height of a branch over its width: where branches go far to the side, levels move apart by so much, up
        to four times `level_gap`.

    >>> layout = tidy([[1, 2], [], []], [10, 20, 20], [5, 5, 5], gap=4, level_gap=10)
    >>> layout.x.tolist(), layout.y.tolist(), layout.width, layout.height
    ([22.0, 10.0, 34.0], [0.0, 15.0, 15.0], 44.0, 20.0)
    """
    offsets, outline = _offsets(children, np.asarray(widths, np.float64).tolist(), gap)
    x, depth = [0.0] * len(children), [0] * len(children)
    for node, own in enumerate(children):
        for child in own:
            x[child] = x[node] + offsets[child]
            depth[child] = depth[node] + 1
    left, right = min(outline.lefts(outline.depth)), max(outline.rights(outline.depth))
    tallest = _largest(depth, np.asarray(heights, np.float64))
    farthest = _largest(depth, np.abs(offsets))
    gaps = np.clip(slope * farthest, level_gap, 4 * level_gap)  # above each level
    tops = np.concatenate(([0.0], np.cumsum(tallest[:-1] + gaps[1:])))
    bottoms = tops + tallest
    return Layout(np.array(x) - left, tops[depth], bottoms[depth], right - left, float(bottoms[-1]))


def _largest(depth: list[int], numbers: Floats) -> Floats:
    """The largest number of each level."""
    largest = np.zeros(max(depth) + 1)
    np.maximum.at(largest, depth, numbers)
    return largest


def _offsets(
    children: Sequence[Sequence[int]], widths: list[float], gap: float
) -> tuple[list[float], _Outline]:
    """How far each node stands to the right of its parent, and the outline of the whole tree."""
    offsets = [0.0] * len(children)
    outlines: dict[int, _Outline] = {}
    for node in range(len(children) - 1, -1, -1):  # children before their parents
        half = widths[node] / 2
        if children[node]:
            below = [outlines.pop(child) for child in children[node]]
            outlines[node], places = _joined(below, half, gap)
            for child, place in zip(children[node], places, strict=True):
                offsets[child] = place
        else:
            outlines[node] = _Outline([-half], [half], 0.0)
    return offsets, outlines[0]


def _joined(subtrees: list[_Outline], half: float, gap: float) -> tuple[_Outline, list[float]]:
    """The outline of a node half this wide above these subtrees, and where they stand below it.

    It takes over the lists of the deepest subtree.
    """
    depths = sorted([subtree.depth for subtree in subtrees])
    levels = depths[-2] if len(depths) > 1 else 0  # on which at least two subtrees meet
    lefts = [subtree.lefts(levels) for subtree in subtrees]
    rights = [subtree.rights(levels) for subtree in subtrees]
    places = _side_by_side(lefts, rights, gap)
    at = max(range(len(subtrees)), key=lambda k: subtrees[k].depth)
    deepest = subtrees[at]
    deepest.shift += places[at]
    kept = deepest.depth - levels
    back = -deepest.shift
    deepest.right[kept:] = _outermost(rights, [place + back for place in places])[::-1]
    deepest.left[kept:] = _outermost(lefts[::-1], [place + back for place in reversed(places)])[::-1]
    deepest.left.append(back - half)
    deepest.right.append(back + half)
    return deepest, places


def _side_by_side(lefts: list[list[float]], rights: list[list[float]], gap: float) -> list[float]:
    """The places of subtrees, about the middle of the first and the last."""
    from_left = _pushed(lefts, rights, gap)
    from_right = _pushed(_mirrored(rights), _mirrored(lefts), gap)[::-1]
    return [(left - right) / 2 for left, right in zip(from_left, from_right, strict=True)]


def _mirrored(edges: list[list[float]]) -> list[list[float]]:
    return [[-edge for edge in own] for own in reversed(edges)]


def _pushed(lefts: list[list[float]], rights: list[list[float]], gap: float) -> list[float]:
    """The places of subtrees, each as far left as those before it allow."""
    places: list[float] = []
    edge: list[float] = []  # the right edge of those before, by level
    for left, right in zip(lefts, rights, strict=True):
        place = max([before - own for before, own in zip(edge, left, strict=False)], default=-gap) + gap
        edge[: len(right)] = [place + own for own in right]
        places.append(place)
    return places


def _outermost(edges: list[list[float]], places: list[float]) -> list[float]:
    """The edge of each level that belongs to the last subtree which reaches it."""
    outer: list[float] = []
    for own, place in zip(edges, places, strict=True):
        outer[: len(own)] = [place + edge for edge in own]
    return outer
