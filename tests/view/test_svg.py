"""Pictures: valid XML whatever the table says, nothing overlaps, the same bytes every time."""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.learn.single import without_weightless_rows
from branchwork.view.metrics import text_width
from branchwork.view.pieces import escaped
from branchwork.view.style import BODY, FONTS, SMALL, TITLE
from branchwork.view.svg import to_svg
from grow.test_open_recipes import POLICIES, learned
from view import gallery

from tables import EXAMPLES, open_cases

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures():
    return dict(gallery.pictures())


@pytest.fixture(scope="module")
def tennis():
    data = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(data.X, data.y), data


# ---- what is in it


def texts(picture):
    return [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_a_picture_says_what_the_tree_says(tennis):
    shown = texts(tennis[0].to_svg())
    assert shown[:3] == ["No", "Yes", "missing values go this way"]
    for word in (
        "Outlook",
        "Humidity",
        "Wind",
        "Overcast",
        "Sunny",
        "High",
        "14 rows · 64% Yes",
        "2 rows · 100%",
    ):
        assert word in shown, word
    assert sum(text == "Yes" for text in shown) == 1 + 3  # in the legend, and three leaves
    assert sorted(int(t) for t in shown if t.isdigit()) == list(range(8))


def test_every_picture_is_xml_that_runs_nothing_and_loads_nothing(pictures):
    for name, picture in pictures.items():
        root = ET.fromstring(picture)
        assert root.tag == f"{SVG}svg" and root.get("role") == "img" and root.get("viewBox"), name
        assert root.get("aria-label").startswith("Decision tree of"), name
        assert root.find(f"{SVG}title").text and root.find(f"{SVG}desc").text, name
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "style", "g", "rect", "path", "text"}, name
        names = {key for element in root.iter() for key in element.attrib}
        assert not {key for key in names if key.startswith("on") or "href" in key}, name
        assert "url(" not in root.find(f"{SVG}style").text and "@import" not in picture


def test_text_of_unknown_origin_is_shown_not_obeyed():
    assert ET.fromstring(f"<a>{escaped('<b>&]]>')}</a>").text == "<b>&]]>"
    for character in map(chr, [*range(32), 0x7F, 0x85, 0xD800, 0xFFFE, 0xFFFF, 0x202E]):
        shown = ET.fromstring(f"<a b='{escaped(character)}'>{escaped(character)}</a>")
        assert shown.text == shown.get("b") and shown.text.startswith("\\")


def test_words_that_are_too_long_end_in_an_ellipsis_and_are_whole_in_the_title():
    tree = bw.ID3Classifier().fit([["x" * 300], ["y" * 300]], ["a", "b"])
    root = ET.fromstring(tree.to_svg())
    labels = [element.text for element in root.iter(f"{SVG}text")]
    assert not any("x" * 100 in label for label in labels)
    assert any(label.startswith("xxxx") and label.endswith("…") for label in labels)
    assert any("x" * 300 in element.text for element in root.iter(f"{SVG}title"))


def test_missing_cells_are_dashed(tennis):
    X, y = gallery.credit()
    with_branch = bw.TreeClassifier(missing="branch", max_depth=1).fit(X, y).to_svg()
    assert with_branch.count('class="missing"') == 1 and "missing" in texts(with_branch)
    shared = bw.C45Classifier().fit(X, y)
    dashed = shared.to_svg().count('class="missing"')
    assert dashed == shared.tree_.n_nodes - 1 + 1  # every branch, and the legend
    assert tennis[0].to_svg().count('class="missing"') == 3 + 1  # one branch of each split, and the legend


def test_a_cut_is_told():
    tree = gallery.trees()["cut"][0]
    shown = texts(tree.to_svg(max_depth=3))
    n = int((tree.tree_.depths <= 3).sum())
    assert shown[0] == f"Down to depth 3: {n} of {tree.tree_.n_nodes} nodes."
    hidden = [int(found[1]) for text in shown if (found := re.fullmatch(r"\+ (\d+) nodes?", text))]
    assert n + sum(hidden) == tree.tree_.n_nodes


def test_branches_are_as_wide_as_their_share_of_the_rows(tennis):
    root = ET.fromstring(tennis[0].to_svg())
    widths = [float(p.get("stroke-width")) for p in root.iter(f"{SVG}path") if p.get("class") == "branch"]
    weight = tennis[0].tree_.weight
    assert widths == pytest.approx((16 * weight[1:] / weight[0]).tolist(), abs=0.06)


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_many_branches_leave_from_below_their_card():
    values = [f"v{k:03}" for k in range(150)]
    root = ET.fromstring(bw.ID3Classifier().fit([[v] for v in values], values).to_svg())
    card = next(e for e in root.iter(f"{SVG}rect") if e.get("class").startswith("card"))
    left, width = float(card.get("x")), float(card.get("width"))
    starts = [float(e.get("d")[1:].split()[0]) for e in root.iter(f"{SVG}path") if e.get("class") == "branch"]
    assert len(starts) == 150 and left < starts[0] < starts[-1] < left + width


def test_the_way_to_a_node_is_strong(tennis):
    tree, data = tennis
    leaf = int(tree.apply(data.X)[0])
    assert tree.to_svg(highlight=leaf).count('class="strong"') == tree.tree_.depths[leaf]
    assert "strong" not in tree.to_svg().split("</style>")[1]


def test_a_single_leaf_is_a_picture_too():
    assert texts(bw.ID3Classifier().fit([[0], [0]], ["a", "b"]).to_svg()) == [
        "a",
        "b",
        "a",
        "0",
        "2 rows · 50%",
    ]


def test_histograms_are_drawn_where_rows_are_handed_over(tennis):
    tree, data = tennis
    plain, with_rows = tree.to_svg(), tree.to_svg(data.X, data.y)
    assert with_rows.count("<rect") > plain.count("<rect")
    with pytest.raises(ParameterError, match="needs X and y"):
        tree.to_svg(data.X)


def test_themes(tennis):
    tree = tennis[0]
    assert "prefers-color-scheme" not in tree.to_svg() + tree.to_svg(theme="dark")
    assert "prefers-color-scheme:dark" in tree.to_svg(theme="auto")
    with pytest.raises(ParameterError, match="theme='blue'; expected one of 'light', 'dark', 'auto'"):
        tree.to_svg(theme="blue")


def test_a_notebook_shows_it(tennis):
    picture = tennis[0].to_svg()
    assert isinstance(picture, str) and picture._repr_svg_() == picture


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
@settings(max_examples=EXAMPLES // 5)
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


def test_the_reader_s_system_chooses_the_theme(tennis, page):
    page.set_content(tennis[0].to_svg(theme="auto"))
    background = "getComputedStyle(document.querySelector('.background')).fill"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == "rgb(16, 21, 28)"


def test_pictures_of_both_themes_stand_on_one_page(tennis, page):
    page.set_content(tennis[0].to_svg(theme="dark") + tennis[0].to_svg(theme="light"))
    fills = page.evaluate("[...document.querySelectorAll('.background')].map(e => getComputedStyle(e).fill)")
    assert fills[0] == "rgb(16, 21, 28)" and fills[-1] == "rgb(255, 255, 255)"


# ---- size, time, sameness


def test_a_chain_of_20_000_levels_has_a_picture():
    n = 20_000
    tree = bw.ID3Classifier().fit(np.arange(n + 1.0).reshape(-1, 1), np.arange(n + 1) % 2)
    picture = tree.to_svg()
    assert picture.count("<g><title>") < 2 * 200 and f"of {2 * n + 1} nodes." in picture


def test_a_thousand_nodes_are_quick():
    rng = np.random.default_rng(1)
    tree = bw.CARTClassifier(max_leaf_nodes=500).fit(rng.normal(size=(1400, 4)), rng.integers(0, 3, 1400))
    assert tree.tree_.n_nodes == 999
    times = []
    for _ in range(3):
        began = time.process_time()
        tree.to_svg(max_depth=1000)
        times.append(time.process_time() - began)
    assert min(times) < 1.2  # 0.12 on a quiet machine


def test_the_same_bytes_in_every_process(tennis):
    code = "import sys, branchwork as bw; data = bw.datasets.load('play_tennis'); \
        tree = bw.ID3Classifier().fit(data.X, data.y); \
        sys.stdout.buffer.write(tree.to_svg(data.X, data.y, highlight=3).encode())"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", code]
    other = subprocess.run(command, capture_output=True, check=True, env=environment).stdout
    tree, data = tennis
    assert other == tree.to_svg(data.X, data.y, highlight=3).encode()


# ---- pictures that were looked at


def regression():
    data = bw.datasets.load("bike_rentals")
    return bw.TreeRegressor(max_depth=2).fit(data.X, data.y), data.X, data.y


def with_missing():
    data = bw.datasets.load("play_tennis")
    X = data.X.to_pandas().astype(object)
    X.iloc[[1, 5], 0] = X.iloc[8, 2] = None
    return bw.C45Classifier(pruning=None).fit(X, data.y), X, data.y


GOLDEN_PICTURES = {
    "play_tennis": lambda tree, data: tree.to_svg(highlight=5),
    "play_tennis_dark": lambda tree, data: tree.to_svg(data.X, data.y, theme="dark"),
    "bike_rentals": lambda tree, data: regression()[0].to_svg(theme="auto"),
    "bike_rentals_histograms": lambda tree, data: regression()[0].to_svg(*regression()[1:], max_depth=1),
    "missing_shared": lambda tree, data: with_missing()[0].to_svg(*with_missing()[1:]),
}


@pytest.mark.parametrize("name", GOLDEN_PICTURES)
def test_golden_pictures(name, tennis):
    """To look at them again: BRANCHWORK_GOLDEN=write pytest tests/view/test_svg.py."""
    drawn = GOLDEN_PICTURES[name](*tennis)
    path = GOLDEN / f"{name}.svg"
    if os.environ.get("BRANCHWORK_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == drawn
