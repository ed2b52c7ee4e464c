"""Nodes from elsewhere: their order, their checks, and what a tree with its own way for new categories does."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError, ParameterError, TreeError
from branchwork.export.program import program, run
from branchwork.rules.extract import extract
from branchwork.store.foreign_tree import Nodes, to_tree
from branchwork.table.schema import Column, Schema
from branchwork.tree.check import check
from branchwork.tree.reshape import collapse
from branchwork.tree.split import number
from branchwork.view.page import to_data

from foreign_cases import hard_rows, quietly

FOLDER = Path(__file__).parents[1] / "agree" / "foreign"
XGBOOST = json.loads((FOLDER / "xgboost_codes.json").read_text(encoding="utf-8"))
SCHEMA = Schema((Column("x", "numeric"), Column("wind", "nominal", ("calm", "gusty", "windy"))))


def nodes(**changes):
    """A root on wind (gusty goes left), its left child on x; node 5 is reached by nobody."""
    given = {
        "left": np.array([4, -1, -1, -1, 3, -1]),
        "right": np.array([1, -1, -1, -1, 2, -1]),
        "feature": np.array([1, 0, 0, 0, 0, 0]),
        "cut": np.array([np.nan, 0, 0, 0, 2.5, 0]),
        "missing_left": np.array([False, False, False, False, True, False]),
        "value": np.array([0.0, 1.0, 2.0, 3.0, 0.0, 9.0])[:, None],
        "weight": np.array([0.0, 2.0, 3.0, 1.0, 0.0, 9.0]),
        "n_rows": np.array([0, 2, 3, 1, 0, 9]),
        "gain": np.zeros(6),
        "left_codes": {0: np.array([1])},
        "inner_means": True,
    }
    return Nodes(**{**given, **changes})


def model_of(tree):
    return bw.Model(SCHEMA, None, (tree,), {"library": "by hand", "criterion": "loss"})


def test_nodes_are_numbered_level_by_level_and_added_up():
    tree = to_tree(nodes(), SCHEMA)
    assert tree.feature.tolist() == [1, 0, -1, -1, -1]
    assert tree.value[:, 0] == pytest.approx([11 / 6, 2.25, 1.0, 3.0, 2.0])
    assert tree.weight.tolist() == [6, 4, 2, 1, 3] and tree.n_rows.tolist() == [6, 4, 2, 1, 3]
    rows = [
        {"x": 2.5, "wind": "gusty"},
        {"x": 2.6, "wind": "gusty"},
        {"x": 0, "wind": "calm"},
        {"x": 0, "wind": None},
    ]
    assert model_of(tree).apply(rows).tolist() == [3, 4, 2, 2]
    assert model_of(tree).apply([{"x": None, "wind": "gusty"}]).tolist() == [3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": np.array([6, -1, -1, -1, 3, -1])}, "has child 6; there are 6 nodes"),
        ({"left": np.array([4, -1, -1, -1, 0, -1])}, "node 0 is reached twice"),
        ({"right": np.array([4, -1, -1, -1, 2, -1])}, "node 4 is reached twice"),
        ({"feature": np.array([1, 0, 0, 0, 2, 0])}, "node 4 asks for column 2; there are 2 columns"),
        ({"cut": np.full(6, np.nan)}, "threshold of node 4 is not a number"),
        ({"left_codes": {}}, "node 0 compares column 'wind'"),
        ({"weight": np.array([0.0, -2.0, 3.0, 1.0, 0.0, 9.0])}, "weight"),
        ({"value": np.full((6, 1), np.inf)}, "value"),
        ({"left": np.zeros(0, int)}, "has no nodes"),
    ],
)
def test_what_is_no_tree_is_refused(changes, message):
    with pytest.raises(ModelFormatError, match=message):
        to_tree(nodes(**changes), SCHEMA, "tree 3")


def test_a_new_category_goes_its_own_way():
    tree = to_tree(nodes(unseen_left=np.ones(6, bool)), SCHEMA)
    model = model_of(tree)
    rows = [{"x": 1.0, "wind": "stormy"}, {"x": 1.0, "wind": None}]
    assert quietly(model.apply, rows).tolist() == [3, 2]
    assert [leaves[0][0] for cells in ([1.0, -2], [1.0, -1]) for leaves in run(program(model), cells)] == [
        3,
        2,
    ]
    assert to_data(model, unit="loss")["nodes"]["unseen_child"][:2] == [0, 0]
    assert quietly(extract(model).predict, rows).tolist() == [3.0, 1.0]
    why = quietly(model.why, rows[0])
    assert why.prediction == 3.0
    assert "stormy was never seen in training: such rows go this way" in str(why)
    assert pickle.loads(pickle.dumps(tree)).unseen_child.tolist() == tree.unseen_child.tolist()
    stump = collapse(tree, tree.depths == 1)
    assert stump.unseen_child.tolist() == [0, -1, -1]
    check(stump, SCHEMA)
    for wrong in (np.full(5, 2, np.int32), np.zeros(3, np.int32)):
        with pytest.raises(TreeError, match="unseen_child"):
            check(tree.replace(unseen_child=wrong), SCHEMA)


@pytest.mark.parametrize("case", ["xgboost_codes.json", "lightgbm_codes.txt"])
def test_as_a_program_it_comes_to_the_same_leaves(case):
    read = bw.from_xgboost if case.startswith("xgboost") else bw.from_lightgbm
    model = read(FOLDER / case)
    table = quietly(model.table, hard_rows(model, 200))
    leaves = model.apply(table)
    cells = np.stack([array.astype(float) for array in table.arrays], axis=1).tolist()
    found = [[of_tree[0][0] for of_tree in run(program(model), row)] for row in cells]
    assert found == leaves.tolist()


def test_a_file_of_an_older_xgboost():
    """One number for a base, truths for directions, and neither categories by name nor rounds."""
    new = copy.deepcopy(XGBOOST)
    old = copy.deepcopy(XGBOOST)
    new["learner"]["learner_model_param"]["base_score"] = "[2.5E-1]"
    old["learner"]["learner_model_param"] |= {"base_score": "2.5E-1"}
    del old["learner"]["learner_model_param"]["num_target"]
    booster = old["learner"]["gradient_booster"]["model"]
    del booster["cats"], booster["iteration_indptr"]
    for tree in booster["trees"]:
        tree["default_left"] = [bool(flag) for flag in tree["default_left"]]
    rows = hard_rows(bw.from_xgboost(new), 50)
    assert (quietly(bw.from_xgboost(old).predict, rows) == quietly(bw.from_xgboost(new).predict, rows)).all()
    assert bw.from_xgboost(old).combine.base == (0.25,)
    with pytest.raises(ModelFormatError, match="iteration_indptr"):
        bw.from_xgboost(old, rounds=1)


CHANCES = [
    ([3, 2, 0], "[1E-8]", -13.81551),
    ([3, 2, 0], "[0E0]", -13.81551),
    ([3, 2, 0], "[1E0]", 13.74516),
    ([3, 1, 1], "[1E-8]", -18.420681),
    ([2, 1, 4], "1E-8", -18.420681),
    ([2, 1, 4], "9.9999E-1", 11.511568),
    ([2, 1, 4], "9.999999E-1", 15.942385),
]
"""The version of XGBoost, what its file says, and the sum that it then starts from."""


def started_from(version, written):
    document = json.loads((FOLDER / "xgboost_logistic.json").read_text(encoding="utf-8"))
    document["version"] = version
    document["learner"]["learner_model_param"]["base_score"] = written
    return document


@pytest.mark.parametrize(("version", "written", "base"), CHANCES)
def test_a_chance_to_start_from_is_turned_into_log_odds_as_xgboost_does(version, written, base):
    """In float32, and from version 3.2 on never beyond a millionth."""
    assert bw.from_xgboost(started_from(version, written)).combine.base == pytest.approx((base,), rel=1e-6)


@pytest.mark.parametrize("written", ["0E0", "1E0", "1E-60", "[-1E-1]", "[2E0]", "[nan]"])
def test_a_chance_that_is_none_is_refused(written):
    with pytest.raises(ModelFormatError, match="base_score"):
        bw.from_xgboost(started_from([3, 1, 1], written))


def test_rounds_and_labels_are_checked():
    for rounds in (0, 4, True, 1.5):
        with pytest.raises(ParameterError, match="from 1 to 3"):
            bw.from_xgboost(XGBOOST, rounds=rounds)
        with pytest.raises(ParameterError, match="from 1 to 3"):
            bw.from_lightgbm(FOLDER / "lightgbm_binary.txt", rounds=rounds)
    for labels in (["a"], ["a", "a"], ["a", "b", "c"]):
        with pytest.raises(ParameterError, match="expected 2 different ones"):
            bw.from_xgboost(FOLDER / "xgboost_logistic.json", labels=labels)
    with pytest.raises(ParameterError, match="predicts numbers"):
        bw.from_xgboost(XGBOOST, labels=["a", "b"])
    with pytest.raises(ParameterError, match="predicts numbers"):
        bw.from_lightgbm(FOLDER / "lightgbm_regression.txt", labels=["a", "b"])
    assert bw.from_lightgbm(FOLDER / "lightgbm_binary.txt", labels=["a", "b"]).classes.tolist() == ["a", "b"]


def test_cuts_between_float32_numbers_are_shown_by_the_lower_one():
    rng = np.random.default_rng(0)
    for low in rng.normal(size=300).astype(np.float32):
        high = np.nextafter(low, np.float32(9))
        middle = (float(low) + float(high)) / 2
        for cut in (middle, float(np.nextafter(middle, -9))):
            assert np.float32(number(cut)) == low
    assert [number(x) for x in (2.0**-150, 2.0000001192092896, 8388609.5, 1 / 3)] == [
        "0",
        "2",
        "8388609.5",
        "0.3333333333",
    ]


def test_large_trees_are_read_in_a_moment():
    n = 20_000
    left = np.full(2 * n + 1, -1)
    right = left.copy()
    left[:n], right[:n] = np.arange(1, n + 1), np.arange(n + 1, 2 * n + 1)
    count = 2 * n + 1
    chain = Nodes(
        left,
        right,
        np.zeros(count, int),
        np.arange(count, 0.0, -1.0),
        np.ones(count, bool),
        np.arange(count, dtype=float)[:, None],
        np.ones(count),
        np.ones(count, int),
        np.zeros(count),
    )
    tree = to_tree(chain, SCHEMA)
    assert tree.depth == n and tree.n_leaves == n + 1
