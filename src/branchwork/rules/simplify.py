"""Shorter rules that match the very same rows.

Why nothing changes: the conditions of a rule are all to hold, so those on one feature can be replaced by the one that
passes exactly the cells that all of them pass (an intersection of intervals, or of sets); a condition that every cell
passes can be left out; and a rule with a condition that no cell passes never matches. The shares of rows with missing
cells are kept apart from the conditions, in the order of the tree, and stay as they are to the last bit.
"""

from __future__ import annotations

from branchwork.rules.condition import Condition, WithSurrogates, merged
from branchwork.rules.rule import Rule
from branchwork.table.schema import Schema


def simplify_rule(rule: Rule, schema: Schema) -> Rule | None:
    """One condition a feature, where its first one stood; none that always holds. None: no row can match."""
    conditions: tuple[Condition, ...] = ()
    for condition in rule.conditions:
        conditions = with_condition(conditions, condition)
    if any(condition.is_impossible() for condition in conditions):
        return None
    return rule.replace(conditions=tuple(c for c in conditions if not c.is_implied(schema)))


def with_condition(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """Conditions, at most one for each feature, with one more: merged into that on its feature, or at the end."""
    for place, condition in enumerate(conditions):
        if isinstance(condition, WithSurrogates) or isinstance(new, WithSurrogates):
            continue  # it asks for other columns too
        if condition.feature == new.feature:
            return (*conditions[:place], merged(condition, new), *conditions[place + 1 :])
    return (*conditions, new)
