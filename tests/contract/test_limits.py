"""Limits on samples: shares of the table, and weights that are too light for them."""

import math
import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import branchwork as bw
from branchwork.errors import LowWeightWarning
from contract.checks import arrays

from registry import ESTIMATORS, EVERYTHING

LIMITS = ("min_samples_split", "min_samples_leaf")
CASES = [(f, limit) for f in ESTIMATORS for limit in LIMITS if limit in f().get_params()]


def some_rows(rng, rows):
    X = rng.normal(size=(rows, 3)).astype(np.float32)
    return X, ((X[:, 0] > 0) ^ (rng.random(rows) < 0.3)).astype(int)


@pytest.mark.parametrize("seed", range(20))
def test_a_share_gives_scikit_learns_tree(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(30, 150))
    X, y = some_rows(rng, rows)
    X = X[:, :1]  # scikit-learn breaks ties of columns by chance
    share = [0.1, 0.07, 0.3, 0.02, float(rng.random() / 2)][seed % 5]
    settings = {LIMITS[seed % 2]: share, "max_depth": 4}
    for ours, theirs in (
        (bw.TreeClassifier, DecisionTreeClassifier),
        (bw.TreeRegressor, DecisionTreeRegressor),
    ):
        tree = ours(**settings).fit(X, y)
        peer = theirs(**settings, random_state=0).fit(X, y)
        assert tree.get_n_leaves() == peer.get_n_leaves()
        assert tree.predict(X) == pytest.approx(peer.predict(X))


def test_a_share_is_rounded_up_as_scikit_learn_rounds_it():
    """0.07 · 100 is 7.000000000000001 in floating point: 8 rows."""
    X, y = np.arange(100.0).reshape(-1, 1), np.arange(100) < 7
    peer = DecisionTreeClassifier(min_samples_leaf=0.07).fit(X, y)
    assert bw.TreeClassifier(min_samples_leaf=0.07, max_depth=1).fit(X, y).tree_.n_rows.tolist()[1] == 8
    assert peer.tree_.n_node_samples[1] == 8


@pytest.mark.parametrize(("factory", "limit"), CASES)
def test_a_share_is_the_limit_that_it_stands_for(factory, limit):
    X, y = some_rows(np.random.default_rng(3), 90)
    for share in (0.1, 0.25):
        tree = factory().set_params(**{limit: share}).fit(X, y)
        same = factory().set_params(**{limit: math.ceil(share * 90)}).fit(X, y)
        assert arrays(tree) == arrays(same)
        assert limit == "min_samples_split" or tree.tree_.n_rows[tree.tree_.feature < 0].min() >= share * 90


@pytest.mark.parametrize(("factory", "limit"), CASES)
def test_a_share_is_of_all_weight_and_whole_weights_are_copies(factory, limit):
    rng = np.random.default_rng(4)
    X, y = some_rows(rng, 60)
    weights = rng.integers(0, 4, 60)
    copies = np.repeat(np.arange(60), weights)
    estimator = factory().set_params(**{limit: 0.07})
    tree = estimator.fit(X, y, sample_weight=weights).tree_
    copied = factory().set_params(**{limit: 0.07}).fit(X[copies], y[copies]).tree_
    assert tree.feature.tolist() == copied.feature.tolist()
    assert tree.weight == pytest.approx(copied.weight)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("factory", [bw.TreeClassifier, bw.CARTClassifier, bw.TreeRegressor])
def test_a_share_does_not_depend_on_the_unit_of_weights(factory, limit):
    rng = np.random.default_rng(5)
    X, y = some_rows(rng, 60)
    weights = rng.random(60)
    trees = [
        factory().set_params(**{limit: 0.15}).fit(X, y, sample_weight=weights * unit).tree_
        for unit in (1 / weights.sum(), 1.0, 1e6)
    ]
    assert trees[0].n_nodes > 1
    assert trees[0].feature.tolist() == trees[1].feature.tolist() == trees[2].feature.tolist()
    if limit == "min_samples_leaf":
        leaves = trees[0].feature < 0
        assert trees[0].weight[leaves].min() >= 0.15 * (1 - 1e-9)


def test_from_one_on_a_float_is_a_weight():
    X, y = some_rows(np.random.default_rng(6), 60)
    tree = bw.TreeClassifier().fit(X, y)
    assert arrays(bw.TreeClassifier(min_samples_split=1.0, min_samples_leaf=1.0).fit(X, y)) == arrays(tree)
    assert bw.TreeClassifier(min_samples_leaf=7.5).fit(X, y).tree_.n_rows[-1] >= 8


def test_working_with_the_data_handed_back_knows_the_share():
    X, y = some_rows(np.random.default_rng(7), 90)
    tree = bw.CHAIDClassifier(min_samples_leaf=0.3).fit(X, y)
    assert tree.working(0, X, y).to_dict()[0]["gain"] == tree.working(0).to_dict()[0]["gain"]


def test_like_rpart_takes_a_share():
    assert bw.CARTClassifier.like_rpart(min_samples_split=0.3).min_samples_leaf == pytest.approx(0.1)
    assert bw.CARTClassifier.like_rpart(min_samples_split=60).min_samples_leaf == 20
    assert bw.CARTClassifier.like_rpart(min_samples_split="x").min_samples_leaf == 7  # fit refuses the other


LIGHT = [
    (bw.C45Classifier(), "min_cases=2", False),
    (bw.C45Classifier(variant="j48"), "min_cases=2", False),
    (bw.RuleListClassifier(), "min_cases=2", False),
    (bw.CHAIDClassifier(), "alpha_split=0.05", False),
    (bw.CHAIDRegressor(), "alpha_split=0.05", False),
    (bw.CARTClassifier.like_rpart(), "min_samples_split=20 and min_samples_leaf=7", True),
    (bw.CARTRegressor.like_rpart(), "min_samples_split=20 and min_samples_leaf=7", True),
    (bw.TreeClassifier(min_samples_leaf=3), "min_samples_leaf=3", True),
    (bw.TreeRegressor(min_samples_split=5), "min_samples_split=5", True),
    (bw.ID3Classifier(max_p_value=0.01), "max_p_value=0.01", False),
    (bw.StumpRegressor(criterion="variance"), 'criterion="variance"', False),
]


@pytest.mark.parametrize(("estimator", "limit", "can_be_lowered"), LIGHT, ids=str)
def test_weights_too_light_to_split_are_told_with_the_limit_and_a_way_out(estimator, limit, can_be_lowered):
    X, y = some_rows(np.random.default_rng(8), 200)
    weights = np.full(200, 1 / 200)
    with pytest.warns(LowWeightWarning) as caught:
        estimator.fit(X, y, sample_weight=weights)
    message = str(caught[0].message)
    assert len(caught) == 1 and estimator.get_n_leaves() == 1
    assert "200 rows add up to 1" in message and limit in message
    assert "sample_weight * (len(y) / sum(sample_weight))" in message
    estimator.fit(
        X, y, sample_weight=weights * (len(y) / sum(weights))
    )  # what the message says, and no warning
    assert estimator.get_n_leaves() > 1
    assert ("or lower" in message) == can_be_lowered
    if can_be_lowered:
        estimator.set_params(**dict.fromkeys(LIMITS, 0)).fit(X, y, sample_weight=weights)
        assert estimator.get_n_leaves() > 1


def test_a_lower_min_cases_is_advised_where_it_helps():
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) // 10
    weights = np.full(20, 3 / 20)
    with pytest.warns(LowWeightWarning, match="add up to 3: .* or lower min_cases"):
        bw.C45Classifier(pruning=None).fit(X, y, sample_weight=weights)
    tree = bw.C45Classifier(pruning=None, min_cases=1, threshold_penalty=False)
    assert tree.fit(X, y, sample_weight=weights).get_n_leaves() == 2


@pytest.mark.parametrize("factory", EVERYTHING)
def test_no_such_warning_where_other_weights_would_not_help(factory):
    X, y = some_rows(np.random.default_rng(9), 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LowWeightWarning)
        constant = np.zeros_like(X)
        factory().fit(constant, y, sample_weight=np.full(60, 1 / 60))  # nothing to split by
        factory().fit(X, y, sample_weight=np.full(60, 2.0))
        factory().fit(X, y)
        if "max_depth" in factory().get_params():
            factory().set_params(max_depth=0).fit(X, y, sample_weight=np.full(60, 1 / 60))
