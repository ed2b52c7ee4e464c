"""Subtrees of few rows are grown on their own; a tree that keeps its ledger grows without them, and is the same."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.grow.recipes import RECIPES
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values
from core_settings import grow_with

from tables import cases, open_cases


def assert_same_bits(small, general):
    for field in fields(small):
        ours, theirs = getattr(small, field.name), getattr(general, field.name)
        if isinstance(theirs, np.ndarray):
            assert ours.dtype == theirs.dtype, field.name
            np.testing.assert_array_equal(ours, theirs, field.name)
            assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(theirs).tobytes(), field.name


def assert_ledger_changes_nothing(table, target, recipe, threads=(1,)):
    wanted = grow_with({"ledger_nodes": 10**9}, table, target, recipe)
    for n_jobs in threads:
        assert_same_bits(grow_with({"ledger_nodes": 0}, table, target, recipe, n_jobs=n_jobs), wanted)
    return wanted


@pytest.mark.parametrize("name", ["tree", "tree-regression", "cart", "cart-regression"])
@given(data=st.data())
def test_small_tables_of_every_kind(name, data):
    recipe = RECIPES[name]
    case = data.draw(cases(classification=recipe.is_classification))
    table, target = without_weightless_rows(case.table, case.target)
    assert_ledger_changes_nothing(table, target, recipe)


@pytest.mark.parametrize("missing", ["branch", "larger", "learn"])
@given(data=st.data())
def test_every_setting(missing, data):
    """Limits, groups of categories, missing cells, cuts at values of the table; weights keep the general search."""
    case = data.draw(open_cases(missing=missing))
    table, target = without_weightless_rows(case.table, case.target)
    assert_ledger_changes_nothing(table, target, case.recipe)


def wide_table(rng, n, columns, *, missing):
    """Features of every kind side by side, more than the sixteen that are compared at once."""
    X = {}
    for j in range(columns):
        kind = j % 5
        if kind == 0:
            X[f"x{j}"] = rng.normal(size=n)
        elif kind == 1:
            X[f"x{j}"] = rng.integers(0, 256, n)
        elif kind == 2:
            X[f"x{j}"] = np.round(rng.normal(size=n), 1)
        elif kind == 3:
            X[f"x{j}"] = rng.integers(0, 2, n).astype(float)
        else:
            X[f"x{j}"] = rng.choice(list("abcdefghijklm"), n)
    if missing:
        for name in ("x0", "x2", "x3"):
            X[name] = np.where(rng.random(n) < 0.02, np.nan, X[name])
        X["x4"] = [None if lost else cell for cell, lost in zip(X["x4"], rng.random(n) < 0.02, strict=True)]
    hidden = np.nan_to_num(X["x0"]) + np.nan_to_num(X["x2"]) + (np.asarray(X["x1"]) % 7) + rng.normal(size=n)
    return to_table(X), hidden


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("columns", [5, 16, 17, 41])
@pytest.mark.parametrize("kind", ["two classes", "nine classes", "numbers", "whole numbers"])
def test_large_trees_are_the_same_on_any_number_of_threads(kind, columns, missing):
    rng = np.random.default_rng(columns)
    table, hidden = wide_table(rng, 3_000, columns, missing=missing)
    target = {
        "two classes": lambda: classes(hidden > 3),
        "nine classes": lambda: classes(np.digitize(hidden, range(8))),
        "numbers": lambda: values(hidden),
        "whole numbers": lambda: values(np.round(hidden)),
    }[kind]()
    recipe = RECIPES["tree" if "classes" in kind else "tree-regression"]
    tree = assert_ledger_changes_nothing(table, target, recipe, threads=(1, 2, 3))
    assert tree.n_nodes > 500
    for stopping in (
        {"min_samples_leaf": 4},
        {"min_samples_split": 9},
        {"max_depth": 7},
        {"min_impurity_decrease": 1e-4},
    ):
        limited = recipe.replace(stopping=replace(recipe.stopping, **stopping))
        assert_ledger_changes_nothing(table, target, limited)


def test_scores_that_are_equal_as_floats_are_told_apart():
    """Of 97 rows, 48 of them of one class, 20 with 8 of that class are a worse left side than 39 with 17 of them.

    The scores are 48.958442 and 48.958444, which are the same number as a float.
    """
    label = np.repeat([0, 1], [49, 48])

    def feature(rows, ones):
        cells = np.ones(97)
        cells[np.flatnonzero(label == 0)[: rows - ones]] = 0
        cells[np.flatnonzero(label == 1)[:ones]] = 0
        return np.concatenate([cells, np.zeros(200)])

    table = to_table(
        {"worse": feature(20, 8), "better": feature(39, 17), "part": np.repeat([0.0, 1.0], [97, 200])}
    )
    tree = assert_ledger_changes_nothing(
        table, classes(np.concatenate([label, np.full(200, 2)])), RECIPES["tree"]
    )
    assert tree.feature[0] == 2
    assert tree.feature[1] == 1


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("largest", [np.inf, 5e-324, 1.0])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_negative_zeros_give_the_same_cut(kind, largest, many):
    """Counted features (few values) have no -0.0; sorted ones keep the cell that is next to the cut."""
    rng = np.random.default_rng(5)
    x = np.where(rng.random(60) < 0.5, np.where(rng.random(60) < 0.5, -0.0, 0.0), largest)
    rest = np.arange(2, 400) if many else np.full(398, 7.0)
    X = {"part": np.repeat([0.0, 1.0], [60, 398]), "x": np.concatenate([x, rest])}
    label = np.concatenate([x == largest, np.full(398, 2)])
    target = classes(label) if kind == "classes" else values(label * 10.0)
    recipe = RECIPES["tree" if kind == "classes" else "tree-regression"]
    assert_ledger_changes_nothing(to_table(X), target, recipe)


def test_a_model_with_a_task_that_is_a_leaf_can_be_saved(tmp_path):
    """A thread that grows a small node which cannot be split must not call it split."""
    X = np.c_[np.repeat([0.0, 1.0], [10, 190]), np.zeros(200)]
    y = np.r_[np.arange(10) % 2, np.zeros(190, int)]
    forest = bw.RandomForestClassifier(n_estimators=1, max_features=None, n_jobs=2, random_state=0).fit(X, y)
    bw.save(forest, tmp_path / "forest.bw")
    assert bw.load(tmp_path / "forest.bw").predict(X).tolist() == forest.predict(X).tolist()


@pytest.mark.parametrize("min_gain", [0, 0.01])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_nodes_that_cannot_be_split_say_why(kind, min_gain):
    """Most rows have a feature that gains nothing; the others, few enough for a task of a thread, are all alike."""
    part = np.repeat([0.0, 1.0], [92, 8])
    X = {"part": part, "useless": np.where(part == 0, np.arange(100) % 2, 0)}
    label = np.where(part == 0, np.arange(100) // 2 % 2, 2 + np.arange(100) % 2)
    recipe = RECIPES["tree" if kind == "classes" else "tree-regression"]
    recipe = recipe.replace(stopping=replace(recipe.stopping, min_gain=min_gain))
    target = classes(label) if kind == "classes" else values(label * 10.0)
    assert_ledger_changes_nothing(to_table(X), target, recipe, threads=(1, 2, 3))


@pytest.mark.parametrize("n", [254, 255, 256, 257])
def test_nodes_at_the_limit_of_a_byte(n):
    """As many rows as a byte counts, each with a value of its own, and as many classes."""
    rng = np.random.default_rng(n)
    part = np.repeat([0.0, 1.0], [n, 300])
    X = {"part": part, "fine": rng.permutation(n + 300), "other": rng.permutation(n + 300)}
    label = np.where(part == 0, rng.permutation(n + 300) % n, n)
    assert_ledger_changes_nothing(to_table(X), classes(label), RECIPES["tree"])
    two = np.where(part == 0, rng.integers(0, 2, n + 300), 2)
    assert_ledger_changes_nothing(to_table(X), classes(two), RECIPES["tree"])
    assert_ledger_changes_nothing(to_table(X), values(label * 0.1), RECIPES["tree-regression"])
