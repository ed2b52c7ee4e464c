"""Shorter rules that match the same rows.

The predictions do not change, for these reasons. All conditions of a rule must hold, so those on one feature can be
replaced by the one that passes exactly the values that all of them pass (an intersection of intervals, or of sets). A
condition that every value passes can be left out. A rule with a condition that no value passes never matches. The
shares of rows with missing values are kept apart from the conditions, in the order of the tree, and do not change at
all.
"""

from __future__ import annotations

from branchwork.rules.condition import Condition, WithSurrogates, merged
from branchwork.rules.rule import Rule
from branchwork.table.schema import Schema


def simplify_rule(rule: Rule, schema: Schema) -> Rule | None:
    """Merge conditions on one feature at the place of the first; drop those that always hold. None: never matches."""
    conditions: tuple[Condition, ...] = ()
    for condition in rule.conditions:
        conditions = with_condition(conditions, condition)
    if any(condition.is_impossible() for condition in conditions):
        return None
    return rule.replace(conditions=tuple(c for c in conditions if not c.is_implied(schema)))


def with_condition(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """Add a condition to conditions on different features: merge it with that on its feature, or append it."""
    for place, condition in enumerate(conditions):
        if isinstance(condition, WithSurrogates) or isinstance(new, WithSurrogates):
            continue  # it tests other features, too
        if condition.feature == new.feature:
            return (*conditions[:place], merged(condition, new), *conditions[place + 1 :])
    return (*conditions, new)
