"""Ensembles as programs: votes are sums of leaves; what no program can say, or what would be enormous, is refused."""

import numpy as np
import pytest

import branchwork as bw
import branchwork.export as module
from branchwork.errors import ParameterError
from branchwork.model.flatten import as_sum

RNG = np.random.default_rng(0)
X = {"a": RNG.normal(size=80), "c": list(RNG.choice(["x", "y", "z"], 80))}
Y = np.where(X["a"] + RNG.normal(size=80) / 3 > 0, "yes", "no")
ROWS = [{name: X[name][k] for name in X} for k in range(80)]
ENSEMBLES = [
    bw.BaggingClassifier(n_estimators=4),
    bw.RandomForestClassifier(5, combine="vote"),
    bw.ExtraTreesClassifier(4),
    bw.AdaBoostClassifier(n_estimators=6),
    bw.AdaBoostClassifier(n_estimators=6, algorithm="m1"),
    bw.RandomForestRegressor(4),
    bw.BaggingClassifier(bw.C45Classifier(), n_estimators=3),
]


@pytest.mark.parametrize("estimator", ENSEMBLES, ids=str)
def test_an_exported_ensemble_answers_as_the_estimator(estimator):
    y = Y if hasattr(estimator, "predict_proba") else X["a"]
    fitted = estimator.fit(X, y)
    names: dict = {}
    exec(fitted.export("python"), names)
    said = [names["predict"](row) for row in ROWS]
    if hasattr(estimator, "predict_proba"):
        assert said == fitted.predict(X).tolist()
        shares = [names["predict_proba"](row) for row in ROWS]
        np.testing.assert_allclose(shares, fitted.predict_proba(X), atol=1e-12)
    else:
        np.testing.assert_allclose(said, fitted.predict(X), rtol=1e-12)
    for language in ("c", "javascript", "java", "sql", "json"):
        assert fitted.export(language)


@pytest.mark.parametrize("estimator", ENSEMBLES[:6], ids=str)
def test_a_model_as_a_sum_answers_alike(estimator):
    y = Y if hasattr(estimator, "predict_proba") else X["a"]
    model = estimator.fit(X, y).model_
    plain = as_sum(model)
    assert plain.combine.kind in ("mean", "sum")
    np.testing.assert_allclose(plain.outputs(X), model.outputs(X), rtol=1e-12)


def test_what_no_program_can_say_is_refused():
    median = bw.AdaBoostRegressor(n_estimators=3).fit(X, X["a"])
    with pytest.raises(ParameterError, match="weighted median"):
        median.export("python")
    holes = {**X, "a": np.where(RNG.random(80) < 0.2, np.nan, X["a"])}
    shared = bw.AdaBoostClassifier(bw.C45Classifier(), n_estimators=3).fit(holes, Y)
    with pytest.raises(ParameterError, match="share rows"):
        shared.export("c")


def test_an_enormous_program_is_refused_with_its_size(monkeypatch):
    forest = bw.RandomForestClassifier(5).fit(X, Y)
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    nodes = sum(tree.n_nodes for tree in forest.trees_)
    with pytest.raises(
        ParameterError, match=rf"5 trees with {nodes} nodes would make about \d+ MB of python"
    ):
        forest.export("python")
    assert forest.export("json")
