"""Writes the model files here, and what XGBoost and LightGBM themselves answer: `python tests/agree/foreign/make.py`.

Every case is a model file and <case>.rows.json: hard rows, the leaf of each in every tree, and the prediction. The
tables are made up. Needs xgboost and lightgbm (written with xgboost 3.2 and lightgbm 4.7).
"""

import json
import sys
from pathlib import Path

import lightgbm
import numpy as np
import xgboost

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

import branchwork as bw  # noqa: E402

from foreign_cases import hard_rows, table  # noqa: E402

ROWS, ROUNDS = 80, 3

XGBOOST = {
    "squared": {"objective": "reg:squarederror"},
    "logistic": {"objective": "binary:logistic"},
    "softprob": {"objective": "multi:softprob", "num_class": 3},
    "poisson": {"objective": "count:poisson"},
    "dart": {"objective": "reg:squarederror", "booster": "dart", "rate_drop": 0.5},
    "codes": {"objective": "reg:squarederror", "max_cat_to_onehot": 1},
}
LIGHTGBM = {
    "regression": {"objective": "regression"},
    "binary": {"objective": "binary", "sigmoid": 0.7},
    "multiclass": {"objective": "multiclass", "num_class": 3},
    "gamma": {"objective": "gamma"},
    "forest": {"objective": "binary", "boosting": "rf", "bagging_fraction": 0.6, "bagging_freq": 1},
    "nothing_missing": {"objective": "regression", "use_missing": False},
    "codes": {"objective": "regression", "min_data_per_group": 5, "cat_smooth": 1},
}


def target(settings, score):
    if "num_class" in settings:
        return np.digitize(score, [-1.0, 1.0])
    if settings["objective"] in ("binary", "binary:logistic"):
        return (score > 0).astype(float)
    return np.abs(score) + 0.1 if settings["objective"] in ("count:poisson", "gamma") else score


def write(name, model, rows, leaf, predicted):
    data = {
        "rows": rows.tolist(),
        "leaf": np.asarray(leaf).reshape(len(rows), -1).astype(int).tolist(),
        "predicted": np.asarray(predicted, np.float64).tolist(),
    }
    (HERE / f"{name}.rows.json").write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(name, model)


def with_xgboost(name, settings):
    X, score = table(len(name), codes=name == "codes")
    types = ["q", "c" if name == "codes" else "q", "q", "q"]
    data = xgboost.DMatrix(X, target(settings, score), feature_types=types, enable_categorical=True)
    booster = xgboost.train({"max_depth": 3, "seed": 1, **settings}, data, ROUNDS)
    path = HERE / f"xgboost_{name}.json"
    booster.save_model(path)
    model = bw.from_xgboost(path)
    rows = hard_rows(model, ROWS)
    asked = xgboost.DMatrix(rows, feature_types=types, enable_categorical=True)
    write(
        f"xgboost_{name}", model.trees, rows, booster.predict(asked, pred_leaf=True), booster.predict(asked)
    )


def with_lightgbm(name, settings):
    X, score = table(len(name), codes=name == "codes")
    nominal = [1] if name == "codes" else "auto"
    data = lightgbm.Dataset(X, target(settings, score), categorical_feature=nominal, params={"verbose": -1})
    fixed = {"num_leaves": 6, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 1, "seed": 1}
    booster = lightgbm.train({**fixed, **settings}, data, ROUNDS)
    path = HERE / f"lightgbm_{name}.txt"
    booster.save_model(path)
    model = bw.from_lightgbm(path)
    rows = hard_rows(model, ROWS, infinite=True)
    write(f"lightgbm_{name}", model.trees, rows, booster.predict(rows, pred_leaf=True), booster.predict(rows))


def for_the_page():
    """The small files that docs/guide/store-foreign.md reads."""
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True)
    names = [name.removesuffix(" (cm)") for name in iris.data.columns]
    X, folder = iris.data.to_numpy(), HERE.parents[2] / "docs" / "guide" / "foreign"
    folder.mkdir(exist_ok=True)
    data = xgboost.DMatrix(X, iris.target, feature_names=names)
    settings = {"objective": "multi:softprob", "num_class": 3, "max_depth": 2}
    xgboost.train(settings, data, 2).save_model(folder / "iris_xgboost.json")
    data = lightgbm.Dataset(X, iris.target > 0, feature_name=names, params={"verbose": -1})
    settings = {"objective": "binary", "num_leaves": 3, "learning_rate": 0.5, "verbose": -1, "num_threads": 1}
    lightgbm.train(settings, data, 2).save_model(folder / "iris_lightgbm.txt")


if __name__ == "__main__":
    for_the_page()
    for name, settings in XGBOOST.items():
        with_xgboost(name, settings)
    for name, settings in LIGHTGBM.items():
        with_lightgbm(name, settings)
