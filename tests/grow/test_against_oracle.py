"""Every recipe × score × stopping against the slow and obvious learner, node by node; and the two roads of growth."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.errors import BranchworkWarning
from branchwork.grow.grow import grow
from branchwork.grow.recipe import Recipe, Stopping
from branchwork.grow.recipes import RECIPES
from branchwork.grow.steps import grow_in_steps
from branchwork.learn.single import learn, without_weightless_rows
from branchwork.tree.check import check
from branchwork.tree.split import Lookup, split_of
from branchwork.tree.tree import Tree
from own_scores import OWN

import oracle
from same_tree import assert_same_tree
from tables import Case, cases

LECTURE = ("id3", "id3-regression", "stump", "stump-regression")
LECTURE_CRITERIA = {True: ("accuracy", "entropy", "gini"), False: ("variance", "squared_error")}


@st.composite
def cases_with_recipe(draw: st.DrawFn, name: str) -> tuple[Case, Recipe]:
    classification = RECIPES[name].is_classification
    case = draw(cases(classification=classification))
    criterion = draw(st.sampled_from(LECTURE_CRITERIA[classification]))
    recipe = RECIPES[name].replace(criterion=criterion, zero_gain=draw(st.booleans()))
    if recipe.stopping.max_depth is None:
        stopping = Stopping(
            draw(st.sampled_from([None, None, 0, 1, 2])), draw(st.sampled_from([2, 2, 4, 5.5]))
        )
        recipe = replace(recipe, stopping=stopping)
    return case, recipe


def grow_by_oracle(case: Case, recipe: Recipe) -> oracle.Node:
    settings = oracle.Settings(
        criterion=recipe.criterion,
        cuts=recipe.search.cuts,
        zero_gain=recipe.zero_gain,
        max_depth=recipe.stopping.max_depth,
        min_samples_split=recipe.stopping.min_samples_split,
    )
    return oracle.grow(case.columns, case.y, settings, labels=case.labels, weights=case.weights)


def assert_the_oracle_s_tree(tree: Tree, case: Case, root: oracle.Node) -> None:
    schema = case.table.schema
    pairs = [(0, root)]
    for node, wanted in pairs:
        assert tree.weight[node] == wanted.weight
        assert tree.n_rows[node] == wanted.n_rows
        assert tree.impurity[node] == pytest.approx(wanted.impurity, abs=1e-12)
        if case.labels is None:
            assert tree.value[node, 0] == pytest.approx(wanted.mean, abs=1e-12)
        else:
            assert case.labels[tree.decision[node]] == wanted.prediction
            assert dict(zip(case.labels, tree.distribution[node], strict=True)) == wanted.distribution
            shares = [wanted.shares[label] for label in case.labels]
            assert tree.value[node].tolist() == pytest.approx(shares, abs=1e-15)
        assert len(tree.children(node)) == len(wanted.children)
        if not wanted.children:
            continue
        assert schema[tree.feature[node]].name == wanted.feature
        assert tree.gain[node] == pytest.approx(wanted.gain, abs=1e-12)
        assert tree.default_child[node] == wanted.missing_child
        split = split_of(tree, schema, node)
        if isinstance(split, Lookup):
            groups = [[None] if not group else list(group) for group in split.groups]
            assert groups == wanted.values
        else:
            assert split.cut == wanted.cut
        pairs.extend(zip(tree.children(node), wanted.children, strict=True))


def assert_the_oracle_s_ledger(tree: Tree, root: oracle.Node) -> None:
    pairs = [(0, root)]
    for node, wanted in pairs:
        page = tree.ledger.page(node)
        assert (page is None) == (not wanted.candidates)
        for ours, theirs in zip(page.candidates if page else (), wanted.candidates, strict=True):
            assert (ours.gain is not None) == theirs.admissible
            if theirs.admissible:
                assert ours.gain == pytest.approx(theirs.gain, abs=1e-12)
                assert ours.cut == theirs.cut
        pairs.extend(zip(tree.children(node), wanted.children, strict=True))


@pytest.mark.parametrize("name", LECTURE)
@given(data=st.data())
def test_a_recipe_gives_the_oracle_s_tree(name, data):
    case, recipe = data.draw(cases_with_recipe(name))
    table, target = without_weightless_rows(case.table, case.target)
    tree, _ = grow(table, target, recipe)
    check(tree, table.schema)
    root = grow_by_oracle(case, recipe)
    assert_the_oracle_s_tree(tree, case, root)
    assert_the_oracle_s_ledger(tree, root)


@pytest.mark.parametrize("name", ["id3", "stump"])
@given(data=st.data())
def test_a_lecture_s_score_written_as_one_s_own_gives_the_oracle_s_tree(name, data):
    """With tables for rows that count once and for whole weights, and with functions for quarters of rows."""
    case, recipe = data.draw(cases_with_recipe(name))
    if data.draw(st.booleans()):
        case = replace(case, weights=[0.25 * w for w in case.weights or [1.0] * len(case.y)])
        if recipe.stopping.min_samples_split == 2:  # says no more than that a split needs two rows
            recipe = recipe.replace(stopping=replace(recipe.stopping, min_samples_split=0))
    table, target = without_weightless_rows(case.table, case.target)
    tree, _ = grow(table, target, recipe.replace(criterion=OWN[recipe.criterion]))
    check(tree, table.schema)
    root = grow_by_oracle(case, recipe)
    assert_the_oracle_s_tree(tree, case, root)
    assert_the_oracle_s_ledger(tree, root)


@pytest.mark.parametrize("name", LECTURE)
@given(data=st.data())
def test_the_stepwise_road_gives_the_same_tree(name, data):
    case, recipe = data.draw(cases_with_recipe(name))
    table, target = without_weightless_rows(case.table, case.target)
    tree, _ = grow(table, target, recipe)
    steps = grow_in_steps(table, target, recipe)
    assert_same_tree(tree, steps, 1e-12)
    for field in ("node", "verdict"):
        assert np.array_equal(getattr(tree.ledger, field), getattr(steps.ledger, field))
    np.testing.assert_allclose(tree.ledger.gain, steps.ledger.gain, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(tree.ledger.split_info, steps.ledger.split_info, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LECTURE)
@given(data=st.data())
def test_predictions_are_the_oracle_s(name, data):
    case, recipe = data.draw(cases_with_recipe(name))
    other = data.draw(cases(classification=recipe.is_classification, weighted=False))
    rows = case.rows()
    if (
        case.kinds == other.kinds[: len(case.kinds)]
    ):  # rows of another table: other values, perhaps unseen ones
        rows += [{name: row[name] for name in case.table.schema.names} for row in other.rows()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        model, _ = learn(case.table, case.target, recipe)
        predicted = model.predict(rows).tolist()
    root = grow_by_oracle(case, recipe)
    wanted = [oracle.predict(root, row) for row in rows]
    assert predicted == wanted if recipe.is_classification else predicted == pytest.approx(wanted, abs=1e-12)


@given(cases(classification=True, weighted=False, missing=False))
def test_the_three_stump_searches_find_the_same_rule(case):
    numeric = [j for j, kind in enumerate(case.kinds) if kind == "numeric"]
    columns = [case.columns[j] for j in numeric]
    stump = RECIPES["stump"]
    table = case.table.drop([f"c{j}" for j in range(len(case.kinds)) if j not in numeric])
    if not numeric:
        return
    found = []
    for search, grid in (("sorted", None), ("values", None), ("grid", 0.125)):
        tree, _ = grow(
            table, case.target, stump.replace(search=replace(stump.search, numeric=search, grid=grid))
        )
        found.append((int(tree.feature[0]), float(tree.cut[0]) if tree.feature[0] >= 0 else None))
    assert found[0] == found[1] == found[2]
    name, cut, _ = oracle.stump_values(columns, case.y, case.labels)
    assert found[0] == ((table.schema.index(name), cut) if name else (-1, None))
    assert oracle.stump_grid(columns, case.y, case.labels, 0.125)[:2] == (name, cut)
