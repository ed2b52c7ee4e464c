"""Charts of dots with intervals: what they show, where it stands, and pages that have them on screens of any width."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.view.dot_chart import Dot, DotChart, to_svg
from branchwork.view.dot_plot import plot_dots

DOTS = (
    Dot("first", 0.2, 0.1, 0.4, "p 0.1", "more"),
    Dot("a <b> & c", 0.3),
    Dot("last", 0.9, 0.8, 0.99, strong=True),
)
CHART = DotChart("Errors", "share", DOTS, 0.5, "half", percent=True)


def circles(svg):
    root = ET.fromstring(svg)
    return [one for one in root.iter() if one.tag.endswith("circle")]


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_dots_stand_where_their_numbers_are(theme):
    svg = to_svg(CHART, theme)
    found = circles(svg)
    x = [float(one.get("cx")) for one in found]
    assert len(found) == 3 and x == sorted(x)
    assert (x[1] - x[0]) / (x[2] - x[0]) == pytest.approx((0.3 - 0.2) / (0.9 - 0.2), abs=0.01)
    assert [float(one.get("r")) for one in found] == [4, 4, 5]
    lines = re.findall(r'<path class="s0" stroke-width="2" d="M([\d.]+) [\d.]+H([\d.]+)', svg)
    assert len(lines) == 2 and float(lines[0][0]) < x[0] < float(lines[0][1])
    assert "a &lt;b&gt; &amp; c" in svg and "half" in svg


def test_the_axis_has_round_numbers_inside_its_reach():
    low, high = CHART.reach()
    assert (low, high) == (pytest.approx(0.1 - 0.06 * 0.89), 1.0)
    assert all(low <= value <= high and text.endswith("%") for value, text in CHART.ticks())
    numbers = DotChart("n", "n", (Dot("a", -3.0), Dot("b", 1200.0, 900.0, 1500.0)))
    assert numbers.reach()[0] < -3 and numbers.reach()[1] > 1500
    alone = DotChart("n", "n", (Dot("a", 0.0),))
    assert alone.reach() == (-0.5, 0.5) and len(circles(to_svg(alone))) == 1


def test_matplotlib_draws_the_same():
    axes = plot_dots(CHART)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["first", "a <b> & c", "last"]
    assert axes.get_xlim() == pytest.approx(CHART.reach()) and axes.get_title() == "Errors"
    with pytest.raises(ParameterError, match="theme"):
        to_svg(CHART, "pink")


# ---- pages


@pytest.fixture(scope="module")
def pages():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), np.where(rng.random(150) < 0.3, "a class with a long name", "other")
    learners = {
        "a learner with a rather long name, indeed": bw.TreeClassifier(),
        "stump": bw.StumpClassifier(),
    }
    compared = bw.compare(learners, X, y, cv=5)
    return [compared.to_html(), bw.study.stability(bw.TreeClassifier(max_depth=4), X, y, n=8).to_html()]


@pytest.mark.parametrize("which", [0, 1], ids=["compare", "stability"])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_the_screen_and_load_nothing(open_page, pages, which, width, scheme):
    page = open_page(pages[which], viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dots = page.evaluate("document.querySelectorAll('svg circle').length")
    assert dots >= 3
    ground = page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
    bright = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
    assert bright == (scheme == "light")


def test_what_is_not_known_is_left_out():
    dots = (
        Dot("one", 1.0, 0.5, 2.0, "1"),
        Dot("two", 3.0, 3.0, 3.0, "3"),
        Dot("three", 2.0, math.nan, math.nan, "2"),
        Dot("none", math.nan, math.nan, math.nan, "–"),
    )
    root = ET.fromstring(to_svg(DotChart("t", "a", dots, 2.0, "all")))
    circles = [e for e in root.iter() if e.tag.endswith("circle")]
    x = [float(circle.get("cx")) for circle in circles]
    assert len(x) == 3 and x[2] == pytest.approx((x[0] + x[1]) / 2, abs=0.11)
    assert len([e for e in root.iter() if e.get("class") == "s0"]) == 2
    assert to_svg(DotChart("t", "a", (Dot("same", 5.0, 5.0, 5.0, "5"),))) and to_svg(DotChart("t", "a", ()))
