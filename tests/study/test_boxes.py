"""Boxes against the tree itself: every cell, on a cut and next to it, is in one box, and in the right one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.model.model import Model
from branchwork.rules.condition import Among, Interval
from branchwork.study.boxes import boxes, just
from branchwork.table.table import Table
from branchwork.tree.tree import Tree

from tables import OF_EACH, cases

FACES = [
    bw.ID3Classifier,
    lambda: bw.C45Classifier(pruning=None),
    bw.CARTClassifier,
    lambda: bw.TreeClassifier(nominal="subset", missing="share"),
    lambda: bw.TreeClassifier(nominal="one_vs_rest", missing="branch"),
    lambda: bw.CHAIDClassifier(alpha_merge=0.5, alpha_split=0.9, bonferroni=False),
    bw.TreeRegressor,
]


def cells_to_try(tree: Tree, column, feature: int) -> list[float]:
    """Every category; or every cut, its neighbours, and both infinities."""
    if column.is_nominal:
        return [float(code) for code in range(len(column.categories))]
    cuts = tree.cut[(tree.feature == feature) & ~np.isnan(tree.cut)].tolist()
    cuts += tree.bounds.tolist()
    if tree.surrogates is not None:
        cuts += tree.surrogates.cut[tree.surrogates.feature == feature].tolist()
    near = [x for cut in cuts for x in (np.nextafter(cut, -math.inf), cut, np.nextafter(cut, math.inf))]
    return sorted({-math.inf, -1.0, 0.0, 5e-324, math.inf, *near})


def check_boxes(model: Model, plane: tuple[int, int], held: dict[int, float]) -> None:
    schema = model.schema
    space = {f: Among(f, (int(x),)) if schema[f].is_nominal else just(f, x) for f, x in held.items()}
    found = list(boxes(model, space))
    tried = [cells_to_try(model.tree, schema[feature], feature) for feature in plane]
    rows = np.array(list(itertools.product(*tried)))
    arrays = [
        (np.full(len(rows), held[f]) if f in held else rows[:, plane.index(f)]).astype(
            np.int32 if schema[f].is_nominal else np.float64
        )
        for f in range(len(schema))
    ]
    leaf = model.apply(Table(schema, tuple(arrays)))
    times = np.zeros(len(rows), int)
    for box in found:
        inside = np.ones(len(rows), bool)
        for feature, condition in box.space.items():
            inside &= condition.passes(arrays[feature])
        times += inside
        assert (leaf[inside] == box.leaf).all()
        assert inside.any()  # no box is empty
    assert (times == 1).all()


@pytest.mark.parametrize("face", FACES)
@given(data=st.data())
@settings(max_examples=OF_EACH)
def test_boxes_are_where_the_tree_sends_every_known_cell(face, data):
    classification = "Classifier" in type(face()).__name__
    case = data.draw(cases(classification=classification, weighted=False, max_rows=16, max_columns=3))
    if len(case.kinds) < 2 or len(set(case.y)) < 2:
        return
    if any(all(cell is None for cell in cells) for cells in case.cells):
        return
    est = face().fit(case.table, case.y)
    plane = data.draw(st.permutations(range(len(case.kinds))))[:2]
    held = {}
    for feature, column in enumerate(est.model_.schema):
        if feature not in plane:
            held[feature] = data.draw(st.sampled_from(cells_to_try(est.tree_, column, feature)))
    check_boxes(est.model_, tuple(plane), held)


def absent_categories(tree: Tree, schema) -> list[int]:
    """How many categories each nominal split does not know, by node."""
    nodes = [k for k in np.flatnonzero(tree.feature >= 0) if schema[int(tree.feature[k])].is_nominal]
    slots = [tree.pool[tree.lookup[k] + 1 :][: len(schema[int(tree.feature[k])].categories)] for k in nodes]
    return [int((own < 0).sum()) for own in slots]


@pytest.mark.parametrize(
    ("stands_in", "most"), [("number", 3), ("falling number", 3), ("category", 3), ("category", 1)]
)
def test_where_a_category_is_absent_from_a_node_a_surrogate_decides(stands_in, most):
    rng = np.random.default_rng(3)
    n = 400
    side, turn = rng.integers(0, 2, n), rng.integers(0, 2, n)
    letter = np.array(list("abcd"))[2 * side + turn]  # those of one side are absent from the other
    other = 2 * turn + rng.choice([0, 0, 0, 1], n)
    names = np.where(rng.random(n) < 0.2 * side, "t", np.array(list("pqrs"))[other])
    other = {"number": other, "falling number": -other, "category": names}[stands_in]
    X = {"side": side + rng.random(n) / 2, "letter": letter.tolist(), "other": other.tolist()}
    y = np.where(side == 1, 10.0, 0.0) + turn
    est = bw.CARTRegressor(max_surrogates=most, max_depth=3).fit(X, y)
    assert max(absent_categories(est.tree_, est.schema_)) == 2
    assert est.tree_.surrogates.count.max() > 0
    for plane in itertools.permutations(range(3), 2):
        (third,) = {0, 1, 2} - set(plane)
        for x in cells_to_try(est.tree_, est.schema_[third], third):
            check_boxes(est.model_, plane, {third: x})


def test_a_chain_of_thousands_of_nodes_has_boxes():
    n = 3000
    X = np.column_stack([np.arange(n, dtype=float), np.zeros(n)])
    est = bw.TreeClassifier(cut="data").fit(X, np.arange(n) % 2)
    found = list(boxes(est.model_, {1: just(1, 0.0)}))
    assert [box.leaf for box in found] and len(found) == est.get_n_leaves() == n
    ends = [box.space[0].upto for box in found]
    assert ends == [*range(n - 1), None]


@pytest.mark.parametrize("x", [0.0, -0.0, 5e-324, -1.5, 1e308, math.inf, -math.inf])
def test_just_one_number(x):
    near = np.array([np.nextafter(x, -math.inf), x, np.nextafter(x, math.inf)])
    assert (just(0, x).passes(near) == (near == x)).all()
    assert not just(0, x).is_impossible()
    assert just(0, x).merge(Interval(0, None, x)).passes(near).any()
    assert just(0, x).merge(Interval(0, x, None)).is_impossible() or x == -math.inf
