"""A tree as CASE, hardly nested: the way to the largest part of the tree is one list of WHENs.

    CASE
      WHEN x > 3 THEN 'a'                     the root's smaller branch
      WHEN y <= 1 THEN CASE … END             then, where x <= 3, the next step's
      ELSE 'b'
    END

Each step's smaller branches are written where they part from the way, and the way itself goes on below. So a CASE lies
inside another only where a branch has less than half of the leaves: a chain of 20 000 steps is one flat list, and
100 000 leaves are nested at most 16 deep. Databases need that: DuckDB takes expressions 1000 deep, SQLite's reader
gives up at a CASE in a CASE 15 times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from branchwork.errors import ParameterError
from branchwork.export.program import Ask, Leaf, Step
from branchwork.export.sql_tests import conditions
from branchwork.export.sql_words import Dialect, Words

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

MOST_NESTED: dict[Dialect, int] = {"sqlite": 10}
"""CASEs inside each other; measured with SQLite 3.40, whose reader has room for 15 in an empty query."""


def case_of(words: Words, steps: Sequence[Step], value: Callable[[Leaf], Expr]) -> Expr:
    """A tree that shares no rows as one expression; `value` is what a leaf says."""
    sizes = _leaves_below(steps)
    heavy = {at: _heavy_child(step, sizes) for at, step in enumerate(steps) if isinstance(step, Ask)}
    _check_nesting(words.dialect, steps, heavy)
    light = [k for step, child in _asks(steps, heavy) for k in step.children if k != child]
    written: dict[int, Expr] = {}
    for head in sorted(
        [0, *light], reverse=True
    ):  # children come after their parents: a branch is there when needed
        written[head] = _way(words, steps, head, heavy, written, value)
    return written[0]


def _way(
    words: Words,
    steps: Sequence[Step],
    head: int,
    heavy: dict[int, int],
    written: dict[int, Expr],
    value: Callable[[Leaf], Expr],
) -> Expr:
    pairs = []
    at, step = head, steps[head]
    while isinstance(step, Ask):
        tests = conditions(words, step, leaving_out=step.children.index(heavy[at]))
        for below, holds in zip(step.children, tests, strict=True):
            branch = None if below == heavy[at] else written.pop(below)
            if holds is not None and branch is not None:
                pairs.append((holds, branch))
        at = heavy[at]
        step = steps[at]
    return words.case(pairs, value(step))


def _asks(steps: Sequence[Step], heavy: dict[int, int]) -> list[tuple[Ask, int]]:
    return [(step, heavy[at]) for at, step in enumerate(steps) if isinstance(step, Ask)]


def _leaves_below(steps: Sequence[Step]) -> list[int]:
    sizes = [1] * len(steps)
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        if isinstance(step, Ask):
            sizes[at] = sum(sizes[child] for child in step.children)
    return sizes


def _heavy_child(step: Ask, sizes: list[int]) -> int:
    """The child with most leaves; of equal ones the last, so that WHENs read as the tree does."""
    return max(step.children, key=lambda child: (sizes[child], child))


def _check_nesting(dialect: Dialect, steps: Sequence[Step], heavy: dict[int, int]) -> None:
    if dialect not in MOST_NESTED:
        return
    nested = [0] * len(steps)
    for at, step in enumerate(steps):
        if isinstance(step, Ask):
            for child in step.children:
                nested[child] = nested[at] + (child != heavy[at] and isinstance(steps[child], Ask))
    if max(nested) > MOST_NESTED[dialect]:
        raise ParameterError(
            f"This tree needs a CASE inside a CASE {max(nested)} times; SQLite's reader has room for "
            f"{MOST_NESTED[dialect]}. Use form='leaves'."
        )
