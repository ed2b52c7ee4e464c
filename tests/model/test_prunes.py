"""A loaded model scores, is pruned, and has importances and a path of complexities as its estimator has."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score

import branchwork as bw
from branchwork.errors import DataError, ParameterError, TargetError
from branchwork.prune.methods import METHODS

from program_cases import random_table
from registry import CLASSIFIERS, ESTIMATORS


def data_for(factory, rows=90):
    rng = np.random.default_rng(5)
    table = random_table(rng, rows)
    score = sum(np.nan_to_num(a, posinf=0) / (np.abs(np.nan_to_num(a)).max() or 1) for a in table.arrays)
    score = score + 0.3 * rng.normal(size=rows)
    y = score if factory not in CLASSIFIERS else np.where(score > np.median(score), "yes", "no")
    return table, y, rng.random(rows)


@pytest.fixture(params=ESTIMATORS, ids=lambda factory: factory.__name__)
def both(request, tmp_path):
    table, y, weights = data_for(request.param)
    estimator = request.param().fit(table, y)
    return estimator, bw.load(bw.save(estimator, tmp_path / "m.bw")), table, y, weights


def test_the_score_is_that_of_the_estimator_and_of_scikit_learn(both):
    estimator, model, table, y, weights = both
    measure = accuracy_score if model.labels is not None else r2_score
    for sample_weight in (None, weights):
        expected = measure(y, estimator.predict(table), sample_weight=sample_weight)
        found = model.score(table, y, sample_weight)
        assert found == estimator.score(table, y, sample_weight) == pytest.approx(expected, rel=1e-12)


def test_importances_and_path_are_those_of_the_estimator(both):
    estimator, model, *_ = both
    assert model.feature_importances_.tobytes() == estimator.feature_importances_.tobytes()
    ours, theirs = model.cost_complexity_path(), estimator.cost_complexity_path()
    assert ours.ccp_alphas.tobytes() == theirs.ccp_alphas.tobytes() == theirs["ccp_alphas"].tobytes()
    assert ours.impurities.tobytes() == theirs.impurities.tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_a_model_is_pruned_as_its_estimator_is(both, method):
    estimator, model, table, y, weights = both
    rows = {"X": table, "y": y, "sample_weight": weights} if METHODS[method].rows == "held-out" else {}
    try:
        expected = estimator.prune(method, **rows)
    except (ParameterError, TargetError) as error:
        with pytest.raises(type(error)) as ours:
            model.prune(method, **rows)
        assert str(ours.value) == str(error)
        return
    before = model.to_text()
    pruned = model.prune(method, **rows)
    assert type(pruned) is bw.Model and pruned.to_text() == expected.to_text()
    assert model.to_text() == before


def test_folds_find_the_same_complexity(both):
    estimator, model, table, y, _ = both
    if model.tree.shares_rows:
        return
    expected = estimator.prune("cost_complexity", table, y, folds=3, choose="1se")
    assert model.prune("cost_complexity", table, y, folds=3, choose="1se").to_text() == expected.to_text()


def test_rows_that_do_not_fit_are_refused(both):
    _, model, table, y, _ = both
    with pytest.raises(ParameterError, match="X was given without y; both are needed"):
        model.prune("reduced_error", table)
    with pytest.raises(DataError, match="X has 90 rows, but y has 80"):
        model.prune("reduced_error", table, y[:80])
    with pytest.raises(DataError, match="X has 90 rows, but y has 80"):
        model.score(table, y[:80])


def test_scores_at_the_edge():
    tree = bw.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    assert tree.score([[0.0], [0.0]], [0.0, 0.0]) == 1.0
    assert tree.score([[1.0], [0.0]], [0.0, 0.0]) == 0.0
    assert np.isnan(tree.score([[1.0]], [1.0]))
    classes = bw.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
    assert classes.score([[0.0], [1.0]], ["a", "never seen"]) == 0.5


def test_importances_of_several_trees_are_those_of_scikit_learn():
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier

    X = np.random.default_rng(0).random((80, 4))
    forest = RandomForestClassifier(5, random_state=0).fit(X, X[:, 0] + X[:, 1] > 1)
    boosted = GradientBoostingRegressor(n_estimators=5).fit(X, X[:, 2])
    for theirs in (forest, boosted):
        np.testing.assert_allclose(
            bw.from_sklearn(theirs).feature_importances_, theirs.feature_importances_, atol=1e-6
        )


def test_what_other_libraries_do_not_tell_is_refused():
    from sklearn.ensemble import HistGradientBoostingRegressor

    X = np.random.default_rng(0).random((80, 2))
    tree = bw.from_sklearn(HistGradientBoostingRegressor(max_iter=1).fit(X, X[:, 0])).member(0)
    with pytest.raises(ParameterError, match="The impurity of this tree's nodes is not known"):
        tree.cost_complexity_path()
    for method in ("cost_complexity", "significance"):
        with pytest.raises(ParameterError, match="is not known"):
            tree.prune(method)
    assert tree.prune("reduced_error", X, X[:, 0]).tree.n_nodes >= 1
