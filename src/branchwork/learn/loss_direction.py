"""Warn of a loss matrix that is given, or read, the wrong way round: rows are true classes, columns predicted ones.

Such a matrix makes splits costly, and cross-validation prefers a single leaf. So when it does, and the costs of two
classes differ by direction, the same tree is judged the other way round. A warning says what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.errors import LossWarning, warn
from branchwork.learn.prune_cv import CpTable
from branchwork.table.text_table import plain_table, terminal_width
from branchwork.tree.split import category, harmless

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LossTable:
    """What errors cost, with the names of rows and columns.

    Parameters
    ----------
    labels : the classes, in order.
    costs : costs[c, k] is the cost of predicting class k where class c is true.

    >>> print(LossTable(("ill", "well"), np.array([[0.0, 5.0], [1.0, 0.0]])))
    true class  predicted: ill  predicted: well
    ill                      0                5
    well                     1                0
    """

    labels: tuple[Hashable, ...]
    costs: Floats

    def __str__(self) -> str:
        """Show a row for each true class."""
        names = [harmless(category(label)) for label in self.labels]
        costs = [[f"{cost:g}" for cost in row] for row in self.costs.tolist()]
        rows = [[name, *row] for name, row in zip(names, costs, strict=True)]
        head = ["true class", *(f"predicted: {name}" for name in names)]
        return plain_table(head, rows, words={0}, room=terminal_width())

    def __repr__(self) -> str:
        """Show the table."""
        return str(self)


Learn = Callable[[Floats, bool], CpTable]
"""Learn with a loss matrix, judged as rpart does or not, and return the table of complexities."""


def warn_of_direction(found: CpTable, losses: LossTable, as_rpart: bool, learn: Learn) -> None:
    """Warn if cross-validation finds every split harmful, but would not with truth and prediction exchanged."""
    if np.array_equal(losses.costs, losses.costs.T):
        return
    if splits_help(learn(losses.costs, False) if as_rpart else found):
        if as_rpart and not splits_help(found):
            warn(
                "Cross-validation finds every split harmful, because in rpart's style it takes the loss of predicting "
                "k where c is true from loss[k][c], as rpart does, while splits and answers take it from loss[c][k]. "
                f"With style='plain', both take it from loss[c][k], and splits help. The losses are:\n{losses}",
                LossWarning,
            )
    elif splits_help(learn(losses.costs.T, False)):
        warn(
            "With these losses, cross-validation finds every split harmful, but not with rows and columns exchanged. "
            f"loss[c][k] is the cost of predicting k where c is true:\n{losses}\n"
            "If it is meant the other way round, transpose it.",
            LossWarning,
        )


def splits_help(found: CpTable) -> bool:
    """Return whether any tree of the table has a smaller error in cross-validation than a single leaf."""
    errors = found["xerror"]
    return min(errors) < errors[0]
