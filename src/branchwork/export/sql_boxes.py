"""The requirements for a row to reach a leaf, column by column, and how much of the row then reaches it.

Steps on the path that test the same column become one requirement. A number must be in an interval, and a category in
a set. If the value is missing, or counts as missing, a share of the row reaches the leaf: all of it (1), nothing (0),
or the product of the shares on the path.

    leaf 7     x in (2, 5]; missing: 0.25          wind in {calm, gusty}; missing: 1

With substitutes, no single column decides where a row goes. The answer of such a step is treated as a column. The same
holds for a step that shares some categories if an earlier step shared others: each has a share of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from branchwork.errors import ParameterError
from branchwork.export.program import AS_MISSING, SHARED, Ask, Field, Leaf, Program
from branchwork.export.sql_tests import interval, shared_codes
from branchwork.lazy import cached_property

MOST_COLUMNS = 1600
"""The largest number of columns of a table in PostgreSQL; SQLite allows 2000."""
MOST_LETTERS = 20_000_000
"""The largest number of letters in all `Places.taken` of the children of a step: one per category and child."""
NO, YES, PART = "0", "1", "p"
"""Letters of `Places.taken`: such a row does not reach the leaf, it does, or a part of it does."""


@dataclass(frozen=True)
class Key:
    """A column of rows: a field, or the answer of a step (`step` of `tree`)."""

    field: int
    tree: int = -1
    step: int = -1

    @property
    def is_answer(self) -> bool:
        """Return whether it is the answer of a step."""
        return self.step >= 0


@dataclass(frozen=True)
class Range:
    """Numbers above `low` and up to `high` pass, and the share `missing` of a row whose value is missing."""

    low: float | None = None
    high: float | None = None
    is_open: bool = True
    missing: float = 1.0

    @property
    def part(self) -> float:
        """Return the share of a row that passes if its value is missing."""
        return self.missing


@dataclass(frozen=True)
class Places:
    """Which share of a row passes, for each kind of value; `part` is the share for PART.

    For a column: first missing values, then unseen categories, then each category. For an answer: first a row that is
    shared, then those that go to each child.
    """

    taken: str
    part: float = 1.0


Requirement = Range | Places


@dataclass(frozen=True)
class LeafBox:
    """A leaf with its requirements."""

    tree: int
    at: int
    leaf: Leaf
    requirements: dict[Key, Requirement]


@dataclass(frozen=True)
class Boxes:
    """All leaves of a program."""

    given: Program
    listed: tuple[LeafBox, ...]

    @cached_property
    def of_tree(self) -> tuple[tuple[LeafBox, ...], ...]:
        """Return the leaves of each tree."""
        found: list[list[LeafBox]] = [[] for _ in self.given.trees]
        for box in self.listed:
            found[box.tree].append(box)
        return tuple(map(tuple, found))

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Return every key that a leaf has a requirement for: columns first, in order."""
        found = {key for box in self.listed for key in box.requirements}
        return tuple(sorted(found, key=lambda key: (key.tree, key.step, key.field)))

    def parts(self, key: Key) -> bool:
        """Return whether only a part of a row may reach a leaf because of this key."""
        found = [box.requirements.get(key) for box in self.listed]
        return any(own is not None and own.part < 1 and not _is_whole(own) for own in found)


def boxes(given: Program) -> Boxes:
    """Return the requirements of every leaf."""
    listed = []
    for tree, steps in enumerate(given.trees):
        of: dict[int, dict[Key, Requirement]] = {0: {}}
        for at, step in enumerate(steps):
            own = of.pop(at)
            if len(own) > MOST_COLUMNS:
                raise ParameterError(
                    f"The path to a leaf has over {MOST_COLUMNS} requirements; databases allow no more columns. "
                    f"form='case' needs none, unless rows are shared by weight."
                )
            if isinstance(step, Leaf):
                listed.append(LeafBox(tree, at, step, own))
                continue
            key = Key(step.field)
            if step.substitutes or (shared_codes(step) and _has_parts(own.get(key))):
                key = Key(step.field, tree, at)
            _check_letters(given.fields[step.field], step)
            for child, below in enumerate(step.children):
                before = own.get(key) or free(given.fields, key, step)
                of[below] = {**own, key: narrowed(key, before, step, child)}
    return Boxes(given, tuple(listed))


def _check_letters(field: Field, step: Ask) -> None:
    letters = len(step.children) * len(field.categories)
    if letters > MOST_LETTERS:
        raise ParameterError(
            f"A node that tests {field.name!r} has {len(step.children)} branches for {len(field.categories)} "
            f"categories; a table of leaves needs a letter for each pair and can have {MOST_LETTERS}. Use "
            "form='case', unless rows are shared by weight, or grow the tree with nominal='subset'."
        )


def free(fields: Sequence[Field], key: Key, step: Ask) -> Requirement:
    """Return a requirement that every row meets."""
    if key.is_answer:
        return Places(YES * (len(step.children) + 1))
    if not fields[key.field].is_nominal:
        return Range()
    return Places(YES * (len(fields[key.field].categories) + 2))


def narrowed(key: Key, before: Requirement, step: Ask, child: int) -> Requirement:
    """Return what remains of the rows at a step for one of its children."""
    share = step.shares[child] if step.missing == SHARED else float(step.missing == child)
    if isinstance(before, Range):
        low, high, is_open = interval(step, child)
        return Range(
            _tighter(before.low, low, max),
            _tighter(before.high, high, min),
            before.is_open and is_open,
            before.missing * share,
        )
    if key.is_answer:
        kinds = [AS_MISSING, *range(len(step.children))]
    else:
        assert step.child_of is not None
        kinds = [AS_MISSING, step.unseen, *step.child_of]
    if step.missing != SHARED:
        kinds = [step.missing if goes_to == AS_MISSING else goes_to for goes_to in kinds]
    taken = "".join(map(_taken, before.taken, kinds, [child] * len(kinds)))
    return replace(before, taken=taken, part=before.part * (share if step.missing == SHARED else 1))


def _taken(before: str, goes_to: int, child: int) -> str:
    if before == NO or goes_to == child:
        return before
    return PART if goes_to == SHARED else NO


def _tighter(
    before: float | None, own: float | None, tighter: Callable[[float, float], float]
) -> float | None:
    return own if before is None else before if own is None else tighter(before, own)


def _has_parts(requirement: Requirement | None) -> bool:
    return isinstance(requirement, Places) and PART in requirement.taken


def _is_whole(requirement: Requirement) -> bool:
    """Return whether every row that passes, passes as a whole."""
    return requirement.part == 0 if isinstance(requirement, Range) else PART not in requirement.taken


def is_free(requirement: Requirement | None) -> bool:
    """Return whether every row passes this requirement."""
    if isinstance(requirement, Range):
        return requirement == Range()
    return requirement is None or set(requirement.taken) == {YES}


def lowest(requirement: Range) -> float | None:
    """Return the lower bound; infinity if no known number passes."""
    return requirement.low if requirement.is_open else math.inf
