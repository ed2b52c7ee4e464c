"""Laws of the drawing: no overlaps, parents in the middle, order kept, no sides; and what slow code draws."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.view.layout import tidy

GAP, LEVEL_GAP = 7.0, 30.0


@st.composite
def trees(draw, largest=40):
    """Children, widths and heights of a random tree; every child has a greater number than its parent."""
    n = draw(st.integers(1, largest))
    children = [[] for _ in range(n)]
    for node in range(1, n):
        children[draw(st.integers(max(0, node - 6), node - 1))].append(node)
    sizes = st.lists(st.sampled_from([1.0, 10.0, 33.3, 80.0]), min_size=n, max_size=n)
    return children, draw(sizes), draw(sizes)


def drawn(tree):
    return tidy(*tree, gap=GAP, level_gap=LEVEL_GAP)


def depths_of(children):
    depths = [0] * len(children)
    for node, own in enumerate(children):
        for child in own:
            depths[child] = depths[node] + 1
    return depths


def slow(children, widths, node=0):
    """Boxes of a subtree about its root, as (node, depth, middle): every box is held against every other."""
    parts = [slow(children, widths, child) for child in children[node]]
    boxes = [(node, 0, 0.0)]
    if parts:
        from_left = pushed(parts, widths, 1)
        from_right = pushed(parts[::-1], widths, -1)[::-1]
        width = from_left[-1]
        for part, left, right in zip(parts, from_left, from_right, strict=True):
            place = (left + width - right) / 2 - width / 2
            boxes += [(n, depth + 1, x + place) for n, depth, x in part]
    return boxes


def pushed(parts, widths, side):
    places, before = [], []
    for part in parts:
        place = max(
            (
                at + (widths[a] + widths[b]) / 2 + GAP - side * x
                for a, depth, at in before
                for b, other, x in part
                if depth == other
            ),
            default=0.0,
        )
        places.append(place)
        before += [(n, depth, side * x + place) for n, depth, x in part]
    return places


@given(trees())
def test_no_two_boxes_overlap_and_order_is_kept(tree):
    children, widths, heights = tree
    layout, depths = drawn(tree), np.array(depths_of(children))
    order = {0: (0,)}
    for node, own in enumerate(children):
        for k, child in enumerate(own):
            order[child] = (*order[node], k)
    for depth in range(depths.max() + 1):
        level = sorted(np.flatnonzero(depths == depth).tolist(), key=order.get)
        for a, b in pairwise(level):
            assert layout.x[b] - layout.x[a] >= (widths[a] + widths[b]) / 2 + GAP - 1e-9
        if depth:
            above = np.flatnonzero(depths == depth - 1)
            bottom = max(layout.y[n] + heights[n] for n in above)
            assert layout.y[level] == pytest.approx(bottom + LEVEL_GAP)
    assert min(layout.x - np.array(widths) / 2) == pytest.approx(0, abs=1e-9)
    assert max(layout.x + np.array(widths) / 2) == pytest.approx(layout.width)
    assert max(layout.y + np.array(heights)) == pytest.approx(layout.height)


@given(trees())
def test_a_parent_stands_over_the_middle_of_its_children(tree):
    layout = drawn(tree)
    for node, own in enumerate(tree[0]):
        if own:
            assert layout.x[node] == pytest.approx((layout.x[own[0]] + layout.x[own[-1]]) / 2)


@given(trees())
def test_it_is_the_drawing_that_slow_code_makes(tree):
    children, widths, _ = tree
    layout = drawn(tree)
    for node, _, x in slow(children, widths):
        assert layout.x[node] - layout.x[0] == pytest.approx(x, abs=1e-7)


@given(trees())
def test_a_mirrored_tree_is_the_mirrored_drawing(tree):
    children, widths, heights = tree
    layout = drawn(tree)
    mirrored = drawn(([own[::-1] for own in children], widths, heights))
    assert mirrored.x == pytest.approx(layout.width - layout.x)


@given(trees(largest=15), trees(largest=15))
def test_a_subtree_is_drawn_the_same_wherever_it_stands(tree, other):
    (a, aw, ah), (b, bw, bh) = tree, other
    first, second = 1 + len(b), 1 + len(b) + len(a)
    children = [
        [1, first, second],
        *[[c + 1 for c in own] for own in b],
        *[[c + first for c in own] for own in a],
        *[[c + second for c in own] for own in a],
    ]
    layout = drawn((children, [5.0, *bw, *aw, *aw], [5.0, *bh, *ah, *ah]))
    one, two = layout.x[first:second], layout.x[second:]
    assert one - one[0] == pytest.approx(two - two[0])


def test_small_subtrees_between_large_ones_are_spread():
    children = [[1, 2, 3], [4, 5], [], [6, 7], [], [], [], []]
    x = drawn((children, [10.0] * 8, [10.0] * 8)).x
    assert x[2] - x[1] == x[3] - x[2]


def test_levels_move_apart_where_branches_go_far_to_the_side():
    def gap(width, slope):
        layout = tidy([[1, 2], [], []], [10, width, width], [5, 20, 5], gap=0, level_gap=30, slope=slope)
        assert layout.bottom.tolist() == [5, layout.height, layout.height]
        assert layout.height == layout.y[1] + 20
        return layout.y[1] - 5

    assert gap(100, 0) == 30
    assert gap(400, 0.1) == 30  # the branches are 200 wide
    assert gap(1000, 0.1) == 50
    assert gap(9000, 0.1) == 120


def test_the_same_tree_is_the_same_drawing_to_the_last_bit():
    tree = ([[1, 2, 3], [4, 5], [], [6, 7], [], [], [], []], [10.3, 7, 9.1, 30, 5, 5, 5, 5], [10.0] * 8)
    assert drawn(tree).x.tobytes() == drawn(tree).x.tobytes()


@pytest.mark.parametrize("side", [0, 1])
def test_a_chain_of_20_000_levels(side):
    n = 40_001
    children = [[] for _ in range(n)]
    spine = 0
    for node in range(1, n, 2):
        children[spine] = [node, node + 1]
        spine = node + side
    layout = tidy(children, [30.0] * n, [20.0] * n)
    assert layout.height == 20_001 * 20 + 20_000 * 56
