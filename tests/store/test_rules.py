"""A list of rules comes back from a file as it went in, and every word of it is checked."""

import copy
import datetime
import json
import pickle

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from store.damage import resealed, with_words

from program_cases import hard_rows, model_of, table_of

SUFFIXES = (".bw", ".json")


def lists():
    tennis = bw.datasets.load("play_tennis")
    yield bw.RuleListClassifier().fit(tennis.X, tennis.y).rules_, model_of(1, kind="id3")
    for seed, kind in enumerate(
        ("id3", "c45 unpruned", "tree share subset", "tree regression share", "chaid")
    ):
        model = model_of(seed, kind=kind, hostile=seed % 2 == 0, rows=60)
        yield model.rules(), model
        yield model.rules(simplify=True), model


@pytest.mark.filterwarnings("ignore::branchwork.errors.UnseenCategoryWarning")
@pytest.mark.parametrize("number", range(11))
def test_a_list_comes_back_from_both_files(number):
    rules, model = list(lists())[number]
    rows = table_of(model, hard_rows(model, 40)) if rules.schema == model.schema else None
    data, text = to_bytes(rules), to_json_bytes(rules)
    for other in (from_bytes(data), from_json_bytes(text)):
        assert isinstance(other, bw.RuleList) and other == rules
        assert str(other) == str(rules) and other.to_dict() == rules.to_dict()
        assert other.to_text(missing=True) == rules.to_text(missing=True)
        if not rules.shares_rows:
            assert other.export("python") == rules.export("python")
        assert (to_bytes(other), to_json_bytes(other)) == (data, text)  # one list, one file
        if rows is not None:
            assert other.outputs(rows).tobytes() == rules.outputs(rows).tobytes()
            assert other.predict(rows).tolist() == rules.predict(rows).tolist()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_estimator_of_rules_is_saved_by_its_rules(suffix, tmp_path):
    tennis = bw.datasets.load("play_tennis")
    estimator = bw.RuleListClassifier().fit(tennis.X, tennis.y)
    loaded = bw.load(bw.save(estimator, tmp_path / f"rules{suffix}"))
    assert loaded == estimator.rules_ and str(loaded) == estimator.to_text()
    assert loaded.predict(tennis.X).tolist() == estimator.predict(tennis.X).tolist()
    assert loaded.predict_proba(tennis.X).tobytes() == estimator.predict_proba(tennis.X).tobytes()
    assert loaded.score(tennis.X, tennis.y) == estimator.score(tennis.X, tennis.y)
    assert (
        bw.load(bw.save(estimator.model_, tmp_path / f"tree{suffix}")).tree.n_nodes == estimator.tree_.n_nodes
    )


def test_a_pickle_holds_the_bytes_of_a_file():
    rules = model_of(1, kind="id3", rows=24).rules()
    data = pickle.dumps(rules)
    assert b"branchwork model" in data and b"Interval" not in data
    assert pickle.loads(data) == copy.deepcopy(rules) == copy.copy(rules) == rules
    with pytest.raises(ModelFormatError, match="sha256"):
        pickle.loads(data.replace(b"column 1", b"column 9"))
    day = datetime.date(2020, 1, 1)
    dated = bw.ID3Classifier().fit([["a"], ["b"]], [day, day + datetime.timedelta(1)]).rules()
    assert pickle.loads(pickle.dumps(dated)) == dated  # no file holds such labels


def test_too_many_rules_for_a_file_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("branchwork.store.strict.MOST_VALUES", 100)
    rules = model_of(1, kind="id3").rules()
    with pytest.raises(ModelFormatError, match="too many rules for a model file"):
        bw.save(rules, tmp_path / "m.bw")


RULE = ("rules", "list", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("rules", "prior"), [0.0, 0.0], r"rules\.prior: no label has any weight"),
        (("rules", "prior"), [1.0], r"rules\.prior: expected 2 items"),
        (("rules", "prior"), None, r"rules\.prior"),
        (("rules", "default", "if"), "own", r"rules\.default: .*no conditions"),
        (("rules", "default", "then"), "Perhaps", r"rules\.default\.then: not one of the labels"),
        ((*RULE, "value"), [0.5, 0.9], r"rules\.list\[0\]\.value: expected probabilities"),
        ((*RULE, "value"), [1.0], r"rules\.list\[0\]\.value: expected 2 items"),
        ((*RULE, "distribution"), [-1.0, 1.0], r"rules\.list\[0\]\.distribution: a weight is negative"),
        ((*RULE, "weight"), -1.0, r"rules\.list\[0\]\.weight: it is negative or not finite"),
        ((*RULE, "coverage"), 1.5, r"rules\.list\[0\]\.coverage: it is not between 0 and 1"),
        ((*RULE, "confidence"), None, r"rules\.list\[0\]\.confidence: it is not between 0 and 1"),
        ((*RULE, "lift"), "inf", r"rules\.list\[0\]\.lift: it is negative or not finite"),
        ((*RULE, "estimate"), 2, r"rules\.list\[0\]\.estimate"),
        ((*RULE, "colour"), 1, r"rules\.list\[0\]: 'colour' is not known"),
        ((*RULE, "if", 0, "feature"), "Rain", r"rules\.list\[0\]\.if\[0\]\.feature: no column has this name"),
        (
            (*RULE, "if", 0, "values"),
            ["Fog"],
            r"rules\.list\[0\]\.if\[0\]\.values\[0\]: a category that is not",
        ),
        ((*RULE, "if", 0, "values"), ["Sunny", "Sunny"], r"rules\.list\[0\]\.if\[0\]\.values"),
        ((*RULE, "if", 0, "above"), 1.0, r"rules\.list\[0\]\.if\[0\]: 'above' is not known"),
        ((*RULE, "if", 0, "missing"), 1, r"rules\.list\[0\]\.if\[0\]\.missing: expected true or false"),
        (
            (*RULE, "shares"),
            [{"feature": "Wind", "missing": 2, "unseen": 0}],
            r"rules\.list\[0\]\.shares\[0\]",
        ),
        (("occurring",), [0, 1], "'occurring' is not known"),
        (("labels",), None, "rules"),
    ],
)
def test_every_word_of_a_rule_is_checked(path, value, message):
    tennis = bw.datasets.load("play_tennis")
    rules = bw.RuleListClassifier().fit(tennis.X, tennis.y).rules_

    def change(found):
        at = found
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = found["rules"]["list"][0]["if"] if value == "own" else value

    with pytest.raises(ModelFormatError, match=message):
        from_bytes(with_words(to_bytes(rules), change))
    found = json.loads(to_json_bytes(rules))
    change(found)
    with pytest.raises(ModelFormatError, match=message):
        from_json_bytes(resealed(json.dumps(found).encode()))


@pytest.mark.filterwarnings("ignore::branchwork.errors.UnseenCategoryWarning")
def test_a_row_that_no_rule_matches_gets_the_default_where_rows_are_shared():
    model = model_of(1, kind="c45 unpruned", rows=60)
    rules = model.rules()
    assert rules.shares_rows
    rows = table_of(model, hard_rows(model, 30))
    some = bw.RuleList(rules.schema, rules.labels, rules.rules[:2], rules.default, rules.prior)
    none = ~some.matches(rows).any(axis=1)
    assert none.any() and (some.shares_rows or not none.all())
    assert (some.apply(rows)[none] == -1).all()
    assert (some.outputs(rows)[none] == np.array(rules.default.value)).all()
