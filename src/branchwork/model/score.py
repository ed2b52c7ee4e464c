"""Score predictions as scikit-learn does: accuracy for classes, R² for numbers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.table.target import Target, classes, values


def accuracy(
    labels: tuple[Hashable, ...], decisions: npt.NDArray[np.intp], y: Any, sample_weight: Any = None
) -> float:
    """Return the accuracy, by weight; a row with a label that did not occur in training is always wrong.

    `decisions` are the positions in `labels` of the predicted classes.
    """
    target = classes(y, sample_weight)
    _check_length(len(decisions), target)
    position = {label: code for code, label in enumerate(labels)}
    known = np.array([position.get(label, -1) for label in target.labels], np.intp)
    return float(np.average(known[target.codes] == decisions, weights=target.weights))


def r_squared(predicted: npt.NDArray[np.float64], y: Any, sample_weight: Any = None) -> float:
    """Return 1 − (squared errors) / (squared errors of the mean); if y is constant, 1 if all is right, else 0.

    For a single row, R² is not defined: NaN.
    """
    target = values(y, sample_weight)
    _check_length(len(predicted), target)
    truth, weights = target.values, np.ones(len(target)) if target.weights is None else target.weights
    if len(truth) < 2:
        return float("nan")
    errors = float((weights * (truth - predicted) ** 2).sum())
    spread = float((weights * (truth - np.average(truth, weights=weights)) ** 2).sum())
    if spread == 0:
        return 1.0 if errors == 0 else 0.0
    return 1 - errors / spread


def _check_length(n_rows: int, target: Target) -> None:
    if n_rows != len(target):
        raise DataError(f"X has {n_rows} rows, but y has {len(target)}.")
