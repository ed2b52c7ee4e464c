"""Write and read a list of rules as JSON, the same in both kinds of model file: one line per rule.

    {"if": [{"feature": "Outlook", "values": ["Rain"], "missing": false, "unseen": false}, …], "then": "No", …}

Every part of a rule is checked when it is read: columns and categories by name, every number by its range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwork.rules.condition import Among, Condition, Interval, Plain, StandIn, WithSurrogates
from branchwork.rules.rule import Rule, Share
from branchwork.rules.rule_list import RuleList
from branchwork.store.about import handling_from, labels_from, labels_of, schema_from, schema_of, text_from
from branchwork.store.rows import Names, numbers_from_json
from branchwork.store.strict import a_flag, a_list, a_number, an_object, number_as_json, refuse
from branchwork.store.values import as_json, from_json
from branchwork.table.schema import category_key
from branchwork.tree.ranges import AMOUNT, FINITE, SHARE, Range

RULE_WORDS = ("columns", "named", "labels", "handle_unknown", "rules")
"""The names in a file with rules, besides its heading."""
OPTIONAL_RULE_WORDS = ("target",)
NUMBERS: dict[str, Range] = {
    "weight": AMOUNT,
    "coverage": SHARE,
    "confidence": SHARE,
    "lift": AMOUNT,
    "variance": AMOUNT,
    "estimate": SHARE,
}
"""Numbers of a rule, and the range of each."""
ALWAYS = ("value", "weight", "coverage")
SOMETIMES = ("confidence", "lift", "variance", "estimate")
"""Left out if they are not known."""
ADDED_UP = 1e-6
"""The sum of probabilities may differ from 1 by this much."""


# ---- from a list of rules


def rule_words_of(rules: RuleList) -> dict[str, Any]:
    """Return a list of rules as JSON."""
    names = Names(rules.schema)
    target = {} if rules.target is None else {"target": as_json(rules.target, "target")}
    return {
        **schema_of(rules.schema),
        "labels": labels_of(rules.labels),
        "handle_unknown": rules.handle_unknown,
        "rules": {
            "prior": None if rules.prior is None else _numbers(rules.prior),
            "default": _rule_as_json(rules.default, names, rules.labels),
            "list": [_rule_as_json(rule, names, rules.labels) for rule in rules],
        },
        **target,
    }


def _numbers(numbers: tuple[float, ...]) -> list[Any]:
    return [number_as_json(float(number)) for number in numbers]


def _rule_as_json(rule: Rule, names: Names, labels: tuple[Any, ...] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"if": [_condition_as_json(one, names) for one in rule.conditions]}
    if labels is not None:
        row["then"] = as_json(rule.prediction, "then")
    row["value"] = _numbers(rule.value)
    if rule.distribution is not None:
        row["distribution"] = _numbers(rule.distribution)
    for name in NUMBERS:
        number = getattr(rule, name)
        if number is not None and number == number:
            row[name] = number_as_json(float(number))
    if rule.shares:
        row["shares"] = [
            {"feature": names.columns[share.feature], "missing": share.missing, "unseen": share.unseen}
            for share in rule.shares
        ]
    return row


def _condition_as_json(condition: Condition, names: Names) -> dict[str, Any]:
    if isinstance(condition, WithSurrogates):
        asked = [
            {"passing": _plain_as_json(one.passing, names), "failing": _plain_as_json(one.failing, names)}
            for one in (condition.own, *condition.stand_ins)
        ]
        return {"asked": asked, "missing": bool(condition.missing)}
    return _plain_as_json(condition, names)


def _plain_as_json(condition: Plain, names: Names) -> dict[str, Any]:
    found: dict[str, Any] = {"feature": names.columns[condition.feature]}
    if condition.named:
        found["named"] = True
    if isinstance(condition, Among):
        found["values"] = [names.categories[condition.feature][code] for code in condition.codes]
        return found | {"missing": bool(condition.missing), "unseen": bool(condition.unseen)}
    for name, limit in (("above", condition.above), ("upto", condition.upto)):
        if limit is not None:
            found[name] = number_as_json(float(limit))
    return found | {"missing": bool(condition.missing)}


# ---- to a list of rules


def rules_from(found: dict[str, Any]) -> RuleList:
    """Read what `rule_words_of` wrote; the document may contain other things."""
    schema, labels = schema_from(found), labels_from(found["labels"])
    section = an_object(found["rules"], "rules", ("prior", "default", "list"))
    reader = _Reader(Names(schema), labels)
    default = reader.rule(section["default"], "rules.default")
    if default.conditions or default.shares:
        refuse("rules.default", "it answers when no rule matches, so it has no conditions")
    given = enumerate(a_list(section["list"], "rules.list"))
    rules = tuple(reader.rule(one, f"rules.list[{k}]") for k, one in given)
    for k, rule in enumerate(rules):
        if len(rule.value) != len(default.value):
            refuse(f"rules.list[{k}].value", f"expected {len(default.value)} numbers, as in the default")
    prior = reader.prior(section["prior"])
    handling = handling_from(found["handle_unknown"])
    target = text_from(found["target"], "target") if "target" in found else None
    return RuleList(schema, labels, rules, default, prior, handling, target)


class _Reader:
    """Reads rules of one schema and some labels. Rules of a tree share conditions, and each becomes one object."""

    def __init__(self, names: Names, labels: tuple[Any, ...] | None) -> None:
        self.names, self.labels = names, labels
        self.codes = {category_key(label): code for code, label in enumerate(labels or ())}
        self.conditions: dict[tuple[Condition, bool | None], Condition] = {}

    def prior(self, found: Any) -> tuple[float, ...] | None:
        """Return the weight of each label among all rows."""
        if self.labels is None:
            if found is not None:
                refuse("rules.prior", "rules for numbers have none")
            return None
        prior = self._weights(found, "rules.prior")
        if not sum(prior) > 0:
            refuse("rules.prior", "no label has any weight")
        return prior

    def rule(self, found: Any, place: str) -> Rule:
        """One rule."""
        of_labels = () if self.labels is None else ("then", "distribution")
        an_object(found, place, ("if", *of_labels, *ALWAYS), (*SOMETIMES, "shares"))
        value = self._value(found["value"], f"{place}.value")
        numbers: dict[str, Any] = {
            name: _in_range(found[name], allowed, f"{place}.{name}")
            for name, allowed in NUMBERS.items()
            if name in found
        }
        given = enumerate(a_list(found["if"], f"{place}.if"))
        conditions = tuple(self._condition(one, f"{place}.if[{k}]") for k, one in given)
        given = enumerate(a_list(found.get("shares", []), f"{place}.shares"))
        shares = tuple(self._share(one, f"{place}.shares[{k}]") for k, one in given)
        if self.labels is None:
            return Rule(conditions, value[0], value, shares=shares, **numbers)
        distribution = self._weights(found["distribution"], f"{place}.distribution")
        prediction = self._label(found["then"], f"{place}.then")
        return Rule(conditions, prediction, value, distribution=distribution, shares=shares, **numbers)

    def _value(self, found: Any, place: str) -> tuple[float, ...]:
        if self.labels is None:
            value = numbers_from_json(found, place)
            if not value or not FINITE.has(np.array(value)).all():
                refuse(place, "expected finite numbers, at least one")
            return tuple(value)
        value = numbers_from_json(found, place, len(self.labels))
        if not SHARE.has(np.array(value)).all() or not abs(sum(value) - 1) <= ADDED_UP:
            refuse(place, "expected probabilities that add up to 1")
        return tuple(value)

    def _weights(self, found: Any, place: str) -> tuple[float, ...]:
        """Return a weight for each label."""
        weights = numbers_from_json(found, place, len(self.labels or ()))
        if not AMOUNT.has(np.array(weights)).all():
            refuse(place, f"a weight is {AMOUNT}")
        return tuple(weights)

    def _label(self, found: Any, place: str) -> Any:
        assert self.labels is not None
        code = self.codes.get(category_key(from_json(found, place)))
        if code is None:
            refuse(place, "not one of the labels")
        return self.labels[code]

    def _condition(self, found: Any, place: str) -> Condition:
        with_surrogates = isinstance(found, dict) and "asked" in found
        made = self._with_surrogates(found, place) if with_surrogates else self._plain(found, place)
        return self.conditions.setdefault((made, getattr(made, "named", None)), made)

    def _with_surrogates(self, found: Any, place: str) -> Condition:
        """Return a condition that uses surrogates if a cell is not known; its own column comes first."""
        an_object(found, place, ("asked", "missing"))
        asked = []
        for k, one in enumerate(a_list(found["asked"], f"{place}.asked")):
            here = f"{place}.asked[{k}]"
            an_object(one, here, ("passing", "failing"))
            passing, failing = (self._plain(one[name], f"{here}.{name}") for name in ("passing", "failing"))
            if passing.feature != failing.feature:
                refuse(here, "expected two conditions on one feature")
            asked.append(StandIn(passing, failing))
        if not asked:
            refuse(f"{place}.asked", "there are none")
        return WithSurrogates(asked[0], tuple(asked[1:]), a_flag(found["missing"], f"{place}.missing"))

    def _plain(self, found: Any, place: str) -> Plain:
        an_object(found, place, ("feature", "missing"), ("above", "upto", "values", "unseen", "named"))
        named = a_flag(found.get("named", False), f"{place}.named")
        feature = self.names.column(found["feature"], f"{place}.feature")
        missing = a_flag(found["missing"], f"{place}.missing")
        if self.names.is_nominal[feature]:
            an_object(found, place, ("feature", "missing", "values", "unseen"), ("named",))
            # One group: the categories that pass have child 0, all others -1.
            children = self.names.children(feature, [found["values"]], f"{place}.values")
            codes = tuple(code for code, child in enumerate(children) if child == 0)
            return Among(feature, codes, missing, a_flag(found["unseen"], f"{place}.unseen"), named)
        an_object(found, place, ("feature", "missing"), ("above", "upto", "named"))
        above, upto = (_limit(found.get(name), f"{place}.{name}") for name in ("above", "upto"))
        return Interval(feature, above, upto, missing, named)

    def _share(self, found: Any, place: str) -> Share:
        an_object(found, place, ("feature", "missing", "unseen"))
        feature = self.names.column(found["feature"], f"{place}.feature")
        missing, unseen = (_in_range(found[n], SHARE, f"{place}.{n}") for n in ("missing", "unseen"))
        return Share(feature, missing, unseen)


def _limit(found: Any, place: str) -> float | None:
    """Return a limit of an interval, or None if there is none."""
    return None if found is None else a_number(found, place)


def _in_range(found: Any, allowed: Range, place: str) -> float:
    number = a_number(found, place)
    if not allowed.has(np.array([number])).all():
        refuse(place, f"it is {allowed}")
    return number
