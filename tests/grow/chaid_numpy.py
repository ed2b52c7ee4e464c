"""CHAID's merging on NumPy arrays, as an oracle: the p-value of every pair is computed, and every pair is kept.

The library does the same work in its core, where most pairs are told apart without a p-value. Pearson's statistics of
whole weights must be equal to the last digit, which takes the same order of sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy.special

from branchwork.grow.chaid_multiplier import Scale
from branchwork.grow.recipe import Chaid

# ---- tests of groups ---------------------------------------------------------------------------------------

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


def _over(a: Floats, b: Floats) -> Floats:
    """a / b, and 0 where b is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _surprise(observed: Floats, expected: Floats) -> Floats:
    """O · ln(O / E), and 0 where O is."""
    ratio = np.divide(observed, expected, out=np.ones_like(expected), where=(observed > 0) & (expected > 0))
    return observed * np.log(ratio)


def chi_square_tail(x: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Probability of a chi-square above x, and its logarithm. Without freedom it is 1."""
    p = np.where(freedom > 0, scipy.special.chdtrc(np.maximum(freedom, 1), x), 1.0)
    return p, _with_logs(p, lambda at: log_chi_square_tail(x[at], freedom[at]))


def f_tail(f: Floats, d1: Floats, d2: Floats) -> tuple[Floats, Floats]:
    """Probability of an F above f, and its logarithm."""
    p: Floats = scipy.special.fdtrc(d1, np.minimum(d2, SO_GOOD_AS_INFINITE), np.minimum(f, LARGEST_F))
    large = d2 > SO_GOOD_AS_INFINITE
    p = np.where(np.isinf(f), 0.0, p)
    if large.any():
        p = np.where(large, scipy.special.chdtrc(d1, np.minimum(f, LARGEST_F) * d1), p)

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
    return np.asarray(a * np.log(z) - z - np.log(below) - scipy.special.gammaln(a))


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
        a * np.log(x) + b * np.log1p(-x) - np.log(a) - scipy.special.betaln(a, b) + np.log(fraction)
    )


# ---- merging -----------------------------------------------------------------------------------------------

TIE = 1e-9
"""Logarithms of p-values are equal within this share of themselves, or within this if they are small."""
MOST_TRIED = 12
"""Nominal groups of up to so many categories are parted in every way; larger ones along orders by the target."""
CHUNK = 2**18
"""Numbers of a table that are looked at together."""

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Merged:
    """Groups of categories by position, each in order and ordered by their first; and what their test says."""

    groups: Groups
    statistic: float
    p_value: float
    log_p: float


def merge(
    table: ClassTable | ValueTable, scale: Scale, settings: Chaid, least_weight: float = 0
) -> Merged | None:
    """Merge a column's categories; None if no two groups are left.

    Groups lighter than `least_weight` are merged, the first of them first, each with the group that it differs least
    from. A "floating" column has its missing cells in the last category.
    """
    if len(table.rows) < 2:
        return None
    work = Merging(table, scale)
    if settings.variant == "exhaustive":
        _keep_the_best_stage(work)
    else:
        _merge_alike(work, settings)
    if scale == "floating":
        _settle_missing(work)
    if least_weight > 0:
        _merge_light(work, least_weight)
    groups = work.groups
    if len(groups) < 2:
        return None
    found = work.test()
    statistic, p_value, log_p = (float(a[0]) for a in (found.statistic, found.p_value, found.log_p))
    return Merged(groups, statistic, p_value, log_p)


class Merging:
    """Groups on their way. A group lives in the slot of its first category, so slots are in order.

    log_p[i, j], i < j, is the logarithm of the p-value of group i against group j; −∞ where the two may not be merged.
    """

    def __init__(self, table: ClassTable | ValueTable, scale: Scale) -> None:
        count = len(table.rows)
        self.table, self.is_ordered = table, scale != "nominal"
        self.floating = count - 1 if scale == "floating" else -1
        self.tests = 0
        self.start()

    def start(self) -> None:
        """Make every category a group of its own."""
        count = len(self.table.rows)
        self.members: Members = np.eye(count, dtype=np.bool_)
        self.rows: Floats = self.table.rows.copy()
        self.lives = np.arange(count) != self.floating  # missing cells come last
        self.log_p: Floats = np.full((count, count), -np.inf)
        if not self.is_ordered:
            a, b = np.triu_indices(count, 1)
        else:
            a = np.arange(np.count_nonzero(self.lives) - 1)
            b = a + 1
        step = max(1, CHUNK // self.rows.shape[1])
        for at in range(0, len(a), step):
            i, j = a[at : at + step], b[at : at + step]
            self.log_p[i, j] = self.table.compare(self.rows[i], self.rows[j]).log_p
        self.tests += len(a)

    @property
    def count(self) -> int:
        """Number of groups."""
        return int(np.count_nonzero(self.lives))

    @property
    def groups(self) -> Groups:
        """Categories of each group."""
        slots = np.flatnonzero(self.lives).tolist()
        return tuple(tuple(np.flatnonzero(self.members[slot]).tolist()) for slot in slots)

    def test(self) -> Evidence:
        """Test all groups together."""
        self.tests += 1
        return self.table.test(self.rows[self.lives])

    def most_similar(self) -> tuple[int, int]:
        """The two groups that differ least."""
        i, j = divmod(first_of_largest(self.log_p.ravel()), len(self.lives))
        return i, j

    def most_similar_to(self, slot: int) -> int:
        """The group that differs least from one."""
        return first_of_largest(np.maximum(self.log_p[slot], self.log_p[:, slot]))

    def merge(self, a: int, b: int) -> int:
        """Merge two groups; return the slot of the new one."""
        keep, gone = min(a, b), max(a, b)
        self.lives[gone] = False
        self.log_p[gone], self.log_p[:, gone] = -np.inf, -np.inf
        self._put(keep, self.members[keep] | self.members[gone])
        self._compare(keep)
        return keep

    def add_missing(self) -> None:
        """Make missing cells a group of their own, which may be merged with any other."""
        self.lives[self.floating] = True
        self._compare(self.floating)

    def part(self, slot: int, apart: npt.NDArray[np.bool_]) -> None:
        """Part a group in two; its first category stays."""
        new = int(np.argmax(apart))
        self.lives[new] = True
        self._put(slot, self.members[slot] & ~apart)
        self._put(new, apart)
        self._compare(slot)
        self._compare(new)

    def _put(self, slot: int, members: npt.NDArray[np.bool_]) -> None:
        self.members[slot] = members
        self.rows[slot] = self.table.combine(members[None])[0]

    def _compare(self, slot: int) -> None:
        """Compare a group that is new with those that it may be merged with."""
        self.log_p[slot], self.log_p[:, slot] = -np.inf, -np.inf
        others = self._partners(slot)
        found = self.table.compare(self.rows[slot], self.rows[others]).log_p
        self.log_p[np.minimum(others, slot), np.maximum(others, slot)] = found
        self.tests += len(others)

    def _partners(self, slot: int) -> npt.NDArray[np.intp]:
        living = np.flatnonzero(self.lives)
        if not self.is_ordered or slot == self.floating:
            return np.asarray(living[living != slot])
        near = [*living[living < slot][-1:].tolist(), *living[living > slot][:1].tolist()]
        if self.floating >= 0 and self.lives[self.floating] and self.floating not in near:
            near.append(self.floating)
        return np.array(near, np.intp)


def first_of_largest(log_p: Floats) -> int:
    """Position of the largest number; of those that are equal to it, the first."""
    largest = float(log_p.max())
    return int(np.argmax(log_p >= largest - TIE * max(1.0, abs(largest))))


def _merge_alike(work: Merging, settings: Chaid) -> None:
    """Merge what does not differ, while more than two groups are left."""
    enough = log(settings.alpha_merge)
    seen = {work.groups} if settings.alpha_resplit is not None else set()
    while work.count > 2:
        pair = work.most_similar()
        if work.log_p[pair] <= enough:
            return
        slot = work.merge(*pair)
        if settings.alpha_resplit is not None:
            _part_again(work, slot, log(settings.alpha_resplit), seen)


def _part_again(work: Merging, slot: int, enough: float, seen: set[Groups]) -> None:
    """Part a merged group at its most significant split, unless that leads back to groups that have been there."""
    ways = _ways_to_part(work, np.flatnonzero(work.members[slot]))
    seen.add(work.groups)
    if not len(ways):
        return
    stay = work.members[slot] & ~ways
    found = work.table.compare(work.table.combine(stay), work.table.combine(ways)).log_p
    work.tests += len(ways)
    best = first_of_largest(-found)
    if found[best] > enough:
        return
    old = [group for group in work.groups if group[0] != slot]
    new = [tuple(np.flatnonzero(part).tolist()) for part in (stay[best], ways[best])]
    if (groups := tuple(sorted([*old, *new]))) not in seen:
        seen.add(groups)
        work.part(slot, ways[best])


def _ways_to_part(work: Merging, group: npt.NDArray[np.intp]) -> Members:
    """Every way to part a group of three or more in two, as the part that leaves; the first category stays."""
    if len(group) < 3:
        return np.zeros((0, len(work.lives)), np.bool_)
    if work.is_ordered:
        leave = [group[cut:].tolist() for cut in range(1, len(group))]
    elif len(group) <= MOST_TRIED:
        bits = range(1, 2 ** (len(group) - 1))
        leave = [[c for k, c in enumerate(group[1:].tolist()) if way >> k & 1] for way in bits]
    else:
        leave = []
        for order in work.table.orders():
            line = order[np.isin(order, group)]
            halves = [(line[:cut], line[cut:]) for cut in range(1, len(line))]
            leave += [(left if right.min() == group[0] else right).tolist() for left, right in halves]
    ways = np.zeros((len(leave), len(work.lives)), np.bool_)
    for way, categories in zip(ways, leave, strict=True):
        way[categories] = True
    return ways


def _keep_the_best_stage(work: Merging) -> None:
    """Merge down to two groups, then go back to the stage with the smallest p-value; of equal ones, the last."""
    stages, merges = [float(work.test().log_p[0])], []
    while work.count > 2:
        merges.append(work.most_similar())
        work.merge(*merges[-1])
        stages.append(float(work.test().log_p[0]))
    best = len(stages) - 1 - first_of_largest(-np.array(stages[::-1]))
    work.start()
    for pair in merges[:best]:
        work.merge(*pair)


def _settle_missing(work: Merging) -> None:
    """Missing cells join the group that they differ least from, unless the p-value is smaller if they stay apart."""
    work.add_missing()
    if work.count == 2:
        return
    nearest = work.most_similar_to(work.floating)
    apart = float(work.test().log_p[0])
    others = work.lives & (np.arange(len(work.lives)) != work.floating)
    rows = work.rows.copy()
    rows[nearest] = work.table.combine((work.members[nearest] | work.members[work.floating])[None])[0]
    joined = float(work.table.test(rows[others]).log_p[0])
    work.tests += 1
    if joined <= apart + TIE * max(1.0, abs(apart)):
        work.merge(nearest, work.floating)


def _merge_light(work: Merging, least_weight: float) -> None:
    """Merge groups that are too light, while there is more than one."""
    sizes = work.table.sizes()
    while work.count > 1:
        slots = np.flatnonzero(work.lives)
        light = slots[work.members[slots] @ sizes < least_weight]
        if not light.size:
            return
        slot = int(light[0])
        work.merge(slot, work.most_similar_to(slot))
