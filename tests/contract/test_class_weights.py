"""Class weights: scikit-learn's meaning on every classifier, and no key that is silently ignored."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import branchwork as bw
from branchwork.errors import ParameterError
from contract.checks import X4, Y4, arrays

from registry import CLASSIFIERS, RULE_LISTS

EVERY_CLASSIFIER = [*CLASSIFIERS, *RULE_LISTS]


@pytest.mark.parametrize("factory", EVERY_CLASSIFIER)
def test_a_key_that_is_no_class_is_refused_with_the_classes(factory):
    with pytest.raises(ParameterError) as caught:
        factory(class_weight={"0": 1, "1": 50}).fit(X4, Y4)
    message = str(caught.value)
    assert "class_weight" in message and "'0', which is no class of y" in message
    assert "Did you mean 0?" in message and "[0, 1]" in message
    with pytest.raises(ParameterError, match="'maybe', which is no class"):
        factory(class_weight={"no": 1, "maybe": 5}).fit(X4, ["no", "no", "yes", "yes"])


@pytest.mark.parametrize("factory", EVERY_CLASSIFIER)
def test_weights_for_all_classes_may_have_one_that_this_part_of_the_table_lacks(factory):
    weights = {"a": 1, "b": 2, "rare": 9}
    X, y = np.arange(12.0).reshape(-1, 1), ["rare"] + ["a", "b"] * 5 + ["b"]
    scores = cross_val_score(factory(class_weight=weights), X, y, cv=KFold(3), error_score="raise")
    assert len(scores) == 3
    declared = pd.Categorical(["a", "b"] * 6, categories=["a", "b", "rare"])
    factory(class_weight={"a": 2, "rare": 5}).fit(X, declared)


@pytest.mark.parametrize(
    "weights", [{0: 0}, {0: -1}, {0: np.nan}, {0: "1"}, {0: True}, {0: 10**400}, {0: np.inf}], ids=str
)
def test_a_class_weight_is_a_number_above_zero(weights):
    with pytest.raises(ParameterError, match=r"class_weight\[0\]="):
        bw.TreeClassifier(class_weight=weights).fit(X4, Y4)


def test_balanced_weights_count_rows_as_scikit_learn_does():
    X, y, weight = [[0], [0], [1], [1]], [0, 1, 1, 1], [1, 1, 1, 6]
    for factory in (bw.TreeClassifier, bw.CARTClassifier):
        tree = factory(class_weight="balanced").fit(X, y, sample_weight=weight)
        assert tree.predict_proba([[0]])[0].tolist() == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize("seed", range(30))
def test_probabilities_are_those_of_scikit_learn_on_random_tables(seed):
    rng = np.random.default_rng(seed)
    rows, n_classes = int(rng.integers(20, 120)), int(rng.integers(2, 5))
    X = rng.normal(size=(rows, 1)).astype(
        np.float32
    )  # one column: scikit-learn breaks ties of columns by chance
    y = rng.integers(0, n_classes, rows)
    y[:n_classes] = np.arange(n_classes)
    sample_weight = [
        None,
        rng.random(rows) * (rng.random(rows) < 0.7),  # rows of weight 0 count for "balanced"
        rng.random(rows),
    ][seed % 3]
    if sample_weight is not None:
        sample_weight[:n_classes] += 0.5
    weights = ["balanced", {k: float(rng.integers(1, 9)) for k in range(n_classes)}, {0: 3.5}][seed // 3 % 3]
    settings = {"class_weight": weights, "max_depth": 3}
    ours = bw.TreeClassifier(**settings).fit(X, y, sample_weight=sample_weight)
    theirs = DecisionTreeClassifier(**settings, random_state=0).fit(X, y, sample_weight=sample_weight)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-9)


@pytest.mark.parametrize("factory", EVERY_CLASSIFIER)
def test_class_weights_are_sample_weights_by_class(factory):
    """But for limits on samples, which do not count them."""
    rng = np.random.default_rng(0)
    X = {"a": rng.integers(0, 5, 200).astype(float), "b": rng.choice(["x", "y", "z"], 200).tolist()}
    y = (X["a"] + rng.normal(size=200) > 2).astype(int)
    weighted = factory(class_weight={0: 1, 1: 4}).fit(X, y)
    by_row = factory().fit(X, y, sample_weight=np.where(y == 1, 4.0, 1.0))
    assert weighted.tree_.n_nodes > 1
    assert weighted.predict_proba(X) == pytest.approx(by_row.predict_proba(X))
    assert arrays(factory(class_weight={0: 1, 1: 1}).fit(X, y)) == arrays(factory().fit(X, y))


@pytest.mark.parametrize("factory", [bw.CHAIDClassifier, bw.TreeClassifier, bw.CARTClassifier])
def test_limits_on_samples_do_not_count_class_weights(factory):
    rng = np.random.default_rng(1)
    X = rng.choice(["p", "q", "r", "s"], (300, 2))
    y = (X[:, 0] == "p") ^ (rng.random(300) < 0.2)
    tree = factory(min_samples_leaf=60, class_weight={True: 100, False: 100}).fit(X, y)
    assert tree.tree_.n_nodes > 1
    assert tree.tree_.n_rows[tree.tree_.feature < 0].min() >= 60
    assert factory(min_samples_split=301, class_weight="balanced").fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("factory", EVERY_CLASSIFIER)
def test_logarithms_of_probabilities_are_scikit_learns(factory):
    estimator = factory().fit(np.repeat(X4, 5, axis=0), np.repeat(Y4, 5))
    logs = estimator.predict_log_proba(X4)
    with np.errstate(divide="ignore"):
        assert (logs == np.log(estimator.predict_proba(X4))).all()


def test_the_logarithm_of_zero_is_minus_infinity_without_a_warning():
    with np.errstate(divide="ignore"):
        theirs = DecisionTreeClassifier().fit(X4, Y4).predict_log_proba(X4)
    assert bw.TreeClassifier().fit(X4, Y4).predict_log_proba(X4).tolist() == theirs.tolist()
    assert np.isneginf(theirs).any()


PRIORS = pd.Series({"no": 0.25, "yes": 0.75})
LOSS = pd.DataFrame([[0, 5], [1, 0]], index=["no", "yes"], columns=["no", "yes"])


def test_priors_and_losses_of_pandas_go_by_their_labels():
    X, y = np.arange(8.0).reshape(-1, 1) // 3, ["no", "yes"] * 4
    plain = bw.CARTClassifier(priors=[0.25, 0.75], loss=[[0, 5], [1, 0]]).fit(X, y)
    turned = bw.CARTClassifier(priors=PRIORS[::-1], loss=LOSS.iloc[::-1, ::-1]).fit(X, y)
    assert arrays(plain) == arrays(turned)
    unnamed = bw.CARTClassifier(priors=pd.Series([0.25, 0.75]), loss=pd.DataFrame([[0, 5], [1, 0]])).fit(X, y)
    assert arrays(plain) == arrays(unnamed)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"priors": PRIORS.rename({"no": "never"})}, "priors has 'never', which is no class of y"),
        ({"loss": LOSS.rename(index={"no": "never"})}, "loss has 'never', which is no class of y"),
        ({"loss": LOSS.rename(columns={"yes": "never"})}, "loss has 'never', which is no class of y"),
        ({"priors": 10**400}, "priors="),
        ({"priors": [0.5, 0.25, 0.25]}, "one number for each of the classes"),
        ({"loss": 1 - np.eye(3)}, "a square table of 2 rows, one for each of the classes"),
    ],
)
def test_priors_and_losses_of_other_labels_are_refused(settings, says):
    with pytest.raises(ParameterError, match=says):
        bw.CARTClassifier(**settings).fit(X4, ["no", "no", "yes", "yes"])
