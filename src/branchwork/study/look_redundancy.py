"""Find redundant features: how strongly every two of them depend on each other, and which are copies.

Pairs are compared on up to 10 000 rows. A pair that looks like a copy there is checked on all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from branchwork.measure.association import count_pairs, entropy_of, mutual_information, ranks
from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Codes, Floats, Profile
from branchwork.tree.split import rounded

MOST_SAMPLED = 10_000
"""Rows on which pairs of columns are compared."""
STRONG = 0.9
"""Pairs of this strength and more are listed ..."""
MOST_KEPT = 1_000
"""... but at most this many, the strongest."""
MOST_COUNTED = 300
"""Columns whose shared information is counted pair by pair; further columns are only tested for copies."""
ROWS_PER_CATEGORY = 5
"""Columns with fewer rows per category than this are not compared: by chance alone they determine nearly everything."""
AFFINE = 1e-6
"""The largest error of a copy y = a x + b, in standard deviations."""
BY_CHANCE = 1e-3
"""Columns are no copies if independent columns of their kind would agree with a higher probability than this."""
MOST_OF_NAMES = 0.5
"""Columns with more distinct values per row distinguish nearly all rows, so it means little that two of them do."""
NEARLY_ONE = 1 - 1e-9
"""Columns with a smaller correlation on the sample are not copies."""


@dataclass(frozen=True)
class Redundancy:
    """How strongly two features depend on each other.

    Parameters
    ----------
    strength : from 0 to 1: the size of Spearman's correlation of two columns of numbers, otherwise the mutual
        information as a share of the smaller entropy of the two.
    spearman : the correlation with its sign, for two columns of numbers.
    """

    one: str
    other: str
    strength: float
    spearman: float | None = None


def redundancies(profiles: Sequence[Profile], rows: npt.NDArray[np.intp]) -> list[Redundancy]:
    """Return pairs that depend strongly on each other, the strongest first, at most a thousand."""
    varied = [profile for profile in profiles if profile.distinct > 1]
    found = [*_of_numbers(varied, rows), *_of_categories(varied, rows)]
    place = {profile.column.name: k for k, profile in enumerate(profiles)}
    return sorted(found, key=lambda one: (-one.strength, place[one.one], place[one.other]))[:MOST_KEPT]


def _of_numbers(profiles: Sequence[Profile], rows: npt.NDArray[np.intp]) -> list[Redundancy]:
    numeric = [profile for profile in profiles if not profile.column.is_nominal]
    if len(numeric) < 2:
        return []
    ranked = np.full((len(rows), len(numeric)), np.nan)
    for k, profile in enumerate(numeric):
        cells = profile.cells[rows]
        known = np.isfinite(cells)
        ranked[known, k] = ranks(cells[known])
    found = correlations(ranked)
    one, other = np.nonzero(np.triu(np.abs(found) >= STRONG, 1))
    strongest = np.argsort(-np.abs(found[one, other]), kind="stable")[:MOST_KEPT]
    return [
        Redundancy(
            numeric[i].column.name, numeric[j].column.name, abs(float(found[i, j])), float(found[i, j])
        )
        for i, j in zip(one[strongest].tolist(), other[strongest].tolist(), strict=True)
    ]


def correlations(matrix: Floats) -> Floats:
    """Return Pearson's correlation of every two columns over the rows where both are known (not NaN); 0 if none is.

    >>> correlations(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, np.nan]])).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    known = np.isfinite(matrix)
    count = np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, matrix, 0.0)
    centred = np.where(known, centred - centred.sum(axis=0) / count, 0.0)
    scale = np.abs(centred).max(axis=0)
    centred /= np.where(scale > 0, scale, 1.0)
    mask = known.astype(np.float64)
    n = mask.T @ mask
    sums, squares, products = centred.T @ mask, (centred**2).T @ mask, centred.T @ centred
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = products - sums * sums.T / n
        variance = np.maximum(squares - sums**2 / n, 0.0)
        found = covariance / np.sqrt(variance * variance.T)
    return np.asarray(np.clip(np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0), -1.0, 1.0))


def _of_categories(profiles: Sequence[Profile], rows: npt.NDArray[np.intp]) -> list[Redundancy]:
    """Count every pair of which at least one column is nominal."""
    usable = [p for p in profiles if not p.column.is_nominal or p.distinct * ROWS_PER_CATEGORY <= p.finite]
    counted = usable[:MOST_COUNTED]
    groups = [profile.groups_of(profile.cells[rows]) for profile in counted]
    found = []
    for i, j in combinations(range(len(counted)), 2):
        one, other = counted[i], counted[j]
        if not (one.column.is_nominal or other.column.is_nominal):
            continue
        strength = shared_information(groups[i], one.n_groups, groups[j], other.n_groups)
        if strength >= STRONG:
            found.append(Redundancy(one.column.name, other.column.name, strength))
    return found


def shared_information(one: Codes, n_one: int, other: Codes, n_other: int) -> float:
    """Return the mutual information of two columns of codes as a share of their smaller entropy; -1 is missing."""
    known = (one >= 0) & (other >= 0)
    if not known.any():
        return 0.0
    pairs = count_pairs(one[known], n_one, other[known], n_other)
    smaller = min(entropy_of(pairs.row_totals), entropy_of(pairs.column_totals))
    return min(1.0, mutual_information(pairs) / smaller) if smaller > 0 else 0.0


# ---- copies ------------------------------------------------------------------------------------------------


def same_columns(profiles: Sequence[Profile], rows: npt.NDArray[np.intp]) -> list[Finding]:
    """Find columns that repeat an earlier one: the same cells, a x + b, or other names for the same categories."""
    varied = [k for k, profile in enumerate(profiles) if profile.distinct > 1]
    pairs = [*_affine_candidates(profiles, varied, rows), *_same_partition(profiles, varied, rows)]
    found: dict[int, Finding] = {}
    for i, j in sorted(pairs):
        if j not in found and i not in found:
            how = how_same(profiles[i], profiles[j])
            if how is not None:
                same = _finding(profiles[i].column.name, profiles[j].column.name, how)
                finer = profiles[j].distinct > profiles[i].distinct
                found[j] = same.on_request("it has more different values") if finer else same
    return list(found.values())


def _finding(one: str, other: str, how: str) -> Finding:
    message = f"Column {other!r} repeats column {one!r}: {how}."
    return Finding("same_column", other, message, Fix("drop_column", other))


def _affine_candidates(
    profiles: Sequence[Profile], varied: Sequence[int], rows: npt.NDArray[np.intp]
) -> list[tuple[int, int]]:
    numeric = [k for k in varied if not profiles[k].column.is_nominal and not profiles[k].infinite]
    if len(numeric) < 2:
        return []
    found = correlations(np.column_stack([profiles[k].cells[rows] for k in numeric]))
    near = zip(*np.nonzero(np.triu(np.abs(found) >= NEARLY_ONE, 1)), strict=True)
    return [(numeric[i], numeric[j]) for i, j in near]


def _same_partition(
    profiles: Sequence[Profile], varied: Sequence[int], rows: npt.NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Return pairs, one of them nominal, that distinguish the same rows on the sample."""
    first: dict[bytes, list[int]] = {}
    pairs = []
    for k in varied:
        cells = profiles[k].cells[rows]
        seen = first.setdefault(_in_order_of_appearance(cells).tobytes(), [])
        pairs += [(i, k) for i in seen if profiles[i].column.is_nominal or profiles[k].column.is_nominal]
        seen.append(k)
    return pairs


def _in_order_of_appearance(cells: npt.NDArray[np.generic]) -> Codes:
    """Return codes that are the same for all columns that distinguish the same rows; missing cells are one value."""
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[inverse]


def how_same(one: Profile, other: Profile) -> str | None:
    """Return in which way two columns are the same on all rows, or None if they are not."""
    if one.agreement**one.n_rows > BY_CHANCE or one.missing != other.missing:
        return None
    if not np.array_equal(one.is_countable, other.is_countable):
        return None
    if one.column.is_nominal or other.column.is_nominal:
        if one.distinct != other.distinct or one.distinct > MOST_OF_NAMES * one.finite:
            return None
        if not np.array_equal(_in_order_of_appearance(one.cells), _in_order_of_appearance(other.cells)):
            return None
        same = one.column.categories == other.column.categories and np.array_equal(one.cells, other.cells)
        return "all cells are the same" if same else "it has other names for the same values"
    a, b = one.cells[one.is_countable], other.cells[other.is_countable]
    if np.array_equal(a, b):
        return "all cells are the same"
    return _affine(a, b)


def _affine(x: Floats, y: Floats) -> str | None:
    """Return "it is a x + b" if that is so up to rounding errors."""
    low, high = int(np.argmin(x)), int(np.argmax(x))
    slope = float((y[high] - y[low]) / (x[high] - x[low]))
    offset = float(y[low] - slope * x[low])
    spread = float(y.std())
    if slope == 0 or spread == 0 or not np.abs(slope * x + offset - y).max() <= AFFINE * spread:
        return None
    shown = 0.0 if abs(offset) <= AFFINE * spread else offset
    sign = "-" if shown < 0 else "+"
    return f"it is {rounded(slope)} times the other" + (f" {sign} {rounded(abs(shown))}" if shown else "")
