"""Lists of rules as programs. Python, C, JavaScript and Java have them among their own cases."""

from __future__ import annotations

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.export.parts import Limits, plan
from branchwork.export.program import Ask, Leaf, program, run
from export.cases import DEEP, rule_lists
from export.databases import ROW, in_duckdb, in_sqlite, quoted, renamed

from program_cases import model_of

CASES = {f"{k} {case.name}": case for k, case in enumerate(rule_lists())}


def test_running_the_steps_is_predicting():
    for name, case in CASES.items():
        written = program(case.model)
        leaves = [at for at, step in enumerate(written.trees[0]) if isinstance(step, Leaf)]
        found = [leaves.index(run(written, cells)[0][0][0]) for cells in case.cells]
        default = len(case.model)
        first = case.model.apply(case._table)
        assert found == [default if k < 0 else k for k in first.tolist()], name


def test_every_part_is_a_tree_and_a_rule_begins_one():
    for name, case in CASES.items():
        made = plan(program(case.model), Limits(depth=3, tests=12))
        (steps,), (place,) = made.program.trees, made.place
        written = []
        for part in made.parts:
            waiting = [part.root]
            while waiting:
                at = waiting.pop()
                written.append(at)
                inner = [child for child in set(steps[at].children) if isinstance(steps[child], Ask)]
                waiting += [child for child in inner if child not in place]
        assert len(written) == len(set(written)), name


@pytest.mark.parametrize(("dialect", "run"), [("duckdb", in_duckdb), ("sqlite", in_sqlite)])
def test_sql_answers_as_the_rules_do(dialect, run):
    for case in list(CASES.values())[dialect == "sqlite" :: 1 if DEEP else 5]:
        proba = case.model.labels is not None
        columns = {} if dialect == "sqlite" else renamed(case.model)
        written = case.model.export("sql", dialect=dialect, table="t", proba=proba, columns=columns)
        rows = run(case.model, case.rows, f"{written} ORDER BY {quoted(ROW)}")
        width = 1 + (len(case.model.class_order) if proba else 0)
        found = [row[-width:] for row in rows]
        predicted = [type(one)(row[0]) for one, row in zip(case.predicted, found, strict=True)]
        case.check(predicted, [row[1:] for row in found])


def test_sql_is_a_when_for_each_rule():
    tennis = bw.datasets.load("play_tennis")
    rules = bw.RuleListClassifier().fit(tennis.X, tennis.y)
    text = rules.export("sql")
    assert text.count("WHEN") == len(rules.rules_) == 5 and text.count("CASE") == 1
    with pytest.raises(ParameterError, match="for trees"):
        rules.export("sql", form="leaves")


def test_a_questionnaire_asks_what_the_rules_ask(open_page):
    tennis = bw.datasets.load("play_tennis")
    rules = bw.RuleListClassifier().fit(tennis.X, tennis.y)
    page = open_page(rules.export("questionnaire"))
    assert page.locator("main h2").first.inner_text() == "Outlook"
    page.click("text=Sunny")
    page.click("text=High")
    assert page.locator("main h2").first.inner_text() == "PlayTennis: No"
    page.click("text=Start again")
    page.click("text=I do not know")
    assert page.locator("main h2").first.inner_text() == "Humidity"
    page.click("text=Normal")
    assert page.locator("main h2").first.inner_text() == "PlayTennis: Yes"


def test_what_holds_trees_holds_no_rules():
    tennis = bw.datasets.load("play_tennis")
    rules = bw.RuleListClassifier().fit(tennis.X, tennis.y)
    for language in ("onnx", "pmml", "json"):
        with pytest.raises(
            ParameterError, match=rf"'{language}' is a format for trees. .* 'python', 'c', .*'questionnaire'"
        ):
            rules.export(language)
    with pytest.raises(ParameterError, match="Did you mean 'python'"):
        rules.export("pythn")
    assert rules.export("markdown") == rules.rules_.to_markdown()
    assert rules.export("latex", simplify=True) == rules.rules_.simplify().to_latex()


def test_rules_that_share_rows_are_refused():
    shared = model_of(3, kind="c45 unpruned").rules()
    assert shared.shares_rows
    with pytest.raises(ParameterError, match="Export the tree"):
        shared.export("python")


def test_a_category_that_was_never_seen_is_refused():
    X, y = {"x": ["a", "b", "c"] * 8}, ["one", "two", "two"] * 8
    rules = bw.RuleListClassifier(handle_unknown="error").fit(X, y)
    names: dict = {}
    exec(rules.export("python"), names)
    assert [names["predict"]({"x": x}) for x in ("a", "b", None)] == rules.predict(
        {"x": np.array(["a", "b", None], object)}
    ).tolist()
    with pytest.raises(ValueError, match="category 'never' was not in the training table"):
        names["predict"]({"x": "never"})
