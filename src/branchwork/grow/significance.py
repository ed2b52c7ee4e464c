"""Do groups of rows differ in the target? Chi-square tests for classes, the F test for numbers.

A table has a row for each category of one column in one node. Rows can be combined, two groups can be compared, and all
groups can be tested together. P-values are SciPy's. Beside each stands its logarithm, which still tells two p-values
apart where both are too small for a float.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Members = npt.NDArray[np.bool_]
"""(groups, categories): which categories are in which group."""

Statistic = Literal["pearson", "likelihood"]

SMALLEST_P = 1e-290
"""Below, the logarithm is computed by itself."""
SMALLEST_LOG = -1e300
"""Stands for the logarithm of zero."""
TERMS = 500
"""Of a continued fraction, at most."""
SO_GOOD_AS_INFINITE = 1e12
"""With so many degrees of freedom below it, F is chi-square."""
LARGEST_F = 1e300
"""Stands for an infinite F."""
NOISE = 1e-28
"""Squares a row, of numbers up to 1, that are rounding and nothing else."""


@dataclass(frozen=True)
class Evidence:
    """Results of tests, one an entry."""

    statistic: Floats
    p_value: Floats
    log_p: Floats


class TargetTable(Protocol):
    """The target of the rows of each category."""

    rows: Floats

    def combine(self, members: Members) -> Floats:
        """Rows of groups of categories."""

    def compare(self, a: Floats, b: Floats) -> Evidence:
        """Test each row of `a` against the same row of `b`; one row may face many."""

    def test(self, groups: Floats) -> Evidence:
        """Test all groups together."""

    def sizes(self) -> Floats:
        """Samples of each category: what limits on samples are compared with."""

    def orders(self) -> list[npt.NDArray[np.intp]]:
        """Orders of the categories in which the best two groups may well be neighbours."""


class ClassTable:
    """Weight of each class in each category: a contingency table, tested by chi-square.

    Only classes that occur count. Degrees of freedom are (groups − 1) · (classes − 1), of classes that occur in the
    groups at hand; where that is zero, p is 1.
    """

    def __init__(self, counts: Floats, statistic: Statistic, per_weight: Floats | None = None) -> None:
        self.unit = 2.0 ** np.frexp(counts.sum())[1]  # a power of two: nothing is rounded, nothing overflows
        self.rows: Floats = counts / self.unit
        self.statistic = statistic
        self.per_weight = per_weight  # samples of each class that a weight of 1 stands for

    def combine(self, members: Members) -> Floats:
        """Rows of groups of categories."""
        return members.astype(np.float64) @ self.rows

    def compare(self, a: Floats, b: Floats) -> Evidence:
        """Test each row of `a` against the same row of `b`.

        Pearson's statistic of two rows is Σ (a_c·|b| − b_c·|a|)² / (|a|·|b|·(a_c + b_c)): exactly zero for rows in
        the same proportions.
        """
        n_a, n_b, both = a.sum(-1, keepdims=True), b.sum(-1, keepdims=True), a + b
        if self.statistic == "pearson":
            terms = _over((a * n_b - b * n_a) ** 2, n_a * n_b * both)
        else:
            n = n_a + n_b
            terms = 2 * (_surprise(a, n_a * both / n) + _surprise(b, n_b * both / n))
        return self._evidence(terms.sum(-1), np.count_nonzero(both, axis=-1) - 1.0)

    def test(self, groups: Floats) -> Evidence:
        """Test all groups together."""
        n_class = groups.sum(0)
        expected = groups.sum(1, keepdims=True) * n_class / n_class.sum()
        if self.statistic == "pearson":
            terms = _over((groups - expected) ** 2, expected)
        else:
            terms = 2 * _surprise(groups, expected)
        freedom = (len(groups) - 1.0) * (np.count_nonzero(n_class) - 1.0)
        return self._evidence(np.array([terms.sum()]), np.array([freedom]))

    def sizes(self) -> Floats:
        """Weight of each category without that of the classes."""
        sums = self.rows.sum(1) if self.per_weight is None else self.rows @ self.per_weight
        return np.asarray(sums * self.unit)

    def orders(self) -> list[npt.NDArray[np.intp]]:
        """Orders of the categories by the share of each class."""
        shares = self.rows / self.rows.sum(1, keepdims=True)
        return [np.argsort(shares[:, c], kind="stable") for c in range(shares.shape[1])]

    def _evidence(self, statistic: Floats, freedom: Floats) -> Evidence:
        statistic = np.maximum(statistic, 0) * self.unit
        return Evidence(statistic, *chi_square_tail(statistic, freedom))


class ValueTable:
    """Weight, mean and squares about the mean of each category, tested by analysis of variance: the F test.

    Degrees of freedom are groups − 1 and weight − groups. Where there are none to speak of, p is 1: nothing is known
    against the groups being alike. Groups without any spread that differ have p = 0. The numbers lie between −1 and 1;
    squares that rounding alone may have made count as zero.
    """

    def __init__(self, weight: Floats, mean: Floats, squares: Floats) -> None:
        self.rows: Floats = np.stack([weight, mean, squares], axis=1)

    def combine(self, members: Members) -> Floats:
        """Rows of groups of categories."""
        weight, mean, squares = self.rows.T
        inside = members.astype(np.float64)
        n = inside @ weight
        centre = inside @ (weight * mean) / n
        spread = (mean - centre[:, None]) ** 2 * weight
        return np.stack([n, centre, inside @ squares + (inside * spread).sum(1)], axis=1)

    def compare(self, a: Floats, b: Floats) -> Evidence:
        """Test each row of `a` against the same row of `b`."""
        n = a[..., 0] + b[..., 0]
        between = a[..., 0] / n * b[..., 0] * (a[..., 1] - b[..., 1]) ** 2
        return self._evidence(between, a[..., 2] + b[..., 2], np.ones_like(n), n - 2, n)

    def test(self, groups: Floats) -> Evidence:
        """Test all groups together."""
        n = groups[:, 0].sum(keepdims=True)
        centre = (groups[:, 0] * groups[:, 1]).sum() / n
        between = (groups[:, 0] * (groups[:, 1] - centre) ** 2).sum(keepdims=True)
        within = groups[:, 2].sum(keepdims=True)
        return self._evidence(between, within, np.array([len(groups) - 1.0]), n - len(groups), n)

    def sizes(self) -> Floats:
        """Weight of each category."""
        return self.rows[:, 0]

    def orders(self) -> list[npt.NDArray[np.intp]]:
        """The order by mean: the best two groups are neighbours in it."""
        return [np.argsort(self.rows[:, 1], kind="stable")]

    def _evidence(self, between: Floats, within: Floats, d1: Floats, d2: Floats, n: Floats) -> Evidence:
        between = np.where(between > NOISE * n, between, 0)
        within = np.where(within > NOISE * n, within, 0)
        has_freedom = d2 > 0
        d2 = np.where(has_freedom, d2, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = np.where((between > 0) & has_freedom, between / d1 / (within / d2), 0)
        return Evidence(f, *f_tail(f, d1, d2))


@cache
def _special() -> Any:
    """SciPy's functions, imported when first needed."""
    import scipy.special

    return scipy.special


def _over(a: Floats, b: Floats) -> Floats:
    """a / b, and 0 where b is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _surprise(observed: Floats, expected: Floats) -> Floats:
    """O · ln(O / E), and 0 where O is."""
    ratio = np.divide(observed, expected, out=np.ones_like(expected), where=(observed > 0) & (expected > 0))
    return observed * np.log(ratio)


def chi_square_tail(x: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Probability of a chi-square above x, and its logarithm. Without freedom it is 1."""
    p = np.where(freedom > 0, _special().chdtrc(np.maximum(freedom, 1), x), 1.0)
    return p, _with_logs(p, lambda at: log_chi_square_tail(x[at], freedom[at]))


def f_tail(f: Floats, d1: Floats, d2: Floats) -> tuple[Floats, Floats]:
    """Probability of an F above f, and its logarithm."""
    p: Floats = _special().fdtrc(d1, np.minimum(d2, SO_GOOD_AS_INFINITE), np.minimum(f, LARGEST_F))
    large = d2 > SO_GOOD_AS_INFINITE
    p = np.where(np.isinf(f), 0.0, p)
    if large.any():
        p = np.where(large, _special().chdtrc(d1, np.minimum(f, LARGEST_F) * d1), p)

    def log_p(at: npt.NDArray[np.intp]) -> Floats:
        as_chi_square = log_chi_square_tail(f[at] * d1[at], d1[at])
        return np.where(large[at], as_chi_square, log_f_tail(f[at], d1[at], d2[at]))

    return p, _with_logs(p, log_p)


def _with_logs(p: Floats, of_small: Callable[[npt.NDArray[np.intp]], Floats]) -> Floats:
    """Logarithms of p-values; those of the smallest are computed by themselves."""
    small = np.flatnonzero(p < SMALLEST_P)
    log_p: Floats = np.log(np.maximum(p, SMALLEST_P))
    if small.size:
        with np.errstate(all="ignore"):
            found = of_small(small)
        log_p[small] = np.maximum(np.where(np.isnan(found), SMALLEST_LOG, found), SMALLEST_LOG)
    return log_p


def log_chi_square_tail(x: Floats, freedom: Floats) -> Floats:
    """Logarithm of a far tail, by the continued fraction of the incomplete gamma function.

    Γ(a, z) = e^−z z^a / (z + 1 − a − 1(1 − a) / (z + 3 − a − 2(2 − a) / (z + 5 − a − …)))
    """
    a, z = freedom / 2, x / 2
    below = z + 2 * TERMS + 1 - a
    for k in range(TERMS, 0, -1):
        below = z + 2 * k - 1 - a - k * (k - a) / below
    return np.asarray(a * np.log(z) - z - np.log(below) - _special().gammaln(a))


def log_f_tail(f: Floats, d1: Floats, d2: Floats) -> Floats:
    """Logarithm of a far tail, by the continued fraction of the incomplete beta function (Lentz's method)."""
    a, b = d2 / 2, d1 / 2
    x = d2 / (d2 + d1 * f)
    c, d = np.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for k in range(1, TERMS):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        d = 1 / (1 + even * d)
        c = 1 + even / c
        fraction = fraction * d * c
        d = 1 / (1 + odd * d)
        c = 1 + odd / c
        step = d * c
        fraction = fraction * step
        if not (np.abs(step - 1) > 1e-14).any():
            break
    return np.asarray(
        a * np.log(x) + b * np.log1p(-x) - np.log(a) - _special().betaln(a, b) + np.log(fraction)
    )
