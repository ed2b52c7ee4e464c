"""Trees by a user's own score: as by the built-in one on every road, and a sentence where it cannot be used."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import branchwork as bw
from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.grow import grow, grow_many
from branchwork.grow.own_tables import tabulated
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Search, Stopping, Subspace
from branchwork.grow.recipes import STUMP, TREE
from branchwork.grow.steps import grow_in_steps
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import Classes
from branchwork.tree.check import check
from own_scores import ACCURACY, COST, ENTROPY, GINI, OWN, TSALLIS, numbers, open_recipes

from same_tree import assert_same_splits, assert_same_tree
from tables import cases

STEEP = bw.Score(name="steep", term=lambda c: c**12, offset=lambda n: n, scale=lambda n: -(n**-11.0))
"""Terms of so many sizes that integers cannot hold them: no running sums."""


# ---- the same as the built-in scores


@given(cases(classification=True), open_recipes())
def test_the_lecture_s_scores_give_the_built_in_trees(case, recipe):
    """Rows that count once, and whole weights: both have tables. Gains of equal splits are equal but for rounding."""
    table, target = without_weightless_rows(case.table, case.target)
    wanted, _ = grow(table, target, recipe)
    tree, _ = grow(table, target, recipe.replace(criterion=OWN[recipe.criterion]))
    check(tree, table.schema)
    assert_same_tree(tree, wanted, 1e-11)
    assert np.array_equal(tree.ledger.verdict, wanted.ledger.verdict)
    for name in ("gain", "split_info", "chance", "judged", "cut"):
        ours, theirs = getattr(tree.ledger, name), getattr(wanted.ledger, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11, err_msg=name)


@given(cases(classification=True, weighted=False), open_recipes())
def test_in_steps_and_in_one_call_the_tree_is_the_same(case, recipe):
    """The choice from a tally knows the same tables."""
    recipe = recipe.replace(criterion=OWN[recipe.criterion])
    tree, _ = grow(case.table, case.target, recipe)
    assert_same_tree(grow_in_steps(case.table, case.target, recipe), tree, 1e-11)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
def test_groups_of_categories_cost_as_little_as_by_the_built_in_score(name, nominal):
    """With two classes the built-in search knows an order of categories; an own score tries all groups. Of equal ones
    each takes its own first one, so gains are compared."""
    rng = np.random.default_rng(3)
    for trial in range(20):
        X = [[f"c{k}"] for k in rng.integers(0, 7, 60)]
        y = rng.choice(["a", "b", "c"][: 2 + trial % 2], 60)
        gains = [
            bw.TreeClassifier(criterion=one, nominal=nominal, max_depth=1).fit(X, y).tree_.gain[0]
            for one in (name, OWN[name])
        ]
        assert gains[0] == pytest.approx(gains[1], abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 8])
@pytest.mark.parametrize("name", OWN)
def test_large_tables_give_the_built_in_tree(name, classes):
    """Runs of rows are ruled out where tables prove that they may be, and the tree stays the same."""
    table, target = numbers(6000, classes)
    recipe = TREE.replace(criterion=name, stopping=Stopping(max_depth=7))
    wanted, _ = grow(table, target, recipe)
    tree, _ = grow(table, target, recipe.replace(criterion=OWN[name]), n_jobs=2)
    assert_same_tree(tree, wanted, 1e-9)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", OWN)
def test_forests_draw_and_score_the_same(name, classes):
    """Bins of ranks, and nodes too small for them."""
    table, target = numbers(4000, classes, columns=6)
    prepared = Prepared(table)
    rng = np.random.default_rng(0)
    draws = [prepared.draw(rng.integers(0, 4000, 4000)) for _ in range(2)]
    recipe = TREE.replace(
        criterion=name,
        search=Search(nominal="subset", missing="larger"),
        subspace=Subspace(2),
        stopping=Stopping(max_depth=9),
    )
    for wanted, tree in zip(
        grow_many(prepared, target, recipe, draws),
        grow_many(prepared, target, recipe.replace(criterion=OWN[name]), draws),
        strict=True,
    ):
        assert_same_tree(tree, wanted, 1e-9)


@pytest.mark.parametrize("score", [STEEP, TSALLIS, ENTROPY, ACCURACY], ids=repr)
@pytest.mark.parametrize("classes", [2, 4])
def test_counted_and_sorted_columns_and_drawn_rows_have_one_cost(score, classes):
    table, target = numbers(3000, classes)
    shifted = to_table(np.stack([array + np.arange(3000) * 1e-9 for array in table.arrays], axis=1))
    recipe = TREE.replace(criterion=score, stopping=Stopping(max_depth=1))
    counted, _ = grow(table, target, recipe)
    ordered, _ = grow(shifted, target, recipe)
    assert counted.ledger.gain[0, 0] == ordered.ledger.gain[0, 0]
    assert counted.ledger.gain[0, 1] <= ordered.ledger.gain[0, 1]
    assert_same_splits(grow_in_steps(table, target, recipe), counted)


def test_a_long_stump_is_scanned_in_full():
    table, target = numbers(70_000, 2, columns=2)
    wanted, _ = grow(table, target, STUMP.replace(criterion="entropy"))
    tree, _ = grow(table, target, STUMP.replace(criterion=ENTROPY))
    assert_same_tree(tree, wanted, 1e-9)


# ---- what tables prove


@pytest.mark.parametrize(
    ("score", "classes", "proved", "runs"),
    [
        (ENTROPY, 2, True, False),
        (ENTROPY, 5, True, True),
        (ACCURACY, 2, True, False),
        (GINI, 2, False, False),
        (GINI, 5, False, True),
        (STEEP, 5, False, False),
    ],
    ids=lambda value: str(value),
)
def test_bounds_are_used_only_where_the_tables_prove_them(score, classes, proved, runs):
    target = numbers(500, classes)[1]
    tables = tabulated(score, target, 5000)
    assert (tables.is_concave, tables.is_monotone) == (proved, proved)
    assert tables.has_running_terms == runs


@pytest.mark.parametrize(
    ("score", "homogeneous", "linear"),
    [
        (GINI, True, False),
        (TSALLIS, True, False),
        (STEEP, True, False),
        (bw.Score(name="root", term=np.sqrt, scale=np.sqrt), True, False),
        (ACCURACY, True, True),
        (COST, True, True),
        (ENTROPY, False, False),
    ],
    ids=lambda value: str(value),
)
def test_powers_are_recognised(score, homogeneous, linear):
    target = Classes(np.zeros(50, np.int32), ("no", "yes"), declared=True)
    tables = tabulated(score, target, 5000)
    assert (tables.is_homogeneous, tables.is_linear) == (homogeneous, linear)


def test_powers_that_bend_the_wrong_way_prove_nothing():
    counts = np.arange(100.0)
    ones = np.ones(100)
    with np.errstate(divide="ignore"):
        convex = _core.OwnTables(counts, np.where(counts > 0, 1 / counts, 0), counts**2, 2, False)
    assert not convex.is_homogeneous
    assert not _core.OwnTables(counts, ones, -counts, 2, True).is_homogeneous  # a least term is not concave
    assert not _core.OwnTables(counts, ones, np.where(counts == 77, 3, counts), 2, False).is_homogeneous


@pytest.mark.parametrize("weights", [None, 3.0], ids=["rows", "whole"])
@pytest.mark.parametrize("score", [TSALLIS, STEEP, COST, GINI, ACCURACY], ids=repr)
def test_cuts_that_are_skipped_are_no_better(score, weights):
    """From a tally every cut is scored; in one call runs of rows are ruled out by two of their corners."""
    table, target = numbers(3000, 2)
    if weights is not None:
        target = replace(target, weights=np.where(np.arange(3000) % 4 == 0, weights, 1.0))
    recipe = TREE.replace(criterion=score, stopping=Stopping(max_depth=4))
    tree, _ = grow(table, target, recipe)
    assert_same_splits(grow_in_steps(table, target, recipe), tree)


def test_a_term_that_bends_the_wrong_way_is_not_proved():
    counts = np.arange(100.0)
    bumpy = _core.OwnTables(counts, np.full(100, -1.0), np.where(counts % 7 == 0, counts, 0), 2, False)
    assert not bumpy.is_concave
    falling = _core.OwnTables(-counts, np.ones(100), counts / 2, 2, False)
    assert not falling.is_monotone


def test_the_core_refuses_tables_for_other_rows_or_classes():
    table, target = numbers(50, 3)
    options = _core.Options()
    options.criterion = _core.Criterion.own
    for wrong in (None, tabulated(GINI, target, 49), tabulated(GINI, numbers(50, 2)[1], 50)):
        options.own = wrong
        with pytest.raises(ValueError, match="other classes or fewer rows"):
            _core.grow(table.core, target.core, options, None)
    for bad in (np.full(10, np.nan), np.ones(9)):
        with pytest.raises(ValueError, match="tables of a score"):
            _core.OwnTables(np.ones(10), bad, np.ones(10), 2, False)


# ---- scores of one's own


def test_a_term_for_each_class_makes_costs_asymmetric():
    X = [[x] for x in range(12)]
    y = ["no"] * 5 + ["yes"] + ["no"] * 3 + ["yes"] * 3
    by_errors = bw.StumpClassifier(criterion="accuracy").fit(X, y)
    by_cost = bw.StumpClassifier(criterion=COST).fit(X, y)
    assert by_errors.tree_.cut[0] == 8.5
    assert by_cost.tree_.cut[0] == 4.5  # three errors of cost 1 instead of one of cost 5
    assert by_cost.tree_.impurity[0] == pytest.approx(8 / 12)
    weighted = bw.StumpClassifier(criterion=COST).fit(X, y, sample_weight=np.full(12, 0.5))
    assert weighted.tree_.cut[0] == 4.5


def test_three_classes_have_three_tables():
    table, target = numbers(400, 3)
    score = bw.Score(
        name="weighed",
        term=lambda c, label: (2.0 if label == "k1" else 1.0) * c,
        offset=lambda n: 2 * n,
        scale=lambda n: -1,
        combine="max",
    )
    tree, _ = grow(table, target, TREE.replace(criterion=score, stopping=Stopping(max_depth=3)))
    counts = np.array(tree.distribution)
    wanted = [score.impurity(one, target.labels) for one in counts]
    assert tree.impurity == pytest.approx(wanted, rel=1e-12)


# ---- what cannot be


CONVEX = bw.Score(name="convex", term=lambda c: c**2)
NEGATIVE = bw.Score(name="below", term=lambda c: -c)
LATE = bw.Score(
    name="late",
    term=lambda c: -c * np.log2(c),
    offset=lambda n: n * np.log2(n) + np.where((n > 300) & (n < 420), -40.0, 0),
)
"""Concave for all counts that are tried beforehand."""


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (
            NEGATIVE,
            r"Score 'below' is negative for a node of .*k0.*: its impurity is -1\. An impurity is 0 or more",
        ),
        (
            bw.Score(name="rooted", term=np.sqrt),
            r"Score 'rooted' is not concave: a node of 2 k0 has an impurity times its rows of 1\.41421, and its parts "
            r"have more than that together: 1 k0 \(1\) and 1 k0 \(1\)",
        ),
        (bw.Score(name="bad", term=lambda c: c / (c - 7)), "Score 'bad': term is inf for the count 7"),
        (
            bw.Score(name="huge", term=lambda c: 1e308 * np.sign(c)),
            r"term is 1e\+308 for the count 1; expected a number of at most 1e\+150",
        ),
    ],
)
def test_a_score_that_makes_no_sense_is_refused_with_its_name_and_the_counts(score, message):
    table, target = numbers(40, 2)
    with pytest.raises(ParameterError, match=message):
        grow(table, target, TREE.replace(criterion=score))


def test_a_loss_that_only_growth_comes_by_is_told_of():
    table, target = numbers(400, 2)
    with pytest.raises(ParameterError, match=r"Score 'late' is (not concave|negative)"):
        grow(table, target, TREE.replace(criterion=LATE))


def test_with_weights_a_loss_is_told_of_at_the_candidate():
    table, target = numbers(40, 2)
    weighted = Classes(target.codes, target.labels, np.full(40, 0.7), declared=True)
    with pytest.raises(ParameterError, match="Score 'rooted' is not concave"):
        grow(table, weighted, TREE.replace(criterion=bw.Score(name="rooted", term=np.sqrt)))


def test_a_gain_below_0_is_never_taken():
    score = bw.Score(
        name="sour", gain=lambda parent, children: -1.0 if len(children) == 2 and children.min() > 0 else 0.5
    )
    table, target = numbers(40, 2)
    tree, _ = grow(table, target, TREE.replace(criterion=score, stopping=Stopping(max_depth=1)))
    assert not (tree.gain < 0).any()


def test_numbers_have_no_own_score():
    with pytest.raises(ParameterError, match=r"criterion=Score\('my Gini'\) is not known"):
        bw.TreeRegressor(criterion=GINI).fit([[1], [2]], [1.0, 2.0])
