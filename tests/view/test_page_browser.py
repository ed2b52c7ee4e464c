"""The page in a real browser: what a reader sees and does. Every page opened here must make no request at all."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning
from branchwork.tree.tree import Tree
from branchwork.view.html import script, style, to_html
from branchwork.view.page import to_data
from branchwork.webpage.parts import safe_json
from contract.test_names import NAMES

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def comes_true(page, is_so):
    """Wait until something holds, at most ten seconds."""
    for _ in range(200):
        if is_so():
            return True
        page.wait_for_timeout(50)
    return False


@pytest.fixture(scope="module")
def large():
    """A tree of 9 999 nodes."""
    rng = np.random.default_rng(0)
    return bw.CARTClassifier(max_leaf_nodes=5000).fit(
        rng.normal(size=(40_000, 8)), rng.integers(0, 4, 40_000)
    )


@pytest.fixture
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


def panel(page):
    return page.locator("section.node").inner_text()


def cards(page):
    return page.locator("[data-node]").count()


def lit(page):
    return sorted(int(card.get_attribute("data-node")) for card in page.locator(".card.reached").all())


def active(page):
    return int(page.locator("svg.canvas").get_attribute("aria-activedescendant").split("-")[1])


# ---- a node


def test_a_click_shows_rule_rows_and_working(open_page, tree):
    page = open_page(tree.to_html(title="Tennis"))
    assert page.title() == page.locator("h1").inner_text() == "Tennis"
    assert "8 nodes, 5 leaves, depth 2, 14 rows" in page.locator("header").inner_text()
    page.click("[data-node='3']")
    text = panel(page)
    assert "Node 3 asks for Humidity" in text and "if Outlook = Sunny\nthen No" in text
    assert "0.9710" in text and "the best of all columns" not in text and "chosen" in text
    told = tree.working(3).to_dict()
    assert page.locator("table.working tbody tr").count() == len(told)
    for row, shown in zip(told, page.locator("table.working tbody tr").all(), strict=True):
        assert row["feature"] in shown.inner_text()
        assert row["gain"] is None or f"{row['gain']:.4f}" in shown.inner_text()
    page.click("[data-node='6']")
    assert "It is a leaf because all its rows have the same target." in panel(page)
    assert page.locator(".card.selected").get_attribute("data-node") == "6"


def test_the_working_of_c45_has_its_penalty_and_small_p_values(open_page):
    X, y = [[float(k)] for k in range(60)], ["a"] * 30 + ["b"] * 30
    tree = bw.C45Classifier().fit(X, y)
    page = open_page(tree.to_html())
    page.click("[data-node='0']")
    text = panel(page)
    (row,) = tree.working().to_dict()
    assert "penalty" in text and "net gain" in text and f"{row['net_gain']:.4f}" in text
    assert row["p_value"] < 1e-9 and "< 0.0001" in text


def test_the_rule_can_be_copied(open_page, tree):
    page = open_page(tree.to_html())
    page.click("[data-node='6']")
    page.click("h3 button")
    page.locator("h3 button", has_text="Copied").wait_for()
    page.click("summary")
    page.focus("textarea")
    page.keyboard.press("Control+V")
    assert page.input_value("textarea") == "if Outlook = Sunny\nand Humidity = High\nthen No"


def test_a_number_has_a_mean_and_a_deviation(open_page):
    bikes = bw.datasets.load("bike_rentals12")
    tree = bw.CARTRegressor().fit(bikes.X, bikes.y)
    page = open_page(tree.to_html())
    text = panel(page)
    assert f"{tree.tree_.value[0, 0]:.6f}"[:8] in text and f"{tree.tree_.variance[0] ** 0.5:.4g}" in text


def test_every_category_of_a_group_is_in_the_rule(open_page):
    X = {"letter": [*"abcdefghij"] * 2}
    tree = bw.CARTClassifier().fit(X, ["x" if c in "abcdef" else "y" for c in X["letter"]])
    page = open_page(tree.to_html())
    page.click("[data-node='1']")
    assert "if letter in {a, b, c, d, e, f}" in panel(page)


def test_hovering_tells_what_a_card_has_no_room_for(open_page, tree):
    page = open_page(tree.to_html())
    page.hover("[data-node='3']")
    assert page.locator(".tooltip").inner_text().splitlines() == [
        "Outlook = Sunny",
        "Humidity",
        "5 rows · 60% No",
        "node 3",
    ]
    page.mouse.move(5, 790)
    assert page.locator(".tooltip").is_hidden()


# ---- folding, moving, searching


def test_double_click_and_the_handle_fold(open_page, tree):
    page = open_page(tree.to_html())
    assert cards(page) == 8
    page.dblclick("[data-node='3'] .title")
    assert cards(page) == 6
    assert page.locator("[data-node='3']").get_attribute("aria-expanded") == "false"
    assert page.locator("[data-node='3'] .handle").inner_html().count("+2") == 1
    page.click("[data-node='3'] .handle")
    assert cards(page) == 8
    page.click("text=Unfold all")
    assert cards(page) == 8


def test_a_node_below_a_folded_one_is_found(open_page, tree):
    page = open_page(tree.to_html())
    page.dblclick("[data-node='0'] .title")
    assert cards(page) == 1 and "Node 0" in panel(page)
    page.fill(".search", "#6")
    assert "Node 6" in panel(page) and page.locator("[data-node='6']").is_visible()
    page.dblclick("[data-node='3'] .title")
    assert "Node 3" in panel(page)  # what is folded away is not selected


def scale(page):
    return page.evaluate("document.querySelector('.canvas > g').getCTM().a")


def test_wheel_buttons_and_keys_zoom_and_dragging_pans(open_page, tree):
    page = open_page(tree.to_html())
    before = scale(page)
    page.mouse.move(400, 500)
    page.mouse.wheel(0, -200)
    assert comes_true(page, lambda: scale(page) > before)
    wheel = scale(page)
    page.click("[data-do='smaller']")
    assert scale(page) < wheel
    page.focus("svg.canvas")
    page.keyboard.press("+")
    assert scale(page) == pytest.approx(wheel)
    page.keyboard.press("0")
    assert scale(page) == pytest.approx(before)
    place = page.locator("[data-node='0']").bounding_box()
    page.mouse.move(400, 600)
    page.mouse.down()
    page.mouse.move(430, 640)
    page.mouse.move(460, 680)
    page.mouse.up()
    card = page.locator("[data-node='0']")
    assert comes_true(page, lambda: card.bounding_box()["x"] == pytest.approx(place["x"] + 60, abs=1))
    assert card.bounding_box()["y"] == pytest.approx(place["y"] + 80, abs=1)


def test_in_a_frame_a_wheel_scrolls_the_notebook(open_page, tree):
    page = open_page(tree._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("[data-node='2']").click()
    assert "Node 2" in frame.locator("section.node").inner_text()
    frame.locator("summary").click()
    frame.get_by_role("button", name="Follow").click()
    assert "Answer: " in frame.locator(".result").inner_text()
    card = frame.locator("[data-node='0']")
    before = card.bounding_box()
    page.mouse.move(300, 300)
    page.mouse.wheel(0, -100)
    page.evaluate(SETTLED)
    assert card.bounding_box()["width"] == before["width"]
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    assert comes_true(page, lambda: card.bounding_box()["width"] > before["width"])


def test_search_finds_features_categories_answers_and_ids(open_page, large):
    page = open_page(large.to_html())
    assert cards(page) <= 100
    page.keyboard.press("/")
    page.keyboard.type("#7777")
    assert page.locator(".hits").inner_text() == "1 of 1" and "Node 7777" in panel(page)
    assert page.locator("[data-node='7777']").is_visible()
    page.fill(".search", "x3 <=")
    expected = sum("x3 <=" in text for text in conditions(large))
    assert page.locator(".hits").inner_text() == f"1 of {expected}"
    first = panel(page).splitlines()[0]
    page.keyboard.press("Enter")
    assert page.locator(".hits").inner_text() == f"2 of {expected}"
    page.keyboard.press("Shift+Enter")
    assert panel(page).splitlines()[0] == first
    page.click("[data-do='previous']")
    assert page.locator(".hits").inner_text() == f"{expected} of {expected}"
    page.fill(".search", "nothing like it")
    assert page.locator(".hits").inner_text() == "no match"


def conditions(estimator):
    return to_data(estimator.model_, unit="")["nodes"]["condition"]


# ---- the keyboard


def test_everything_goes_by_the_keyboard(open_page, tree):
    page = open_page(tree.to_html())
    page.focus("svg.canvas")
    ways = [("ArrowDown", 1), ("ArrowRight", 2), ("ArrowDown", 4), ("ArrowRight", 5), ("ArrowRight", 6)]
    for key, node in [
        *ways,
        ("ArrowUp", 3),
        ("ArrowLeft", 2),
        ("ArrowUp", 0),
        ("ArrowUp", 0),
        ("ArrowDown", 1),
    ]:
        page.keyboard.press(key)
        assert active(page) == node, key
    assert "Node 0" in panel(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "Node 2" in panel(page)
    page.keyboard.press(" ")
    assert cards(page) == 6
    page.keyboard.press("ArrowDown")
    assert cards(page) == 8 and active(page) == 4
    page.keyboard.press("/")
    page.keyboard.type("yes")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "tree"


# ---- following a row


def test_a_typed_row_lights_its_path(open_page, tree):
    page = open_page(tree.to_html())
    page.click("summary")
    assert page.locator(".row label").all_inner_texts() == ["Outlook", "Humidity", "Wind"]
    page.select_option(".row select >> nth=0", label="Sunny")
    page.select_option(".row select >> nth=1", label="Normal")
    assert lit(page) == [0, 3, 7]
    assert "Answer: Yes" in page.locator(".result").inner_text()
    page.click("text=Clear")
    assert lit(page) == [] and page.locator(".result").inner_text() == ""
    page.fill("textarea", '{"Outlook": "Rain", "Wind": "Strong"}')
    assert lit(page) == [0, 2, 4] and "Answer: No" in page.locator(".result").inner_text()
    page.fill("textarea", "Sunny,Hot")
    assert "The row has 2 cells" in page.locator(".result").inner_text() and lit(page) == []
    page.fill("textarea", "Rain,Hot,High,Hail")
    assert "Wind is not known: to" in page.locator(".result").inner_text()


def test_a_shared_row_lights_all_its_leaves(open_page, tennis):
    tree = bw.C45Classifier().fit(tennis.X, tennis.y)
    page = open_page(tree.to_html())
    page.click("summary")
    page.click("text=Follow >> nth=1")
    proba = tree.predict_proba([dict.fromkeys(tennis.X.schema.names)])[0]
    text = page.locator(".result").inner_text()
    assert "shared among the branches by weight" in text and f"{proba[1]:.0%}" in text
    assert lit(page) == list(range(tree.tree_.n_nodes))


def test_a_number_is_compared_exactly(open_page):
    tree = bw.CARTClassifier().fit([[0.1], [0.2], [0.3], [0.4]], list("aabb"))
    cut = float(tree.tree_.cut[0])
    page = open_page(tree.to_html())
    page.click("summary")
    for x, leaf in ((cut, 1), (np.nextafter(cut, 1), 2)):
        page.fill(".row input", repr(float(x)))
        assert lit(page) == [0, leaf]
    page.fill(".row input", "much")
    assert "expected a number" in page.locator(".error").inner_text()


def test_a_category_that_training_never_saw_may_be_refused(open_page, tennis):
    tree = bw.ID3Classifier(handle_unknown="error").fit(tennis.X, tennis.y)
    page = open_page(tree.to_html())
    page.click("summary")
    page.select_option(".row select >> nth=0", label="another value")
    assert "Outlook: training never saw this value" in page.locator(".error").inner_text()
    page.select_option(".row select >> nth=0", label="missing")
    assert page.locator(".error").count() == 0 and lit(page)[0] == 0


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_a_column_of_many_categories_has_a_text_field(open_page):
    names = [f"town {k}" for k in range(300)]
    tree = bw.CARTClassifier().fit({"town": names}, ["a" if k < 120 else "b" for k in range(300)])
    page = open_page(tree.to_html())
    page.click("summary")
    for name in ("town 7", "town 250", "Atlantis"):
        page.fill(".row input", name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            answer = tree.predict([{"town": name}])[0]
        assert f"Answer: {answer}" in page.locator(".result").inner_text()
    page.fill("textarea", '{"town": "town 8"}')
    assert page.input_value(".row input") == "town 8"


# ---- strangers, giants, and everyone


@pytest.mark.parametrize("what", NAMES)
def test_a_strange_name_is_shown_and_does_nothing(open_page, what):
    name = NAMES[what]
    X = {name: [name, "b"] * 6, "other": [0.0] * 12}
    tree = bw.ID3Classifier().fit(X, [name, "other"] * 6)
    page = open_page(tree.to_html(title=name[:1000]))
    assert cards(page) == 3 and page.locator("b, img").count() == 0
    page.click("[data-node='1']")
    assert "Node 1" in panel(page)
    page.click("summary")
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
    page.click("summary")
    page.fill(".row input", "10000")
    assert f"node {model.apply([[10_000.0]])[0]}" in page.locator(".result").inner_text()
    page.fill(".search", "#40000")
    assert panel(page).count("x0 > ") == 20_000


def test_a_large_tree_is_made_within_two_seconds_and_answers_within_a_tenth(open_page, large):
    began = time.perf_counter()
    text = large.to_html()
    assert time.perf_counter() - began < 2
    page = open_page(text)
    measure = """async (act) => {
      const frame = () => new Promise(requestAnimationFrame);
      const times = [];
      for (let k = 0; k < 7; k++) {
        await frame();
        const card = document.querySelectorAll("[data-node]")[k + 1];
        const begin = performance.now();
        card.dispatchEvent(new MouseEvent(act, { bubbles: true }));
        document.querySelector("section.node").getBoundingClientRect();
        times.push(performance.now() - begin);
      }
      return times.sort((a, b) => a - b)[3];
    }"""
    assert page.evaluate(measure, "click") < 100
    page.click("text=Unfold all")
    assert cards(page) > 100
    assert page.evaluate(measure, "click") < 100


def serious(page):
    """What axe-core finds that is more than a nicety."""
    found = Axe().run(page).response["violations"]
    return [one for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_axe_finds_nothing_serious(open_page, tree, theme, width):
    size = {"width": width, "height": 800}
    page = open_page(tree.to_html(), color_scheme=theme, viewport=size, bypass_csp=True)
    page.click("summary")
    page.select_option(".row select >> nth=0", label="Sunny")
    page.fill(".search", "wind")
    assert serious(page) == []


def test_axe_finds_nothing_serious_in_numbers_and_errors(open_page):
    bikes = bw.datasets.load("bike_rentals12")
    page = open_page(bw.CARTRegressor().fit(bikes.X, bikes.y).to_html(), bypass_csp=True)
    page.click("summary")
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
