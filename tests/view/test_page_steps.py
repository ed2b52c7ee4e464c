"""Step by step: the growth of a tree as in the lecture, with buttons, keys and by itself."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from open_pages import cards, comes_true, panel

from registry import ESTIMATORS


def step(page):
    return page.locator(".step").inner_text()


def at(page):
    return page.locator(".player .count").inner_text()


def titles(page):
    return page.locator(".card .title").all_text_contents()


@pytest.fixture
def steps(tennis, tree):
    return tree.to_html(tennis.X, tennis.y, start="steps")


def test_the_steps_are_those_of_the_lecture(open_page, steps):
    page = open_page(steps)
    assert at(page) == "1 of 20"
    assert "which feature parts the 14 rows best?" in step(page) and "Yes: 9 (64%)" in step(page)
    (entropy,) = page.locator(".equations [role=math]").all()
    assert (
        entropy.get_attribute("aria-label") == "Entropy(S) = −(5/14)·log2(5/14) − (9/14)·log2(9/14) = 0.9403"
    )
    assert cards(page) == 1 and titles(page) == ["?"]
    for name, gain in zip(
        ("Outlook", "Temperature", "Humidity", "Wind"), ("0.2467", "0.0292", "0.1518", "0.0481"), strict=True
    ):
        page.keyboard.press("ArrowRight")
        assert step(page).startswith(f"Try {name}")
        lines = [one.get_attribute("aria-label") for one in page.locator(".equations [role=math]").all()]
        assert lines[-1].startswith(f"Gain({name}) = 0.9403 − ") and lines[-1].endswith(gain)
        assert lines[-2].startswith(f"Remainder({name}) = (")
    page.keyboard.press("ArrowRight")
    assert "Outlook wins: gain 0.2467" in step(page) and titles(page) == ["Outlook"]
    page.keyboard.press("ArrowRight")
    assert "Split by Outlook: 3 branches" in step(page)
    assert "answers Yes: it is a leaf because all its rows have the same target." in step(page)
    assert cards(page) == 4 and titles(page) == ["Outlook", "Yes", "?", "?"]
    page.keyboard.press("ArrowRight")
    assert step(page).startswith(
        "Node 2: which feature parts these 5 rows best?"
    ) and "Outlook = Rain" in step(page)


def test_it_ends_with_the_whole_tree(open_page, steps):
    page = open_page(steps)
    for _ in range(19):
        page.click("[aria-label='Next (→)']")
    assert at(page) == "20 of 20" and "The tree is grown" in step(page)
    assert cards(page) == 8 and "?" not in titles(page)
    page.click("[aria-label='Next (→)']")
    assert at(page) == "20 of 20"
    page.click("[aria-label='Start again (Home)']")
    assert at(page) == "1 of 20" and cards(page) == 1


def test_buttons_and_keys(open_page, steps):
    page = open_page(steps)
    page.click("[aria-label='Next (→)']")
    page.keyboard.press("ArrowRight")
    assert at(page) == "3 of 20"
    page.click("[aria-label='Back (←)']")
    page.keyboard.press("ArrowLeft")
    assert at(page) == "1 of 20"
    page.click("[aria-label='Next node (Page Down)']")
    assert step(page).startswith("Node 2:")
    page.keyboard.press("PageDown")
    assert step(page).startswith("Node 3:")
    page.keyboard.press("PageDown")
    assert "The tree is grown" in step(page)
    page.keyboard.press("Home")
    assert at(page) == "1 of 20"
    page.keyboard.press("Escape")
    assert not page.locator(".step").is_visible() and "Node 0 asks for Outlook" in panel(page)
    assert cards(page) == 8 and "?" not in titles(page)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_plays_and_pauses(open_page, steps, motion):
    page = open_page(steps, reduced_motion=motion)
    page.click("[aria-label='Play (Space)']")
    assert page.locator("[aria-label='Pause (Space)']").count() == 1
    assert comes_true(page, lambda: at(page) == "2 of 20")
    page.click("[aria-label='Pause (Space)']")
    assert page.locator("[aria-label='Play (Space)']").count() == 1
    moved = page.locator(".progress span").evaluate("(bar) => getComputedStyle(bar).transitionDuration")
    assert (moved == "0s") == (motion == "reduce")
    page.locator("body").press("Space")
    assert page.locator("[aria-label='Pause (Space)']").count() == 1
    page.click("[aria-label='Back (←)']")
    assert page.locator("[aria-label='Play (Space)']").count() == 1  # whoever goes back wants to look


def test_a_button_begins_and_a_click_on_a_node_ends_it(open_page, tree):
    page = open_page(tree.to_html())
    assert not page.locator(".step").is_visible()
    page.click("text=Step by step")
    assert at(page) == "1 of 20"
    page.click("[aria-label='Next node (Page Down)']")
    page.click("[data-node='1']")
    assert not page.locator(".step").is_visible() and "Node 1 answers" in panel(page)


def test_the_address_may_ask_for_the_steps(browser, tree, tmp_path):
    path = tree.to_html(tmp_path / "tennis.html")
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#steps")
    assert at(page) == "1 of 20"
    page.goto(f"{path.as_uri()}?again")
    assert not page.locator(".step").is_visible()
    page.close()


def test_without_data_the_gains_are_told_as_far_as_the_ledger_has_them(open_page, tree):
    page = open_page(tree.to_html(start="steps"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    (line,) = [one.get_attribute("aria-label") for one in page.locator(".equations [role=math]").all()]
    assert line == "Gain(Temperature) = 0.9403 − 0.9111 = 0.0292"


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_every_tree_that_kept_its_ledger_can_be_played(open_page, factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(1)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    tree = factory().fit(X, y)
    page = open_page(tree.to_html(start="steps"))
    if tree.tree_.ledger is None or not len(tree.tree_.ledger.node):
        assert page.locator(".player").count() == 0
        return
    total = int(at(page).split(" of ")[1])
    for _ in range(total - 1):
        page.keyboard.press("ArrowRight")
    assert at(page) == f"{total} of {total}" and "The tree is grown" in step(page)


def test_of_many_columns_the_best_are_tried(open_page):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 12))
    page = open_page(bw.CARTClassifier(max_depth=1).fit(X, X[:, 7] > 0).to_html(start="steps"))
    assert at(page) == "1 of 9"  # the node, five candidates, the choice, the split, the end
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert page.locator(".step tr").count() == 12


@pytest.mark.parametrize(
    ("width", "height", "theme"), [(700, 520, "light"), (390, 640, "dark"), (1280, 800, "light")]
)
def test_a_step_fits_its_window_and_axe_finds_nothing(open_page, steps, width, height, theme):
    size = {"width": width, "height": height}
    page = open_page(steps, viewport=size, color_scheme=theme, bypass_csp=True)
    wide = "(element) => [element.scrollWidth, element.clientWidth]"
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        for place in ("html", ".branchwork", "aside", ".step"):
            needed, room = page.locator(place).evaluate(wide)
            assert needed <= room, place
        button = page.locator("[aria-label='Next (→)']").bounding_box()
        assert button["y"] + button["height"] <= height
        stage = page.locator(".stage").bounding_box()
        assert stage["height"] >= 120
        card = page.locator(".card.selected").bounding_box()
        assert card["y"] >= stage["y"] - 1 and card["y"] + card["height"] <= stage["y"] + stage["height"] + 20
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_keys_in_a_field_are_not_steps(open_page, steps):
    page = open_page(steps)
    page.focus(".search")
    page.keyboard.press("ArrowRight")
    assert at(page) == "1 of 20"
