"""The panel of a node: its work comes first, without scrolling; a click shows what a candidate would have made."""

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from branchwork.view.html import script
from open_pages import panel

PANEL_OF_360 = {"width": 1059, "height": 900}  # the panel is a third of the window, or less


def candidates(page):
    return page.locator("tr.candidate")


def travellers(n=400, seed=0):
    """A table like that of a ship, with gaps, and whether a traveller survived."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], n),
            "class of the cabin": rng.choice(["first", "second", "third"], n),
            "age": rng.integers(1, 80, n).astype(float),
            "fare": rng.lognormal(3, 0.9, n).round(2),
        }
    )
    odds = 1.8 * (X.sex == "female") + 0.9 * (X.age < 12) + 0.02 * X.fare - 1.2
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
    X.loc[rng.random(n) < 0.1, "age"] = np.nan
    return X, y


@pytest.fixture(scope="module")
def ship():
    X, y = travellers()
    return bw.CARTClassifier(max_depth=4).fit(X, y), X, y


@pytest.fixture(scope="module")
def prices():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"carat": rng.uniform(0.2, 3, 500), "cut": rng.choice(["fair", "good", "ideal"], 500)})
    y = 4000 * X.carat**1.5 + 500 * (X.cut == "ideal") + rng.normal(0, 300, 500)
    return bw.CARTRegressor(max_depth=3).fit(X, y), X, y


# ---- the work first


def test_the_winner_and_its_margin_come_first(open_page, tree):
    page = open_page(tree.to_html())
    told = tree.working(0, top=4).to_dict()
    first, second = told[:2]
    margin = page.locator(".margin").inner_text()
    assert margin.startswith("Outlook wins: gain 0.2467, 0.0949 ahead of Humidity (0.1518)")
    assert first["gain"] - second["gain"] == pytest.approx(0.0949, abs=5e-5)
    assert [row.locator(".pick").inner_text() for row in candidates(page).all()] == [
        row["feature"] for row in told
    ]
    assert candidates(page).first.locator(".verdict").inner_text() == "chosen"
    assert candidates(page).last.locator(".verdict").inner_text() == "gains less"
    widths = page.eval_on_selector_all(
        ".gainbar span", "(bars) => bars.map((b) => parseFloat(b.style.width))"
    )
    gains = [row["gain"] for row in told]
    assert widths == pytest.approx([100 * gain / gains[0] for gain in gains], abs=0.06)


def test_the_work_is_seen_without_scrolling_before_rule_and_rows(open_page, ship):
    page = open_page(ship[0].to_html(), viewport={"width": 1280, "height": 700})
    last = candidates(page).last.bounding_box()
    assert last["y"] + last["height"] < 700
    headings = page.locator("section.node h3").all_inner_texts()
    assert [text.split("\n")[0] for text in headings] == ["Why this split", "Rule", "Rows"]


@pytest.mark.parametrize(
    "recipe", [bw.CARTClassifier, bw.C45Classifier, bw.CHAIDClassifier, bw.ID3Classifier]
)
def test_nothing_scrolls_sideways_in_a_panel_of_360_pixels(open_page, recipe):
    X, y = travellers()
    X = X.rename(columns={"fare": "the fare in pounds of that time, with a very long name " * 2})
    if recipe is bw.ID3Classifier:
        X = X.drop(columns="age")
    page = open_page(recipe(max_depth=3).fit(X, y).to_html(X, y), viewport=PANEL_OF_360)
    assert page.locator("aside").bounding_box()["width"] <= 361
    page.click(".more summary")
    for row in candidates(page).all():
        row.click()
    wide = """() => [...document.querySelectorAll("aside, aside *")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline"
        && !one.closest(".clamp, svg, select, .slider, .follow"))
      .map((one) => `${one.tagName}.${one.className} ${one.scrollWidth} > ${one.clientWidth}`)"""
    assert page.evaluate(wide) == []


def test_other_numbers_are_under_more(open_page, tree):
    page = open_page(tree.to_html())
    assert "remainder" not in panel(page) and "split info" not in panel(page)
    page.click("text=More numbers")
    text = page.locator(".more").inner_text()
    assert "remainder 0.6935" in text and "split info 1.577" in text and "p value 0.17" in text
    exact = page.locator(".more dd").first.locator("span[title]").first
    assert exact.get_attribute("title") == str(tree.working(0, top=1).to_dict()[0]["remainder"])


def test_what_decides_has_the_bar(open_page):
    X, y = travellers()
    page = open_page(bw.C45Classifier(pruning=None).fit(X, y).to_html())
    assert page.locator("table.working thead").inner_text().split("\t")[1] == "gain ratio"
    page = open_page(bw.CHAIDClassifier().fit(X, y).to_html())
    assert page.locator("table.working thead").inner_text().split("\t")[1] == "adjusted p"
    assert "ahead of" in page.locator(".margin").inner_text()


def test_a_tie_is_told(open_page):
    X = {"first": [0.0, 1.0] * 8, "again": [0.0, 1.0] * 8}
    page = open_page(bw.CARTClassifier().fit(X, ["a", "b"] * 8).to_html())
    assert "a tie with again, which comes later in the table" in page.locator(".margin").inner_text()


# ---- a candidate


def test_a_click_shows_the_gain_curve_and_the_children_it_would_have_made(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    told = {row["feature"]: row for row in tree.working(0, X=X, y=y, cuts=True).to_dict()}
    row = page.locator("tr.candidate", has_text="fare")
    row.click()
    detail = page.locator("tr.detail")
    best = told["fare"]
    said = detail.locator("svg.chart").get_attribute("aria-label")
    assert f"≤ {best['test'].split('<= ')[1]}"[:8] in said and f"gain {best['net_gain']:.4f}" in said
    points = detail.locator("polyline").get_attribute("points").split()
    assert 10 < len(points) <= 48 < len(best["cuts"])
    low = X.fare <= float(best["test"].split("<= ")[1])
    for side, text in zip((low, ~low), detail.locator(".children li").all_inner_texts(), strict=True):
        yes = int((y[side] == "yes").sum())
        assert f"{side.sum()} rows" in text and f"yes: {yes} ({yes / side.sum():.0%})" in text
    assert row.locator(".pick").get_attribute("aria-expanded") == "true"
    row.click()
    assert page.locator("tr.detail").count() == 0


def test_a_category_has_its_children_and_the_keyboard_opens_them(open_page, tennis, tree):
    page = open_page(tree.to_html(tennis.X, tennis.y))
    page.locator(".pick", has_text="Wind").focus()
    page.keyboard.press("Enter")
    text = page.locator("tr.detail").inner_text()
    assert "Wind = Strong" in text and "Yes: 3 (50%)" in text and "No: 2 (25%)" in text
    assert page.locator("tr.detail svg").count() == 0


def test_what_is_not_known_is_told(open_page, ship):
    page = open_page(ship[0].to_html())
    candidates(page).nth(1).click()
    assert "a tree keeps only the best test of each feature" in page.locator("tr.detail").inner_text()
    candidates(page).nth(0).click()
    assert "Its children" in page.locator("tr.detail").first.inner_text()


def test_rows_without_a_value_are_told(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.locator("tr.candidate", has_text="age").click()
    missing = X.age.isna().mean()
    told = f"{missing:.0%} of the rows here have no value of age and are not counted."
    assert told in page.locator("tr.detail").inner_text()


def test_the_curve_of_c45_is_that_of_the_net_gain(open_page):
    X, y = travellers()
    tree = bw.C45Classifier(pruning=None).fit(X[["fare"]], y)
    page = open_page(tree.to_html(X[["fare"]], y))
    candidates(page).first.click()
    (row,) = tree.working(0).to_dict()
    said = page.locator("tr.detail svg.chart").get_attribute("aria-label")
    assert row["penalty"] > 0 and f"gain {row['net_gain']:.4f}" in said and row["test"][-5:] in said


def test_a_number_s_children_have_means(open_page, prices):
    tree, X, y = prices
    page = open_page(tree.to_html(X, y))
    candidates(page).first.click()
    cut = float(tree.tree_.cut[0])
    for side, text in zip(
        (X.carat <= cut, X.carat > cut), page.locator("tr.detail li").all_inner_texts(), strict=True
    ):
        assert f"mean {y[side].mean():.4g}" in text or f"mean {y[side].mean():.0f}" in text


# ---- digits, and the name of the target


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0.0000"),
        (0.9402859586706309, "0.9403"),
        (0.00001234567, "1.235e-05"),
        (12.345678, "12.35"),
        (4175, "4175"),
        (123456.7, "123457"),
        (15915334.3626, "15.92 M"),
        (-2.5e9, "-2.5 G"),
        (3e21, "3e+21"),
    ],
)
def test_four_digits(browser, x, text):
    page = browser.new_page()
    page.add_script_tag(type="module", content=f"{script()}\nwindow.page = {{ measured }};")
    page.wait_for_function("window.page !== undefined")
    shown = page.evaluate("(x) => page.measured(x)", x)
    page.close()
    assert shown == text


def test_the_target_is_named_where_an_answer_is(open_page, ship):
    from dataclasses import replace

    tree, X, y = ship
    model = replace(tree.model_, target="survived")
    page = open_page(model.to_html(X, y))
    leaf = int(np.flatnonzero(tree.tree_.feature < 0)[0])
    page.fill(".search", f"#{leaf}")
    assert f"Node {leaf} answers survived: " in panel(page)
    assert page.locator("table.classes thead").inner_text().strip() == "survived"
    page.click(".follow summary")
    assert page.locator(".answer").inner_text() in ("survived: yes", "survived: no")
    assert page.locator(".whatif").inner_text().startswith("survived would be ")
    page = open_page(replace(model, target=None).to_html(X, y))
    page.click(".follow summary")
    assert page.locator(".answer").inner_text().startswith("Answer: ")
    assert "None" not in page.locator("body").inner_text()


def test_classes_read_label_count_share(open_page, ship):
    tree, _, y = ship
    page = open_page(tree.to_html())
    no = int((y == "no").sum())
    assert f"no: {no} ({no / len(y):.0%})" in page.locator("table.classes").inner_text()


# ---- for everyone


@pytest.mark.parametrize(
    ("what", "theme", "width"),
    [("ship", "light", 1280), ("ship", "dark", 390), ("prices", "dark", 1280), ("prices", "light", 390)],
)
def test_axe_finds_nothing_in_the_open_panel(open_page, request, what, theme, width):
    tree, X, y = request.getfixturevalue(what)
    size = {"width": width, "height": 800}
    page = open_page(tree.to_html(X, y), color_scheme=theme, viewport=size, bypass_csp=True)
    page.click(".more summary")
    for row in candidates(page).all():
        row.click()
    page.click(".follow summary")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_no_two_modules_use_the_same_name():
    import re
    from collections import Counter

    names = re.findall(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", script(), flags=re.M)
    assert [name for name, times in Counter(names).items() if times > 1] == []


def test_small_numbers_do_not_run_into_the_verdict(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"a feature with a name {k}": rng.normal(size=400) for k in range(3)})
    y = 1e-3 * X.iloc[:, 0] + 1e-4 * rng.normal(size=400)
    page = open_page(bw.CARTRegressor(max_depth=2).fit(X, y).to_html(), viewport=PANEL_OF_360)
    for row in candidates(page).all():
        number = row.locator(".worth .pairing > span:last-child").bounding_box()
        verdict = row.locator(".verdict").bounding_box()
        assert number["x"] + number["width"] <= verdict["x"], row.inner_text()
    assert "e-0" in candidates(page).first.inner_text()
