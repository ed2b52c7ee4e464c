"""CHAID, slow and obvious: written from the formulas, with SciPy's tests on the rows themselves.

A column is a list of categories; a group is a list of them. Nothing is kept from one step to the next: every pair is
tested anew, from the rows.
"""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

TIE = 1e-9


@dataclass
class Answer:
    groups: list[list[Any]]
    statistic: float
    p: float
    multiplier: int

    @property
    def adjusted(self) -> float:
        return min(1.0, self.p * self.multiplier)


def test_of(groups, cells, y, is_numeric, statistic="pearson"):
    """Statistic and p-value of some groups of categories, from the rows whose cell is in one of them."""
    parts = [[label for cell, label in zip(cells, y, strict=True) if cell in group] for group in groups]
    if is_numeric:
        n = sum(map(len, parts))
        if len({v for part in parts for v in part}) == 1 or n <= len(parts):
            return 0.0, 1.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts without spread
            f, p = stats.f_oneway(*parts)
        means = {sum(part) / len(part) for part in parts}
        return (0.0, 1.0) if len(means) == 1 else (float(f), float(p))
    labels = sorted({label for part in parts for label in part})
    if len(labels) < 2:
        return 0.0, 1.0
    table = [[part.count(label) for label in labels] for part in parts]
    method = None if statistic == "pearson" else "log-likelihood"
    found = stats.chi2_contingency(np.array(table), correction=False, lambda_=method)
    return float(found[0]), float(found[1])


def log_of(p):
    return math.log(p) if p > 0 else -1e300


def better(a, b):
    """Whether a is larger than b by more than a tie."""
    return a > b + TIE * max(1.0, abs(b))


def allowed_pairs(groups, scale):
    """Pairs of positions that may be merged: any two, or neighbours; missing cells (None) with any."""
    for i, j in itertools.combinations(range(len(groups)), 2):
        if scale == "nominal" or j == i + 1 or groups[j] == [None]:
            yield i, j


def most_similar(groups, cells, y, scale, numeric, statistic, only=None):
    """The first of the pairs with the largest p-value, and that p-value."""
    logs = []
    for i, j in allowed_pairs(groups, scale):
        if only is not None and only not in (i, j):
            continue
        p = test_of([groups[i], groups[j]], cells, y, numeric, statistic)[1]
        logs.append((log_of(p), (i, j), p))
    best = max(log for log, _, _ in logs)
    return next((pair, p) for log, pair, p in logs if log >= best - TIE * max(1.0, abs(best)))


def merged(groups, i, j, order):
    both = sorted(groups[i] + groups[j], key=order.index)
    rest = [group for k, group in enumerate(groups) if k not in (i, j)]
    return sorted([*rest, both], key=lambda group: order.index(group[0]))


def resplit(groups, at, order, cells, y, scale, numeric, statistic, alpha, seen):
    """Part a group of three or more at its best split, if it is significant and new."""
    group = groups[at]
    if len(group) < 3:
        return groups
    if scale == "nominal":
        ways = [
            [c for k, c in enumerate(group[1:]) if way >> k & 1] for way in range(1, 2 ** (len(group) - 1))
        ]
    else:
        ways = [group[cut:] for cut in range(1, len(group))]
    found = []
    for leaving in ways:
        staying = [c for c in group if c not in leaving]
        found.append((log_of(test_of([staying, leaving], cells, y, numeric, statistic)[1]), staying, leaving))
    least = min(log for log, _, _ in found)
    log, staying, leaving = next(f for f in found if f[0] <= least + TIE * max(1.0, abs(least)))
    if log > math.log(alpha):
        return groups
    rest = [g for k, g in enumerate(groups) if k != at]
    new = sorted([*rest, staying, leaving], key=lambda g: order.index(g[0]))
    return groups if new in seen else new


def chaid(
    cells,
    y,
    order,
    scale,
    *,
    numeric=False,
    alpha_merge=0.05,
    alpha_resplit=None,
    statistic="pearson",
    exhaustive=False,
    bonferroni=True,
    source="spss",
    least=0,
):
    """Merge one column's categories; `order` lists them, None (missing cells) last. None if one group is left."""
    present = [c for c in order if c in set(cells)]
    if len(present) < 2:
        return None
    has_missing = None in present and scale == "ordinal"
    groups = [[c] for c in present if not (has_missing and c is None)]

    def test(g):
        return test_of(g, cells, y, numeric, statistic)

    def closest(g, only=None):
        return most_similar(g, cells, y, scale, numeric, statistic, only)

    if exhaustive:
        stages = [groups]
        while len(groups) > 2:
            (i, j), _ = closest(groups)
            groups = merged(groups, i, j, order)
            stages.append(groups)
        groups = stages[-1]
        for stage in reversed(stages):
            if len(stage) > 1 and better(log_of(test(groups)[1]), log_of(test(stage)[1])):
                groups = stage
    else:
        seen = [groups]
        while len(groups) > 2:
            (i, j), p = closest(groups)
            if p <= alpha_merge:
                break
            first = groups[i][0]
            groups = merged(groups, i, j, order)
            seen.append(groups)
            if alpha_resplit is not None:
                at = next(k for k, g in enumerate(groups) if g[0] == first)
                groups = resplit(groups, at, order, cells, y, scale, numeric, statistic, alpha_resplit, seen)
                seen.append(groups)
    if has_missing:
        apart = [*groups, [None]]
        groups = apart
        if len(apart) > 2:
            (i, j), _ = closest(apart, only=len(apart) - 1)
            joined = merged(apart, i, j, order)
            if not better(log_of(test(joined)[1]), log_of(test(apart)[1])):
                groups = joined
    while least and len(groups) > 1:
        sizes = [sum(cell in g for cell in cells) for g in groups]
        light = [k for k, size in enumerate(sizes) if size < least]
        if not light:
            break
        (i, j), _ = closest(groups, only=light[0])
        groups = merged(groups, i, j, order)
    if len(groups) < 2:
        return None
    size, r = len(present), len(groups)
    if not bonferroni:
        times = 1
    elif exhaustive and scale == "nominal":
        times = size * (size**2 - 1) // {"spss": 2, "biggs": 6}[source]
    elif exhaustive:
        times = size * (size - 1) // 2
    else:
        times = ways_to_group(size, r, scale, has_missing)
    return Answer(groups, *test(groups), times)


def ways_to_group(size, r, scale, has_missing):
    """Kass's multipliers by counting every grouping; the formulas are in the library."""
    if scale == "nominal":
        found = set()
        for assignment in itertools.product(range(r), repeat=size):
            if len(set(assignment)) == r:
                found.add(
                    frozenset(frozenset(i for i in range(size) if assignment[i] == g) for g in range(r))
                )
        return len(found)
    known = size - 1 if has_missing else size
    cuts = [len(list(itertools.combinations(range(known - 1), k - 1))) if k >= 1 else 0 for k in range(r + 1)]
    return cuts[r - 1] + r * cuts[r] if has_missing else cuts[r]
