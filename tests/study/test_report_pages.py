"""Pages of reports and of two trees in a real browser: no request leaves them, and clicks reach the trees."""

import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw

RNG = np.random.default_rng(3)
X = {"size": RNG.normal(size=400).round(1), "colour": RNG.choice(["red", "<b>blue</b>", "green"], 400)}
y = np.where((X["size"] > 0) ^ (X["colour"] == "red") ^ (RNG.random(400) < 0.1), "<yes> & more", "no")
NUMBERS = X["size"] * 2 + (X["colour"] == "red")


def part(rows):
    return {name: cells[rows] for name, cells in X.items()}


TRAIN, TEST = slice(0, 200), slice(200, 400)


@pytest.fixture(scope="module")
def found():
    est = bw.TreeClassifier(max_depth=4).fit(part(TRAIN), y[TRAIN])
    return bw.study.report(est, part(TEST), y[TEST], subgroup="colour", n_bootstrap=30)


@pytest.fixture(scope="module")
def of_numbers():
    est = bw.TreeRegressor(max_depth=3).fit(part(TRAIN), NUMBERS[TRAIN])
    return bw.study.report(est, part(TEST), NUMBERS[TEST], subgroup="colour", n_bootstrap=30)


@pytest.fixture(scope="module")
def two():
    trees = [bw.TreeClassifier(max_depth=k).fit(part(rows), y[rows]) for k, rows in ((3, TRAIN), (4, TEST))]
    return bw.study.compare_trees(*trees, part(TEST), y[TEST])


def lit(page):
    return {int(card.get_attribute("data-node")) for card in page.locator(".card.reached").all()}


def test_a_click_on_a_cell_lights_the_leaves_of_its_rows(open_page, found):
    page = open_page(found.to_html(title="How good?"))
    assert page.title() == "How good?"
    cell = next(c for c in found.cells if c[0] != c[1])
    page.click(f"[data-cell='{cell[0]},{cell[1]}']")
    leaves = {leaf for leaf, _ in found.cells[cell]}
    tree = found.model.tree
    assert {node for node in lit(page) if tree.is_leaf(node)} == leaves
    assert page.locator("#told").inner_text().endswith(".")
    assert str(next(iter(leaves))) in page.locator("#told").inner_text()
    assert page.locator("[aria-pressed='true']").count() == 1
    page.click(f"[data-cell='{cell[0]},{cell[1]}']")
    assert not lit(page) and page.locator("[aria-pressed='true']").count() == 0
    assert "Click a cell" in page.locator("#told").inner_text()


def test_a_leaf_of_the_table_is_shown_in_the_tree(open_page, found):
    page = open_page(found.to_html())
    node = found.leaves[0].node
    page.locator(f"[data-goto='{node}']").first.click()
    assert page.locator(".card.selected").get_attribute("data-node") == str(node)
    assert f"Node {node}" in page.locator("section.node").inner_text()


def test_every_part_of_a_report_is_on_its_page(open_page, found, of_numbers):
    page = open_page(found.to_html())
    headings = [h.inner_text() for h in page.locator(".report > h2").all()]
    expected = [
        "Before you believe it",
        "Beside the baseline",
        "Confusion matrix and tree",
        "Each class",
        "Curves",
    ]
    assert headings[:5] == expected
    assert headings[5] == "The best threshold" and headings[6].startswith("Errors by leaf")
    assert headings[7:] == ["By colour", "Training and test rows in the nodes"]
    text = page.locator(".report").inner_text()
    assert f"{found['accuracy'].value:.3f}" in text and "<yes> & more" in text and "<b>blue</b>" in text
    assert page.locator(".curves svg").count() == 3
    page = open_page(of_numbers.to_html())
    text = page.locator(".report").inner_text()
    assert "Residuals by leaf" in text and "mean absolute error" in text and "Confusion" not in text
    assert page.locator("#tree [data-node]").count() > 3


def test_a_model_without_a_tree_has_a_page_without_scripts(open_page):
    est = bw.RandomForestClassifier(n_estimators=3, random_state=0).fit(part(TRAIN), y[TRAIN])
    text = bw.study.report(est, part(TEST), y[TEST], n_bootstrap=10).to_html()
    assert "<script" not in text and "script-src" not in text
    page = open_page(text)
    assert "not a single tree" in page.locator(".notes").inner_text()
    assert page.locator("[data-cell]").count() == 0 and page.locator(".matrix .cell").count() == 4


def test_two_trees_stand_side_by_side(open_page, two):
    page = open_page(two.to_html())
    assert page.locator("#tree-a [data-node]").count() > 3 and page.locator("#tree-b [data-node]").count() > 3
    pair = two.differences[-1]
    page.locator(f"[data-a='{pair.a}'][data-b='{pair.b}']").first.click()
    assert page.locator("#tree-a .card.selected").get_attribute("data-node") == str(pair.a)
    assert page.locator("#tree-b .card.selected").get_attribute("data-node") == str(pair.b)
    assert page.locator("tr.differs").count() == len(two.differences)
    assert (
        f"{len(two.disagreement.rows)} of 200 rows get different answers" in page.locator("main").inner_text()
    )
    same = bw.study.compare_trees(two.a, two.a)
    assert "ask the same questions" in open_page(same.to_html()).locator("main").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "dark"), (390, "light")])
def test_pages_fit_the_screen_and_can_be_read_by_all(open_page, found, of_numbers, two, width, scheme):
    for one in (found, of_numbers, two):
        settings = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        page = open_page(one.to_html(), **settings, reduced_motion="reduce")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for table in page.locator(".scroll").all():
            assert table.bounding_box()["width"] <= width
        violations = Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in violations] == []


def test_the_page_is_written_to_a_file_and_shown_in_a_notebook(found, two, tmp_path):
    for one in (found, two):
        assert one.to_html(tmp_path / "page.html").read_text(encoding="utf-8") == one.to_html()
        assert 'sandbox="allow-scripts"' in one._repr_html_()
        assert not re.search(r"(src|href)=\"https?:", one.to_html())


def test_a_tree_that_is_too_large_is_not_drawn(open_page, found, two, monkeypatch):
    monkeypatch.setattr("branchwork.study.report_page.MOST_NODES", 3)
    monkeypatch.setattr("branchwork.study.tree_difference_page.MOST_NODES", 3)
    page = open_page(found.to_html())
    assert "more than 3 nodes" in page.locator(".notes").inner_text() and page.locator("#tree").count() == 0
    assert page.locator("[data-goto]").count() == 0 and "<script" not in found.to_html()
    assert "more than 3 nodes" in open_page(two.to_html()).locator("main").inner_text()
