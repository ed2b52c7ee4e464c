"""Curves: the same numbers as fitting every value on every fold, whichever way they are found."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import PredefinedSplit, validation_curve
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from branchwork.measure.folds import deal
from branchwork.table.target import classes, values

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(120, 3)).round(1)
LABELS = np.where((NUMBERS[:, 0] > 0) ^ (RNG.random(120) < 0.2), "yes", "no")
HEIGHTS = NUMBERS[:, 0] ** 2 + RNG.normal(size=120) * 0.3
MIXED = pd.DataFrame(NUMBERS, columns=["a", "b", "c"]).assign(
    d=pd.Categorical(RNG.choice(["x", "y", "z", "w"], 120)),
    e=np.where(RNG.random(120) < 0.15, np.nan, NUMBERS[:, 1]),
)


def by_hand(est, X, y, over, tried, folds=4):
    """Fit every value on every fold: training errors, validation errors and leaves (values × folds)."""
    is_classes = hasattr(est, "predict_proba")
    fold = deal(classes(y) if is_classes else values(y), folds)
    table = bw.to_table(X)
    found = np.empty((3, len(tried), folds))
    for v, value in enumerate(tried):
        for k in range(folds):
            train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            own = type(est)(**{**est.get_params(), **({} if over == "ccp_alpha" else {over: value})})
            own.fit(table.take(train), y[train])
            if over == "ccp_alpha":
                own = own.prune("cost_complexity", alpha=value)
            for j, rows in enumerate((train, test)):
                answers = own.predict(table.take(rows))
                loss = answers != y[rows] if is_classes else (answers - y[rows]) ** 2
                found[j, v, k] = loss.mean()
            found[2, v, k] = sum(tree.n_leaves for tree in own.model_.trees)
    return found


CASES = [
    (bw.TreeClassifier(), "max_depth", [1, 2, 4, 8]),
    (bw.TreeClassifier(missing="share"), "max_depth", [1, 3, 6]),
    (bw.TreeClassifier(max_leaf_nodes=9), "max_depth", [1, 2, 5]),
    (bw.ID3Classifier(), "max_depth", [1, 2, 3]),
    (bw.C45Classifier(), "max_depth", [1, 3]),
    (bw.CHAIDClassifier(), "max_depth", [1, 2]),
    (bw.CARTClassifier(), "max_leaf_nodes", [2, 5, 11, 30]),
    (bw.TreeClassifier(nominal="multiway", missing="branch"), "max_leaf_nodes", [3, 4, 9, 20]),
    (bw.TreeClassifier(order="breadth"), "max_leaf_nodes", [3, 6, 12]),
    (bw.TreeClassifier(), "min_samples_leaf", [1, 5, 20]),
    (bw.TreeClassifier(class_weight="balanced"), "min_samples_leaf", [1, 5]),
    (bw.TreeClassifier(min_category_rows=30), "max_depth", [2, 4]),
    (bw.TreeClassifier(), "ccp_alpha", [0.0, 0.004, 0.01, 0.05]),
    (bw.C45Classifier(), "confidence", [0.01, 0.25, 0.5]),
    (bw.C45Classifier(variant="j48", subtree_raising=False), "confidence", [0.05, 0.25]),
    (bw.RandomForestClassifier(n_estimators=9), "n_estimators", [1, 4, 9]),
    (bw.AdaBoostClassifier(), "n_estimators", [1, 5, 9]),
    (bw.CARTClassifier(cp=0.02), "max_depth", [1, 4]),
    (bw.CARTClassifier(), "cp", [0.0, 0.02, 0.3]),
    (bw.TreeClassifier(), "min_category_rows", [10, 40]),
    (bw.TreeClassifier(), "max_leaf_nodes", [2, 6, None]),
    (bw.TreeClassifier(), "max_p_value", [0.01, 0.3]),
    (bw.OptimalTreeClassifier(max_depth=1), "max_depth", [1, 2]),
    (bw.RuleListClassifier(), "min_cases", [2, 10]),
]
REGRESSIONS = [
    (bw.TreeRegressor(), "max_depth", [1, 2, 4, 8]),
    (bw.CARTRegressor(), "max_leaf_nodes", [2, 5, 11]),
    (bw.TreeRegressor(), "ccp_alpha", [0.0, 0.01, 0.2]),
    (bw.ExtraTreesRegressor(n_estimators=5), "n_estimators", [1, 3, 5]),
    (bw.AdaBoostRegressor(), "n_estimators", [1, 3]),
]


@pytest.mark.parametrize(
    ("est", "over", "tried"), CASES + REGRESSIONS, ids=lambda x: x if isinstance(x, str) else None
)
@pytest.mark.filterwarnings("ignore::branchwork.errors.BranchworkWarning")
def test_a_curve_is_what_fitting_every_value_on_every_fold_gives(est, over, tried):
    y = LABELS if hasattr(est, "predict_proba") else HEIGHTS
    found = bw.study.curve(est, MIXED, y, over, tried, folds=4)
    training, validation, leaves = by_hand(est, MIXED, y, over, tried)
    np.testing.assert_allclose(found.training_folds, training, atol=1e-12)
    np.testing.assert_allclose(found.validation_folds, validation, atol=1e-12)
    np.testing.assert_allclose(found.leaves, leaves.mean(axis=1))


@pytest.mark.parametrize(
    ("est", "over", "tried", "y", "scoring"),
    [
        (DecisionTreeClassifier(random_state=0), "max_depth", [1, 3, 6], LABELS, "accuracy"),
        (KNeighborsClassifier(), "n_neighbors", [1, 5, 15], LABELS, "accuracy"),
        (KNeighborsRegressor(), "n_neighbors", [1, 5, 15], HEIGHTS, "neg_mean_squared_error"),
        (bw.TreeClassifier(), "max_depth", [1, 3, 6], LABELS, "accuracy"),
    ],
)
def test_curves_of_any_estimator_are_scikit_learns_validation_curves(est, over, tried, y, scoring):
    fold = deal(classes(y) if scoring == "accuracy" else values(y), 5)
    train, test = validation_curve(
        est, NUMBERS, y, param_name=over, param_range=tried, cv=PredefinedSplit(fold), scoring=scoring
    )
    found = bw.study.curve(est, NUMBERS, y, over, tried, folds=5)
    best = 1 if scoring == "accuracy" else 0
    np.testing.assert_allclose(best - train, found.training_folds, atol=1e-12)
    np.testing.assert_allclose(best - test, found.validation_folds, atol=1e-12)


class Nearest(ClassifierMixin, BaseEstimator):
    """Any estimator that has a `k`."""

    def __init__(self, k=5):
        self.k = k

    def fit(self, X, y):
        self.inner_ = KNeighborsClassifier(self.k).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def test_k_of_any_estimator():
    found = bw.study.curve(Nearest(), NUMBERS, LABELS, "k")
    other = bw.study.curve(KNeighborsClassifier(), NUMBERS, LABELS, "n_neighbors", found.values)
    assert found.values == tuple(range(1, 21, 2)) and (found.validation_folds == other.validation_folds).all()
    assert np.isnan(found.leaves).all() and "leaves" not in str(found)
    with pytest.raises(ParameterError, match="no trees"):
        found.to_svg(against="leaves")
    with pytest.raises(ValueError, match="Expected n_neighbors <= n_samples_fit"):
        bw.study.curve(Nearest(), NUMBERS, LABELS, "k", [500])


def test_training_sets_grow_inside_one_another():
    found = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "train_size", [10, 40, 0.5, 1.0], folds=4)
    assert found.values == (10, 40, 45, 90) and found.choose is None
    assert (found.training == 0).all() and (np.diff(found.leaves) > 0).all()
    whole = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth", [None], folds=4)
    assert found.validation[-1] == whole.validation[0]
    assert "least" not in str(found) and found.to_dict()["regions"] is None
    with pytest.raises(ParameterError, match="chooses nothing"):
        found.best_value  # noqa: B018
    with pytest.raises(DataError, match="the smallest training part of the folds has 90 rows"):
        bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "train_size", [91], folds=4)
    with pytest.raises(ParameterError, match="expected a share above 0"):
        bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "train_size", [1.5], folds=4)


def test_the_rules_that_choose():
    least = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth", folds=5)
    simple = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth", folds=5, choose="1se")
    error, spread = least.validation, least.validation_folds.std(axis=1, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose(least.validation_standard_error, spread)
    assert error[least.best_index] == error.min() and not (error[: least.best_index] == error.min()).any()
    limit = error.min() + spread[least.best_index]
    assert simple.best_index == int(np.argmax(error <= limit)) and simple.best_value <= least.best_value
    assert simple.best_estimator.max_depth == simple.best_value
    assert simple.fit(NUMBERS, LABELS).get_depth() == simple.best_value


def test_larger_leaves_are_simpler():
    flat = bw.study.curve(
        bw.TreeClassifier(), np.zeros((20, 1)), ["a", "b"] * 10, "min_samples_leaf", [1, 2, 3]
    )
    assert flat.best_value == 3  # all are the same leaf; the simplest setting wins


def test_a_tree_chosen_by_its_price_is_pruned():
    found = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "ccp_alpha", choose="1se", folds=5)
    tree = found.fit(NUMBERS, LABELS)
    same = bw.TreeClassifier().fit(NUMBERS, LABELS).prune("cost_complexity", alpha=found.best_value)
    assert (
        tree.get_n_leaves() == same.get_n_leaves() < bw.TreeClassifier().fit(NUMBERS, LABELS).get_n_leaves()
    )


def test_regions_of_under_and_overfitting():
    X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
    found = bw.study.curve(bw.TreeClassifier(), X, y, "max_depth")
    names = found.regions
    assert names[0] == "underfits" and names[-1] == "overfits" and names[found.best_index] == "fits"
    assert sorted(names, key=["underfits", "fits", "overfits"].index) == list(names)
    turned = bw.study.curve(bw.TreeClassifier(), X, y, "min_samples_leaf")
    assert turned.regions[0] == "overfits" and turned.regions[-1] == "underfits"


def test_validation_rows_instead_of_folds():
    parts = bw.study.split(NUMBERS, LABELS, validation=0.25, test=0)
    found = bw.study.curve(
        bw.TreeClassifier(), *parts.train, "max_depth", [1, 3, 9], validation=tuple(parts.validation)
    )
    for v, depth in enumerate((1, 3, 9)):
        tree = bw.TreeClassifier(max_depth=depth).fit(*parts.train)
        wrong = (tree.predict(parts.validation.X) != parts.validation.y).astype(float)
        assert found.validation[v] == pytest.approx(wrong.mean())
        assert found.validation_standard_error[v] == pytest.approx(wrong.std(ddof=1) / np.sqrt(len(wrong)))
        assert found.training[v] == pytest.approx(1 - tree.score(*parts.train))
    assert found.to_dict()["folds"] is None and "one set of validation rows" in found.to_html()


def test_groups_stay_together():
    groups = np.repeat(np.arange(30), 4)
    noise = RNG.integers(0, 2, 30)[groups]  # every group has one answer, and its rows are copies
    copies = RNG.normal(size=(30, 2))[groups]
    leaky = bw.study.curve(bw.TreeClassifier(), copies, noise, "max_depth", [None], folds=5)
    honest = bw.study.curve(bw.TreeClassifier(), copies, noise, "max_depth", [None], folds=5, groups=groups)
    assert leaky.validation[0] == 0 and honest.validation[0] > 0.2
    with pytest.raises(ParameterError, match="from 2 to the number of groups, which is 3"):
        bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth", groups=np.repeat([0, 1, 2], 40))


def test_given_folds():
    fold = np.arange(120) % 3
    given = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth", [2], folds=fold)
    assert given.validation_folds.shape == (1, 3)
    by_hand = bw.TreeClassifier(max_depth=2).fit(NUMBERS[fold != 1], LABELS[fold != 1])
    assert given.validation_folds[0, 1] == pytest.approx(
        1 - by_hand.score(NUMBERS[fold == 1], LABELS[fold == 1])
    )


@pytest.mark.parametrize(
    ("est", "over"), [(bw.TreeClassifier(), "max_depth"), (bw.C45Classifier(), "confidence")]
)
def test_threads_change_no_digit(est, over):
    one, two = (bw.study.curve(est, MIXED, LABELS, over, n_jobs=jobs, folds=3).to_dict() for jobs in (1, 2))
    assert one == two


def test_usual_values():
    depth = bw.TreeClassifier().fit(NUMBERS, LABELS).get_depth()
    assert bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth").values == tuple(
        range(1, depth + 1)
    )
    alphas = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "ccp_alpha").values
    assert alphas[0] == 0 and list(alphas) == sorted(alphas)
    found = bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "ccp_alpha")
    assert found.leaves[-1] < 2  # the last price is above the last link of the whole table's tree
    assert bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "min_samples_leaf").values[-1] == 27


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"est": bw.TreeClassifier}, "expected an estimator with fit, predict and get_params"),
        ({"over": "max_dept"}, "TreeClassifier has no such setting. Did you mean 'max_depth'"),
        ({"over": "criterion"}, "which values"),
        ({"values": []}, "values is empty"),
        ({"values": 3}, "expected a list of values"),
        ({"values": ["a"]}, "is no number"),
        ({"values": [-1]}, "max_depth=-1; expected"),
        ({"choose": "best"}, "choose='best'; expected 'min' or '1se'"),
        ({"folds": 1}, "folds=1"),
        ({"folds": 121}, "which is 120"),
        ({"folds": [0] * 120}, "all rows into one fold"),
        ({"folds": [0, 1]}, "the fold of each of the 120 rows"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": None}, "random_state=None"),
        ({"validation": NUMBERS}, r"expected rows as \(X, y\)"),
        ({"validation": (NUMBERS[:1], LABELS[:1])}, "at least two are needed"),
        ({"est": bw.C45Classifier(pruning=None), "over": "confidence"}, 'set pruning="error_based"'),
        ({"est": bw.C45Classifier(), "over": "ccp_alpha", "values": [0.1]}, "prunes or searches its trees"),
        (
            {"est": bw.C45Classifier(variant="j48"), "over": "confidence", "values": [0.7]},
            "J48 takes at most 0.5",
        ),
    ],
)
def test_what_cannot_be_measured(change, message):
    given = {"est": bw.TreeClassifier(), "X": NUMBERS, "y": LABELS, "over": "max_depth", **change}
    with pytest.raises(ParameterError, match=message):
        bw.study.curve(**given)


def test_strange_tables():
    with pytest.raises(DataError, match="X has 120 rows, but y has 119"):
        bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS[:-1], "max_depth")
    one_class = bw.study.curve(bw.TreeClassifier(), NUMBERS, ["a"] * 120, "max_depth", [1, 2])
    assert (one_class.validation == 0).all() and one_class.best_value == 1
    empty = np.column_stack([np.full(40, np.nan), np.zeros(40)])
    constant = bw.study.curve(bw.TreeClassifier(), empty, ["a", "b"] * 20, "max_depth", [1, 2], folds=4)
    assert (constant.leaves == 1).all() and constant.validation[0] == 0.5
    alone = bw.study.curve(bw.TreeClassifier(), NUMBERS[:12], LABELS[:12], "max_depth", [1], folds=12)
    assert alone.validation_folds.shape == (1, 12)  # one row per fold


def test_what_a_curve_says_of_itself():
    found = bw.study.curve(bw.TreeRegressor(), NUMBERS, HEIGHTS, "max_depth", [1, 2, None], folds=4)
    assert "no limit" in str(found) and repr(found).startswith("Curve(max_depth, 3 values, best")
    data = found.to_dict()
    assert data["measure"] == "mean squared error" and data["folds"] == 4 and data["values"] == [1, 2, None]
    assert data["baseline"] == pytest.approx(HEIGHTS.var())


def test_a_progress_bar_for_those_who_wait(capsys):
    bw.study.curve(bw.TreeClassifier(), NUMBERS, LABELS, "max_depth", [1, 2], verbose=True)
    said = capsys.readouterr()
    assert "TreeClassifier over max_depth" in said.err and not said.out
