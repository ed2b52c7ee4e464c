"""How mixed some rows are, by every criterion, written out plainly. The core has its own, faster words for it.

The functions are for rows of some weight; criteria.py has the table that names them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ZERO_GAIN = 1e-12
"""A gain is zero within this share of the node's impurity."""
ONE_ROW = 1 + 1e-9
"""Shares of rows that add up to one row count as one, whatever rounding makes of their sum."""


# ---- of classes, from the weight of each class


def gini(counts: Floats) -> float:
    """Return the probability that two rows differ in their class."""
    return max(0.0, 1 - float((_shares(counts) ** 2).sum()))


def error_rate(counts: Floats) -> float:
    """Return the share of rows that are not of the majority."""
    return max(0.0, 1 - float(_shares(counts).max()))


def entropy(counts: Floats) -> float:
    """Return the entropy of the classes, in bits."""
    shares = _shares(counts)
    return abs(float((shares * np.log2(shares)).sum()))


def _shares(counts: Floats) -> Floats:
    return counts[counts > 0] / float(counts.sum())


# ---- of classes, of many nodes at once: each row of the counts is a node with rows


def ginis(counts: Floats) -> Floats:
    """Return the Gini index of each node."""
    return np.asarray(1 - (_all_shares(counts) ** 2).sum(axis=1))


def error_rates(counts: Floats) -> Floats:
    """Return the share of rows of each node that its most frequent class gets wrong."""
    return np.asarray(1 - _all_shares(counts).max(axis=1))


def entropies(counts: Floats) -> Floats:
    """Return the entropy of each node, in bits."""
    shares = _all_shares(counts)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs((shares * logs).sum(axis=1)))


def _all_shares(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


# ---- of numbers


def mean_squares(values: Floats, weights: Floats) -> float:
    """Return the mean squared deviation from the mean."""
    return _squares(values, weights) / float(weights.sum())


def variance(values: Floats, weights: Floats) -> float:
    """Return the variance with n − 1; that of one row is 0."""
    weight = float(weights.sum())
    return _squares(values, weights) / (weight - 1) if weight > ONE_ROW else 0.0


def deviance(values: Floats, weights: Floats) -> float:
    """Return the Poisson deviance per row."""
    weight = float(weights.sum())
    mean = float(weights @ values) / weight
    return max(0.0, 2 * (float(weights @ _times_log(values)) / weight - float(_times_log(mean))))


def _squares(values: Floats, weights: Floats) -> float:
    mean = float(weights @ values) / float(weights.sum())
    return float(weights @ (values - mean) ** 2)


def _times_log(x: Floats | float) -> Floats:
    """Return x times its natural logarithm; 0 for 0."""
    x = np.asarray(x, np.float64)
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)
