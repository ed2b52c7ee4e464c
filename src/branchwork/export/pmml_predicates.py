"""The branches of a step as PMML predicates, which are true, false or (if a value is missing) unknown.

plain        x <= 2 │ 2 < x <= 5 │ x > 5           a missing cell makes the first one unknown, and the tree's
                                                    strategy for missing values takes over
surrogate    surrogate(x <= 2, y <= 7) │ …          the first of them that is not unknown decides
explicit     (x is known and x <= 2) or             true or false for every row: where a category counts as missing
             (x is missing and y is known and …)    here but not elsewhere, nothing shorter says it
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from branchwork.errors import ParameterError
from branchwork.export.program import AS_MISSING, SHARED, Ask, Field, Program, Substitute
from branchwork.export.xml_text import element, in_xml
from branchwork.lazy import cached_property

Predicate = list[str]
"""The lines of a predicate."""

TRUE: Predicate = element("True", {})
FALSE: Predicate = element("False", {})


def predicates_of(ask: Ask, written: Program, names: Sequence[str], *, tree_shares: bool) -> list[Predicate]:
    """Return the predicate of each child, in order."""
    step = _Clause(ask, written, names)
    if not step.is_plain or (tree_shares and ask.missing != SHARED):
        if ask.missing == SHARED:
            raise ParameterError(
                f"Column {written.fields[ask.field].name!r} has categories that are shared among branches like missing "
                "values; PMML has no predicate for that."
            )
        return [step.explicit(child) for child in range(len(ask.children))]
    return [step.plain(child) for child in range(len(ask.children))]


def number_text(x: float) -> str:
    """Write a double for XML so that it is read back unchanged."""
    if math.isinf(x):
        return "INF" if x > 0 else "-INF"
    return repr(float(x))


def category_text(category: Hashable) -> str:
    """Write a category for an attribute."""
    if isinstance(category, bool):
        return str(category).lower()
    return number_text(float(category)) if isinstance(category, int | float) else str(category)


class _Clause:
    """One step, and its predicates."""

    def __init__(self, ask: Ask, written: Program, names: Sequence[str]) -> None:
        self.ask, self.written, self.names = ask, written, names
        nominal = ask.child_of is not None
        self.unseen_is_missing = nominal and ask.unseen == AS_MISSING and ask.field in written.tells_unseen
        vague = self.unseen_is_missing or AS_MISSING in (ask.child_of or ())
        self.vague_is_missing_child = vague and not ask.substitutes and ask.missing != SHARED
        self.is_plain = (not vague or self.vague_is_missing_child) and not any(
            AS_MISSING in (other.child_of or ()) or other.field in written.tells_unseen
            for other in ask.substitutes
            if other.child_of is not None
        )

    @cached_property
    def _codes_of(self) -> dict[int, list[int]]:
        """Return the categories that go to each child, by child."""
        found: dict[int, list[int]] = {}
        for code, to in enumerate(self.ask.child_of or ()):
            found.setdefault(self._goes_to(to), []).append(code)
        return found

    def _goes_to(self, to: int) -> int:
        return self.ask.missing if to == AS_MISSING and self.vague_is_missing_child else to

    # ---- forms

    def plain(self, child: int) -> Predicate:
        """Return a predicate that is true, false, or unknown if nothing is known."""
        says = [self.own(child), *(self.others(other, child) for other in self.ask.substitutes)]
        return says[0] if len(says) == 1 else _compound("surrogate", says)

    def explicit(self, child: int) -> Predicate:
        """Return a predicate that is true or false, whatever is missing."""
        ask = self.ask
        fields = [ask.field, *(other.field for other in ask.substitutes)]
        says = [self.own(child), *(self.others(other, child) for other in ask.substitutes)]
        unknown = [self.own_unknown(), *(self.others_unknown(other) for other in ask.substitutes)]
        ways = [
            _compound("and", [*unknown[:rank], self._is(fields[rank], "isNotMissing"), one])
            for rank, one in enumerate(says)
            if one not in (FALSE, self._is(ask.field, "isMissing"))
        ]
        if child == ask.missing:
            ways.append(_compound("and", unknown))
        return _compound("or", ways)

    # ---- what one cell says

    def own(self, child: int) -> Predicate:
        """Return whether the step's own value goes to this child."""
        ask = self.ask
        if ask.child_of is None:
            return self._between(ask.field, child)
        codes = self._codes_of.get(child, [])
        if self._goes_to(ask.unseen) == child and ask.field in self.written.tells_unseen:
            others = sorted(set(range(len(ask.child_of))).difference(codes))
            return self._among(ask.field, others, "isNotIn")
        if not codes and child == ask.missing:
            return self._is(ask.field, "isMissing")
        return self._among(ask.field, codes, "isIn")

    def others(self, other: Substitute, child: int) -> Predicate:
        """Return whether a substitute's value goes to this child."""
        if other.child_of is not None:
            return self._among(other.field, [c for c, to in enumerate(other.child_of) if to == child], "isIn")
        return self._compare(
            other.field, "lessOrEqual" if other.low_child == child else "greaterThan", other.cut
        )

    def own_unknown(self) -> Predicate:
        """Return whether the step's own value says nothing."""
        ask, missing = self.ask, self._is(self.ask.field, "isMissing")
        if ask.child_of is None or self.vague_is_missing_child:
            return missing
        if self.unseen_is_missing:
            known = [code for code, to in enumerate(ask.child_of) if to != AS_MISSING]
            return _compound("or", [missing, self._among(ask.field, known, "isNotIn")])
        absent = [code for code, to in enumerate(ask.child_of) if to == AS_MISSING]
        return _compound("or", [missing, self._among(ask.field, absent, "isIn")]) if absent else missing

    def others_unknown(self, other: Substitute) -> Predicate:
        """Return whether a substitute's value says nothing."""
        missing = self._is(other.field, "isMissing")
        if other.child_of is None:
            return missing
        known = [code for code, to in enumerate(other.child_of) if to != AS_MISSING]
        return _compound("or", [missing, self._among(other.field, known, "isNotIn")])

    # ---- in XML

    def _is(self, field: int, operator: str) -> Predicate:
        return element("SimplePredicate", {"field": self.names[field], "operator": operator})

    def _compare(self, field: int, operator: str, value: float) -> Predicate:
        attributes = {"field": self.names[field], "operator": operator, "value": number_text(value)}
        return element("SimplePredicate", attributes)

    def _between(self, field: int, child: int) -> Predicate:
        bounds = self.ask.bounds
        if child > len(bounds):
            return self._is(field, "isMissing") if child == self.ask.missing else FALSE
        if not bounds:
            return self._is(field, "isNotMissing") if self.ask.missing != child else TRUE
        sides = []
        if child > 0:
            sides.append(self._compare(field, "greaterThan", bounds[child - 1]))
        if child < len(bounds):
            sides.append(self._compare(field, "lessOrEqual", bounds[child]))
        return _compound("and", sides)

    def _among(self, field: int, codes: list[int], operator: str) -> Predicate:
        given = self.written.fields[field]
        if not codes:
            return FALSE if operator == "isIn" else self._is(field, "isNotMissing")
        values = [category_text(given.categories[code]) for code in codes]
        one, many = ("equal", "or") if operator == "isIn" else ("notEqual", "and")
        if len(values) > 1 and all(map(_fits_in_array, values)):
            words = " ".join(f'"{value}"' if given.type == "text" else value for value in values)
            array = f'<Array type="{_array_type(given)}" n="{len(values)}">{in_xml(words)}</Array>'
            attributes = {"field": self.names[field], "booleanOperator": operator}
            return element("SimpleSetPredicate", attributes, [array])
        each = [{"field": self.names[field], "operator": one, "value": value} for value in values]
        return _compound(many, [element("SimplePredicate", attributes) for attributes in each])


def _array_type(field: Field) -> str:
    return "real" if field.type == "number" else "string"


def _fits_in_array(value: str) -> bool:
    """Return whether every reader takes the value out of an array unchanged."""
    return bool(value.strip()) and value.isprintable() and not set(value) & set('"\\')


def _compound(operator: str, parts: list[Predicate]) -> Predicate:
    if not parts:
        return FALSE
    if len(parts) == 1:
        return parts[0]
    return element(
        "CompoundPredicate", {"booleanOperator": operator}, [line for part in parts for line in part]
    )
