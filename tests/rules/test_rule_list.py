"""What a list of rules looks like: as text, as plain data, as a table in a notebook, as a sequence."""

import json
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.rules import text as text_of_rules
from branchwork.rules.condition import Among, Interval
from branchwork.table.schema import Column, Schema

SCHEMA = Schema((Column("size", "numeric"), Column("colour", "nominal", ("blue", "green", "red"))))


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Interval(0, upto=2.5), "size <= 2.5"),
        (Interval(0, above=2.5, missing=True), "size > 2.5 (or missing)"),
        (Interval(0, above=1, upto=2), "1 < size <= 2"),
        (Interval(0, upto=np.inf), "size is known"),
        (Interval(0, above=np.inf, missing=True), "size is missing"),
        (Interval(0, above=2, upto=1), "size is impossible"),
        (Among(1, (2,)), "colour = red"),
        (Among(1, (0, 2), missing=True), "colour in {blue, red} (or missing)"),
        (Among(1, (0, 1, 2)), "colour is known"),
        (Among(1, (), missing=True, unseen=True), "colour is missing or new"),
        (Among(1, ()), "colour is impossible"),
    ],
)
def test_conditions_in_words(condition, words):
    assert condition.describe(SCHEMA, missing=True) == words


def test_merging_keeps_exactly_what_both_pass():
    assert Interval(0, above=1, missing=True).merge(Interval(0, upto=2)) == Interval(0, 1, 2)
    assert Interval(0, upto=np.inf, missing=True).merge(Interval(0, missing=True)).is_implied(SCHEMA)
    assert not Interval(0, upto=np.inf).is_implied(SCHEMA)  # a missing cell does not pass
    assert Interval(0, above=2).merge(Interval(0, upto=2)).is_impossible()
    assert not Interval(0, above=-np.inf, missing=True).is_implied(SCHEMA)  # minus infinity does not pass
    assert Among(1, (0, 1), True, True).merge(Among(1, (1, 2), True)) == Among(1, (1,), True, False)
    assert Among(1, (0, 1, 2), True, True).is_implied(SCHEMA)


def test_rules_for_numbers_have_a_mean_and_a_standard_deviation():
    bikes = bw.datasets.load("bike_rentals")
    rules = bw.CARTRegressor(max_depth=1).fit(bikes.X, bikes.y).rules()
    assert str(rules).splitlines() == [
        "   rule                                                rows  coverage     sd",
        "1  SEASON in {autumn, spring, summer} → RENTALS: 3928     9     75.0%   1493",
        "2  SEASON = winter → RENTALS: 842                         3     25.0%  51.88",
        "   otherwise → RENTALS: 3156",
    ]
    described = rules.to_dict()["rules"][0]
    assert described["mean"] == rules[0].prediction and described["variance"] > 0


def test_long_rules_go_on_in_the_next_line():
    columns = {f"a column with a long name {k}": np.arange(64.0) // 2**k % 2 for k in range(4)}
    y = sum(cells for cells in columns.values()).astype(int) % 2  # nothing shorter tells
    rules = bw.ID3Classifier().fit(columns, y).rules()
    lines = str(rules).splitlines()
    assert max(map(len, lines)) < 120
    assert len(lines) > len(rules) + 2
    assert all(line.startswith("     ") or line[:2].strip().isdigit() for line in lines[1:-1])


@given(st.text(alphabet="ab → ", min_size=1, max_size=400).map(str.strip).filter(bool))
def test_lines_end_where_the_standard_library_ends_them(text):
    options = {"subsequent_indent": "  ", "break_long_words": False, "break_on_hyphens": False}
    assert text_of_rules._wrap(text) == textwrap.wrap(text, text_of_rules.WIDEST_RULE, **options)


def test_a_long_word_has_a_line_of_its_own():
    assert text_of_rules._wrap(f"a {'b' * 90} c") == ["a", f"  {'b' * 90}", "  c"]
    assert text_of_rules._wrap(f"  {'b' * 90}  c") == [f"  {'b' * 90}", "  c"]


def test_a_condition_of_many_rules_is_worded_once(monkeypatch):
    worded = []
    described = Interval.describe
    monkeypatch.setattr(
        Interval, "describe", lambda self, *a, **b: worded.append(self) or described(self, *a, **b)
    )
    chain = bw.ID3Classifier().fit(np.arange(200.0)[:, None], np.arange(200) % 2)
    text = str(chain.rules())
    assert len(worded) == 398 and text.count("x0 > 0.5 and") == 199


def test_as_plain_data_and_as_a_table():
    tennis = bw.datasets.load("play_tennis")
    rules = bw.RuleListClassifier().fit(tennis.X, tennis.y).rules()
    described = json.loads(json.dumps(rules.to_dict()))
    assert described["default"] == "Yes"
    assert described["rules"][0]["conditions"][0]["values"] == ["Sunny"]
    assert described["rules"][0]["distribution"] == {"No": 3, "Yes": 0}
    assert rules._repr_html_().count("<tr>") == len(rules) + 2
    assert repr(rules) == "RuleList(5 rules, otherwise 'Yes')"
    assert [rule.prediction for rule in rules] == [rules[k].prediction for k in range(len(rules))]
