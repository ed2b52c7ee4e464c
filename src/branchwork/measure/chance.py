"""Could chance have made this? Pearson's chi-square for counts, the F test for means, Holm's method for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def chi_square(counts: Floats) -> tuple[float, float]:
    """Return Pearson's statistic of a table of counts (branches × classes), and its p-value.

    Rows and columns without counts are left out. With one row or one column there is nothing to test: p is 1.

    >>> statistic, p = chi_square(np.array([[10.0, 0.0], [0.0, 10.0]]))
    >>> statistic, f"{p:.3g}"
    (20.0, '7.74e-06')
    """
    observed = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    freedom = (observed.shape[0] - 1) * (observed.shape[1] - 1)
    if freedom <= 0:
        return 0.0, 1.0
    expected = observed.sum(axis=1, keepdims=True) * observed.sum(axis=0, keepdims=True) / observed.sum()
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return statistic, p_of_chi_square(statistic, freedom)


def p_of_chi_square(statistic: float, freedom: float) -> float:
    """Return the p-value of a chi-square. Without degrees of freedom there is nothing to test, and it is 1."""
    from scipy.special import chdtrc

    return float(chdtrc(freedom, statistic)) if freedom > 0 else 1.0


def f_test(weight: Floats, mean: Floats, within: float) -> tuple[float, float]:
    """Return the F statistic of groups with these weights and means, and its p-value.

    `within`: squared deviations from the groups' own means. Groups of no spread that differ cannot be chance: p is 0.
    """
    weight, mean = weight[weight > 0], mean[weight > 0]
    groups, freedom = len(weight) - 1, float(weight.sum()) - len(weight)
    if groups <= 0 or freedom <= 0:
        return 0.0, 1.0
    centre = float((weight * mean).sum() / weight.sum())
    between = float((weight * (mean - centre) ** 2).sum())
    if within <= 0:
        return (np.inf, 0.0) if between > 0 else (0.0, 1.0)
    statistic = between / groups / (within / freedom)
    return statistic, p_of_f(statistic, groups, freedom)


def p_of_f(statistic: float, freedom: float, within: float) -> float:
    """Return the p-value of an F statistic, given the degrees of freedom between and within groups."""
    from scipy.special import fdtrc

    if freedom <= 0 or within <= 0:
        return 1.0
    return float(fdtrc(freedom, within, statistic)) if statistic < np.inf else 0.0


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number by Holm's method; None stays None and does not count.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    tests = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    found: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, k) in enumerate(tests):
        largest = max(largest, min(1.0, (len(tests) - rank) * p))
        found[k] = largest
    return found
