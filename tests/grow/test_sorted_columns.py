"""Sorting in the core: a full tree of a column's own values finds each of them only if every row is in its place."""

from __future__ import annotations

import numpy as np
import pytest

import branchwork as bw

ROWS = 20_000


def cells(kind: str, dtype: str) -> np.ndarray:
    """Numbers that fall into many buckets, into few, into one beside a far one, or into 64 bits that share 32."""
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind != "f":
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -(2**53)), min(limits.max, 2**53)
        spread = {"spread": (low, high), "few": (0, 100), "crowded": (0, 30)}[kind]
        found = rng.integers(*spread, ROWS, endpoint=True).astype(dtype)
        if kind == "crowded":
            found[0] = high
        return found
    if kind == "spread":
        found = rng.standard_cauchy(ROWS) * 10.0 ** rng.integers(-20, 20, ROWS)
    elif kind == "few":
        found = rng.integers(-50, 50, ROWS) / 8
    else:
        found = 1 + rng.integers(0, 5000, ROWS) * np.finfo(dtype).eps
        found[:2] = -np.inf, np.inf
    return found.astype(dtype)


@pytest.mark.parametrize("kind", ["spread", "few", "crowded"])
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_every_value_finds_its_own_leaf(kind, dtype):
    x = cells(kind, dtype)
    if dtype[0] == "f":
        x[::50] = np.nan
    values, place = np.unique(x, return_inverse=True, equal_nan=True)
    tree = bw.TreeRegressor().fit(x[:, None], place)
    assert tree.get_n_leaves() == len(values)
    assert tree.predict(x[:, None]).tolist() == place.tolist()
