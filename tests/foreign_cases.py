"""Tables and hard rows for trees of other libraries, and what it means that two of them have the same leaves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning
from branchwork.model.model import Model

Cells = npt.NDArray[np.float64]

ZERO = float(np.float32(1e-35))
"""LightGBM reads numbers up to this far from 0 as 0."""
AROUND_ZERO = [0.0, -0.0, 1e-45, -1e-45, 5e-324, -5e-324, ZERO, -ZERO, 2e-35, -2e-35]
INFINITE = [np.inf, -np.inf, 1e300, -1e300]


def table(seed: int, rows: int = 200, *, missing: bool = True, codes: bool = False) -> tuple[Cells, Cells]:
    """Numbers of many sizes and a score that they make; `codes`: the second column holds categories 0 to 9."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    X[:, 1] = rng.integers(0, 10, rows) if codes else rng.integers(-3, 4, rows)
    X[:, 2] *= 10.0 ** rng.integers(-30, 30)
    part = np.isin(X[:, 1], [1, 4, 7]) * 3.0 if codes else X[:, 1]
    score = X[:, 0] + part + np.sign(X[:, 2]) * np.sign(X[:, 3]) + 0.2 * rng.normal(size=rows)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, score


def hard_rows(
    model: Model, count: int, seed: int = 0, *, missing: bool = True, infinite: bool = False
) -> Cells:
    """Rows on cuts and one bit beside them, in float64 and in float32; zeros; missing cells; unseen categories."""
    rng = np.random.default_rng(seed)
    columns = [_hard_cells(model, j, missing=missing, infinite=infinite) for j in range(len(model.schema))]
    return np.stack([rng.choice(cells, count) for cells in columns], axis=1)


def _hard_cells(model: Model, j: int, *, missing: bool, infinite: bool) -> Cells:
    absent = [np.nan] * 3 if missing else []
    if model.schema[j].is_nominal:
        return np.array([*range(14), 40.0, 1000.0, *absent])
    cuts = np.concatenate([tree.cut[tree.feature == j] for tree in model.trees])
    cuts = cuts[np.isfinite(cuts)]
    with np.errstate(over="ignore"):
        short = cuts.astype(np.float32)
        beside = [np.nextafter(short, np.float32(way)).astype(np.float64) for way in (-np.inf, np.inf)]
    sure = [np.nextafter(cuts, way) for way in (-np.inf, np.inf)]
    cells = np.concatenate(
        [cuts, *sure, short.astype(np.float64), *beside, AROUND_ZERO, [1, 2, 3, -1e30, 1e30]]
    )
    return np.concatenate([cells[np.abs(cells) < 3e38], absent, INFINITE if infinite else []])


def quietly(call: Any, *arguments: Any) -> Any:
    """A call without a word about unseen categories."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        return call(*arguments)


def assert_same_leaves(theirs: Any, model: Model, X: Any) -> None:
    """Two numberings of leaves are one and the same: each leaf of theirs is one leaf of ours, and the reverse."""
    ours = np.asarray(quietly(model.apply, X)).reshape(len(X), -1)
    theirs = np.asarray(theirs).reshape(len(X), -1)
    assert theirs.shape == ours.shape
    for a, b in zip(theirs.T.astype(int).tolist(), ours.T.tolist(), strict=True):
        assert len({*zip(a, b, strict=True)}) == len({*a}) == len({*b})


def assert_close(theirs: Any, ours: Any, tolerance: float) -> None:
    theirs, ours = np.asarray(theirs, float), np.asarray(ours, float)
    assert theirs.shape == ours.shape
    assert (np.abs(theirs - ours) / np.maximum(1, np.abs(theirs))).max() <= tolerance
