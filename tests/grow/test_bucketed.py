"""Large stumps are found by counting in buckets; they must be the stumps that the step-by-step road finds."""

import numpy as np
import pytest

from branchwork.grow.grow import grow
from branchwork.grow.recipes import STUMP
from branchwork.grow.steps import grow_in_steps
from branchwork.table.adapt import to_table
from branchwork.table.target import Classes
from together import together

ROWS = 70_000  # above the 65 536 from which columns are bucketed
rng = np.random.default_rng(11)
BASE = rng.normal(size=ROWS)
COLUMNS = {
    "normal": BASE,
    "few values": rng.integers(0, 7, ROWS),
    "ties": BASE.round(2),
    "heavy tail": np.exp(6 * BASE),
    "one far away": np.where(np.arange(ROWS) == 5, 1e18, BASE),
    "narrow": 1e9 + 1e-6 * BASE,
    "missing": np.where(rng.random(ROWS) < 0.3, np.nan, BASE),
    "missing says all": np.where(BASE > 0.2, np.nan, rng.normal(size=ROWS)),
    "constant": np.ones(ROWS),
    "infinite": np.where(rng.random(ROWS) < 0.01, np.inf, BASE),
    "all missing": np.full(ROWS, np.nan),
    "single precision": BASE.astype(np.float32),
    "whole numbers": (1000 * BASE).astype(np.int64),
    "sorted by class": np.arange(ROWS, dtype=np.float64),
    "subnormal": BASE * 1e-310,
}


def labels(name: str, noise: float, classes: int) -> np.ndarray:
    signal = np.arange(ROWS) / ROWS - 0.4 if name == "sorted by class" else BASE
    cuts = np.linspace(-1, 1.2, classes)[1:] if classes > 2 else [0.2]
    return np.digitize(signal + noise * rng.normal(size=ROWS), cuts).astype(np.int32)


@together("noise", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(
    ("criterion", "classes"),
    [("accuracy", 2), ("entropy", 2), ("gini", 2), ("accuracy", 3), ("accuracy", 40)],
)
def test_a_bucketed_stump_is_the_exact_one(name, criterion, classes, noise):
    codes = labels(name, noise, classes)
    table, target = to_table({name: COLUMNS[name]}), Classes(codes, tuple(range(classes)))
    recipe = STUMP.replace(criterion=criterion)
    fast, cost = grow(table, target, recipe)
    slow = grow_in_steps(table, target, recipe)
    assert fast.feature.tolist() == slow.feature.tolist()
    assert np.array_equal(fast.cut, slow.cut, equal_nan=True)
    assert fast.n_rows.tolist() == slow.n_rows.tolist()
    assert fast.gain.tolist() == slow.gain.tolist()
    assert fast.ledger.verdict.tolist() == slow.ledger.verdict.tolist()
    np.testing.assert_allclose(fast.ledger.split_info, slow.ledger.split_info, atol=1e-12)
    np.testing.assert_allclose(fast.ledger.chance, slow.ledger.chance, rtol=1e-9, atol=1e-9)
    assert cost.rows_visited <= ROWS * (np.log2(ROWS) + 2)
