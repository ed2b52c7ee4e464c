"""Steps with substitutes, evaluated beforehand: an ONNX node has only one parent, so each such step gets a column.

All steps are evaluated at once: first their own values, then the first substitutes, and so on. Column k of the answer
is the child of step k, or NaN if nothing is known. The tree then only tests that column.

    own cells      0    NaN   1     NaN
    first          1    1     NaN   NaN
    second         0    0     0     NaN
    ──────────────────────────────────
    answer         0    1     1     NaN       the tree's own rule for missing values decides the last one
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from branchwork.export.onnx_graph import Graph
from branchwork.export.program import AS_MISSING, Ask, Substitute


@dataclass(frozen=True)
class _Question:
    """What one value says: a number up to `cut` says `low`, above it `high`; a category says its entry in `table`."""

    feature: int
    cut: float = math.inf
    low: float = math.nan
    high: float = math.nan
    table: tuple[float, ...] | None = None  # of the codes from -1 (never seen) up


_NOTHING = _Question(0)


def as_steps(asks: Sequence[Ask], first: int) -> list[Ask]:
    """Return the steps as the tree tests them, on the columns from `first` on."""
    return [
        Ask(first + k, ask.children, (0.5,), None, AS_MISSING, (), ask.missing, ())
        for k, ask in enumerate(asks)
    ]


def add_answers(graph: Graph, matrix: str, asks: Sequence[Ask], place: dict[int, int]) -> str:
    """Add the questions to a graph and return the name of the answer. `place` is the matrix column of each field."""
    ranks = 1 + max(len(ask.substitutes) for ask in asks)
    answer = ""
    for rank in range(ranks):
        found = _add_rank(graph, matrix, [_question(ask, rank, place) for ask in asks])
        answer = graph.add("Where", graph.add("IsNaN", answer), found, answer) if answer else found
    return answer


def _question(ask: Ask, rank: int, place: dict[int, int]) -> _Question:
    if rank > len(ask.substitutes):
        return _NOTHING
    if rank > 0:
        return _of_substitute(ask.substitutes[rank - 1], place)
    feature = place[ask.field]
    if ask.child_of is not None:
        return _Question(feature, table=_table(ask.unseen, ask.child_of))
    cut = ask.bounds[0] if ask.bounds else math.inf
    return _Question(feature, cut, 0.0, 1.0)


def _of_substitute(other: Substitute, place: dict[int, int]) -> _Question:
    if other.child_of is not None:
        return _Question(place[other.field], table=_table(AS_MISSING, other.child_of))
    return _Question(place[other.field], other.cut, float(other.low_child), 1.0 - other.low_child)


def _table(unseen: int, child_of: tuple[int, ...]) -> tuple[float, ...]:
    """Return the child of each code, beginning with that of an unseen category; code 0 is used by none."""
    return tuple(
        math.nan if child == AS_MISSING else float(child) for child in (unseen, AS_MISSING, *child_of)
    )


def _add_rank(graph: Graph, matrix: str, questions: list[_Question]) -> str:
    """Add one value of every step: what it says, or NaN."""
    cells = graph.add("Gather", matrix, graph.constant(_integers([q.feature for q in questions])), axis=1)
    unknown = graph.add("IsNaN", cells)
    found = _by_cut(graph, cells, unknown, questions)
    return (
        found
        if all(q.table is None for q in questions)
        else _by_table(graph, cells, unknown, found, questions)
    )


def _by_cut(graph: Graph, cells: str, unknown: str, questions: list[_Question]) -> str:
    cut, low, high = (_floats([getattr(q, name) for q in questions]) for name in ("cut", "low", "high"))
    is_low = graph.add("LessOrEqual", cells, graph.constant(cut))
    found = graph.add("Where", is_low, graph.constant(low), graph.constant(high))
    return graph.add("Where", unknown, graph.constant(np.float64(math.nan)), found)


def _by_table(graph: Graph, cells: str, unknown: str, found: str, questions: list[_Question]) -> str:
    """Look categories up in one table for all steps; its entry 0 says nothing."""
    table, starts = [math.nan], []
    for question in questions:
        starts.append(float(len(table) + 1))  # the slot of code 0
        table.extend(question.table or ())
    is_nominal = graph.constant(np.array([q.table is not None for q in questions]))
    slots = graph.add("Add", cells, graph.constant(_floats(starts)))
    known = graph.add("And", is_nominal, graph.add("Not", unknown))
    slots = graph.add("Where", known, slots, graph.constant(np.float64(0)))
    looked_up = graph.add("Gather", graph.constant(_floats(table)), graph.to_integers(slots), axis=0)
    return graph.add("Where", is_nominal, looked_up, found)


def _integers(numbers: Sequence[int]) -> np.ndarray:
    return np.array(numbers, np.int64)


def _floats(numbers: Sequence[float]) -> np.ndarray:
    return np.array(numbers, np.float64)
