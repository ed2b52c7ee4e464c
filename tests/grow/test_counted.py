"""Columns of few values are counted; sorting them instead gives the same tree, node by node."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Search
from branchwork.grow.recipes import RECIPES
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values
from core_settings import grow_with

from tables import cases, open_cases

IN_THE_CORE = sorted(
    name for name, recipe in RECIPES.items() if recipe.chaid is None and recipe.optimal is None
)


def counting(most, *args, **settings):
    """Grow a tree, counting numeric columns of at most so many values."""
    return grow_with({"counted_values": most}, *args, **settings)


def assert_same_tree(counted, by_order):
    """Numbers may differ by rounding: counting adds doubles up value by value, sorting row by row."""
    for field in fields(counted):
        ours, theirs = getattr(counted, field.name), getattr(by_order, field.name)
        if field.name == "ledger" and theirs is not None:
            assert_same_tree(ours, theirs)
        elif field.name == "surrogates":
            assert (ours is None) == (theirs is None)
            if theirs is not None:
                assert_same_tree(ours, theirs)
        elif isinstance(theirs, np.ndarray) and theirs.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12, err_msg=field.name)
        elif isinstance(theirs, np.ndarray):
            np.testing.assert_array_equal(ours, theirs, field.name)


@pytest.mark.parametrize("name", IN_THE_CORE)
@given(data=st.data())
def test_every_recipe_grows_the_same_tree(name, data):
    recipe = RECIPES[name]
    case = data.draw(cases(classification=recipe.is_classification))
    table, target = without_weightless_rows(case.table, case.target)
    for most in (0, 3):  # none is counted; some are
        assert_same_tree(counting(256, table, target, recipe), counting(most, table, target, recipe))


@pytest.mark.parametrize("missing", ["branch", "larger", "share", "learn"])
@given(data=st.data())
def test_every_setting_grows_the_same_tree(missing, data):
    """Missing cells, weights, limits, gain ratio, cuts at values of the table, groups of categories."""
    case = data.draw(open_cases(missing=missing))
    table, target = without_weightless_rows(case.table, case.weighted_target)
    assert_same_tree(counting(256, table, target, case.recipe), counting(0, table, target, case.recipe))


def large_table(rng, n):
    """Columns of 2, 16, 256 and 257 values, and one with as many as rows; cells are missing in two."""
    X = {
        "flag": rng.integers(0, 2, n).astype(float),
        "few": rng.integers(0, 16, n).astype(float),
        "byte": rng.permutation(np.arange(n) % 256).astype(np.uint8),
        "more": rng.permutation(np.arange(n) % 257).astype(np.int16),
        "fine": rng.normal(size=n),
        "tenths": np.round(rng.normal(size=n), 1),
        "word": rng.choice(["a", "b", "c"], n),
    }
    X["few"][rng.random(n) < 0.1] = np.nan
    X["fine"][rng.random(n) < 0.1] = np.nan
    return to_table(X), X["flag"] + X["tenths"] + X["byte"] % 3 + rng.normal(size=n)


@pytest.mark.parametrize("n", [300, 6_000, 40_000])
@pytest.mark.parametrize("name", ["cart", "cart-regression", "id3", "c45", "surrogates"])
def test_large_nodes_are_copied_and_counted_on_threads(n, name):
    """Tallies that are handed down, copies of nodes with slots of their own, and several threads."""
    recipe = RECIPES["cart" if name == "surrogates" else name]
    if name == "surrogates":
        recipe = recipe.replace(search=Search(nominal="subset", missing="surrogate", max_surrogates=3))
    table, score = large_table(np.random.default_rng(n), n)
    target = classes(np.digitize(score, [-0.5, 1, 2.5])) if recipe.is_classification else values(score)
    wanted = counting(0, table, target, recipe)
    for n_jobs in (1, 2, 3):
        assert_same_tree(counting(256, table, target, recipe, n_jobs=n_jobs), wanted)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_column_that_a_copy_has_dropped_does_not_come_back(weighted):
    """Where all cells of the only counted column are missing, the copy of a node has no counted column at all."""
    rng = np.random.default_rng(3)
    n = 20_000
    where = rng.integers(0, 200, n)
    few = np.where(where < 100, np.nan, rng.integers(0, 40, n))
    table = to_table({"few": few, "fine": where + rng.random(n) / 2})
    target = classes(rng.integers(0, 3, n), rng.random(n) if weighted else None)
    recipe = RECIPES["id3"]
    recipe = recipe.replace(
        stopping=replace(recipe.stopping, max_depth=20)
    )  # splits of nothing would never end
    assert_same_tree(counting(256, table, target, recipe), counting(0, table, target, recipe))


@given(data=st.data())
def test_values_that_a_sample_lacks_leave_no_trace(data):
    """A cut lies between neighbouring values of the rows drawn, whatever the prepared table has between them."""
    recipe = RECIPES["cart"]
    case = data.draw(cases(classification=True))
    table, target = without_weightless_rows(case.table, case.target)
    rows = np.array(data.draw(st.lists(st.integers(0, table.n_rows - 1), min_size=1)))
    rows.sort()
    drawn = Prepared(table).draw(rows)
    part, of_part = table.take(rows), target.take(rows)
    assert_same_tree(counting(256, part, of_part, recipe, drawn=drawn), counting(0, part, of_part, recipe))


def one_hot_table(rng, n):
    """Two one-hot encodings, one of them of rare categories and without a column for the commonest; flags that overlap.

    Columns of the two encodings take turns, some are -1 and 7 instead of 0 and 1, one has the larger value nearly
    everywhere, and one has a missing cell, so it shares no cell with the others.
    """
    colour, shape = rng.integers(0, 6, n), rng.geometric(0.4, n) - 1
    X = {}
    for k in range(6):
        X[f"colour {k}"] = np.where(colour == k, 7.0, -1.0) if k % 2 else (colour == k).astype(float)
        X[f"shape {k + 1}"] = (shape == k + 1).astype(np.int8)
    X["often"] = (rng.random(n) < 0.95).astype(float)
    X["seldom"] = ((X["often"] == 0) & (colour == 0)).astype(float)
    X["unknown once"] = np.where(np.arange(n) == n // 2, np.nan, colour == 3)
    X["fine"] = rng.normal(size=n)
    X["few"] = rng.integers(0, 9, n).astype(float)
    return to_table(X), colour % 3 + (shape == 2) + X["seldom"] + X["fine"] + rng.normal(size=n) / 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [40, 700, 6_000, 40_000])
@pytest.mark.parametrize("name", ["cart", "cart-regression", "id3", "c45", "surrogates"])
def test_columns_of_a_one_hot_encoding_share_a_cell(n, name, weighted):
    """Their smaller values are not counted but follow from the others; copies drop columns that became constant."""
    recipe = RECIPES["cart" if name == "surrogates" else name]
    if name == "surrogates":
        recipe = recipe.replace(search=Search(nominal="subset", missing="surrogate", max_surrogates=3))
    rng = np.random.default_rng(n)
    table, score = one_hot_table(rng, n)
    weights = rng.choice([0.5, 1.0, 2.0], n) if weighted else None
    target = (
        classes(np.digitize(score, [0, 1.2, 2.5]), weights)
        if recipe.is_classification
        else values(score, weights)
    )
    wanted = counting(0, table, target, recipe)
    for n_jobs in (1, 3):
        assert_same_tree(counting(256, table, target, recipe, n_jobs=n_jobs), wanted)


@given(data=st.data())
def test_any_flags_grow_the_same_tree(data):
    """Some pairs of flags are never set together, others are; a sample has rows several times, or only some of them."""
    recipe = RECIPES[data.draw(st.sampled_from(["cart", "cart-regression", "id3"]))]
    n = data.draw(st.integers(2, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    share = data.draw(st.sampled_from([0.03, 0.1, 0.3, 0.6]))
    table = to_table({f"flag {k}": (rng.random(n) < share).astype(float) for k in range(6)})
    labels = rng.integers(0, 3, n)
    target = classes(labels) if recipe.is_classification else values(labels.astype(float))
    assert_same_tree(counting(256, table, target, recipe), counting(0, table, target, recipe))
    rows = np.sort(rng.integers(0, n, n))
    drawn = Prepared(table).draw(rows)
    part, of_part = table.take(rows), target.take(rows)
    assert_same_tree(counting(256, part, of_part, recipe, drawn=drawn), counting(0, part, of_part, recipe))
