"""Trees of scikit-learn come to the same leaves on hard rows, and answer the same."""

import warnings
from itertools import product

import numpy as np
import pytest
from sklearn import dummy, ensemble, linear_model, model_selection, pipeline, preprocessing, tree

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.store.foreign_float32 import cut_before_rounding
from branchwork.tree.check import check

from foreign_cases import assert_close, assert_same_leaves, hard_rows, quietly, table
from tables import DEEP

SEEDS = range(40 if DEEP else 1)
STUMP = tree.DecisionTreeClassifier(max_depth=2)

LABELS = {
    "text": lambda score: np.where(score > 0, "yes", "no"),
    "three": lambda score: np.digitize(score, [-1, 1]),
    "truth": lambda score: score > 0,
}
CLASSIFIERS = {
    "tree": lambda: tree.DecisionTreeClassifier(random_state=0),
    "entropy": lambda: tree.DecisionTreeClassifier(
        criterion="entropy", class_weight="balanced", random_state=0
    ),
    "extra tree": lambda: tree.ExtraTreeClassifier(criterion="log_loss", random_state=0),
    "forest": lambda: ensemble.RandomForestClassifier(5, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(5, random_state=0),
    "bagging": lambda: ensemble.BaggingClassifier(
        n_estimators=5, max_features=3, max_samples=9, random_state=0
    ),
    "histograms": lambda: ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0),
}
FINITE_CLASSIFIERS = {
    "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0),
    "boosting zero": lambda: ensemble.GradientBoostingClassifier(n_estimators=5, init="zero", subsample=0.5),
    "adaboost": lambda: ensemble.AdaBoostClassifier(STUMP, n_estimators=5, random_state=0),
}
REGRESSORS = {
    "tree": lambda: tree.DecisionTreeRegressor(random_state=0),
    "poisson": lambda: tree.DecisionTreeRegressor(criterion="poisson", random_state=0),
    "forest": lambda: ensemble.RandomForestRegressor(5, random_state=0),
    "bagging": lambda: ensemble.BaggingRegressor(n_estimators=5, random_state=0),
    "histograms": lambda: ensemble.HistGradientBoostingRegressor(max_iter=5, random_state=0),
    "histograms gamma": lambda: ensemble.HistGradientBoostingRegressor(
        loss="gamma", max_iter=5, random_state=0
    ),
    "histograms quantile": lambda: ensemble.HistGradientBoostingRegressor(
        loss="quantile", quantile=0.3, max_iter=5
    ),
}
FINITE_REGRESSORS = {
    "adaboost": lambda: ensemble.AdaBoostRegressor(n_estimators=5, random_state=0),
    "absolute": lambda: tree.DecisionTreeRegressor(criterion="absolute_error", random_state=0),
    "boosting": lambda: ensemble.GradientBoostingRegressor(n_estimators=5, random_state=0),
    "boosting huber": lambda: ensemble.GradientBoostingRegressor(
        loss="huber", n_estimators=5, random_state=0
    ),
}


def compare(estimator, X, y, *, missing):
    estimator.fit(X, y)
    model = bw.from_sklearn(estimator)
    for grown in model.trees:
        check(grown, model.schema)
    rows = np.concatenate([hard_rows(model, 500, missing=missing), X])
    if hasattr(estimator, "apply"):
        assert_same_leaves(estimator.apply(rows), model, rows)
    if model.labels is None:
        assert_close(estimator.predict(rows), model.predict(rows), 1e-12)
    else:
        assert model.classes.tolist() == estimator.classes_.tolist()
        assert_close(estimator.predict_proba(rows), model.predict_proba(rows), 1e-12)
        assert (estimator.predict(X) == model.predict(X)).all()
    return model


WHOLE_AND_MISSING = [False, True]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(
    ("name", "missing"), [*product(CLASSIFIERS, WHOLE_AND_MISSING), *product(FINITE_CLASSIFIERS, [False])]
)
def test_classifiers(name, missing, labels, seed):
    X, score = table(seed, missing=missing)
    compare({**CLASSIFIERS, **FINITE_CLASSIFIERS}[name](), X, LABELS[labels](score), missing=missing)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "missing"), [*product(REGRESSORS, WHOLE_AND_MISSING), *product(FINITE_REGRESSORS, [False])]
)
def test_regressors(name, missing, seed):
    X, score = table(seed, missing=missing)
    compare({**REGRESSORS, **FINITE_REGRESSORS}[name](), X, np.abs(score) + 0.1, missing=missing)


def test_the_exponential_loss():
    X, score = table(0, missing=False)
    compare(
        ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=5), X, score > 0, missing=False
    )


def test_a_cut_is_where_float32_goes_to_the_other_side():
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-46, 39, 3000) * rng.choice([-1, 1], 3000)
    limits = [0.0, -0.0, 1e-45, -1e-45, 3.4028235e38, -3.4028235e38, 1e39, 2.0**24, 7e-46]
    with np.errstate(over="ignore"):
        given = np.concatenate([rng.normal(size=3000), sizes, sizes.astype(np.float32), limits])
        given = given[np.isfinite(given)]
    for strict in (False, True):
        cut = cut_before_rounding(given, strict=strict)
        assert not np.isnan(cut).any()
        for cells, side in ((cut, True), (np.nextafter(cut, np.inf), False)):
            with np.errstate(over="ignore"):
                short = cells.astype(np.float32).astype(np.float64)
            goes_left = short < given if strict else short <= given
            assert (goes_left == side).all()
    assert cut_before_rounding(np.array([np.inf]))[0] == np.inf


def test_columns_keep_their_names_and_labels_their_types():
    pd = pytest.importorskip("pandas")
    X, score = table(1, missing=False)
    frame = pd.DataFrame(X, columns=["age", "pulse", "c", "d"])
    model = bw.from_sklearn(tree.DecisionTreeClassifier(max_depth=3).fit(frame, score > 0))
    assert model.schema.named and model.schema.names == ("age", "pulse", "c", "d")
    assert model.labels == (False, True) and model.predict(frame[["d", "c", "pulse", "age"]]).dtype == bool
    assert not bw.from_sklearn(tree.DecisionTreeRegressor(max_depth=3).fit(X, score)).schema.named


def test_categories_of_histograms():
    pd = pytest.importorskip("pandas")
    X, score = table(3, codes=True)
    words = pd.Categorical(np.array(list("abcdefghij"))[np.nan_to_num(X[:, 1]).astype(int)])
    frame = pd.DataFrame({"x": X[:, 0], "word": words, "z": X[:, 3]})
    frame["size"] = pd.Categorical(np.digitize(X[:, 2], [0]) * 10)
    frame.loc[::7, "word"] = np.nan
    estimator = ensemble.HistGradientBoostingRegressor(
        max_iter=20, min_samples_leaf=4, categorical_features="from_dtype"
    )
    model = bw.from_sklearn(estimator.fit(frame, score))
    assert [column.kind for column in model.schema] == ["numeric", "nominal", "numeric", "nominal"]
    assert model.schema[3].categories == (0, 10)
    assert any((tree.lookup >= 0).any() for tree in model.trees)
    assert_close(estimator.predict(frame), model.predict(frame), 1e-12)
    strange = frame.assign(word=pd.Categorical(["never seen", "a", None, "b"] * 50))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        theirs = estimator.predict(strange)
    assert_close(theirs, quietly(model.predict, strange), 1e-12)


def test_categories_that_are_numbers():
    X, score = table(4, codes=True)
    estimator = ensemble.HistGradientBoostingClassifier(
        max_iter=8, min_samples_leaf=4, categorical_features=[1]
    )
    model = bw.from_sklearn(estimator.fit(X, np.digitize(score, [0, 2])))
    rows = np.concatenate([hard_rows(model, 500), X])
    assert model.schema[1].is_nominal
    assert_close(estimator.predict_proba(rows), quietly(model.predict_proba, rows), 1e-12)


def test_what_a_node_says_is_what_scikit_learn_says():
    X, score = table(5, missing=False)
    weights = np.random.default_rng(0).random(len(X))
    theirs = tree.DecisionTreeRegressor(max_depth=3).fit(X, score, weights)
    model = bw.from_sklearn(theirs)
    root = model.to_dict()
    mean = np.average(score, weights=weights)
    assert root["n_rows"] == 200 and root["weight"] == pytest.approx(weights.sum())
    assert root["mean"] == pytest.approx(mean)
    squares = weights @ (score - mean) ** 2
    assert root["variance"] == pytest.approx(squares / (weights.sum() - 1))
    total = theirs.tree_.compute_feature_importances()
    inner = model.tree.feature >= 0
    gains = np.bincount(model.tree.feature[inner], (model.tree.gain * model.tree.weight)[inner], minlength=4)
    assert gains / gains.sum() == pytest.approx(total)
    assert model.unit == "mean squared error"
    entropy = bw.from_sklearn(tree.DecisionTreeClassifier(criterion="log_loss").fit(X, score > 0))
    assert entropy.unit == "entropy (bits)" and entropy.tree.impurity[0] <= 1


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (
            pipeline.make_pipeline(preprocessing.StandardScaler(), tree.DecisionTreeRegressor()),
            r"pipeline\[-1\]",
        ),
        (model_selection.GridSearchCV(tree.DecisionTreeRegressor(), {"max_depth": [2]}), "best_estimator_"),
        (linear_model.LinearRegression(), "These work"),
        (ensemble.IsolationForest(n_estimators=2), "These work"),
        (ensemble.BaggingRegressor(linear_model.LinearRegression(), 2), "made of LinearRegression"),
        (
            ensemble.GradientBoostingRegressor(init=linear_model.LinearRegression(), n_estimators=2),
            "init=None",
        ),
        (
            ensemble.GradientBoostingRegressor(init=tree.DecisionTreeRegressor(), n_estimators=2),
            r"what a DecisionTreeRegressor says \(init\), not from a number",
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_what_is_no_tree_is_refused_with_what_works(estimator, reason):
    X, score = table(6, missing=False)
    estimator.fit(X, score)
    with pytest.raises(ParameterError, match=reason):
        bw.from_sklearn(estimator)


def test_a_constant_start_is_taken():
    X, score = table(7, missing=False)
    start = dummy.DummyRegressor(strategy="median")
    compare(ensemble.GradientBoostingRegressor(init=start, n_estimators=3), X, score, missing=False)


def test_several_targets_and_strangers_are_refused():
    X, score = table(8, missing=False)
    single, forest = tree.DecisionTreeRegressor(), ensemble.RandomForestRegressor(2)
    for estimator in (single, forest, ensemble.BaggingRegressor(single, 2)):
        with pytest.raises(ParameterError, match="2 targets"):
            bw.from_sklearn(estimator.fit(X, np.stack([score, -score], axis=1)))
    with pytest.raises(ParameterError, match="found str"):
        bw.from_sklearn("tree.pkl")
    with pytest.raises(ValueError, match="not fitted"):
        bw.from_sklearn(tree.DecisionTreeRegressor())


def test_a_bagged_tree_that_missed_a_class_still_speaks_of_all():
    X, score = table(9, missing=False)
    y = np.digitize(score, [-2.5, 2.5])
    estimator = ensemble.BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    estimator.estimators_[1] = tree.DecisionTreeClassifier(max_depth=3).fit(X[y != 1], y[y != 1])
    model = bw.from_sklearn(estimator)
    assert_close(estimator.predict_proba(X), model.predict_proba(X), 1e-12)
    assert not model.member(1).predict_proba(X)[:, 1].any()


def test_a_chain_of_many_thousand_nodes():
    x = np.arange(3000.0)[:, None]
    deep = tree.DecisionTreeRegressor(criterion="squared_error").fit(x, 4.0 ** np.minimum(x[:, 0] / 8, 400))
    model = bw.from_sklearn(deep)
    assert model.tree.depth == deep.get_depth()
    assert_same_leaves(deep.apply(x), model, x)
