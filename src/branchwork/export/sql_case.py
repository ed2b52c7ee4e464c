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

Where rows are shared by weight, the CASE answers only for rows that go one way, and is NULL for the others. Cells that
are missing, or that training never saw, are looked for before all steps, so that no step has to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from branchwork.errors import ParameterError
from branchwork.export.program import SHARED, Ask, Leaf, Step
from branchwork.export.sql_tests import conditions, shared_codes, unknown
from branchwork.export.sql_words import Dialect, Words

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

MOST_NESTED: dict[Dialect, int] = {"sqlite": 10}
"""CASEs inside each other; measured with SQLite 3.40, whose reader has room for 15 in an empty query."""


def case_of(words: Words, steps: Sequence[Step], value: Callable[[Leaf], Expr]) -> Expr:
    """A tree as one expression; `value` is what a leaf says. It is NULL for a row that is shared by weight."""
    heavy = _heavy_children(steps)
    nested = _nesting(steps, heavy)
    if nested > MOST_NESTED.get(words.dialect, nested):
        raise ParameterError(
            f"This tree needs a CASE inside a CASE {nested} times; SQLite's reader has room for "
            f"{MOST_NESTED[words.dialect]}. Use form='leaves'."
        )
    light = [k for step, child in _asks(steps, heavy) for k in step.children if k != child]
    written: dict[int, Expr] = {}
    for head in sorted(
        [0, *light], reverse=True
    ):  # children come after their parents: a branch is there when needed
        written[head] = _way(words, steps, head, heavy, written, value)
    sharing = {step.field for step in steps if isinstance(step, Ask) and step.missing == SHARED}
    return words.guarded([unknown(words, field) for field in sorted(sharing)], written[0])


def is_readable(dialect: Dialect, steps: Sequence[Step]) -> bool:
    """Whether a dialect reads a CASE that is nested as deep as this tree needs."""
    return dialect not in MOST_NESTED or _nesting(steps, _heavy_children(steps)) <= MOST_NESTED[dialect]


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
        if codes := shared_codes(step):
            pairs.append((words.one_of(step.field, codes), words.null()))
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


def _heavy_children(steps: Sequence[Step]) -> dict[int, int]:
    """For each step: its child with most leaves; of equal ones the last, so that WHENs read as the tree does."""
    sizes = [1] * len(steps)
    heavy: dict[int, int] = {}
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        if isinstance(step, Ask):
            sizes[at] = sum(sizes[child] for child in step.children)
            heavy[at] = max(step.children, key=lambda child: (sizes[child], child))
    return heavy


def _nesting(steps: Sequence[Step], heavy: dict[int, int]) -> int:
    """How many CASEs lie inside each other."""
    nested = [0] * len(steps)
    for at, step in enumerate(steps):
        if isinstance(step, Ask):
            for child in step.children:
                nested[child] = nested[at] + (child != heavy[at] and isinstance(steps[child], Ask))
    return max(nested)
