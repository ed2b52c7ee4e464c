"""How many bits a set of rules for one class costs, and the cheapest subset.

To tell somebody the classes of the rows, two things must be sent: the rules (the *theory*), and where they are wrong
(the *exceptions*). A rule is worth having if it saves more bits of exceptions than it costs.

- A condition costs log2(columns) for its column. For a categorical column it also costs the entropy of its values, and
  for a numeric one a bit for the direction and half of log2(distinct values) for the threshold. The order of conditions
  in a rule, and of rules in a set, does not matter: log2(n!) is subtracted for either.
- Exceptions are coded with Quinlan's bias of 1995 ("MDL and categorical theories (continued)"): of the covered rows and
  the other rows, the larger part is expected to hold half of all errors.
- The theory has the weight 0.543, because it is redundant. The bits of a condition and this number were inferred from
  what the original chose where its search is exhaustive: 79 classes of 44 tables, which allow 0.5384 to 0.5515.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from branchwork.rules.condition import Condition
from branchwork.rules.evidence import Evidence
from branchwork.rules.rule import Floats

THEORY_WEIGHT = 0.543
"""A bit of theory counts as so many bits of exceptions."""
MOST_EXHAUSTIVE = 10
"""Of up to so many rules every subset is tried."""
MOST_SWAPS = 10_000
"""Exchanges are tried where there are no more pairs of rules than these."""
CLOSE = 1e-9
"""Bits that make no difference."""


class TheoryCost:
    """Bits of conditions and rules for one table."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._bits: dict[int, float] = {}

    def rule(self, conditions: Sequence[Condition]) -> float:
        """Return the bits of one rule."""
        columns = math.log2(len(self._evidence.table.schema))
        branches = sum(self._branch(condition) for condition in conditions)
        return columns * len(conditions) + branches - log2_factorial(len(conditions))

    def _branch(self, condition: Condition) -> float:
        """Return the bits to say which branch of a feature's test is meant."""
        feature = condition.feature
        if feature not in self._bits:
            cells = self._evidence.table.arrays[feature]
            nominal = self._evidence.table.schema[feature].is_nominal
            self._bits[feature] = self._entropy(cells) if nominal else 1 + math.log2(_distinct(cells)) / 2
        return self._bits[feature]

    def _entropy(self, codes: npt.NDArray[np.int32]) -> float:
        known = np.flatnonzero(codes >= 0)
        weights = self._evidence.target.weights
        counts = np.bincount(codes[known], None if weights is None else weights[known])
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log2(shares)).sum())


def _distinct(cells: npt.NDArray[np.float64]) -> int:
    """Return the number of distinct known numbers; at least 1."""
    return max(len(np.unique(cells[~np.isnan(cells)])), 1)


def log2_factorial(n: float) -> float:
    """Return the bits of an order of n things."""
    return math.lgamma(n + 1) / math.log(2)


def exception_bits(covered: Floats, total: float, false_positives: Floats, false_negatives: Floats) -> Floats:
    """Return the bits to say which of the covered rows, and which of the others, are exceptions.

    >>> none = np.zeros(1)
    >>> float(exception_bits(np.array([4.0]), 14.0, none, none)[0])  # nothing to say
    0.0
    """
    left = total - covered
    errors = false_positives + false_negatives
    with np.errstate(divide="ignore", invalid="ignore"):
        larger_covered = _binary_bits(covered, false_positives, errors / (2 * covered)) + _binary_bits(
            left, false_negatives, false_negatives / left
        )
        larger_left = _binary_bits(left, false_negatives, errors / (2 * left)) + _binary_bits(
            covered, false_positives, false_positives / covered
        )
    return np.where(covered > left, larger_covered, larger_left)


def _binary_bits(n: Floats, k: Floats, p: Floats) -> Floats:
    """Return the bits of n yes-or-no answers, k of them yes, if yes is expected with probability p."""
    yes = np.where(k > 0, -k * np.log2(p), 0.0)
    return np.asarray(yes + np.where(n > k, -(n - k) * np.log2(1 - p), 0.0))


def cheapest_subset(
    evidence: Evidence, code: int, matching: Sequence[npt.NDArray[np.intp]], bits: Floats
) -> list[int]:
    """Return the positions of the rules for a class that together cost least, in order.

    `matching` are the rows that each rule matches, and `bits` is what each rule costs. Up to ten rules, every subset is
    tried. Above that, the rule whose addition or removal saves most is added or removed. If that saves nothing, one
    rule is exchanged for another. This starts from no rules and from all of them, and the cheaper result is kept. (The
    original searches at random here.)
    """
    if len(matching) <= MOST_EXHAUSTIVE:
        return _every_subset(evidence, code, matching, bits)
    search = _Descent(evidence, code, matching, bits)
    found = [search.run(start) for start in (False, True)]
    return min(found, key=lambda result: result[0])[1]


def _every_subset(
    evidence: Evidence, code: int, matching: Sequence[npt.NDArray[np.intp]], bits: Floats
) -> list[int]:
    """Try every subset. Rows that match the same rules are combined: their signature has a bit for each rule."""
    n, size = len(matching), 1 << len(matching)
    signature = np.zeros(evidence.n_rows, np.int64)
    for place, rows in enumerate(matching):
        signature[rows] |= 1 << place
    right = evidence.target.codes == code
    weights = evidence.target.weights
    hits = np.bincount(signature[right], None if weights is None else weights[right], minlength=size)
    misses = np.bincount(signature[~right], None if weights is None else weights[~right], minlength=size)
    subsets = np.arange(size)
    covers = (subsets[:, None] & subsets[None, :]) != 0  # whether a subset covers the rows of a signature
    true_positives, false_positives = covers @ hits.astype(float), covers @ misses.astype(float)
    false_negatives = np.maximum(hits.sum() - true_positives, 0)
    chosen = (subsets[:, None] >> np.arange(n)) & 1
    sizes = chosen.sum(axis=1)
    theory = chosen @ bits - np.array([log2_factorial(k) for k in range(n + 1)])[sizes]
    exceptions = exception_bits(
        true_positives + false_positives, evidence.total, false_positives, false_negatives
    )
    cost = THEORY_WEIGHT * theory + exceptions
    close = np.flatnonzero(cost <= cost.min() + CLOSE)
    best = min(close.tolist(), key=lambda subset: (sizes[subset], subset))  # fewest rules, then earlier ones
    return np.flatnonzero(chosen[best]).tolist()


@dataclass
class _State:
    """A set of rules during the descent.

    Parameters
    ----------
    chosen : which rules are in the set.
    times : how many of them cover each row.
    alone : for each rule, the weight of its hits and misses among the rows that no other chosen rule covers.
    hits, misses : weight of the covered rows that have the class, and of those that do not.
    cost : bits of the set and of its exceptions.
    """

    chosen: npt.NDArray[np.bool_]
    times: npt.NDArray[np.int32]
    alone: Floats
    hits: float
    misses: float
    cost: float


class _Descent:
    """A set of rules that gets cheaper step by step, until no step helps.

    Adding or removing a rule changes `alone` only through rows that become covered or uncovered, or that gain or lose a
    second rule. These are few, and `_by_row` finds the rules that match one of them.
    """

    def __init__(
        self, evidence: Evidence, code: int, matching: Sequence[npt.NDArray[np.intp]], bits: Floats
    ) -> None:
        self._evidence, self._matching, self._bits = evidence, matching, bits
        self._right = evidence.target.codes == code
        weights = evidence.target.weights
        self._weight = np.ones(evidence.n_rows) if weights is None else weights
        self._hit_weight = self._weight * self._right
        self._adds_exactly = weights is None or bool((weights == np.floor(weights)).all())
        self._positive = evidence.weigh(self._right)
        self._orders = np.array([log2_factorial(n) for n in range(len(bits) + 2)])
        self._by_row = _rules_by_row(matching, evidence.n_rows)

    def run(self, everything: bool) -> tuple[float, list[int]]:
        """Return the cost and the rules at the end, starting from no rules or from all."""
        state = self._start(everything)
        while True:
            costs, changes = self._steps(state)
            best = int(np.argmin(costs))
            if costs[best] < state.cost - CLOSE:
                self._flip(state, best, changes[best], float(costs[best]))
            elif (pair := self._best_swap(state)) is not None:
                for rule in pair:
                    costs, changes = self._steps(state)
                    self._flip(state, rule, changes[rule], float(costs[rule]))
            else:
                return state.cost, np.flatnonzero(state.chosen).tolist()

    def _start(self, everything: bool) -> _State:
        chosen = np.full(len(self._bits), everything)
        times = np.zeros(self._evidence.n_rows, np.int32)
        for rows in self._matching if everything else ():
            times[rows] += 1
        covered = times > 0
        hits = self._evidence.weigh(covered & self._right)
        misses = self._evidence.weigh(covered & ~self._right)
        bits, size = self._bits @ chosen, np.array([chosen.sum()])
        cost = self._cost(np.array([hits]), np.array([misses]), bits, size)
        state = _State(chosen, times, np.empty((len(chosen), 2)), hits, misses, float(cost[0]))
        self._count_alone(state, range(len(chosen)))
        return state

    def _steps(self, state: _State) -> tuple[Floats, Floats]:
        """Return the cost of every set with one rule more or less, and how its hits and misses change."""
        sign = np.where(state.chosen, -1, 1)
        changes = sign[:, None] * state.alone
        bits, size = self._bits @ state.chosen + sign * self._bits, state.chosen.sum() + sign
        return self._cost(state.hits + changes[:, 0], state.misses + changes[:, 1], bits, size), changes

    def _flip(self, state: _State, rule: int, change: Floats, cost: float) -> None:
        """Add a rule, or remove it; its own rows stay alone, or not, as they were."""
        rows, leaves = self._matching[rule], bool(state.chosen[rule])
        others = state.times[rows] - leaves  # how many other rules cover each row
        state.times[rows] += -1 if leaves else 1
        state.chosen[rule] = not leaves
        state.hits, state.misses, state.cost = state.hits + change[0], state.misses + change[1], cost
        # A row that no other rule covers is alone in rules outside the set if this rule is not in it either; a row that
        # one other rule covers is alone in that one.
        for rows_of_kind, chosen in ((rows[others == 0], False), (rows[others == 1], True)):
            places, matched = self._by_row.of(rows_of_kind)
            concerned = (state.chosen[matched] == chosen) & (matched != rule)
            self._update_alone(state, matched[concerned], rows_of_kind[places[concerned]], gain=leaves)

    def _update_alone(
        self, state: _State, rules: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], *, gain: bool
    ) -> None:
        """Let each of some rules gain or lose a row that it covers alone; rules and rows come in pairs.

        Sums of integers are exact, so they are updated. Others are added up again in the order of the rows, so that
        rounding errors do not depend on the steps that led to a set.
        """
        if not self._adds_exactly:
            self._count_alone(state, np.unique(rules).tolist())
            return
        sign, n = 1 if gain else -1, len(state.chosen)
        hits = np.bincount(rules, self._hit_weight[rows], minlength=n)
        state.alone[:, 0] += sign * hits
        state.alone[:, 1] += sign * (np.bincount(rules, self._weight[rows], minlength=n) - hits)

    def _count_alone(self, state: _State, rules: Iterable[int]) -> None:
        """Count the rows that only this rule covers, or would cover, for each of some rules."""
        for rule in rules:
            rows = self._matching[rule]
            alone = state.times[rows] == state.chosen[rule]
            hits = (self._hit_weight[rows] * alone).sum()
            state.alone[rule] = hits, (self._weight[rows] * alone).sum() - hits

    def _best_swap(self, state: _State) -> tuple[int, int] | None:
        """Return the rule to remove and the rule to add that together save most; None if nothing is saved."""
        inside, outside = np.flatnonzero(state.chosen), np.flatnonzero(~state.chosen)
        if len(inside) * len(outside) > MOST_SWAPS:
            return None
        _, changes = self._steps(state)
        best: tuple[float, tuple[int, int]] | None = None
        for out in inside.tolist():
            less = replace(
                state, chosen=state.chosen.copy(), times=state.times.copy(), alone=state.alone.copy()
            )
            self._flip(less, out, changes[out], 0.0)
            costs, _ = self._steps(less)
            cheapest = int(outside[np.argmin(costs[outside])]) if outside.size else out
            if costs[cheapest] < (state.cost if best is None else best[0]) - CLOSE:
                best = float(costs[cheapest]), (out, cheapest)
        return None if best is None else best[1]

    def _cost(self, hits: Floats, misses: Floats, bits: Floats, sizes: npt.NDArray[np.intp]) -> Floats:
        hits, misses = np.clip(hits, 0, self._positive), np.maximum(misses, 0)
        exceptions = exception_bits(hits + misses, self._evidence.total, misses, self._positive - hits)
        return np.asarray(THEORY_WEIGHT * (bits - self._orders[sizes]) + exceptions)


@dataclass(frozen=True, eq=False)
class _RulesByRow:
    """Which rules match each row: those of row r are `rules[starts[r] : starts[r + 1]]`."""

    starts: npt.NDArray[np.intp]
    rules: npt.NDArray[np.int32]

    def of(self, rows: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
        """Return pairs of a position among some rows and a rule that matches the row there."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        places = np.repeat(np.arange(len(rows)), lengths)
        within = np.arange(len(places)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return places, self.rules[self.starts[rows][places] + within]


def _rules_by_row(matching: Sequence[npt.NDArray[np.intp]], n_rows: int) -> _RulesByRow:
    rows = np.concatenate(matching)
    rules = np.repeat(np.arange(len(matching), dtype=np.int32), [len(each) for each in matching])
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows))))
    return _RulesByRow(starts, rules[np.argsort(rows, kind="stable")])
