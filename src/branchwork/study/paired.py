"""Test a difference that was measured by resampling: the corrected t-test of Nadeau and Bengio (2003).

The training parts of folds overlap, so errors of different folds are not independent, and the ordinary t-test finds
differences where there are none. The correction adds the ratio of test rows to training rows to the variance:

    t = mean / sqrt((1 / folds + n_test / n_train) · s²),    folds − 1 degrees of freedom

Folds of different sizes count by their rows, so that the mean is the difference over all test rows. Then 1 / folds
becomes the sum of the squared shares, and s² is the weighted variance; with equal folds both are the same as above.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
"""The share of intervals that should contain the true value."""


class Paired(NamedTuple):
    """A mean over folds, its corrected standard error, and the test of whether it is 0; NaN with a single fold."""

    mean: float
    standard_error: float
    t: float
    p_value: float
    low: float
    high: float


def corrected(numbers: Floats, sizes: Floats, ratio: float) -> Paired:
    """Return the corrected test of some numbers, one per fold.

    Parameters
    ----------
    numbers : the error of a learner in each fold, or the difference of the errors of two.
    sizes : the number of test rows in each fold, or their weight.
    ratio : test rows per training row.

    >>> found = corrected(np.array([0.1, 0.2, 0.3]), np.array([5.0, 5.0, 5.0]), 0.5)
    >>> round(found.mean, 3), round(found.standard_error, 4), round(found.p_value, 4)
    (0.2, 0.0913, 0.1598)
    """
    from scipy.stats import t as student

    shares = sizes / sizes.sum()
    mean, freedom = float(shares @ numbers), len(numbers) - 1
    if freedom < 1:
        return Paired(mean, *[math.nan] * 5)
    squares = float((shares**2).sum())
    variance = float(shares @ (numbers - mean) ** 2) / (1 - squares)
    error = math.sqrt((squares + ratio) * variance)
    reach = float(student.ppf((1 + LEVEL) / 2, freedom)) * error
    if error <= 1e-15 * max(1.0, float(np.abs(numbers).max())):  # all folds have the same difference
        t = 0.0 if abs(mean) <= 1e-15 else math.copysign(math.inf, mean)
        return Paired(mean, 0.0, t, 1.0 if t == 0 else 0.0, mean, mean)
    t = mean / error
    return Paired(mean, error, t, float(2 * student.sf(abs(t), freedom)), mean - reach, mean + reach)
