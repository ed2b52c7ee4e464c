"""C4.5's error bound: published numbers, the limits it must keep, and its two variants."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.errors import ParameterError
from branchwork.measure.bounds import ErrorBound

# weight, errors, Release 8, J48
KNOWN = [
    (1, 0, 0.7500, 0.7500),
    (6, 0, 1.2378, 1.2378),
    (9, 0, 1.2848, 1.2848),
    (16, 1, 1.5069, 1.4757),
    (2, 1, 0.7962, 0.7915),
    (6, 2, 1.3426, 1.3213),
    (14, 5, 1.7950, 1.7611),
    (100, 10, 2.8147, 2.7496),
    (168, 5, 2.3340, 2.2800),
]


@pytest.mark.parametrize(("weight", "errors", "release_8", "j48"), KNOWN)
def test_known_values(weight, errors, release_8, j48):
    assert ErrorBound().extra(errors, weight) == pytest.approx(release_8, abs=5e-5)
    assert ErrorBound(variant="j48").extra(errors, weight) == pytest.approx(j48, abs=5e-5)


def test_the_deviate_of_a_quarter():
    assert ErrorBound().deviate == pytest.approx(0.6925)
    assert ErrorBound(variant="j48").deviate == pytest.approx(0.6744897501960817)


@given(st.floats(0.5, 1e6), st.floats(0, 1), st.floats(0.01, 0.5), st.sampled_from(["c4.5", "j48"]))
def test_the_bound_stays_between_what_was_seen_and_all(weight, share, confidence, variant):
    errors = share * weight
    expected = errors + ErrorBound(confidence, variant).extra(errors, weight)
    assert errors * (1 - 1e-12) <= expected <= max(weight, 1) * (1 + 1e-9)


def by_hand(errors, weight, confidence, z, j48):
    """The formula as it is written down."""
    if errors < 1e-6:
        return weight * (1 - confidence ** (1 / weight))
    if errors < 1:
        none, one = (by_hand(e, weight, confidence, z, j48) for e in (0, 1))
        return none + errors * (one - none)
    if errors + 0.5 >= weight:
        return max(weight - errors, 0) if j48 else 0.67 * (weight - errors)
    seen = errors + 0.5
    root = math.sqrt(seen * (1 - seen / weight) + z * z / 4)
    return weight * (seen + z * z / 2 + z * root) / (weight + z * z) - errors


@given(st.floats(0.5, 1e6), st.floats(0, 1), st.floats(0.01, 0.5), st.sampled_from(["c4.5", "j48"]))
def test_the_core_calculates_the_formula(weight, share, confidence, variant):
    bound = ErrorBound(confidence, variant)
    errors = share * weight
    expected = by_hand(errors, weight, confidence, bound.deviate, variant == "j48")
    assert bound.extra(errors, weight) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.floats(0, 50), st.floats(60, 1e5), st.floats(0.02, 0.4))
def test_less_confidence_means_more_errors(errors, weight, confidence):
    assert ErrorBound(confidence / 2).extra(errors, weight) > ErrorBound(confidence).extra(errors, weight)


@pytest.mark.parametrize("confidence", [0, -1, 1.5, float("nan")])
def test_a_confidence_is_a_probability(confidence):
    with pytest.raises(ParameterError, match="confidence"):
        ErrorBound(confidence)
