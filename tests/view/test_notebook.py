"""What a notebook shows of models, pictures, tables and studies: size, alignment, and what is left without trust."""

import html
import json
import re

import numpy as np
import pytest

import branchwork as bw
from branchwork.table.shown import html_table
from branchwork.view import model_view
from branchwork.view.model_view import LARGEST_PAGE, MOST_WORKED
from branchwork.view.notebook import MOST_LINES
from branchwork.view.pieces import Svg


@pytest.fixture
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


def noise(rows=3000, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.integers(0, 2, rows)


def in_view(page, shown, *, trusted, head=""):
    """Return the text that can be seen in a cell. Without trust, JupyterLab drops style sheets, frames and pictures."""
    if not trusted:
        shown = re.sub("<style>.*?</style>", "", shown, flags=re.DOTALL)
        shown = re.sub(r" hidden(?=[ >])", "", shown)  # an attribute without a value
        shown = re.sub(
            r"</?(?:iframe|svg|g|rect|path|circle|line|text|tspan|title|desc|defs)\b[^>]*>", "", shown
        )
    page.set_content(f"<style>{head}</style><body>{shown}</body>")
    return page.locator("body").inner_text()


def things(tennis, tree):
    X, y = tennis.X, tennis.y
    numbers, labels = noise(60)
    forest = bw.RandomForestClassifier(3).fit(X, y)
    return {
        "a tree": (tree, "Outlook = Overcast → PlayTennis: Yes"),
        "its model": (tree.model_, "Outlook = Overcast → PlayTennis: Yes"),
        "a picture": (tree.to_svg(), "Node 1: Outlook = Overcast; 4 rows; answers Yes."),
        "a forest": (forest, "3 trees"),
        "its votes": (forest.why(X.row(0)), "No"),
        "rounds": (bw.AdaBoostClassifier(n_estimators=3).fit(X, y).stages_, "confidence"),
        "a look": (bw.study.look(X, y), "14 rows"),
        "a report": (bw.study.report(tree, X, y), "accuracy"),
        "a curve": (
            bw.study.curve(bw.TreeClassifier(), X, y, over="max_depth", values=[1, 2]),
            "validation error",
        ),
        "a comparison": (bw.compare({"a": bw.CARTClassifier()}, numbers, labels), "baseline"),
        "two trees": (bw.study.compare_trees(tree, bw.StumpClassifier().fit(X, y)), "only A splits"),
    }


def test_a_notebook_that_is_not_trusted_shows_a_text(browser, tennis, tree):
    page = browser.new_page()
    for name, (thing, word) in things(tennis, tree).items():
        shown = thing._repr_html_()
        plain = in_view(page, shown, trusted=False)
        assert word in plain and "Trust this notebook" in plain, name
        assert plain.endswith((" picture.", " page.")) and len(plain.split("\n")) <= MOST_LINES + 2, name
        assert "Trust this notebook" not in in_view(page, shown, trusted=True), name
        assert page.locator("iframe, svg").first.is_visible(), name
    page.close()


def test_the_text_is_harmless_and_short():
    tree = bw.ID3Classifier().fit({"<b>\x1b": [f"</pre>{k}" for k in range(60)] * 20}, list("ab") * 600)
    shown = tree._repr_html_()
    plain = shown[: shown.index('<div class="bw-shown"')]
    assert plain.count("</pre>") == 1 and "<b>" not in plain and "\x1b" not in plain
    assert "more lines" in plain and plain.count("&#10;") <= MOST_LINES + 1


def test_a_picture_without_words_has_a_text():
    assert "A picture." in Svg("<svg></svg>")._repr_html_()


def test_an_output_is_one_line(tennis, tree):
    """In Markdown, an empty line ends a block of HTML, and what follows is read as text."""
    for name, (thing, _) in things(tennis, tree).items():
        assert "\n" not in thing._repr_html_(), name


def test_a_page_that_would_be_too_large_has_the_working_of_its_largest_nodes(monkeypatch):
    X, y = noise(600, 12)
    tree = bw.CARTClassifier().fit(X, y)
    whole = tree._repr_html_()
    assert tree.tree_.n_leaves - 1 > MOST_WORKED and len(whole) < LARGEST_PAGE
    monkeypatch.setattr(model_view, "LARGEST_PAGE", len(whole) - 1)
    shown = tree._repr_html_()
    assert "srcdoc=" in shown and len(shown) < len(whole)
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    working = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])["working"]
    assert not working["kept"] and len(working["pages"]) == MOST_WORKED and "0" in working["pages"]
    monkeypatch.setattr(model_view, "LARGEST_PAGE", 1000)
    assert "srcdoc=" not in tree._repr_html_() and "These are its first levels" in tree._repr_html_()


def test_the_trees_of_an_ensemble_can_be_opened_in_a_notebook(browser, tennis):
    forest = bw.RandomForestClassifier(3).fit(tennis.X, tennis.y)
    page = browser.new_page()
    page.set_content(forest._repr_html_())
    inside = page.frame_locator("iframe")
    inside.locator("[data-tree='1']").click()
    inside.locator("#tree [data-node='0']").wait_for()
    page.close()


def test_a_page_of_an_ensemble_stays_small():
    X, y = noise(6000, 8)
    forest = bw.RandomForestClassifier(12, max_leaf_nodes=500).fit(X, y)
    shown = forest._repr_html_()
    assert len(forest.to_html()) > LARGEST_PAGE > len(shown)
    assert "Click a picture" not in shown and "<script" not in html.unescape(shown)


NOTEBOOK_STYLE = ".jp-cell:not(.jp-text) td,.jp-cell:not(.jp-text) th{text-align:right;white-space:normal}"
"""As JupyterLab and nbconvert have it: it outweighs a class of the output."""


def test_text_stands_at_the_left_whatever_the_style_of_the_notebook(browser, tennis, tree):
    page = browser.new_page()
    for thing, words in (
        (tree.working(0), {"feature", "test", "verdict"}),
        (tree.why(tennis.X.row(0)), None),
    ):
        page.set_content(f"<style>{NOTEBOOK_STYLE}</style><div class='jp-cell'>{thing._repr_html_()}</div>")
        sides = page.locator("th").evaluate_all(
            "all => all.map(th => [th.innerText, getComputedStyle(th).textAlign])"
        )
        left = {name for name, side in sides if side == "left"}
        assert left == (words or {name for name, _ in sides})
    page.close()


def test_long_tables_are_scrolled_and_long_texts_keep_some_width(browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    rule = "a column with a long name = one of many categories and " * 4
    page.set_content(
        html_table(["", "rule", "rows"], [[str(k), rule, "12345"] for k in range(80)], words=[1])
    )
    assert page.locator("body").bounding_box()["height"] < 800
    assert page.locator("td").nth(1).bounding_box()["width"] > 200
    page.set_content(html_table(["name", "rows"], [["a", "1"]] * 5, words=[0]))
    assert page.locator("div").count() == 0
    page.close()
