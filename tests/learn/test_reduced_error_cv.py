"""Reduced-error pruning by cross-validation: against a slow loop, and what it does with noise."""

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.learn.reduced_error_cv import errors_by_folds, matched
from branchwork.measure.folds import deal
from branchwork.table.target import classes

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(160, 3)).round(1), columns=["a", "b", "c"]).assign(
    d=pd.Categorical(RNG.choice(["p", "q", "r"], 160))
)
Y = np.where((X["a"] > 0) ^ (RNG.random(160) < 0.25), "yes", "no")


def slow_errors(est, X, y, folds):
    """Weights of errors at every node, row by row and node by node."""
    whole = type(est)(**est.get_params()).fit(X, y)
    tree, fold = whole.tree_, deal(classes(y), folds)
    found = np.zeros(tree.n_nodes)
    for k in range(folds):
        other = type(est)(**est.get_params()).fit(
            bw.to_table(X).take(np.flatnonzero(fold != k)), y[fold != k]
        )
        share = (fold != k).mean()
        for row in np.flatnonzero(fold == k):
            one = bw.to_table(X).take(np.array([row]))
            path = whole.decision_path(one).indices
            others = sorted(other.decision_path(one).indices, key=lambda node: other.tree_.depths[node])
            for node in path:
                heavy = [v for v in others if other.tree_.weight[v] >= tree.weight[node] * share * (1 - 1e-9)]
                answer = other.model_.label_array[other.tree_.decision[heavy[-1]]]
                found[node] += answer != y[row]
    return found


@pytest.mark.parametrize(
    "est", [bw.TreeClassifier(), bw.TreeClassifier(nominal="multiway", min_samples_leaf=4)]
)
def test_errors_of_nodes_are_those_of_a_slow_loop(est):
    fitted = type(est)(**est.get_params()).fit(X, Y)
    rows = fitted._rows(X, Y, None)
    found = errors_by_folds(fitted.tree_, *rows, fitted._recipe(), folds=4)
    assert found.as_leaf == pytest.approx(slow_errors(est, X, Y, 4))
    assert found.weight[0] == 160 and found.weight == pytest.approx(fitted.tree_.weight)
    leaves = fitted.tree_.feature < 0
    assert found.subtree[0] == pytest.approx(found.as_leaf[leaves].sum())


def test_nodes_are_matched_by_their_weight():
    tree = bw.TreeClassifier(max_depth=2).fit([[0.0], [1], [2], [3]], [0, 1, 0, 1]).tree_
    row, node, other = matched(tree, np.array([3], np.int32), tree, np.array([3], np.int32), 1.0)
    assert node.tolist() == other.tolist() and row.tolist() == [0] * len(node)
    _, _, lighter = matched(tree, np.array([1], np.int32), tree, np.array([1], np.int32), 0.01)
    assert set(lighter.tolist()) == {1}  # everything is heavy enough: the leaf answers for all


def test_a_node_stays_only_where_finer_answers_were_better():
    grown = bw.TreeClassifier().fit(X, Y)
    pruned = grown.prune("reduced_error", X, Y, folds=5)
    found = errors_by_folds(grown.tree_, *grown._rows(X, Y, None), grown._recipe(), folds=5)
    path = grown.pruning_path("reduced_error", X, Y, folds=5)
    assert pruned.get_n_leaves() < grown.get_n_leaves() and path[-1].leaves == pruned.get_n_leaves()
    assert path.evidence[0]["measure"] == "errors on rows left out by cross-validation"
    assert path[0].validation_error is None  # the training rows must not pass for others
    for one in path.evidence:
        assert one["leaf"] == pytest.approx(found.as_leaf[one["node"]])
        assert one["pruned"] is not True or one["leaf"] <= one["subtree"] + 1e-9


def test_it_finds_the_signal_and_drops_the_noise():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(600, 5))
    truth = rows[:, 0] > 0
    noisy = truth ^ (rng.random(600) < 0.2)
    grown = bw.TreeClassifier().fit(rows[:300], noisy[:300])
    pruned = grown.prune("reduced_error", rows[:300], noisy[:300], folds=10)
    assert pruned.get_n_leaves() < grown.get_n_leaves() / 3
    assert (pruned.predict(rows[300:]) == truth[300:]).mean() > (
        grown.predict(rows[300:]) == truth[300:]
    ).mean()
    greedy = grown.prune("reduced_error", rows[:300], noisy[:300], folds=10, order="greedy")
    assert greedy.get_n_leaves() <= grown.get_n_leaves()


def test_numbers_and_given_folds():
    heights = X["a"].to_numpy() ** 2 + RNG.normal(size=160) * 0.4
    grown = bw.TreeRegressor().fit(X, heights)
    by_number = grown.prune("reduced_error", X, heights, folds=4)
    assert 1 < by_number.get_n_leaves() < grown.get_n_leaves()
    given = grown.prune("reduced_error", X, heights, folds=np.arange(160) % 4)
    assert given.get_n_leaves() < grown.get_n_leaves()


def test_a_model_can_do_it_as_well():
    est = bw.TreeClassifier().fit(X, Y)
    assert (
        est.model_.prune("reduced_error", X, Y, folds=5).tree.n_leaves
        == est.prune("reduced_error", X, Y, folds=5).get_n_leaves()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds=1; expected"),
        ({"folds": None}, "folds=None"),
        ({"folds": 5, "order": "top_down"}, "order='top_down'"),
        ({"folds": 5, "alpha": 1}, "found alpha="),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        bw.TreeClassifier().fit(X, Y).prune("reduced_error", X, Y, **options)


def test_rows_are_needed_and_must_go_one_way():
    with pytest.raises(ParameterError, match="needs the rows that grew the tree"):
        bw.TreeClassifier().fit(X, Y).prune("reduced_error", folds=5)
    holes = X.assign(a=X["a"].where(RNG.random(160) > 0.2))
    shared = bw.TreeClassifier(missing="share").fit(holes, Y)
    with pytest.raises(ParameterError, match="shares rows among branches"):
        shared.prune("reduced_error", holes, Y, folds=5)
