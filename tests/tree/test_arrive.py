"""What a tree shows of a node is true of every row that comes there, and says where rows with missing cells went."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import is_classifier

import branchwork as bw
from branchwork.model.explain import explain, read_row
from branchwork.tree.arrive import arriving, shown_split
from branchwork.tree.missing import missing_branches, missing_here
from branchwork.tree.split import Lookup
from branchwork.view.words import missing_note
from model.awkward import KINDS
from together import together

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
IDS = [f"{k}-{factory().__class__.__name__}" for k, factory in enumerate(KINDS)]
LETTERS = "abcdefghijkl"


def many_categories(factory, seed=0, weighted=False):
    """A tree that asks for one column of twelve categories again and again; a cell in six is missing."""
    rng = np.random.default_rng(seed)
    rows = 150
    codes, numbers = rng.integers(0, 12, rows), rng.integers(0, 20, rows)
    signal = np.sin(codes * 2.0) + numbers / 20 + rng.normal(size=rows) / 3
    estimator = factory()
    y = np.digitize(signal, [0.0, 0.8]) if is_classifier(estimator) else signal
    cells = [None if rng.random() < 1 / 6 else LETTERS[code] for code in codes.tolist()]
    others = [None if rng.random() < 1 / 6 else float(number) for number in numbers.tolist()]
    weights = rng.integers(1, 4, rows) / 2 if weighted else None
    return estimator.fit({"c": cells, "x": others}, y, sample_weight=weights), cells, others, weights


def ways(estimator, cells, others):
    """The steps of every training row."""
    for row in zip(cells, others, strict=True):
        explained = explain(estimator.model_, read_row(estimator.model_, list(row)))
        yield row, explained.steps


@pytest.mark.parametrize("factory", KINDS, ids=IDS)
def test_what_is_shown_is_true_of_every_row_that_arrives(factory):
    estimator, cells, others, _ = many_categories(factory)
    tree, schema = estimator.tree_, estimator.schema_
    for row, steps in ways(estimator, cells, others):
        for step in steps:
            split = shown_split(tree, schema, step.node)
            value, (branch, *more) = row[split.feature], [child for child, _ in step.children]
            branch -= int(tree.first_child[step.node])
            if value is None:
                named = branch in split.missing or "is missing" in split.branches(schema)[branch]
                assert named or more or missing_note(estimator.model_, step.node)
            elif isinstance(split, Lookup):
                assert value in split.groups[branch]


@pytest.mark.parametrize("factory", KINDS, ids=IDS)
def test_no_category_is_shown_that_cannot_arrive(factory):
    estimator, *_ = many_categories(factory)
    tree, schema = estimator.tree_, estimator.schema_
    for node in np.flatnonzero(tree.feature == 0).tolist():
        shown = [value for group in shown_split(tree, schema, node).groups for value in group]
        can = arrivals_by_walking(tree, schema, node)
        absent = tree.surrogates is not None
        assert set(shown) <= can and (absent or set(shown) == can)
        assert [LETTERS[code] for code in np.flatnonzero(arriving(tree, schema, node))] == sorted(can)


def arrivals_by_walking(tree, schema, node):
    """Categories that some row can have that comes to a node: tried one by one."""
    path = [node]
    while path[0] > 0:
        path.insert(0, int(tree.parent[path[0]]))
    found = set()
    for code, value in enumerate(schema[0].categories):
        arrives = True
        for above, below in pairwise(path):
            child = int(tree.pool[int(tree.lookup[above]) + 1 + code]) if tree.feature[above] == 0 else -1
            arrives &= child in (-1, below - int(tree.first_child[above]))
        if arrives:
            found.add(value)
    return found


@together("factory", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_weight_of_missing_cells_is_counted_row_by_row(factory, weighted):
    estimator, cells, others, weights = many_categories(factory, seed=1, weighted=weighted)
    tree = estimator.tree_
    expected = np.zeros(tree.n_nodes)
    held_out = tree.n_rows[0] < len(cells)
    for k, (row, steps) in enumerate(ways(estimator, cells, others)):
        for step in steps:
            if row[int(tree.feature[step.node])] is None:
                for child, share in step.children:
                    expected[child] += share * (1 if weights is None else weights[k])
    if not held_out:  # reduced-error pruning grows on part of the rows
        np.testing.assert_allclose(tree.missing_weight, expected, rtol=1e-9, atol=1e-12)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        children = tree.children(node)
        assert missing_here(tree, node) == pytest.approx(tree.missing_weight[list(children)].sum())


def test_a_table_without_missing_cells_has_none():
    tree = bw.CARTClassifier().fit([["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 1]).tree_
    assert tree.missing_weight.tolist() == [0, 0, 0] and missing_branches(tree, 0) == ()


def test_a_tree_from_elsewhere_names_where_a_missing_cell_would_go():
    estimator = bw.CARTClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    tree = estimator.tree_.replace(missing_weight=None)
    assert missing_branches(tree, 0) == (1,)
    assert shown_split(tree, estimator.schema_, 0).branches(estimator.schema_) == [
        "x0 <= 0.5",
        "x0 > 0.5 or missing",
    ]


def test_categories_that_the_tests_above_do_not_let_through_are_not_named():
    """Below {a, d} and {b, c} each group of four categories has two that cannot come there."""
    tree = bw.CARTRegressor().fit([["a"], ["b"], ["c"], ["d"]] * 2, [1, 30, 40, 2] * 2)
    lines = tree.to_text().splitlines()
    conditions = [re.split(r"  +\d", line.lstrip("│├└─ "))[0] for line in lines]
    assert conditions == [
        "all rows",
        "x0 in {a, d}",
        "x0 = a → 1",
        "x0 = d → 2",
        "x0 in {b, c}",
        "x0 = b → 30",
        "x0 = c → 40",
    ]
    values = tree.to_dict()["children"][0]["values"]
    assert sorted(value for group in values for value in group) == [
        "a",
        "b",
        "c",
        "d",
    ]  # data have every category
    for text in (str(tree.to_svg()), tree.to_dot(), str(tree.rules())):
        assert "b, c, d" not in text and "a, b, c" not in text and "a, c, d" not in text


def test_the_branch_that_missing_cells_took_is_named_and_counted():
    X = {"age": [1.0, 2.0, 3.0, 4.0, math.nan, math.nan], "c": ["a", "b", "a", "b", "a", "b"]}
    tree = bw.TreeClassifier(missing="learn").fit(X, [0, 0, 1, 1, 1, 1])
    assert "├─ age <= 2.5 → 0            2 rows" in tree.to_text()
    assert "└─ age > 2.5 or missing → 1  4 rows" in tree.to_text()
    assert ">&gt; 2.5 or missing</text>" in str(tree.to_svg()) and "> 2.5 or missing" in tree.to_dot()
    assert str(tree.rules()).splitlines()[2].strip().startswith("2  age > 2.5 (or missing) → 1")
    why = tree.why({"age": None, "c": "a"})
    assert "age > 2.5 or missing (it is missing) → 1" in str(why)


def test_shared_rows_are_told_once_for_each_node():
    X = {"age": [1.0, 2.0, 3.0, 4.0, math.nan, math.nan]}
    tree = bw.TreeClassifier(missing="share", max_depth=1).fit(X, [0, 0, 1, 1, 1, 1])
    assert tree.to_text().count("missing") == 1
    assert "(age missing: 2, shared among the branches)" in tree.to_text().splitlines()[0]
    assert "age missing: 2, shared among the branches" in str(tree.to_svg())


def test_surrogates_are_told_once_for_each_node():
    ages = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, math.nan, math.nan]
    X = {"age": ages, "income": [10, 20, 30, 60, 50, 40, 70, 80, 10, 80]}
    tree = bw.CARTClassifier(max_surrogates=1, max_depth=1).fit(X, [0, 0, 0, 0, 1, 1, 1, 1, 0, 1])
    assert tree.schema_[int(tree.tree_.feature[0])].name == "age"
    assert missing_note(tree.model_, 0) == "age missing: 2, sent on by surrogates, or with the majority"
    assert tree.to_text().count("missing") == 1


def test_pruning_keeps_the_counts_of_the_nodes_that_stay():
    estimator, *_ = many_categories(lambda: bw.TreeClassifier(missing="learn"))
    smaller = estimator.prune("pessimistic")
    kept = {tuple(path): k for k, path in enumerate(paths(estimator.tree_))}
    for node, path in enumerate(paths(smaller.tree_)):
        assert smaller.tree_.missing_weight[node] == estimator.tree_.missing_weight[kept[tuple(path)]]


def paths(tree):
    found = [[]]
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        found.append([*found[parent], node - int(tree.first_child[parent])])
    return found


def test_a_model_file_keeps_them(tmp_path):
    for factory in (bw.CARTClassifier, bw.C45Classifier):
        estimator, *_ = many_categories(factory)
        for name in ("tree.bw", "tree.json"):
            bw.save(estimator, tmp_path / name)
            again = bw.load(tmp_path / name).tree
            assert again.missing_weight.tobytes() == estimator.tree_.missing_weight.tobytes()
