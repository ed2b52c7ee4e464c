"""The page as a widget: several on one page, in a notebook that has keys, a theme and a style of its own."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.view.html import script, style
from branchwork.view.page import to_data
from branchwork.webpage.parts import safe_json
from open_pages import comes_true

SHOW = """async ([script, trees]) => {
  for (const data of trees) {
    // a module each, as anywidget does
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    const values = { data, selected: 0, title: "Tree" };
    const model = { get: (name) => values[name], set() {}, save_changes() {}, on() {}, off() {} };
    const element = document.createElement("div");
    (window.leave ??= []).push(widget.render({ model, el: element }));
    document.body.append(element);
  }
}"""


@pytest.fixture
def notebook(usual_page):
    """A page with a notebook's manners, and a function that shows trees in it."""

    def show(*estimators, body="", head=""):
        usual_page.goto("about:blank")
        usual_page.set_content(f"<style>{head}{style()}</style><body {body}></body>")
        data = [safe_json(to_data(one.model_, unit="bits")) for one in estimators]
        usual_page.evaluate(SHOW, [script(), data])
        return usual_page

    return show


@pytest.fixture
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


def test_no_two_widgets_share_an_id_or_a_label(notebook, tree):
    other = bw.CARTClassifier().fit({"x": np.arange(8.0), "y": np.zeros(8)}, list("aabbaabb"))
    page = notebook(tree, other, tree)
    every = "[...document.querySelectorAll('[id]')].map((element) => element.id)"
    assert comes_true(
        page, lambda: len(page.evaluate(every)) > 25
    )  # the last one draws itself when it is seen
    ids = page.evaluate(every)
    assert len(set(ids)) == len(ids)
    third = page.locator(".branchwork").nth(2)
    third.locator(".follow summary").click()
    third.get_by_label("Outlook", exact=True).select_option(label="Overcast")
    assert page.locator(".card.reached").count() == third.locator(".card.reached").count() == 2


KEYS_OF_A_NOTEBOOK = """() => {
  window.heard = [];
  document.addEventListener("keydown", (event) => heard.push(event.key));
}"""


def test_a_letter_is_no_command_to_the_notebook(notebook, tree):
    page = notebook(tree)
    page.evaluate(KEYS_OF_A_NOTEBOOK)
    page.focus("svg.canvas")
    for key in ("x", "d", "0", "ArrowDown", "Enter", "/", "Shift+Enter", "Escape"):
        page.keyboard.press(key)
    assert page.evaluate("heard") in ([], ["Shift"])
    page.keyboard.press("Control+s")
    assert "s" in page.evaluate("heard")


@pytest.mark.parametrize(
    ("body", "ground"),
    [
        ('data-jp-theme-light="false"', "rgb(28, 34, 43)"),
        ('class="vscode-dark"', "rgb(28, 34, 43)"),
        ('data-jp-theme-light="true"', "rgb(255, 255, 255)"),
    ],
)
def test_the_theme_is_the_notebook_s_until_the_reader_changes_it(notebook, tree, body, ground):
    page = notebook(tree, body=body)
    found = "getComputedStyle(document.querySelector('.branchwork')).backgroundColor"
    assert page.evaluate(found) == ground
    page.click("[data-do='theme']")
    assert page.evaluate(found) != ground
    page.click("[data-do='theme']")
    assert page.evaluate(found) == ground


def test_names_are_cut_in_the_font_that_they_are_drawn_in(notebook):
    """A notebook fills a widget before it shows it, and an element that is not shown has no font."""
    name = "a column with a name that goes on and on"
    page = notebook(bw.StumpClassifier().fit({name: [0.0, 1.0]}, ["a", "b"]))
    title = page.locator("[data-node='0'] .title")
    assert title.text_content().endswith("…")
    assert 90 < title.evaluate("(text) => text.getComputedTextLength()") <= 132.5


def test_a_style_of_the_notebook_does_not_come_in(notebook, tree):
    page = notebook(tree, head="dt { font-weight: bold } ::placeholder { color: red } ")
    assert page.locator("dt").first.evaluate("(dt) => getComputedStyle(dt).fontWeight") == "400"
    colour = "(field) => getComputedStyle(field, '::placeholder').color"
    assert page.locator(".search").evaluate(colour) != "rgb(255, 0, 0)"


def test_a_widget_leaves_nothing_behind(notebook, tree):
    page = notebook(tree, tree)
    page.evaluate(
        """() => {
          window.asked = 0;
          const ask = requestAnimationFrame;
          window.requestAnimationFrame = (act) => (asked++, ask(act));
          document.querySelector("[data-do='larger']").click();
          leave[0]();
        }"""
    )
    page.wait_for_timeout(100)
    assert page.locator(".branchwork").count() == 1
    asked = page.evaluate("asked")
    page.wait_for_timeout(300)
    assert page.evaluate("asked") == asked


def test_names_that_cannot_be_sent_as_text_can_be_shown(notebook):
    pytest.importorskip("anywidget")
    tree = bw.ID3Classifier().fit({"a\ud800": ["x", "\udcff"] * 4}, ["p", "q"] * 4)
    widget = tree.widget(title="\ud800")
    assert widget.data.isascii() and widget.title.encode() == b"\\ud800"
    page = notebook(tree)
    assert "a\\ud800" in page.locator("section.node").inner_text()


def test_a_widget_leaves_a_picture_where_no_widget_can_be(tree):
    pytest.importorskip("anywidget")
    found = tree.widget()._repr_mimebundle_()
    bundle = found[0] if isinstance(found, tuple) else found
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "<svg" in bundle["text/html"] and "Outlook" in bundle["text/html"]
    X = np.random.default_rng(0).normal(size=(3000, 4))
    large = bw.CARTClassifier().fit(X, np.random.default_rng(1).integers(0, 2, 3000))
    found = large.widget()._repr_mimebundle_()
    bundle = found[0] if isinstance(found, tuple) else found
    assert len(bundle["text/html"]) < 200_000 and "Down to depth" in bundle["text/html"]
