"""Weakest links against a slow twin, against scikit-learn, and on trees too large for anything slow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.prune.cost_complexity import cut_at, links_as_rpart, path, weakest_links
from branchwork.tree.check import check
from branchwork.tree.reshape import collapse
from branchwork.tree.tree import Tree


def tree_of(children: list[int], weight: list[float] | None = None) -> Tree:
    """A tree by the number of children of each node, breadth first."""
    n = len(children)
    count = np.array(children, np.int32)
    inner = count > 0
    first = np.where(inner, 1 + np.cumsum(count) - count, -1).astype(np.int32)
    return Tree(
        feature=np.where(inner, 0, -1).astype(np.int32),
        cut=np.where(inner, 0.0, np.nan),
        first_child=first,
        n_children=count,
        lookup=np.full(n, -1, np.int32),
        pool=np.empty(0, np.int32),
        default_child=np.where(inner, 0, -1).astype(np.int32),
        value=np.zeros((n, 1)),
        distribution=None,
        weight=np.ones(n) if weight is None else np.array(weight),
        n_rows=np.ones(n, np.int64),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        variance=None,
        stop=np.zeros(n, np.uint8),
    )


@st.composite
def trees_with_risks(draw: st.DrawFn) -> tuple[Tree, np.ndarray]:
    children, open_ = [], 1
    while open_:
        k = draw(st.sampled_from([0, 2, 2, 3])) if len(children) < 25 else 0
        children.append(k)
        open_ += k - 1
    tree = tree_of(children)
    risk = np.zeros(tree.n_nodes)
    whole = st.integers(0, 8).map(float)
    for node in range(tree.n_nodes - 1, -1, -1):  # a node is no better than its children together
        below = risk[list(tree.children(node))].sum() if children[node] else 0.0
        risk[node] = below + draw(whole)
    return tree, risk


def slow_links(tree: Tree, risk: np.ndarray) -> np.ndarray:
    """Cut the weakest link, compute all gains anew, repeat."""
    alpha = np.full(tree.n_nodes, -np.inf)
    is_leaf = tree.feature < 0
    reached = -np.inf

    def gain(top: int) -> float:
        below, leaves, waiting = 0.0, 0, [top]
        while waiting:
            node = waiting.pop()
            if is_leaf[node]:
                below, leaves = below + risk[node], leaves + 1
            else:
                waiting.extend(tree.children(node))
        return (risk[top] - below) / (leaves - 1)

    def inner_below(top: int) -> list[int]:
        found, waiting = [], [top]
        while waiting:
            node = waiting.pop()
            if not is_leaf[node]:
                found.append(node)
                waiting.extend(tree.children(node))
        return found

    while not is_leaf[0]:
        gains = {node: gain(node) for node in inner_below(0)}
        least = min(gains.values())
        reached = max(reached, least)
        for node, g in gains.items():
            if g <= least + 1e-12 and not is_leaf[node]:
                for below in inner_below(node):
                    alpha[below] = reached
                    is_leaf[below] = True
    return alpha


@given(trees_with_risks())
def test_weakest_links_are_those_of_the_slow_twin(case):
    tree, risk = case
    np.testing.assert_allclose(weakest_links(tree, risk), slow_links(tree, risk), atol=1e-9)


@given(trees_with_risks())
def test_the_path_is_the_best_tree_for_every_complexity(case):
    tree, risk = case
    alpha = weakest_links(tree, risk)
    steps = path(tree, alpha, risk)
    assert (np.diff(steps.alpha[1:]) > 0).all() and (np.diff(steps.risk) >= -1e-9).all()
    for most, splits, cost in zip(steps.alpha[1:], steps.n_splits[1:], steps.risk[1:], strict=True):
        cut = collapse(tree, cut_at(tree, alpha, most + 1e-9))
        assert np.count_nonzero(cut.feature >= 0) == splits
        assert cost == pytest.approx(best_cost(tree, risk, most) - most * cut.n_leaves, abs=1e-6)


def best_cost(tree: Tree, risk: np.ndarray, alpha: float) -> float:
    """Least risk + alpha · leaves of all subtrees with the same root."""
    best = risk + alpha
    for node in np.flatnonzero(tree.feature >= 0)[::-1].tolist():
        best[node] = min(best[node], best[list(tree.children(node))].sum())
    return float(best[0])


@given(trees_with_risks())
def test_collapsing_leaves_what_is_above(case):
    tree, risk = case
    mask = risk > np.median(risk)
    small = collapse(tree, mask)
    assert small.n_nodes <= tree.n_nodes and small.first_child[0] in (-1, 1)
    sizes = small.n_children[small.feature >= 0]
    assert 1 + sizes.sum() == small.n_nodes
    assert collapse(tree, np.zeros(tree.n_nodes, bool)).n_nodes == tree.n_nodes


def test_a_collapsed_tree_is_a_valid_tree():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 5, 300)])
    est = bw.CARTClassifier(categorical_features=[1], max_surrogates=2).fit(X, rng.integers(0, 3, 300))
    tree = est.tree_
    small = collapse(tree, (np.arange(tree.n_nodes) % 5 == 3) & (tree.feature >= 0))
    check(small, est.schema_)
    assert small.ledger is not None and 0 < small.n_nodes < tree.n_nodes
    for node in np.flatnonzero(small.feature >= 0):
        page = small.ledger.page(node)
        assert page is not None and page.candidates[small.feature[node]].verdict == "chosen"


@pytest.mark.parametrize("shape", ["chain", "bush"])
@pytest.mark.parametrize("links", [weakest_links, links_as_rpart])
def test_three_hundred_thousand_nodes(shape, links):
    n = 150_000
    tree = tree_of([2] * n + [0] * (n + 1) if shape == "bush" else [2] + [2, 0] * (n - 1) + [0, 0])
    risk = np.zeros(tree.n_nodes)
    rng = np.random.default_rng(1)
    extra = rng.random(tree.n_nodes)
    below = np.zeros(tree.n_nodes)
    for node, parent in list(enumerate(tree.parent.tolist()))[::-1]:
        risk[node] = below[node] + extra[node]
        if parent >= 0:
            below[parent] += risk[node]
    alpha = links(tree, risk)
    path(tree, alpha, risk)
    collapse(tree, cut_at(tree, alpha, float(np.median(alpha[tree.feature >= 0]))))
    assert alpha[0] == alpha.max()


# ---- scikit-learn

CLASSIFIERS = [bw.TreeClassifier, bw.CARTClassifier]
REGRESSORS = [bw.TreeRegressor, bw.CARTRegressor]


def numbers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.permuted(np.arange(200 * 4).reshape(200, 4), axis=0) / 8.0  # exact in float32, no value twice
    return X, X[:, 0] + np.abs(X[:, 1] - 40) + 20 * rng.normal(size=200)


def is_same_tree(ours: Any, theirs: Any) -> bool:
    """Whether no tie between splits was broken in another way."""
    return splits(ours.tree_.feature, ours.tree_.cut) == splits(theirs.tree_.feature, theirs.tree_.threshold)


def splits(feature: np.ndarray, cut: np.ndarray) -> list[tuple[int, float]]:
    inner = feature >= 0
    return sorted(zip(feature[inner].tolist(), cut[inner].tolist(), strict=True))


def same_path(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, unit: float = 1.0) -> bool:
    """Compare the two sequences; False: the trees differ by a tie."""
    if not is_same_tree(ours.fit(X, y), theirs.fit(X, y)):
        return False
    steps, peer = ours.cost_complexity_path(), theirs.cost_complexity_pruning_path(X, y)
    alphas, first = np.unique(np.round(peer.ccp_alphas, 12), return_index=True)
    last = np.append(first[1:], len(peer.ccp_alphas)) - 1  # cuts at the same alpha are one for us
    np.testing.assert_allclose(np.unique(np.round(steps.ccp_alphas, 12)), unit * alphas, atol=1e-9)
    ends = np.append(np.diff(steps.ccp_alphas) > 1e-12, True)
    np.testing.assert_allclose(steps.impurities[ends], unit * peer.impurities[last], atol=1e-9)
    return True


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("factory", CLASSIFIERS)
def test_classifier_path_is_scikit_learns(factory, criterion):
    compared = 0
    for seed in range(30):
        X, score = numbers(seed)
        y = np.digitize(score, np.quantile(score, [0.4, 0.8]))
        limits: dict[str, Any] = {"criterion": criterion, "min_samples_leaf": 10}  # below, splits tie
        compared += same_path(factory(**limits), DecisionTreeClassifier(random_state=0, **limits), X, y)
    assert compared >= 10, compared


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("factory", REGRESSORS)
def test_regressor_path_is_scikit_learns(factory, criterion):
    compared = 0
    for seed in range(30):
        X, score = numbers(seed)
        y = np.abs(score) + 1 if criterion == "poisson" else score
        limits: dict[str, Any] = {"criterion": criterion, "min_samples_leaf": 10}
        unit = 2.0 if criterion == "poisson" else 1.0  # our deviance is twice scikit-learn's half
        theirs = DecisionTreeRegressor(random_state=0, **limits)
        compared += same_path(factory(**limits), theirs, X, y, unit)
    assert compared >= 20, compared


def test_pruning_by_complexity_is_one_method_of_many():
    rng = np.random.default_rng(1)
    X = rng.random((300, 3))
    y = np.where(rng.random(300) < 0.2, 1 - (X[:, 0] > 0.5), X[:, 0] > 0.5)
    grown = bw.TreeClassifier().fit(X, y)
    alphas = grown.cost_complexity_path().ccp_alphas
    path_of_trees = grown.pruning_path("cost_complexity")
    assert [step.alpha for step in path_of_trees] == pytest.approx(alphas.tolist())
    assert path_of_trees[-1].leaves == 1
    for k in (1, len(alphas) // 2, len(alphas) - 1):
        assert grown.prune("cost_complexity", alpha=alphas[k]).get_n_leaves() == path_of_trees[k].leaves
    least = grown.prune("cost_complexity", X, y)
    simple = grown.prune("cost_complexity", X, y, choose="1se", folds=5)
    assert 1 < simple.get_n_leaves() <= least.get_n_leaves() < 20
    asked = bw.CARTClassifier(xval=10, choose="1se").fit(X, y)
    by_hand = bw.CARTClassifier().fit(X, y).prune("cost_complexity", X, y, choose="1se")
    assert asked.get_n_leaves() == by_hand.get_n_leaves()


def test_refusals_of_complexity():
    grown = bw.TreeClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    with pytest.raises(ParameterError, match="alpha=-1"):
        grown.prune("cost_complexity", alpha=-1)
    with pytest.raises(ParameterError, match="risk='gini'; expected one of 'impurity', 'errors'"):
        grown.prune("cost_complexity", risk="gini")
    with pytest.raises(ParameterError, match="found alpha="):
        grown.prune("cost_complexity", [[1.0], [2.0], [3.0]], [0, 1, 0], alpha=1)
