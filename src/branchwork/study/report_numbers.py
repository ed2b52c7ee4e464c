"""Figures about predicted numbers, as functions of how often each row counts: what the bootstrap measures again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from branchwork.study.report_answers import Answers, Floats


@dataclass(frozen=True, eq=False)
class NumberScores:
    """Squared and absolute errors of predicted numbers, R² and the mean error."""

    answers: Answers

    names = ("mse", "rmse", "mae", "r2", "bias")

    @cached_property
    def residuals(self) -> Floats:
        """The right answer less the given one, for each row."""
        return np.asarray(self.answers.truth - self.answers.said)

    @cached_property
    def _columns(self) -> Floats:
        """What is summed over rows: the weight, the error, its square and size, and the target about its mean."""
        error, centred = self.residuals, self.answers.truth - self.answers.truth.mean()
        parts = np.array([np.ones(len(error)), error, error**2, np.abs(error), centred, centred**2])
        return np.asarray(parts * self.answers.mass)

    def figures(self, counts: Floats) -> Floats:
        """Return mean squared error, its root, mean absolute error, R² and the mean error."""
        total, error, squared, size, centred, spread = (self._columns @ counts).tolist()
        scatter = spread - centred * centred / total
        r2 = 1 - squared / scatter if scatter > 0 else float("nan")
        return np.array([squared / total, np.sqrt(squared / total), size / total, r2, error / total])
