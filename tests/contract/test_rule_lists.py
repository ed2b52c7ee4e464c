"""What every list of rules promises, on tables large enough to have rules."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchwork as bw
from branchwork.errors import DataError, ParameterError, UnseenCategoryWarning
from contract.checks import arrays
from contract.test_labels_and_categories import LABELS
from contract.test_names import NAMES, harmless
from contract.test_same_tree import large_table
from contract.test_weights import mixed_table, taken

METHODS = ("c4.5rules", "mitchell")
both = pytest.mark.parametrize("method", METHODS)


def rule_list(method="c4.5rules", **settings):
    return bw.RuleListClassifier(method=method, **settings)


def two_groups(first, second, n=12):
    """Rows that one column tells apart."""
    return {"x": [1.0] * n + [2.0] * n}, [first] * n + [second] * n


@both
@pytest.mark.parametrize("what", LABELS)
def test_any_labels_come_back_as_they_were(method, what):
    X, y = two_groups(*LABELS[what])
    estimator = rule_list(method).fit(X, y)
    answers = estimator.predict(X).tolist()
    assert answers == y and [type(label) for label in answers] == [type(label) for label in y]
    assert harmless(estimator.to_text())
    assert estimator.predict_proba(X).argmax(axis=1).tolist() == [
        list(estimator.classes_).index(label) for label in y
    ]


@both
@pytest.mark.parametrize("what", [what for what in NAMES if what != "one megabyte"])
def test_names_are_kept_and_printed_so_that_they_cannot_harm(method, what):
    name = NAMES[what]
    X = {name: [1.0] * 12 + [2.0] * 12, "other" + name: [name] * 12 + ["b"] * 12}
    y = [name] * 12 + ["other"] * 12
    estimator = rule_list(method).fit(X, y)
    assert estimator.predict(X).tolist() == y
    rules = estimator.rules_
    tree = bw.CARTClassifier().fit({name: X["other" + name]}, y).rules()
    for printed in (estimator.to_text(), rules.to_text(missing=True), repr(rules), str(tree)):
        assert harmless(printed)
    assert "<script>" not in rules._repr_html_() and "<script>" not in tree._repr_html_()
    assert {c["feature"] for rule in rules.to_dict()["rules"] for c in rule["conditions"]} <= set(X)


@both
@pytest.mark.parametrize("seed", range(3))
def test_weight_k_is_k_copies_and_weight_0_is_absent(method, seed):
    rng = np.random.default_rng(seed)
    X, weights = mixed_table(rng), rng.integers(0, 4, 60)
    y = [["no", "yes"][int(size > 5)] if size == size else "yes" for size in X["size"]]
    estimator = rule_list(method).fit(X, y, sample_weight=weights)
    copies = np.repeat(np.arange(60), weights)
    copied = rule_list(method).fit(taken(X, copies), [y[row] for row in copies])
    assert len(estimator.rules_) >= 1
    assert estimator.rules_.to_dict() == copied.rules_.to_dict()


@both
def test_threads_and_containers_change_nothing_and_pickles_answer_the_same(method):
    X, score = large_table(1500)
    y = np.digitize(score, [0.5, 2])
    one = rule_list(method, n_jobs=1).fit(X, y)
    for other in (
        rule_list(method, n_jobs=2).fit(X, y),
        clone(one).fit(bw.to_table(X), y.tolist()),
        pickle.loads(pickle.dumps(one)),
    ):
        assert other.rules_ == one.rules_
        assert arrays(other) == arrays(one)
        assert other.predict_proba(X).tobytes() == one.predict_proba(X).tobytes()
    assert one.score(X, y) > 0.5


@both
def test_apply_and_decision_path_tell_which_rules_answer_and_match(method):
    X, score = large_table(800)
    y = score > 1
    estimator = rule_list(method).fit(X, y)
    which, matched = estimator.apply(X), estimator.decision_path(X).toarray().astype(bool)
    assert matched.shape == (800, len(estimator.rules_))
    first = np.where(matched.any(axis=1), matched.argmax(axis=1), -1)
    assert which.tolist() == first.tolist()
    answers = [*(rule.prediction for rule in estimator.rules_), estimator.rules_.default.prediction]
    assert estimator.predict(X).tolist() == [answers[k] for k in which]


def test_missing_cells_and_unseen_categories_satisfy_no_condition():
    X = pd.DataFrame({"colour": ["red"] * 30 + ["blue"] * 10, "size": 1.0})
    for handle_unknown in ("missing", "majority"):
        estimator = rule_list(handle_unknown=handle_unknown).fit(X, ["no"] * 30 + ["yes"] * 10)
        assert estimator.predict(pd.DataFrame({"colour": [None], "size": 1.0})).tolist() == ["no"]
        assert estimator.apply(pd.DataFrame({"colour": [None], "size": 1.0})).tolist() == [-1]
        with pytest.warns(UnseenCategoryWarning, match="'colour'"):
            assert estimator.apply(pd.DataFrame({"colour": ["new"], "size": 1.0})).tolist() == [-1]
    refusing = rule_list(handle_unknown="error").fit(X, ["no"] * 30 + ["yes"] * 10)
    with pytest.raises(DataError, match="'new'"):
        refusing.predict(pd.DataFrame({"colour": ["new"], "size": 1.0}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", "ripper"),
        ("confidence", 0),
        ("confidence", 1.5),
        ("confidence", "high"),
        ("variant", "c5.0"),
    ],
)
def test_a_wrong_setting_is_refused_in_fit_by_name(name, value):
    with pytest.raises(ParameterError, match=re.escape(f"{name}={value!r}")):
        bw.RuleListClassifier(**{name: value}).fit(*two_groups("a", "b"))


@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
@both
def test_without_rules_the_default_answers(method):
    estimator = rule_list(method).fit([[1.0], [2.0], [3.0]], ["a", "a", "a"])
    assert estimator.predict([[9.0], [np.nan]]).tolist() == ["a", "a"]
    assert estimator.predict_proba([[9.0]]).tolist() == [[1.0]]
    assert "→ a" in estimator.to_text()


def test_a_tree_below_rules_is_not_pruned():
    tennis = bw.datasets.load("play_tennis")
    rules = bw.RuleListClassifier().fit(tennis.X, tennis.y)
    for shorten in (lambda: rules.prune("mdl"), rules.simplify, lambda: rules.snip([0])):
        with pytest.raises(ParameterError, match="to prune a tree take C45Classifier"):
            shorten()
