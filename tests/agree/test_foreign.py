"""Models of XGBoost and LightGBM, written down with the leaves and answers of these libraries (foreign/make.py)."""

import json
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
from branchwork.tree.check import check

from foreign_cases import assert_close, assert_same_leaves, quietly

FOLDER = Path(__file__).parent / "foreign"
CASES = sorted(path.name.removesuffix(".rows.json") for path in FOLDER.glob("*.rows.json"))


def read(case):
    if case.startswith("xgboost"):
        return bw.from_xgboost(FOLDER / f"{case}.json")
    return bw.from_lightgbm(FOLDER / f"{case}.txt")


def test_there_are_cases():
    assert len(CASES) >= 13


@pytest.mark.parametrize("case", CASES)
def test_leaves_and_answers_are_theirs(case):
    model = read(case)
    stored = json.loads((FOLDER / f"{case}.rows.json").read_text(encoding="utf-8"))
    rows = np.array(stored["rows"])
    assert_same_leaves(stored["leaf"], model, rows)
    found = quietly(model.outputs, rows)
    answers = np.array(stored["predicted"])
    found = found if answers.ndim == 2 else found[:, -1]  # of two classes they tell the second's chance
    assert_close(answers, found, 1e-6 if case.startswith("xgboost") else 1e-12)


@pytest.mark.parametrize("case", CASES)
def test_trees_are_valid_and_can_be_looked_at(case):
    model = read(case)
    for k, tree in enumerate(model.trees):
        check(tree, model.schema)
        member = model.member(k)
        assert member.to_text().count("\n") == tree.n_nodes - 1
        assert len(member.rules()) == tree.n_leaves
        assert "as its parent" not in member.to_text()
        assert member.to_svg().startswith("<svg")
        assert member.to_dict()["variance"] is None
        assert "nearly won is not known" in str(member.why(np.zeros(4)))
    assert "<script" in model.member(0).to_html()
    with pytest.raises(bw.errors.ParameterError, match=r"model\.member\(0\)"):
        model.to_text()
    with pytest.raises(bw.errors.ParameterError, match="has no working"):
        model.member(0).working()


def test_the_number_of_rows_is_told_where_it_is_known():
    assert " rows  value " in read("lightgbm_binary").member(0).to_text()
    told = read("xgboost_logistic").member(0).to_text()
    assert "  weight 49.96  " in told and " rows  value" not in told


@pytest.mark.parametrize("case", ["xgboost_codes", "lightgbm_codes"])
def test_rules_of_a_tree_send_every_row_to_its_leaf(case):
    model = read(case)
    rows = np.array(json.loads((FOLDER / f"{case}.rows.json").read_text(encoding="utf-8"))["rows"])
    for k in range(len(model.trees)):
        member = model.member(k)
        rules = quietly(member.rules().predict, rows)
        assert_close(quietly(member.predict, rows), rules, 0)
