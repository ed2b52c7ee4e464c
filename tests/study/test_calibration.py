"""Calibrated copies: leaves against counting by hand, curves against scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.study.calibration import STRENGTHS

X, y = bw.study.CheckerboardSampler()(1500, seed=4)
TRAIN, OTHERS, TEST = slice(0, 500), slice(500, 1000), slice(1000, 1500)


def by_hand(tree, rows, answers, m):
    """Count the rows of every leaf, and mix their shares with those of training."""
    leaves, classes = tree.apply(rows), tree.classes_
    before = tree.tree_.distribution
    whole = before[0] / before[0].sum()
    found = {}
    for leaf in np.flatnonzero(tree.tree_.feature < 0).tolist():
        counts = np.array([(answers[leaves == leaf] == label).sum() for label in classes])
        base = (before[leaf] + whole) / (before[leaf].sum() + 1)
        found[leaf] = (counts + m * base) / (counts.sum() + m), counts, base
    return found


def left_out(leaves, m):
    total = 0.0
    for _, counts, base in leaves.values():
        for c in range(len(counts)):
            for _ in range(int(counts[c])):
                total -= np.log((counts[c] - 1 + m * base[c]) / (counts.sum() - 1 + m))
    return total


def test_leaves_have_the_shares_of_the_rows_and_of_training():
    tree = bw.TreeClassifier(min_samples_leaf=3).fit(X[TRAIN], y[TRAIN])
    copy = bw.study.calibrate(tree, X[OTHERS], y[OTHERS])
    chosen = min(STRENGTHS, key=lambda m: left_out(by_hand(tree, X[OTHERS], y[OTHERS], m), m))
    for leaf, (shares, _, _) in by_hand(tree, X[OTHERS], y[OTHERS], chosen).items():
        assert copy.tree_.value[leaf] == pytest.approx(shares)
    assert type(copy) is bw.TreeClassifier and (copy.apply(X) == tree.apply(X)).all()
    assert tree.tree_.value.max() == 1  # the given tree stays as it is
    assert log_loss(y[TEST], copy.predict_proba(X[TEST])) < log_loss(y[TEST], tree.predict_proba(X[TEST]))
    assert copy.predict_proba(X[TEST]).sum(axis=1) == pytest.approx(1)


def test_the_copy_is_an_ordinary_tree(tmp_path):
    tree = bw.C45Classifier().fit(X[TRAIN], y[TRAIN])
    model = bw.study.calibrate(tree.model_, X[OTHERS], y[OTHERS])
    bw.save(model, tmp_path / "tree.bw")
    assert (bw.load(tmp_path / "tree.bw").predict_proba(X[TEST]) == model.predict_proba(X[TEST])).all()
    assert "→" in model.to_text() and "SELECT" in model.export("sql")


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_curves_are_scikit_learns(method):
    for est in (bw.RandomForestClassifier(n_estimators=5, random_state=0), GaussianNB()):
        est.fit(X[TRAIN], y[TRAIN])
        copy = bw.study.calibrate(est, X[OTHERS], y[OTHERS], method=method)
        theirs = CalibratedClassifierCV(FrozenEstimator(est), method=method).fit(X[OTHERS], y[OTHERS])
        assert (copy.predict_proba(X[TEST]) == theirs.predict_proba(X[TEST])).all()
    usual = bw.study.calibrate(est, X[OTHERS], y[OTHERS])
    assert usual.method == "sigmoid"
    assert bw.study.report(usual, X[TEST], y[TEST], n_bootstrap=5)["log_loss"].value > 0


def test_what_cannot_be_calibrated_is_refused():
    tree = bw.TreeClassifier(max_depth=2).fit(X[TRAIN], y[TRAIN])
    forest = bw.RandomForestClassifier(n_estimators=2).fit(X[TRAIN], y[TRAIN])
    numbers = bw.TreeRegressor(max_depth=2).fit(X[TRAIN], X[TRAIN][:, 0])
    with pytest.raises(ParameterError, match="predicts numbers"):
        bw.study.calibrate(numbers, X[OTHERS], X[OTHERS][:, 0])
    with pytest.raises(ParameterError, match="method='platt'; expected None or one of 'leaves'"):
        bw.study.calibrate(tree, X[OTHERS], y[OTHERS], method="platt")
    with pytest.raises(
        ParameterError, match="'leaves' is for single trees; RandomForestClassifier is not one"
    ):
        bw.study.calibrate(forest, X[OTHERS], y[OTHERS], method="leaves")
    with pytest.raises(ParameterError, match="is for estimators with scikit-learn's interface"):
        bw.study.calibrate(forest.model_, X[OTHERS], y[OTHERS])
    strange = y[OTHERS].astype(object)
    strange[4] = "grey"
    with pytest.raises(ParameterError, match="y, row 4: 'grey' is not a class of the tree"):
        bw.study.calibrate(tree, X[OTHERS], strange)
