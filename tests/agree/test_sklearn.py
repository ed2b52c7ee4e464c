"""The open tree beside scikit-learn's, live: the same impurity decrease at every node until the first tie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import branchwork as bw
from together import together

UNITS = {"poisson": 2.0}
"""Our Poisson deviance is twice scikit-learn's half."""


def decreases(tree: Any, node: int) -> float:
    """What a split of scikit-learn's takes away, a row of the node."""
    left, right = tree.children_left[node], tree.children_right[node]
    weight = tree.weighted_n_node_samples
    below = (weight[left] * tree.impurity[left] + weight[right] * tree.impurity[right]) / weight[node]
    return float(tree.impurity[node] - below)


def compare(ours: Any, theirs: Any, unit: float) -> int:
    """Walk both trees together; returns the number of splits compared. Below a split that differs nothing is."""
    tree, peer, compared = ours.tree_, theirs.tree_, 0
    pairs = [(0, 0)]
    for node, other in pairs:
        assert tree.weight[node] == pytest.approx(peer.weighted_n_node_samples[other])
        assert tree.impurity[node] == pytest.approx(unit * peer.impurity[other], abs=1e-9)
        if tree.is_leaf(node) or peer.children_left[other] < 0:
            assert tree.is_leaf(node) == (peer.children_left[other] < 0)
            continue
        assert tree.gain[node] == pytest.approx(unit * decreases(peer, other), abs=1e-9)
        compared += 1
        same_cut = tree.cut[node] == peer.threshold[other]
        if tree.feature[node] == peer.feature[other] and same_cut:  # otherwise a tie was broken otherwise
            pairs.extend(
                zip(tree.children(node), (peer.children_left[other], peer.children_right[other]), strict=True)
            )
    return compared


def table(seed: int, distinct: int, holes: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, distinct, (120, 4)) / 8.0  # exact in float32
    score = X[:, 0] + X[:, 1] * X[:, 2] / X.max() + rng.normal(size=120)
    if holes:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, score


@together("seed", range(12))
@pytest.mark.parametrize("distinct", [5, 1000], ids=["ties", "no ties"])
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_depth": 4},
        {"min_samples_leaf": 5},
        {"min_samples_split": 20},
        {"max_leaf_nodes": 8},
        {"min_impurity_decrease": 0.01},
        {"class_weight": {0: 3.0}},
        {"min_weight_fraction_leaf": 0.1},
        {"min_weight_fraction_leaf": 0.05, "class_weight": {0: 0.01, 2: 5.0}},
    ],
    ids=str,
)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classifier(seed, distinct, limits, criterion):
    X, score = table(seed, distinct, holes=False)
    y = np.digitize(score, np.quantile(score, [0.4, 0.8]))
    ours = bw.TreeClassifier(criterion=criterion, **limits).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y)
    assert compare(ours, theirs, 1.0) >= 1


@together("seed", range(12))
@pytest.mark.parametrize("holes", [False, True], ids=["whole", "missing cells"])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regressor(seed, holes, criterion):
    X, score = table(seed, 1000, holes)
    y = np.round(np.abs(score)) + 1 if criterion == "poisson" else score
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    ours = bw.TreeRegressor(criterion=criterion, max_depth=5).fit(X, y, sample_weight=weights)
    theirs = DecisionTreeRegressor(criterion=criterion, max_depth=5, random_state=0)
    assert compare(ours, theirs.fit(X, y, sample_weight=weights), UNITS.get(criterion, 1.0)) >= 3


@pytest.mark.parametrize("seed", range(12))
def test_missing_cells(seed):
    X, score = table(seed, 1000, holes=True)
    y = (score > np.median(score)).astype(int)
    ours = bw.TreeClassifier(max_depth=5).fit(X, y)
    assert compare(ours, DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y), 1.0) >= 3
