"""What makes a tree valid: every damage to one field is refused."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import TreeError
from branchwork.tree.check import check


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    X = {
        "a": rng.normal(size=60),
        "b": rng.choice(["x", "y", "z"], 60),
        "c": np.where(rng.random(60) < 0.2, np.nan, 1.0),
    }
    return bw.ID3Classifier().fit(X, rng.integers(0, 3, 60)).model_


def test_a_grown_tree_is_valid(fitted):
    check(fitted.tree, fitted.schema)


@pytest.mark.parametrize("field", ["feature", "first_child", "n_children", "default_child", "lookup", "pool"])
@pytest.mark.parametrize("value", [-7, 10_000, np.iinfo(np.int32).min, np.iinfo(np.int32).max])
def test_an_index_out_of_range_is_refused_wherever_it_is(fitted, field, value):
    tree, schema = fitted.tree, fitted.schema
    array = getattr(tree, field)
    for position in range(len(array)):
        if field == "lookup" and tree.feature[position] < 0:
            continue  # never read there
        if field == "default_child" and tree.feature[position] < 0:
            continue
        if field == "pool" and value < 0 and position in tree.lookup:
            continue  # slot 0 may say "share"
        damaged = array.copy()
        damaged[position] = value
        with pytest.raises(TreeError, match="Not a valid tree"):
            check(tree.replace(**{field: damaged}), schema)


def test_a_loop_is_refused(fitted):
    first_child = fitted.tree.first_child.copy()
    first_child[np.flatnonzero(fitted.tree.feature >= 0)[1]] = 1
    with pytest.raises(TreeError):
        check(fitted.tree.replace(first_child=first_child), fitted.schema)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("weight", -1.0, "weight"),
        ("weight", np.nan, "weight"),
        ("weight", 1e6, "add up"),
        ("n_rows", 10_000, "add up"),
        ("value", np.inf, "finite"),
    ],
)
def test_numbers_that_cannot_be_are_refused(fitted, field, value, message):
    array = getattr(fitted.tree, field).copy()
    array[1] = value
    with pytest.raises(TreeError, match=message):
        check(fitted.tree.replace(**{field: array}), fitted.schema)


def test_a_missing_cut_and_a_wrong_length_are_refused(fitted):
    tree = fitted.tree
    numeric = next(
        n
        for n in range(tree.n_nodes)
        if tree.feature[n] >= 0 and not fitted.schema[tree.feature[n]].is_nominal
    )
    cut = tree.cut.copy()
    cut[numeric] = np.nan
    with pytest.raises(TreeError, match="has no cut"):
        check(tree.replace(cut=cut), fitted.schema)
    with pytest.raises(TreeError, match="gain has shape"):
        check(tree.replace(gain=tree.gain[:-1]), fitted.schema)


def test_arrays_of_a_tree_cannot_be_written(fitted):
    for array in (fitted.tree.feature, fitted.tree.value, fitted.tree.weight, fitted.tree.distribution):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
