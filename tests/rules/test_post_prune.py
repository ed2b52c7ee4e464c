"""Post-pruning beside slow versions of it, its refusals, and what both ways promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import DataError, ParameterError, TargetError
from branchwork.rules.condition import Interval
from branchwork.rules.description_length import (
    THEORY_WEIGHT,
    _Descent,
    cheapest_subset,
    exception_bits,
    log2_factorial,
)
from branchwork.rules.evidence import Evidence, bit_counts, packed
from branchwork.rules.extract import extract
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes
from grow.test_open_recipes import learned
from rules import slow_rules

from tables import OF_EACH, open_cases

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
TENNIS = bw.datasets.load("play_tennis")


@pytest.mark.parametrize("estimate", ["pessimistic", "observed"])
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_mitchells_rules_are_the_slow_ones(estimate, data):
    missing = data.draw(st.sampled_from(["branch", "larger", "learn"]))
    case = data.draw(open_cases(classification=True, weighted=False, missing=missing))
    rules = extract(learned(case))
    pruned = rules.post_prune(case.table, case.y, method="mitchell", estimate=estimate)
    expected = slow_rules.mitchell(
        rules, slow_rules.rows_of(case.table), case.y, pessimistic=estimate == "pessimistic"
    )
    assert [rule.estimate for rule in pruned] == pytest.approx([accuracy for *_, accuracy in expected])
    assert {(frozenset(rule.conditions), rule.prediction) for rule in pruned} == {f[:2] for f in expected}


@settings(max_examples=OF_EACH)
@given(data=st.data())
@pytest.mark.parametrize("method", ["mitchell", "c4.5rules"])
def test_numbers_of_post_pruned_rules_are_those_of_the_rows(method, data):
    case = data.draw(open_cases(classification=True, weighted=False))
    pruned = extract(learned(case)).post_prune(case.table, case.y, method=method)
    rows, y = slow_rules.rows_of(case.table), np.array(case.y)
    left = np.ones(len(y), bool)
    for rule in pruned:
        mine = np.array([slow_rules.matches(rule, row) for row in rows])
        assert rule.weight == mine.sum()
        assert rule.confidence == pytest.approx((y[mine] == rule.prediction).mean())
        assert rule.lift == pytest.approx(rule.confidence / (y == rule.prediction).mean())
        decided = y[mine & left] if (mine & left).any() else y[mine]
        share = ((decided == rule.prediction).sum() + 1) / (len(decided) + len(set(case.y)))
        assert rule.value[case.labels.index(rule.prediction)] == pytest.approx(share)
        left &= ~mine
    assert pruned.predict_proba(case.table).sum(axis=1) == pytest.approx(1)
    expected = [slow_rules.outputs(pruned, row, case.table) for row in rows]
    np.testing.assert_allclose(pruned.outputs(case.table), expected)


@settings(max_examples=OF_EACH)
@given(data=st.data())
@pytest.mark.parametrize("method", ["mitchell", "c4.5rules"])
def test_weight_k_is_k_copies_and_the_order_of_rows_is_no_matter(method, data):
    case = data.draw(open_cases(classification=True, weighted=False))
    rules = extract(learned(case))
    n = len(case.y)
    weights = data.draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=n, max_size=n).filter(any))
    copies = np.repeat(np.arange(n), weights)[::-1]
    y = np.array(case.y, object)
    weighted = rules.post_prune(case.table, y, weights, method=method)
    copied = rules.post_prune(case.table.take(copies), y[copies], method=method)
    assert weighted.to_dict() == copied.to_dict()


# ---------------------------------------------------------------------------------------- the cheapest subset


def random_evidence(seed: int, n_rules: int, n_rows: int = 60):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n_rows).astype(np.int32)
    weights = None if seed % 2 else rng.choice([0.5, 1.0, 2.0], n_rows)
    table = Table(Schema((Column("x", "numeric"),)), (np.arange(float(n_rows)),))
    matching = [np.flatnonzero(rng.random(n_rows) < np.where(codes == 1, 0.35, 0.04)) for _ in range(n_rules)]
    return Evidence(table, Classes(codes, ("a", "b", "c"), weights)), matching, rng.uniform(1, 9, n_rules)


def slow_cost(evidence, matching, bits, subset):
    weights = (
        np.ones(evidence.n_rows) if evidence.target.weights is None else np.array(evidence.target.weights)
    )
    covered = np.zeros(evidence.n_rows, bool)
    for rule in subset:
        covered[matching[rule]] = True
    right = evidence.target.codes == 1
    wrong, missed = weights[covered & ~right].sum(), weights[~covered & right].sum()
    theory = sum(bits[rule] for rule in subset) - log2_factorial(len(subset))
    exceptions = exception_bits(
        np.array([weights[covered].sum()]), weights.sum(), np.array([wrong]), np.array([missed])
    )
    return THEORY_WEIGHT * theory + exceptions[0]


@pytest.mark.parametrize("seed", range(12))
def test_of_few_rules_the_cheapest_subset_is_found(seed):
    n_rules = seed % 7 + 1
    evidence, matching, bits = random_evidence(seed, n_rules)
    subsets = [s for k in range(n_rules + 1) for s in itertools.combinations(range(n_rules), k)]
    costs = {subset: slow_cost(evidence, matching, bits, subset) for subset in subsets}
    found = tuple(cheapest_subset(evidence, 1, matching, bits))
    assert costs[found] == pytest.approx(min(costs.values()))


@pytest.mark.parametrize("seed", range(8))
def test_of_many_rules_no_single_step_makes_the_subset_cheaper(seed):
    evidence, matching, bits = random_evidence(seed, 14)
    found = set(cheapest_subset(evidence, 1, matching, bits))
    cost = slow_cost(evidence, matching, bits, sorted(found))
    steps = [found ^ {k} for k in range(14)]
    steps += [found ^ {a, b} for a in found for b in range(14) if b not in found]
    assert all(slow_cost(evidence, matching, bits, sorted(step)) > cost - 1e-6 for step in steps)


@pytest.mark.parametrize("weights", [None, "whole", "real"])
def test_rows_covered_by_one_rule_only_are_known_after_every_step(weights):
    """The search updates what it knows; counted afresh, it is the same to the last bit."""
    evidence, matching, bits = random_evidence(1, 30, 300)
    rng = np.random.default_rng(0)
    drawn = {None: None, "whole": rng.integers(1, 9, 300) / 1.0, "real": rng.exponential(size=300)}[weights]
    evidence = Evidence(evidence.table, Classes(evidence.target.codes, ("a", "b", "c"), drawn))
    search = _Descent(evidence, 1, matching, bits)
    state = search._start(True)
    for rule in rng.integers(0, 30, 60).tolist():
        search._flip(state, rule, np.zeros(2), 0.0)
        updated = state.alone.copy()
        search._count_alone(state, range(30))
        assert (updated == state.alone).all()


def test_a_step_does_not_count_all_rows_of_all_rules_again(monkeypatch):
    counted = []
    count = _Descent._count_alone
    monkeypatch.setattr(_Descent, "_count_alone", lambda *args: counted.append(1) or count(*args))
    evidence, matching, bits = random_evidence(1, 40, 3000)
    found = cheapest_subset(evidence, 1, matching, bits)
    assert len(found) == 5 and len(counted) == 2  # once from no rules and once from all of them


def test_bits_are_counted_alike_before_numpy_2(monkeypatch):
    masks = np.random.default_rng(0).random((5, 1000)) < 0.3
    words = np.array([packed(mask) for mask in masks])
    assert bit_counts(words).tolist() == masks.sum(axis=1).tolist()
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert bit_counts(words).tolist() == masks.sum(axis=1).tolist()


def test_rules_of_more_conditions_than_a_byte_can_count_are_shortened():
    x = np.arange(600.0)
    table = Table(Schema((Column("x", "numeric"),)), (x,))
    evidence = Evidence(table, Classes((x > 300).astype(np.int32), ("a", "b"), None))
    conditions = tuple(Interval(0, upto=float(300 + k)) for k in range(300))
    kept, count = evidence.shorten(conditions, 0, lambda now, without: 0 if len(without) > 299 else None)
    assert kept == conditions[1:] and count == (302, 1)


def test_exceptions_cost_what_quinlan_s_formula_says():
    """Four of 14 rows covered, one wrongly; two missed: three errors, half of them expected among the ten."""
    bits = exception_bits(np.array([4.0]), 14.0, np.array([1.0]), np.array([2.0]))
    left = -2 * np.log2(0.15) - 8 * np.log2(0.85)
    covered = -1 * np.log2(0.25) - 3 * np.log2(0.75)
    assert bits[0] == pytest.approx(left + covered)


# --------------------------------------------------------------------------------------------------- refusals


def tennis_rules():
    return bw.C45Classifier().fit(TENNIS.X, TENNIS.y).rules()


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"method": "c45rules"}, ParameterError, "Did you mean 'c4.5rules'"),
        ({"estimate": "seen"}, ParameterError, "'observed'"),
        ({"confidence": 0}, ParameterError, "confidence=0"),
        ({"y": list(TENNIS.y)[:-1]}, DataError, "14 rows, but y has 13"),
        ({"y": ["Maybe"] * 14}, TargetError, "'Maybe'"),
    ],
)
def test_what_cannot_be_done_is_refused(changes, error, says):
    given = {"X": TENNIS.X, "y": TENNIS.y, **changes}
    with pytest.raises(error, match=says):
        tennis_rules().post_prune(given.pop("X"), given.pop("y"), **given)


def test_rules_for_numbers_are_not_post_pruned():
    bikes = bw.datasets.load("bike_rentals")
    rules = bw.ID3Regressor().fit(bikes.X, bikes.y).rules()
    with pytest.raises(TargetError, match="only rules for classes"):
        rules.post_prune(bikes.X, bikes.y)
    with pytest.raises(TargetError, match="no classes"):
        rules.predict_proba(bikes.X)
