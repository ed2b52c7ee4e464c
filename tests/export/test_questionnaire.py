"""The questionnaire in a real browser: it answers as the model does, and a reader can use it without a mouse."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from branchwork.export.program import program
from branchwork.export.questionnaire import to_data
from branchwork.webpage.parts import script_of

from program_cases import HOSTILE, KINDS, hard_rows, model_of, table_of
from tables import DEEP

MODELS = 300 if DEEP else len(KINDS)
ROWS = 10_000 if DEEP else 100

FOLLOW = """([data, rows]) => {
  %s
  const program = revived(data);
  return rows.map((row) => {
    const cells = new Map(row.map((cell, field) => [field, cell]));
    const { trees } = follow(program, cells);
    const { decision, outputs } = answerOf(program, trees);
    return [decision, outputs];
  });
}"""


def answers(page, model, table):
    cells = np.stack([array.astype(float) for array in table.arrays], axis=1).tolist()
    script = re.sub("^export ", "", script_of("export", ["questionnaire"]), flags=re.M)
    return page.evaluate(FOLLOW % script, [to_data(program(model)), cells])


@pytest.mark.parametrize("seed", range(MODELS))
def test_the_page_answers_as_the_model_does(open_page, seed):
    model = model_of(seed, hostile=seed % 3 == 2)
    table = table_of(model, hard_rows(model, ROWS, seed))
    found = answers(open_page(""), model, table)
    outputs = np.array([own for _, own in found], float)
    adds = model.combine.kind != "single" or model.tree.shares_rows
    close = {"rtol": 1e-12, "atol": 1e-12} if adds else {"rtol": 0}
    np.testing.assert_allclose(outputs, model.outputs(table), **close)
    if model.labels is not None:
        assert [decision for decision, _ in found] == model.decisions(table).tolist()


@pytest.fixture
def tennis():
    return bw.datasets.load("play_tennis")


def heading(page):
    return page.locator("main h2").first.inner_text()


def test_one_question_after_the_other_and_back(open_page, tennis):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    page = open_page(tree.model_.export("questionnaire", title="Tennis or not"))
    assert page.title() == page.locator("h1").inner_text() == "Tennis or not"
    assert heading(page) == "Outlook"
    assert page.locator(".choices button").all_inner_texts() == ["Overcast", "Rain", "Sunny"]
    assert not page.locator(".path").is_visible()
    page.click("text=Sunny")
    assert heading(page) == "Humidity" and "Question 2" in page.inner_text("main")
    assert page.locator(".path li").all_inner_texts() == ["Outlook\nSunny\nChange"]
    page.click("text=High")
    assert heading(page) == "PlayTennis: No" and "After 2 questions" in page.inner_text("main")
    assert [" ".join(row.split()) for row in page.locator("tbody tr").all_inner_texts()] == [
        "No 100%",
        "Yes 0%",
    ]
    page.click("text=One step back")
    assert heading(page) == "Humidity"
    page.click("text=Normal")
    assert heading(page) == "PlayTennis: Yes"
    page.click("[aria-label='Change Outlook']")
    assert heading(page) == "Outlook" and page.locator(".path li").count() == 0
    page.click("text=Overcast")
    assert heading(page) == "PlayTennis: Yes" and "After 1 question" in page.inner_text("main")
    page.click("text=Start again")
    assert heading(page) == "Outlook"


def test_what_is_not_known_is_a_mixture_and_says_so(open_page, tennis):
    tree = bw.C45Classifier(pruning=None, min_cases=1).fit(tennis.X, tennis.y)
    page = open_page(tree.model_.export("questionnaire"))
    page.click("text=Sunny")
    page.click("text=I do not know")
    text = page.inner_text("section.result")
    assert (
        "a mixture of 2 leaves" in text and "60% of it would end in a leaf that says PlayTennis: No" in text
    )
    row = {"Outlook": "Sunny", "Temperature": None, "Humidity": None, "Wind": None}
    table = table_of(tree.model_, [row])
    shown = page.locator("tbody .share").all_inner_texts()
    assert shown == [f"{100 * p:.0f}%" for p in tree.model_.predict_proba(table)[0]]


def test_a_substitute_is_asked_and_says_for_what(open_page):
    height = np.arange(40.0)
    model = (
        bw.CARTClassifier(max_surrogates=1).fit({"height": height, "weight": height * 2}, height > 19).model_
    )
    page = open_page(model.export("questionnaire"))
    assert heading(page) == "height"
    page.click("text=I do not know")
    assert heading(page) == "weight"
    assert "Asked because height is not known." in page.inner_text("main")
    page.fill("input", "70")
    page.click("text=Next")
    assert heading(page) == "True"


def test_numbers_are_typed_and_checked_without_a_mouse(open_page):
    model = bw.StumpRegressor().fit({"age": [1.0, 2.0, 30.0, 40.0]}, [1.0, 1.0, 5.0, 5.0]).model_
    page = open_page(model.export("questionnaire"))
    page.keyboard.press("Tab")
    page.keyboard.type("many")
    page.keyboard.press("Enter")
    assert page.inner_text("#wrong") == "Expected a number, found “many”."
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("1.6e1")
    page.keyboard.press("Enter")
    assert heading(page) == "1" and page.evaluate("document.activeElement.id") == "found"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Change"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    page.keyboard.type("16.00001")
    page.keyboard.press("Enter")
    assert heading(page) == "5"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(open_page, tennis, scheme):
    tree = bw.C45Classifier(pruning=None, min_cases=1).fit(tennis.X, tennis.y)
    page = open_page(tree.model_.export("questionnaire"), color_scheme=scheme)
    for press in ("text=Sunny", "text=I do not know", None):
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        if press is not None:
            page.click(press)
    numbers = bw.StumpRegressor().fit({"age": [1.0, 2.0]}, [1.0, 5.0]).model_
    page = open_page(numbers.export("questionnaire"), color_scheme=scheme)
    page.click("text=Next")
    assert Axe().run(page).violations_count == 0


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_hostile_names_do_nothing(open_page):
    names = [*HOSTILE, *(f"{name}{k}" for k in range(9) for name in HOSTILE)]
    hostile = "</script><script>document.title = 'owned'</script>"
    model = bw.ID3Classifier().fit({hostile: names}, [f"{hostile}{k % 3}" for k in range(len(names))]).model_
    page = open_page(model.export("questionnaire", title=hostile))
    assert page.title() == hostile and page.locator("script").count() == 2
    assert heading(page) == hostile
    page.select_option("select", label=HOSTILE[2])
    page.click("text=Next")
    assert heading(page) == f"{hostile}2" and page.inner_text(".said") == HOSTILE[2]


def test_something_else_goes_with_the_majority(open_page):
    data = {"x": ["a", "b", "b"]}, ["one", "two", "two"]
    page = open_page(bw.ID3Classifier(handle_unknown="majority").fit(*data).model_.export("questionnaire"))
    page.click("text=Something else")
    assert heading(page) == "two"
    page = open_page(bw.ID3Classifier().fit(*data).model_.export("questionnaire"))
    assert page.locator("text=Something else").count() == 0


def test_something_else_goes_its_own_way(open_page):
    """As trees of other libraries have it."""
    model = bw.ID3Classifier().fit({"x": ["a", "b", "b"]}, ["one", "two", "two"]).model_
    tree = model.tree.replace(unseen_child=np.array([0, -1, -1], np.int32))
    page = open_page(replace(model, trees=(tree,)).export("questionnaire"))
    page.click("text=Something else")
    assert heading(page) == "one"


def test_a_deep_tree_asks_once(open_page):
    depth = 20_000 if DEEP else 3000
    x = np.arange(depth + 1.0)
    model = bw.ID3Classifier().fit(x[:, None], np.arange(depth + 1) % 2).model_
    page = open_page(model.export("questionnaire"))
    page.fill("input", str(depth - 1))
    page.click("text=Next")
    assert heading(page) == str((depth - 1) % 2)


def test_ensembles_say_that_they_are(open_page):
    page = open_page(model_of(0, kind="sum softmax").export("questionnaire"))
    while not page.locator("section.result").count():
        page.click("text=I do not know")
    assert "The sum of" in page.inner_text("section.result")
