"""Pages of strange names and of giant trees, themes, motion, access without a mouse, and the widget."""

from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from branchwork.tree.tree import Tree
from branchwork.view.html import script, style, to_html
from branchwork.view.page import to_data
from branchwork.webpage.parts import safe_json
from contract.test_names import NAMES
from open_pages import cards, comes_true, lit, panel, scale

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.mark.parametrize("what", NAMES)
def test_a_strange_name_is_shown_and_does_nothing(open_page, what):
    name = NAMES[what]
    X = {name: [name, "b"] * 6, "other": [0.0] * 12}
    tree = bw.ID3Classifier().fit(X, [name, "other"] * 6)
    page = open_page(tree.to_html(title=name[:1000]))
    assert cards(page) == 3 and page.locator("b, img").count() == 0
    page.click("[data-node='1']")
    assert "Node 1" in panel(page)
    page.click(".follow summary")
    page.select_option(".row select", index=2)
    assert len(lit(page)) == 2


def chain(depth):
    """A model whose node 2k asks whether x0 <= k; every other node is a leaf."""
    small = bw.ID3Classifier().fit([[0.0], [1.0]], ["a", "b"]).model_
    nodes = np.arange(2 * depth + 1)
    inner = (nodes % 2 == 0) & (nodes < 2 * depth)
    tree = Tree(
        feature=np.where(inner, 0, -1).astype(np.int32),
        cut=np.where(inner, nodes / 2, np.nan),
        first_child=np.where(inner, nodes + 1, -1).astype(np.int32),
        n_children=np.where(inner, 2, 0).astype(np.int32),
        lookup=np.full(len(nodes), -1, np.int32),
        pool=np.zeros(0, np.int32),
        default_child=np.where(inner, 1, -1).astype(np.int32),
        value=np.tile([0.5, 0.5], (len(nodes), 1)),
        distribution=np.tile([1.0, 1.0], (len(nodes), 1)),
        weight=np.full(len(nodes), 2.0),
        n_rows=np.full(len(nodes), 2),
        impurity=np.ones(len(nodes)),
        gain=np.zeros(len(nodes)),
        variance=None,
        stop=np.where(inner, 0, 1).astype(np.uint8),
    )
    return replace(small, trees=(tree,))


def test_a_chain_of_20_000_nodes_opens_unfolds_and_follows(open_page):
    model = chain(20_000)
    page = open_page(to_html(model, unit="bits", title="chain"))
    assert cards(page) <= 100
    page.click("text=Unfold all")
    page.click(".follow summary")
    page.fill(".row input:not([type=range])", "10000")
    assert f"node {model.apply([[10_000.0]])[0]}" in page.locator(".result").inner_text()
    page.fill(".search", "#40000")
    assert panel(page).count("x0 > ") == 20_000


def test_the_page_of_a_large_tree_is_small_and_answers(open_page, large):
    text = large.to_html()
    assert len(text) <= 2_000_000
    page = open_page(text)
    page.locator("[data-node]").nth(3).click()
    assert panel(page)
    page.click("text=Unfold all")
    page.click("[data-do='fit']")
    assert cards(page) > 100


def serious(page):
    """What axe-core finds that is more than a nicety."""
    found = Axe().run(page).response["violations"]
    return [one for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (420, "dark")])
def test_axe_finds_nothing_serious(open_page, tree, theme, width):
    size = {"width": width, "height": 800}
    page = open_page(tree.to_html(), color_scheme=theme, viewport=size, bypass_csp=True)
    page.click(".follow summary")
    page.select_option(".row select >> nth=0", label="Sunny")
    page.fill(".search", "wind")
    page.click("[data-shade] >> nth=0")
    page.click("[data-do='save']")
    assert serious(page) == []


def test_axe_finds_nothing_serious_in_numbers_and_errors(open_page):
    bikes = bw.datasets.load("bike_rentals12")
    page = open_page(bw.CARTRegressor().fit(bikes.X, bikes.y).to_html(), bypass_csp=True)
    page.click(".follow summary")
    page.fill("textarea", "a,b,c,d,e")
    assert page.locator(".error").is_visible() and serious(page) == []


def test_the_theme_can_be_changed(open_page, tree):
    page = open_page(tree.to_html(), color_scheme="dark")
    ground = "getComputedStyle(document.querySelector('.branchwork')).backgroundColor"
    dark = page.evaluate(ground)
    page.click("[data-do='theme']")
    light = page.evaluate(ground)
    assert light != dark and light == "rgb(255, 255, 255)"
    page.click("[data-do='theme']")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize(("preference", "is_smooth"), [("reduce", False), ("no-preference", True)])
def test_motion_is_only_for_those_who_like_it(open_page, tree, preference, is_smooth):
    page = open_page(tree.to_html(), reduced_motion=preference)
    before = scale(page)
    click = "document.querySelector('[data-do=larger]').click()"
    at_once = page.evaluate(f"() => ({click}, document.querySelector('.canvas > g').getCTM().a)")
    assert (at_once == before) == is_smooth
    assert comes_true(page, lambda: scale(page) == pytest.approx(1.3 * before))


def test_the_widget_tells_python_what_is_selected_and_listens(usual_page, tree):
    page = usual_page
    page.goto("about:blank")
    page.set_content(f"<style>{style()}</style><div id='cell'></div>")
    page.evaluate(FAKE_NOTEBOOK, [script(), safe_json(to_data(tree.model_, unit="bits"))])
    assert "Node 3" in panel(page) and page.evaluate("notebook.saved") == 0
    page.locator("[data-node='2']").click()
    assert cards(page) == 8
    assert page.evaluate("[notebook.values.selected, notebook.saved]") == [2, 1]
    page.evaluate("notebook.set('selected', 6)")
    assert "Node 6" in panel(page)
    page.evaluate("notebook.set('selected', 99)")
    assert "Node 6" in panel(page)
    assert page.locator("[data-node='6']").is_visible()
    page.evaluate("notebook.leave()")
    assert page.locator("#cell > div *").count() == 0
    page.evaluate("notebook.set('selected', 1)")


FAKE_NOTEBOOK = """async ([script, data]) => {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const values = { data, selected: 3, title: "Tennis" };
  const listeners = new Map();
  window.notebook = {
    values,
    saved: 0,
    get: (name) => values[name],
    set: (name, value) => (values[name] = value, listeners.get(`change:${name}`)?.()),
    save_changes: () => notebook.saved++,
    on: (name, listener) => listeners.set(name, listener),
    off: (name) => listeners.delete(name),
  };
  const element = document.createElement("div"); // as notebooks do: shown only after it was filled
  notebook.leave = widget.render({ model: notebook, el: element });
  document.getElementById("cell").append(element);
}"""


def test_the_panel_says_how_many_candidates_it_leaves_out(open_page):
    X = np.random.default_rng(0).normal(size=(40, 1234))
    tree = bw.TreeClassifier(max_depth=1).fit(X, X[:, 3] > 0)
    page = open_page(tree.to_html())
    page.locator('[data-node="0"]').click()
    assert "… and 1 214 more columns; working(0) lists them all." in panel(page)
    assert page.locator("table.working tbody tr").count() == 20
