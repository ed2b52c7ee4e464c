"""A step as a sequence of tests: each branch has one, and is taken if the tests before it failed.

    age <= 20 → child 0         numbers; both tests fail for a missing number, so it takes the last branch
    age > 35 → child 2
    otherwise → child 1         from 20 to 35, and missing

Categories are codes here: 0, 1, … in the order of the column, and MISSING and UNSEEN below 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from branchwork.export.program import AS_MISSING, Ask, Field, Substitute
from branchwork.table.table import MISSING, UNSEEN

MOST_BRANCHES = 8
"""A step with more branches than this is written as a binary search, not branch by branch."""


@dataclass(frozen=True)
class AtMost:
    """A number or a code up to a limit."""

    field: int
    limit: float


@dataclass(frozen=True)
class Above:
    """A number above a limit."""

    field: int
    limit: float


@dataclass(frozen=True)
class Known:
    """A number that is not missing."""

    field: int


@dataclass(frozen=True)
class OneOf:
    """One of several codes, which are sorted."""

    field: int
    codes: tuple[int, ...]


Test = AtMost | Above | Known | OneOf


@dataclass(frozen=True)
class Branch:
    """Where a row goes if it passes a test. Without a test: if it failed all tests before."""

    test: Test | None
    child: int


@dataclass(frozen=True)
class Piece:
    """Values above the limit of the piece before and up to this limit go to one child. The last piece has no limit."""

    limit: float | None
    child: int


def is_wide(ask: Ask) -> bool:
    """Return whether a step has too many branches to be written one by one."""
    return len(ask.children) > MOST_BRANCHES and not ask.substitutes


def is_direct(ask: Ask) -> bool:
    """Return whether the step's own value alone sends a row down one branch."""
    return ask.missing >= 0 and not ask.substitutes


def direct(ask: Ask, fields: tuple[Field, ...]) -> list[Branch]:
    """Return the branches of a step whose own value decides. The last one has no test."""
    if ask.child_of is not None:
        groups = _by_child(_child_of_codes(ask, fields))
        last = max(groups, key=lambda child: (len(runs(groups[child])), MISSING in groups[child], child))
        tests = [
            Branch(OneOf(ask.field, tuple(codes)), child) for child, codes in groups.items() if child != last
        ]
        return [*tests, Branch(None, last)]
    if ask.missing > len(ask.bounds):  # missing values have a branch of their own
        return [*known(ask), Branch(None, ask.missing)]
    below = [Branch(AtMost(ask.field, bound), k) for k, bound in enumerate(ask.bounds[: ask.missing])]
    above = [
        Branch(Above(ask.field, bound), k) for k, bound in enumerate(ask.bounds, start=1) if k > ask.missing
    ]
    return [*below, *reversed(above), Branch(None, ask.missing)]


def routed(ask: Ask) -> list[Branch]:
    """Return the branches of any step: by its own value, by its substitutes, and last, without a test, by neither."""
    found = known(ask)
    for other in ask.substitutes:
        found += _substituted(other)
    return [*found, Branch(None, ask.missing)]


def known(ask: Ask) -> list[Branch]:
    """Return the branches that a known value decides for."""
    if ask.child_of is not None:
        child_of = dict(enumerate(ask.child_of)) | {UNSEEN: ask.unseen}
        return _groups(ask.field, child_of)
    found = [Branch(AtMost(ask.field, bound), k) for k, bound in enumerate(ask.bounds)]
    rest = Above(ask.field, ask.bounds[-1]) if ask.bounds else Known(ask.field)
    return [*found, Branch(rest, len(ask.bounds))]


def pieces(ask: Ask, fields: tuple[Field, ...]) -> list[Piece]:
    """Return the pieces of a wide step in order. Categories are all in them; a missing number is in none."""
    if ask.child_of is None:
        return [*(Piece(bound, k) for k, bound in enumerate(ask.bounds)), Piece(None, len(ask.bounds))]
    by_code = sorted(_child_of_codes(ask, fields).items())
    ends = [Piece(code, child) for (code, child), (_, after) in pairwise(by_code) if child != after]
    return [*ends, Piece(None, by_code[-1][1])]


def runs(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Return sorted codes as runs without a gap: the first and last code of each.

    >>> runs([-1, 0, 1, 4])
    [(-1, 1), (4, 4)]
    """
    found: list[tuple[int, int]] = []
    for code in sorted(codes):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def _child_of_codes(ask: Ask, fields: tuple[Field, ...]) -> dict[int, int]:
    """Return the child of every code, including those of missing values and unseen categories."""
    assert ask.child_of is not None
    child_of = {UNSEEN: ask.unseen, MISSING: AS_MISSING} | dict(enumerate(ask.child_of))
    assert len(child_of) == len(fields[ask.field].categories) + 2
    return {code: ask.missing if child == AS_MISSING else child for code, child in child_of.items()}


def _by_child(child_of: dict[int, int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for code, child in sorted(child_of.items()):
        groups.setdefault(child, []).append(code)
    return dict(sorted(groups.items()))


def _groups(field: int, child_of: dict[int, int]) -> list[Branch]:
    return [
        Branch(OneOf(field, tuple(codes)), child)
        for child, codes in _by_child(child_of).items()
        if child != AS_MISSING
    ]


def _substituted(other: Substitute) -> list[Branch]:
    if other.child_of is not None:
        return _groups(other.field, dict(enumerate(other.child_of)))
    return [
        Branch(AtMost(other.field, other.cut), other.low_child),
        Branch(Above(other.field, other.cut), 1 - other.low_child),
    ]
