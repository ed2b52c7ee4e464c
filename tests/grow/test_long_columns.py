"""The best cut of every column of a long table, by trying all cuts in exact arithmetic.

The core passes sorted rows in runs and sees only those that may hold the best cut; tables of a few rows have no runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw

CLASSES, NUMBERS = ("gini", "entropy", "accuracy"), ("squared_error",)
SHAPES = (
    "continuous",
    "integers",
    "two values",
    "follows the target",
    "mirrored",
    "palindrome",
    "pure end",
)


@dataclass(frozen=True)
class Long:
    """A table whose columns are of different shapes; targets and weights are small whole numbers."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    least: int  # rows of a leaf; a row of weight k is k rows


@st.composite
def long_tables(draw: st.DrawFn, *, classes: bool) -> Long:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([17, 18, 24, 25, 40, 100, 400]))
    kinds = draw(st.sampled_from([2, 2, 3])) if classes else 6
    y = rng.integers(0, kinds, n) if draw(st.booleans()) else (np.arange(n) * kinds // n)
    if draw(st.booleans()):
        y = np.where(rng.random(n) < 0.9, 0, y)
    y[:2] = 0, 1
    weights = rng.integers(1, 4, n) if draw(st.booleans()) else None
    X = np.column_stack([column(draw(st.sampled_from(SHAPES)), y, rng) for _ in range(3)])
    if draw(st.booleans()):
        X[rng.random(n) < 0.2, 0] = np.nan
    return Long(X, y, weights, draw(st.sampled_from([1, 1, 5, 12])))


def column(shape: str, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cells are multiples of 1/64, so that the middle of two is exact."""
    n = len(y)
    if shape == "integers":
        return rng.integers(0, 6, n).astype(float)
    if shape == "two values":
        return rng.integers(0, 2, n).astype(float)
    if shape == "follows the target":
        return (rng.integers(-40, 40, n) + 30 * y) / 64
    if shape == "mirrored":  # the same classes from both ends: equal cuts lie far apart
        return np.argsort(np.argsort(np.minimum(np.arange(n), n - 1 - np.arange(n)) + n * (y > 0))).astype(
            float
        )
    if shape == "palindrome":  # the same from both ends: cuts are equal but for the rounding of their sums
        mates = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
        pairs = np.concatenate([rows[: len(rows) // 2 * 2].reshape(-1, 2) for rows in mates])
        pairs = pairs[np.argsort(rng.normal(size=len(pairs)) + rng.choice([0, 2]) * y[pairs[:, 0]])]
        alone = np.concatenate([rows[len(rows) // 2 * 2 :] for rows in mates])
        return np.argsort(np.concatenate([pairs[:, 0], alone, pairs[::-1, 1]])).astype(float)
    if shape == "pure end":  # rows of one class, fewer than a run, lie at one end; the rest is nearly noise
        trend = rng.normal(size=n) + rng.choice([0.0, 0.3, 1.0]) * (y > 0)
        at_end = rng.permutation(np.flatnonzero(y == y.max()))[: rng.integers(1, 8)]
        trend[at_end] = trend.min() - 1 - rng.random(len(at_end))
        ranks = np.argsort(np.argsort(trend)) // rng.integers(1, 3)
        return (ranks if rng.random() < 0.5 else -ranks).astype(float)
    return rng.permutation(n) / 64


def node(criterion: str, sums: dict[int, int]) -> Fraction | float:
    """Weight times impurity of a branch: exact, but for logarithms."""
    total = sum(sums.values())
    if not total:
        return Fraction(0)
    if criterion == "gini":
        return total - Fraction(sum(w * w for w in sums.values()), total)
    if criterion == "accuracy":
        return Fraction(total - max(sums.values()))
    if criterion == "entropy":
        return -sum(w * math.log2(w / total) for w in sums.values() if w)
    mean = Fraction(sum(value * w for value, w in sums.items()), total)
    return sum((w * (value - mean) ** 2 for value, w in sums.items()), Fraction(0))


def best_cut(cells: np.ndarray, table: Long, criterion: str) -> tuple[float, float] | None:
    """The first of the best cuts and what it gains a row; missing cells count for nothing."""
    known = np.flatnonzero(~np.isnan(cells))
    known = known[np.argsort(cells[known], kind="stable")]
    weight = np.ones(len(cells), int) if table.weights is None else table.weights
    left, right = dict.fromkeys(np.unique(table.y).tolist(), 0), dict.fromkeys(np.unique(table.y).tolist(), 0)
    for i in known.tolist():
        right[int(table.y[i])] += int(weight[i])
    before, found = node(criterion, right), []
    for i, j in zip(known.tolist(), known[1:].tolist(), strict=False):
        left[int(table.y[i])] += int(weight[i])
        right[int(table.y[i])] -= int(weight[i])
        if cells[i] < cells[j] and min(sum(left.values()), sum(right.values())) >= table.least:
            gain = before - node(criterion, left) - node(criterion, right)
            found.append((float((cells[i] + cells[j]) / 2), gain))
    if not found:
        return None
    most = max(gain for _, gain in found)
    slack = 1e-9 if criterion == "entropy" else 0
    cut, gain = next((cut, gain) for cut, gain in found if gain >= most - slack)
    return cut, float(gain) / float(weight.sum())


def fit(
    table: Long, criterion: str, least: int, *, larger: bool = True
) -> bw.TreeClassifier | bw.TreeRegressor:
    face = bw.TreeRegressor if criterion in NUMBERS else bw.TreeClassifier
    model = face(
        criterion=criterion, max_depth=2, min_samples_leaf=least, missing="larger" if larger else "branch"
    )
    return model.fit(table.X, table.y, sample_weight=table.weights)


@pytest.mark.parametrize("criterion", [*CLASSES, *NUMBERS])
@given(data=st.data())
def test_the_ledger_has_the_first_best_cut_of_every_column(criterion, data):
    table = data.draw(long_tables(classes=criterion in CLASSES))
    page = fit(table, criterion, table.least).tree_.ledger.page(0)
    for candidate, cells in zip(page.candidates, table.X.T, strict=True):
        expected = best_cut(cells, table, criterion)
        if expected is None:
            assert candidate.gain is None
            continue
        cut, gain = expected
        assert candidate.gain == pytest.approx(gain, rel=1e-9, abs=1e-9)
        assert candidate.cut == cut


@pytest.mark.parametrize("criterion", [*CLASSES, *NUMBERS])
@given(data=st.data())
def test_without_a_ledger_the_tree_is_the_same(criterion, data):
    table = data.draw(long_tables(classes=criterion in CLASSES))
    for larger in (True, False):
        kept = fit(table, criterion, table.least, larger=larger)
        with patch("branchwork.grow.grow.LEDGER_NODES", 0):
            none = fit(table, criterion, table.least, larger=larger)
        assert kept.to_text() == none.to_text()
