"""The way of a row is the one that the core takes, and the answer is the one that it gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.model.explain import explain, read_row
from model.awkward import KINDS, fitted, rows_for

pytestmark = pytest.mark.filterwarnings(
    "ignore::branchwork.errors.UnseenCategoryWarning", "ignore::branchwork.errors.OneClassWarning"
)


@pytest.mark.parametrize("factory", KINDS)
def test_the_answer_and_the_leaves_are_those_of_the_model(factory):
    for seed in range(2):
        estimator = fitted(factory, seed)
        model = estimator.model_
        for row in rows_for(estimator, 50 + seed, count=6):
            found = explain(model, read_row(model, row))
            assert found.prediction == estimator.predict([row])[0]
            if model.labels is not None:
                chances = estimator.predict_proba([row])[0].tolist()
                assert [found.outputs[k] for k in model.class_order] == chances
            shares = model.shares([row])
            assert found.leaves == tuple(zip(shares.leaf.tolist(), shares.share.tolist(), strict=True))
            passed = estimator.decision_path([row]).indices.tolist()
            assert sorted({step.node for step in found.steps} | {leaf for leaf, _ in found.leaves}) == sorted(
                passed
            )


@pytest.mark.parametrize("factory", KINDS)
def test_every_step_says_why(factory):
    """Known cells go by value; of the others, a surrogate, the majority or the default decides."""
    estimator = fitted(factory, 1)
    model, tree = estimator.model_, estimator.tree_
    for row in rows_for(estimator, 3, count=10):
        found = explain(model, read_row(model, row))
        for step in found.steps:
            value = row[model.schema[int(tree.feature[step.node])].name]
            cause = {None: "missing", "new": "unseen"}.get(value, "known")
            assert step.route.cause == cause or (step.route.cause, cause) == ("absent", "known")
            assert (step.route.way == "value") == (step.route.cause == "known")
            assert (step.route.way == "surrogate") == (step.route.surrogate is not None)
            assert sum(share for _, share in step.children) == pytest.approx(step.share)
            assert (len(step.children) > 1) <= (step.route.way == "shared")
            if step.route.way == "majority":
                assert model.handle_unknown == "majority" and cause == "unseen"


def test_all_ways_and_causes_occur_in_these_tests():
    seen = set()
    for factory in KINDS:
        estimator = fitted(factory, 1)
        for row in rows_for(estimator, 3, count=10):
            steps = explain(estimator.model_, read_row(estimator.model_, row)).steps
            seen |= {(step.route.cause, step.route.way) for step in steps}
    assert {way for _, way in seen} == {"value", "majority", "surrogate", "default", "shared"}
    assert {cause for cause, _ in seen} >= {"known", "missing", "unseen"}


def test_a_category_that_was_absent_from_the_node_is_not_known_there():
    """In a tree with surrogates: no row of category c comes to the second split by `kind`."""
    X = [
        [0, "a", 0],
        [0, "b", 1],
        [0, "a", 0],
        [0, "b", 1],
        [1, "c", 0],
        [1, "c", 1],
        [1, "c", 0],
        [1, "c", 1],
    ]
    tree = bw.CARTClassifier(max_surrogates=1, min_samples_split=2).fit(X, [*"abab", *"cccc"])
    model = tree.model_
    found = explain(model, read_row(model, [0, "c", 1]))
    assert [(step.route.cause, step.route.way) for step in found.steps] == [
        ("known", "value"),
        ("absent", "surrogate"),
    ]
    assert (found.steps[1].route.surrogate.feature, found.prediction) == (2, "b")


def test_values_are_shown_as_the_model_knows_them():
    X = bw.to_table([[1, True, "x"], [2, False, "y"], [3, True, "x"], [4, False, "y"]])
    model = bw.ID3Classifier().fit(X, list("abab")).model_
    row = read_row(model, [np.float32(1.5), "true", "z"])
    assert row.values == {"x0": 1.5, "x1": True, "x2": "z"}
    assert [int(cell) for cell in row.cells[1:]] == [1, -2]
    assert read_row(model, [None, None, None]).values == {"x0": None, "x1": None, "x2": None}


def test_a_chain_of_two_thousand_nodes_is_walked_not_recursed():
    X, y = np.arange(2001.0).reshape(-1, 1), np.arange(2001) % 2
    model = bw.ID3Classifier().fit(X, y).model_
    assert len(explain(model, read_row(model, [2000.0])).steps) == 2000


def test_the_majority_is_asked_only_where_the_model_says_so():
    estimator = fitted(KINDS[3], 1)
    row = {**rows_for(estimator, 0, count=1)[0], "many": "new", "few": "new"}
    for how in ("missing", "majority"):
        model = replace(estimator.model_, handle_unknown=how)
        assert explain(model, read_row(model, row)).outputs == tuple(model.outputs([row])[0].tolist())
