"""How far predictions are from the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from branchwork.errors import DataError


def error_rate(truth: Sequence[Hashable] | Any, predicted: Sequence[Hashable] | Any) -> float:
    """Return the share of rows whose prediction is wrong.

    >>> error_rate(["a", "b", "b"], ["a", "a", "b"])
    0.3333333333333333
    """
    pairs = _pairs(truth, predicted)
    return sum(bool(t != p) for t, p in pairs) / len(pairs)


def accuracy(truth: Sequence[Hashable] | Any, predicted: Sequence[Hashable] | Any) -> float:
    """Return the share of rows whose prediction is right.

    >>> accuracy([1, 0, 1, 1], [1, 0, 0, 1])
    0.75
    """
    pairs = _pairs(truth, predicted)
    return sum(bool(t == p) for t, p in pairs) / len(pairs)


def confusion(
    truth: Sequence[Hashable] | Any, predicted: Sequence[Hashable] | Any
) -> dict[Any, dict[Any, int]]:
    """Count the rows of each true label by predicted label.

    >>> confusion(["a", "b", "b"], ["a", "a", "b"])
    {'a': {'a': 1, 'b': 0}, 'b': {'a': 1, 'b': 1}}
    """
    pairs = Counter(_pairs(truth, predicted))
    labels = list(dict.fromkeys(label for pair in pairs for label in pair))
    return {t: {p: pairs[t, p] for p in labels} for t in labels}


def root_mean_squared_error(truth: Any, predicted: Any) -> float:
    """Return the root of the mean squared difference.

    >>> root_mean_squared_error([1, 2], [1, 4])
    1.4142135623730951
    """
    differences = np.asarray(truth, np.float64) - np.asarray(predicted, np.float64)
    return float(np.sqrt(np.mean(differences**2)))


def _pairs(truth: Any, predicted: Any) -> list[tuple[Any, Any]]:
    truth, predicted = list(truth), list(predicted)
    if len(truth) != len(predicted) or not truth:
        raise DataError(
            f"{len(truth)} true and {len(predicted)} predicted labels; expected as many of both, at least one."
        )
    return list(zip(truth, predicted, strict=True))
