"""Trees by a user's own score with real weights, or with a gain: the core asks Python about arrays of candidates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.grow import core_options, grow, grow_many
from branchwork.grow.own_functions import asked
from branchwork.grow.own_tables import MOST_TABULATED, has_table, tabulated
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Recipe, Search, Stopping, Subspace
from branchwork.grow.recipes import TREE
from branchwork.grow.replay import replay
from branchwork.grow.steps import grow_in_steps
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import Classes, Target
from branchwork.tree.check import check
from branchwork.tree.tree import Tree
from own_scores import COST, ENTROPY, INFORMATION_GAIN, OWN, TSALLIS, numbers, open_recipes

from same_tree import assert_same_splits, assert_same_tree
from tables import cases


def quartered(target: Target) -> Target:
    """The same rows with a quarter of their weight: no counts any more, but sums that are as exact."""
    weights = np.ones(len(target)) if target.weights is None else target.weights
    return replace(target, weights=weights * 0.25)


def assert_the_same(tree: Tree, wanted: Tree, tolerance: float = 1e-10) -> None:
    assert_same_tree(tree, wanted, tolerance)
    assert np.array_equal(tree.ledger.verdict, wanted.ledger.verdict)
    for name in ("gain", "split_info", "chance", "judged", "cut"):
        ours, theirs = getattr(tree.ledger, name), getattr(wanted.ledger, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10, err_msg=name)


# ---- the same as the built-in scores


@given(cases(classification=True), open_recipes(in_one_call=True))
def test_with_real_weights_the_lecture_s_scores_give_the_built_in_trees(case, recipe):
    table, target = without_weightless_rows(case.table, case.target)
    target = quartered(target)
    own = recipe.replace(criterion=OWN[recipe.criterion])
    assert core_options(own, target).own is None
    wanted, _ = grow(table, target, recipe)
    tree, _ = grow(table, target, own)
    check(tree, table.schema)
    assert_the_same(tree, wanted)


@given(cases(classification=True), open_recipes(in_one_call=True))
def test_information_gain_as_a_function_gives_the_tree_of_entropy(case, recipe):
    recipe = recipe.replace(criterion="entropy")
    table, target = without_weightless_rows(case.table, case.target)
    wanted, _ = grow(table, target, recipe)
    tree, _ = grow(table, target, recipe.replace(criterion=INFORMATION_GAIN))
    assert_the_same(tree, wanted, 1e-10)


@given(cases(classification=True), open_recipes(in_one_call=True))
def test_shared_rows_limits_and_data_cuts_take_scores_without_weights_too(case, recipe):
    table, target = case.table, replace(case.target, weights=None)
    wanted, _ = grow(table, target, recipe)
    tree, _ = grow(table, target, recipe.replace(criterion=OWN[recipe.criterion]))
    assert_the_same(tree, wanted)


@given(cases(classification=True), open_recipes())
def test_in_steps_and_in_one_call_the_tree_is_the_same(case, recipe):
    table, target = without_weightless_rows(case.table, case.target)
    target = quartered(target)
    for score in (OWN[recipe.criterion], INFORMATION_GAIN):
        own = recipe.replace(criterion=score)
        tree, _ = grow(table, target, own)
        assert_same_tree(grow_in_steps(table, target, own), tree, 1e-11)


@given(cases(classification=True, weighted=True), open_recipes(in_one_call=True))
def test_whole_weights_are_rows_repeated(case, recipe):
    """From tables, as rows that count once; only the number of rows differs."""
    recipe = recipe.replace(criterion=OWN[recipe.criterion])
    table, target = without_weightless_rows(case.table, case.target)
    if recipe.search.missing != "share":
        assert core_options(recipe, target).asked is None
    tree, _ = grow(table, target, recipe)
    rows = np.repeat(np.arange(len(target)), target.weights.astype(int))
    repeated, _ = grow(table.take(rows), replace(target, weights=None).take(rows), recipe)
    assert_same_tree(tree.replace(n_rows=repeated.n_rows), repeated, 1e-11)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weight", [0.5, 3.0])
@pytest.mark.parametrize("name", OWN)
def test_surrogates_stand_in_as_for_the_built_in_score(name, weight, classes):
    table, target = numbers(300, classes)
    X = np.stack([array.astype(float) for array in table.arrays], axis=1)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    target = replace(target, weights=np.where(np.arange(300) % 3 == 0, weight, 2 * weight))
    search = Search(nominal="subset", missing="surrogate", max_surrogates=2)
    recipe = TREE.replace(criterion=name, search=search, stopping=Stopping(max_depth=4))
    wanted, _ = grow(to_table(X), target, recipe)
    tree, _ = grow(to_table(X), target, recipe.replace(criterion=OWN[name]))
    assert_the_same(tree, wanted)
    assert len(wanted.surrogates.feature) and np.array_equal(
        tree.surrogates.feature, wanted.surrogates.feature
    )


@pytest.mark.parametrize("weights", ["halves", "whole"])
@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("name", OWN)
def test_groups_of_categories_cost_as_little_as_by_the_built_in_score(name, nominal, weights):
    """Up to 7 categories all groups are tried; of 20, neighbours in the order of a class. Of equal groups each search
    takes its own first one, so gains are compared."""
    rng = np.random.default_rng(3)
    for trial in range(8):
        levels = 7 if trial < 6 else 20
        X = [[f"c{k}"] for k in rng.integers(0, levels, 80)]
        y = rng.choice(["a", "b", "c"][: 2 + trial % 2], 80)
        sample_weight = rng.integers(1, 4, 80) * (0.5 if weights == "halves" else 1)
        gains = [
            bw.TreeClassifier(criterion=one, nominal=nominal, max_depth=1)
            .fit(X, y, sample_weight=sample_weight)
            .tree_.gain[0]
            for one in (name, OWN[name])
        ]
        assert gains[0] == pytest.approx(gains[1], abs=1e-12)


@pytest.mark.parametrize("cuts", ["all", "random"])
@pytest.mark.parametrize("weight", [0.5, 2.0])
@pytest.mark.parametrize("name", OWN)
def test_forests_and_extra_trees_draw_and_score_the_same(name, weight, cuts):
    table, target = numbers(600, 3, columns=6)
    target = replace(target, weights=np.where(np.arange(600) % 2 == 0, weight, 2 * weight))
    prepared = Prepared(table)
    rng = np.random.default_rng(0)
    draws = [prepared.draw(rng.integers(0, 600, 600)) for _ in range(2)]
    recipe = TREE.replace(
        criterion=name,
        search=Search(nominal="subset", missing="larger", cuts=cuts),
        subspace=Subspace(2),
        stopping=Stopping(max_depth=5),
    )
    for wanted, tree in zip(
        grow_many(prepared, target, recipe, draws, seed=3),
        grow_many(prepared, target, recipe.replace(criterion=OWN[name]), draws, seed=3, n_jobs=2),
        strict=True,
    ):
        assert_same_tree(tree, wanted, 1e-9)


def test_features_that_a_gain_competes_by_are_drawn_as_those_of_any_score():
    table, target = numbers(200, 2, columns=5)
    prepared = Prepared(table)
    draws = [prepared.draw_all()] * 3
    recipe = TREE.replace(criterion="entropy", subspace=Subspace(2), stopping=Stopping(max_depth=4))
    for wanted, tree in zip(
        grow_many(prepared, target, recipe, draws, seed=4),
        grow_many(prepared, target, recipe.replace(criterion=INFORMATION_GAIN), draws, seed=4),
        strict=True,
    ):
        assert_same_splits(tree, wanted)


# ---- how the core asks


def test_threads_change_no_byte():
    table, target = numbers(9000, 3, columns=8)
    target = replace(target, weights=np.random.default_rng(0).random(9000) + 0.1)
    recipe = TREE.replace(criterion=TSALLIS, stopping=Stopping(max_depth=4))
    one, _ = grow(table, target, recipe)
    four, _ = grow(table, target, recipe, n_jobs=4)
    assert_same_splits(one, four)
    for name in ("gain", "impurity", "value"):
        assert getattr(one, name).tobytes() == getattr(four, name).tobytes()


def test_functions_are_asked_about_whole_columns():
    calls: list[int] = []

    def term(counts):
        calls.append(len(counts))
        return -counts * np.log2(counts)

    score = bw.Score(name="counted", term=term, offset=ENTROPY.offset)
    table, target = numbers(2000, 2, columns=4)
    grow(table, quartered(target), TREE.replace(criterion=score, stopping=Stopping(max_depth=1)))
    assert sum(calls) > 3 * 2000 and len(calls) < 40


def test_more_candidates_than_fit_into_one_question_have_the_same_best():
    """Every cut of 40 000 rows and 8 classes: some 640 000 numbers, where a question holds 2^18."""
    table, target = numbers(40_000, 8, columns=2)
    recipe = TREE.replace(criterion="gini", stopping=Stopping(max_depth=1))
    wanted, _ = grow(table, quartered(target), recipe)
    tree, _ = grow(table, quartered(target), recipe.replace(criterion=OWN["gini"]))
    assert_the_same(tree, wanted, 1e-9)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_what_a_function_raises_comes_out_of_the_core(n_jobs):
    def term(counts):
        if len(counts) > 100:
            raise RuntimeError("no more")
        return counts

    table, target = numbers(4000, 2, columns=20)
    recipe = TREE.replace(criterion=bw.Score(name="brittle", term=term))
    with pytest.raises(ParameterError, match=r"Score 'brittle': term raised RuntimeError: no more") as info:
        grow(table, quartered(target), recipe, n_jobs=n_jobs)
    assert isinstance(info.value.__cause__, RuntimeError)


def test_a_function_may_end_the_fit_as_ctrl_c_does():
    def term(counts):
        raise KeyboardInterrupt

    for rows in (40, 200_000):  # in this thread, and in one that is watched
        table, target = numbers(rows, 2)
        with pytest.raises(KeyboardInterrupt):
            grow(table, quartered(target), TREE.replace(criterion=bw.Score(name="stop", term=term)))


def test_the_core_refuses_functions_for_other_classes_and_tables_for_other_weights():
    table, target = numbers(50, 3)
    options = _core.Options()
    options.criterion = _core.Criterion.own
    options.asked = asked(ENTROPY, numbers(50, 2)[1])
    with pytest.raises(ValueError, match="other classes"):
        _core.grow(table.core, target.core, options, None)
    options.asked, options.own = None, tabulated(ENTROPY, target)
    for weights in (np.full(50, 0.5), np.full(50, 2.0)):
        with pytest.raises(ValueError, match="whole counts, up to the weight of all rows"):
            _core.grow(table.core, replace(target, weights=weights).core, options, None)
    options.own, options.asked = (
        None,
        _core.OwnFunctions(lambda nodes: np.zeros(7), lambda *_: np.zeros(1), 3),
    )
    with pytest.raises(ValueError, match="one number for each candidate"):
        _core.grow(table.core, target.core, options, None)


def test_tables_are_made_for_whole_weights_of_a_reasonable_sum():
    _, target = numbers(50, 2)
    assert has_table(ENTROPY, target) and not has_table(INFORMATION_GAIN, target)
    assert has_table(ENTROPY, replace(target, weights=np.full(50, 7.0)))
    assert not has_table(ENTROPY, quartered(target))
    assert not has_table(ENTROPY, replace(target, weights=np.full(50, float(MOST_TABULATED))))


# ---- what a score may do


def test_a_loss_is_told_of_at_the_candidate():
    table, target = numbers(40, 2)
    weighted = replace(target, weights=np.full(40, 0.7))
    with pytest.raises(ParameterError, match="Score 'rooted' is not concave"):
        grow(table, weighted, TREE.replace(criterion=bw.Score(name="rooted", term=np.sqrt)))


@given(st.booleans())
def test_a_gain_below_0_is_never_taken(zero_gain):
    sour = bw.Score(
        name="sour", gain=lambda _, children: 0.5 if (children > 0).sum(axis=1).max() == 1 else -1.0
    )
    table, target = numbers(40, 2)
    tree, _ = grow(table, target, TREE.replace(criterion=sour, zero_gain=zero_gain))
    assert tree.n_nodes == 1
    assert {one.verdict for one in tree.ledger.page(0).candidates} == {"no_gain"}


def test_a_gain_may_be_larger_than_that_of_parting_all_classes():
    """The impurity of a node is no bound then: later columns are looked at, although it is used up."""

    def even(parent, children):
        shares = children.sum(axis=1) / parent.sum()
        return float(3 - np.abs(shares - 0.5).sum()) if len(children) == 2 else 0.0

    X = [[0, 0], [0, 0], [0, 1], [1, 1]]
    recipe = Recipe("even", bw.Score(name="even", gain=even), stopping=Stopping(max_depth=1))
    target = Classes(np.array([0, 1, 2, 2], np.int32), ("a", "b", "c"))
    tree, _ = grow(to_table(np.array(X, float)), target, recipe)
    assert tree.feature[0] == 1 and tree.gain[0] == pytest.approx(3)


@pytest.mark.parametrize("score", [ENTROPY, INFORMATION_GAIN, COST], ids=repr)
def test_rows_handed_back_make_the_same_page(score):
    table, target = numbers(120, 3)
    weighted = quartered(target)
    recipe = TREE.replace(criterion=score, stopping=Stopping(max_depth=3))
    tree, _ = grow(table, weighted, recipe)
    for node in range(3):
        page, kept = replay(tree, table, weighted, recipe, node), tree.ledger.page(node)
        for again, one in zip(page.candidates, kept.candidates, strict=True):
            assert (again.verdict, again.cut) == (one.verdict, one.cut)
            assert again.gain == pytest.approx(one.gain, abs=1e-12)
            best = max(cut.gain for cut in again.cuts)
            assert best == pytest.approx(one.gain, abs=1e-10)
