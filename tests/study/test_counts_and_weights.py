"""Models of counts are judged by their deviance, and rows count by their weights, in every study."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, PoissonRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.tree import DecisionTreeRegressor

import branchwork as bw
from branchwork.errors import ParameterError, TargetError
from branchwork.measure.losses import SQUARED_ERROR, poisson_loss
from branchwork.study.sources import Coder
from branchwork.study.tuning_fits import FitTrials
from branchwork.study.tuning_trees import TreeTrials
from branchwork.study.tuning_trials import trials_of

RNG = np.random.default_rng(0)
N = 400
X = RNG.normal(size=(N, 3)).round(1)
Y = RNG.poisson(np.exp(0.4 * X[:, 0] - 0.3 * (X[:, 1] > 0)))
LABELS = np.where(Y > 1, "many", "few")
WEIGHTS = RNG.uniform(0.2, 3.0, N).round(2)
FOLD = np.arange(N) % 3
GRID = {"max_depth": [1, 2, 4, None], "min_samples_leaf": [1, 20]}
COUNTS = bw.TreeRegressor(criterion="poisson")


def raised(answers, truth):
    """Rates below a thousandth of the mean count as that."""
    return np.maximum(answers, 1e-3 * np.mean(truth))


def loss_of(est, answers, truth, weights, by_counts):
    if hasattr(est, "predict_proba"):
        return np.average(answers != truth, weights=weights)
    if by_counts:
        return mean_poisson_deviance(truth, raised(answers, Y), sample_weight=weights)
    return np.average((answers - truth) ** 2, weights=weights)


def by_hand(est, y, weights, by_counts=False):
    """Fit on the training rows of each fold; return training and validation losses."""
    found = []
    for k in range(3):
        train, test = np.flatnonzero(k != FOLD), np.flatnonzero(k == FOLD)
        fitted = bw_clone(est).fit(X[train], y[train], None if weights is None else weights[train])
        found.append(
            [
                loss_of(
                    est,
                    fitted.predict(X[rows]),
                    y[rows],
                    None if weights is None else weights[rows],
                    by_counts,
                )
                for rows in (train, test)
            ]
        )
    return np.array(found).T


def bw_clone(est):
    return type(est)(**est.get_params(deep=False))


CASES = [
    pytest.param(COUNTS, Y, True, id="counts"),
    pytest.param(bw.TreeRegressor(), Y, False, id="numbers"),
    pytest.param(bw.TreeClassifier(), LABELS, False, id="classes"),
    pytest.param(
        bw.RandomForestRegressor(4, criterion="poisson", random_state=0), Y, True, id="a forest of counts"
    ),
]


def test_the_deviance_is_that_of_scikit_learn():
    answers = np.where(RNG.random(N) < 0.2, 0.0, np.exp(0.4 * X[:, 0]))
    loss = poisson_loss(Y)
    assert loss.of_rows(answers, Y).mean() == pytest.approx(mean_poisson_deviance(Y, raised(answers, Y)))
    assert np.isfinite(loss.of_rows(np.zeros(N), Y)).all()


@pytest.mark.parametrize("weights", [None, WEIGHTS, np.where(np.arange(N) % 9, WEIGHTS, 0.0)])
@pytest.mark.parametrize(("est", "y", "by_counts"), CASES)
def test_a_curve(est, y, by_counts, weights):
    values = [1, 2, 4]
    found = bw.study.curve(est, X, y, "max_depth", values, sample_weight=weights, folds=FOLD)
    for k, value in enumerate(values):
        training, validation = by_hand(bw_clone(est).set_params(max_depth=value), y, weights, by_counts)
        np.testing.assert_allclose(found.training_folds[k], training)
        np.testing.assert_allclose(found.validation_folds[k], validation)
    assert found.to_dict()["measure"] == found.measure
    assert ("Poisson" in found.measure) == by_counts


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(("est", "y", "by_counts"), CASES)
def test_tuning(est, y, by_counts, weights):
    tuned = bw_clone(est).tune(X, y, grid=GRID, sample_weight=weights, folds=FOLD, nested=False)
    found = tuned.tuning_
    for setting, errors in zip(found.settings, found.folds, strict=True):
        _, validation = by_hand(bw_clone(est).set_params(**setting), y, weights, by_counts)
        np.testing.assert_allclose(errors, validation)
    again = bw_clone(est).set_params(**found.chosen).fit(X, y, weights)
    assert (tuned.predict(X) == again.predict(X)).all()


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(("est", "y", "by_counts"), CASES[:3])
def test_one_tree_for_all_depths_measures_what_one_fit_for_each_does(est, y, by_counts, weights):
    grid = {"max_depth": (1, 3, None), "ccp_alpha": (0.0, 0.003, 0.02)}
    coder = Coder(y is LABELS, poisson_loss(Y) if by_counts else None)
    coder.code(y)
    parts = [(np.flatnonzero(k != FOLD), np.flatnonzero(k == FOLD)) for k in range(3)]
    fast = trials_of(est, X, y, grid, coder, 1, weights)
    assert type(fast) is TreeTrials
    slow = FitTrials(est, X, y, grid, coder, 1, weights)
    for one, other in zip(
        fast.measured(parts, lambda _: None), slow.measured(parts, lambda _: None), strict=True
    ):
        np.testing.assert_allclose(one.loss, other.loss)
        np.testing.assert_allclose(one.leaves, other.leaves)


def test_a_comparison_is_by_the_deviance_if_all_learners_minimise_it():
    ours, theirs = bw.CARTRegressor(criterion="poisson", max_depth=3), PoissonRegressor()
    found = bw.compare({"ours": ours, "theirs": theirs}, X, Y, sample_weight=WEIGHTS, cv=FOLD)
    sizes = np.array([WEIGHTS[k == FOLD].sum() for k in range(3)])
    for name, est in (("ours", ours), ("theirs", theirs)):
        _, validation = by_hand(est, Y, WEIGHTS, by_counts=True)
        place = found.names.index(name)
        np.testing.assert_allclose(found.fold_losses[place], validation)
        assert found.errors[place] == pytest.approx(np.average(validation, weights=sizes))
    mean = np.average(Y, weights=WEIGHTS)
    assert found.errors[0] == pytest.approx(mean_poisson_deviance(Y, np.full(N, mean), sample_weight=WEIGHTS))
    assert "mean Poisson deviance" in str(found)
    mixed = [ours, DecisionTreeRegressor(criterion="poisson", max_depth=3), LinearRegression()]
    assert bw.compare(mixed[:2], X, Y, cv=3).measure == "mean Poisson deviance"
    assert bw.compare(mixed, X, Y, cv=3).measure == "root mean squared error"
    assert bw.compare(mixed, X, Y, cv=3, loss="poisson").measure == "mean Poisson deviance"
    assert bw.compare(mixed[:2], X, Y, cv=3, loss="squared_error").measure == "root mean squared error"


def test_a_report_of_counts_begins_with_the_deviance():
    train, test = np.arange(0, N, 2), np.arange(1, N, 2)
    est = bw.CARTRegressor(criterion="poisson", max_depth=2).fit(X[train], Y[train], WEIGHTS[train])
    given = {"sample_weight": WEIGHTS[test], "train": (X[train], Y[train], WEIGHTS[train]), "n_bootstrap": 30}
    found = bw.study.report(est, X[test], Y[test], **given)
    one = found.figures[0]
    assert (one.name, one.title) == ("deviance", "mean Poisson deviance")
    for value, rows, answers in (
        (one.value, test, est.predict(X[test])),
        (one.training, train, est.predict(X[train])),
        (one.baseline.value, test, np.full(len(test), np.average(Y[train], weights=WEIGHTS[train]))),
    ):
        expected = mean_poisson_deviance(Y[rows], raised(answers, Y[test]), sample_weight=WEIGHTS[rows])
        assert getattr(value, "value", value) == pytest.approx(expected)
    own = bw.study.report(est, X[train], Y[train], n_bootstrap=30)
    assert own.figures[0].verdict == "better"
    again = bw.study.report(est.model_, X[test], Y[test], **given)
    assert again.to_text().splitlines()[1:] == found.to_text().splitlines()[1:]
    plain = bw.study.report(bw.CARTRegressor(max_depth=2).fit(X, Y), X, Y, n_bootstrap=30)
    assert plain.figures[0].name == "mse"


def test_what_has_no_deviance_is_refused():
    negative = Y - 1.0
    with pytest.raises(
        TargetError, match=r'y, row \d+: -1.0 found, but loss="poisson" needs counts, 0 or more'
    ):
        bw.study.curve(bw.TreeRegressor(), X, negative, "max_depth", [1], loss="poisson")
    with pytest.raises(TargetError, match=r'y is zero in every row, but loss="poisson" needs a positive sum'):
        bw.compare([bw.TreeRegressor()], X, 0.0 * Y, loss="poisson")
    with pytest.raises(ParameterError, match="loss='poisson' is for numbers"):
        bw.TreeClassifier().tune(X, LABELS, loss="poisson")
    with pytest.raises(ParameterError, match="loss='gamma'; expected 'squared_error', 'poisson' or None"):
        bw.study.curve(COUNTS, X, Y, "max_depth", [1], loss="gamma")
    assert SQUARED_ERROR.title == "mean squared error"


def test_weights_of_validation_rows():
    held, rest = np.arange(0, N, 4), np.flatnonzero(np.arange(N) % 4)
    found = bw.study.curve(
        COUNTS, X[rest], Y[rest], "max_depth", [2], validation=(X[held], Y[held], WEIGHTS[held])
    )
    est = bw_clone(COUNTS).set_params(max_depth=2).fit(X[rest], Y[rest])
    every = np.concatenate([Y[rest]])
    expected = mean_poisson_deviance(
        Y[held], np.maximum(est.predict(X[held]), 1e-3 * every.mean()), sample_weight=WEIGHTS[held]
    )
    assert found.validation[0] == pytest.approx(expected)
