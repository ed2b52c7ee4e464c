"""Measure how much a feature tells about the target.

Mutual information needs counts: a category counts by itself, numbers are put into up to ten groups of about equal size.
Only rows whose cell is known are counted. Pearson, Spearman and the correlation ratio use the numbers as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.measure.association import (
    Pairs,
    correlation_ratio,
    count_pairs,
    entropy_of,
    g_test,
    mutual_information,
    pearson,
    ranks,
)
from branchwork.study.look_profile import Codes, Floats, Profile, profile_of
from branchwork.table.schema import Column
from branchwork.table.target import Classes, Target

MOST_PERMUTED = 10_000
"""The number of rows of a permutation test; from a larger table, this many are drawn."""
EQUAL = 1e-9
"""The information of a permutation counts as equal to that of the table if they differ by less than this, in bits."""


@dataclass(frozen=True)
class Association:
    """How much a feature tells about the target.

    Parameters
    ----------
    rows : rows whose cell is known; only these are counted.
    mutual_information : in bits.
    share : of the entropy of the target that the feature explains, from 0 to 1.
    p_value : the p-value of the G test: the probability of as much information by chance.
    degrees_of_freedom : the degrees of freedom of that test.
    corrected_information : the information beyond what chance gives on average, degrees of freedom / (2 n ln 2), in
        bits; at least 0. Columns of many categories are compared with others by this.
    permutation_p : the p-value by shuffling the target, if it was asked for.
    correlation_ratio : the root of the share of variance that groups explain: categories or groups of the feature if
        the target is numeric, classes if the feature is. None for two columns of categories.
    pearson, spearman : correlations, if both are numeric.
    """

    rows: int
    mutual_information: float
    share: float
    p_value: float
    degrees_of_freedom: int
    corrected_information: float
    permutation_p: float | None = None
    correlation_ratio: float | None = None
    pearson: float | None = None
    spearman: float | None = None


@dataclass(frozen=True, eq=False)
class TargetGroups:
    """The target as codes: its classes, or its numbers in groups, with the numbers and their ranks."""

    codes: Codes
    count: int
    values: Floats | None = None
    ranks: Floats | None = None

    @staticmethod
    def of(target: Target) -> TargetGroups:
        """Prepare a target for all features."""
        if isinstance(target, Classes):
            return TargetGroups(target.codes, len(target.labels))
        found = profile_of(Column("y", "numeric"), target.values)
        return TargetGroups(found.groups, found.n_groups, target.values, ranks(target.values))


@dataclass(frozen=True, eq=False)
class Shuffling:
    """A permutation test: how many permutations, of which rows, by which seed."""

    permutations: int
    rows: npt.NDArray[np.intp]
    seed: int


def drawn_rows(n_rows: int, most: int, seed: int) -> npt.NDArray[np.intp]:
    """Return up to this many rows, drawn without replacement, in their order."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng([seed, n_rows]).choice(n_rows, most, replace=False))


def associate(
    profile: Profile, target: TargetGroups, shuffling: Shuffling | None = None, place: int = 0
) -> Association:
    """Measure how much a feature tells about the target; `place` is its position, which keys the permutations."""
    groups = profile.groups
    known: Any = slice(None) if profile.finite == profile.n_rows else groups >= 0
    pairs = count_pairs(groups[known], profile.n_groups, target.codes[known], target.count)
    information = mutual_information(pairs)
    _, freedom, p = g_test(pairs)
    uncertainty = entropy_of(pairs.column_totals) if profile.finite else 0.0
    return Association(
        profile.finite,
        information,
        min(1.0, information / uncertainty) if uncertainty > 0 else 0.0,
        p,
        freedom,
        max(0.0, information - freedom / (2 * profile.finite * math.log(2))) if profile.finite else 0.0,
        None if shuffling is None else _permutation_p(profile, target, shuffling, place),
        *_correlations(profile, target, groups, known),
    )


def _correlations(
    profile: Profile, target: TargetGroups, groups: Codes, known: Any
) -> tuple[float | None, float | None, float | None]:
    """Return the correlation ratio, Pearson's and Spearman's correlation, each if it is defined."""
    if profile.column.is_nominal and target.values is None:
        return None, None, None
    if target.values is None:
        return correlation_ratio(target.codes[known], target.count, profile.cells[known]), None, None
    values = target.values[known]
    ratio = correlation_ratio(groups[known], profile.n_groups, values)
    if profile.column.is_nominal or target.ranks is None:
        return ratio, None, None
    cells = profile.cells[known]
    ranked = target.ranks if isinstance(known, slice) else ranks(values)
    own = ranks(cells) if profile.order is None else profile.ranks[known]
    return ratio, pearson(cells, values), pearson(own, ranked)


def _permutation_p(profile: Profile, target: TargetGroups, shuffling: Shuffling, place: int) -> float:
    """Return the share of permutations, the table itself among them, with at least as much information."""
    groups, codes = profile.groups_of(profile.cells[shuffling.rows]), target.codes[shuffling.rows]
    groups, codes = groups[groups >= 0], codes[groups >= 0]
    if not len(groups):
        return 1.0
    present, places = np.unique(groups, return_inverse=True)

    def information(codes: Codes) -> float:
        pairs: Pairs = count_pairs(places, len(present), codes, target.count)
        return mutual_information(pairs)

    least = information(codes) - EQUAL
    chance = np.random.default_rng([shuffling.seed, place])
    as_good = sum(information(chance.permutation(codes)) >= least for _ in range(shuffling.permutations))
    return (1 + as_good) / (1 + shuffling.permutations)
