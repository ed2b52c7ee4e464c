"""Data take one way: they are checked once, become one table, and a fitted estimator answers by its model."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import branchwork as bw
from branchwork.estimators import _base, _predicting
from branchwork.grow import grow
from branchwork.learn import single
from branchwork.model.model import Model
from branchwork.table.adapt import to_table
from branchwork.table.table import LARGEST_EXACT_INTEGER

X = np.random.default_rng(0).normal(size=(60, 4))
Y = (X[:, 0] > X[:, 1]).astype(int)


def counted(monkeypatch, function, *modules):
    """A list that grows with each call of a function by one of some modules."""
    seen = []

    def counting(*args, **kwargs):
        seen.append(args)
        return function(*args, **kwargs)

    for module in modules:
        monkeypatch.setattr(module, function.__name__, counting)
    return seen


def test_a_fit_is_checked_once(monkeypatch):
    checks = counted(monkeypatch, grow.check_fit, grow, single)
    bw.TreeClassifier().fit(X, Y)
    assert len(checks) == 1


def test_rows_that_are_left_after_those_without_weight_are_checked_again():
    weights = np.ones(60)
    weights[0] = 0
    counts = np.zeros(60)
    counts[0] = 3
    with pytest.raises(bw.errors.TargetError, match="zero in every row"):
        bw.TreeRegressor(criterion="poisson").fit(X, counts, weights)


@pytest.mark.parametrize("rows", [X[:5], X[:5].tolist()], ids=["array", "list"])
def test_a_prediction_of_plain_numbers_makes_no_table(monkeypatch, rows):
    tree = bw.TreeClassifier().fit(X, Y)
    module = sys.modules["branchwork.model.model"]
    tables = counted(monkeypatch, to_table, _base, _predicting, module)
    assert tree.predict(rows).tolist() == Y[:5].tolist()
    assert not tables  # numbers without names need none


def test_a_prediction_of_a_frame_makes_one_table(monkeypatch):
    frame = {"x": X[:, 0], "word": np.where(Y, "a", "b")}
    tree = bw.TreeClassifier().fit(frame, Y)
    tables = counted(monkeypatch, to_table, _base, _predicting, sys.modules["branchwork.model.model"])
    assert tree.predict(frame).tolist() == Y.tolist()
    assert len(tables) == 1


def test_one_row_in_a_list_takes_few_calls():
    tree = bw.TreeClassifier().fit(X, Y)
    row = X[:1].tolist()
    tree.predict(row)
    calls = 0

    def seen(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        tree.predict(row)
    finally:
        sys.setprofile(None)
    assert calls < 60


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2.5], [3, float("nan")]],
        [(1.0, 2.0), [3.0, 4.0]],
        [[True, 1.0], [False, 2.0]],
        [[None, 1.0], [2.0, 3.0]],
        [[float(2 * LARGEST_EXACT_INTEGER), 1.0]],
        [[np.float32(0.5), 1.0]],
        [["a", 1], ["b", 2]],
    ],
    ids=str,
)
def test_lists_of_plain_numbers_become_the_table_that_other_containers_become(rows):
    at_once, one_by_one = to_table(rows), to_table(np.array(rows, dtype=object))
    assert at_once.schema == one_by_one.schema
    for fast, slow in zip(at_once.arrays, one_by_one.arrays, strict=True):
        np.testing.assert_array_equal(fast, slow)


def test_whole_numbers_that_doubles_cannot_tell_apart_are_refused_in_lists_too():
    with pytest.raises(bw.errors.DataError, match=str(LARGEST_EXACT_INTEGER + 1)):
        to_table([[LARGEST_EXACT_INTEGER + 1, 1.0]])


VIEWS = {
    "to_dict": {},
    "to_text": {},
    "to_svg": {},
    "to_dot": {},
    "to_html": {},
    "rules": {},
    "working": {},
    "why": {"row": X[0].tolist()},
    "export": {"language": "json"},
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("kind", [bw.TreeClassifier, bw.CARTClassifier, bw.ID3Classifier, bw.C45Classifier])
def test_a_view_of_an_estimator_is_that_of_its_model(monkeypatch, kind, name):
    tree = kind().fit(X, Y)
    monkeypatch.setattr(Model, name, lambda *args, **kwargs: "what the model says")
    assert getattr(tree, name)(**VIEWS[name]) == "what the model says"


@pytest.mark.parametrize("name", ["to_text", "to_html", "to_svg", "to_dot", "rules", "working"])
def test_views_do_not_ask_the_parameters(name):
    """`set_params` is for the next fit; what was fitted stays as it is, and is shown as it is."""
    tree = bw.TreeClassifier(criterion="entropy").fit(X, Y)
    before = str(getattr(tree, name)())
    tree.set_params(criterion="nonsense", max_depth=-1)
    assert str(getattr(tree, name)()) == before
    assert tree.model_.unit == "entropy (bits)"


def test_a_model_is_loaded_by_about_a_thousand_calls(tmp_path):
    """Every array of a file is checked, so there are many small ones; 1 178 were made before."""
    tennis = bw.datasets.load("play_tennis")
    path = tmp_path / "tennis.bw"
    bw.save(bw.ID3Classifier().fit(tennis.X, tennis.y), path)
    bw.load(path)
    calls = 0

    def seen(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(seen)
    try:
        bw.load(path)
    finally:
        sys.setprofile(None)
    assert calls < 1120
