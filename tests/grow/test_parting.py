"""The rows of every candidate's branches, counted again with plain loops."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchwork as bw
from branchwork.grow.replay import replay
from branchwork.tree.ledger import Candidate
from branchwork.view.candidate_split import split_of_candidate

CLASSES = [
    bw.ID3Classifier(),
    bw.StumpClassifier(),
    bw.C45Classifier(pruning=None),
    bw.CARTClassifier(),
    bw.CARTClassifier(max_surrogates=2),
    bw.CHAIDClassifier(alpha_split=1.0),
    *(
        bw.TreeClassifier(missing=missing, nominal=nominal, max_depth=3)
        for missing in ("branch", "larger", "share", "learn")
        for nominal in ("multiway", "subset", "one_vs_rest")
    ),
]
NUMBERS = [
    bw.ID3Regressor(),
    bw.CARTRegressor(criterion="poisson"),
    bw.TreeRegressor(missing="share", max_depth=3),
    bw.CHAIDRegressor(alpha_split=1.0),
]


def some_rows(n: int = 50) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(1),
            "kind": rng.choice(list("pqrs"), n),
            "on": rng.choice(["u", "v"], n),
        }
    )
    y = np.where(X["size"] > 0, "x", np.where(X["kind"] == "p", "y", "z"))
    y[rng.random(n) < 0.2] = "y"
    X = X.mask(rng.random(X.shape) < 0.15)
    return X, y, rng.integers(1, 4, n) * 0.5


def pages(estimator, X, y, weights):
    """Every node that was looked at: its page as it was kept, and as it is made again."""
    tree, recipe = estimator.tree_, estimator._recipe()
    table, target = estimator._coded(X), estimator._retarget(y, weights)
    for node in range(tree.n_nodes):
        kept = tree.ledger.page(node)
        if kept is not None:
            yield node, kept, replay(tree, table, target, recipe, node)


def gain_of(candidate: Candidate, weight: float) -> float:
    """The gain that the branches make up."""
    whole, branches = candidate.parting.whole, candidate.parting.branches
    return (whole.weight * whole.impurity - sum(b.weight * b.impurity for b in branches)) / weight


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", [*CLASSES, *NUMBERS], ids=str)
def test_branches_add_up_to_the_gain_that_was_kept(estimator, weighted):
    X, y, weights = some_rows()
    y = y if estimator in CLASSES else np.array([ord(label) - 119.0 for label in y])
    weights = weights if weighted else None
    estimator = clone(estimator).fit(X, y, sample_weight=weights)
    looked_at = 0
    for node, kept, page in pages(estimator, X, y, weights):
        weight = float(estimator.tree_.weight[node])
        for before, candidate in zip(kept.candidates, page.candidates, strict=True):
            if candidate.gain is None:
                assert candidate.parting is None
                continue
            looked_at += 1
            gain = gain_of(candidate, weight)
            price = gain - before.gain  # C4.5 pays for having chosen among many cuts
            if estimator._recipe().search.rules == "c45" and candidate.cut is not None:
                tried = 2 ** (price * weight)
                assert round(tried) >= 1 and tried == pytest.approx(round(tried), rel=1e-6)
            else:
                assert gain == pytest.approx(before.gain, abs=1e-9 * max(1, estimator.tree_.impurity[node]))
    assert looked_at >= 3


def test_branches_hold_the_rows_that_a_loop_finds():
    X, y, _ = some_rows()
    tree = bw.ID3Classifier().fit(X, y)
    page = replay(tree.tree_, tree._coded(X), tree._retarget(y, None), tree._recipe(), 0)
    for candidate in page.candidates:
        name = tree.schema_[candidate.feature].name
        wanted: dict[str, dict[str, int]] = {}
        for cell, label in zip(X[name], y, strict=True):
            where = (
                f"{name} is missing"
                if cell is None or cell != cell
                else f"{name} {'<=' if cell <= candidate.cut else '>'} {candidate.cut:g}"
                if candidate.cut is not None
                else f"{name} = {cell}"
            )
            counts = wanted.setdefault(where, dict.fromkeys("xyz", 0))
            counts[label] += 1
        branches = candidate.parting.branches
        split = split_of_candidate(candidate, tree.schema_[candidate.feature], len(branches))
        found = {
            words: dict(zip("xyz", group.counts, strict=True))
            for words, group in zip(split.branches(tree.schema_), branches, strict=True)
        }
        assert found == wanted


def test_cuts_of_shared_rows_are_counted_again():
    X, y, _ = some_rows()
    tree = bw.C45Classifier(pruning=None).fit(X, y)
    for node, _, page in pages(tree, X, y, None):
        size = page.candidates[0]
        if size.cut is None:
            continue
        best = max(size.cuts, key=lambda cut: cut.gain)
        assert best.gain * size.known == pytest.approx(gain_of(size, tree.tree_.weight[node]), abs=1e-9)
        assert all(min(cut.left, cut.right) >= 2 - 1e-9 for cut in size.cuts)
        known = size.parting.whole.weight
        assert all(math.isclose(cut.left + cut.right, known, rel_tol=1e-9) for cut in size.cuts)


def test_the_chi_square_test_is_of_the_branches():
    from scipy.stats import chi2_contingency

    X, y, _ = some_rows()
    tree = bw.TreeClassifier(missing="branch", max_depth=1).fit(X[["kind"]], y)
    (row,) = tree.working(0, X[["kind"]], y).to_dict()
    first, second, _ = (set(group) for group in tree.to_dict()["values"])
    side = X["kind"].map(lambda cell: 0 if cell in first else 1 if cell in second else 2)
    chi2, p_value, *_ = chi2_contingency(pd.crosstab(side, y), correction=False)
    assert (row["chi2"], row["p_value"]) == pytest.approx((chi2, p_value), rel=1e-12)


@pytest.mark.parametrize("criterion", ["variance", "squared_error"])
def test_the_f_test_is_of_the_branches(criterion):
    from scipy.stats import f_oneway

    X, y, _ = some_rows()
    numbers = np.array([ord(label) - 119.0 for label in y]) + np.arange(len(y)) / 50
    tree = bw.TreeRegressor(criterion=criterion, missing="branch", max_depth=1).fit(X, numbers)
    for row, part in zip(
        tree.working(0, X, numbers).to_dict(),
        replay(tree.tree_, tree._coded(X), tree._retarget(numbers, None), tree._recipe(), 0).candidates,
        strict=True,
    ):
        cells = X[row["feature"]]
        if part.cut is not None:
            side = np.where(cells.isna(), 2, np.where(cells <= part.cut, 0, 1))
        else:
            place = dict(zip(tree.schema_[part.feature].categories, part.sides, strict=True))
            side = np.array([place.get(cell, 2) for cell in cells])
        wanted = f_oneway(*(numbers[side == k] for k in np.unique(side)))
        assert (row["f"], row["p_value"]) == pytest.approx(tuple(wanted), rel=1e-9)
        assert row["chi2"] is None


def test_a_pure_node_of_chaid_can_be_made_again():
    X, y = [[0.0]] * 20 + [[1.0]] * 20, [1.0] * 20 + [5.0] * 20
    tree = bw.CHAIDRegressor().fit(X, y)
    assert tree.tree_.n_nodes == 3
    assert tree.working(1, X, y).to_dict() == []


@pytest.mark.parametrize("min_cases", [2, 20, 30, 40, 150])
def test_the_best_cut_of_c45_is_among_those_that_are_listed(min_cases):
    """25 rows on a side are enough, even where a branch must have more; the curve has the gain of the very cut."""
    place = np.arange(2000)
    X = place[:, None].astype(float)
    y = np.where(place < 30, "a", np.where(place % 2 == 0, "b", "a"))
    tree = bw.C45Classifier(min_cases=min_cases, max_depth=1, threshold_penalty=False).fit(X, y)
    working = tree.working(0, X, y)
    curve = working.curve("x0")
    assert curve.best_gain == pytest.approx(working.to_dict()[0]["gain"])
    assert curve.best_gain == pytest.approx(max(curve.gains))
