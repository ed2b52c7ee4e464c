"""Charts of lines with bands, dart boards, and the pages of studies."""

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.study.bias_parts import Parts
from branchwork.study.bias_result import BiasVariance, BiasVarianceSweep
from branchwork.view.band_chart import BandChart, Line, Zone
from branchwork.view.band_svg import to_svg
from branchwork.view.dart_board import Board, boards_svg, reach_of

X, Y = bw.study.CheckerboardSampler()(200, seed=0)
CURVE = bw.study.curve(bw.TreeClassifier(), X, Y, "max_depth", folds=4)
SWEEP = bw.study.bias_variance(
    bw.TreeClassifier(),
    bw.study.CheckerboardSampler(),
    n_repeats=6,
    n_test=40,
    over="max_depth",
    values=[1, 4, None],
)


def chart(places, **more):
    numbers = tuple(0.1 * k for k in range(len(places)))
    texts = tuple(f"{place:g}" for place in places)
    return BandChart("Title", "across", "up", tuple(places), texts, (Line("one", numbers),), **more)


def test_places_that_differ_much_stand_on_an_axis_of_powers():
    by_powers = chart([0.0, 0.001, 0.01, 0.1])
    assert by_powers.by_powers and not chart([1, 2, 3]).by_powers
    shares = [by_powers.share(place) for place in by_powers.places]
    assert (
        shares[0] == 0
        and shares[-1] == 1
        and np.diff(shares[1:]) == pytest.approx([shares[2] - shares[1]] * 2)
    )
    assert chart([5]).share(5) == 0.5


def test_ticks_are_the_values_if_they_are_few():
    assert [text for _, text in chart([1, 2, 5]).ticks()] == ["1", "2", "5"]
    many = chart(range(1, 19)).ticks()
    assert 3 <= len(many) <= 9
    powers = [text for _, text in chart([0, *(0.001 * 2**k for k in range(12))]).ticks()]
    assert powers[0] == "0" and "0.1" in powers


def test_zones_meet_halfway_and_cover_the_axis():
    zones = (Zone("underfits", 0, 1), Zone("fits", 2, 2), Zone("overfits", 3, 4))
    found = chart([0, 1, 2, 3, 4], zones=zones).borders()
    assert [(begin, end) for _, begin, end in found] == [(0, 0.375), (0.375, 0.625), (0.625, 1)]


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
@pytest.mark.parametrize("against", ["value", "leaves"])
def test_a_curve_is_well_formed_in_every_theme(theme, against):
    text = CURVE.to_svg(theme=theme, against=against, floor=0.1)
    root = ElementTree.fromstring(text)
    named = "max_depth " if against == "leaves" else ""
    assert root.tag.endswith("svg") and "least possible error" in text
    assert f"chosen: {named}{CURVE.best_value}<" in text
    for name in ("training rows", "validation rows", "underfits", "fits", "overfits"):
        assert name in text
    points = root.findall(".//{*}polyline")
    assert len(points) == 2 and len(points[0].get("points").split()) == len(CURVE.values)
    numbers = [float(x) for line in points for pair in line.get("points").split() for x in pair.split(",")]
    assert all(0 <= x <= 620 for x in numbers)


def test_text_of_unknown_origin_does_no_harm():
    evil = BandChart("<script>", "a&b", "\x1b[31m", (1.0, 2.0), ("<", ">"), (Line("<i>", (0.0, 1.0)),))
    text = to_svg(evil)
    ElementTree.fromstring(text)
    assert "<script>" not in text and "\x1b" not in text
    assert "<script>" not in CURVE.to_html(title="<script>").replace("</script>", "")


def test_parts_are_stacked_up_to_the_error():
    text = SWEEP.to_svg()
    assert len(ElementTree.fromstring(text).findall(".//{*}polygon")) == 3  # noise, bias² and variance
    drawn = SWEEP.chart()
    total = np.sum([line.numbers for line in drawn.lines[:-1]], axis=0)
    assert total == pytest.approx(drawn.lines[-1].numbers) and drawn.stacked
    with pytest.raises(ParameterError, match="expected 'parts' or 'boards'"):
        SWEEP.to_svg(what="pie")


def test_negative_parts_are_lines():
    """A net variance below 0 helps; areas could not be put on top of each other."""
    parts = Parts(np.array([1.0]), np.array([-0.4]), None, np.array([0.6]))
    one = BiasVariance(
        parts, np.zeros((2, 1), int), np.array([[1.0, 0.0]]), ("a", "b"), "0–1 loss, Domingos", "none"
    )
    found = BiasVarianceSweep("Tree", "max_depth", (1, 2), (one, one), np.array([2.0, 4.0]))
    assert not found.chart().stacked and found.chart().reach()[0] == -0.4
    assert len(ElementTree.fromstring(found.to_svg()).findall(".//{*}polyline")) == 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_boards_side_by_side_have_one_scale(theme):
    boards = [Board("a", "n", ((0.0, 0.1),), (0.0, 0.1)), Board("b", "m", ((1.0, 0.0),), (1.0, 0.0))]
    root = ElementTree.fromstring(boards_svg(boards, "Boards", theme))
    assert reach_of(boards) == pytest.approx(1.06)
    centres = [c for c in root.findall(".//{*}circle") if c.get("r") == "4.5"]
    rims = [c for c in root.findall(".//{*}circle") if c.get("r") == "92"]
    assert len(centres) == len(rims) == 2
    assert float(centres[1].get("cx")) - float(rims[1].get("cx")) == pytest.approx(92 / 1.06, abs=0.2)
    assert SWEEP.to_svg(what="boards").count("max_depth") == 3


@pytest.mark.parametrize("found", [CURVE, SWEEP, SWEEP[0]], ids=["curve", "sweep", "single"])
def test_pages_need_nothing_else(found, tmp_path):
    path = found.to_html(tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert text == found.to_html() and "<h1>" in text and "All numbers" in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<svg" in found._repr_html_() and "<script" not in found._repr_html_()


def test_displays_draw_on_axes_of_ones_own():
    _, ax = plt.subplots()
    display = bw.CurveDisplay.from_curve(CURVE, ax=ax, floor=0.1)
    assert display.ax_ is ax and len(display.lines_) == 2
    assert display.lines_[1].get_ydata() == pytest.approx(CURVE.validation)
    assert CURVE.plot(against="leaves").get_xlabel() == "leaves of the tree"
    prices = bw.CurveDisplay.from_estimator(
        bw.TreeClassifier(), X, Y, "ccp_alpha", values=[0, 0.001, 0.01, 0.1], folds=3
    )
    assert prices.ax_.get_xscale() == "symlog"
    stacked = bw.CurveDisplay.from_curve(SWEEP)
    assert len(stacked.lines_) == 4 and SWEEP.plot().get_ylabel() == "0–1 loss"
    plt.close("all")


def test_dart_boards_with_matplotlib():
    boards = bw.BiasVarianceDisplay.from_result(SWEEP)
    assert len(boards.axes_) == 3 and boards.ax_ is boards.axes_[0]
    _, ax = plt.subplots()
    assert SWEEP[0].plot(ax) is ax
    with pytest.raises(ParameterError, match="leave ax out"):
        bw.BiasVarianceDisplay.from_result(SWEEP, ax=ax)
    made = bw.BiasVarianceDisplay.from_estimator(
        bw.TreeRegressor(), bw.study.WaveSampler(), n_repeats=4, n_test=10
    )
    assert len(made.axes_) == 1
    plt.close("all")
