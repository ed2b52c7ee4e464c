"""XGBoost and LightGBM themselves, where they are installed: many objectives, hard rows, early stopping, pandas."""

import json
import warnings

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import DataError, ModelFormatError, ParameterError

from foreign_cases import assert_close, assert_same_leaves, hard_rows, quietly, table
from tables import DEEP

SEEDS = range(25 if DEEP else 1)
XGBOOST = {
    **{name: {"objective": f"reg:{name}"} for name in ("squarederror", "pseudohubererror", "absoluteerror")},
    **{name: {"objective": f"reg:{name}"} for name in ("gamma", "tweedie", "squaredlogerror")},
    "poisson": {"objective": "count:poisson"},
    "quantile": {"objective": "reg:quantileerror", "quantile_alpha": 0.3},
    "rank": {"objective": "rank:ndcg"},
    "logistic": {"objective": "binary:logistic", "base_score": 0.2},
    "softprob": {"objective": "multi:softprob", "num_class": 3},
    "parallel": {"objective": "multi:softprob", "num_class": 3, "num_parallel_tree": 2, "subsample": 0.5},
    "dart": {"objective": "reg:squarederror", "booster": "dart", "rate_drop": 0.5},
    "dart of three": {"objective": "multi:softprob", "num_class": 3, "booster": "dart", "rate_drop": 0.5},
    "monotone": {"objective": "reg:squarederror", "monotone_constraints": "(1,0,-1,0)"},
    "leaves": {"objective": "reg:squarederror", "grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
    "exact": {"objective": "reg:squarederror", "tree_method": "exact", "gamma": 1.0},
    "groups": {"objective": "reg:squarederror", "max_cat_to_onehot": 1},
    "one code": {"objective": "reg:squarederror", "max_cat_to_onehot": 100},
}
LIGHTGBM = {
    **{
        name: {"objective": name}
        for name in ("regression", "regression_l1", "huber", "fair", "quantile", "mape")
    },
    **{name: {"objective": name} for name in ("poisson", "gamma", "tweedie", "lambdarank")},
    "binary": {"objective": "binary", "sigmoid": 0.3},
    "multiclass": {"objective": "multiclass", "num_class": 3},
    "forest": {"objective": "regression", "boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1},
    "forest of classes": {
        "objective": "binary",
        "boosting": "rf",
        "bagging_fraction": 0.5,
        "bagging_freq": 1,
    },
    "forest of three": {
        "objective": "multiclass",
        "num_class": 3,
        "boosting": "rf",
        "bagging_fraction": 0.5,
        "bagging_freq": 1,
    },
    "forest of counts": {
        "objective": "poisson",
        "boosting": "rf",
        "bagging_fraction": 0.5,
        "bagging_freq": 1,
    },
    "dart": {"objective": "regression", "boosting": "dart"},
    "monotone": {"objective": "regression", "monotone_constraints": [1, 0, -1, 0]},
    "nothing missing": {"objective": "regression", "use_missing": False},
    "groups": {"objective": "regression", "min_data_per_group": 5, "cat_smooth": 1},
}


@pytest.fixture(scope="module")
def xgboost():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("xgboost")


@pytest.fixture(scope="module")
def lightgbm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("lightgbm")


def target(settings, score):
    objective = settings["objective"]
    if "num_class" in settings:
        return np.digitize(score, [-1.0, 1.0])
    if "binary" in objective:
        return (score > 0).astype(float)
    if "rank" in objective:
        return np.clip(np.round(np.abs(score)), 0, 4)
    return np.abs(score) + 0.1


def trained_by_xgboost(xgboost, settings, seed, name):
    X, score = table(seed, codes=name in ("groups", "one code"))
    types = ["q", "c" if name in ("groups", "one code") else "q", "q", "q"]
    data = xgboost.DMatrix(
        X, target(settings, score), feature_types=types, enable_categorical=True, nthread=1
    )
    if "rank" in settings["objective"]:
        data.set_group([100, 100])
    booster = xgboost.train({"max_depth": 4, "nthread": 1, **settings}, data, 4)
    return (
        booster,
        X,
        lambda rows: xgboost.DMatrix(rows, feature_types=types, enable_categorical=True, nthread=1),
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", XGBOOST)
def test_xgboost(xgboost, name, seed):
    booster, X, matrix = trained_by_xgboost(xgboost, XGBOOST[name], seed, name)
    model = bw.from_xgboost(booster)
    rows = np.concatenate([hard_rows(model, 500, seed), X])
    assert_same_leaves(booster.predict(matrix(rows), pred_leaf=True), model, rows)
    theirs, ours = booster.predict(matrix(rows)), quietly(model.outputs, rows)
    assert_close(theirs, ours if theirs.ndim == 2 else ours[:, -1], 1e-5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", LIGHTGBM)
def test_lightgbm(lightgbm, name, seed):
    settings = {"num_leaves": 9, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 1, **LIGHTGBM[name]}
    X, score = table(seed, codes=name == "groups")
    nominal = [1] if name == "groups" else "auto"
    y = target(settings, score)
    data = lightgbm.Dataset(X, y, categorical_feature=nominal, params={"verbose": -1})
    if "rank" in settings["objective"]:
        data.set_group([100, 100])
    booster = lightgbm.train(settings, data, 4)
    model = bw.from_lightgbm(booster)
    rows = np.concatenate([hard_rows(model, 500, seed, infinite=True), X])
    assert_same_leaves(booster.predict(rows, pred_leaf=True, num_threads=1), model, rows)
    theirs, ours = booster.predict(rows, num_threads=1), quietly(model.outputs, rows)
    assert_close(theirs, ours if theirs.ndim == 2 else ours[:, -1], 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_lightgbm_with_zeros_that_are_missing(lightgbm, seed):
    """Where one cut can say it, leaves are the same; elsewhere it is refused."""
    taken = 0
    for k in range(20):
        X, score = table(1000 * seed + k, missing=k % 2 == 0)
        X = np.abs(X) if k % 3 else X
        X[::3] = 0.0
        settings = {"num_leaves": 3, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 1}
        data = lightgbm.Dataset(
            X, score * (1 if k % 4 else -1), params={"verbose": -1, "zero_as_missing": True}
        )
        booster = lightgbm.train({**settings, "zero_as_missing": True, "objective": "regression"}, data, 1)
        try:
            model = bw.from_lightgbm(booster)
        except ParameterError as error:
            assert "zero_as_missing" in str(error)
            continue
        taken += 1
        rows = np.concatenate([hard_rows(model, 300, infinite=True), X])
        assert_same_leaves(booster.predict(rows, pred_leaf=True, num_threads=1), model, rows)
    assert taken


def test_a_model_that_stopped_early_stops_where_its_library_does(xgboost, lightgbm):
    X, score = table(1, 300)
    noise = np.random.default_rng(0).normal(size=300) * 3
    train, held = slice(0, 200), slice(200, 300)
    early = xgboost.XGBRegressor(
        n_estimators=60, early_stopping_rounds=2, max_depth=4, learning_rate=0.5, n_jobs=1
    )
    early.fit(X[train], (score + noise)[train], eval_set=[(X[held], (score + noise)[held])], verbose=False)
    booster = early.get_booster()
    best, whole = early.best_iteration + 1, booster.num_boosted_rounds()
    assert best < whole
    assert len(bw.from_xgboost(early).trees) == best and len(bw.from_xgboost(booster).trees) == whole
    assert_close(early.predict(X), bw.from_xgboost(early).predict(X), 1e-5)
    assert_close(early.predict(X), bw.from_xgboost(booster, rounds=best).predict(X), 1e-5)
    stop = lightgbm.early_stopping(2, verbose=False)
    data = lightgbm.Dataset(X[train], (score + noise)[train], params={"verbose": -1})
    held_out = lightgbm.Dataset(X[held], (score + noise)[held], reference=data)
    settings = {
        "objective": "regression",
        "num_leaves": 9,
        "learning_rate": 0.5,
        "verbose": -1,
        "num_threads": 1,
    }
    other = lightgbm.train(settings, data, 60, valid_sets=[held_out], callbacks=[stop])
    model = bw.from_lightgbm(other)
    assert len(model.trees) == other.best_iteration < 60
    assert_close(other.predict(X), model.predict(X), 1e-12)
    first = bw.from_lightgbm(other, rounds=1)
    assert_close(other.predict(X, num_iteration=1), first.predict(X), 1e-12)


def frame_of(X, names):
    import pandas as pd

    words = np.array(names)[np.nan_to_num(X[:, 1]).astype(int)]
    frame = pd.DataFrame({"x": X[:, 0], "word": pd.Categorical(words)})
    frame["size"] = pd.Categorical(np.digitize(X[:, 3], [0]) * 10)
    frame.loc[::7, "word"] = np.nan
    return frame


def test_pandas_categories_by_name_xgboost(xgboost):
    X, score = table(2, codes=True)
    frame = frame_of(X, list("abcdefghij"))
    estimator = xgboost.XGBClassifier(n_estimators=4, max_depth=4, enable_categorical=True, n_jobs=1).fit(
        frame, score > 0
    )
    model = bw.from_xgboost(estimator)
    assert model.schema[1].categories == tuple("abcdefghij") and model.schema[2].categories == (0, 10)
    assert_close(estimator.predict_proba(frame), model.predict_proba(frame), 1e-6)
    assert_same_leaves(estimator.apply(frame), model, frame)
    with pytest.raises(DataError, match="never seen"):  # XGBoost refuses it, too
        model.predict(frame.assign(word="never seen"))
    with pytest.raises(ModelFormatError, match="ASCII"):
        bw.from_xgboost(estimator.fit(frame_of(X, ["ä", *"bcdefghij"]), score > 0))


def test_pandas_categories_by_name_lightgbm(lightgbm):
    X, score = table(3, codes=True)
    frame = frame_of(X, ["ä", "水", *"cdefghij"])
    labels = np.where(score > 0, "high", "low")
    estimator = lightgbm.LGBMClassifier(
        n_estimators=4, num_leaves=9, min_data_per_group=5, verbose=-1, n_jobs=1
    )
    model = bw.from_lightgbm(estimator.fit(frame, labels))
    assert set(model.schema[1].categories) == {"ä", "水", *"cdefghij"}
    assert model.labels == ("high", "low")
    for given in (frame, frame.assign(word="never seen")):
        given = given.astype({"word": "category"})
        assert_close(estimator.predict_proba(given), quietly(model.predict_proba, given), 1e-12)


@pytest.mark.parametrize("base", [0.0, 1e-30, 1e-8, 1e-5, 0.5, 0.99999, 1 - 1e-7, 1.0])
def test_a_start_near_0_or_1_is_xgboosts_own(xgboost, base):
    """Of training rows of one class, 0 or 1 is what XGBoost chooses by itself."""
    X, score = table(6)
    one_class = base in (0.0, 1.0)
    data = xgboost.DMatrix(X, np.full(len(X), base) if one_class else score > 0, nthread=1)
    settings = {"objective": "binary:logistic", "nthread": 1} | ({} if one_class else {"base_score": base})
    booster = xgboost.train(settings, data, 2)
    model = bw.from_xgboost(booster)
    sums = booster.predict(data, output_margin=True)
    ours = quietly(model.predict_proba, X)
    assert_close(sums, np.log(ours[:, 1] / ours[:, 0]), 1e-5)


def test_a_number_for_missing_cells_is_refused_and_its_booster_taken(xgboost):
    X, score = table(5)
    X = np.nan_to_num(X, nan=-9.0)
    estimator = xgboost.XGBRegressor(n_estimators=4, missing=-9.0, n_jobs=1).fit(X, score)
    with pytest.raises(ParameterError, match=r"takes -9\.0 for a missing cell"):
        bw.from_xgboost(estimator)
    model = bw.from_xgboost(estimator.get_booster())
    assert_close(estimator.predict(X), model.predict(np.where(X == -9.0, np.nan, X)), 1e-5)


def test_the_same_model_from_every_form(xgboost, lightgbm, tmp_path):
    booster, X, _ = trained_by_xgboost(xgboost, XGBOOST["squarederror"], 0, "squarederror")
    path = tmp_path / "model.json"
    booster.save_model(path)
    text = path.read_text(encoding="utf-8")
    wanted = bw.from_xgboost(booster).predict(X)
    for form in (path, str(path), text, text.encode(), json.loads(text)):
        assert (bw.from_xgboost(form).predict(X) == wanted).all()
    booster.save_model(tmp_path / "model.ubj")
    with pytest.raises(ModelFormatError, match=r'save_model\("model\.json"\)'):
        bw.from_xgboost(tmp_path / "model.ubj")
    data = lightgbm.Dataset(X, X[:, 0] > 0, params={"verbose": -1})
    other = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1}, data, 2)
    other.save_model(tmp_path / "model.txt")
    wanted = bw.from_lightgbm(other).predict_proba(X)
    for form in (tmp_path / "model.txt", str(tmp_path / "model.txt"), other.model_to_string()):
        assert (bw.from_lightgbm(form).predict_proba(X) == wanted).all()


def test_what_cannot_be_expressed_is_refused_by_name(xgboost, lightgbm):
    X, score = table(4, missing=False)
    for objective in ("binary:hinge", "survival:cox", "reg:logistic", "binary:logitraw"):
        data = xgboost.DMatrix(X, (score > 0).astype(float))
        with pytest.raises(ParameterError, match=objective):
            bw.from_xgboost(xgboost.train({"objective": objective, "nthread": 1}, data, 1))
    data = xgboost.DMatrix(X, np.stack([score, -score], axis=1))
    with pytest.raises(ParameterError, match="several targets"):
        bw.from_xgboost(xgboost.train({"objective": "reg:squarederror", "nthread": 1}, data, 1))
    linear = {"verbose": -1, "num_threads": 1, "objective": "regression", "linear_tree": True}
    with pytest.raises(ParameterError, match="linear"):
        bw.from_lightgbm(lightgbm.train(linear, lightgbm.Dataset(X, score, params=linear), 1))
    quiet = {"verbose": -1, "num_threads": 1}
    for settings in ({"objective": "cross_entropy"}, {"objective": "multiclassova", "num_class": 2}):
        with pytest.raises(ParameterError, match=settings["objective"]):
            bw.from_lightgbm(lightgbm.train({**quiet, **settings}, lightgbm.Dataset(X, score > 0), 1))
    own = lightgbm.LGBMClassifier(
        n_estimators=1, verbose=-1, n_jobs=1, objective=lambda y, sums: (sums - y, np.ones_like(y))
    )
    with pytest.raises(ParameterError, match="an objective of your own predicts numbers"):
        bw.from_lightgbm(own.fit(X, score > 0))
    with pytest.raises(ParameterError, match=r"bw\.from_xgboost"):
        bw.from_sklearn(xgboost.XGBRegressor(n_estimators=1, n_jobs=1).fit(X, score))
    with pytest.raises(ParameterError, match=r"bw\.from_lightgbm"):
        bw.from_sklearn(lightgbm.LGBMRegressor(n_estimators=1, verbose=-1, n_jobs=1).fit(X, score))
