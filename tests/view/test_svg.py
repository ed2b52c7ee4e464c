"""What a picture says: valid XML whatever the table says, themes, the same bytes every time."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.tree.missing import missing_here
from branchwork.view.pieces import escaped
from view import gallery

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
    assert [text for text in shown if not text.endswith(":")][:2] == ["No", "Yes"]
    assert not any("missing values" in text for text in shown)  # no cell was missing in training
    for word in (
        "Outlook",
        "Humidity",
        "Wind",
        "Overcast",
        "Sunny",
        "High",
        "14 rows · Yes: 9 (64%)",
        "2 rows · No: 2 (100%)",
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
        assert tags <= {"svg", "title", "desc", "style", "defs", "pattern", "g", "rect", "path", "text"}, name
        names = {key for element in root.iter() for key in element.attrib}
        assert not {key for key in names if key.startswith("on") or "href" in key}, name
        used = set(re.findall(r"url\((.*?)\)", root.find(f"{SVG}style").text))
        assert used == {f"#{pattern.get('id')}" for pattern in root.iter(f"{SVG}pattern")}, name
        assert "@import" not in picture


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
    tree = shared.tree_
    gaps = [node for node in range(tree.n_nodes) if not tree.is_leaf(node) and missing_here(tree, node) > 0]
    assert len(gaps) > 0 and dashed == sum(int(tree.n_children[node]) for node in gaps) + 1  # and the legend
    assert 'class="missing"' not in tennis[0].to_svg()  # no cell was missing in training


def test_only_splits_that_met_missing_cells_are_dashed():
    X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6, 7, None], "b": [0.0, 1, 0, 1, 0, 1, 0, 1]})
    y = ["p", "q", "p", "q", "r", "s", "r", "s"]
    for missing, marked in (("learn", 1), ("share", 2)):
        tree = bw.TreeClassifier(missing=missing, criterion="gini").fit(X, y)
        asks = tree.tree_.feature.tolist()
        shown = tree.to_svg()
        assert 1 in asks, "a split by the column without missing cells"
        assert (
            shown.count('class="missing"')
            == marked
            * sum(feature == 0 and missing_here(tree.tree_, node) > 0 for node, feature in enumerate(asks))
            + 1
        )
        assert tree.to_dot().count('style="dashed"') == shown.count('class="missing"') - 1


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
    assert 'class="strong"' not in tree.to_svg()


def test_a_single_leaf_is_a_picture_too():
    assert texts(bw.ID3Classifier().fit([[0], [0]], ["a", "b"]).to_svg()) == [
        "a",
        "b",
        "a",
        "0",
        "2 rows · a: 1 (50%)",
    ]


def test_histograms_are_drawn_where_rows_are_handed_over(tennis):
    tree, data = tennis
    plain, with_rows = tree.to_svg(), tree.to_svg(data.X, data.y)
    assert with_rows.count("<rect") > plain.count("<rect")
    with pytest.raises(ParameterError, match="X and y are needed"):
        tree.to_svg(data.X)


def test_the_picture_is_written_to_a_file(tennis, tmp_path):
    tree, data = tennis
    assert tree.to_svg(tmp_path / "tree.svg").read_text(encoding="utf-8") == tree.to_svg()
    path = tree.model_.to_svg(str(tmp_path / "rows.svg"), data.X, data.y)
    assert path == tmp_path / "rows.svg" and path.read_text(encoding="utf-8") == tree.to_svg(data.X, data.y)


def test_themes(tennis):
    tree = tennis[0]
    assert "light-dark(" not in tree.to_svg(theme="light") + tree.to_svg(theme="dark")
    assert "light-dark(" in tree.to_svg(theme="auto") and tree.to_svg() == tree.to_svg(theme="auto")
    with pytest.raises(ParameterError, match="theme='blue'; expected one of 'light', 'dark', 'auto'"):
        tree.to_svg(theme="blue")


def test_a_notebook_shows_it(tennis):
    picture = tennis[0].to_svg()
    assert isinstance(picture, str) and picture._repr_svg_() == picture
    size = ET.fromstring(picture)
    expected = f"Svg({size.get('width')} × {size.get('height')} pixels, {len(picture)} characters)"
    assert repr(picture) == expected


def test_the_legend_names_what_is_predicted(tennis):
    shown = texts(named(tennis[0], "play").to_svg())
    assert shown[:3] == ["play:", "No", "Yes"]
    assert texts(named(tennis[0], None).to_svg())[:2] == ["No", "Yes"]


def test_many_classes_stand_in_columns_and_are_hatched():
    picture = many_classes().to_svg(orientation="LR")
    root = ET.fromstring(picture)
    legend = next(e for e in root.iter(f"{SVG}g"))
    places = [tuple(map(float, g.get("transform")[10:-1].split())) for g in legend]
    assert len(places) == 18 and len({y for _, y in places}) > 1
    assert len({x for x, _ in places}) == sum(y == 0 for _, y in places)  # one below the other
    assert len(list(root.iter(f"{SVG}pattern"))) == 10
    assert all(g.find(f"{SVG}rect").get("class") == f"f{k}" for k, g in enumerate(legend))


# ---- themes


def test_the_reader_s_system_chooses_the_theme(tennis, page):
    page.set_content(tennis[0].to_svg(theme="auto"))
    background = "getComputedStyle(document.querySelector('.background')).fill"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == "rgb(16, 21, 28)"


@pytest.mark.parametrize(
    ("notebook", "system", "ground"),
    [
        ('data-jp-theme-light="false"', "light", "rgb(16, 21, 28)"),
        ('data-jp-theme-light="true"', "dark", "rgb(255, 255, 255)"),
        ('class="vscode-dark"', "light", "rgb(16, 21, 28)"),
        ('class="vscode-light"', "dark", "rgb(255, 255, 255)"),
        ("", "dark", "rgb(16, 21, 28)"),
        ("", "light", "rgb(255, 255, 255)"),
    ],
)
def test_a_notebook_chooses_the_theme(tennis, page, notebook, system, ground):
    X, y = tennis[1].X, tennis[1].y
    curve = bw.TreeClassifier().fit({"x": [1.0, 2, 3, 4]}, list("aabb"))
    shown = [
        tennis[0].to_svg()._repr_html_(),
        tennis[0].to_svg(X, y, orientation="LR")._repr_html_(),
        curve.working(0, {"x": [1.0, 2, 3, 4]}, list("aabb")).curve("x")._repr_html_(),
        bw.study.regions(bw.TreeClassifier(max_depth=2).fit([[0.0, 0], [1, 1], [2, 0]], list("aba")),
                         [[0.0, 0], [1, 1], [2, 0]], list("aba"), features=("x0", "x1"))._repr_html_(),
    ]  # fmt: skip
    page.emulate_media(color_scheme=system)
    page.set_content(f"<body {notebook}>{''.join(shown)}</body>")
    grounds = "[...document.querySelectorAll('svg')].map(e => getComputedStyle(e.querySelector('rect')).fill)"
    assert page.evaluate(grounds) == [ground] * 4
    page.emulate_media(color_scheme="light")


def test_a_picture_fits_the_cell_or_is_scrolled(page):
    tree = gallery.trees()["cut"][0]
    small, large = tree.to_svg(max_depth=1), tree.to_svg(max_depth=6)
    page.set_content(f"<div style='width:700px'>{small._repr_html_()}{large._repr_html_()}</div>")
    sizes = page.evaluate(
        "[...document.querySelectorAll('.bw-cell')].map(e => [e.clientWidth, e.scrollWidth, e.clientHeight])"
    )
    assert sizes[0][1] == sizes[0][0] == 700
    assert sizes[1][0] == 700 < sizes[1][1] and sizes[1][2] <= 720


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


def many_classes():
    """Eighteen classes: ten of them hatched."""
    x = np.arange(36.0).reshape(-1, 1)
    return bw.CARTClassifier(max_depth=3, min_samples_split=2).fit(x, [f"c{k // 2:02}" for k in range(36)])


def named(tree, target):
    """The model of a tree, with a name for what it predicts."""
    return replace(tree.model_, target=target)


GOLDEN_PICTURES = {
    "play_tennis": lambda tree, data: named(tree, "play").to_svg(highlight=5, theme="light"),
    "play_tennis_dark": lambda tree, data: named(tree, "play").to_svg(data.X, data.y, theme="dark"),
    "play_tennis_lines": lambda tree, data: named(tree, "play").to_svg(orientation="LR", compact=True),
    "play_tennis_marks": lambda tree, data: named(tree, None).to_svg(compact="marks", theme="light"),
    "bike_rentals": lambda tree, data: named(regression()[0], "rentals").to_svg(theme="auto"),
    "bike_rentals_histograms": lambda tree, data: named(regression()[0], "rentals").to_svg(
        *regression()[1:], max_depth=1
    ),
    "missing_shared": lambda tree, data: named(with_missing()[0], None).to_svg(
        *with_missing()[1:], theme="light"
    ),
    "many_classes": lambda tree, data: many_classes().to_svg(orientation="LR"),
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
