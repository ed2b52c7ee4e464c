"""The steps of a program as SQL conditions: which rows go to a child, whatever the order of evaluation.

The conditions of a step's children exclude each other, and one of them holds for every row. A condition is never NULL
if it should hold, so it may be used after WHEN and in WHERE.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from branchwork.export.program import AS_MISSING, SHARED, Ask, Program
from branchwork.export.sql_words import Words

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


def conditions(words: Words, step: Ask, leaving_out: int | None = None) -> list[Expr | None]:
    """Return a condition for each child: a row goes to it. None: no row does, or it is the child to leave out."""
    children = range(len(step.children))
    made = _maker(words, step)
    return [None if child == leaving_out else made(child) for child in children]


def _maker(words: Words, step: Ask) -> Callable[[int], Expr | None]:
    """Return the function that makes the condition of a child."""
    if step.substitutes:
        possible = possible_answers(step)
        return lambda child: (
            words.equal(answer(words, step), words.integer(child)) if child in possible else None
        )
    if step.child_of is None:
        return lambda child: number_condition(
            words, step.field, *interval(step, child), step.missing == child
        )
    codes_of = _codes_of(tuple(_or_missing(step, child) for child in step.child_of))
    unseen_child = _or_missing(step, step.unseen)
    return lambda child: category_condition(
        words, step.field, codes_of.get(child, []), unseen_child == child, step.missing == child
    )


def _or_missing(step: Ask, child: int) -> int:
    """Return the child of a value that is known or counts as missing; SHARED: it has none of its own."""
    return step.missing if child == AS_MISSING else child


def shared_codes(step: Ask) -> list[int]:
    """Return the categories whose rows a step shares by weight, as if their value were missing."""
    if step.missing != SHARED or step.child_of is None:
        return []
    return [code for code, child in enumerate(step.child_of) if child == AS_MISSING]


def unknown(words: Words, field: int) -> Expr:
    """The value is missing, or an unseen category."""
    if not words.fields[field].is_nominal:
        return words.missing(field)
    categories = range(len(words.fields[field].categories))
    return words.any_of([words.missing(field), words.none_of(field, categories)])


def _codes_of(child_of: tuple[int, ...]) -> dict[int, list[int]]:
    """Return the categories that go to each child, by child."""
    found: dict[int, list[int]] = {}
    for code, child in enumerate(child_of):
        found.setdefault(child, []).append(code)
    return {child: found[child] for child in sorted(found)}


def interval(step: Ask, child: int) -> tuple[float | None, float | None, bool]:
    """Return the bounds of the known numbers that go to a child (None: no bound), and whether there are any."""
    if child > len(step.bounds):
        return None, None, False
    low = step.bounds[child - 1] if child > 0 else None
    high = step.bounds[child] if child < len(step.bounds) else None
    return low, high, True


def number_condition(
    words: Words, field: int, low: float | None, high: float | None, is_open: bool, with_missing: bool
) -> Expr | None:
    """A known number above `low` and up to `high`, if there are any, or optionally a missing one."""
    if not is_open:
        return words.missing(field) if with_missing else None
    if low is None and high is None:
        return words.truth(True) if with_missing else words.known(field)
    if low is not None and high is None:
        return words.above_or_missing(field, low) if with_missing else words.above(field, low)
    assert high is not None
    inside = words.at_most(field, high) if low is None else words.between(field, low, high)
    return words.any_of([inside, words.missing(field)]) if with_missing else inside


def category_condition(
    words: Words, field: int, codes: list[int], takes_unseen: bool, with_missing: bool
) -> Expr | None:
    """A value that is one of the categories, or optionally an unseen category, or a missing value."""
    parts = []
    if takes_unseen:
        others = sorted(set(range(len(words.fields[field].categories))) - set(codes))
        parts.append(words.none_of(field, others) if others else words.known(field))
    elif codes:
        parts.append(words.one_of(field, codes))
    if with_missing:
        parts.append(words.missing(field))
    return words.any_of(parts) if parts else None


def possible_answers(step: Ask) -> set[int]:
    """Return the children that some row goes to; AS_MISSING: the row is shared among all of them."""
    if step.child_of is None:
        found = set(range(len(step.bounds) + 1))
    else:
        found = {child for child in (*step.child_of, step.unseen) if child != AS_MISSING}
    for other in step.substitutes:
        found |= {0, 1} if other.child_of is None else set(other.child_of) - {AS_MISSING}
    return found | {step.missing}


def answer(words: Words, step: Ask) -> Expr:
    """Return the child that a row goes to as an integer: by its own value, then by those of the substitutes."""
    pairs = []
    if step.child_of is None:
        pairs += [(words.at_most(step.field, bound), k) for k, bound in enumerate(step.bounds)]
        pairs.append((words.known(step.field), len(step.bounds)))
    else:
        pairs += _lookups(words, step.field, step.child_of)
        if step.unseen != AS_MISSING:
            absent = [code for code, child in enumerate(step.child_of) if child == AS_MISSING]
            is_unseen = words.none_of(step.field, absent) if absent else words.known(step.field)
            pairs.append((is_unseen, step.unseen))
    for other in step.substitutes:
        if other.child_of is None:
            pairs.append((words.at_most(other.field, other.cut), other.low_child))
            pairs.append((words.known(other.field), 1 - other.low_child))
        else:
            pairs += _lookups(words, other.field, other.child_of)
    numbered = [(holds, words.integer(child)) for holds, child in pairs]
    return words.case(numbered, words.integer(step.missing))


def _lookups(words: Words, field: int, child_of: tuple[int, ...]) -> list[tuple[Expr, int]]:
    return [
        (words.one_of(field, codes), child)
        for child, codes in _codes_of(child_of).items()
        if child != AS_MISSING
    ]


def unseen(words: Words, given: Program) -> list[Expr]:
    """Return a condition for each categorical column that is tested: its value is an unseen category."""
    return [
        words.none_of(field, range(len(given.fields[field].categories)))
        for field in given.asked
        if given.fields[field].is_nominal
    ]
