"""The gain of every cut: the numbers, the picture, and what is said where there is none."""

import math
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import MissingExtraError, ParameterError
from branchwork.view.axis import round_numbers
from branchwork.view.metrics import text_width

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def vegetation():
    data = bw.datasets.load("vegetation")
    return bw.ID3Classifier().fit(data.X, data.y).working(0, data.X, data.y)


def curve_of(X, y, feature, estimator=None):
    return (estimator or bw.ID3Classifier()).fit(X, y).working(0, X, y).curve(feature)


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)


# ---- numbers


def test_the_curve_is_the_lecture_s(vegetation):
    curve = vegetation.curve("ELEVATION")
    assert isinstance(curve, bw.GainCurve)
    assert curve.cuts == (750, 1350, 2250, 4175)
    assert curve.gains == pytest.approx((0.3060, 0.1839, 0.5917, 0.8631), abs=5e-5)
    assert (curve.best_cut, curve.chosen) == (4175, True)
    data = curve.to_dict()
    assert data["best_gain"] == max(data["gains"]) and data["feature"] == "ELEVATION" and data["node"] == 0


def test_every_gain_is_the_information_gain_of_its_cut():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=40).round(1), "z": rng.normal(size=40)})
    y = (X["x"] + rng.normal(size=40) > 0).to_numpy()
    for name in X:
        curve = curve_of(X, y, name, bw.TreeClassifier(criterion="entropy", max_depth=1))
        values = np.unique(X[name])
        assert len(curve.cuts) == len(values) - 1
        for cut, gain in zip(curve.cuts, curve.gains, strict=True):
            assert gain == pytest.approx(bw.information.information_gain(y, X[name] <= cut), abs=1e-12)
        assert curve.best == int(np.argmax(curve.gains))


def test_a_loser_s_best_cut_is_marked_but_not_as_chosen():
    curve = curve_of({"good": [0.0, 0, 1, 1], "poor": [0.0, 1, 0, 2]}, list("xxyy"), "poor")
    assert curve.best_cut == 1.5 and not curve.chosen and "chosen" not in curve.to_svg()


def test_gain_ratio_may_prefer_another_cut_than_gain():
    X, y = [[float(k)] for k in range(10)], list("baaaabbbaa")
    tree = bw.TreeClassifier(criterion="gain_ratio", max_depth=1).fit(X, y)
    curve = tree.working(0, X, y).curve("x0")
    assert curve.best_cut == tree.to_dict()["cut"]
    assert curve.best_gain < max(curve.gains)  # ends have little split information


def test_cuts_of_c45_are_drawn_before_their_price_and_moved_to_a_value():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 1))
    y = (X[:, 0] + rng.normal(size=60) / 2 > 0).astype(int)
    tree = bw.C45Classifier().fit(X, y)
    curve = tree.working(0, X, y).curve("x0")
    cut = tree.to_dict()["cut"]
    assert cut in X[:, 0] and curve.best_gain == max(curve.gains)
    assert curve.best_cut == cut and list(curve.cuts) == sorted(curve.cuts)
    (row,) = tree.working().to_dict()
    assert curve.best_gain == pytest.approx(row["gain"]) and curve.best_gain > row["net_gain"]


def test_known_or_missing_is_a_cut_at_infinity():
    X, y = [[1.0], [2.0], [3.0], [math.nan], [math.nan]], list("xxxyy")
    curve = curve_of(X, y, "x0", bw.TreeClassifier())
    assert curve.best_cut == math.inf and "x0 is known: gain" in curve.to_svg()
    assert "inf" not in curve.to_svg().replace("information", "") and "nan" not in curve.to_svg()


# ---- where there is no curve


def test_errors_say_what_to_do(vegetation):
    data = bw.datasets.load("vegetation")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    with pytest.raises(ParameterError, match=r"working\(0, X=X, y=y\)\.curve\('ELEVATION'\)"):
        tree.working(0).curve("ELEVATION")
    with pytest.raises(ParameterError, match=r"'STREAM' is not cut in two.*needs a numeric feature"):
        vegetation.curve("STREAM")
    with pytest.raises(ParameterError, match=r"no candidate feature 'ELEVATON'. Did you mean 'ELEVATION'"):
        vegetation.curve("ELEVATON")
    with pytest.raises(ParameterError, match="It has no candidates"):
        tree.working(2).curve("ELEVATION")
    constant = bw.ID3Classifier().fit([[1.0, 0], [1.0, 1]], ["a", "b"])
    with pytest.raises(ParameterError, match="'x0' has no cut at node 0: all rows here would take the same"):
        constant.working(0, [[1.0, 0], [1.0, 1]], ["a", "b"]).curve("x0")


# ---- the picture


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_is_svg_with_every_cut(vegetation, theme):
    curve = vegetation.curve("ELEVATION")
    picture = drawn(curve.to_svg(theme=theme))
    points = picture.find(f"{SVG}polyline").get("points").split()
    assert len(points) == 4 and len(picture.findall(f"{SVG}circle")) == 5  # one more for the best
    texts = [text.text for text in picture.findall(f"{SVG}text")]
    assert "ELEVATION <= 4175: gain 0.8631, chosen" in texts and "gain, entropy (bits)" in texts
    assert curve.to_svg(theme=theme) == curve.to_svg(theme=theme)


def test_themes_differ_and_an_unknown_one_is_refused(vegetation):
    curve = vegetation.curve("ELEVATION")
    assert (
        curve.to_svg()
        == curve.to_svg(theme="auto")
        != curve.to_svg(theme="light")
        != curve.to_svg(theme="dark")
    )
    assert "<svg" in curve._repr_html_()
    with pytest.raises(ParameterError, match=r"theme='drak'; expected one of 'light', 'dark', 'auto'"):
        curve.to_svg(theme="drak")


def test_higher_gains_are_drawn_higher(vegetation):
    curve = vegetation.curve("ELEVATION")
    points = drawn(curve.to_svg()).find(f"{SVG}polyline").get("points").split()
    heights = [float(point.split(",")[1]) for point in points]
    assert np.argsort(heights).tolist() == np.argsort([-gain for gain in curve.gains]).tolist()


NAMES = ["<script>x</script>", "a & b", "\x1b[31m\n", "x" * 500, "名前" * 40, '"quoted"', "$x^2$", ""]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_drawn_inside_the_picture(name):
    curve = curve_of({name: [1.0, 2, 3, 4], "o": [0.0] * 4}, list("xxyy"), name)
    picture = drawn(curve.to_svg())
    assert {element.tag for element in picture} <= {
        f"{SVG}{tag}" for tag in ("title", "style", "rect", "line", "text", "polyline", "circle")
    }
    for text in picture.findall(f"{SVG}text"):
        if text.get("x") is None:
            continue
        x, width = float(text.get("x")), text_width(text.text, float(text.get("font-size")))
        left = x - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")] * width
        assert left >= -1 and left + width <= 641


@pytest.mark.parametrize(
    "cells",
    [
        [0.0, 1.0],
        [1e300, -1e300, 0],
        [-1.7e308, 1.7e308],
        [1e-300, 2e-300, 3e-300],
        [1e9, 1e9 + 0.25, 1e9 + 0.5],
        [-5.0, -4, -3],
        [1e-320, 5e-320],
        list(range(3000)),
    ],
    ids=repr,
)
def test_any_numbers_have_a_place_on_the_axes(cells):
    y = ["a"] + ["b"] * (len(cells) - 1)
    curve = curve_of([[float(x)] for x in cells], y, "x0", bw.TreeClassifier())
    svg = curve.to_svg()
    places = re.findall(r' (?:x|x1|cx|y|y1|cy)="([^"]+)"', svg)
    assert all(-1 <= float(place) <= 641 for place in places)
    assert len(svg) < 60_000


def test_labels_of_an_axis_are_round_and_differ():
    assert [text for _, text in round_numbers(0, 0.86, 6)] == ["0.0", "0.2", "0.4", "0.6", "0.8"]
    for low, high in [(1e9, 1e9 + 1), (0, 1e-9), (-1e12, 1e12), (0.1, 0.1000001)]:
        made = round_numbers(low, high)
        assert len({text for _, text in made}) == len(made) >= 2
        assert all(low - 1e-6 <= tick <= high + 1e-6 for tick, _ in made)


# ---- matplotlib


def test_plot_draws_into_given_axes(vegetation):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    curve = vegetation.curve("ELEVATION")
    assert curve.plot(ax) is ax
    assert ax.lines[0].get_xdata().tolist() == list(curve.cuts)
    assert ax.lines[0].get_ydata().tolist() == list(curve.gains)
    assert ax.get_xlabel() == "cut of ELEVATION" and "4175" in ax.get_title()
    name = "$\\frac{$ \x07"
    other = curve_of({name: [1.0, 2, 3, 4]}, list("xxyy"), name).plot()
    other.figure.canvas.draw()  # a formula in the name would fail here
    pyplot.close("all")
    assert figure is ax.figure


def test_a_missing_matplotlib_is_named(vegetation, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "branchwork\[plot\]"'):
        vegetation.curve("ELEVATION").plot()


def test_rounding_makes_no_curve():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), np.repeat(["a", "a", "b"], 20)
    weight = rng.random(60)
    tree = bw.TreeClassifier(criterion="accuracy", max_depth=1).fit(
        X, rng.permutation(y), sample_weight=weight
    )
    for node in range(tree.tree_.n_nodes):
        working = tree.working(node, X, y, weight)
        if working.rows and working.rows[0].get("cuts"):
            gains = np.abs(working.curve("x0").gains)
            assert not ((gains > 0) & (gains < 1e-12)).any()
