"""C4.5rules, according to Quinlan's book (1993, chapter 5) and the output of Release 8.

    1. Delete conditions from each leaf's rule as long as that does not raise the pessimistic error: `_shorten`.
    2. For each class, keep the subset of rules with the shortest description: `description_length.py`.
    3. Order the classes: the next one is that whose rules are wrong on the fewest of the remaining rows: `_order`.
    4. The default is the most frequent class among the rows that no rule covers.
    5. Drop rules without which fewer training rows would be wrong, the first such rule first: `_drop_harmful`.

A missing value satisfies no condition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.measure.bounds import ErrorBound
from branchwork.rules.condition import Condition
from branchwork.rules.description_length import TheoryCost, cheapest_subset
from branchwork.rules.evidence import Choice, Count, Evidence

LEAST_WEIGHT = 1.0
"""A leaf of less weight makes no rule."""
CLOSE = 1e-9
"""Error rates that are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule that is being pruned: its class, its pessimistic error, and the rows that it matches."""

    conditions: tuple[Condition, ...]
    code: int
    error: float
    rows: npt.NDArray[np.intp]


def c45_rules(
    paths: list[tuple[tuple[Condition, ...], int]], evidence: Evidence, bound: ErrorBound
) -> tuple[list[Candidate], int]:
    """Make rules from the paths to leaves (conditions and class). Return them in order, and the default class."""
    candidates = _shorten(paths, evidence, bound)
    cost = TheoryCost(evidence)
    chosen: dict[int, list[Candidate]] = {}
    for code in range(len(evidence.target.labels)):
        own = [candidate for candidate in candidates if candidate.code == code]
        bits = np.array([cost.rule(candidate.conditions) for candidate in own])
        kept = cheapest_subset(evidence, code, [candidate.rows for candidate in own], bits) if own else []
        if kept:
            chosen[code] = sorted((own[k] for k in kept), key=lambda candidate: candidate.error)
    rules, left = _order(chosen, evidence)
    counts = list(zip(evidence.counts(left).tolist(), evidence.target.counts.tolist(), strict=True))
    default = counts.index(max(counts))  # ties: the most frequent class of all rows, then the earlier one
    return _drop_harmful(rules, default, evidence), default


def pessimistic(count: Count, bound: ErrorBound, empty: float) -> float:
    """Return the expected error rate; `empty` if a rule matches nothing."""
    if count.weight <= 0:
        return empty
    return (count.errors + bound.extra(count.errors, count.weight)) / count.weight


def guessing_error(evidence: Evidence, code: int) -> float:
    """Return the error rate of always guessing this class."""
    return 1 - (float(evidence.target.counts[code]) + 1) / (evidence.total + 2)


def _shorten(
    paths: list[tuple[tuple[Condition, ...], int]], evidence: Evidence, bound: ErrorBound
) -> list[Candidate]:
    """Delete conditions, drop rules that are no better than a guess, and keep each rule only once."""
    found: dict[tuple[frozenset[Condition], int], Candidate] = {}
    for path, code in paths:
        guess = guessing_error(evidence, code)
        conditions, count = evidence.shorten(path, code, _least_pessimistic(bound, guess))
        error = pessimistic(count, bound, guess)
        if conditions and error < guess - CLOSE:
            rows = np.flatnonzero(evidence.matching(conditions))
            found.setdefault((frozenset(conditions), code), Candidate(conditions, code, error, rows))
    return list(found.values())


def _least_pessimistic(bound: ErrorBound, empty: float) -> Choice:
    """Choose the condition whose deletion gives the smallest pessimistic error, if some deletion does no harm.

    A deletion does no harm if the pessimistic error or the observed error does not rise. In a tie, the later condition
    is deleted.
    """

    def choose(now: Count, without: list[Count]) -> int | None:
        error, seen = pessimistic(now, bound, empty), _seen(now)
        errors = [pessimistic(count, bound, empty) for count in without]
        if not any(e <= error or _seen(count) <= seen for e, count in zip(errors, without, strict=True)):
            return None
        least = min(errors)
        return max(place for place, e in enumerate(errors) if e == least)

    return choose


def _seen(count: Count) -> float:
    return count.errors / count.weight if count.weight > 0 else 0.0


def _order(
    chosen: dict[int, list[Candidate]], evidence: Evidence
) -> tuple[list[Candidate], npt.NDArray[np.bool_]]:
    """Return all rules, class after class, and the rows that none of them covers."""
    left = np.ones(evidence.n_rows, np.bool_)
    covers = {code: np.unique(np.concatenate([rule.rows for rule in own])) for code, own in chosen.items()}
    rules: list[Candidate] = []
    while covers:
        wrong = {}
        for code, rows in covers.items():
            rows = rows[left[rows]]
            wrong[code] = evidence.weigh(rows[evidence.target.codes[rows] != code])
        first = min(wrong, key=lambda code: (wrong[code], code))
        rules += chosen[first]
        left[covers.pop(first)] = False
    return rules, left


def _drop_harmful(rules: list[Candidate], default: int, evidence: Evidence) -> list[Candidate]:
    """Drop the first rule without which fewer rows would be wrong, and repeat until there is none."""
    kept = list(rules)
    while True:
        gains = _gains(kept, default, evidence)
        harmful = [place for place, gain in enumerate(gains) if gain < -CLOSE * evidence.total]
        if not harmful:
            return kept
        del kept[harmful[0]]


def _gains(rules: list[Candidate], default: int, evidence: Evidence) -> list[float]:
    """Return what each rule gains: rows that only it gets right, minus rows that would be right without it."""
    none = len(rules)
    first = np.full(evidence.n_rows, none)
    second = np.full(evidence.n_rows, none)
    for place, rule in reversed(list(enumerate(rules))):
        second[rule.rows], first[rule.rows] = first[rule.rows], place
    answers = np.array([*(rule.code for rule in rules), default])
    right, right_without = answers[first] == evidence.target.codes, answers[second] == evidence.target.codes
    weights = evidence.target.weights
    change = (right.astype(float) - right_without) * (1 if weights is None else weights)
    gains: list[float] = np.bincount(first, change, minlength=none + 1)[:none].tolist()
    return gains
