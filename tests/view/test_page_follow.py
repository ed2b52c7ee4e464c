"""Following a row: sliders and lists update live, with why and the nearest other answer."""

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from open_pages import answer, comes_true, lit

SLIDER = ".slider input[type=range]"
MOVE = """([at, value]) => {
  const slider = document.querySelectorAll(".slider input[type=range]")[at];
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""


@pytest.fixture(scope="module")
def ship():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], 300),
            "age": rng.integers(1, 80, 300).astype(float),
            "fare": rng.lognormal(3, 0.8, 300),
        }
    )
    y = np.where((X.fare > 25) ^ (X.sex == "female") ^ (X.age < 20), "yes", "no")
    return bw.CARTClassifier(max_depth=5).fit(X, y), X, y


def cell_of(page, name):
    return page.locator(".row label", has_text=name).locator("xpath=following-sibling::*[1]")


def test_sliders_have_the_range_and_the_histogram_of_the_data(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.click(".follow summary")
    age = cell_of(page, "age").locator("input[type=range]")
    assert float(age.get_attribute("min")) <= X.age.min() < X.age.min() + 2
    assert X.age.max() - 2 < X.age.max() <= float(age.get_attribute("max"))
    assert float(age.get_attribute("step")) == 1  # ages are whole
    assert cell_of(page, "fare").locator("svg rect").count() > 10
    assert cell_of(page, "sex").evaluate("(field) => field.localName") == "select"


def test_without_data_a_slider_covers_the_thresholds(open_page, ship):
    tree = ship[0]
    page = open_page(tree.to_html())
    page.click(".follow summary")
    fare = cell_of(page, "fare").locator("input[type=range]")
    cuts = tree.tree_.cut[tree.tree_.feature == 2]
    assert float(fare.get_attribute("min")) < cuts.min() and float(fare.get_attribute("max")) > cuts.max()
    assert "thresholds" in fare.get_attribute("title")
    assert fare.get_attribute("aria-valuetext") == "missing" and lit(page) == []


def test_moving_a_slider_updates_answer_why_path_and_what_if(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.click(".follow summary")
    page.select_option(".row select", label="male")
    seen = set()
    for age in (5, 30, 70):
        for fare in (5, 60):
            page.evaluate(MOVE, [0, age])
            page.evaluate(MOVE, [1, fare])
            shown = {
                "sex": "male",
                "age": float(cell_of(page, "age").locator("input").last.input_value()),
                "fare": float(cell_of(page, "fare").locator("input").last.input_value()),
            }
            assert shown["age"] == age and shown["fare"] == pytest.approx(fare, abs=1)
            told = tree.why(shown)
            assert answer(page) == told.prediction
            data = told.to_dict()
            path = [step["id"] if "id" in step else step["node"] for step in data["steps"]]
            assert lit(page) == sorted([*path, int(tree.apply(pd.DataFrame([shown]))[0])])
            assert page.locator(".result ol > li").count() == len(path)
            other = data["counterfactual"]
            line = page.locator(".whatif").inner_text()
            assert f"be {other['prediction']} if" in line
            assert all(change["feature"] in line for change in other["changes"])
            seen.add(told.prediction)
    assert seen == {"yes", "no"}


def test_the_change_can_be_tried(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.click(".follow summary")
    before = answer(page)
    wanted = page.locator(".whatif strong").inner_text()
    page.click(".whatif button")
    assert answer(page) == wanted != before


def test_what_if_reads_as_a_sentence(open_page):
    X = pd.DataFrame({"fare": np.arange(100.0)})
    tree = bw.CARTClassifier().fit(X, pd.Series(np.where(X.fare > 52.4, "yes", "no")))
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.fill(".row input:not([type=range])", "7")
    assert "be yes if fare were > 52.5. " in page.locator(".whatif").inner_text()
    page.fill(".row input:not([type=range])", "70")
    assert "be no if fare were ≤ 52.5. " in page.locator(".whatif").inner_text()


def test_a_category_and_a_single_leaf(open_page, tree):
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.fill("textarea", "Sunny,Hot,High,Weak")
    assert "be Yes if Outlook were Overcast. " in page.locator(".whatif").inner_text()
    leaf = bw.CARTClassifier(min_samples_split=99).fit({"x": ["a", "b"] * 9}, [*["yes"] * 10, *["no"] * 8])
    page = open_page(leaf.to_html())
    page.click(".follow summary")
    page.click("text=Follow >> nth=1")
    assert "a single leaf: it answers yes to every row" in page.locator(".whatif").inner_text()


def test_why_tells_each_step_and_what_nearly_won(open_page, tree):
    page = open_page(tree.to_html())
    page.click(".follow summary")
    page.fill("textarea", "Sunny,Hot,High,Weak")
    first, second = page.locator(".result ol > li").all_inner_texts()
    assert "Outlook = Sunny" in first and "5 rows, No: +24 points" in first
    assert "next best: Humidity = High | Normal (0.1518 against 0.2467)" in first
    assert "Humidity = High" in second and "No: +40 points" in second


def test_the_first_row_is_a_typical_one_and_pasting_stays(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.click(".follow summary")
    assert float(cell_of(page, "age").locator("input").last.input_value()) == X.age.sort_values().iloc[149]
    assert len(lit(page)) > 1
    page.fill("textarea", '{"sex": "female", "age": 3, "fare": 9.5}')
    assert cell_of(page, "age").locator("input").first.input_value() == "3"
    page.click("text=Clear")
    assert lit(page) == [] and "unset" in cell_of(page, "age").locator("input").first.get_attribute("class")
    page.click("text=Typical row")
    assert len(lit(page)) > 1


def test_the_arrow_keys_move_a_slider(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.click(".follow summary")
    age = cell_of(page, "age")
    before = float(age.locator("input").last.input_value())
    age.locator("input").first.focus()
    page.keyboard.press("ArrowRight")
    assert float(age.locator("input").last.input_value()) == before + 1


def test_a_slider_is_live_in_a_large_tree(open_page, large):
    """A slow search for the other answer waits until the slider rests."""
    page = open_page(large.to_html())
    page.click(".follow summary")
    page.locator(".slider input[type=range]").first.focus()
    page.keyboard.press("End")
    assert answer(page) in map(str, large.classes_.tolist())
    assert comes_true(page, lambda: " if " in page.locator(".whatif").inner_text())
