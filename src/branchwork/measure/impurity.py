"""How mixed some rows are, by every criterion, written out plainly. The core has its own, faster words for it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, did_you_mean

Floats = npt.NDArray[np.float64]

UNITS: dict[str, str] = {
    "accuracy": "error rate",
    "entropy": "entropy (bits)",
    "gini": "Gini index",
    "gain_ratio": "entropy (bits)",
    "variance": "variance (n − 1)",
    "squared_error": "mean squared error",
    "poisson": "Poisson deviance",
}
"""What impurity and gain are measured in."""

CLASS_CRITERIA = ("accuracy", "entropy", "gini", "gain_ratio")
VALUE_CRITERIA = ("variance", "squared_error", "poisson")

ZERO_GAIN = 1e-12
"""A gain is zero within this share of the node's impurity."""
ONE_ROW = 1 + 1e-9
"""Shares of rows that add up to one row count as one, whatever rounding makes of their sum."""


def impurity_of_counts(criterion: str, counts: Floats) -> float:
    """The impurity of rows of classes, from the weight of each class.

    >>> impurity_of_counts("gini", np.array([1.0, 1.0])), impurity_of_counts("accuracy", np.array([3.0, 1.0]))
    (0.5, 0.25)
    """
    if criterion not in CLASS_CRITERIA:
        raise _unknown(criterion, CLASS_CRITERIA)
    weight = float(counts.sum())
    if weight <= 0:
        return 0.0
    shares = counts[counts > 0] / weight
    if criterion == "gini":
        return max(0.0, 1 - float((shares**2).sum()))
    if criterion == "accuracy":
        return max(0.0, 1 - float(shares.max()))
    return abs(float((shares * np.log2(shares)).sum()))


def impurities_of_counts(criterion: str, counts: Floats) -> Floats:
    """The impurity of every node of a tree, from the weight of each class in it (nodes × classes)."""
    if criterion not in CLASS_CRITERIA:
        raise _unknown(criterion, CLASS_CRITERIA)
    weight = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(weight > 0, weight, 1)
    if criterion == "gini":
        found = 1 - (shares**2).sum(axis=1)
    elif criterion == "accuracy":
        found = 1 - shares.max(axis=1)
    else:
        found = np.abs((shares * np.log2(shares, out=np.zeros_like(shares), where=shares > 0)).sum(axis=1))
    return np.where(weight[:, 0] > 0, np.maximum(found, 0.0), 0.0)


def impurity_of_values(criterion: str, values: Floats, weights: Floats) -> float:
    """The impurity of rows of numbers.

    >>> [impurity_of_values(name, np.array([1.0, 3.0]), np.ones(2)) for name in ("squared_error", "variance")]
    [1.0, 2.0]
    """
    if criterion not in VALUE_CRITERIA:
        raise _unknown(criterion, VALUE_CRITERIA)
    weight = float(weights.sum())
    if weight <= 0:
        return 0.0
    mean = float(weights @ values) / weight
    if criterion == "poisson":
        return max(0.0, 2 * (float(weights @ _times_log(values)) / weight - float(_times_log(mean))))
    squares = float(weights @ (values - mean) ** 2)
    if criterion == "squared_error":
        return squares / weight
    return squares / (weight - 1) if weight > ONE_ROW else 0.0


def _unknown(criterion: object, known: tuple[str, ...]) -> ParameterError:
    hint = did_you_mean(criterion, known) if isinstance(criterion, str) else ""
    return ParameterError(
        f"criterion={criterion!r} is not known here.{hint} Expected one of {', '.join(map(repr, known))}."
    )


def _times_log(x: Floats | float) -> Floats:
    """x times its natural logarithm; 0 for 0."""
    x = np.asarray(x, np.float64)
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)
