"""A tree that looks too large for its ledger is grown without one; if it turns out small, it has its ledger anyway."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.grow.grow import LEDGER_NODES
from branchwork.grow.recipes import RECIPES
from branchwork.table.adapt import to_table
from branchwork.table.target import classes
from core_settings import grow_with
from grow.test_small_trees import assert_same_bits


def stripes(rows, width):
    """Two classes in turns along one feature: a split removes few wrong rows, but there is only one leaf per stripe."""
    X = np.random.default_rng(0).random((rows, 2))
    return X, (X[:, 0] / width).astype(int) % 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_small_tree_that_looked_large_has_its_ledger(n_jobs):
    X, y = stripes(20_000, 1 / 300)
    after_31_splits = bw.TreeClassifier(max_leaf_nodes=32).fit(X, y)
    assert (after_31_splits.predict(X) != y).sum() > 4 * LEDGER_NODES  # so it looks large
    table, target, recipe = to_table(X), classes(y), RECIPES["tree"]
    done = []
    tree = grow_with({}, table, target, recipe, n_jobs=n_jobs, progress=done.append)
    certain = grow_with({"ledger_nodes": 10**9}, table, target, recipe)
    assert tree.n_nodes == 599
    assert_same_bits(tree, certain)
    assert_same_bits(tree.ledger, certain.ledger)
    assert max(done, default=0) <= len(X)  # rows that were done twice do not count twice


def test_a_large_tree_is_found_out_early(monkeypatch):
    """Writing the ledger of a thousand nodes would take 4 % more thresholds; 31 splits take few."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 16, (12_000, 8)), rng.integers(0, 26, 12_000)
    guessing = bw.TreeClassifier().fit(X, y)
    assert guessing.tree_.ledger is None
    monkeypatch.setattr("branchwork.grow.grow.LEDGER_NODES", 0)
    without = bw.TreeClassifier().fit(X, y)
    assert guessing.search_cost_["rules_scored"] < 1.02 * without.search_cost_["rules_scored"]


def test_limits_that_keep_trees_small_keep_the_ledger_from_the_start():
    X, y = stripes(20_000, 1 / 300)
    for limits in ({"max_depth": 6}, {"min_samples_leaf": 100}, {"min_impurity_decrease": 1e-6}):
        tree = bw.TreeClassifier(**limits).fit(X, y).tree_
        assert tree.ledger is not None
