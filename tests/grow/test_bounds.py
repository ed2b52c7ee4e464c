"""A tree without a ledger looks at fewer columns and cuts, and is the same tree.

With a ledger, every column of a node is searched in full. Without one, a column is given up as soon as it cannot win:
it must beat the best so far and a column that is likely to be good, and none is asked once nothing can be better.
"""

from unittest.mock import patch

import numpy as np
import pytest

import branchwork as bw
from branchwork.grow.grow import grow
from branchwork.grow.recipe import Search, Stopping
from branchwork.grow.recipes import STUMP
from branchwork.grow.steps import grow_in_steps
from branchwork.table.adapt import to_table
from branchwork.table.target import Classes
from together import together

from same_tree import assert_same_tree


def same_without_ledger(make, X, y, weights=None):
    """Fit with a ledger and without one; returns the tree."""
    kept = make().fit(X, y, sample_weight=weights).tree_
    with patch("branchwork.grow.grow.LEDGER_NODES", 0):
        none = make().fit(X, y, sample_weight=weights).tree_
    assert kept.ledger is not None and none.ledger is None
    assert_same_tree(none, kept, tolerance=0)
    return kept


def nearly_equal_columns(seed, rows=120, columns=6):
    """Noise: in every node several columns are nearly as good as the best, some of them equal to it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    X[:, 1] = X[:, 1].round()
    X[:, 4] = np.where(
        X[:, 2] < 0, X[:, 2], X[:, 4]
    )  # the same order as another column in a part of the rows
    X[:, 0] = np.where(X[:, 5] > 0, X[:, 5] ** 3, X[:, 0])
    return X, rng


@pytest.mark.parametrize("missing", ["branch", "larger", "learn", "share"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "accuracy", "squared_error", "poisson"])
@together("seed", range(6))
def test_a_tree_without_a_ledger_is_the_same(criterion, missing, seed):
    X, rng = nearly_equal_columns(seed)
    of_classes = criterion in ("gini", "entropy", "accuracy")
    face = bw.TreeClassifier if of_classes else bw.TreeRegressor
    kinds = 2 + seed % 2 if of_classes else 5
    y = rng.integers(0, kinds, len(X)) * (1 if of_classes else 0.25)
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.random(len(X)) + 0.1 if seed % 2 else None
    tree = same_without_ledger(lambda: face(criterion=criterion, missing=missing, max_depth=6), X, y, weights)
    assert tree.n_nodes > 9


def test_an_earlier_column_wins_a_tie_with_the_one_that_is_asked_first():
    """The root is cut by the second column; below it, it is asked first, and the first column is as good.

    Columns of at most 256 values would be counted and not sorted, and then none is asked first.
    """
    rng = np.random.default_rng(0)
    second = rng.permutation(1200).astype(float)
    first = np.where(second < 600, second, rng.permutation(1200))
    y = np.select([second < 300, second < 600], [0, 1], 2) + (rng.random(1200) < 0.03)
    X = np.column_stack([first, second])
    for face in (bw.TreeClassifier, bw.TreeRegressor):
        tree = same_without_ledger(lambda face=face: face(max_depth=2), X, y)
        assert tree.feature[0] == 1 and 0 in tree.feature[1:3]


def test_more_branches_than_two_may_cost_less_than_any_cut():
    """Few rows have a least cost of two branches; a column with three categories goes below it."""
    y = [0.0, 0.0, 5.0, 5.0, 9.0, 9.0]
    X = {"number": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "word": list("aabbcc")}
    tree = same_without_ledger(lambda: bw.TreeRegressor(nominal="multiway"), X, y)
    assert tree.feature.tolist() == [1, -1, -1, -1]
    holes = {"number": X["number"], "hole": [1.0, 1.0, 2.0, 2.0, None, None]}
    tree = same_without_ledger(lambda: bw.TreeRegressor(missing="branch"), holes, y)
    assert tree.feature.tolist() == [1, -1, -1, -1]


ROWS = 70_000  # above the 65 536 from which columns may be bucketed


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"stopping": Stopping(max_depth=1, min_samples_leaf=25_000)},
        {"criterion": "gain_ratio"},
        {"search": Search(missing="learn")},
        {"search": Search(missing="larger")},
    ],
    ids=str,
)
def test_a_long_stump_obeys_what_buckets_do_not_know(settings):
    rng = np.random.default_rng(3)
    x = rng.normal(size=ROWS)
    codes = (x + 0.3 * rng.normal(size=ROWS) > 1).astype(np.int32)
    x[rng.random(ROWS) < 0.2] = np.nan
    table, target = to_table({"x": x}), Classes(codes, (0, 1))
    recipe = STUMP.replace(**{"criterion": "entropy", **settings})
    fast, slow = grow(table, target, recipe)[0], grow_in_steps(table, target, recipe)
    assert np.array_equal(fast.cut, slow.cut, equal_nan=True)
    assert fast.n_rows.tolist() == slow.n_rows.tolist()


# ---------------------------------------------------------------------------------------- categories in two groups


def impurity(criterion, y, w):
    """Impurity times weight of a branch, from its rows."""
    if criterion in ("gini", "entropy", "gain_ratio", "accuracy"):
        n = np.bincount(y.astype(int), weights=w)
        share = n[n > 0] / n.sum()
        per_row = {"gini": 1 - (share**2).sum(), "accuracy": 1 - share.max()}
        return n.sum() * per_row.get(criterion, -(share * np.log2(share)).sum())
    mean = (w * y).sum() / w.sum()
    if criterion == "poisson":
        some = y > 0
        return 2 * (w[some] * y[some] * np.log(y[some] / mean)).sum()
    squares = (w * (y - mean) ** 2).sum()
    if criterion == "squared_error":
        return squares
    return w.sum() * squares / (w.sum() - 1) if w.sum() > 1 else 0.0


def badness(criterion, y, w, left, least):
    """The cost of two groups, or minus their gain ratio; infinite if one is too small or has no counts."""
    sides = [(y[side], w[side]) for side in (left, ~left)]
    if any(len(of) < max(1, least) or (criterion == "poisson" and not of.any()) for of, _ in sides):
        return np.inf
    cost = sum(impurity(criterion, *side) for side in sides)
    if criterion != "gain_ratio":
        return cost
    share = np.array([of.sum() for _, of in sides]) / w.sum()
    gain = impurity(criterion, y, w) - cost
    return -gain / w.sum() / -(share * np.log2(share)).sum() if gain > 1e-12 else 0.0


CLASS_CRITERIA = ("gini", "entropy", "gain_ratio", "accuracy")


@pytest.mark.parametrize("criterion", [*CLASS_CRITERIA, "squared_error", "variance", "poisson"])
@together("kinds", [2, 3, 5])
@pytest.mark.parametrize("least", [0, 12])
def test_no_two_groups_of_categories_are_better_than_those_found(criterion, kinds, least):
    """All ways to part up to seven categories in two; the core looks at few of them where their order decides."""
    rng = np.random.default_rng(kinds)
    face = bw.TreeClassifier if criterion in CLASS_CRITERIA else bw.TreeRegressor
    for table in range(25):
        levels = int(rng.integers(3, 8))
        codes = np.concatenate([np.arange(levels), rng.integers(0, levels, 50)])
        lean = rng.random((levels, kinds)) ** 4 + 0.02
        y = np.array([rng.choice(kinds, p=lean[c] / lean[c].sum()) for c in codes])
        y[:2] = 0, 1
        if face is bw.TreeRegressor:
            y = y * y / 4
        w = np.ones(len(y)) if least or table % 2 else rng.integers(1, 4, len(y)).astype(float)
        words = np.array(list("abcdefgh"), dtype=object)[codes]
        grower = face(criterion=criterion, nominal="subset", max_depth=1, min_samples_leaf=least or 1)
        leaves = grower.fit({"word": words}, y, sample_weight=w).apply({"word": words})
        groups = [
            badness(criterion, y, w, (mask >> codes & 1).astype(bool), least)
            for mask in range(1, 2 ** (levels - 1))
        ]
        if len(set(leaves.tolist())) == 2:
            found = badness(criterion, y, w, leaves == leaves.min(), least)
            assert found == pytest.approx(min(groups), rel=1e-9, abs=1e-9)
        else:
            assert min(groups) == np.inf


@pytest.mark.parametrize(
    "counts",
    [
        [[0, 3, 0], [3, 3, 0], [3, 5, 5], [4, 4, 2], [3, 0, 3], [5, 3, 0], [3, 0, 0]],
        [[1, 0, 3], [3, 5, 4], [6, 3, 6], [6, 4, 5], [1, 2, 5], [1, 5, 5], [3, 0, 1]],
        [[4, 2, 6], [1, 1, 4], [2, 2, 3], [6, 3, 4], [6, 0, 5], [5, 6, 4], [2, 5, 6]],
    ],
)
def test_with_three_classes_no_order_of_the_categories_decides(counts):
    """Rows of each class in each category. The best two groups are neighbours in the order of no class's share."""
    rows = [(c, k) for c, of in enumerate(counts) for k, times in enumerate(of) for _ in range(times)]
    codes, y = np.array(rows).T
    w = np.ones(len(y))
    words = np.array(list("abcdefg"), dtype=object)[codes]
    leaves = (
        bw.TreeClassifier(criterion="gini", nominal="subset", max_depth=1)
        .fit({"word": words}, y)
        .apply({"word": words})
    )
    found = badness("gini", y, w, leaves == leaves.min(), 0)
    masks = range(1, 2 ** (len(counts) - 1))
    assert found == pytest.approx(
        min(badness("gini", y, w, (mask >> codes & 1).astype(bool), 0) for mask in masks)
    )
    share = np.array(counts) / np.sum(counts, axis=1, keepdims=True)
    for order in np.argsort(share, axis=0, kind="stable").T:
        for size in range(1, len(order)):
            assert badness("gini", y, w, np.isin(codes, order[:size]), 0) > found + 1e-3


def test_with_the_sample_variance_no_order_of_the_categories_decides():
    """A branch of one row has variance 0, so the score is not concave: the middle category is best left alone."""
    words, y = list("aabbccd"), np.array([5.0, 0.0, 0.0, 4.0, 4.0, 0.0, 2.0])
    grower = bw.TreeRegressor(criterion="variance", nominal="subset", max_depth=1).fit({"word": words}, y)
    leaves = grower.apply({"word": words})
    assert leaves.tolist() == [1, 1, 1, 1, 1, 1, 2]
