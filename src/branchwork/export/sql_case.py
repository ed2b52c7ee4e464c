"""A tree as CASE, hardly nested: the path to the largest part of the tree is one list of WHENs.

    CASE
      WHEN x > 3 THEN 'a'                     the smaller branch of the root
      WHEN y <= 1 THEN CASE … END             then, if x <= 3, that of the next step
      ELSE 'b'
    END

The smaller branches of each step are written where they leave this path, and the path itself goes on below. So a CASE
is inside another only if a branch has less than half of the leaves: a chain of 20 000 steps is one flat list, and
100 000 leaves are nested at most 16 deep. Databases need that: DuckDB takes expressions 1000 deep, and SQLite's parser
fails at 15 nested CASEs.

If rows are shared by weight, the CASE answers only for rows with a single path, and is NULL for the others. Missing
values and unseen categories are tested before all steps, so that no step has to.
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
"""The largest number of nested CASEs; measured with SQLite 3.40, whose parser has room for 15 in an empty query."""


def case_of(words: Words, steps: Sequence[Step], value: Callable[[Leaf], Expr]) -> Expr:
    """Return a tree as one expression; `value` is what a leaf answers. It is NULL for a row shared by weight."""
    heavy = _heavy_children(steps)
    nested = _nesting(steps, heavy)
    if nested > MOST_NESTED.get(words.dialect, nested):
        raise ParameterError(
            f"This tree needs {nested} nested CASEs; SQLite's parser has room for "
            f"{MOST_NESTED[words.dialect]}. Use form='leaves'."
        )
    light = [k for step, child in _asks(steps, heavy) for k in step.children if k != child]
    written: dict[int, Expr] = {}
    for head in sorted(
        [0, *light], reverse=True
    ):  # children come after their parents, so a branch is there when needed
        written[head] = _way(words, steps, head, heavy, written, value)
    sharing = {step.field for step in steps if isinstance(step, Ask) and step.missing == SHARED}
    return words.guarded([unknown(words, field) for field in sorted(sharing)], written[0])


def is_readable(dialect: Dialect, steps: Sequence[Step]) -> bool:
    """Return whether a dialect can read a CASE that is nested as deeply as this tree needs."""
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
    """Return the child with the most leaves for each step; in a tie the last, so that WHENs follow the tree."""
    sizes = [1] * len(steps)
    heavy: dict[int, int] = {}
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        if isinstance(step, Ask):
            sizes[at] = sum(sizes[child] for child in step.children)
            heavy[at] = max(step.children, key=lambda child: (sizes[child], child))
    return heavy


def _nesting(steps: Sequence[Step], heavy: dict[int, int]) -> int:
    """Return how deeply CASEs are nested."""
    nested = [0] * len(steps)
    for at, step in enumerate(steps):
        if isinstance(step, Ask):
            for child in step.children:
                nested[child] = nested[at] + (child != heavy[at] and isinstance(steps[child], Ask))
    return max(nested)
