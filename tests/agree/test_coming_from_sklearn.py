"""docs/coming-from-scikit-learn.md, line by line beside the live program: what it calls the same is the same."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import branchwork as bw
from branchwork.errors import ParameterError
from together import together

PAGE = (Path(__file__).parents[2] / "docs" / "coming-from-scikit-learn.md").read_text(encoding="utf-8")
PAIRS = {
    "classes": (bw.TreeClassifier, DecisionTreeClassifier),
    "numbers": (bw.TreeRegressor, DecisionTreeRegressor),
}


def rows(seed, task):
    """Random weights and shallow trees, so that no two splits gain the same: scikit-learn would choose by chance.

    The weights are sums of powers of two, which add up exactly: scikit-learn splits pure nodes where rounding makes
    their impurity larger than zero.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=300)
    if task == "classes":
        y = np.digitize(y, [-0.5, 0.5])
    return X, y, rng.integers(1, 500, 300) / 64


SAME = [
    ("classes", {"criterion": "gini"}),
    ("classes", {"criterion": "entropy"}),
    ("numbers", {"criterion": "squared_error"}),
    ("classes", {"class_weight": "balanced"}),
    ("classes", {"class_weight": {0: 1, 1: 5, 2: 0.25}}),
    ("classes", {"class_weight": {1: 7.5}}),
    *((task, {"max_leaf_nodes": 3}) for task in PAIRS),
    *((task, {"min_weight_fraction_leaf": 0.11}) for task in PAIRS),
    *((task, {"min_impurity_decrease": 0.01}) for task in PAIRS),
    ("classes", {"min_weight_fraction_leaf": 0.11, "class_weight": "balanced"}),
    ("classes", {"min_impurity_decrease": 0.01, "class_weight": {0: 3}}),
    *((task, {"random_state": 7}) for task in PAIRS),
]


@together("seed", range(5))
@pytest.mark.parametrize(("task", "settings"), SAME, ids=str)
def test_what_the_page_calls_the_same_is_the_same(task, settings, seed):
    X, y, weight = rows(seed, task)
    ours, theirs = (kind(**{"max_depth": 2, **settings}) for kind in PAIRS[task])
    theirs.set_params(random_state=0)
    ours.fit(X, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    assert ours.predict(X) == pytest.approx(theirs.predict(X))
    assert ours.tree_.impurity[0] == pytest.approx(theirs.tree_.impurity[0])
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert ours.get_depth() == theirs.get_depth() and ours.get_n_leaves() == theirs.get_n_leaves()
    assert ours.score(X, y, sample_weight=weight) == pytest.approx(theirs.score(X, y, sample_weight=weight))
    assert (ours.decision_path(X).sum(axis=1) == theirs.decision_path(X).sum(axis=1)).all()
    if task == "classes":
        assert ours.classes_.tolist() == theirs.classes_.tolist()
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X))
        with np.errstate(divide="ignore"):
            logs = theirs.predict_log_proba(X)
        assert ours.predict_log_proba(X) == pytest.approx(logs)


@pytest.mark.parametrize("seed", range(3))
def test_log_loss_is_entropy_and_a_poisson_deviance_is_twice_the_half(seed):
    X, y, weight = rows(seed, "classes")
    ours = bw.TreeClassifier(criterion="entropy", max_depth=2).fit(X, y, sample_weight=weight)
    theirs = DecisionTreeClassifier(criterion="log_loss", max_depth=2).fit(X, y, sample_weight=weight)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X))
    counts = bw.TreeRegressor(criterion="poisson", max_depth=2).fit(X, y, sample_weight=weight)
    peer = DecisionTreeRegressor(criterion="poisson", max_depth=2).fit(X, y, sample_weight=weight)
    assert counts.predict(X) == pytest.approx(peer.predict(X))
    assert counts.tree_.impurity[0] == pytest.approx(2 * peer.tree_.impurity[0])


@pytest.mark.parametrize("name", ["splitter", "max_features", "monotonic_cst", "ccp_alpha"])
def test_what_the_page_calls_none_is_refused_by_the_constructor(name):
    assert f"`{name}" in PAGE
    with pytest.raises(TypeError, match=name):
        bw.TreeClassifier(**{name: None})


@pytest.mark.parametrize(
    ("kind", "criterion"),
    [
        (bw.TreeRegressor, "absolute_error"),
        (bw.TreeRegressor, "friedman_mse"),
        (bw.TreeClassifier, "log_loss"),
    ],
)
def test_criteria_of_other_names_are_refused_with_ours(kind, criterion):
    assert f'"{criterion}"' in PAGE
    with pytest.raises(ParameterError, match="Expected one of"):
        kind(criterion=criterion).fit([[0], [1]], [0, 1])


def test_every_setting_of_scikit_learns_trees_is_on_the_page():
    names = {name for _, theirs in PAIRS.values() for name in theirs().get_params()}
    assert {name for name in names if f"`{name}" not in PAGE} == set()


def test_a_class_weight_of_zero_and_a_limit_of_one_point_nothing_differ_as_the_page_says():
    X, y, _ = rows(0, "classes")
    DecisionTreeClassifier(class_weight={0: 0}).fit(X, y)
    with pytest.raises(ParameterError, match="above 0"):
        bw.TreeClassifier(class_weight={0: 0}).fit(X, y)
    theirs = DecisionTreeClassifier(min_samples_split=1.0).fit(X, y)
    ours = bw.TreeClassifier(min_samples_split=1.0).fit(X, y)
    assert theirs.get_depth() == 1 and ours.get_depth() > 1
