"""What a reader of the page does and reads, in the places where it is easy to be wrong."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.view.digits import weighed
from branchwork.view.html import script
from branchwork.webpage.parts import safe_json

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def panel(page):
    return page.locator("section.node").inner_text()


def result(page):
    return page.locator(".result").inner_text()


@pytest.fixture
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


# ---- numbers


@pytest.fixture(scope="module")
def numbers(browser):
    """The functions that write numbers."""
    blank = browser.new_page()
    blank.add_script_tag(type="module", content=f"{script()}\nwindow.page = {{ percent, rounded, weighed }};")
    blank.wait_for_function("window.page !== undefined")
    yield lambda name, *given: blank.evaluate("([name, given]) => page[name](...given)", [name, given])
    blank.close()


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.5, "50%"),
        (0.9997, "99.97%"),
        (0.99999, ">99.99%"),
        (1e-6, "<0.01%"),
        (0.004, "0.40%"),
        (1 - 2**-53, "100%"),
    ],
)
def test_a_share_does_not_pretend(numbers, share, text):
    assert numbers("percent", share) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(12345, "12345"), (1234567.5, "1234568"), (0.123456, "0.12"), (999.996, "1000"), (98765.25, "98765")],
)
def test_a_count_is_not_rounded(numbers, x, text):
    assert numbers("weighed", x) == weighed(x, 2) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.123456, "0.1235"),
        (206_855.8, "206856"),
        (15_915_334.3626, "15.92 M"),
        (-2.5e9, "-2.5 G"),
        (999_999.6, "1 M"),
        (3e20, "3e+20"),
        (0, "0"),
    ],
)
def test_a_value_has_four_digits_and_counts_in_millions(numbers, x, text):
    assert numbers("rounded", x) == text


def test_the_rows_of_a_class_are_counted_exactly(open_page):
    y = np.repeat(["a", "b"], [12_345, 10_001])
    page = open_page(bw.StumpClassifier().fit(np.arange(len(y), dtype=float)[:, None], y).to_html())
    assert page.locator("table.classes th").all_inner_texts() == ["a: 12345 (55%)", "b: 10001 (45%)"]


def test_a_large_cut_keeps_its_half(open_page):
    days = np.array([20240114.0, 20240115, 20240116, 20240117])
    page = open_page(bw.StumpClassifier().fit(days[:, None], list("aabb")).to_html())
    assert page.locator("[data-node='1'] .label").text_content() == "≤ 20240115.5"


# ---- the pointer


def test_a_pointer_that_was_let_go_outside_does_not_drag(open_page, tree):
    page = open_page(tree.to_html())
    card = page.locator("[data-node='0']")
    box, stage = card.bounding_box(), page.locator("svg.canvas").bounding_box()
    page.mouse.move(300, stage["y"] + 1)
    page.mouse.down()
    page.mouse.move(300, stage["y"] - 30)  # at once outside: the drawing never sees it move
    page.mouse.up()
    page.mouse.move(400, 500)
    page.mouse.move(500, 600)
    page.evaluate(SETTLED)
    assert card.bounding_box() == box


def test_after_a_drag_a_click_without_a_pointer_is_a_click(open_page, tree):
    page = open_page(tree.to_html())
    page.mouse.move(400, 600)
    page.mouse.down()
    page.mouse.move(430, 640)
    page.mouse.move(460, 680)
    page.mouse.up()
    page.dispatch_event("[data-node='2']", "click")
    assert "Node 2" in panel(page)


def test_a_finger_sees_where_to_fold(open_page, tree):
    page = open_page(tree.to_html(), has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800})
    handle = page.locator("[data-node='0'] .handle")
    assert handle.evaluate("(handle) => getComputedStyle(handle).opacity") == "1"
    handle.tap()
    assert page.locator("[data-node='0']").get_attribute("aria-expanded") == "false"


# ---- folding and searching


def test_folding_what_is_not_selected_leaves_the_selection(open_page, tree):
    page = open_page(tree.to_html())
    page.click("[data-node='1']")
    page.focus("svg.canvas")
    for key in ("ArrowRight", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    page.click("[data-node='2'] .handle", force=True)
    assert "Node 1 " in panel(page)
    assert page.locator("svg.canvas").get_attribute("aria-activedescendant").endswith("-2")


def test_every_category_of_a_group_can_be_searched(open_page):
    X = {"town": [f"town {letter}" for letter in "abcdefghij"] * 2}
    y = ["x" if town[-1] in "abcdef" else "y" for town in X["town"]]
    page = open_page(bw.CARTClassifier().fit(X, y).to_html())
    page.fill(".search", "town e")
    assert page.locator(".hits").inner_text() == "1 of 1" and "Node 1 " in panel(page)


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_a_branch_that_crosses_the_window_is_drawn_wherever_its_ends_are(open_page):
    towns = [f"town {k:02}" for k in range(60)]
    page = open_page(bw.ID3Classifier().fit({"town": towns}, [k % 2 for k in range(60)]).to_html())
    page.click("text=Unfold all")
    page.fill(".search", "town 15")  # the root is far to the right, the first towns far to the left
    page.evaluate(SETTLED)
    assert page.locator("[data-node='1']").count() == 0
    assert page.locator(".branch").count() == 60


# ---- a row


def many_towns(*others):
    """A tree that asks for a column of so many categories that it has a text field."""
    towns = [*others, *(f"town {k}" for k in range(300))]
    return bw.CARTClassifier().fit({"town": towns}, ["a" if k < 120 else "b" for k in range(len(towns))])


@pytest.mark.parametrize("name", ["", "two\nlines", "another value", " NA "])
@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_a_pasted_category_is_that_category_whatever_its_field_can_show(open_page, name):
    tree = many_towns(name)
    page = open_page(tree.to_html())
    page.click(".follow summary")
    for row, text in (
        ({"town": name}, '{"town": ' + safe_json(name) + "}"),
        ({"town": None}, '{"town": null}'),
    ):
        page.fill("textarea", text)
        leaf = tree.model_.apply([row])[0]
        assert f"node {leaf}" in result(page).split("Ends in:")[1]


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_an_empty_field_is_a_missing_cell_and_clear_empties_them_all(open_page):
    tree = many_towns("")
    missing = tree.model_.apply([{"town": None}])[0]
    assert missing != tree.model_.apply([{"town": ""}])[0]
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.click("text=Follow >> nth=1")
    assert f"node {missing}" in result(page).split("Ends in:")[1]
    page.fill("textarea", '{"town": "town 1"}')
    page.click("text=Clear")
    assert page.input_value("textarea") == page.input_value(".row input") == result(page) == ""


def test_a_screen_reader_is_told_the_answer_and_not_the_whole_page(open_page, tree):
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.select_option(".row select >> nth=0", label="Overcast")
    assert page.locator(".result [role=status]").inner_text() == page.locator(".answer").inner_text()
    assert page.locator(".answer strong").inner_text() == "Yes"


def test_a_row_in_more_leaves_than_are_listed_says_so(open_page):
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=3000), "y": rng.normal(size=3000)}
    tree = bw.TreeClassifier(missing="share").fit(X, rng.integers(0, 2, 3000))
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.click("text=Follow >> nth=1")
    leaves = int((tree.tree_.feature < 0).sum())
    assert f"Ends in {leaves} leaves:" in result(page) and f"… {leaves - 200} leaves more" in result(page)


# ---- small and narrow


def test_a_tree_of_one_node_is_a_page(open_page):
    X = {"x": ["a", "b"] * 9}
    page = open_page(bw.CARTClassifier(min_samples_split=99).fit(X, [*["yes"] * 10, *["no"] * 8]).to_html())
    assert "1 node, 1 leaf, depth 0, 18 rows" in page.locator("header").inner_text()
    page.focus("svg.canvas")
    for key in ("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", " ", "Enter", "+", "0"):
        page.keyboard.press(key)
    page.click(".follow summary")
    page.click("text=Follow >> nth=1")
    assert page.locator(".answer strong").inner_text() == "yes"


@pytest.mark.parametrize("width", [320, 360, 820, 1600])
def test_the_page_is_never_wider_than_the_window(open_page, tree, width):
    page = open_page(tree.to_html(title="a title " * 9), viewport={"width": width, "height": 700})
    page.click(".follow summary")
    wide = "(element) => [element.scrollWidth, element.clientWidth]"
    for place in ("html", ".branchwork", "aside"):
        needed, room = page.locator(place).evaluate(wide)
        assert needed <= room, place
