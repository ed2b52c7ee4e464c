"""`correction="weka"` beside what BVDecompose of Weka 3.6.14 printed for J48, on the same draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import branchwork as bw
from agree.bvdecompose.cases import CASES, Case, JavaRandom, draws, printed
from agree.j48.coded import coded


def taken_apart(case: Case, correction: str) -> Any:
    table, target = coded(case.table)
    query, samples = draws(case, table.n_rows)
    waiting = iter(samples)

    def sampler(n: int, _: np.random.Generator) -> tuple[Any, Any]:
        rows = np.array(next(waiting))
        assert len(rows) == n
        return table.take(rows), target[rows]

    return bw.study.bias_variance(
        bw.C45Classifier(variant="j48"),
        sampler,
        n_train=case.pool // 2,
        n_repeats=case.repeats,
        at=(table.take(np.array(query)), target[query]),
        correction=correction,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_parts_are_those_that_weka_prints(case):
    found, wanted = taken_apart(case, "weka"), printed()[case.name]
    for name, number in wanted.items():
        assert abs(getattr(found, name) - number) <= 0.5e-4 + 1e-9, name
    assert found.noise is None
    assert found.gap > 1e-6  # Weka's parts do not add up


def test_parts_that_add_up_have_the_same_error():
    found = taken_apart(CASES[1], "both")
    assert found.error == pytest.approx(printed()[CASES[1].name]["error"], abs=0.5e-4)
    assert found.gap == pytest.approx(0, abs=1e-12)


def test_javas_random_numbers():
    """The numbers that `new Random(42).nextInt(10)` gives are widely known."""
    random = JavaRandom(42)
    assert [random.below(10) for _ in range(10)] == [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]
