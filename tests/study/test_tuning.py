"""Tuning: the same numbers as fitting every setting on every fold, whichever way they are found; and nested folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from branchwork.learn.threads import thread_count
from branchwork.measure.folds import deal
from branchwork.study.sources import Coder
from branchwork.study.tuning_fits import FitTrials
from branchwork.study.tuning_forests import ForestTrials
from branchwork.study.tuning_grid import settings_of, usual_grid
from branchwork.study.tuning_optimal import OptimalTrials
from branchwork.study.tuning_result import best_of, one_se_of
from branchwork.study.tuning_trees import TreeTrials
from branchwork.study.tuning_trials import trials_of
from branchwork.table.target import classes, values

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(90, 3)).round(1)
LABELS = np.where((NUMBERS[:, 0] > 0) ^ (RNG.random(90) < 0.2), "yes", "no")
HEIGHTS = NUMBERS[:, 0] ** 2 + RNG.normal(size=90) * 0.3
MIXED = pd.DataFrame(NUMBERS, columns=["a", "b", "c"]).assign(
    d=pd.Categorical(RNG.choice(["x", "y", "z", "w"], 90)),
    e=np.where(RNG.random(90) < 0.15, np.nan, NUMBERS[:, 1]),
)
TREES = {"max_depth": (1, 3, None), "min_samples_leaf": (1, 4), "ccp_alpha": (0.0, 0.01, 0.05)}
CASES = [
    (bw.TreeClassifier(), TREES, TreeTrials),
    (bw.TreeClassifier(), {"ccp_alpha": (0.0, 0.02), "criterion": ("gini", "entropy")}, TreeTrials),
    (bw.TreeClassifier(handle_unknown="majority"), {"max_depth": (0, 2, 5)}, TreeTrials),
    (bw.CARTClassifier(max_surrogates=2), TREES, TreeTrials),
    (bw.ID3Classifier(), {"max_depth": (1, 2, None), "ccp_alpha": (0.0, 0.1)}, TreeTrials),
    (bw.TreeRegressor(), TREES, TreeTrials),
    (bw.CARTRegressor(), {"max_depth": (2, 4)}, TreeTrials),
    (bw.TreeClassifier(missing="share"), {"max_depth": (1, 3)}, FitTrials),
    (bw.TreeClassifier(class_weight="balanced"), {"max_depth": (1, 3), "ccp_alpha": (0.0, 0.05)}, FitTrials),
    (bw.TreeClassifier(honest=True), {"max_depth": (1, 3)}, FitTrials),
    (bw.TreeClassifier(max_leaf_nodes=6), {"max_depth": (1, 3)}, FitTrials),
    (bw.C45Classifier(), {"confidence": (0.01, 0.25), "min_cases": (2, 8)}, FitTrials),
    (bw.RandomForestClassifier(6), {"max_depth": (1, 4, None), "min_samples_leaf": (1, 5)}, ForestTrials),
    (bw.RandomForestClassifier(6, combine="vote"), {"max_depth": (1, 4, None)}, ForestTrials),
    (bw.RandomForestClassifier(4, honest=True), {"max_depth": (1, 4)}, FitTrials),
    (bw.RandomForestRegressor(5), {"max_depth": (1, 4, None)}, ForestTrials),
    (bw.ExtraTreesRegressor(5), {"max_depth": (1, 4)}, ForestTrials),
    (bw.AdaBoostClassifier(), {"n_estimators": (2, 6)}, FitTrials),
    (
        bw.OptimalTreeClassifier(max_depth=2),
        {"max_depth": (0, 1, 2), "leaf_penalty": (0.0, 0.02)},
        OptimalTrials,
    ),
    (
        bw.OptimalTreeRegressor(max_depth=2),
        {"max_depth": (0, 1, 2), "leaf_penalty": (0.0, 0.02)},
        OptimalTrials,
    ),
    (bw.OptimalTreeClassifier(effort="greedy"), {"max_depth": (1, 2), "leaf_penalty": (0.0, 0.1)}, FitTrials),
]


def target_of(est):
    return LABELS if hasattr(est, "predict_proba") else HEIGHTS


def fitted(est, setting, X, y):
    """Fit one setting, and prune the tree if the setting says so."""
    own = (
        clone(est)
        .set_params(**{name: value for name, value in setting.items() if name != "ccp_alpha"})
        .fit(X, y)
    )
    return own.prune("cost_complexity", alpha=setting["ccp_alpha"]) if "ccp_alpha" in setting else own


def by_hand(est, X, y, grid, fold):
    """Fit every setting on every fold: errors (settings × folds) and mean leaves."""
    table, settings = bw.to_table(X), settings_of(grid)
    errors, leaves = np.empty((2, len(settings), fold.max() + 1))
    for s, setting in enumerate(settings):
        for k in range(fold.max() + 1):
            train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            own = fitted(est, setting, table.take(train), y[train])
            said = own.predict(table.take(test))
            errors[s, k] = (said != y[test]).mean() if y is LABELS else ((said - y[test]) ** 2).mean()
            leaves[s, k] = sum(tree.n_leaves for tree in own.model_.trees)
    return errors, leaves.mean(axis=1)


@pytest.mark.parametrize(
    ("est", "grid", "way"), CASES, ids=lambda x: type(x).__name__ if hasattr(x, "fit") else ""
)
@pytest.mark.filterwarnings("ignore::branchwork.errors.BranchworkWarning")
def test_errors_are_those_of_fitting_every_setting_on_every_fold(est, grid, way):
    y = target_of(est)
    fold = deal(classes(y) if y is LABELS else values(y), 3)
    chosen = est.tune(MIXED, y, grid=grid, folds=3, nested=False)
    errors, leaves = by_hand(est, MIXED, y, grid, fold)
    np.testing.assert_allclose(chosen.tuning_.folds, errors, atol=1e-12)
    np.testing.assert_allclose(chosen.tuning_.leaves, leaves)
    coder = Coder(y is LABELS)
    coder.code(y)
    assert type(trials_of(est, MIXED, y, chosen.tuning_.grid, coder, 1)) is way
    again = fitted(est, chosen.tuning_.chosen, MIXED, y)
    assert chosen.model_.trees[0].n_nodes == again.model_.trees[0].n_nodes
    assert (chosen.predict(MIXED) == again.predict(MIXED)).all()


def test_the_least_error_is_the_choice_of_grid_search():
    grid = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 5, 9]}
    fold = deal(classes(LABELS), 5)
    search = GridSearchCV(bw.TreeClassifier(), grid, cv=PredefinedSplit(fold))
    search.fit(NUMBERS, LABELS)
    found = bw.TreeClassifier().tune(NUMBERS, LABELS, grid=grid, choose="min").tuning_
    np.testing.assert_allclose(1 - search.cv_results_["mean_test_score"], found.error)
    assert found.error[found.best_index] == pytest.approx(1 - search.best_score_)


def test_the_nested_estimate_is_that_of_a_grid_search_inside_cross_validation():
    grid = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 5, 9]}
    found = bw.TreeClassifier().tune(NUMBERS, LABELS, grid=grid, choose="min", folds=4).tuning_
    fold = deal(classes(LABELS), 4)
    for k in range(4):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        inner = bw.TreeClassifier().tune(
            NUMBERS[train], LABELS[train], grid=grid, choose="min", folds=4, nested=False
        )
        assert found.settings[found.nested_choices[k]] == inner.tuning_.chosen
        assert found.nested[k] == pytest.approx(1 - inner.score(NUMBERS[test], LABELS[test]))
    assert found.nested_error == pytest.approx(found.nested.mean())
    assert found.nested_standard_error == pytest.approx(found.nested.std(ddof=1) / 2)


def test_on_noise_the_nested_estimate_is_not_fooled():
    """The best of many settings looks better than guessing; the nested estimate does not."""
    looks, expected = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 8)), np.arange(60) % 2
        found = bw.TreeClassifier().tune(X, y, choose="min").tuning_
        looks.append(found.error[found.best_index])
        expected.append(found.nested_error)
    assert np.mean(looks) < 0.46 and np.mean(expected) > 0.49


def test_rules_that_choose():
    error, leaves = np.array([0.3, 0.2, 0.2, 0.25]), np.array([1.0, 9.0, 5.0, 3.0])
    assert best_of(error, leaves) == 2
    folds = error[:, None] + np.array([[-0.1, 0.0, 0.1]])
    assert one_se_of(folds, leaves) == 3  # 0.25 is within 0.2 + 0.1/√3; 0.3 is not
    assert one_se_of(folds, np.array([np.nan, 9.0, 5.0, np.nan])) == 2


# ---- laws


@pytest.mark.parametrize(
    "est", [bw.TreeClassifier(), bw.RandomForestClassifier(5), bw.OptimalTreeClassifier(max_depth=2)]
)
def test_no_digit_depends_on_threads(est):
    grid = {"max_depth": (1, 2)} if "leaf_penalty" not in est.get_params() else None
    one, other = (est.tune(MIXED, LABELS, grid=grid, folds=3, n_jobs=jobs) for jobs in (1, 3))
    assert one.tuning_.to_dict() == other.tuning_.to_dict()
    assert (one.predict_proba(MIXED) == other.predict_proba(MIXED)).all()
    assert clone(est).set_params(n_jobs=2).tune(MIXED, LABELS, grid=grid, folds=3).tuning_.error.tolist() == (
        one.tuning_.error.tolist()
    )


class Counting(bw.RandomForestClassifier):
    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None, *, groups=None):
        Counting.seen.append(thread_count(self.n_jobs))
        return super().fit(X, y, sample_weight, groups=groups)


def test_forests_inside_threads_have_one_thread_each():
    Counting.seen.clear()
    Counting(3, n_jobs=4).tune(NUMBERS, LABELS, grid={"max_depth": [1, 2]}, folds=3, nested=False)
    assert Counting.seen == [1, 1, 1, 4]  # three folds at once, then all rows
    search = GridSearchCV(bw.RandomForestClassifier(3, n_jobs=-1), {"max_depth": [1, 2]}, n_jobs=2, cv=3)
    assert search.fit(NUMBERS, LABELS).best_score_ > 0.5


def test_the_given_estimator_stays_as_it_is():
    est = bw.TreeClassifier()
    tuned = est.tune(NUMBERS, LABELS, folds=3)
    assert not hasattr(est, "model_") and est.get_params() == bw.TreeClassifier().get_params()
    assert tuned is not est and isinstance(tuned, bw.TreeClassifier)
    assert not hasattr(tuned.fit(NUMBERS, LABELS), "tuning_")
    forest = bw.RandomForestClassifier(3).tune(NUMBERS, LABELS, grid={"max_depth": [1, 2]}, folds=3)
    assert not hasattr(forest.fit(NUMBERS, LABELS), "tuning_")


def test_groups_and_given_folds_stay_together():
    groups = np.repeat(np.arange(9), 10)
    found = bw.TreeClassifier().tune(NUMBERS, LABELS, folds=3, groups=groups).tuning_
    by_number = bw.TreeClassifier().tune(NUMBERS, LABELS, folds=groups % 3).tuning_
    assert found.folds.shape == by_number.folds.shape and len(found.nested_choices) == 3
    fold = groups % 3
    for k in range(3):  # inner folds are the other two
        rows = fold != k
        inner = bw.TreeClassifier().tune(
            NUMBERS[rows], LABELS[rows], folds=fold[rows], nested=False, grid=found.grid
        )
        again = bw.TreeClassifier().tune(NUMBERS, LABELS, folds=fold, grid=found.grid).tuning_
        assert again.settings[again.nested_choices[k]] == inner.tuning_.chosen
    with pytest.raises(ParameterError, match="two folds leave one to choose by"):
        bw.TreeClassifier().tune(NUMBERS, LABELS, folds=groups % 2)


def test_an_interrupted_tuning_leaves_nothing_behind():
    class Stops(Counting):
        def fit(self, X, y, sample_weight=None, *, groups=None):
            raise KeyboardInterrupt

    est = Stops(3)
    with pytest.raises(KeyboardInterrupt):
        est.tune(NUMBERS, LABELS, grid={"max_depth": [1]}, folds=3)
    assert set(vars(est)) == set(est.get_params())


# ---- usual settings, words and refusals


def test_usual_settings_depend_on_the_number_of_rows_alone():
    assert usual_grid(bw.TreeClassifier(), 60, None)["min_samples_leaf"] == (1, 2)
    assert usual_grid(bw.TreeClassifier(), 100_000, None)["min_samples_leaf"][-1] == 500
    assert usual_grid(bw.OptimalTreeClassifier(max_depth=2), 60, None)["max_depth"] == (0, 1, 2)
    assert "confidence" in usual_grid(bw.C45Classifier(), 60, None)
    assert "ccp_alpha" in bw.TreeClassifier().tune(NUMBERS, LABELS, folds=2, nested=False).tuning_.grid
    assert "ccp_alpha" not in usual_grid(bw.RandomForestClassifier(), 60, None)
    assert set(usual_grid(bw.CHAIDClassifier(), 60, None)) == {"max_depth", "alpha_split"}


def test_the_table_tells_what_was_chosen():
    found = bw.TreeClassifier().tune(NUMBERS, LABELS, folds=3).tuning_
    text = str(found)
    assert "least error" in text and "chosen" in text and "more settings" in text and "Expect" in text
    assert "baseline" in text and repr(found).startswith(
        f"Tuning({len(found.settings)} settings, chosen max_depth="
    )
    data = found.to_dict()
    assert data["chosen"] == found.chosen and len(data["error"]) == len(data["settings"]) == len(
        found.settings
    )
    numbers = bw.TreeRegressor().tune(NUMBERS, HEIGHTS, folds=3, nested=False).tuning_
    assert (
        "mean squared error" in str(numbers) and "Expect" not in str(numbers) and numbers.nested_error is None
    )
    scores = cross_val_score(
        bw.TreeClassifier(max_depth=1), NUMBERS, LABELS, cv=PredefinedSplit(deal(classes(LABELS), 3))
    )
    place = found.settings.index({"max_depth": 1, "min_samples_leaf": 1, "ccp_alpha": 0.0})
    assert found.error[place] == pytest.approx(1 - scores.mean())


def test_what_cannot_be_tuned():
    tree = bw.TreeClassifier()
    for grid, match in [
        ({}, "expected values of settings by name"),
        ([1], "expected values of settings by name"),
        ({"depth": [1]}, r"no such setting\. Did you mean 'max_depth'"),
        ({"max_depth": "12"}, "grid\\['max_depth'\\]='12'; expected a list"),
        ({"max_depth": []}, "expected a list of values"),
        ({"max_depth": [-3]}, "max_depth=-3"),
    ]:
        with pytest.raises(ParameterError, match=match):
            tree.tune(NUMBERS, LABELS, grid=grid)
    with pytest.raises(ParameterError, match="choose='best'"):
        tree.tune(NUMBERS, LABELS, choose="best")
    with pytest.raises(ParameterError, match="folds=1"):
        tree.tune(NUMBERS, LABELS, folds=1)
    with pytest.raises(ParameterError, match="nested"):
        tree.tune(NUMBERS, LABELS, nested="yes")
    with pytest.raises(ParameterError, match="has no usual settings to try"):
        bw.BaggingClassifier().tune(NUMBERS, LABELS)
    with pytest.raises(ParameterError, match="an optimal tree is tuned up to a depth"):
        bw.OptimalTreeClassifier(max_depth=None).tune(NUMBERS, LABELS)
    with pytest.raises(ParameterError, match="grid='ccp_alpha': RandomForestClassifier has no such setting"):
        bw.RandomForestClassifier().tune(NUMBERS, LABELS, grid={"ccp_alpha": [0.1]})
    with pytest.raises(DataError, match="X has 90 rows, but y has 89"):
        tree.tune(NUMBERS, LABELS[1:])
