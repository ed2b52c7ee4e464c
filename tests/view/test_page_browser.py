"""The page in a real browser: what a reader sees and does. Every page opened here must make no request at all."""

import warnings

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning
from branchwork.view.page import to_data
from open_pages import active, answer, cards, comes_true, lit, panel, scale

FIELD = ".row input:not([type=range])"
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


# ---- a node


def test_a_click_shows_rule_rows_and_working(open_page, tree):
    page = open_page(tree.to_html(title="Tennis"))
    assert page.title() == page.locator("h1").inner_text() == "Tennis"
    assert "8 nodes, 5 leaves, depth 2, 14 rows" in page.locator("header").inner_text()
    page.click("[data-node='3']")
    text = panel(page)
    assert "Node 3 asks for Humidity" in text and "if Outlook = Sunny\nthen PlayTennis: No" in text
    assert "0.9710" in text and "the best of all columns" not in text and "chosen" in text
    told = tree.working(3, top=4).to_dict()  # the best first
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
    page.click("text=More numbers")
    text = panel(page)
    (row,) = tree.working().to_dict()
    assert "penalty" in text and "net gain" in text and f"{row['net_gain']:.4f}" in text
    assert row["p_value"] < 1e-9 and "< 0.0001" in text


def test_the_rule_can_be_copied(open_page, tree):
    page = open_page(tree.to_html())
    page.click("[data-node='6']")
    page.click("h3 button")
    page.locator("h3 button", has_text="Copied").wait_for()
    page.click(".follow summary")
    page.focus("textarea")
    page.keyboard.press("Control+V")
    assert page.input_value("textarea") == "if Outlook = Sunny\nand Humidity = High\nthen PlayTennis: No"


def test_a_number_has_a_mean_and_a_deviation(open_page):
    bikes = bw.datasets.load("bike_rentals12")
    tree = bw.CARTRegressor().fit(bikes.X, bikes.y)
    page = open_page(tree.to_html())
    mean, deviation = float(tree.tree_.value[0, 0]), float(tree.tree_.variance[0]) ** 0.5
    assert f"{mean:.4g}" in panel(page) and f"{deviation:.4g}" in panel(page)
    titles = [one.get_attribute("title") for one in page.locator("dl [title]").all()]
    assert mean in map(float, titles)  # all digits where a pointer rests


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
        "5 rows",
        "No: 3 (60%)",
        "Yes: 2 (40%)",
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


def test_wheel_buttons_and_keys_zoom_and_dragging_pans(open_page, tree):
    page = open_page(tree.to_html())
    before = scale(page)
    page.mouse.move(400, 500)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
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
    frame.locator(".follow summary").click()
    frame.get_by_role("button", name="Follow").click()
    assert ": " in frame.locator(".result").inner_text()
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
    page.click(".follow summary")
    assert page.locator(".row label").all_inner_texts() == ["Outlook", "Humidity", "Wind"]
    page.select_option(".row select >> nth=0", label="Sunny")
    page.select_option(".row select >> nth=1", label="Normal")
    assert lit(page) == [0, 3, 7]
    assert answer(page) == "Yes"
    page.click("text=Clear")
    assert lit(page) == [] and page.locator(".result").inner_text() == ""
    page.fill("textarea", '{"Outlook": "Rain", "Wind": "Strong"}')
    assert lit(page) == [0, 2, 4] and answer(page) == "No"
    page.fill("textarea", "Sunny,Hot")
    assert "The row has 2 cells" in page.locator(".result").inner_text() and lit(page) == []
    page.fill("textarea", "Rain,Hot,High,Hail")
    assert "Wind is not known: to" in page.locator(".result").inner_text()


def test_a_shared_row_lights_all_its_leaves(open_page, tennis):
    tree = bw.C45Classifier().fit(tennis.X, tennis.y)
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.click("text=Follow >> nth=1")
    proba = tree.predict_proba([dict.fromkeys(tennis.X.schema.names)])[0]
    text = page.locator(".result").inner_text()
    assert "shared among the branches by weight" in text and f"{proba[1]:.0%}" in text
    assert lit(page) == list(range(tree.tree_.n_nodes))


def test_a_number_is_compared_exactly(open_page):
    tree = bw.CARTClassifier().fit([[0.1], [0.2], [0.3], [0.4]], list("aabb"))
    cut = float(tree.tree_.cut[0])
    page = open_page(tree.to_html())
    page.click(".follow summary")
    for x, leaf in ((cut, 1), (np.nextafter(cut, 1), 2)):
        page.fill(FIELD, repr(float(x)))
        assert lit(page) == [0, leaf]
    page.fill(FIELD, "much")
    assert "expected a number" in page.locator(".error").inner_text()


def test_a_category_that_training_never_saw_may_be_refused(open_page, tennis):
    tree = bw.ID3Classifier(handle_unknown="error").fit(tennis.X, tennis.y)
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.select_option(".row select >> nth=0", label="another value")
    assert "Outlook: training never saw this value" in page.locator(".error").inner_text()
    page.select_option(".row select >> nth=0", label="missing")
    assert page.locator(".error").count() == 0 and lit(page)[0] == 0


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_a_column_of_many_categories_has_a_text_field(open_page):
    names = [f"town {k}" for k in range(300)]
    tree = bw.CARTClassifier().fit({"town": names}, ["a" if k < 120 else "b" for k in range(300)])
    page = open_page(tree.to_html())
    page.click(".follow summary")
    for name in ("town 7", "town 250", "Atlantis"):
        page.fill(".row input", name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            expected = tree.predict([{"town": name}])[0]
        assert answer(page) == str(expected)
    page.fill("textarea", '{"town": "town 8"}')
    assert page.input_value(".row input") == "town 8"
