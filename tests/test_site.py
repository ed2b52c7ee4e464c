"""The documentation site: it builds without a warning, asks the network for nothing and names everything public."""

import io
import re
from pathlib import Path

import pytest
from PIL import Image, ImageStat

import branchwork as bw

from check_look import TOO_WIDE
from check_site import dead_links, loaded_from_elsewhere
from docstrings import to_rst
from live import MADE
from make_pictures import DRAWN, PICTURES, picture

DOCS = Path(__file__).parent.parent / "docs"


SITE = DOCS.parent / "build" / "docs"


@pytest.fixture(scope="module")
def site():
    """The site that `make docs` has just built, as it runs these tests."""
    assert SITE.is_dir(), "there is no site: make docs builds it"
    return SITE


@pytest.mark.docs
def test_the_site_builds_loads_nothing_from_elsewhere_and_its_links_lead_somewhere(site):
    assert loaded_from_elsewhere(site) == []
    assert dead_links(site) == []


@pytest.mark.docs
def test_the_api_names_everything_public_and_nothing_private(site):
    api = "".join(path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html"))
    named = set(re.findall(r' id="([\w.-]+)"', api))
    for name in bw.__all__:
        assert f"branchwork.{name}" in named or f"module-branchwork.{name}" in named, name
    for name in bw.study.__all__:
        assert f"branchwork.study.{name}" in named, name
    assert [name for name in named if re.match(r"branchwork\.(.*\.)?_", name)] == []


def test_every_method_of_trees_and_forests_is_in_the_table_on_top():
    for page, estimator in (("tree-methods", bw.TreeClassifier), ("ensembles", bw.RandomForestClassifier)):
        text = (DOCS / "api" / f"{page}.md").read_text(encoding="utf-8")
        listed = set(re.findall(rf"^   ~{estimator.__name__}\.(\w+)$", text, re.MULTILINE))
        public = {name for name in dir(estimator) if not name.startswith("_") and name.islower()}
        assert listed == {name for name in public if "request" not in name and "routing" not in name}


@pytest.mark.docs
def test_formulas_are_mathml_and_prompts_are_not_copied(site):
    page = (site / "notebooks" / "a-first-tree.html").read_text(encoding="utf-8")
    assert "<math" in page and "mathjax@" not in page.lower()
    assert "copybutton.js" in page


def test_every_notebook_is_a_page_of_the_navigation():
    home = (DOCS / "index.md").read_text(encoding="utf-8")
    names = sorted(path.stem for path in (DOCS / "notebooks").glob("*.ipynb"))
    assert len(names) == 6 and all(f"<notebooks/{name}>" in home for name in names)


@pytest.mark.docs
def test_live_pages_are_part_of_the_site(site):
    home = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="live/tennis-inside.html"' in home and 'href="live/tennis.html#steps"' in home
    for name in MADE:
        assert (site / "live" / name).stat().st_size > 1000, name


@pytest.mark.docs
def test_the_link_below_a_live_page_plays_it_in_its_frame(site, page):
    page.goto((site / "index.html").as_uri())
    page.click(".live a.steps")
    page.wait_for_function("document.querySelector('.live iframe').src.endsWith('#steps')")
    frame = page.frames[-1]
    frame.wait_for_selector("#tree *")
    assert "/live/tennis-inside.html?" in frame.url and page.url.endswith("index.html")


LIGHT_PNGS = sorted(
    path.stem for path in (DOCS / "pictures").glob("*.png") if not path.stem.endswith("-dark")
)


def brightness(png):
    """The mean of a picture, from 0 (black) to 255."""
    return ImageStat.Stat(Image.open(io.BytesIO(png)).convert("L")).mean[0]


@pytest.mark.docs
@pytest.mark.parametrize("name", LIGHT_PNGS)
def test_every_screenshot_has_a_dark_twin(name):
    from live_site import dark_twin

    twin = dark_twin(f"../pictures/{name}.png")
    assert twin == f"../pictures/{name}-dark.png", "python docs/take_screenshots.py, docs/make_pictures.py"
    light, dark = ((DOCS / "pictures" / f"{name}{end}.png").read_bytes() for end in ("", "-dark"))
    assert brightness(light) > 170 and brightness(dark) < 85


@pytest.mark.docs
@pytest.mark.parametrize(("scheme", "ends"), [("dark", (0, 100)), ("light", (150, 255))])
def test_the_pictures_of_the_gallery_are_as_light_or_dark_as_the_site(site, browser, scheme, ends):
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1400, "height": 900})
    page.goto((site / "index.html").as_uri())
    shown = page.locator(".gallery img:visible")
    assert shown.count() == page.locator(".gallery li").count() > 30
    wrong = []
    for k in range(shown.count()):
        image = shown.nth(k)
        mean = brightness(image.screenshot())
        if not ends[0] <= mean <= ends[1] and "terminal" not in image.get_attribute("src"):
            wrong.append((image.get_attribute("src"), mean))
    page.close()
    assert wrong == [], "a terminal is always dark, but nothing else is"


def test_users_do_not_meet_design_notes_in_the_sidebar():
    home = (DOCS / "index.md").read_text(encoding="utf-8")
    assert not re.search(r"<(decisions|how-it-works|where-things-go|guide/(grow|learn|tree|model))", home)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<pre style='overflow-x: auto'>" + "x" * 900 + "</pre>", False),
        ("<pre>" + "x" * 900 + "</pre>", True),
        ("<div style='overflow: hidden'><p style='width: 2000px'>x</p></div>", True),
        ("<table><tr>" + "<td>wide_name</td>" * 60 + "</tr></table>", True),
        ("<p>" + "short words " * 200 + "</p>", False),
    ],
)
def test_what_is_wider_than_the_window_is_found(body, found, page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(f"<!doctype html><body><div class='content'><article>{body}</article></div></body>")
    assert bool(page.evaluate(TOO_WIDE)) == found


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="here">a</h1><a href="#here"></a><a href="b.html#there"></a><a href="https://a.org"></a>'
        '<a href="#gone"></a><a href="c.html"></a><a href="b.html#nowhere"></a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>')
    assert [line.split(": ")[1] for line in dead_links(tmp_path)] == ["#gone", "b.html#nowhere", "c.html"]


def test_what_is_loaded_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="https://a.org">a link</a><script src="https://b.org/b.js"></script>'
        '<link rel="stylesheet" href="//c.org/c.css"><img alt="" src="own.svg"><link rel="canonical" href="https://d.org">'
    )
    (tmp_path / "a.css").write_text('@import "https://e.org/e.css"; p { background: url(f.png) }')
    found = [line.split(": ")[1] for line in loaded_from_elsewhere(tmp_path)]
    assert found == ["https://e.org/e.css", "https://b.org/b.js", "//c.org/c.css"]


def test_docstrings_are_text_with_code_examples_and_parameters():
    lines = [
        "Cuts a_b * c in `d_`s.",
        "",
        "Parameters",
        "----------",
        "x, y (both) : what",
        "    they are.",
        "",
    ]
    assert to_rst([*lines, ">>> f(1)", "2", "", "    drawn |"]) == [
        "Cuts a\\_b \\* c in ``d_``\\ s.",
        "",
        ".. rubric:: Parameters",
        "",
        "``x``, ``y`` (both)",
        "   what they are.",
        "",
        ".. code-block:: pycon",
        "",
        "   >>> f(1)",
        "   2",
        "",
        ".. code-block:: text",
        "",
        "    drawn |",
        "",
    ]


@pytest.mark.parametrize("name", [*PICTURES, *DRAWN])
def test_the_pictures_are_those_of_today(name):
    drawn = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == picture(name), "python docs/make_pictures.py"


def test_the_first_tree_takes_six_lines():
    page = (DOCS / "quickstart.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    assert len(first.splitlines()) <= 6 and "to_svg(" in first
