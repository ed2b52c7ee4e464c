"""List every threshold of a numeric feature that a recipe tries in a node, and the gain of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.memory import check_tally
from branchwork.grow.recipe import Recipe, Search
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import Candidate, Cut, Group

Floats = npt.NDArray[np.float64]

ENOUGH = 25.0
"""This many rows on each side of a cut are always enough for C4.5."""
GAP = 1e-5
"""C4.5 does not cut between values that differ by less than this."""
SLACK = {"c45": 1e-9, "j48": 1e-6}
"""Slack of comparisons with a number of rows, as in quinlan.hpp."""


def cuts_of(
    table: Table,
    target: Target,
    options: _core.Options,
    recipe: Recipe,
    node: Group,
    most: int | None = None,
) -> Callable[[Candidate], tuple[Cut, ...]]:
    """Return a function that lists the thresholds of a feature; table and target must have the rows of the node only.

    It lists at most `most` thresholds, as chosen by `best_of_strips`; None means all.

    The gain of a threshold is the gain per row that the candidate is judged by, before any penalty.
    """
    least_samples = options.min_leaf_samples
    if recipe.search.rules in SLACK:
        options.min_leaf_samples = 0.0  # C4.5 has a limit of its own, below
    rows = np.arange(table.n_rows, dtype=np.uint32)
    check_tally(table, target, rows)
    tally = _core.tally(table.core, target.core, rows, options)
    parent = node.impurity * tally.weight

    def listed(one: Candidate) -> tuple[Cut, ...]:
        if one.cut is None:
            return ()
        rows = _core.list_cuts(tally, one.feature, options).reshape(-1, 5)
        values = tally.columns[one.feature].values
        if recipe.search.rules in SLACK and isinstance(target, Classes):
            rows = rows[_tried_by_c45(rows, values, recipe.search.rules, least_samples, len(target.labels))]
        elif recipe.search.numeric == "grid":
            rows = rows[_tried_by_grid(rows, values, recipe.search)]
        rows = rows[best_of_strips(rows[:, 0], rows[:, 1], most)]
        known = 1.0 if one.known is None else one.known
        return tuple(
            Cut(cut, (parent - cost) / tally.weight / known, left, right, missing)
            for cut, cost, left, right, missing in rows.tolist()
        )

    return listed


def best_of_strips(cut: Floats, cost: Floats, most: int | None) -> npt.NDArray[np.intp]:
    """Choose at most `most` cuts: divide their range into that many strips, and take the cheapest cut of each.

    The best of all cuts is always among them. A cut between known and missing values is infinite, and always kept.

    >>> best_of_strips(np.array([1.0, 2.0, 3.0, 4.0]), np.array([9.0, 3.0, 5.0, 4.0]), 2).tolist()
    [1, 3]
    """
    if most is None or len(cut) <= most:
        return np.arange(len(cut))
    finite = np.isfinite(cut)
    low, high = cut[finite].min() / 2, cut[finite].max() / 2  # halved, because the difference could overflow
    share = (cut / 2 - low) / (high - low if high > low else 1.0)
    strip = np.where(finite, np.minimum(np.where(finite, share, 0.0) * most, most - 1), most).astype(np.intp)
    order = np.lexsort((np.arange(len(cut)), cost, strip))
    first = np.flatnonzero(np.diff(strip[order], prepend=-1))
    return np.sort(order[first])


def _tried_by_c45(
    rows: Floats, values: Floats, rules: str, least_samples: float, classes: int
) -> npt.NDArray[np.bool_]:
    """Mark the cuts between values that are far enough apart and have enough rows on both sides.

    Each side needs a tenth of the mean number of rows per class, but at least the minimum of a branch and at most
    `ENOUGH`, even if the minimum of a branch is larger (`min_side` in quinlan.hpp).
    """
    if not len(rows):
        return np.zeros(0, bool)
    cut, left, right = rows[:, 0], rows[:, 2], rows[:, 3]
    slack = SLACK[rules]
    tenth = 0.1 * float(left[0] + right[0]) / classes
    least = least_samples if tenth - least_samples <= slack else min(tenth, ENOUGH)
    above = np.minimum(np.searchsorted(values, cut, side="right"), len(values) - 1)
    a, b = values[above - 1], values[above]
    if rules == "j48":
        apart = a + GAP < b
    else:  # Release 8 has 32-bit cells
        apart = a.astype(np.float32).astype(np.float64) < b.astype(np.float32).astype(np.float64) - GAP
    return np.asarray(apart & (np.minimum(left, right) >= least - slack))


def _tried_by_grid(rows: Floats, values: Floats, search: Search) -> npt.NDArray[np.bool_]:
    """Mark the cuts in gaps between values that contain a point of the grid."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2 or search.grid is None:
        return np.zeros(len(rows), bool)
    low, high = float(finite[0]), float(finite[-1])
    if isinstance(search.grid, int | np.integer):
        share = np.arange(1, int(search.grid) + 1) / (int(search.grid) + 1)
        points = low * (1 - share) + high * share
    else:
        first, last = np.ceil(low / search.grid), np.floor(high / search.grid)
        steps = np.arange(max(0.0, last - first + 1))
        exact = max(abs(first), abs(last)) < 2**53
        points = (first + steps) * search.grid if exact else first * search.grid + steps * search.grid
    reached = np.unique(np.searchsorted(values, points, side="right"))
    return np.isin(np.searchsorted(values, rows[:, 0], side="right"), reached)
