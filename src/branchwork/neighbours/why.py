"""Explain a prediction by its neighbours: which rows they are, how far away, and how much each counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchwork.neighbours.votes import strengths
from branchwork.table.one_row import one_row
from branchwork.table.shown import first_lines
from branchwork.table.target import Classes
from branchwork.table.text_table import terminal_width, text_table
from branchwork.table.wide_text import fold
from branchwork.tree.outputs import likeliest
from branchwork.tree.split import answer_text, category, harmless, number, rounded

if TYPE_CHECKING:
    from branchwork.neighbours.model import Neighbours

MOST_FEATURES = 8
"""The number of columns of a neighbour that the text shows; `to_dict` has all."""


@dataclass(frozen=True)
class Neighbour:
    """One neighbour: its training row, distance, share of all votes, class or number, and cells."""

    row: int
    distance: float
    vote: float
    answer: Any
    cells: dict[str, Any]


@dataclass(frozen=True)
class NeighboursWhy:
    """The neighbours of one row.

    Parameters
    ----------
    prediction : the class or the number.
    votes : the share of the votes of each class that got any, most first; None for numbers.
    neighbours : nearest first.
    metric, weights : how distances are measured, and how neighbours count.
    row : the row itself.
    target : the name of what is predicted; None: not known.
    """

    prediction: Any
    votes: tuple[tuple[Any, float], ...] | None
    neighbours: tuple[Neighbour, ...]
    metric: str
    weights: str
    row: dict[str, Any]
    target: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "prediction": self.prediction,
            "votes": None if self.votes is None else [{"label": k, "share": v} for k, v in self.votes],
            "metric": self.metric,
            "weights": self.weights,
            "row": self.row,
            "neighbours": [vars(one) for one in self.neighbours],
        }

    def to_text(self, *, width: int | None = None) -> str:
        """Return the answer, and a line for each neighbour; with a width, as many features as there is room for."""
        names = list(self.row)[:MOST_FEATURES]
        head = ["row", "distance", "vote", self.target or "answer", *names]
        lines = [
            [str(one.row), rounded(one.distance), f"{one.vote:.1%}", _shown(one.answer)]
            + [_cell(one.cells[name]) for name in names]
            for one in self.neighbours
        ]
        asked = ["asked", "", "", "", *(_cell(self.row[name]) for name in names)]
        header, *rows = [[harmless(cell) for cell in line] for line in (head, asked, *lines)]
        table = text_table(header, rows, words=range(len(head)), spare=names[::-1], room=width)
        left_out = len(self.row) - len(names) + len(table.left_out)
        more = [f"{left_out} more feature{'s' * (left_out > 1)} in to_dict()"] if left_out else []
        return "\n".join([*fold(self._title(), width), "", *table.lines, *more])

    def _title(self) -> str:
        """Return the answer, and how the neighbours come to it."""
        n = len(self.neighbours)
        nearest = "nearest neighbour" if n == 1 else f"nearest {n} neighbours"
        answer = answer_text(self.target, harmless(_shown(self.prediction)))
        if self.votes is None:
            how = "weighted by distance" if self.weights == "distance" else "all counting the same"
            return f"{answer}, the mean of the {nearest} ({how}, {self.metric} distance)"
        how = "votes weighted by distance" if self.weights == "distance" else "equal votes"
        shares = ", ".join(f"{harmless(_shown(label))}: {share:.1%}" for label, share in self.votes)
        return f"{answer}, by the {nearest} ({shares}; {how}, {self.metric} distance)"

    def __str__(self) -> str:
        """Show the neighbours; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines of the text."""
        return first_lines(str(self))


def _shown(answer: Any) -> str:
    return rounded(answer) if isinstance(answer, float) else category(answer)


def _cell(value: Any) -> str:
    """Return a cell of a row, which is told as it is."""
    if value is None:
        return "?"
    return number(value) if isinstance(value, float) else category(value)


def neighbours_why(model: Neighbours, row: Any) -> NeighboursWhy:
    """Explain the prediction for one row."""
    table = model.table(one_row(row, model.schema))
    found = model.find(table)
    (outputs,) = model.outputs_of(found)
    amounts = found.shares * strengths(found, model.weights, model.power)
    votes = (amounts / amounts.sum()).tolist()
    target = model.answers
    if isinstance(target, Classes):
        told = [target.labels[code] for code in target.codes[found.rows].tolist()]
        prediction = target.labels[int(likeliest(outputs[None, :])[0])]
        order = sorted(np.flatnonzero(outputs > 0).tolist(), key=lambda code: (-outputs[code], code))
        shares = tuple((target.labels[code], float(outputs[code])) for code in order)
    else:
        told, prediction, shares = target.values[found.rows].tolist(), float(outputs[0]), None
    near = model.rows.take(found.rows)
    lines = zip(found.rows.tolist(), found.distances.tolist(), votes, told, strict=True)
    neighbours = tuple(
        Neighbour(at, distance, vote, answer, near.row(k))
        for k, (at, distance, vote, answer) in enumerate(lines)
    )
    given = one_row(row, model.schema).row(0)
    return NeighboursWhy(prediction, shares, neighbours, model.metric, model.weights, given, model.target)
