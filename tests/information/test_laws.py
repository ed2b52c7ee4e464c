"""The laws of information, on random columns."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork.information import (
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    information_gain,
    joint_entropy,
    remainder,
    specific_conditional_entropy,
    variance,
    weighted_variance,
)
from information.by_hand import (
    RAIN,
    WITH_COUNTS,
    close,
    crossed,
    divergence,
    exact_variance,
    is_plain_zero,
    plain_entropy,
    shares,
)

values = st.sampled_from(["a", "b", "c", 1, "1", 2.5, True, ("t", 1), frozenset()])
pairs = st.lists(st.tuples(values, values), min_size=1, max_size=40)
repeated = st.lists(st.tuples(values, values, st.integers(0, 4)), min_size=1, max_size=25).filter(
    lambda rows: any(times for *_, times in rows)
)
measured = st.lists(
    st.tuples(st.integers(-1000, 1000), values, st.integers(0, 4)), min_size=1, max_size=25
).filter(lambda rows: any(times for *_, times in rows))
laws = settings(deadline=None)


def split(rows):
    return tuple(list(column) for column in zip(*rows, strict=True))


def copies(rows):
    """Write every row as often as its weight, the last item, says."""
    return split([row[:-1] for row in rows for _ in range(row[-1])])


TWO_COLUMN = {
    "joint_entropy": lambda x, y, **weights: joint_entropy(x, y, **weights),
    "conditional_entropy": lambda x, y, **weights: conditional_entropy(y, given=x, **weights),
    "remainder": lambda x, y, **weights: remainder(y, x, **weights),
    "information_gain": lambda x, y, **weights: information_gain(y, x, **weights),
    "gain_ratio": lambda x, y, **weights: gain_ratio(y, x, **weights),
}


@laws
@given(pairs)
def test_entropy_agrees_with_the_definition(rows):
    x, y = split(rows)
    assert entropy(x) == close(plain_entropy(x))
    assert joint_entropy(x, y) == close(plain_entropy(rows))
    assert gini(x) == close(float(1 - sum(p * p for p in shares(x).values())))


@laws
@given(pairs)
def test_chain_rule(rows):
    x, y = split(rows)
    assert joint_entropy(x, y) == close(conditional_entropy(x, given=y) + entropy(y))
    assert joint_entropy(x, y) == close(conditional_entropy(y, given=x) + entropy(x))


@laws
@given(pairs)
def test_knowing_more_never_hurts(rows):
    x, y = split(rows)
    assert 0.0 <= conditional_entropy(y, given=x) <= entropy(y) + 1e-12
    assert is_plain_zero(conditional_entropy(y, given=y))
    assert is_plain_zero(conditional_entropy(y, given=rows))  # the pair tells y
    assert information_gain(y, y) == entropy(y)


@laws
@given(pairs)
def test_conditional_entropy_is_the_mean_of_the_specific_ones(rows):
    x, y = split(rows)
    mean = 0.0
    for value, p in shares(x).items():
        part = [b for a, b in rows if a == value]
        specific = specific_conditional_entropy(y, given=x, equal=value)
        assert specific == close(plain_entropy(part))
        mean += float(p) * specific
    assert conditional_entropy(y, given=x) == close(mean)
    assert remainder(y, x) == conditional_entropy(y, given=x)


@laws
@given(pairs)
def test_gain_is_the_divergence_of_the_joint_from_the_product(rows):
    x, y = split(rows)
    gain = information_gain(y, x)
    assert gain == close(divergence(x, y))
    assert gain == close(entropy(y) - remainder(y, x))
    assert gain == close(information_gain(x, y))
    assert gain >= 0.0
    assert math.copysign(1.0, gain) == 1.0
    assert 0.0 <= gain_ratio(y, x) <= 1.0


@laws
@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=6), st.lists(st.integers(1, 50), min_size=1, max_size=6)
)
def test_gain_of_independent_columns_is_zero_and_never_negative(across, down):
    gain = information_gain(counts=np.outer(down, across))
    assert 0.0 <= gain < 1e-12


@laws
@given(pairs, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter_to_the_last_bit(rows, random):
    x, y = split(rows)
    shuffled = rows[:]
    random.shuffle(shuffled)
    other_x, other_y = split(shuffled)
    assert entropy(x) == entropy(other_x)
    for measure in TWO_COLUMN.values():
        assert measure(x, y) == measure(other_x, other_y)


@laws
@given(repeated)
def test_a_weight_of_k_is_k_copies_and_of_0_none(rows):
    x, y, weights = split(rows)
    many_x, many_y = copies(rows)
    assert entropy(y, sample_weight=weights) == close(entropy(many_y))
    assert gini(y, sample_weight=weights) == close(gini(many_y))
    for measure in TWO_COLUMN.values():
        assert measure(x, y, sample_weight=weights) == close(measure(many_x, many_y))
    for value in set(many_x):
        weighted = specific_conditional_entropy(y, given=x, equal=value, sample_weight=weights)
        assert weighted == close(specific_conditional_entropy(many_y, given=many_x, equal=value))


@laws
@given(measured)
def test_variance_agrees_with_copies_and_with_fractions(rows):
    t, by, weights = split(rows)
    many_t, many_by = copies(rows)
    assert variance(t, sample_weight=weights) == close(float(exact_variance(many_t)))
    branches = [[a for a, b in zip(many_t, many_by, strict=True) if b == value] for value in set(many_by)]
    expected = sum(Fraction(len(branch), len(many_t)) * exact_variance(branch) for branch in branches)
    assert weighted_variance(t, by=by, sample_weight=weights) == close(float(expected))
    assert weighted_variance(many_t, by=many_by) == close(float(expected))


@laws
@given(pairs)
def test_counts_agree_with_labels(rows):
    x, y = split(rows)
    assert entropy(counts=list(Counter(y).values())) == entropy(y)
    assert gini(counts=list(Counter(y).values())) == gini(y)
    counts = crossed(x, y)
    for name, measure in WITH_COUNTS.items():
        assert measure(counts=counts) == close(TWO_COLUMN[name](x, y))
    for row, value in enumerate(dict.fromkeys(x)):
        by_row = specific_conditional_entropy(counts=counts, equal=row)
        assert by_row == close(specific_conditional_entropy(y, given=x, equal=value))


@laws
@given(st.lists(st.floats(0.0, 1e300), min_size=1, max_size=10).filter(any))
def test_any_counts_give_an_entropy_in_range_without_warnings(counts):
    bits = entropy(counts=counts)
    assert 0.0 <= bits <= math.log2(len(counts)) + 1e-12
    assert math.copysign(1.0, bits) == 1.0
    assert 0.0 <= gini(counts=counts) <= 1.0


def test_empty_rows_and_columns_of_a_table_change_nothing():
    padded = [[24, 0, 1], [0, 0, 0], [25, 0, 50]]
    for measure in WITH_COUNTS.values():
        assert measure(counts=padded) == measure(counts=RAIN)
