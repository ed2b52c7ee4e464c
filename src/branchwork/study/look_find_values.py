"""Find numbers that do not belong to their column: sentinels such as -999, another unit, and single outliers.

All three are read off the distinct values in their order, in this sequence: a sentinel is not an outlier, and neither
are the rows that are in another unit.

    -999  │      3  4  4  5  6  7  9      │  4100  5200  6100      │    80000
    sentinel            the column          the same times 1000       outlier
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Counts, Floats, Profile
from branchwork.tree.split import number

MOST_ROWS = 5
"""The largest number of rows that a finding names."""
CODES = frozenset(
    sign * digit * (10**length - 1) // 9 for sign in (1, -1) for digit in (7, 8, 9) for length in range(2, 10)
) | {-(2**31), 2**31 - 1, -(2**15), 2**16 - 1, 2**32 - 1}
"""Numbers that people and programs write for a missing value: 99, -999, 8888, the limits of integer types."""
NEGATIVE_CODES = (-1.0, -9.0)
"""The same, for columns without other negative numbers."""
MOST_SENTINELS = 3
"""The largest number of sentinels in one column."""
FEWEST_FOR_CODES, FEWEST_ROWS = 5, 20
"""Columns with fewer finite cells are not searched for sentinels, and for units and outliers."""
FEWEST_DISTINCT = 15
"""Columns with fewer distinct values are scales or codes: a rare value is no outlier there, unless it is ..."""
FAR_OFF = 20.0
"""... this many times as far away as the others are from each other."""
FACTORS = (1000.0, 100.0, 1_000_000.0)
"""Factors between units that are recognised: kilo and mega, and per cent."""
LEAST_SHARE_OF_UNIT = 0.005
"""The share of cells that must be in the other unit; at least FEWEST_IN_UNIT cells must be."""
FEWEST_IN_UNIT = 3
MANY_IN_UNIT = 12
"""The numbers in the other unit have this many distinct values, or every second one is new."""
MOST_SCREENED = 20_000
"""This many distinct values are enough to rule out a second unit."""
MOST_BETWEEN = 0.1
"""Cells between two units, as a share of those in the rarer unit."""
MOST_OUTLIERS = 3
"""The largest number of outliers on one side of a column."""
TAIL, FEWEST_IN_TAIL = 0.05, 10
"""Cells of the tail that a gap is compared with: this share; at least this many, at most a hundred times as many."""
LINEAR_GAP, LOG_GAP = 10.0, 3.0
"""The gap before an outlier, in mean excesses of the tail below it, on a linear and on a logarithmic scale."""
HEAVY, HEAVY_LOG_GAP = 0.4, 5.0
"""The logarithmic gap of a heavy tail, one whose mean excess on that scale is at least the first number."""


def unreasonable(profile: Profile) -> list[Finding]:
    """Find sentinels, two units and outliers in a numeric column."""
    if profile.column.is_nominal or profile.finite < FEWEST_FOR_CODES:
        return []
    values, counts = np.asarray(profile.values, np.float64), profile.counts
    found: list[Finding] = []
    sentinels = _sentinels(values, counts)
    if sentinels:
        found.append(_sentinel_finding(profile, sentinels))
        kept = ~np.isin(values, sentinels)
        values, counts = values[kept], counts[kept]
    if int(counts.sum()) < FEWEST_ROWS:
        return found
    step = max(1, len(values) // MOST_SCREENED)
    # A few distinct values show whether a closer look is worthwhile.
    unit = _other_unit(values[::step], counts[::step])
    if unit is not None and step > 1:
        unit = _other_unit(values, counts)
    if unit is not None:
        found.append(_unit_finding(profile, values, *unit))
        return found
    for side in (-1.0, 1.0):
        beyond = _outliers(values, counts) if side > 0 else _outliers(-values[::-1], counts[::-1])
        if beyond is not None:
            found.append(_outlier_finding(profile, values, side, beyond))
    return found


# ---- sentinels ---------------------------------------------------------------------------------------------


def _sentinels(values: Floats, counts: Counts) -> list[float]:
    """Return the sentinels at either end of the values."""
    found: list[float] = []
    while len(found) < MOST_SENTINELS and len(values) > 2:
        n = int(counts.sum())
        at_end = next((end for end in (0, -1) if _is_sentinel(values, counts, end, n)), None)
        if at_end is None:
            break
        found.append(float(values[at_end]))
        kept = slice(1, None) if at_end == 0 else slice(None, -1)
        values, counts = values[kept], counts[kept]
    return found


def _is_sentinel(values: Floats, counts: Counts, end: int, n: int) -> bool:
    value, count = float(values[end]), int(counts[end])
    rest = values[1:] if end == 0 else values[:-1]
    beside, beside_count = (rest[0], counts[1]) if end == 0 else (rest[-1], counts[-2])
    span, gap = float(rest[-1] - rest[0]), abs(value - float(beside))
    if count > n / 2 and value not in NEGATIVE_CODES:
        return False
    if value in CODES:
        alone = value < 0 <= float(rest[0])
        return gap >= span or (count > 1 and gap >= span / 2) or alone
    if value in NEGATIVE_CODES:
        frequent = count >= 0.01 * n and count >= 5 * int(beside_count)
        return float(rest[0]) >= 0 and len(rest) >= FEWEST_DISTINCT and frequent
    return False


def _sentinel_finding(profile: Profile, sentinels: list[float]) -> Finding:
    name = profile.column.name
    is_one = np.isin(profile.cells, sentinels)
    count = int(np.count_nonzero(is_one))
    rest = profile.values[~np.isin(profile.values, sentinels)]
    shown = " and ".join(number(value) for value in sorted(sentinels))
    cells = "1 cell" if count == 1 else f"{count} cells"
    message = (
        f"Column {name!r}: {shown} in {cells} looks like a code for a missing value; all other values lie between "
        f"{number(float(rest[0]))} and {number(float(rest[-1]))}."
    )
    rows = np.flatnonzero(is_one)[:MOST_ROWS].tolist()
    return Finding(
        "sentinel",
        name,
        message,
        Fix("blank_values", name, {"values": sorted(sentinels)}),
        count,
        tuple(rows),
    )


# ---- units -------------------------------------------------------------------------------------------------


def _other_unit(values: Floats, counts: Counts) -> tuple[float, float, bool] | None:
    """Return the factor, the threshold of size, and whether the larger numbers are rarer; None if there is one unit.

    Sizes are compared on a logarithmic scale. There must be almost no cells around the threshold, and the sizes
    beyond it, scaled back, must be distributed like the others.
    """
    size = np.abs(values)
    order = np.argsort(size, kind="stable")
    order = order[size[order] > 0]
    size, weight = size[order], counts[order]
    if len(size) < FEWEST_DISTINCT:
        return None
    total = np.cumsum(weight)
    middle = float(size[np.searchsorted(total, total[-1] / 2)])
    for factor in FACTORS:
        for larger in (True, False):
            threshold = middle * factor**0.5 if larger else middle / factor**0.5
            if _splits(size, weight, threshold, factor, larger):
                return factor, _clear(size, threshold), larger
    return None


def _splits(size: Floats, weight: Counts, threshold: float, factor: float, larger: bool) -> bool:
    is_other = size > threshold if larger else size < threshold
    n, others = int(weight.sum()), int(weight[is_other].sum())
    if others < max(FEWEST_IN_UNIT, LEAST_SHARE_OF_UNIT * n) or others > n / 2:
        return False
    if int(np.count_nonzero(is_other)) < min(MANY_IN_UNIT, others / 2):
        return False
    width = factor ** (1 / 6)
    between = int(weight[(size > threshold / width) & (size < threshold * width)].sum())
    if between > MOST_BETWEEN * others:
        return False
    back = size[is_other] / factor if larger else size[is_other] * factor
    distance = _distance(back, weight[is_other], size[~is_other], weight[~is_other])
    return distance < max(0.25, 1.63 / math.sqrt(others))


def _distance(one: Floats, one_weight: Counts, other: Floats, other_weight: Counts) -> float:
    """Return the largest difference of two distribution functions (Kolmogorov and Smirnov)."""
    places = np.concatenate([one, other])
    shares = []
    for values, weight in ((one, one_weight), (other, other_weight)):
        total = np.concatenate([[0], np.cumsum(weight)])
        shares.append(total[np.searchsorted(values, places, "right")] / total[-1])
    return float(np.abs(shares[0] - shares[1]).max())


def _clear(size: Floats, threshold: float) -> float:
    """Return a round number in the widest gap (as a ratio) near a threshold."""
    near = np.flatnonzero((size > threshold / 10) & (size < threshold * 10))
    low = max(0, (int(near[0]) if len(near) else int(np.searchsorted(size, threshold))) - 1)
    high = min(len(size) - 1, (int(near[-1]) if len(near) else low) + 1)
    part = size[low : high + 1]
    k = int(np.argmax(part[1:] / part[:-1]))
    before, after = float(part[k]), float(part[k + 1])
    return _between(before, after, math.sqrt(before) * math.sqrt(after))


def _unit_finding(profile: Profile, values: Floats, factor: float, threshold: float, larger: bool) -> Finding:
    name = profile.column.name
    size = np.abs(profile.cells)
    is_other = (size > threshold) & np.isfinite(size) if larger else (size < threshold) & (size > 0)
    if len(values) < profile.distinct:  # without sentinels
        is_other &= np.isin(profile.cells, values)
    count = int(np.count_nonzero(is_other))
    what = "times as large" if larger else "times as small"
    message = (
        f"Column {name!r}: {count} cells ({'above' if larger else 'below'} {number(threshold)} in size) are about "
        f"{number(factor)} {what} as the others, as if they were in another unit."
    )
    options = {"factor": factor, "above": threshold} if larger else {"factor": factor, "below": threshold}
    rows = np.flatnonzero(is_other)[:MOST_ROWS].tolist()
    return Finding("unit", name, message, Fix("one_unit", name, options), count, tuple(rows))


# ---- outliers ----------------------------------------------------------------------------------------------


def _outliers(values: Floats, counts: Counts) -> float | None:
    """Return a bound that only a few cells far above all others exceed, or None.

    The gap before them is divided by the mean excess of the tail below. If the tail were exponential, this ratio would
    be exponentially distributed. The same is done on a logarithmic scale, on which heavy tails (incomes, counts) look
    exponential. Both ratios must be large, so that a heavy tail is not taken for an outlier. Besides, the outliers must
    be twice as far from the median as all other cells.
    """
    total = np.cumsum(counts)
    middle = float(values[np.searchsorted(total, total[-1] / 2)])
    n_tail = int(np.clip(TAIL * total[-1], FEWEST_IN_TAIL, 100 * FEWEST_IN_TAIL))
    for k in range(1, MOST_OUTLIERS + 1):
        rest = values[:-k]
        if len(rest) < 3 or int(counts[-k:].sum()) > MOST_OUTLIERS:
            return None
        first, last = float(values[-k]), float(rest[-1])
        if first - last > FAR_OFF * (last - float(rest[0])):
            return _between(last, first)
        if len(rest) < FEWEST_DISTINCT or first - last < last - middle:
            continue
        above = rest[min(int(np.searchsorted(total, total[-1] - n_tail)), len(rest) - 5) :] - middle
        if above[0] <= 0 or first - last <= LINEAR_GAP * _excess(above):
            continue
        excess = _excess(np.log(above))
        log_gap = LOG_GAP if excess < HEAVY else HEAVY_LOG_GAP
        if math.log((first - middle) / (last - middle)) > log_gap * excess:
            return _between(last, first)
    return None


def _excess(tail: Floats) -> float:
    """Return the mean distance of the values of a tail from its first one."""
    return float((tail[1:] - tail[0]).mean())


def _between(low: float, high: float, middle: float | None = None) -> float:
    """Return the roundest number near the middle of an interval, or near another number in it.

    >>> _between(78.3, 9500.0), _between(1.0, 1.5)
    (5000.0, 1.2)
    """
    middle = low / 2 + high / 2 if middle is None else middle
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if low < rounded < high:
            return rounded
    return middle


def _outlier_finding(profile: Profile, values: Floats, side: float, bound: float) -> Finding:
    name = profile.column.name
    limit = bound * side
    cells: npt.NDArray[np.float64] = profile.cells
    is_far = (cells * side > bound) & np.isfinite(cells) & np.isin(cells, values)
    rows = np.flatnonzero(is_far)
    others = values[values * side <= bound]
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    message = (
        f"Column {name!r}, row {rows[0]}{more}: {number(float(cells[rows[0]]))} is far from all other values, which "
        f"lie between {number(float(others[0]))} and {number(float(others[-1]))}."
    )
    options = {"high": limit} if side > 0 else {"low": limit}
    fix = Fix("blank_outside", name, options)
    found = Finding("outlier", name, message, fix, len(rows), tuple(rows[:MOST_ROWS].tolist()))
    return found.on_request("it may be true, and it does a tree no harm")
