"""The prediction that needs no model: the most frequent class, or the mean. Shown beside every model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.table.target import Classes, Target


@dataclass(frozen=True)
class Baseline:
    """What always to answer, and how wrong that is: error rate for classes, root mean squared error for numbers."""

    prediction: Any
    error: float
    counts: dict[Any, float] | None = None

    def __str__(self) -> str:
        """Tell it in a sentence."""
        if self.counts is None:
            return f"always predict the mean {self.prediction:.6g}: root mean squared error {self.error:.6g}"
        counts = " : ".join(f"{label} {weight:g}" for label, weight in self.counts.items())
        return f"always predict {self.prediction!r} ({counts}): error {self.error:.2%}"


def baseline(target: Target) -> Baseline:
    """Predict the mode (ties: the earlier label) or the mean.

    >>> from branchwork.table.target import classes
    >>> print(baseline(classes(["sick", "well", "sick", "sick"])))
    always predict 'sick' (sick 3 : well 1): error 25.00%
    """
    if isinstance(target, Classes):
        counts, total = target.counts, target.counts.sum()
        mode = int(np.argmax(counts))
        table = {
            target.labels[k]: float(counts[k]) for k in np.argsort(-counts, kind="stable") if counts[k] > 0
        }
        return Baseline(target.labels[mode], float(1 - counts[mode] / total), table)
    mean = float(np.average(target.values, weights=target.weights))
    return Baseline(mean, float(np.sqrt(np.average((target.values - mean) ** 2, weights=target.weights))))
