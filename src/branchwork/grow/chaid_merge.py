"""CHAID's merging: categories of one column that do not differ in the target become one group.

    chaid        merge the two groups that differ least, until all differ or two are left; a merged group of three or
                 more categories may be parted again
    exhaustive   merge all the way down to two groups, and keep the stage with the smallest p-value

Missing cells of an ordered column float: the other categories are merged first, then the missing ones join the group
that they differ least from, or stay apart, whichever gives the smaller p-value.

Of equal pairs the earlier is merged. P-values are equal within a billionth of their logarithms. Two groups are never
merged into one: there would be nothing to test. The work is that of the table, not of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np
import numpy.typing as npt

from branchwork.grow.chaid_multiplier import Scale, exhaustive_multiplier, multiplier
from branchwork.grow.recipe import Chaid
from branchwork.grow.significance import SMALLEST_P, Evidence, Floats, Members, TargetTable

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
    multiplier: int
    tests: int

    @property
    def log_adjusted(self) -> float:
        """Logarithm of p times the multiplier; it may be above 0."""
        return self.log_p + log(self.multiplier)

    @property
    def adjusted_p(self) -> float:
        """P times the multiplier, at most 1. Either of them may be beyond what a float holds."""
        if self.log_adjusted >= 0:
            return 1.0
        return self.p_value * self.multiplier if self.p_value > SMALLEST_P else exp(self.log_adjusted)


def merge(table: TargetTable, scale: Scale, settings: Chaid, least_weight: float = 0) -> Merged | None:
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
    times = 1
    if settings.bonferroni and settings.variant == "exhaustive":
        times = exhaustive_multiplier(scale, len(table.rows), settings.multiplier)
    elif settings.bonferroni:
        times = multiplier(scale, len(table.rows), len(groups))
    statistic, p_value, log_p = (float(a[0]) for a in (found.statistic, found.p_value, found.log_p))
    return Merged(groups, statistic, p_value, log_p, times, work.tests)


class Merging:
    """Groups on their way. A group lives in the slot of its first category, so slots are in order.

    log_p[i, j], i < j, is the logarithm of the p-value of group i against group j; −∞ where the two may not be merged.
    """

    def __init__(self, table: TargetTable, scale: Scale) -> None:
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
