"""The spread of columns, against NumPy and against tables with rows repeated."""

import math
import pickle

import numpy as np
import pytest

import branchwork as bw
from branchwork.table.adapt import to_table
from branchwork.table.spread import spread


def by_numpy(cells, weights=None):
    known = np.isfinite(cells)
    cells, weights = cells[known], None if weights is None else weights[known]
    low, high = np.quantile(cells, [0.25, 0.75], method="inverted_cdf", weights=weights)
    return next((float(w) for w in (high - low, cells.max() - cells.min()) if w > 0), 1.0)


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 37, 400])
def test_quartiles_are_those_of_numpy(rows):
    rng = np.random.default_rng(rows)
    X = np.column_stack([rng.normal(size=rows), rng.integers(0, 4, rows), np.zeros(rows)])
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0] = 1.0, 2.0, 0.0
    weights = rng.integers(1, 5, rows).astype(float)
    assert spread(to_table(X)) == tuple(map(by_numpy, X.T))
    assert spread(to_table(X), weights) == tuple(by_numpy(cells, weights) for cells in X.T)


@pytest.mark.parametrize("scale", [1.0, 5e-324, 1e-310, 1e290])
@pytest.mark.parametrize("rows", [5, 64, 1000])
def test_quartiles_of_numbers_that_lie_unevenly(rows, scale):
    """Most of them in a small part of the range, many of them equal."""
    rng = np.random.default_rng(rows)
    X = np.column_stack(
        [rng.exponential(size=rows) ** 8, np.round(rng.normal(size=rows), 1), rng.normal(size=rows)]
    )
    X[rng.random(rows) < 0.1, 1:] *= 1e6
    X = np.round(X * 1e3) * scale
    assert spread(to_table(X)) == tuple(map(by_numpy, X.T))


def test_weight_k_is_k_copies():
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(60, 3)), rng.integers(1, 4, 60)
    assert spread(to_table(X), weights.astype(float)) == spread(to_table(np.repeat(X, weights, axis=0)))


def test_what_has_no_spread_of_its_own():
    table = to_table({"same": [3, 3, 3, 3, 9], "one": [2] * 5, "none": [math.nan] * 5, "text": list("abcde")})
    same, one, none, text = spread(table)
    assert (same, one, none) == (6, 1, 1) and math.isnan(text)
    assert spread(to_table([[-math.inf], [1], [2], [3], [4], [math.inf]])) == (2,)
    assert spread(to_table([[-1.7e308], [1.7e308]])) == (np.finfo(float).max,)


def test_only_columns_asked_for():
    table = to_table([[1, 1], [5, 9]])
    assert spread(table, columns=[1])[1] == 8 and math.isnan(spread(table, columns=[1])[0])


def test_of_a_long_table_rows_all_over_are_looked_at():
    n = 10_247
    (width,) = spread(to_table(np.arange(n, dtype=np.float32).reshape(-1, 1)))
    assert width == pytest.approx(n / 2, rel=0.01)


@pytest.mark.parametrize("factory", [bw.TreeClassifier, bw.CARTClassifier, lambda: bw.CARTClassifier(xval=3)])
def test_a_model_has_it_and_keeps_it(factory):
    X = np.array([[1.0, 0], [2, 0], [3, 0], [4, 0], [5, 0], [100, 0]])
    y = ["a", "a", "b", "b", "c", "c"]
    estimator = factory().fit(X, y, sample_weight=[1, 1, 1, 1, 1, 0])
    assert estimator.model_.spread[0] == 2 and math.isnan(estimator.model_.spread[1])
    assert repr(pickle.loads(pickle.dumps(estimator)).model_.spread) == repr(estimator.model_.spread)
    assert repr(estimator.simplify().model_.spread) == repr(estimator.model_.spread)
