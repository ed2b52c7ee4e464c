"""Where things stand in a picture: nothing overlaps, measured by our own metrics and in a browser."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.learn.single import without_weightless_rows
from branchwork.view.metrics import text_width
from branchwork.view.style import BODY, FONTS, SMALL, TITLE
from branchwork.view.svg import to_svg
from grow.test_open_recipes import POLICIES, learned
from view import gallery

from tables import OF_EACH, open_cases

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures():
    return dict(gallery.pictures())


@pytest.fixture(scope="module")
def tennis():
    data = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(data.X, data.y), data


# ---- nothing overlaps, by our own measure


def boxes(picture):
    """Boxes (left, top, right, bottom, text) of all text, in the picture's own coordinates; and its size."""
    root = ET.fromstring(picture)
    found = []
    waiting = [(root, 0.0, 0.0)]
    while waiting:
        element, x, y = waiting.pop()
        if moved := re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", "")):
            x, y = x + float(moved[1]), y + float(moved[2])
        if element.tag == f"{SVG}text":
            found.append(text_box(element, x, y))
        waiting.extend((child, x, y) for child in element)
    return found, float(root.get("width")), float(root.get("height"))


def text_box(element, x, y):
    style = element.get("class").split()
    size = TITLE if "title" in style else SMALL if "id" in style else BODY
    width = text_width(element.text, size, bold="title" in style or "strongly" in style)
    anchor = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor"), 0.0)
    left, base = x + float(element.get("x")) - anchor * width, y + float(element.get("y"))
    return left, base - 0.8 * size, left + width, base + 0.22 * size, element.text


def overlapping(found):
    """Pairs of boxes that overlap by more than rounding."""
    found = sorted(found)
    for k, (_, top, right, bottom, text) in enumerate(found):
        for other in found[k + 1 :]:
            if other[0] >= right - 0.3:
                break
            if other[1] < bottom - 0.3 and top < other[3] - 0.3:
                yield text, other[4]


def check_boxes(picture, name):
    found, width, height = boxes(picture)
    assert list(overlapping(found)) == [], name
    for left, top, right, bottom, text in found:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, (name, text)


def test_text_never_overlaps_and_stays_in_the_picture(pictures):
    for name, picture in pictures.items():
        check_boxes(picture, name)


@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
@pytest.mark.filterwarnings("ignore::branchwork.errors.LowWeightWarning")
@pytest.mark.parametrize("missing", POLICIES)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_text_never_overlaps_in_random_trees(missing, data):
    case = data.draw(open_cases(missing=missing))
    model = learned(case)
    rows = without_weightless_rows(case.table, case.weighted_target)
    max_depth = data.draw(st.sampled_from([None, 0, 1, 2]))
    picture = to_svg(
        model,
        max_depth=max_depth,
        highlight=data.draw(st.sampled_from([None, model.tree.n_nodes - 1])),
        data=data.draw(st.sampled_from([None, rows])),
    )
    check_boxes(picture, case)
    shown = int((model.tree.depths <= (1000 if max_depth is None else max_depth)).sum())
    assert picture.count('class="card') == shown


SHAPES = [("LR", False), ("TB", True), ("LR", "lines"), ("TB", "marks"), ("LR", "marks")]


@pytest.mark.parametrize(("orientation", "compact"), SHAPES)
def test_text_never_overlaps_in_any_shape(orientation, compact):
    for name, (tree, X, y) in gallery.trees().items():
        picture = tree.to_svg(orientation=orientation, compact=compact)
        check_boxes(picture, name)
        if X is not None and not compact:
            check_boxes(tree.to_svg(X, y, orientation=orientation), name)


def words(picture):
    return {element.text for element in ET.fromstring(picture).iter(f"{SVG}text")}


def corners(picture):
    """The upper left corner of each card."""
    rects = [e for e in ET.fromstring(picture).iter(f"{SVG}rect") if e.get("class").startswith("card")]
    return np.array([[float(e.get("x")), float(e.get("y"))] for e in rects])


def test_from_left_to_right_levels_are_columns(tennis):
    tree = tennis[0]
    depths = tree.tree_.depths
    down, right = corners(tree.to_svg()), corners(tree.to_svg(orientation="LR"))
    for depth in range(3):
        assert len(set(down[depths == depth, 1])) == 1 and len(set(right[depths == depth, 0])) == 1
    assert right[0, 0] < right[1, 0] < right[4, 0] and (np.diff(right[1:4, 1]) > 0).all()
    with pytest.raises(ParameterError, match=r"orientation='RL'; expected 'TB' .* or 'LR'"):
        tree.to_svg(orientation="RL")


def test_a_compact_picture_is_small_and_keeps_every_node(tennis):
    tree, data = tennis
    whole, lines, marks = (tree.to_svg(compact=compact) for compact in (False, True, "marks"))
    sizes = [
        float(ET.fromstring(p).get("width")) * float(ET.fromstring(p).get("height")) for p in (whole, lines)
    ]
    assert sizes[1] < sizes[0] / 2
    assert (
        lines == tree.to_svg(compact="lines") and lines.count("<g><title>") == marks.count("<g><title>") == 15
    )
    assert marks.count("<circle") == 8 and words(marks) <= {"No", "Yes", "PlayTennis:"}
    assert {"Outlook", "14 rows"} <= words(lines)
    with pytest.raises(ParameterError, match="a compact picture has no room for histograms"):
        tree.to_svg(data.X, data.y, compact=True)


def test_the_test_of_overlaps_would_notice_one():
    assert list(overlapping([(0, 0, 10, 10, "a"), (9, 9, 20, 20, "b"), (30, 0, 40, 10, "c")])) == [("a", "b")]


def test_cards_and_labels_keep_apart(pictures):
    for name, picture in pictures.items():
        cards = [
            (x, y, x + w, y + h, "card")
            for element in ET.fromstring(picture).iter(f"{SVG}rect")
            if element.get("class").startswith("card")
            for x, y, w, h in [[float(element.get(key)) for key in ("x", "y", "width", "height")]]
        ]
        labels = [
            text_box(element, 0, 0)
            for element in ET.fromstring(picture).iter(f"{SVG}text")
            if element.get("text-anchor") == "middle"
        ]
        assert len(labels) == len(cards) - 1, name
        assert list(overlapping(cards + labels)) == [], name


# ---- nothing overlaps, in a browser

MEASURE = """
() => [...document.querySelectorAll('svg')].map(svg => {
  const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const texts = [...svg.querySelectorAll('text')].map(t => {
    const card = t.parentNode.querySelector('rect.card');
    return {text: t.textContent, box: box(t), card: card ? box(card) : null};
  });
  return {picture: box(svg), texts};
})
"""


@pytest.mark.parametrize("fonts", [FONTS, "'DejaVu Sans'"])
def test_text_never_overlaps_in_a_browser(pictures, page, fonts):
    drawn = [picture.replace(FONTS, fonts).replace("max-width:100%", "") for picture in pictures.values()]
    page.set_content("<body>" + "".join(f"<div>{picture}</div>" for picture in drawn))
    measured = page.evaluate(MEASURE)
    assert len(measured) == len(pictures)
    for name, picture in zip(pictures, measured, strict=True):
        found = []
        for text in picture["texts"]:
            left, top, right, bottom = text["box"]
            outer = text["card"] or picture["picture"]
            assert left >= outer[0] - 0.5 and right <= outer[2] + 0.5, (name, text)
            assert top >= outer[1] - 0.5 and bottom <= outer[3] + 0.5, (name, text)
            inset = (bottom - top) * 0.15  # a line's box is higher than its letters
            found.append((left, top + inset, right, bottom - inset, text["text"]))
        assert list(overlapping(found)) == [], name
