"""How much one column tells about another: mutual information and its G test, correlation ratio, Pearson, Spearman.

Mutual information is a function of a two-way table of counts. The table is kept as its non-empty cells, so a column
with a million categories needs no more memory than its rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.measure.chance import p_of_chi_square

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer]

LARGEST_DENSE = 2**22
"""Two-way tables with more cells than this are counted by sorting pairs, not in one array."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """A two-way table of counts: its non-empty cells, row by row, and the totals of its rows and columns."""

    counts: Floats
    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]
    row_totals: Floats
    column_totals: Floats

    @property
    def total(self) -> float:
        """How many pairs were counted."""
        return float(self.row_totals.sum())


def count_pairs(rows: Integers, n_rows: int, columns: Integers, n_columns: int) -> Pairs:
    """Count how often each pair of codes occurs. Codes begin at 0; there must be none that is missing.

    >>> count_pairs(np.array([0, 0, 1]), 2, np.array([1, 1, 0]), 2).counts.tolist()
    [2.0, 1.0]
    """
    pair = rows.astype(np.int64) * n_columns + columns
    if n_rows * n_columns <= LARGEST_DENSE:
        dense = np.bincount(pair, minlength=n_rows * n_columns)
        found = np.flatnonzero(dense)
        counts = dense[found].astype(np.float64)
    else:
        found, listed = np.unique(pair, return_counts=True)
        counts = listed.astype(np.float64)
    row, column = np.divmod(found, n_columns)
    return Pairs(
        counts,
        row,
        column,
        np.bincount(row, counts, minlength=n_rows).astype(np.float64),
        np.bincount(column, counts, minlength=n_columns).astype(np.float64),
    )


def entropy_of(counts: Floats) -> float:
    """Return the entropy, in bits, of how often each value occurs.

    >>> entropy_of(np.array([2.0, 1.0, 1.0]))
    1.5
    """
    share = counts[counts > 0] / counts.sum()
    return abs(float(-(share * np.log2(share)).sum()))


def mutual_information(pairs: Pairs) -> float:
    """Return I(row; column) in bits; 0 if nothing was counted.

    >>> both = count_pairs(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 1, 1]), 2)
    >>> mutual_information(both)
    1.0
    """
    total = pairs.total
    if total == 0:
        return 0.0
    expected = pairs.row_totals[pairs.row] * pairs.column_totals[pairs.column] / total
    return max(0.0, float((pairs.counts * np.log2(pairs.counts / expected)).sum()) / total)


def g_test(pairs: Pairs) -> tuple[float, int, float]:
    """Return the G statistic of independence, its degrees of freedom and its p-value.

    G is 2 n ln 2 times the mutual information in bits. Empty rows and columns are left out; with one row or one column
    there is nothing to test, and p is 1.

    >>> statistic, freedom, p = g_test(count_pairs(np.arange(40) % 2, 2, np.arange(40) % 2, 2))
    >>> round(statistic, 3), freedom, f"{p:.2g}"
    (55.452, 1, '9.6e-14')
    """
    rows = int(np.count_nonzero(pairs.row_totals))
    columns = int(np.count_nonzero(pairs.column_totals))
    freedom = max(0, rows - 1) * max(0, columns - 1)
    statistic = 2 * np.log(2) * pairs.total * mutual_information(pairs)
    return float(statistic), freedom, p_of_chi_square(float(statistic), freedom)


def correlation_ratio(groups: Integers, n_groups: int, values: Floats) -> float | None:
    """Return how far numbers differ between groups: the root of the share of their variance that the groups explain.

    None if the numbers do not vary.

    >>> correlation_ratio(np.array([0, 0, 1, 1]), 2, np.array([1.0, 1.0, 3.0, 3.0]))
    1.0
    """
    scaled = _centred(values)
    if scaled is None:
        return None
    sizes = np.bincount(groups, minlength=n_groups)
    sums = np.bincount(groups, scaled, minlength=n_groups)
    between = float((sums[sizes > 0] ** 2 / sizes[sizes > 0]).sum())
    return min(1.0, math.sqrt(between / float((scaled**2).sum())))


def pearson(one: Floats, other: Floats) -> float | None:
    """Return the correlation of two columns of numbers; None if one of them does not vary.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]))
    -1.0
    """
    a, b = _centred(one), _centred(other)
    if a is None or b is None:
        return None
    size = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
    return max(-1.0, min(1.0, float((a * b).sum()) / size))


def ranks(values: Floats) -> Floats:
    """Return the rank of each number, counted from 1; equal numbers share the mean of their ranks.

    >>> ranks(np.array([10.0, 30.0, 10.0])).tolist()
    [1.5, 3.0, 1.5]
    """
    order = np.argsort(values)
    in_order = values[order]
    starts = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]])[: len(values)])
    sizes = np.diff(starts, append=len(values))
    ranked = np.empty(len(values))
    ranked[order] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return ranked


def _centred(values: Floats) -> Floats | None:
    """Return the numbers minus their mean, scaled to at most 1; None if they do not vary or are not all finite."""
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)) or low == high:
        return None
    shifted = values / 2 - (low / 4 + high / 4)  # halves: the ends may be as far apart as floats go
    shifted /= max(abs(float(shifted.min())), abs(float(shifted.max())))
    return np.asarray(shifted - shifted.mean())
