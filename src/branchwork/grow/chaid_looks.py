"""Find the best groups of every feature at the nodes of one level, and the feature that splits each node.

The core merges the categories of a feature and tests the groups. This module multiplies the p-values by the number of
ways to form such groups, and compares them. All arrays have the shape (open nodes, features).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.chaid_columns import Categories
from branchwork.grow.chaid_multiplier import Scale, exhaustive_multiplier, multiplier
from branchwork.grow.chaid_tree import Level
from branchwork.grow.recipe import Chaid
from branchwork.measure.impurity import ZERO_GAIN
from branchwork.tree.ledger import VERDICTS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

TIE = 1e-9
"""Logarithms of p-values are a tie if they differ by at most this much, relative to their size if that is above 1."""
SMALLEST_P = 1e-290
"""A smaller p-value is computed from its logarithm."""
ONE_BRANCH, TOO_FEW_ROWS, GROUPS = range(3)
"""The outcomes of looking at a feature in a node, with the numbers that the core uses."""
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "floating")


@dataclass(frozen=True, eq=False)
class Looks:
    """Groups, tests and verdicts. Numbers are NaN for features without groups."""

    groups: Ints
    missing_group: Ints  # of missing cells; -1: there are none
    gain: Floats
    statistic: Floats
    p_value: Floats
    adjusted_p: Floats
    verdict: npt.NDArray[np.uint8]
    best: Ints  # of each node: the column that splits it, or -1
    parts_at: npt.NDArray[
        np.int64
    ]  # (nodes, columns, 2): begin and end in `parts`; equal where they were not wanted
    parts: Floats  # as in Ledger
    cut: Floats  # of a numeric column parted in two, apart from missing cells; otherwise NaN

    def parts_of(self, node: int, column: int) -> Floats:
        """Return the groups of one feature at one node, in the form of the ledger."""
        begin, end = self.parts_at[node, column].tolist()
        return self.parts[begin:end]


def look(
    growth: _core.ChaidGrowth,
    open_nodes: Ints,
    level: Level,
    columns: Categories,
    settings: Chaid,
    *,
    all_parts: bool,
) -> Looks:
    """Find the groups of every feature at some nodes of a level.

    With `all_parts`, the groups of every feature are kept, otherwise only those of the feature that splits.
    """
    shape = (len(open_nodes), len(columns.is_numeric))
    found = [array.reshape(shape) for array in growth.look(open_nodes)]
    outcome, categories, has_missing, missing_group, groups, statistic, p_value, log_p, remainder = found
    has_groups = outcome == GROUPS
    gain = (level.spread[open_nodes, None] - remainder) * level.unit[open_nodes, None] ** 2
    gains = has_groups & (gain > ZERO_GAIN * level.impurity[open_nodes, None])
    times, log_times = _multipliers(has_groups, categories, has_missing, groups, columns, settings)
    log_adjusted = log_p + log_times
    adjusted_p = adjusted(p_value, log_adjusted, times)
    verdict, best = _judged(outcome, gains, log_adjusted, adjusted_p, settings.alpha_split)
    wanted = has_groups if all_parts else np.arange(shape[1]) == best[:, None]
    parts_at, parts = _parts(growth, wanted)
    nothing = np.where(has_groups, 0.0, np.nan)
    return Looks(
        groups=groups,
        missing_group=missing_group,
        gain=gain + nothing,
        statistic=statistic + nothing,
        p_value=p_value + nothing,
        adjusted_p=adjusted_p + nothing,
        verdict=verdict,
        best=best,
        parts_at=parts_at,
        parts=parts,
        cut=_cuts(parts_at, parts, columns.is_numeric),
    )


def _multipliers(
    has_groups: npt.NDArray[np.bool_],
    categories: Ints,
    has_missing: npt.NDArray[np.uint8],
    groups: Ints,
    columns: Categories,
    settings: Chaid,
) -> tuple[Floats, Floats]:
    """Return in how many ways the groups could have been formed (inf if it is too large), and its logarithm."""
    times, log_times = np.ones(groups.shape), np.zeros(groups.shape)
    if not settings.bonferroni or not has_groups.any():
        return times, log_times
    scale = np.where(columns.is_ordered, 1 + has_missing, 0)[has_groups].astype(np.int64)
    kind = (scale * 2**16 + categories[has_groups]) * 2**16 + groups[has_groups]
    kinds, which = np.unique(kind, return_inverse=True)
    ways = [_ways(SCALES[one >> 32], one >> 16 & 0xFFFF, one & 0xFFFF, settings) for one in kinds.tolist()]
    times[has_groups] = np.array([float(n) if n.bit_length() < 1024 else inf for n in ways])[which]
    log_times[has_groups] = np.array([log(n) for n in ways])[which]
    return times, log_times


def _ways(scale: Scale, categories: int, groups: int, settings: Chaid) -> int:
    if settings.variant == "exhaustive":
        return exhaustive_multiplier(scale, categories, settings.multiplier)
    return multiplier(scale, categories, groups)


def adjusted(p_value: Floats, log_adjusted: Floats, times: Floats) -> Floats:
    """Multiply p-values by their multipliers, up to 1. Both may be outside the range of a float."""
    found = np.ones(p_value.shape)
    below = log_adjusted < 0
    is_small = below & ~(p_value > SMALLEST_P)
    plain = below & ~is_small
    found[plain] = p_value[plain] * times[plain]
    found[is_small] = [exp(one) for one in log_adjusted[is_small].tolist()]
    return found


def _judged(
    outcome: npt.NDArray[np.uint8],
    gains: npt.NDArray[np.bool_],
    log_adjusted: Floats,
    adjusted_p: Floats,
    alpha_split: float,
) -> tuple[npt.NDArray[np.uint8], Ints]:
    """Return the verdict of every feature: the smallest adjusted p-value wins; ties go to the earlier feature."""
    names = {name: np.uint8(VERDICTS.index(name)) for name in VERDICTS}
    log_p = np.where(gains, log_adjusted, inf)
    least = log_p.min(axis=1, keepdims=True, initial=inf)
    with np.errstate(invalid="ignore"):
        equal = log_p <= least + TIE * np.maximum(1.0, np.abs(least))
    best = np.argmax(equal, axis=1) if equal.shape[1] else np.zeros(len(equal), np.intp)
    significant = adjusted_p <= alpha_split
    nodes = np.arange(len(best))
    splits = np.isfinite(least[:, 0]) & significant[nodes, best]
    is_best = (np.arange(equal.shape[1]) == best[:, None]) & splits[:, None]
    verdict = np.select(
        [outcome == ONE_BRANCH, outcome == TOO_FEW_ROWS, ~gains, ~significant, is_best, equal],
        [
            names[v]
            for v in ("one_branch", "too_few_rows", "no_gain", "not_significant", "chosen", "tie_lost")
        ],
        names["less_significant"],
    )
    return verdict.astype(np.uint8), np.where(splits, best, -1).astype(np.int32)


def _parts(growth: _core.ChaidGrowth, wanted: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the groups of the wanted nodes and features."""
    places = np.flatnonzero(wanted).astype(np.int64)
    ends, parts = growth.parts(places)
    sizes = np.zeros(wanted.size, np.int64)
    sizes[places] = np.diff(ends, prepend=0)
    end = np.cumsum(sizes)
    return np.stack([end - sizes, end], axis=1).reshape(*wanted.shape, 2), parts


def _cuts(parts_at: npt.NDArray[np.int64], parts: Floats, is_numeric: npt.NDArray[np.bool_]) -> Floats:
    begin, end = parts_at[..., 0], parts_at[..., 1]
    cut = np.full(begin.shape, np.nan)
    has_bounds = (end > begin) & is_numeric
    first, last = begin[has_bounds], end[has_bounds] - 1
    bounds = last - first + (parts[last] != inf)
    cut[has_bounds] = np.where(bounds <= 1, parts[first], np.nan)
    return cut
