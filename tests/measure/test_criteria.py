"""The table of criteria is the one place that knows them: the core has the same names, and nobody else makes any up."""

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import branchwork as bw
from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.recipe import Recipe
from branchwork.measure.criteria import (
    CRITERIA,
    ClassCriterion,
    LectureClassCriterion,
    LectureValueCriterion,
    ValueCriterion,
    criterion_of,
    foreign_criterion,
)
from branchwork.model.model import Model
from branchwork.tree.ledger import Group
from branchwork.view.arithmetic import written_out
from own_scores import TSALLIS

SOURCE = Path(bw.__file__).parent


def test_the_core_knows_the_same_names_and_one_more():
    assert {one.name for one in _core.Criterion} == {*CRITERIA, "own"}


def test_types_and_table_name_the_same_criteria():
    assert set(get_args(ClassCriterion)) == {row.name for row in CRITERIA.values() if row.task == "classes"}
    assert set(get_args(ValueCriterion)) == {row.name for row in CRITERIA.values() if row.task == "numbers"}
    assert {*get_args(LectureClassCriterion), *get_args(LectureValueCriterion)} <= set(CRITERIA)


@pytest.mark.parametrize("name", CRITERIA)
def test_every_criterion_has_an_impurity_and_its_arithmetic(name):
    row = criterion_of(name)
    assert row is CRITERIA[name] and row.unit and row.symbol
    if row.task == "classes":
        impurity = row.impurity(np.array([3.0, 5.0]))
        group = Group(8, impurity, counts=(3, 5))
    else:
        impurity = row.impurity(np.array([1.0, 2.0, 6.0]), np.ones(3))
        group = Group(3, impurity, mean=3.0)
    assert impurity > 0
    assert all(formula.text for formula in written_out(row, group))


@pytest.mark.parametrize("wrong", ["gain", "Entropy", "", None, 3, ("gini",)])
def test_a_name_that_is_not_in_the_table_is_refused_everywhere(wrong):
    for ask in (
        lambda: criterion_of(wrong),
        lambda: Recipe("mine", wrong),
        lambda: Recipe.from_dict({"name": "mine", "criterion": wrong}),
        lambda: bw.TreeClassifier(criterion=wrong).fit([[1], [2]], [0, 1]),
        lambda: Model((), ("a", "b"), (), {"criterion": wrong}).unit,
    ):
        with pytest.raises(ParameterError, match=r"criterion=.* is not known"):
            ask()


def test_a_criterion_of_another_library_has_a_name_and_nothing_else():
    assert foreign_criterion("gini") is CRITERIA["gini"]
    unknown = foreign_criterion("friedman")
    assert (unknown.unit, unknown.can_be_computed) == ("friedman", False)
    with pytest.raises(ParameterError, match="criterion='friedman' is another library's"):
        unknown.impurity(np.ones(2))


def test_a_user_s_own_score_has_a_row_of_the_same_kind():
    row = criterion_of(TSALLIS, ("no", "yes"))
    assert (row.name, row.unit, row.task) == ("Tsallis", "Tsallis", "classes")
    (formula,) = written_out(row, Group(14, row.impurity(np.array([5.0, 9.0])), counts=(5, 9)))
    assert formula.text == "((7 − 0.0026·(125 + 729))/14)"
    with pytest.raises(ParameterError, match=r"is not known here\. Expected one of 'squared_error'"):
        criterion_of(TSALLIS, task="numbers")


def test_nobody_else_compares_with_the_name_of_a_criterion():
    """What depends on a criterion is a column of the table; recipes and foreign readers name the one that they want."""
    named = re.compile(rf'criterion[\w.()\]"\[]* *(==|!=|in) *[("]*({"|".join(CRITERIA)})')
    allowed = {
        "grow/recipe.py",
        "estimators/cart.py",
        "store/foreign_sklearn.py",
        "measure/criteria.py",
        "cli/settings.py",
    }
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if named.search(path.read_text(encoding="utf-8"))
    }
    assert found <= allowed
