"""The rounds of AdaBoost: what each tree got wrong, how much its vote counts, and how the weights of rows grow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.model.model import Model
from branchwork.table.shown import first_lines
from branchwork.table.text_table import plain_table, terminal_width
from branchwork.table.wide_text import fold
from branchwork.tree.tree import Tree
from branchwork.view.chart import Series, bar_chart, dot_rows
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg

MOST_LINES = 30
"""Rounds that a printed table has at most; the first and the last ones are shown."""
MOST_DOTS = 80
"""Rows that a picture of weights shows at most."""
WRONG = "* the tree of this round is wrong about the row"


class Stage(NamedTuple):
    """One round.

    Parameters
    ----------
    number : counted from 1.
    error : the weighted share of rows that the tree of this round got wrong.
    confidence : how much its vote counts.
    tree : the tree.
    """

    number: int
    error: float
    confidence: float
    tree: Tree


class Stages(Sequence[Stage]):
    """The rounds, as a list that can be printed and drawn."""

    def __init__(self, stages: Iterable[Stage]) -> None:
        self._stages = tuple(stages)

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self._stages)

    def __getitem__(self, at: Any) -> Any:
        """Return a round, or some of them."""
        return self._stages[at]

    def __str__(self) -> str:
        """Show the rounds as a table; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines of the table."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(), str(self))

    def to_text(self, *, width: int | None = None) -> str:
        """Return the rounds as a table: number, weighted error, confidence and size of the tree.

        `width` is the columns that lines may take, where the least important columns are left out; None: any number.
        """
        lines = [
            (str(s.number), f"{s.error:.4f}", f"{s.confidence:.4f}", str(s.tree.n_leaves))
            for s in _ends(self._stages)
        ]
        head = ("round", "error", "confidence", "leaves")
        return "\n".join(
            [plain_table(head, lines, room=width), *_more(len(self._stages) - len(lines))],
        )

    def to_svg(self, *, theme: ThemeName = "auto") -> Svg:
        """Draw the weighted error and the confidence of every round."""
        names = [str(stage.number) for stage in self._stages]
        return bar_chart(
            names,
            [
                Series("weighted error", [stage.error for stage in self._stages]),
                Series("confidence", [stage.confidence for stage in self._stages]),
            ],
            title="Rounds of AdaBoost",
            theme=theme,
        )


class StageWeights:
    """The weights that the rows had in every round.

    Parameters
    ----------
    weights : (rounds, rows); each round sums to 1. `numpy.asarray` gives this array.
    wrong : (rounds, rows): which rows the tree of the round got wrong; None: a regression has no right and wrong.
    """

    def __init__(self, weights: npt.NDArray[np.float64], wrong: npt.NDArray[np.bool_] | None) -> None:
        self.weights, self.wrong = weights, wrong

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the weights as an array."""
        return np.array(self.weights, dtype=dtype, copy=True if copy is None else copy)

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.weights)

    def __getitem__(self, at: Any) -> Any:
        """Return some of the weights."""
        return self.weights[at]

    @property
    def shape(self) -> tuple[int, ...]:
        """Rounds and rows."""
        return self.weights.shape

    def __str__(self) -> str:
        """Show the weights as a table; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines of the table."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(), str(self))

    def to_text(self, *, width: int | None = None) -> str:
        """Return a table with a line per row and a column per round, of the first rows and rounds.

        `width` is the columns that lines may take, where the last rounds are left out; None: any number.
        """
        rounds = range(min(len(self.weights), 8))
        rows = range(min(self.weights.shape[1], MOST_LINES))
        lines = [
            (str(row), *(f"{self.weights[k, row]:.4f}{self._mark(k, row)}" for k in rounds)) for row in rows
        ]
        table = plain_table(("row", *(f"round {k + 1}" for k in rounds)), lines, room=width)
        hidden = len(self.weights) - len(rounds)
        return "\n".join(
            [
                table,
                *_more(self.weights.shape[1] - len(rows)),
                *([f"… and {hidden} more rounds"] if hidden else []),
                *([] if self.wrong is None else fold(WRONG, width)),
            ]
        )

    def _mark(self, k: int, row: int) -> str:
        if self.wrong is None:
            return ""
        return "*" if self.wrong[k, row] else " "

    def to_svg(self, *, rounds: int = 6, theme: ThemeName = "auto") -> Svg:
        """Draw the weights of the first rounds: a dot per row, as large as its weight; wrong rows are marked."""
        shown = min(rounds, len(self.weights))
        rows = min(self.weights.shape[1], MOST_DOTS)
        return dot_rows(
            [f"round {k + 1}" for k in range(shown)],
            self.weights[:shown, :rows],
            None if self.wrong is None else self.wrong[:shown, :rows],
            title="Weights of the rows, round by round",
            note="" if rows == self.weights.shape[1] else f"the first {rows} of {self.weights.shape[1]} rows",
            theme=theme,
        )


def stages_of(model: Model) -> Stages:
    """Return the rounds of a model that AdaBoost made."""
    errors = [error for _, error in model.ensemble.errors] if model.ensemble is not None else []
    return Stages(
        Stage(k + 1, error, weight, tree)
        for k, (error, weight, tree) in enumerate(
            zip(errors, model.combine.weights, model.trees, strict=True)
        )
    )


def _ends(stages: Sequence[Stage]) -> Sequence[Stage]:
    if len(stages) <= MOST_LINES:
        return stages
    return [*stages[: MOST_LINES - 5], *stages[-5:]]


def _more(hidden: int) -> list[str]:
    """Return the line that counts what is left out; nothing if nothing is."""
    return [f"… {hidden} more"] if hidden > 0 else []
