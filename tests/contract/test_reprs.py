"""Whatever a public function returns has a repr of a few lines, and a view in a notebook where one is useful."""

import html
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.table.shown import MOST_LINES

from registry import ALL, ENSEMBLES, ESTIMATORS, RULE_LISTS, VOTES

MOST_LETTERS = 4_000
"""Of a repr: some lines are tables."""


def rows(n=90, columns=14, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"column {k:02}": rng.normal(size=n).round(2) for k in range(columns)})
    X["kind"] = rng.choice([f"kind {k:02}" for k in range(12)], n)
    score = X["column 00"] + X["column 01"] ** 2 + (X["kind"] < "kind 06")
    return X, np.where(score > 1, "many", np.where(score > 0, "some", "few")), score.to_numpy()


def fitted(factory):
    X, y, numbers = rows()
    estimator = factory()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y if hasattr(estimator, "predict_proba") else numbers)


def check(thing, *, in_notebook=True):
    text = repr(thing)
    assert 0 < len(text.split("\n")) <= MOST_LINES, f"{type(thing).__name__}: {len(text.splitlines())} lines"
    assert len(text) <= MOST_LETTERS and " object at 0x" not in text, type(thing).__name__
    assert text.isprintable() or (set(text) - {"\n"} and text.replace("\n", "").isprintable())
    if in_notebook:
        shown = thing._repr_html_()
        assert re.sub("<[^>]*>", "", shown).strip() or "srcdoc=" in shown, type(thing).__name__


@pytest.mark.parametrize("factory", [*ALL, *VOTES])
def test_estimators_before_and_after_a_fit(factory):
    check(factory())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = fitted(factory)
    check(estimator)
    assert "text/html" in estimator._repr_mimebundle_()
    check(estimator.predict(rows()[0])[:3], in_notebook=False)


@pytest.mark.parametrize("factory", [*ESTIMATORS, *ENSEMBLES])
def test_models_explanations_and_what_is_taken_from_a_tree(factory):
    X = rows()[0]
    estimator = fitted(factory)
    model, row = estimator.model_, X.iloc[[0]]
    check(model)
    check(estimator.why(row))
    if factory in ENSEMBLES:
        check(estimator[0].model_)
        check(model.member(0))
        return
    check(estimator.to_svg())
    check(estimator.rules())
    check(estimator.tree_, in_notebook=False)
    if not estimator.tree_.is_leaf(0):
        check(estimator.working(0))


@pytest.mark.parametrize("factory", RULE_LISTS)
def test_lists_of_rules(factory):
    estimator = fitted(factory)
    check(estimator.rules_)
    assert "<table" in estimator._repr_html_()


def test_long_lists_of_rules_are_cut_in_a_notebook_and_text_stands_at_the_left():
    X = rows(600)[0]
    y = np.random.default_rng(1).integers(0, 2, 600)
    rules = bw.TreeClassifier().fit(X, y).rules()
    shown = rules._repr_html_()
    assert len(rules) > 100 and shown.count("<tr>") == 102 and f"{len(rules) - 100} more rules" in shown
    line = shown.split("<tr>")[2]
    sides = re.findall("text-align:(left|right)", line)
    assert sides[1] == "left" and set(sides[2:]) == {"right"}


def test_tables_and_what_describes_them():
    X = rows()[0]
    table = bw.to_table(X)
    for thing in (table, table.head(), table.head(50), table.describe(), table.schema):
        check(thing)
    check(table.schema[0], in_notebook=False)
    check(table.schema[-1], in_notebook=False)
    shown = table.head(3)._repr_html_()
    assert shown.count("<tr>") == 4 and "3 more columns" in shown
    kinds = bw.to_table(X[["kind", "column 00"]])._repr_html_()
    assert (
        re.findall("text-align:(left|right)", kinds)[:2] == ["left", "right"]
        and "90 rows × 2 columns" in kinds
    )
    wide = bw.to_table({f"c{k}": [1.0] for k in range(400)})
    check(wide)
    check(wide.schema)
    check(wide.describe())


@pytest.mark.parametrize("name", bw.datasets.short_names())
def test_bundled_tables(name):
    data = bw.datasets.load(name)
    check(data)
    assert data.target in repr(data) and html.escape(data.target) in data._repr_html_()


def test_pruning_paths():
    X, y, _ = rows(400)
    tree = bw.CARTClassifier().fit(X, y)
    path = tree.pruning_path("cost_complexity")
    check(path)
    assert len(str(path).splitlines()) == len(path) + 2 > len(repr(path).splitlines())
    assert path._repr_html_().count("<tr>") == len(path) + 1


def test_large_trees_leave_a_picture_and_a_line_how_to_see_all():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    tree = bw.CARTClassifier().fit(X, np.random.default_rng(1).integers(0, 2, 3000))
    assert tree.tree_.n_nodes > 1000
    for shown in (tree._repr_html_(), tree.model_._repr_html_()):
        assert "<svg" in shown and "Down to depth" in shown and "to_html(" in html.unescape(shown)
        assert len(shown) < 200_000
    assert tree.to_html()[:15] == "<!doctype html>"


def test_models_that_were_loaded_or_came_from_elsewhere(tmp_path):
    sklearn_tree = pytest.importorskip("sklearn.tree")
    X, y, _ = rows()
    tree = fitted(bw.CARTClassifier)
    bw.save(tree, tmp_path / "tree.bw")
    loaded = bw.load(tmp_path / "tree.bw")
    check(loaded)
    assert repr(loaded) == repr(tree.model_)
    numbers = X.drop(columns="kind")
    foreign = bw.from_sklearn(sklearn_tree.DecisionTreeClassifier(max_depth=3).fit(numbers, y))
    check(foreign)
    assert "predicts few, many, some from 14 columns" in repr(foreign)


def test_studies():
    X, y, _ = rows()
    study = bw.study
    tree = bw.CARTClassifier(max_depth=3).fit(X, y)
    numbers = X.drop(columns="kind")
    pair = bw.TreeClassifier(max_depth=2).fit(numbers[["column 00", "column 01"]], y)
    wave = study.WaveSampler(noise=0.3)
    sweep = {"over": "max_depth", "values": [1, 2]}
    tuned = bw.CARTClassifier().tune(numbers, y, grid={"max_depth": [1, 2, 3]})
    forest = bw.RandomForestClassifier(4).fit(X, y)
    boosted = bw.AdaBoostClassifier(n_estimators=40).fit(X, y)
    for thing in (
        study.look(X, y),
        study.report(tree, X, y),
        study.curve(bw.TreeClassifier(), X, y, over="max_depth", values=[1, 2]),
        bw.compare({"a": bw.CARTClassifier(), "b": bw.StumpClassifier()}, X, y),
        study.compare_trees(tree, bw.CARTClassifier(max_depth=1).fit(X, y), X, y),
        study.regions(pair, numbers[["column 00", "column 01"]], y),
        study.bias_variance(bw.TreeRegressor(), wave, n_train=30, n_repeats=5),
        study.bias_variance(bw.TreeRegressor(), wave, n_train=30, n_repeats=5, **sweep),
        study.consistent_trees(*study.CheckerboardSampler(flip=0)(40, seed=0)),
        tuned.tuning_,
        boosted.stages_,
        boosted.stage_weights(X, y),
    ):
        check(thing)
    for thing in (
        study.look(X, y).findings,
        study.split(X, y),
        study.clean(X, y),
        study.clean(X, y).cleaning,
        forest.diversity(X, y),
        study.CheckerboardSampler(),
        wave,
    ):
        check(thing, in_notebook=False)


def test_a_long_text_says_how_to_see_all():
    X, y, _ = rows()
    working = bw.CARTClassifier(max_depth=2).fit(X, y).working(0)
    assert len(str(working).splitlines()) > MOST_LINES == len(repr(working).splitlines())
    assert repr(working).endswith("more lines; print() shows them all")
