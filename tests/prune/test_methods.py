"""Every way to prune: beside a slow and obvious version, and the laws that all of them keep."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import ParameterError, TargetError
from branchwork.measure.bounds import ErrorBound
from branchwork.prune.methods import METHODS
from branchwork.tree.check import check
from branchwork.tree.reshape import collapse
from prune import slow

from tables import OF_EACH, Case, cases

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")

GROWERS: dict[str, Any] = {
    "ID3": bw.ID3Classifier(),
    "C4.5": bw.C45Classifier(pruning=None, min_cases=1, collapse=False),
    "CART": bw.CARTClassifier(),
    "open": bw.TreeClassifier(),
    "CHAID": bw.CHAIDClassifier(alpha_merge=0.5, alpha_split=1.0, bonferroni=False),
}
NUMBER_GROWERS: dict[str, Any] = {"ID3": bw.ID3Regressor(), "open": bw.TreeRegressor()}


class Halves:
    """A tree grown on the first half of a table, and the rows of the second."""

    def __init__(self, case: Case, grower: Any) -> None:
        n = (len(case.y) + 1) // 2
        self.table, self.rows = case.table, case.rows()
        y = case.y if case.labels is None else pd.Categorical(case.y, categories=case.labels)
        self.X, self.y = self.table.take(np.arange(n)), y[:n]
        self.grown = bw_clone(grower).fit(self.X, self.y)
        self.rest = np.arange(n, len(case.y))
        self.X_rest, self.y_rest = self.table.take(self.rest), y[n:]
        self.case = case

    def held_out(self) -> tuple[list[dict[str, Any]], list[Any]]:
        return [self.rows[i] for i in self.rest], [self.case.y[i] for i in self.rest]


def bw_clone(estimator: Any) -> Any:
    return type(estimator)(**estimator.get_params())


def halves(classification: bool) -> st.SearchStrategy[Case]:
    found = cases(classification=classification, weighted=False, max_rows=40)
    return found.filter(lambda case: len(case.y) >= 2)


def assert_pruned_to(estimator: Any, pruned: Any, expected: set[int]) -> None:
    leaves = np.zeros(estimator.tree_.n_nodes, bool)
    leaves[list(expected)] = True
    assert_same(pruned.tree_, collapse(estimator.tree_, leaves))


def assert_same(a: Any, b: Any) -> None:
    for field in dataclasses.fields(a):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if isinstance(x, np.ndarray):
            np.testing.assert_array_equal(x, y, err_msg=field.name)


@pytest.mark.parametrize("grower", GROWERS.values(), ids=GROWERS)
@settings(max_examples=OF_EACH)
@given(case=halves(True))
def test_reduced_error_is_the_slow_one_s(grower, case):
    at = Halves(case, grower)
    root = at.grown.to_dict()
    pruned = at.grown.prune("reduced_error", at.X_rest, at.y_rest)
    assert_pruned_to(at.grown, pruned, slow.reduced_error(root, *at.held_out()))
    pruned = at.grown.prune("reduced_error", at.X_rest, at.y_rest, order="greedy")
    assert_pruned_to(at.grown, pruned, slow.greedy(root, *at.held_out()))


@pytest.mark.parametrize("grower", NUMBER_GROWERS.values(), ids=NUMBER_GROWERS)
@given(case=halves(False))
def test_reduced_error_of_numbers_is_the_slow_one_s(grower, case):
    at = Halves(case, grower)
    errors = slow.held_out_errors(at.grown.to_dict(), *at.held_out())
    path = at.grown.pruning_path("reduced_error", at.X_rest, at.y_rest)
    for found in path.evidence:
        assert found["leaf"] == pytest.approx(errors[found["node"]], abs=1e-9)
        assert found["pruned"] is False or found["leaf"] <= found["subtree"] + 1e-8
    assert path[-1].validation_error <= path[0].validation_error + 1e-9


@pytest.mark.parametrize("grower", GROWERS.values(), ids=GROWERS)
@settings(max_examples=OF_EACH)
@given(
    case=halves(True), m=st.sampled_from([0.0, 0.5, 2.0, 10.0]), confidence=st.sampled_from([0.05, 0.25, 0.6])
)
def test_what_needs_the_tree_alone_is_the_slow_one_s(grower, case, m, confidence):
    at = Halves(case, grower)
    root, estimator = at.grown.to_dict(), at.grown
    assert_pruned_to(estimator, estimator.prune("pessimistic"), slow.pessimistic(root))
    assert_pruned_to(estimator, estimator.prune("minimum_error", m=m), slow.minimum_error(root, m))
    levels = {
        column.name: len(column.categories) if column.is_nominal else None for column in estimator.schema_
    }
    assert_pruned_to(estimator, estimator.prune("mdl"), slow.mdl(root, levels))
    bound = ErrorBound(confidence).extra
    pruned = estimator.prune("error_based", confidence=confidence)
    assert_pruned_to(estimator, pruned, slow.error_based(root, bound))


@pytest.mark.parametrize("classification", [True, False], ids=["classes", "numbers"])
@given(data=st.data(), limit=st.sampled_from([0.01, 0.1, 0.4]))
def test_significance_is_the_slow_one_s(classification, data, limit):
    case = data.draw(halves(classification))
    for grower in (GROWERS if classification else NUMBER_GROWERS).values():
        estimator = Halves(case, grower).grown
        expected = slow.significance(estimator.to_dict(), limit)
        assert_pruned_to(estimator, estimator.prune("significance", max_p_value=limit), expected)


# ---- what all of them keep


def arguments(method: str, at: Halves) -> tuple[Any, ...]:
    rows = METHODS[method].rows
    return () if rows == "none" else (at.X_rest, at.y_rest) if rows == "held-out" else (at.X, at.y)


def all_options(method: str) -> list[dict[str, Any]]:
    return {
        "reduced_error": [{}, {"order": "greedy"}],
        "error_based": [{}, {"raising": False}, {"variant": "j48", "confidence": 0.1}],
        "pessimistic": [{"repeat": True}],
        "cost_complexity": [{"alpha": 0.02}, {"alpha": 0.1, "risk": "errors"}],
    }.get(method, [{}])


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_laws(method, data):
    classification = data.draw(st.booleans()) if METHODS[method].numbers else True
    case = data.draw(halves(classification))
    growers = GROWERS if classification else NUMBER_GROWERS
    at = Halves(case, data.draw(st.sampled_from(list(growers.values()))))
    before = at.grown.tree_
    kept = {
        f.name: np.copy(getattr(before, f.name)) for f in dataclasses.fields(before) if f.name != "ledger"
    }
    for options in all_options(method):
        pruned = at.grown.prune(method, *arguments(method, at), **options)
        check(pruned.tree_, pruned.schema_)
        assert pruned.tree_.n_leaves <= before.n_leaves
        assert pruned.get_params() == at.grown.get_params()
        again = pruned.prune(method, *arguments(method, at), **options)
        assert_same(again.tree_, pruned.tree_)
        path = at.grown.pruning_path(method, *arguments(method, at), **options)
        sizes = [step.leaves for step in path]
        assert sizes == sorted(sizes, reverse=True)
        assert path[0].tree is before and pruned.tree_.n_leaves in sizes
        assert path.to_dict()["method"] in str(path)
    assert at.grown.tree_ is before
    for name, array in kept.items():
        np.testing.assert_array_equal(np.copy(getattr(before, name)), array)


@pytest.mark.parametrize("method", METHODS)
def test_a_pruned_estimator_grows_afresh(method):
    noise = np.random.default_rng(3)
    X, y = noise.random((120, 3)), noise.random(120) < 0.2
    estimator = bw.TreeClassifier().fit(X[:80], y[:80])
    rows = METHODS[method].rows
    given = () if rows == "none" else (X[80:], y[80:]) if rows == "held-out" else (X[:80], y[:80])
    options = {"minimum_error": {"m": 1000}, "cost_complexity": {"alpha": 0.01}}.get(method, {})
    pruned = estimator.prune(method, *given, **options)
    assert pruned.get_n_leaves() < estimator.get_n_leaves()
    assert pruned.fit(X[:80], y[:80]).get_n_leaves() == estimator.get_n_leaves()
    assert pruned.working(0).to_dict()


def test_greedy_goes_one_subtree_at_a_time():
    noise = np.random.default_rng(4)
    X, y = noise.random((300, 4)), noise.integers(0, 2, 300)
    path = (
        bw.TreeClassifier()
        .fit(X[:200], y[:200])
        .pruning_path("reduced_error", X[200:], y[200:], order="greedy")
    )
    errors = [step.validation_error for step in path]
    assert len(path) > 3 and errors == sorted(errors, reverse=True)


def test_branches_are_raised_only_with_the_training_data():
    noise = np.random.default_rng(5)
    X = noise.random((400, 4))
    y = (X[:, 0] > 0.5) ^ (noise.random(400) < 0.2)
    grown = bw.C45Classifier(pruning=None).fit(X, y)
    by_hand = grown.prune("error_based", X, y)
    assert_same(by_hand.tree_, bw.C45Classifier().fit(X, y).tree_)
    flat = grown.prune("error_based")
    assert_same(grown.prune("error_based", X, y, raising=False).tree_.replace(answer=None), flat.tree_)


# ---- snipping and simplifying


@pytest.mark.parametrize("grower", [*GROWERS.values(), *NUMBER_GROWERS.values()], ids=str)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_simplify_changes_no_prediction(grower, data):
    at = Halves(data.draw(halves(hasattr(grower, "predict_proba"))), grower)
    simple = at.grown.simplify()
    check(simple.tree_, simple.schema_)
    assert simple.tree_.n_leaves <= at.grown.tree_.n_leaves
    for X in (at.X, at.X_rest):
        if X.n_rows:
            np.testing.assert_array_equal(simple.predict(X), at.grown.predict(X))
    assert_same(simple.simplify().tree_, simple.tree_)


def test_simplify_merges_what_answers_alike():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    tree = bw.TreeClassifier().fit(X, y, sample_weight=[1, 2, 1, 1]).snip([])
    grown = bw.StumpClassifier(criterion="gini").fit([[0.0], [1.0], [2.0]], ["a", "b", "a"], [3, 1, 3])
    assert tree.simplify().get_n_leaves() == 2
    assert grown.get_n_leaves() == 2 and grown.simplify().get_n_leaves() == 1
    assert grown.simplify().predict([[1.0]]).tolist() == ["a"]


def test_snip_makes_chosen_nodes_leaves():
    tennis = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    assert tree.snip(2).get_n_leaves() == 4
    assert tree.snip([0]).get_n_leaves() == 1
    assert tree.snip([2, 3]).to_text().count("\n") == 4
    with pytest.raises(ParameterError, match="node 99 is not in the tree; it has nodes 0 to 7"):
        tree.snip([99])


# ---- what is refused


def test_refusals_name_the_way_out():
    tennis = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    with pytest.raises(ParameterError, match="Did you mean 'reduced_error'"):
        tree.prune("reduced_errors")
    with pytest.raises(ParameterError, match="has no option 'alpha'; it has: m"):
        tree.prune("minimum_error", alpha=1)
    with pytest.raises(ParameterError, match="rows that did not grow the tree"):
        tree.prune("reduced_error")
    with pytest.raises(ParameterError, match="looks at the tree alone"):
        tree.prune("mdl", tennis.X, tennis.y)
    with pytest.raises(ParameterError, match="X was given without y"):
        tree.prune("reduced_error", tennis.X)
    with pytest.raises(ParameterError, match="the training data are needed"):
        tree.prune("error_based", raising=True)
    with pytest.raises(ParameterError, match="order='sideways'"):
        tree.prune("reduced_error", tennis.X, tennis.y, order="sideways")
    with pytest.raises(
        TargetError, match=r"this tree predicts numbers\. These methods work: 'reduced_error'"
    ):
        bw.TreeRegressor().fit([[1], [2]], [1, 2]).prune("mdl")


def test_the_working_stays_with_its_nodes():
    noise = np.random.default_rng(6)
    X = noise.random((600, 2))
    y = (np.digitize(X[:, 0], [0.3, 0.6]) + (X[:, 1] > 0.5)) % 2
    tree = bw.CHAIDClassifier().fit(X, y)
    first = next(node for node in tree.tree_.children(0) if not tree.tree_.is_leaf(node))
    pruned = tree.snip(first)
    for node in (0, first):
        assert pruned.working(node).to_dict() == tree.working(node).to_dict()
    assert pruned.working(0).to_dict()[0]["p_value"] is not None
    subset = bw.CARTClassifier().fit(
        {"a": list("abcd") * 50, "b": list("xxyyz") * 40}, noise.integers(0, 2, 200)
    )
    assert subset.snip([1]).working(0).to_dict() == subset.working(0).to_dict()
