"""What makes a tree valid: every damage to one field is refused."""

from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import TreeError
from branchwork.tree.check import check
from branchwork.tree.tree import STOP_REASONS


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


def test_a_complaint_names_the_field_and_the_node(fitted):
    tree = fitted.tree
    inner = int(np.flatnonzero(tree.feature >= 0)[2])
    damaged = tree.default_child.copy()
    damaged[inner] = 99
    with pytest.raises(TreeError, match=rf"default_child of node {inner} is out of range"):
        check(tree.replace(default_child=damaged), fitted.schema)
    value = tree.value.copy()
    value[5, 1] = np.nan
    with pytest.raises(TreeError, match="value of node 5 is not finite"):
        check(tree.replace(value=value), fitted.schema)


def changed(array, position, number):
    copy = array.copy()
    copy[position] = number
    return copy


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("feature", lambda a: a.astype(np.int64), "feature is of type int64, expected int32"),
        ("cut", lambda a: a.tolist(), "cut is of type list"),
        ("value", lambda a: a[:, :0], "value has no outputs"),
        ("value", lambda a: a[:, 0], "value has shape"),
        ("weight", lambda a: np.repeat(a, 2)[::2], "weight is not contiguous in memory"),
        ("distribution", lambda a: changed(a, 3, -1), "distribution of node 3 is negative"),
        ("distribution", lambda a: changed(a, 3, np.nan), "distribution of node 3"),
        ("distribution", lambda a: a[1:], "distribution has shape"),
        ("variance", lambda a: np.zeros(2), "variance has shape"),
        ("stop", lambda a: changed(a, 1, len(STOP_REASONS)), "stop of node 1 is out of range"),
        ("answer", lambda a: None, None),
        ("n_rows", lambda a: changed(a, 1, -1), "n_rows of node 1 is negative"),
    ],
)
def test_every_array_is_looked_at(fitted, field, change, message):
    tree = fitted.tree.replace(**{field: change(getattr(fitted.tree, field))})
    if message is None:
        check(tree, fitted.schema)
        return
    with pytest.raises(TreeError, match=message):
        check(tree, fitted.schema)


def test_an_answer_is_a_class(fitted):
    n = fitted.tree.n_nodes
    check(fitted.tree.replace(answer=np.full(n, 2, np.int32)), fitted.schema)
    for wrong in (-1, 3):
        with pytest.raises(TreeError, match="answer of node 4 is out of range"):
            check(fitted.tree.replace(answer=changed(np.zeros(n, np.int32), 4, wrong)), fitted.schema)


def test_lookups_that_overlap_are_refused(fitted):
    tree = fitted.tree
    nominal = np.flatnonzero(tree.lookup >= 0)
    assert len(nominal) >= 2
    with pytest.raises(TreeError, match="share slots of the pool"):
        check(
            tree.replace(lookup=np.where(tree.lookup >= 0, 0, -1).astype(np.int32), pool=tree.pool[:4]),
            fitted.schema,
        )


def test_rows_are_shared_among_somebody():
    X = [["a", 1.0], ["b", 2.0], [None, 3.0], ["a", 4.0], ["b", 5.0], ["b", 6.0]] * 3
    model = bw.C45Classifier(pruning=None, min_cases=1).fit(X, [0, 1, 1, 0, 1, 1] * 3).model_
    nobody = np.zeros(model.tree.n_nodes)
    with pytest.raises(TreeError, match="default_child of node 0: no branch has any weight"):
        check(model.tree.replace(weight=nobody), model.schema)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((2, 1), "do not rise"),
        ((1, 1), "do not rise"),
        ((np.nan, 1), "not a number"),
        ((np.inf, np.inf), "not a number"),
    ],
)
def test_bounds_rise(bounds, message):
    schema = bw.Schema((bw.Column("x", "numeric"),))
    tree = bw.Tree(
        feature=np.array([0, -1, -1, -1], np.int32),
        cut=np.full(4, np.nan),
        first_child=np.array([1, -1, -1, -1], np.int32),
        n_children=np.array([3, 0, 0, 0], np.int32),
        lookup=np.array([0, -1, -1, -1], np.int32),
        pool=np.zeros(0, np.int32),
        default_child=np.array([0, -1, -1, -1], np.int32),
        value=np.zeros((4, 1)),
        distribution=None,
        weight=np.array([3.0, 1, 1, 1]),
        n_rows=np.array([3, 1, 1, 1]),
        impurity=np.zeros(4),
        gain=np.zeros(4),
        variance=None,
        stop=np.array([0, 1, 1, 1], np.uint8),
        bounds=np.array([1.0, 2.0]),
    )
    check(tree, schema)
    check(tree.replace(bounds=np.array([1.0, np.inf])), schema)
    with pytest.raises(TreeError, match=f"bounds of node 0.*{message}"):
        check(tree.replace(bounds=np.array(bounds, float)), schema)
    with pytest.raises(TreeError, match="cut of node 0: it has no cut, and no bounds either"):
        check(tree.replace(bounds=np.zeros(1)), schema)


@pytest.mark.parametrize(
    ("field", "position", "number"),
    [
        ("node", 0, -1),
        ("node", 0, 10_000),
        ("node", 1, 0),
        ("verdict", (0, 0), 11),
        ("judged", None, np.zeros((3, 1, 1))),
        ("sides_at", (0, 0), -2),
        ("sides_at", (0, 0), 0),
        ("parts_at", None, np.zeros((1, 1, 1), np.int64)),
        ("chance", None, np.zeros((3, 1, 1))),
        ("gain", None, np.zeros((1, 1))),
    ],
)
def test_every_array_of_the_ledger_is_looked_at(fitted, field, position, number):
    ledger = fitted.tree.ledger
    array = number if position is None else changed(getattr(ledger, field), position, number)
    tree = fitted.tree.replace(ledger=replace(ledger, **{field: array}))
    if field == "parts_at":  # never read without CHAID's tests
        check(tree, fitted.schema)
        return
    with pytest.raises(TreeError, match=f"ledger.{field}"):
        check(tree, fitted.schema)


def test_arrays_of_a_tree_cannot_be_written(fitted):
    for array in (fitted.tree.feature, fitted.tree.value, fitted.tree.weight, fitted.tree.distribution):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
