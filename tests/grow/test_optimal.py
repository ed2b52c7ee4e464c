"""Optimal trees: the same cost as brute force, for any loss, test, limit, bound and number of threads."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.grow import LEDGER_CELLS, grow, sample_limits
from branchwork.grow.optimal import Costs
from branchwork.grow.prepared import Prepared
from branchwork.table import target as targets
from branchwork.table.adapt import to_table
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes
from branchwork.tree.apply import apply
from branchwork.tree.check import check
from grow.optimal_cases import case
from instructions import in_both_forms

BOUNDS = ("interval", "moved", "equivalent", "classes", "shallow", "cache", "counted")
seeds = st.integers(0, 2**40)


def cost_on(tree, one):
    """The cost of a tree, from the rows that reach its leaves."""
    leaf = apply(tree, one.table)
    rows = {k: tuple(np.flatnonzero(leaf == k).tolist()) for k in set(leaf.tolist())}
    return sum(one.slow.leaf(some) for some in rows.values()) + one.slow.penalty * (len(rows) - 1)


@given(seed=seeds)
def test_no_tree_is_better(seed):
    """And the tree costs what the proof says; its limits are obeyed."""
    one = case(seed)
    tree, cost = grow(one.table, one.target, one.recipe)
    check(tree, one.table.schema)
    close = pytest.approx(one.least, rel=1e-9, abs=1e-9)
    assert cost_on(tree, one) == close
    assert cost.proof.objective == close
    assert cost.proof.proven and cost.proof.gap == 0 and cost.proof.ending == "proven"
    assert tree.depth <= one.depth
    assert one.leaves is None or tree.n_leaves <= one.leaves
    if one.slow.min_leaf and tree.n_leaves > 1:
        assert tree.weight.min() >= one.slow.min_leaf * (1 - 1e-9)


def core_search(one, bounds=None, threads=1):
    """The search of the core alone, without the greedy tree that it is started with."""
    costs = Costs.of(one.target, one.recipe.optimal)
    settings = _core.OptimalSettings()
    settings.max_depth = one.depth
    settings.max_leaves = len(one.target) if one.leaves is None else one.leaves
    settings.leaf_penalty = costs.penalty
    settings.min_leaf_samples = sample_limits(one.recipe, one.target)[1]
    settings.groups = one.recipe.search.nominal == "subset"
    settings.threads = threads
    if bounds is not None:
        settings.bounds = bounds
    return _core.optimal_tree(Prepared(one.table).core, one.target.core, costs.matrix, settings)


def splits(found):
    return [(n.column, repr(n.cut), n.missing, n.branches, list(n.branch)) for n in found.nodes]


@given(seed=seeds)
def test_every_bound_can_be_switched_off(seed):
    """The bounds save work; they do not change the tree."""
    one = case(seed)
    found = core_search(one)
    assert found.cost == pytest.approx(one.least, rel=1e-9, abs=1e-9)
    for name in BOUNDS:
        bounds = _core.OptimalBounds()
        setattr(bounds, name, False)
        other = core_search(one, bounds)
        assert other.cost == found.cost, name
        assert splits(other) == splits(found), name


def test_all_bounds_switched_off_together_give_the_same_tree():
    none = _core.OptimalBounds()
    for name in BOUNDS:
        setattr(none, name, False)
    for seed in range(60):
        one = case(seed)
        assert splits(core_search(one, none)) == splits(core_search(one)), seed


def table_of(seed, rows, columns, classes, decimals, missing):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(rows, columns)), decimals)
    y = np.round(1.5 * X.sum(axis=1) + rng.normal(size=rows)).astype(int) % classes
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return to_table(X), targets.classes(y)


def searched(table, target, depth, *, counted=True, threads=1):
    settings = _core.OptimalSettings()
    settings.max_depth, settings.threads = depth, threads
    bounds = _core.OptimalBounds()
    bounds.counted = counted
    settings.bounds = bounds
    return _core.optimal_tree(Prepared(table).core, target.core, np.empty(0), settings)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("rows", "columns", "classes", "decimals", "depth"),
    [
        (33, 2, 3, 1, 4),
        (64, 3, 2, 2, 3),
        (97, 3, 5, 0, 3),
        (300, 3, 2, 1, 3),
        (400, 4, 4, 3, 2),
        (1, 1, 1, 1, 2),
    ],
)
def test_counting_finds_the_tree_that_lists_of_rows_find(rows, columns, classes, decimals, depth, missing):
    """Two searches that share no code for trees of two levels; ties are decided in the same way, for any threads."""
    for seed in range(3):
        table, target = table_of(seed, rows, columns, classes, decimals, missing)
        found = [
            searched(table, target, depth),
            searched(table, target, depth, threads=2),
            searched(table, target, depth, threads=5),
            searched(table, target, depth, counted=False),
            searched(table, target, depth, counted=False, threads=3),
        ]
        assert len({one.cost for one in found}) == 1
        assert all(splits(one) == splits(found[0]) for one in found)


KINDS = ("plain", "whole weights", "real weights", "costs", "weights and costs")


def mixed(seed, rows, kind, nominal, missing):
    """A table with numbers and categories, what errors cost there, and a target."""
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 5))
    number = np.round(rng.normal(size=(rows, 2)), int(rng.integers(0, 3)))
    letter = rng.integers(0, 4, size=rows)
    y = np.round(number.sum(axis=1) + 1.3 * (letter % 2) + rng.normal(size=rows)).astype(int) % classes
    if missing:
        number[rng.random(number.shape) < 0.1] = np.nan
        letter[rng.random(rows) < 0.1] = -1
    columns = [Column("a", "numeric"), Column("b", "numeric")]
    arrays = [number[:, 0], number[:, 1]]
    if nominal:
        columns.append(Column("c", "nominal", tuple("wxyz")))
        arrays.append(letter.astype(np.int32))
    weights = None
    if "weights" in kind:
        weights = rng.integers(1, 5, size=rows).astype(float) if "whole" in kind else rng.random(rows) + 0.05
    costs = np.empty(0)
    if "costs" in kind:
        costs = rng.choice([0.7, 1.0, 3.0], size=(classes, classes))
        np.fill_diagonal(costs, 0)
    target = Classes(y.astype(np.int32), tuple(range(classes)), weights, declared=True)
    return Table(Schema(tuple(columns)), tuple(arrays)), target, costs.ravel()


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_fast_search_takes_weights_costs_penalties_and_categories(kind, nominal, missing):
    """And finds the same tree as lists of rows."""
    for seed, penalty in ((1, 0.0), (2, 0.0), (3, 1.7), (4, 5.0), (5, 0.3)):
        rows, depth = (60, 3) if seed % 2 else (130, 2)
        table, target, costs = mixed(seed, rows, kind, nominal, missing)
        found = {}
        for counted, threads in ((True, 1), (True, 3), (False, 1)):
            settings = _core.OptimalSettings()
            settings.max_depth, settings.threads, settings.leaf_penalty = depth, threads, penalty
            settings.bounds.counted = counted
            found[counted, threads] = _core.optimal_tree(Prepared(table).core, target.core, costs, settings)
        fast, slow = found[True, 1], found[False, 1]
        assert fast.counters.kernels > 0 and slow.counters.kernels == 0
        assert fast.cost == slow.cost == fast.lower_bound, (seed, penalty)
        assert splits(fast) == splits(slow) == splits(found[True, 3]), (seed, penalty)


def test_four_levels_with_categories():
    """Branches of a split with many become tables of their own."""
    table, target, costs = mixed(7, 40, "whole weights", True, True)
    found = []
    for counted in (True, False):
        settings = _core.OptimalSettings()
        settings.max_depth, settings.leaf_penalty = 4, 0.4
        settings.bounds.counted = counted
        found.append(_core.optimal_tree(Prepared(table).core, target.core, costs, settings))
    assert found[0].cost == found[1].cost and splits(found[0]) == splits(found[1])
    assert found[0].counters.kernels > 0


def test_long_lanes_are_joined_in_32_bits():
    """Beyond 30 000 rows the prefix sums of a kernel leave 16 bits; the row lists are the judge."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(40_000, 2)), 1)
    y = ((X[:, 0] > 0.5) ^ (rng.random(40_000) < 0.2)).astype(int)
    table, target = to_table(X), targets.classes(y)
    fast, slow = searched(table, target, 2), searched(table, target, 2, counted=False)
    assert fast.counters.kernels > 0 and slow.counters.kernels == 0
    assert fast.cost == slow.cost and splits(fast) == splits(slow)


# ---- ties


def test_ties_go_to_the_smaller_depth_then_the_earlier_column_then_the_smaller_cut():
    X = {"b": [1, 2, 3, 4, 5, 6], "a": [1, 2, 3, 4, 5, 6]}
    tree = bw.OptimalTreeClassifier(max_depth=3).fit(X, [0, 0, 0, 1, 1, 1])
    assert tree.get_depth() == 1
    assert tree.to_dict()["feature"] == "b"
    # one error, whether 0 is cut off on the left or on the right
    tree = bw.OptimalTreeClassifier(max_depth=1).fit({"x": [1, 2, 3, 4, 5]}, [0, 1, 1, 1, 0])
    assert tree.to_dict()["cut"] == 1.5


# ---- proofs and limits


def exclusive_or(copies=10, noise=3):
    """Two columns whose exclusive or is the class, behind columns that gain more."""
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2, size=(40 * copies, 2))
    y = bits[:, 0] ^ bits[:, 1]
    hints = np.where(rng.random((len(y), noise)) < 0.6, y[:, None], 1 - y[:, None])
    return np.column_stack([hints, bits]).astype(float), y


def test_greedy_loses_and_the_optimal_tree_does_not():
    X, y = exclusive_or()
    greedy = bw.OptimalTreeClassifier(max_depth=2, effort="greedy").fit(X, y)
    ahead = bw.OptimalTreeClassifier(max_depth=2, effort="lookahead").fit(X, y)
    split = bw.OptimalTreeClassifier(max_depth=2, effort="split").fit(X, y)
    best = bw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert best.objective_ == ahead.objective_ == split.objective_ == 0 < greedy.objective_
    assert best.proven_ and not greedy.proven_
    assert greedy.search_.ending == ahead.search_.ending == "not_searched"
    assert greedy.objective_ == (greedy.predict(X) != y).sum()


def test_milk_looks_guilty_but_is_not():
    """The lecture's example: greedy needs more leaves, and at the same depth it makes errors."""
    days = bw.datasets.milk_allergy()
    cart = bw.CARTClassifier().fit(days.X, days.y)
    best = bw.OptimalTreeClassifier(max_depth=None, minimise="leaves", max_errors=0).fit(days.X, days.y)
    assert cart.to_dict()["feature"] == "Milk" and cart.score(days.X, days.y) == 1
    assert best.to_dict()["feature"] == "Diet coke" and best.score(days.X, days.y) == 1
    assert best.get_n_leaves() == 3 < cart.get_n_leaves()
    assert bw.CARTClassifier(max_depth=2).fit(days.X, days.y).score(days.X, days.y) < 1
    assert bw.OptimalTreeClassifier(max_depth=2).fit(days.X, days.y).objective_ == 0
    assert bw.datasets.milk_allergy(50, seed=1).y == bw.datasets.milk_allergy(50, seed=1).y


@pytest.mark.parametrize("effort", ["greedy", "lookahead", "split", "exact"])
def test_more_effort_is_never_worse_than_greedy(effort):
    for seed in range(12):
        table, target = table_of(seed, 120, 3, 3, 1, True)
        errors = {}
        for some in ("greedy", effort):
            tree = bw.OptimalTreeClassifier(max_depth=3, effort=some).fit(table, target.codes)
            errors[some] = tree.objective_
            assert tree.objective_ == (tree.predict(table) != target.codes).sum()
            assert tree.get_depth() <= 3
        assert errors[effort] <= errors["greedy"]


def test_a_search_that_is_out_of_time_is_not_worse_than_greedy_and_its_bound_is_true():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3000, 8)), rng.integers(0, 2, size=3000)
    greedy = bw.OptimalTreeClassifier(max_depth=4, effort="greedy").fit(X, y)
    for limit in (0.0, 0.3):
        stopped = bw.OptimalTreeClassifier(max_depth=4, time_limit=limit).fit(X, y)
        assert stopped.search_.ending == "time" and not stopped.proven_
        assert stopped.search_.seconds < limit + 0.6
        assert 0 <= stopped.lower_bound_ <= stopped.objective_ <= greedy.objective_
        assert stopped.gap_ == stopped.objective_ - stopped.lower_bound_
        assert stopped.objective_ == (stopped.predict(X) != y).sum()


def test_a_gap_ends_the_search_early_and_is_kept():
    table, target = table_of(3, 500, 4, 2, 2, False)
    best = bw.OptimalTreeClassifier(max_depth=3).fit(table, target.codes)
    near = bw.OptimalTreeClassifier(max_depth=3, max_gap=10).fit(table, target.codes)
    assert near.objective_ <= best.objective_ + 10
    assert near.lower_bound_ <= best.objective_ <= near.objective_
    assert near.gap_ <= 10
    assert near.search_.cuts <= best.search_.cuts


@given(seed=seeds, share=st.sampled_from([0.01, 0.1, 0.3, 2.0]))
def test_a_gap_is_kept_whatever_the_problem(seed, share):
    """Subproblems are solved exactly, so a gap at the root is a gap of the whole tree."""
    one = case(seed)
    asked = replace(one.recipe.optimal, max_gap=share * one.slow.leaf(tuple(range(len(one.target)))))
    tree, cost = grow(one.table, one.target, one.recipe.replace(optimal=asked))
    slack = 1e-9 * (1 + one.least)
    assert cost_on(tree, one) == pytest.approx(cost.proof.objective, rel=1e-9, abs=1e-9)
    assert one.least - slack <= cost.proof.objective <= one.least + asked.max_gap + slack
    assert cost.proof.lower_bound <= one.least + slack
    assert cost.proof.gap <= asked.max_gap + slack


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("estimator", [bw.OptimalTreeClassifier, bw.OptimalTreeRegressor])
def test_deep_trees_keep_their_gap(seed, estimator):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, size=40)
    depth = 4 if estimator is bw.OptimalTreeClassifier else 3
    best = estimator(max_depth=depth).fit(X, y)
    assert best.proven_
    for gap in (0.5, 2, 6):
        near = estimator(max_depth=depth, max_gap=gap).fit(X, y)
        assert best.objective_ * (1 - 1e-9) <= near.objective_ <= best.objective_ + gap + 1e-9
        assert near.lower_bound_ <= best.objective_ * (1 + 1e-9)
        assert near.gap_ <= gap + 1e-9
        assert near.search_.cuts <= best.search_.cuts


def test_a_penalty_buys_fewer_leaves():
    table, target = table_of(4, 200, 3, 3, 1, False)
    leaves, errors = [], []
    for penalty in (0.0, 0.01, 0.05, 0.2, 1.0):
        tree = bw.OptimalTreeClassifier(max_depth=3, leaf_penalty=penalty).fit(table, target.codes)
        leaves.append(tree.get_n_leaves())
        errors.append((tree.predict(table) != target.codes).sum())
        assert tree.objective_ == pytest.approx(errors[-1] + penalty * 200 * (leaves[-1] - 1))
    assert leaves == sorted(leaves, reverse=True) and leaves[-1] == 1 < leaves[0]
    assert errors == sorted(errors)


def test_the_smallest_tree_without_errors():
    X, y = exclusive_or(copies=2, noise=2)
    tree = bw.OptimalTreeClassifier(max_depth=None, minimise="leaves", max_errors=0).fit(X, y)
    assert (tree.predict(X) == y).all()
    assert tree.get_n_leaves() == tree.objective_ == tree.lower_bound_ == 4
    assert tree.proven_
    for seed in range(30):
        one = case(seed, numbers=False)
        plain = replace(one.slow, penalty=0.0, min_leaf=0.0, known={})
        rows = tuple(range(len(one.target)))
        allowed = plain.best(rows, 3, len(rows)) + 0.5 * (plain.leaf(rows) - plain.best(rows, 3, len(rows)))
        wanted = next(k for k in range(1, 99) if plain.best(rows, 3, k) <= allowed + 1e-9)
        asked = replace(one.recipe.optimal, leaf_penalty=0.0, minimise="leaves", max_errors=allowed + 1e-9)
        stopping = replace(one.recipe.stopping, max_depth=3, min_samples_leaf=0, max_leaf_nodes=None)
        tree, cost = grow(one.table, one.target, one.recipe.replace(optimal=asked, stopping=stopping))
        assert tree.n_leaves == cost.proof.objective == wanted, seed


def test_too_few_errors_are_refused_with_advice():
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    with pytest.raises(ParameterError, match=r"max_errors=0.*cannot be told apart"):
        bw.OptimalTreeClassifier(minimise="leaves", max_errors=0).fit(X, y)
    assert bw.OptimalTreeClassifier(minimise="leaves", max_errors=1).fit(X, y).get_n_leaves() <= 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"minimise": "leaves"}, "needs max_errors"),
        ({"max_errors": 1}, "no effect without minimise"),
        ({"minimise": "leaves", "max_errors": 0, "leaf_penalty": 0.1}, "leaf_penalty=0.1 does not go"),
        ({"effort": "greedy", "max_gap": 1}, 'only effort="exact" has a proof'),
        ({"effort": "lookahead", "max_leaf_nodes": 3}, "max_leaf_nodes=3 goes with"),
        ({"memory_limit": 10.0}, "memory_limit=10"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        bw.OptimalTreeClassifier(**settings).fit([[1.0], [2.0]], [0, 1])


def test_groups_of_many_categories_are_refused_with_advice_that_works():
    X = {"letter": list("abcdefghijabcdefghij")}
    y = [c in "acegi" for c in X["letter"]]
    with pytest.raises(ParameterError, match=r"'letter' has 10 categories.*one_vs_rest.*max_levels=7"):
        bw.OptimalTreeClassifier(nominal="subset").fit(X, y)
    bw.OptimalTreeClassifier(nominal="subset", max_levels=7).fit(X, y)
    assert bw.OptimalTreeClassifier(max_depth=1).fit(X, y).get_n_leaves() == 10  # one branch for each value


def test_costs_decide_what_leaves_answer():
    X, y = [[0.0]] * 3 + [[1.0]], ["no", "no", "yes", "yes"]
    plain = bw.OptimalTreeClassifier().fit(X, y)
    dear = bw.OptimalTreeClassifier(loss=[[0, 1], [5, 0]]).fit(X, y)  # a missed "yes" costs 5
    assert plain.predict(X).tolist() == ["no", "no", "no", "yes"]
    assert dear.predict(X).tolist() == ["yes"] * 4
    assert dear.objective_ == 2


def test_missing_cells_go_to_the_better_side_or_stand_alone():
    X = {"x": [1.0, 2.0, 3.0, 4.0, math.nan, math.nan]}
    left = bw.OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 0, 0])
    right = bw.OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 1, 1])
    alone = bw.OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 0, 0, 1, 1])
    for tree, y in ((left, [0, 0, 1, 1, 0, 0]), (right, [0, 0, 1, 1, 1, 1]), (alone, [0, 0, 0, 0, 1, 1])):
        assert tree.predict(X).tolist() == y and tree.objective_ == 0
    assert alone.tree_.cut[0] == math.inf


# ---- an ordinary tree


def test_alternatives_are_the_best_trees_for_each_root():
    X, y = exclusive_or(copies=2)
    tree = bw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    found = tree.alternatives_(9, X=X, y=y)
    assert [one.objective for one in found] == sorted(one.objective for one in found)
    assert found[0].objective == found[1].objective == 0
    assert {found[0].feature, found[1].feature} == {tree.schema_.names[3], tree.schema_.names[4]}
    for one in found[2:]:  # each is what the best trees on both sides of any of its cuts leave
        column = tree.schema_.names.index(one.feature)
        sides = X[:, column] <= 0.5
        parts = [
            bw.OptimalTreeClassifier(max_depth=1).fit(X[side], y[side]).objective_ for side in (sides, ~sides)
        ]
        assert one.objective == sum(parts)
    assert len(tree.alternatives_(1, X=X, y=y)) == 1


def test_views_pruning_and_the_model_file_take_it(tmp_path):
    tennis = bw.datasets.load("play_tennis")
    tree = bw.OptimalTreeClassifier(max_depth=2).fit(tennis.X, tennis.y)
    bw.save(tree, tmp_path / "tree.bw")
    again = bw.load(tmp_path / "tree.bw")
    assert again.predict(tennis.X).tolist() == tree.predict(tennis.X).tolist()
    assert tree.to_text() and tree.to_svg() and tree.rules() and tree.export("python")
    assert tree.prune("cost_complexity", alpha=1.0).get_n_leaves() == 1


def test_the_working_shows_the_split_of_the_best_tree_among_single_splits():
    X, y = exclusive_or()
    tree = bw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    page = tree.tree_.ledger.page(0)
    chosen = [one for one in page.candidates if one.verdict == "chosen"]
    assert [one.feature for one in chosen] == [3]
    assert max(one.gain for one in page.candidates) > chosen[0].gain
    assert {one.verdict for one in page.candidates} == {"chosen", "costs_more"}
    assert "no tree that begins with it is better" in str(tree.working(0))


def test_a_large_table_keeps_no_working_and_says_so():
    X = np.tile([[0.0], [1.0]], (LEDGER_CELLS // 2 + 1, 1))
    tree = bw.OptimalTreeClassifier(max_depth=1).fit(X, X[:, 0].astype(int))
    with pytest.raises(ParameterError, match="only if the table is small"):
        tree.working(0)
    assert "chosen" in str(tree.working(0, X=X, y=X[:, 0].astype(int)))


PLAIN = """
import numpy as np
import branchwork as bw
rng = np.random.default_rng(3)
result = []
for rows, classes, decimals, depth in ((31, 2, 0, 3), (90, 3, 1, 3), (500, 4, 3, 2), (33_000, 2, 1, 2)):
    X = np.round(rng.normal(size=(rows, 3)), decimals)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = rng.integers(0, classes, size=rows)
    for weights in (None, rng.random(rows) + 0.1):
        tree = bw.OptimalTreeClassifier(max_depth=depth).fit(X, y, weights)
        result.append([tree.objective_, tree.search_.kernels, tree.to_text()])
"""


def test_plain_and_avx2_kernels_give_the_same_tree():
    plain, usual = in_both_forms(PLAIN)
    assert plain == usual
    assert all(kernels > 0 for _, kernels, _ in plain)


def test_a_split_that_gains_nothing_by_itself_says_so():
    """Rounding is no gain, and the split that is next by itself may gain more than the winner."""
    days = bw.datasets.milk_allergy()
    tree = bw.OptimalTreeClassifier(max_depth=3).fit(days.X, days.y)
    assert tree.tree_.gain[0] == 0.0
    told = str(tree.why(days.X.row(0)))
    assert (
        "next best by itself: Milk = no | yes (gain 0.0700 against 0.0000; no tree that begins with it is"
        in told
    )


def test_roots_of_other_columns_are_tried_too():
    """On some tables the best tree of three levels begins with another column than the best tree of two."""
    ahead, split, best = [], [], []
    for seed in range(12):
        table, target = table_of(seed, 150, 4, 3, 1, False)
        for effort, found in (("lookahead", ahead), ("split", split), ("exact", best)):
            tree = bw.OptimalTreeClassifier(max_depth=3, effort=effort).fit(table, target.codes)
            found.append(tree.objective_)
    assert all(b <= s <= a for a, s, b in zip(ahead, split, best, strict=True))
    assert sum(split) < sum(ahead) and sum(s == b for s, b in zip(split, best, strict=True)) >= 3
