"""Samples of a prepared table: the trees of `table.take(rows)`, node by node, for any number of threads."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork import _core
from branchwork.errors import DataError, ParameterError
from branchwork.grow.grow import core_options, grow, grow_many
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Subspace
from branchwork.grow.recipes import RECIPES
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values

from tables import OF_EACH, cases, open_cases

IN_THE_CORE = sorted(
    name for name, recipe in RECIPES.items() if recipe.chaid is None and recipe.optimal is None
)


def assert_equal_arrays(tree, other, *, ledger=False):
    for field in fields(tree):
        ours, theirs = getattr(tree, field.name), getattr(other, field.name)
        if field.name == "missing_weight" and ours is None:  # not counted where many trees are grown
            continue
        if field.name not in ("ledger", "surrogates"):
            np.testing.assert_array_equal(ours, theirs, field.name)
        elif theirs is not None and (ledger or field.name == "surrogates"):
            assert_equal_arrays(ours, theirs)


def rows_of_a_sample(data, n):
    """A fold, or a bootstrap sample: rows in the order of the table."""
    return np.sort(np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=2 * n))))


@pytest.mark.parametrize("name", IN_THE_CORE)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_a_sample_gives_the_tree_of_its_rows(name, data):
    recipe = RECIPES[name]
    case = data.draw(cases(classification=recipe.is_classification))
    table, target = without_weightless_rows(case.table, case.target)
    rows = rows_of_a_sample(data, table.n_rows)
    prepared, part, of_part = Prepared(table), table.take(rows), target.take(rows)
    wanted, _ = grow(part, of_part, recipe)
    drawn = prepared.draw(rows)
    for n_jobs in (1, 3):
        found, _ = grow(part, of_part, recipe, drawn=drawn, n_jobs=n_jobs)
        assert_equal_arrays(found, wanted, ledger=True)
    (alone,) = grow_many(prepared, target, recipe, [drawn])
    assert_equal_arrays(alone, wanted)
    assert drawn.rows.tolist() == rows.tolist() and len(drawn) == len(rows)


@pytest.mark.parametrize("missing", ["branch", "larger", "share", "learn"])
@given(data=st.data())
def test_what_a_recipe_asks_of_the_table_is_asked_of_the_rows_drawn(missing, data):
    """Values for cut="data", shares of the weight, missing cells: those of the sample."""
    case = data.draw(open_cases(missing=missing))
    table, target = without_weightless_rows(case.table, case.weighted_target)
    rows = rows_of_a_sample(data, table.n_rows)
    if case.settings.criterion == "poisson" and not target.values[rows].any():
        return
    recipe = case.recipe
    part, of_part = table.take(rows), target.take(rows)
    wanted, _ = grow(part, of_part, recipe)
    found, _ = grow(part, of_part, recipe, drawn=Prepared(table).draw(rows))
    assert_equal_arrays(found, wanted, ledger=True)


def large_table(n=4000):
    """Large enough for copies of nodes, tasks and shared-out columns."""
    rng = np.random.default_rng(7)
    X = {
        "fine": rng.normal(size=n),
        "coarse": rng.integers(0, 40, n).astype(float),
        "name": [None if k == 5 else "abcde"[k] for k in rng.integers(0, 6, n)],
        "holes": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n).round(1)),
        **{f"x{j}": rng.normal(size=n) for j in range(14)},
    }
    z = X["fine"] + (X["coarse"] > 20) + rng.normal(size=n) / 2
    return to_table(X), z, rng


@pytest.mark.parametrize("name", IN_THE_CORE)
def test_large_samples_for_any_number_of_threads(name):
    recipe = RECIPES[name]
    table, z, rng = large_table()
    target = classes(np.digitize(z, [0, 1])) if recipe.is_classification else values(np.round(z - z.min(), 2))
    if recipe.criterion == "variance":
        recipe = recipe.replace(stopping=replace(recipe.stopping, max_depth=6))
    prepared = Prepared(table, n_jobs=2)
    draws = [prepared.draw(rng.integers(0, table.n_rows, table.n_rows)) for _ in range(3)]
    wanted = [grow(table.take(d.rows), target.take(d.rows), recipe)[0] for d in draws]
    for n_jobs in (1, 2, 3, 8):
        for tree, other in zip(
            grow_many(prepared, target, recipe, draws, n_jobs=n_jobs), wanted, strict=True
        ):
            assert_equal_arrays(tree, other)
        found, _ = grow(
            table.take(draws[0].rows), target.take(draws[0].rows), recipe, drawn=draws[0], n_jobs=n_jobs
        )
        assert_equal_arrays(found, wanted[0])


def test_sorted_columns_take_no_more_memory_than_promised():
    table = to_table(np.random.default_rng(0).normal(size=(20_000, 5)))
    assert Prepared(table).bytes <= 12.2 * 20_000 * 5
    few = to_table(np.random.default_rng(0).integers(0, 200, size=(20_000, 5)).astype(float))
    assert Prepared(few).bytes <= 5.2 * 20_000 * 5  # ranks of one byte, and a bit


def test_a_sample_that_cannot_be_drawn_is_refused():
    prepared = Prepared(to_table({"a": [1.0, 2.0]}))
    with pytest.raises(DataError, match="Row 2 is not in the table, which has rows 0 to 1"):
        prepared.draw([0, 2])
    with pytest.raises(DataError, match="Row -1 is not in the table"):
        prepared.draw([-1])
    with pytest.raises(DataError, match="at least one row"):
        prepared.draw([])


# ---------------------------------------------------------------------------------------- features drawn at random

WORD = 2**64


def mixed(x):
    x = (x + 0x9E3779B97F4A7C15) % WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def key_of(key, which):
    return mixed(mixed(key) ^ which)


FEATURES = 2 << 56


def slow_forest_tree(table, target, recipe, seed, number):
    """One tree by the definition: at each node the columns in the order of their draws, until enough have a split."""
    options = core_options(recipe.replace(subspace=None), target)
    columns, n = table.core, len(table.schema)
    columns.mark_missing()
    per, wanted = recipe.subspace.per, recipe.subspace.features
    root = key_of(mixed(seed), number)
    in_tree = sorted(range(n), key=lambda j: key_of(key_of(root, FEATURES), j))[:wanted]
    splits = []
    waiting = [(root, np.arange(table.n_rows, dtype=np.uint32))]
    while waiting:
        key, rows = waiting.pop(0)
        tally = _core.tally(columns, target.core, rows, options)
        if not len(rows) or tally.pure:
            splits.append(None)
            continue
        every = _core.choose(tally, np.zeros(n, bool), -np.inf, options).candidates
        if per == "tree":
            competing = set(in_tree)
        else:
            order = sorted(range(n), key=lambda j: key_of(key_of(key, FEATURES), j))
            competing = set([j for j in order if every[j].gain == every[j].gain][:wanted])
        out = np.array([j not in competing for j in range(n)])
        choice = _core.choose(tally, out, -np.inf, options)
        if choice.best < 0:
            splits.append(None)
            continue
        chosen = choice.candidates[choice.best]
        splits.append((chosen.feature, chosen.cut))
        lookup = chosen.sides if table.schema[chosen.feature].is_nominal else np.empty(0, np.int32)
        child = _core.route(columns, chosen.feature, chosen.cut, lookup, chosen.missing_child, rows)
        waiting += [(key_of(key, k), rows[child == k]) for k in (0, 1)]
    return splits


@pytest.mark.parametrize("per", ["node", "tree"])
@pytest.mark.parametrize("wanted", [1, 2, 5])
@pytest.mark.parametrize("name", ["tree", "tree-regression"])
def test_features_drawn_at_random_are_those_of_the_definition(name, wanted, per):
    recipe = RECIPES[name].replace(subspace=Subspace(wanted, per), zero_gain=False)
    rng = np.random.default_rng(wanted)
    n = 120
    table = to_table(
        {
            "a": rng.normal(size=n).round(1),
            "b": rng.integers(0, 3, n).astype(float),
            "c": np.ones(n),
            "d": [None if k == 3 else "xyz"[k] for k in rng.integers(0, 4, n)],
            "e": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    target = (
        classes(rng.integers(0, 2, n)) if recipe.is_classification else values(rng.normal(size=n).round(1))
    )
    prepared = Prepared(table)
    everything = prepared.draw(np.arange(n))
    trees = grow_many(prepared, target, recipe, [everything] * 4, seed=11, first_tree=5)
    for k, tree in enumerate(trees):
        wanted_splits = slow_forest_tree(table, target, recipe, 11, 5 + k)
        found = [
            None if f < 0 else (f, c) for f, c in zip(tree.feature.tolist(), tree.cut.tolist(), strict=True)
        ]
        assert repr(found) == repr(wanted_splits)
    assert (len({tuple(tree.feature.tolist()) for tree in trees}) > 1) == (wanted < 5)
    again = grow_many(prepared, target, recipe, [everything] * 2, seed=11, first_tree=7, n_jobs=2)
    for tree, other in zip(again, trees[2:], strict=True):
        assert_equal_arrays(tree, other)


def test_what_cannot_be_drawn_is_refused():
    table, target = to_table({"a": [1.0, 2.0]}), classes(["x", "y"])
    recipe = RECIPES["tree"].replace(subspace=Subspace(1))
    with pytest.raises(ParameterError, match="grow_many"):
        grow(table, target, recipe)
    with pytest.raises(ParameterError, match="own growth: grow its trees one by one"):
        grow_many(Prepared(table), target, RECIPES["chaid"], [])
    with pytest.raises(ParameterError, match="features=0"):
        Subspace(0)
