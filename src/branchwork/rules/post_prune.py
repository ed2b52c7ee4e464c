"""Rule post-pruning in two versions: that of Mitchell's textbook, and C4.5rules (`c45_rules.py`).

Mitchell (*Machine Learning*, 1997, section 3.7.1.2): make a rule of every leaf, delete the conditions of each rule
whose removal does not lower its estimated accuracy, and sort the rules by that accuracy. The accuracy is estimated
pessimistically from the training rows, or observed on other rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np

from branchwork.errors import DataError, ParameterError, TargetError, did_you_mean
from branchwork.measure.bounds import ErrorBound
from branchwork.rules.c45_rules import LEAST_WEIGHT, c45_rules, pessimistic
from branchwork.rules.condition import Condition
from branchwork.rules.evidence import Count, Evidence
from branchwork.rules.rule import rule_for_class
from branchwork.rules.rule_list import Estimate, Method, RuleList
from branchwork.table import target as targets
from branchwork.table.table import Table
from branchwork.table.target import Classes

Found = tuple[tuple[Condition, ...], int, float]
"""A rule that was found: conditions, class, estimated accuracy."""


def post_prune(
    rules: RuleList,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    method: Method,
    confidence: float,
    estimate: Estimate,
) -> RuleList:
    """Check the arguments, and post-prune."""
    if rules.labels is None:
        raise TargetError("These rules predict numbers; only rules for classes can be post-pruned.")
    table, given = rules.table(X), targets.classes(y, sample_weight)
    if table.n_rows != len(given):
        raise DataError(f"X has {table.n_rows} rows, but y has {len(given)}. Every row needs one.")
    target = given.in_labels(rules.labels)
    return post_pruned(rules, table, target, method=method, confidence=confidence, estimate=estimate)


def post_pruned(
    rules: RuleList,
    table: Table,
    target: Classes,
    *,
    method: Method,
    confidence: float,
    estimate: Estimate = "pessimistic",
) -> RuleList:
    """Post-prune by a table that is coded by the schema of the rules, and a target in their labels."""
    for name, value, literal in (("method", method, Method), ("estimate", estimate, Estimate)):
        if value not in get_args(literal):
            hint = did_you_mean(value, get_args(literal)) if isinstance(value, str) else ""
            known = ", ".join(map(repr, get_args(literal)))
            raise ParameterError(f"{name}={value!r} is not known.{hint} Expected one of {known}.")
    bound = ErrorBound(confidence)
    if target.weights is not None:
        heavy = np.flatnonzero(target.weights > 0)
        table, target = table.take(heavy), target.take(heavy)
    evidence = Evidence(table, target)
    labels = target.labels
    place = {label: code for code, label in enumerate(labels)}
    strict = method == "c4.5rules" or rules.shares_rows
    paths = [
        (tuple(_strict(c) for c in rule.conditions) if strict else rule.conditions, place[rule.prediction])
        for rule in rules
        if rule.weight >= LEAST_WEIGHT or method == "mitchell"
    ]
    if method == "mitchell":
        found = _mitchell(paths, evidence, bound if estimate == "pessimistic" else None)
        default = None
    else:
        candidates, default = c45_rules(paths, evidence, bound)
        found = [(rule.conditions, rule.code, 1 - rule.error) for rule in candidates]
    return _as_list(rules, found, default, evidence)


def _strict(condition: Condition) -> Condition:
    """Return a condition that a missing value does not satisfy, unless the condition asks only for missing values."""
    known = condition.strict()
    return condition if known.is_impossible() else known


def _mitchell(
    paths: list[tuple[tuple[Condition, ...], int]], evidence: Evidence, bound: ErrorBound | None
) -> list[Found]:
    """Shorten every rule, sort by estimated accuracy (in a tie, the earlier), and keep each rule only once."""
    found: dict[tuple[frozenset[Condition], int], Found] = {}
    for path, code in paths:
        guess = (
            evidence.total - float(evidence.target.counts[code])
        ) / evidence.total  # a ratio, as errors are

        def error(count: Count, empty: float = guess) -> float:
            if bound is not None:
                return pessimistic(count, bound, empty)
            return count.errors / count.weight if count.weight > 0 else empty

        def choose(now: Count, without: list[Count]) -> int | None:
            errors = [error(count) for count in without]
            least = min(errors)
            return errors.index(least) if least <= error(now) else None

        conditions, count = evidence.shorten(path, code, choose)
        if count.weight > 0:
            found.setdefault((frozenset(conditions), code), (conditions, code, 1 - error(count)))
    in_order = sorted(found.values(), key=lambda rule: -rule[2])
    ends = [place + 1 for place, rule in enumerate(in_order) if not rule[0]]  # no row matches such a rule
    return in_order[: ends[0]] if ends else in_order


def _as_list(rules: RuleList, found: list[Found], default: int | None, evidence: Evidence) -> RuleList:
    """Return the rules with their numbers. Probabilities are Laplace's, of the rows that a rule is first to match."""
    labels, prior = evidence.target.labels, evidence.target.counts
    left = np.ones(evidence.n_rows, np.bool_)
    made = []
    for conditions, code, accuracy in found:
        matching = evidence.matching(conditions)
        counts, decided = evidence.counts(matching), evidence.counts(matching & left)
        left &= ~matching
        value = _laplace(decided if decided.any() else counts, prior)
        made.append(
            rule_for_class(
                conditions, code, labels, counts.tolist(), prior.tolist(), value=value, estimate=accuracy
            )
        )
    rest = evidence.counts(left)
    if default is None:
        default = int(np.argmax(rest if rest.any() else prior))
    value = _laplace(rest if rest.any() else prior, prior)
    last = rule_for_class((), default, labels, rest.tolist(), prior.tolist(), value=value)
    return replace(rules, labels=labels, rules=tuple(made), default=last, prior=tuple(prior.tolist()))


def _laplace(counts: np.ndarray[Any, np.dtype[np.float64]], prior: Any) -> list[float]:
    """Add one row of every class that occurs."""
    smoothed = np.where(prior > 0, counts + 1, 0.0)
    return (smoothed / smoothed.sum()).tolist()  # type: ignore[no-any-return]
