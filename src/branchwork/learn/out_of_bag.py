"""Compute out-of-bag predictions: every row is predicted only by the trees that were grown without it.

A bootstrap sample leaves out about 37 % of the rows, so a forest can test itself while it grows: for each row, the
outputs of the trees that were grown without it are combined as the whole forest combines them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from branchwork.learn.sampling import Copies
from branchwork.learn.threads import in_columns, in_threads
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.outputs import likeliest
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Answers = tuple[npt.NDArray[np.intp], Floats]
"""Rows, and what a tree predicts for them."""


class OutOfBag:
    """Sums of what the trees predict for rows that they were grown without.

    Parameters
    ----------
    frame : a model with the schema, the labels and the way of combining; its trees are not used.
    table, target : the rows of the fit. The weights of the target say how much each row counts in the error.
    """

    def __init__(self, frame: Model, table: Table, target: Target, n_jobs: int = 1) -> None:
        self._frame, self._table, self._target = frame, in_columns(table), target
        self._n_jobs = n_jobs
        width = 1 if frame.labels is None else len(frame.labels)
        self._sums = np.zeros((table.n_rows, width))
        self._trees = np.zeros(table.n_rows, np.int64)

    def ask(self, trees: Sequence[Tree], copies: Sequence[Copies]) -> Iterator[Answers]:
        """Let trees predict the rows that each was grown without, one tree per thread; the results come in order."""
        return in_threads(self._ask, trees, copies, n_jobs=self._n_jobs)

    def _ask(self, tree: Tree, copies: Copies) -> Answers:
        rows = np.flatnonzero(copies == 0)
        if not rows.size:
            return rows, np.empty((0, self._sums.shape[1]))
        frame = self._frame
        ask = frame.votes_of if frame.combine.takes_votes else frame.outputs_of
        return rows, ask(tree, self._table.take(rows))

    def add(self, answers: Answers) -> None:
        """Add the predictions of one more tree.

        Sums of floats depend on their order, so trees must be added in order.
        """
        rows, outputs = answers
        self._sums[rows] += outputs
        self._trees[rows] += 1

    @property
    def answered(self) -> npt.NDArray[np.bool_]:
        """Whether at least one tree was grown without the row."""
        return self._trees > 0

    @property
    def outputs(self) -> Floats:
        """Probabilities of all labels, or the number, for each row; NaN where no tree was grown without it."""
        with np.errstate(invalid="ignore"):
            return self._sums / self._trees[:, None]

    @property
    def error(self) -> float:
        """Return the error rate or mean squared error, by weight, over the predicted rows; NaN if there are none."""
        return self._of_answered(self._wrong())

    @property
    def score(self) -> float:
        """Return the accuracy or R², by weight, over the predicted rows; NaN if there are none."""
        if isinstance(self._target, Classes):
            return 1 - self.error
        rows, weights = self.answered, self._weights()
        if rows.sum() < 2:
            return float("nan")
        truth = self._target.values
        centre = np.average(truth[rows], weights=weights[rows])
        spread = self._of_answered((truth - centre) ** 2)
        if spread == 0:
            return 1.0 if self.error == 0 else 0.0
        return 1 - self.error / spread

    def _wrong(self) -> Floats:
        rows = self.answered
        wrong = np.zeros(len(rows))
        answers = self._sums[rows] / self._trees[rows][:, None]
        if isinstance(self._target, Classes):
            wrong[rows] = likeliest(answers) != self._target.codes[rows]
        else:
            wrong[rows] = (answers[:, 0] - self._target.values[rows]) ** 2
        return wrong

    def _weights(self) -> Floats:
        weights = self._target.sample_weights
        return np.ones(len(self._target)) if weights is None else weights

    def _of_answered(self, numbers: Floats) -> float:
        rows = self.answered
        return float(np.average(numbers[rows], weights=self._weights()[rows])) if rows.any() else float("nan")
