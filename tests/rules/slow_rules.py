"""Rules read row by row in plain Python, and post-pruning as the textbook tells it: slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from branchwork.rules.condition import Among, Condition, Interval, WithSurrogates
from branchwork.rules.rule import Rule
from branchwork.rules.rule_list import RuleList
from branchwork.table.table import MISSING, UNSEEN, Table

Row = list[float | int]


def rows_of(table: Table) -> list[Row]:
    return [list(row) for row in zip(*(array.tolist() for array in table.arrays), strict=True)]


def holds(condition: Condition, row: Row) -> bool:
    if isinstance(condition, WithSurrogates):
        for asked in (condition.own, *condition.stand_ins):
            if holds(asked.passing, row) or holds(asked.failing, row):
                return holds(asked.passing, row)
        return condition.missing
    cell = row[condition.feature]
    if isinstance(condition, Among):
        if cell == MISSING:
            return condition.missing
        return condition.unseen if cell == UNSEEN else cell in condition.codes
    assert isinstance(condition, Interval)
    if math.isnan(cell):
        return condition.missing
    return (condition.above is None or cell > condition.above) and (
        condition.upto is None or cell <= condition.upto
    )


def matches(rule: Rule, row: Row) -> bool:
    return all(holds(condition, row) for condition in rule.conditions)


def share(rule: Rule, row: Row, table: Table) -> float:
    part = 1.0
    for each in rule.shares:
        cell = row[each.feature]
        nominal = table.schema[each.feature].is_nominal
        if cell == MISSING if nominal else math.isnan(cell):
            part *= each.missing
        elif nominal and cell == UNSEEN:
            part *= each.unseen
    return part


def outputs(rules: RuleList, row: Row, table: Table) -> list[float]:
    found = [rule for rule in rules if matches(rule, row)]
    if not found:
        return list(rules.default.value)
    if not rules.shares_rows:
        return list(found[0].value)
    parts = [share(rule, row, table) for rule in found]
    return [
        sum(p * rule.value[k] for p, rule in zip(parts, found, strict=True))
        for k in range(len(found[0].value))
    ]


# ------------------------------------------------------------------------------------ Mitchell's post-pruning


def wilson(errors: float, weight: float, confidence: float) -> float:
    """C4.5's pessimistic error rate, written out (only for whole numbers of rows)."""
    z = {0.25: 0.84 + (0.25 - 0.84) * (0.25 - 0.20) / (0.40 - 0.20)}[confidence]
    if errors == 0:
        return 1 - confidence ** (1 / weight)
    if errors + 0.5 >= weight:
        return (errors + 0.67 * (weight - errors)) / weight
    e = errors + 0.5
    return (e + z * z / 2 + z * math.sqrt(e * (1 - e / weight) + z * z / 4)) / (weight + z * z)


def mitchell(
    rules: RuleList, rows: list[Row], labels: Sequence[Any], *, pessimistic: bool
) -> list[tuple[frozenset[Condition], Any, float]]:
    """Conditions, label and estimated accuracy of every rule, best first."""
    found: list[tuple[frozenset[Condition], Any, float]] = []
    for rule in rules:
        guess = labels.count(rule.prediction) / len(labels)

        def accuracy(
            conditions: list[Condition], label: Any = rule.prediction, guess: float = guess
        ) -> float:
            mine = [
                answer
                for row, answer in zip(rows, labels, strict=True)
                if all(holds(c, row) for c in conditions)
            ]
            wrong = sum(answer != label for answer in mine)
            if not mine:
                return guess
            return 1 - (wilson(wrong, len(mine), 0.25) if pessimistic else wrong / len(mine))

        conditions = list(rule.conditions)
        while conditions:
            without = [
                accuracy([c for j, c in enumerate(conditions) if j != k]) for k in range(len(conditions))
            ]
            best = max(without)
            if best < accuracy(conditions) - 1e-12:
                break
            del conditions[next(k for k, a in enumerate(without) if a >= best - 1e-12)]
        covered = any(all(holds(c, row) for c in conditions) for row in rows)
        same = any(f[0] == frozenset(conditions) and f[1] == rule.prediction for f in found)
        if covered and not same:
            found.append((frozenset(conditions), rule.prediction, accuracy(conditions)))
    found.sort(key=lambda f: -f[2])
    ends = [k for k, f in enumerate(found) if not f[0]]
    return found[: ends[0] + 1] if ends else found
