"""Intervals: Wilson's against SciPy, the bootstrap against a loop over single draws."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from branchwork.errors import ParameterError
from branchwork.learn.draws import ROWS, WORD, key_of, tree_key
from branchwork.study.intervals import BOOTSTRAP, bootstrap, check_level, effective_rows, wilson
from together import together

VALUES = np.random.default_rng(3).normal(size=40)


def mean_and_spread(counts):
    mean = counts @ VALUES / counts.sum()
    return np.array([mean, counts @ (VALUES - mean) ** 2 / counts.sum()])


@together("total", [1, 2, 10, 137, 100_000])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_wilson_is_that_of_scipy(total, share, level):
    successes = round(share * total)
    found = wilson(successes, total, level=level)
    theirs = binomtest(successes, total).proportion_ci(level, method="wilson")
    assert found.value == successes / total
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert found.low <= found.value <= found.high and found.method == "wilson"


def test_without_rows_a_share_may_be_anything():
    found = wilson(0, 0)
    assert math.isnan(found.value) and (found.low, found.high) == (0.0, 1.0)
    assert not found.is_defined
    assert found.to_dict() == {"value": None, "low": 0.0, "high": 1.0, "method": "wilson"}


def test_weights_widen_the_interval_by_the_rows_that_they_are_worth():
    weights = np.array([1.0, 3.0, 5.0, 1.0])
    assert effective_rows(weights) == pytest.approx(100 / 36)
    assert effective_rows(np.full(7, 2.5)) == pytest.approx(7)
    assert effective_rows(np.zeros(0)) == 0
    found, plain = wilson(8.0, 10.0, effective=effective_rows(weights)), wilson(8, 10)
    assert found.value == plain.value and found.low < plain.low and found.high > plain.high


def drawn_by_hand(repeat, rows, seed):
    """Draw rows one by one, by the scalar functions."""
    key = key_of(tree_key(key_of(seed, BOOTSTRAP), repeat), ROWS)
    counts = np.zeros(rows)
    for place in range(rows):
        drawn = key_of(key, place) & WORD
        counts[(drawn * rows) >> 64] += 1
    return counts


def test_the_bootstrap_is_what_a_loop_over_draws_gives():
    found = bootstrap(mean_and_spread, 40, repeats=50, level=0.9, seed=5)
    drawn = np.array([mean_and_spread(drawn_by_hand(k, 40, 5)) for k in range(50)])
    for k, one in enumerate(found):
        ordered = sorted(drawn[:, k])
        place = 0.05 * 49
        low = ordered[2] + (place - 2) * (ordered[3] - ordered[2])
        assert one.low == pytest.approx(low, rel=1e-12)
        assert one.value == mean_and_spread(np.ones(40))[k] and one.method == "bootstrap"


def test_no_digit_depends_on_the_number_of_threads():
    one, three = (bootstrap(mean_and_spread, 40, repeats=64, threads=n) for n in (1, 3))
    assert one == three
    assert bootstrap(mean_and_spread, 40, repeats=64, seed=1) != one


def test_the_interval_of_a_mean_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = 0
    for seed in range(200):
        values = rng.normal(size=60)
        (found,) = bootstrap(lambda c, v=values: np.array([c @ v / c.sum()]), 60, repeats=200, seed=seed)
        hits += found.low <= 0 <= found.high
    assert 0.88 <= hits / 200 <= 0.99


def test_draws_without_a_figure_are_left_out_and_no_draw_at_all_means_no_interval():
    def rare(counts):
        return np.array([math.nan if counts[0] == 0 else counts[0], math.nan])

    first, never = bootstrap(rare, 10, repeats=100)
    assert first.low >= 1 and math.isnan(never.low) and math.isnan(never.high)
    (bare, _) = bootstrap(rare, 10, repeats=0)
    assert bare.value == 1 and math.isnan(bare.low) and bare.method is None


def test_progress_is_told():
    told = []
    bootstrap(mean_and_spread, 40, repeats=5, progress=told.append)
    assert told == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, "0.95", True, math.nan])
def test_a_level_lies_between_0_and_1(level):
    with pytest.raises(ParameterError, match=r"level=.*between 0 and 1"):
        check_level("level", level)
