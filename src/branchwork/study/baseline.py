"""Predict without a model: the most frequent class, or the mean. Every model is compared with this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.measure.losses import SHARE_WRONG, SQUARED_ERROR, Loss
from branchwork.table.target import Classes, Target
from branchwork.tree.split import rounded

MOST_CLASSES = 10
"""The largest number of classes whose counts are shown."""


@dataclass(frozen=True)
class Baseline:
    """A constant prediction and its error: error rate for classes, root mean squared error or deviance for numbers."""

    prediction: Any
    error: float
    counts: dict[Any, float] | None = None
    loss: Loss = SHARE_WRONG

    @property
    def mean_loss(self) -> float:
        """The mean loss of all rows."""
        return self.error**2 if self.loss.name == "squared_error" else self.error

    def __str__(self) -> str:
        """Describe the baseline in a sentence."""
        if self.counts is None:
            mean, error = rounded(self.prediction), rounded(self.error)
            return f"always predict the mean {mean}: {self.loss.root_title} {error}"
        shown = list(self.counts.items())[:MOST_CLASSES]
        counts = [f"{label}: {weight:g}" for label, weight in shown]
        counts += [f"… {len(self.counts) - MOST_CLASSES} more"] * (len(self.counts) > MOST_CLASSES)
        return f"always predict {self.prediction!r} ({', '.join(counts)}): error {self.error:.2%}"


def baseline(target: Target, loss: Loss = SQUARED_ERROR) -> Baseline:
    """Predict the most frequent class (ties go to the earlier label) or the mean; `loss` judges numbers.

    >>> from branchwork.table.target import classes
    >>> print(baseline(classes(["sick", "well", "sick", "sick"])))
    always predict 'sick' (sick: 3, well: 1): error 25.00%
    """
    if isinstance(target, Classes):
        counts, total = target.counts, target.counts.sum()
        mode = int(np.argmax(counts))
        table = {
            target.labels[k]: float(counts[k]) for k in np.argsort(-counts, kind="stable") if counts[k] > 0
        }
        return Baseline(target.labels[mode], float(1 - counts[mode] / total), table)
    mean = float(np.average(target.values, weights=target.weights))
    each = loss.of_rows(np.full(len(target), mean), target.values)
    return Baseline(mean, float(loss.in_units(np.average(each, weights=target.weights))), None, loss)
