"""C4.5's growth beside a slow and obvious C4.5 that shares no code with it, on random small tables."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from agree import c45_slow
from agree.c45_outputs import Column, Table

from tables import Case, cases


def as_printed_tables_are(case: Case) -> Table:
    kinds = zip(case.kinds, case.categories, strict=True)
    columns = (
        Column(f"c{j}", None if kind == "numeric" else tuple(values))
        for j, (kind, values) in enumerate(kinds)
    )
    rows = tuple(zip(*case.cells, strict=True))
    return Table("random", tuple(columns), tuple(case.labels), rows, tuple(case.y))


def assert_same_node(ours: dict[str, Any], slow: c45_slow.Node, table: Table) -> None:
    most = max(ours["distribution"].values())
    assert ours["weight"] == pytest.approx(slow.weight)
    assert ours["distribution"][slow.label] == pytest.approx(most)
    if ours["n_rows"] == ours["weight"] > 0:  # where rows are shared, rounding breaks a tie of two labels
        assert ours["prediction"] == slow.label
    if slow.column is None:
        assert "feature" not in ours
        assert ours["weight"] - most == pytest.approx(slow.errors, abs=1e-9)
        return
    assert ours.get("feature") == table.columns[slow.column].name
    assert ours.get("cut") == slow.cut
    if slow.cut is None:
        assert ours["values"] == [[key] if isinstance(key, str) else list(key) for key in slow.children]
    for child, slow_child in zip(ours["children"], slow.children.values(), strict=True):
        assert_same_node(child, slow_child, table)


@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
@pytest.mark.parametrize("gain_ratio", [True, False], ids=["gain ratio", "gain"])
@pytest.mark.parametrize("value_groups", [False, True], ids=["values", "groups"])
@given(
    case=cases(classification=True, weighted=False, max_rows=60),
    min_cases=st.sampled_from([1, 2, 2, 3.5]),  # with 1, a tenth of the rows of a class can be more
)
def test_every_node_is_the_slow_one_s(value_groups, gain_ratio, case, min_cases):
    assert_same_tree(case, gain_ratio, min_cases, value_groups)


@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
@given(
    case=cases(classification=True, weighted=False, max_rows=9, max_columns=2),
    copies=st.sampled_from([13, 27, 29, 150]),
    min_cases=st.sampled_from([24, 26, 30.5, 40]),
)
def test_branches_of_many_rows(case, copies, min_cases):
    """25 rows are enough for a side of a cut, but only where a tenth of the rows of a class is more than min_cases."""
    cells = tuple(column * copies for column in case.cells)
    assert_same_tree(replace(case, cells=cells, y=case.y * copies), True, min_cases, False)


@pytest.mark.parametrize(("rows", "fewest"), [(100, 30), (600, 30), (602, 25), (1200, 25)])
def test_the_fewest_rows_on_a_side_of_a_cut(rows, fewest):
    for few in (fewest - 1, fewest):  # the best cut has so many rows on its left
        cells = ([0.0] * few + [1.0] * (rows - few),)
        y = ["no"] * few + ["yes"] * (rows - few)
        case = Case(("numeric",), cells, ([],), ["no", "yes"], y, None)
        slow = assert_same_tree(case, True, 30, False)
        assert (slow.cut is None) == (few < fewest)


@pytest.mark.parametrize("seed", range(4))
def test_tables_of_hundreds_of_classes(seed):
    """From 256 classes on, nodes list the classes that occur in them, and sums over classes run along with a cut."""
    rng = random.Random(seed)
    labels = [f"k{k:03}" for k in range(256 + 30 * seed)]
    kinds, rows = ("numeric", "nominal", "numeric"), 90
    values = [rng.randrange(-250, 250) / 64 for _ in range(rows)]
    words = [rng.choice("abc") for _ in range(rows)]
    y = [
        labels[min(len(labels) - 1, int(abs(x) * 40) * 2 + (word == "a"))]
        for x, word in zip(values, words, strict=True)
    ]
    third = [None if rng.random() < 0.1 else rng.randrange(5) / 2 for _ in range(rows)]
    case = Case(kinds, (values, words, third), ([], list("abc"), []), labels, y, None)
    for gain_ratio in (True, False):
        slow = assert_same_tree(case, gain_ratio, 2, False)
        assert len(slow.children) > 1


@pytest.mark.parametrize("classes", [254, 255, 256, 257, 258, 300])
def test_branches_without_rows_among_hundreds_of_classes(classes):
    """The first node of few classes may have no rows at all: of a category that does not occur in its parent."""
    rng = random.Random(classes)
    labels = [f"k{k:03}" for k in range(classes)]
    size = [float(rng.randrange(8)) for _ in range(300)]
    word = [rng.choice("rs" if one < 4 else "pqr") for one in size]
    noise = [None if rng.random() < 0.1 else float(rng.randrange(8)) for _ in size]
    y = [
        labels[(100 * (one < 4) + ord(two) + rng.randrange(5)) % classes]
        for one, two in zip(size, word, strict=True)
    ]
    kinds, known = ("numeric", "nominal", "numeric"), ([], list("pqrs"), [])
    case = Case(kinds, (size, word, noise), known, labels, y, None)
    for gain_ratio in (True, False):
        slow = assert_same_tree(case, gain_ratio, 2, False)
        assert any(
            child.weight == 0 for branch in slow.children.values() for child in branch.children.values()
        )


def assert_same_tree(case: Case, gain_ratio: bool, min_cases: float, value_groups: bool) -> c45_slow.Node:
    y = pd.Categorical(case.y, categories=case.labels)
    classifier = bw.C45Classifier(
        gain_ratio=gain_ratio, min_cases=min_cases, pruning=None, value_groups=value_groups
    )
    table = as_printed_tables_are(case)
    criterion = "gain_ratio" if gain_ratio else "gain"
    settings = c45_slow.Settings(criterion, float(min_cases), c45_slow.SINGLE_CELLS, value_groups)
    slow = c45_slow.grow(table, settings)
    assert_same_node(classifier.fit(case.table, y).to_dict(), slow, table)
    return slow
