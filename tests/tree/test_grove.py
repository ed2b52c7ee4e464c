"""Trees checked side by side: the same verdict as each alone, and as a checker that looks at node after node."""

from dataclasses import fields, replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import TreeError
from branchwork.tree import grove as groves_module
from branchwork.tree.check import check, checked
from branchwork.tree.grove import Grove, first_refused, groves
from tree.slow_check import is_valid

from program_cases import model_of

KINDS = ("c45 unpruned", "tree share multiway", "cart", "chaid", "id3", "tree larger subset", "stump")
FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 0.5, 7.0, 1e308)
WHOLE = (-(2**31), -7, -2, -1, 0, 1, 2, 3, 5, 9, 200, 2**31 - 1)


def trees_of(seed):
    """Trees on one schema, each thrice and all sorts among each other; one of them a single leaf."""
    models = [model_of(seed, kind=kind, rows=40) for kind in KINDS]
    schema = models[0].schema
    assert all(model.schema == schema for model in models)
    leaf = bw.TreeClassifier(max_depth=0).fit([[0.0], [1.0]], [0, 1]).tree_.replace(ledger=None)
    other = bw.TreeRegressor().fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 2.0]).tree_.replace(ledger=None)
    numeric = next(j for j, column in enumerate(schema) if not column.is_nominal)
    other = other.replace(feature=np.where(other.feature >= 0, numeric, -1).astype(np.int32))
    some = [model.tree for model in models]
    return [*some, leaf, leaf, *(tree for tree in some for _ in range(3)), other, other], schema


def refused(trees, schema):
    """The first tree that is refused, of all together."""
    return first_refused(trees, lambda some: [None for _ in checked(some, schema)] and None)


def refused_alone(trees, schema):
    """The same, one after the other."""
    for k, tree in enumerate(trees):
        try:
            check(tree, schema)
        except TreeError as error:
            return k, error
    return None


def arrays_in(tree):
    """Every array of a tree with its place: (part, name)."""
    for part in (None, "ledger", "surrogates"):
        holder = tree if part is None else getattr(tree, part)
        for own in () if holder is None else fields(holder):
            array = getattr(holder, own.name)
            if isinstance(array, np.ndarray) and array.size:
                yield (part, own.name), array


def with_array(tree, place, array):
    part, name = place
    if part is None:
        return tree.replace(**{name: array})
    return tree.replace(**{part: replace(getattr(tree, part), **{name: array})})


def damaged(tree, rng):
    """The tree with one number of one array another one."""
    places = list(arrays_in(tree))
    place, array = places[int(rng.integers(len(places)))]
    array = array.copy()
    position = int(rng.integers(array.size))
    if array.dtype.kind == "f":
        number = rng.choice(FLOATS)
    else:
        low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        number = min(max(int(rng.choice(WHOLE)), low), high)
    if rng.random() < 0.3 and np.isfinite(array.flat[position]):
        number = array.flat[position] + rng.choice((1, -1))
    array.flat[position] = number
    return with_array(tree, place, array)


@pytest.mark.parametrize("most", [300, 10**9])
def test_one_wrong_number_is_seen_as_in_a_tree_alone(most, monkeypatch):
    monkeypatch.setattr(groves_module, "MOST", most)
    rng = np.random.default_rng(most)
    trees, schema = trees_of(4)
    assert refused(trees, schema) is None
    largest = max(len(grove.trees) for grove in groves(trees, np.array(schema.levels)))
    assert largest > 2
    verdicts = []
    for _ in range(120):
        k = int(rng.integers(len(trees)))
        worse = [*trees[:k], damaged(trees[k], rng), *trees[k + 1 :]]
        found, alone = refused(worse, schema), refused_alone(worse[k : k + 1], schema)
        assert (found is None) == (alone is None) == is_valid(worse[k], schema.levels)
        if found is not None and alone is not None:
            assert found[0] == k and str(found[1]) == str(alone[1])
        verdicts.append(found is None)
    assert 10 < sum(verdicts) < 100


def test_several_wrong_numbers_the_first_tree_is_told():
    rng = np.random.default_rng(7)
    trees, schema = trees_of(5)
    for _ in range(30):
        worse = [damaged(tree, rng) if rng.random() < 0.15 else tree for tree in trees]
        found, alone = refused(worse, schema), refused_alone(worse, schema)
        assert (found is None) == (alone is None)
        if found is not None and alone is not None:
            assert (found[0], str(found[1])) == (alone[0], str(alone[1]))


# ---- what would fit the grove, but not the tree


def cut_tree(n_leaves):
    """A chain of cuts of one column."""
    n = 2 * n_leaves - 1
    inner = np.zeros(n, bool)
    inner[[0, *range(1, n - 2, 2)]] = True
    first = np.full(n, -1, np.int32)
    first[inner] = 1 + 2 * np.arange(inner.sum())
    weight = np.ones(n)
    for node in reversed(np.flatnonzero(inner).tolist()):
        weight[node] = weight[first[node]] + weight[first[node] + 1]
    return bw.Tree(
        feature=np.where(inner, 0, -1).astype(np.int32),
        cut=np.where(inner, 1.0, np.nan),
        first_child=first,
        n_children=np.where(inner, 2, 0).astype(np.int32),
        lookup=np.full(n, -1, np.int32),
        pool=np.zeros(0, np.int32),
        default_child=np.where(inner, 0, -1).astype(np.int32),
        value=np.zeros((n, 1)),
        distribution=None,
        weight=weight,
        n_rows=weight.astype(np.int64),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        variance=None,
        stop=np.where(inner, 0, 1).astype(np.uint8),
    )


SCHEMA = bw.Schema((bw.Column("x", "numeric"), bw.Column("c", "nominal", ("a", "b"))))


def nominal_tree(lookup, pool):
    tree = cut_tree(2)
    return tree.replace(
        feature=np.array([1, -1, -1], np.int32),
        cut=np.full(3, np.nan),
        lookup=np.array([lookup, -1, -1], np.int32),
        pool=np.array(pool, np.int32),
    )


def parted_tree(lookup, bounds):
    tree = cut_tree(2)
    return tree.replace(
        cut=np.full(3, np.nan),
        lookup=np.array([lookup, -1, -1], np.int32),
        bounds=np.array(bounds, np.float64),
    )


def per_node(tree, change):
    """The tree with all arrays of nodes changed in the same way."""
    names = [own.name for own in fields(tree) if own.name not in ("pool", "bounds")]
    return tree.replace(
        **{name: change(getattr(tree, name)) for name in names if getattr(tree, name) is not None}
    )


def without_last(tree):
    return per_node(tree, lambda array: array[:-1])


def with_one_more(tree):
    return per_node(tree, lambda array: np.concatenate((array, array[-1:])))


@pytest.mark.parametrize(
    ("trees", "number", "message"),
    [
        (
            [without_last(cut_tree(3)), with_one_more(cut_tree(3))],
            0,
            "n_children: the children do not add up to the nodes",
        ),
        (
            [with_one_more(cut_tree(3)), without_last(cut_tree(3))],
            0,
            "n_children: the children do not add up to the nodes",
        ),
        ([nominal_tree(0, [0, 0, 1]), nominal_tree(-1, [0, 0, 1])], 1, "lookup of node 0 is out of range"),
        ([nominal_tree(1, [0, 0, 1]), nominal_tree(0, [0, 0, 1])], 0, "lookup of node 0 is out of range"),
        ([nominal_tree(0, [0, 0]), nominal_tree(0, [1, 0, 0, 1])], 0, "lookup of node 0 is out of range"),
        ([nominal_tree(0, [0, 0, 1]), nominal_tree(0, [0, 0, 2])], 1, "pool of node 0 is out of range"),
        (
            [parted_tree(0, [1.0]), parted_tree(-1, [2.0])],
            1,
            "cut of node 0: it has no cut, and no bounds either",
        ),
        (
            [parted_tree(1, [1.0]), parted_tree(0, [2.0])],
            0,
            "cut of node 0: it has no cut, and no bounds either",
        ),
        ([parted_tree(0, [1.0]), parted_tree(0, [np.nan])], 1, "bounds of node 0: not a number"),
        (
            [cut_tree(3), cut_tree(3).replace(first_child=np.array([6, 8, -1, -1, -1], np.int32))],
            1,
            "first_child of node 0: nodes are not numbered breadth first",
        ),
        (
            [cut_tree(2), cut_tree(3).replace(weight=np.array([3.0, 2, 1, 1, 2]))],
            1,
            "weight of the children of node 1",
        ),
    ],
)
def test_trees_cannot_make_up_for_each_other(trees, number, message):
    assert len(list(groves(trees, np.array(SCHEMA.levels)))) == 1
    assert not is_valid(trees[number], SCHEMA.levels)
    found = refused(trees, SCHEMA)
    assert found is not None and found[0] == number and message in str(found[1])


def test_trees_side_by_side_are_good_whatever_their_sizes():
    leaf = per_node(cut_tree(2), lambda array: array[2:])
    trees = [
        leaf,
        cut_tree(2),
        leaf,
        leaf,
        cut_tree(9),
        nominal_tree(0, [0, 0, 1]),
        parted_tree(0, [1.0]),
        leaf,
    ]
    trees += [nominal_tree(2, [9, 9, 0, 0, 1]), parted_tree(1, [7.0, 1.0]), cut_tree(3)]
    assert all(is_valid(tree, SCHEMA.levels) for tree in trees)
    assert refused(trees, SCHEMA) is None
    (grove,) = groves(trees, np.array(SCHEMA.levels))
    assert grove.start.tolist() == np.cumsum([0, *(tree.n_nodes for tree in trees)])[:-1].tolist()
    assert grove.tree_of(grove.start).tolist() == list(range(len(trees)))
    assert [len(ids) for ids in (grove.nominal, grove.parted, grove.cuts)] == [2, 2, 11]


def test_a_tree_alone_is_a_grove_that_copies_nothing():
    tree = cut_tree(5)
    grove = Grove((tree,), np.array(SCHEMA.levels))
    assert grove.feature is tree.feature and grove.value is tree.value


def test_a_complaint_about_all_is_never_lost():
    def complains_of_two(trees):
        if len(trees) > 1:
            raise TreeError("together")

    with pytest.raises(TreeError, match="together"):
        first_refused([cut_tree(2), cut_tree(2)], complains_of_two)
