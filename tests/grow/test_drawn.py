"""Trees that ask a few columns in each node: rows without an order give the trees of rows that are kept in order."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork import _core
from branchwork.grow.grow import core_options
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Subspace
from branchwork.grow.recipes import RECIPES
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values

from tables import cases

ARRAYS = (
    *("feature", "cut", "first_child", "n_children", "default_child", "lookup", "pool"),
    *("weight", "n_rows", "stop", "stats", "impurity", "variance"),
)


def both_ways(table, target, recipe, samples):
    """Grow the same trees by both layouts: a tree that is to keep its ledger keeps its rows in order, too."""
    prepared = Prepared(table)
    copies = [prepared.draw(np.sort(rows)).copies for rows in samples]
    found = []
    for ledger_nodes in (0, 1):
        options = core_options(recipe, target, 1)
        options.ledger_nodes = ledger_nodes
        found.append(_core.grow_many(prepared.core, target.core, options, copies, 5, 0, None))
    return zip(*found, strict=True)


def assert_same(drawn, in_order, *, is_exact):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(drawn, name), getattr(in_order, name), name)
    if is_exact:
        np.testing.assert_array_equal(drawn.gain, in_order.gain)
    else:  # sums are added up in another order
        np.testing.assert_allclose(drawn.gain, in_order.gain, rtol=1e-9, atol=1e-12)


def recipe_for(target, *, criterion=None, features=2, least=0, **search):
    is_classes = hasattr(target, "codes")
    recipe = RECIPES["tree" if is_classes else "tree-regression"]
    return recipe.replace(
        criterion=criterion or ("gini" if is_classes else "squared_error"),
        search=recipe.search.replace(**search),
        stopping=replace(recipe.stopping, min_samples_leaf=least),
        subspace=Subspace(features, "node"),
    )


@given(data=st.data())
def test_small_tables_of_every_kind(data):
    case = data.draw(cases(weighted=False, max_rows=40))
    table, target = without_weightless_rows(case.table, case.target)
    recipe = recipe_for(
        target,
        criterion=data.draw(
            st.sampled_from(["gini", "entropy", "accuracy"] if case.labels else ["squared_error"])
        ),
        features=data.draw(st.integers(1, len(table.schema))),
        least=data.draw(st.sampled_from([0, 2, 4])),
        missing=data.draw(st.sampled_from(["learn", "branch", "larger"])),
        nominal=data.draw(st.sampled_from(["multiway", "subset", "one_vs_rest"])),
        cuts=data.draw(st.sampled_from(["all", "random"])),
    )
    rows = data.draw(st.lists(st.integers(0, table.n_rows - 1), min_size=1, max_size=2 * table.n_rows))
    for drawn, in_order in both_ways(table, target, recipe, [np.array(rows)]):
        assert_same(drawn, in_order, is_exact=case.labels is not None)


@pytest.mark.parametrize("missing", [0.0, 0.03])
@pytest.mark.parametrize("cells", ["many values", "few values", "both"])
@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [
        ("gini", 2),
        ("entropy", 2),
        ("accuracy", 2),
        ("gini", 7),
        ("entropy", 7),
        ("accuracy", 7),
        ("squared_error", 0),
    ],
)
@pytest.mark.parametrize("least", [0, 6])
def test_nodes_of_every_size(criterion, n_classes, cells, missing, least):
    """Large nodes are put in bins, small ones compared pair by pair; copies count as often as drawn."""
    rng = np.random.default_rng(3)
    n = 9000
    X = rng.normal(size=(n, 6))
    if cells != "many values":
        X[:, :: 1 if cells == "few values" else 2] = np.round(4 * X[:, :: 1 if cells == "few values" else 2])
    z = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    target = (
        classes(np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes)))
        if n_classes
        else values(z)
    )
    samples = [rng.integers(0, n, n), np.repeat(rng.integers(0, n, n // 4), 3), np.arange(n)]
    recipe = recipe_for(target, criterion=criterion, least=least, missing="learn")
    for drawn, in_order in both_ways(to_table(X), target, recipe, samples):
        assert len(drawn.feature) > 200
        assert_same(drawn, in_order, is_exact=n_classes > 0)


def test_equal_columns_and_equal_cuts_are_decided_in_the_order_of_the_table():
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=600), 1)
    X = np.column_stack([x, -x, x, np.floor(x)])
    y = ((np.abs(x) > 0.5) ^ (rng.random(600) < 0.2)).astype(int)
    for target in (classes(y), values(y.astype(float))):
        recipe = recipe_for(target, features=4)
        for drawn, in_order in both_ways(
            to_table(X), target, recipe, [np.arange(600), rng.integers(0, 600, 600)]
        ):
            assert_same(drawn, in_order, is_exact=hasattr(target, "codes"))


def test_many_copies_of_a_row_do_not_overflow():
    """Two classes are counted in the halves of a word: more than 32 767 rows go another way."""
    x = np.arange(12.0)
    y = np.array([0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1])
    for target in (classes(y), values(y.astype(float))):
        rows = np.repeat(np.arange(12), 7000)
        recipe = recipe_for(target, features=1)
        for drawn, in_order in both_ways(to_table(np.column_stack([x, x])), target, recipe, [rows]):
            assert_same(drawn, in_order, is_exact=hasattr(target, "codes"))
