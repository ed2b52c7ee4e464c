"""Charts of reports: every number is where it belongs, and nothing in a name is obeyed."""

import re
from xml.etree import ElementTree

import pytest

from branchwork.errors import ParameterError
from branchwork.view.unit_chart import LEFT, SIDE, Mark, UnitChart, UnitLine, unit_chart

NAME = "a <b> & \x1b[31m"


def drawn(svg):
    assert "\x1b" not in svg
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_a_curve_runs_from_corner_to_corner(theme):
    dot = Mark(0.5, 0.25, 0.2, 0.4, NAME)
    lines = [UnitLine(NAME, [(0, 0), (0.5, 0.25), (1, 1)], [dot]), UnitLine("other", [(0, 1), (1, 0)])]
    chart = UnitChart("Title", "across", "up", lines, ((0, 0), (1, 1)), "guessing")
    root = drawn(unit_chart(chart, theme))
    first, second = (e for e in root.iter() if e.tag.endswith("polyline"))
    points = [tuple(map(float, pair.split(","))) for pair in first.get("points").split()]
    assert points[0][0] == LEFT and points[-1][0] == LEFT + SIDE
    assert points[0][1] - points[-1][1] == SIDE
    assert points[1] == pytest.approx((LEFT + SIDE / 2, points[0][1] - SIDE / 4))
    assert first.get("class") == "s0" and second.get("class") == "s1"
    circle = next(e for e in root.iter() if e.tag.endswith("circle"))
    assert (float(circle.get("cx")), float(circle.get("cy"))) == pytest.approx(points[1])
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert "guessing" in texts and "other" in texts and "across" in texts


def test_a_long_key_takes_several_lines():
    lines = [UnitLine(f"a rather long name {k}", [(0, 0), (1, 1)]) for k in range(8)]
    short = float(re.search(r'height="(\d+)', unit_chart(UnitChart("t", "a", "u", lines[:1]))).group(1))
    tall = float(re.search(r'height="(\d+)', unit_chart(UnitChart("t", "a", "u", lines))).group(1))
    assert tall > short


def test_an_unknown_theme_is_refused():
    with pytest.raises(ParameterError, match="theme='blue'"):
        unit_chart(UnitChart("t", "a", "u", []), "blue")
