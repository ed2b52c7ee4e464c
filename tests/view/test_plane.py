"""Pictures of regions: valid XML whatever the table says, no text on another, the same bytes every time."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

import branchwork as bw
from branchwork.view.axis import Axis, axis_of_numbers, round_numbers
from branchwork.view.metrics import text_width
from branchwork.view.palette import DARK, LIGHT
from branchwork.view.plane_plot import plot
from branchwork.view.plane_svg import HEIGHT, WIDTH, to_svg

GUIDE = Path(__file__).parents[2] / "docs" / "regions.md"
NAMES = ["Aachen am Dom und an der Wurm", "Bonn", "Castrop-Rauxel", "Dortmund", "Essen", "Freiburg", "Gießen"]
HOSTILE = '<b>&"\x00\x1b[31m]]>$\\frac{'


def cities(n=200, names=NAMES, column="city"):
    rng = np.random.default_rng(0)
    city, z = rng.choice(names, n), rng.normal(size=n)
    y = np.where((z > 0) ^ np.isin(city, names[:3]), "a", np.where(z > 1, "b", "c"))
    return {column: city.tolist(), "z": z.tolist()}, y


def numbers(n=200):
    rng = np.random.default_rng(1)
    X = rng.random((n, 2))
    return X, np.sin(6 * X[:, 0]) + X[:, 1]


def pictures():
    food = bw.datasets.load("food_allergy11")
    yield "food", bw.study.regions(bw.TreeClassifier().fit(food.X, food.y), food.X, food.y)
    X, y = cities()
    tree = bw.TreeClassifier(nominal="subset", max_depth=4).fit(X, y)
    yield "cities across", bw.study.regions(tree, X, y)
    yield "cities up", bw.study.regions(tree, X, y, features=("z", "city"))
    X, y = cities(400, [f"town number {k}" for k in range(60)])
    yield "sixty towns", bw.study.regions(bw.TreeClassifier(max_depth=3).fit(X, y), X, y)
    X, y = numbers()
    yield "numbers", bw.study.regions(bw.TreeRegressor(max_leaf_nodes=12).fit(X, y), X, y)
    with pytest.warns(bw.errors.OneClassWarning):
        yield "one number", bw.study.regions(bw.TreeRegressor().fit(X, y * 0 + 7), X, y * 0 + 7)
    yield (
        "far numbers",
        bw.study.regions(bw.TreeRegressor(max_leaf_nodes=4).fit(X + 1e9, y), X + 1e9, y * 1e9),
    )
    yield "many classes", bw.study.regions(*many_classes())


def many_classes():
    X = np.random.default_rng(2).random((300, 2))
    y = (X[:, 0] * 36).astype(int)
    return bw.TreeClassifier().fit(X, y), X, y


PICTURES = dict(pictures())


def texts(root):
    """Boxes of all texts: left, top, right, bottom. A turned one takes the room of its letters' middles."""
    place = {root: (0.0, 0.0, 0.0)}
    for parent in root.iter():
        for child in parent:
            x, y, turn = place[parent]
            moved = re.search(
                r"translate\(([-\d.]+) ([-\d.]+)\)(?: rotate\((-?[\d.]+)\))?", child.get("transform", "")
            )
            if moved:
                x, y, turn = x + float(moved[1]), y + float(moved[2]), float(moved[3] or 0)
            place[child] = (x, y, turn)
            if child.tag.endswith("text"):
                yield from letters(child, x + float(child.get("x")), y + float(child.get("y")), turn)


def letters(text, x, y, turn):
    """A straight text is one box; of a turned one, a small box for each piece of a line height."""
    width = text_width(text.text, 12)
    start = {"middle": -width / 2, "end": -width}.get(text.get("text-anchor"), 0)
    if not turn:
        yield text, (x + start, y - 10, x + start + width, y + 2)
        return
    angle = np.radians(turn)
    for step in np.arange(start, start + width, 4):
        middle = x + step * np.cos(angle) + 4 * np.sin(angle), y + step * np.sin(angle) - 4 * np.cos(angle)
        yield text, (middle[0] - 4, middle[1] - 4, middle[0] + 4, middle[1] + 4)


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_pictures_are_valid_and_no_text_lies_on_another(name, theme):
    root = ElementTree.fromstring(PICTURES[name].to_svg(theme=theme))
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = list(texts(root))
    assert len({id(text) for text, _ in boxes}) > 4
    for text, (left, top, right, bottom) in boxes:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, text.text
    for (one, a), (other, b) in combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert one is other or apart, (one.text, other.text)


STRAIGHT = """
() => [...document.querySelectorAll('svg')].map(svg => {
  const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const straight = t => !(t.parentNode.getAttribute('transform') || '').includes('rotate');
  const texts = [...svg.querySelectorAll('text')].filter(straight).map(t => [t.textContent, box(t)]);
  return {picture: box(svg), texts};
})
"""


@pytest.mark.parametrize("fonts", ["Helvetica, Arial", "'DejaVu Sans'"])
def test_no_text_lies_on_another_in_a_browser(page, fonts):
    drawn = [picture.to_svg().replace("Helvetica, Arial", fonts) for picture in PICTURES.values()]
    page.set_viewport_size({"width": 1000, "height": 800})
    page.set_content("".join(f"<div>{picture}</div>" for picture in drawn))
    for name, picture in zip(PICTURES, page.evaluate(STRAIGHT), strict=True):
        outer = picture["picture"]
        for text, box in picture["texts"]:
            assert box[0] >= outer[0] and box[2] <= outer[2] and box[3] <= outer[3] + 1, (name, text)
        for (one, a), (other, b) in combinations(picture["texts"], 2):
            across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            assert across <= 0 or down <= 3, (name, one, other)  # a line's box is higher than its letters


def test_pictures_of_classes_and_numbers_stand_on_one_page(page):
    page.set_content(
        PICTURES["food"].to_svg() + PICTURES["numbers"].to_svg() + PICTURES["many classes"].to_svg()
    )
    first = "getComputedStyle(document.querySelector('.case.c0')).fill"
    assert page.evaluate(first) == "rgb(0, 114, 178)"
    page.set_content(PICTURES["food"].to_svg(theme="auto"))
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(first) == "rgb(61, 155, 220)"


def test_the_pictures_of_the_guide_are_what_its_code_draws():
    text = re.sub(r"<!--.*?-->", "", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)  # hidden checks
    blocks = re.findall(r"```python\n(.*?)```(?:\s*!\[.*?\]\((.*?)\))?", text, re.DOTALL)
    names: dict[str, Any] = {}
    for block, name in blocks:
        exec(block, names)
        if name:
            assert names["found"].to_svg() == (GUIDE.parent / name).read_text(encoding="utf-8"), name
    assert sum(bool(name) for _, name in blocks) == 3


def test_the_picture_is_the_same_every_time():
    again = dict(pictures())
    assert all(again[name].to_svg() == picture.to_svg() for name, picture in PICTURES.items())


def test_hostile_names_stay_text():
    X, y = cities(60, [HOSTILE, *NAMES], HOSTILE)
    y = np.where(y == "a", HOSTILE, y)
    text = bw.study.regions(bw.TreeClassifier().fit(X, y), X, y).to_svg()
    assert "<b>" not in text and "\x1b" not in text and "\x00" not in text
    root = ElementTree.fromstring(text)
    shown = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert '<b>&"\\x00\\x1b[31m]]>$\\frac{' in shown


def test_areas_meet_without_seam_and_fill_the_plane():
    for picture in PICTURES.values():
        root = ElementTree.fromstring(picture.to_svg())
        areas = [e for e in root.iter() if e.get("class", "").startswith("area ")]
        sizes = [float(e.get("width")) * float(e.get("height")) for e in areas]
        assert sum(sizes) == pytest.approx(WIDTH * HEIGHT, rel=2e-3)
        assert len(areas) == len(picture.plane.areas)
        assert all(e.find("{http://www.w3.org/2000/svg}title").text for e in areas)


def test_every_row_is_a_mark_of_its_class():
    picture = PICTURES["food"]
    root = ElementTree.fromstring(picture.to_svg())
    group = root.find("{http://www.w3.org/2000/svg}g")
    marks = [e.get("d").count("M") for e in group if e.get("class", "").startswith("case c")]
    answers = picture.plane.points.answer
    assert marks[:2] == [(answers == 0).sum(), (answers == 1).sum()] and marks[2:] == [1, 1]  # and the legend


def test_more_classes_than_colours_share_the_last():
    key = PICTURES["many classes"].plane.key
    assert key.names[-1] == "5 others" and len(key.names) == 32
    assert key.colours(LIGHT)[-1] == LIGHT.others and len(set(key.colours(DARK))) == 9
    text = PICTURES["many classes"].to_svg()
    assert 'class="area others"' in text and ">5 others</text>" in text
    assert text.count("<pattern") == 23 and "url(#bw-plane-auto-c8)" in text


def test_a_scale_says_what_it_measures():
    picture = PICTURES["numbers"]
    assert ">value</text>" in picture.to_svg()
    named = replace(picture.plane, target="rent $x$")
    assert ">rent $x$</text>" in to_svg(named) and ">value<" not in to_svg(named)
    bar = plot(named).figure.axes[1]
    assert bar.get_ylabel() == "rent $x$"
    classes = replace(PICTURES["food"].plane, target="Sick?")
    assert ">Sick?</text>" in to_svg(classes)
    assert plot(classes).get_legend().get_title().get_text() == "Sick?"
    plt.close("all")


def test_surer_areas_are_stronger():
    text = PICTURES["food"].to_svg()
    assert text.count('fill-opacity="0.40"') == 3 and text.count('fill-opacity="0.26"') == 1


def test_a_theme_that_does_not_exist_is_refused():
    with pytest.raises(bw.errors.ParameterError, match="expected one of 'light', 'dark', 'auto'"):
        PICTURES["food"].to_svg(theme='"><script>')


def test_a_notebook_shows_the_picture_in_the_readers_theme():
    text = PICTURES["food"]._repr_html_()
    assert "<svg " in text and "light-dark(" in text and DARK.classes[0] in text


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 1, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-7, 31, ["0", "10", "20", "30"]),
        (1e-9, 5e-9, ["1e-09", "2e-09", "3e-09", "4e-09", "5e-09"]),
        (
            1e9 + 0.1,
            1e9 + 0.5,
            ["1000000000.1", "1000000000.2", "1000000000.3", "1000000000.4", "1000000000.5"],
        ),
        (5.0, 5.0, ["5", "5"]),
    ],
)
def test_ticks_are_round_numbers(low, high, shown):
    assert [text for _, text in round_numbers(low, high)] == shown


def test_ticks_lie_in_the_range_and_differ():
    rng = np.random.default_rng(0)
    for _ in range(300):
        low = rng.normal() * 10.0 ** rng.integers(-20, 20)
        high = low + abs(rng.normal()) * 10.0 ** rng.integers(-20, 20)
        ticks = round_numbers(low, high)
        assert all(
            low * (1 - 1e-9 * np.sign(low)) <= at <= high * (1 + 1e-9 * np.sign(high)) for at, _ in ticks
        )
        assert len(ticks) <= 8 and (len({text for _, text in ticks}) == len(ticks) or len(ticks) == 2)
        assert all(float(text) == pytest.approx(at, rel=1e-5, abs=(high - low) * 1e-6) for at, text in ticks)


def test_places_on_an_axis_from_end_to_end():
    largest = np.finfo(float).max
    axis = axis_of_numbers("x", [-largest, largest])
    assert axis.place(np.array([-largest, 0.0, largest])).tolist() == [0, 0.5, 1]
    assert Axis("x", 2, 4).place(np.array([2.5])) == 0.25
    assert axis_of_numbers("x", []).low < axis_of_numbers("x", []).high


def test_hatched_classes_have_plain_marks_and_hatched_areas():
    """Two classes of one colour differ in the pattern of their areas and in the shape of their marks."""
    picture = PICTURES["many classes"]
    root = ElementTree.fromstring(picture.to_svg())
    marks = {e.get("class") for e in root.iter() if e.get("class", "").startswith("case ")}
    assert marks <= {"case others", *(f"case c{k}" for k in range(8))}
    areas = {
        e.get("class").removeprefix("area ") for e in root.iter() if e.get("class", "").startswith("area ")
    }
    assert len(areas) > 8 and any(int(name[1:]) >= 8 for name in areas if name != "others")
    ax = picture.plot()
    hatches = {collection.get_hatch() for collection in ax.collections} - {None}
    assert len(hatches) == 3
    plt.close(ax.figure)
