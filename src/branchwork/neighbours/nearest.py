"""Find the k nearest rows of each query, with a fixed order among ties.

Candidates of a query, nearest first; equal distances are one group, in which the earlier training row comes first:

    distance   0.2   0.5   0.5   0.5   0.9          k = 3 and every row weighs 1: rows 7, 2 and 4
    row          7     2     4     8     1
    group        0     1     1     1     2

A row of weight w counts as w of the k neighbours, as w copies of it would; the last row may count in part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from branchwork.lazy import cached_property
from branchwork.neighbours.distance import Axes, Cells, Floats, Metric, Positions, axes
from branchwork.neighbours.points import Points, points
from branchwork.neighbours.search import Candidates, Search
from branchwork.table.table import Table

TIE = 1e-12
"""Distances that differ by less than this share count as equal, as 0.3 − 0.2 and 0.2 − 0.1 should."""
RESIDUE = 1e-9
"""A remainder of k below this share of k, after subtracting weights, is rounding residue and counts as zero."""
PAIRS_AT_ONCE = 2**19
"""Queries are answered in blocks of about this many pairs of a query and a neighbour."""


@dataclass(frozen=True, eq=False)
class Found:
    """The nearest rows of each query, nearest first.

    Parameters
    ----------
    starts : where the rows of each query begin; one more at the end.
    rows : training rows.
    distances : the distances of these rows.
    weights : the weights of these rows.
    before : the weight of the rows of the same query that are nearer, or equally near and earlier.
    shares : how much of k each row is.
    """

    starts: Positions
    rows: Positions
    distances: Floats
    weights: Floats
    before: Floats
    shares: Floats

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.starts) - 1

    @property
    def queries(self) -> Positions:
        """The query of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class Nearest:
    """Training rows that can be searched.

    Parameters
    ----------
    axes : how to measure distances.
    cells : the cells of all training rows.
    weights : the weights of all training rows; rows of weight 0 are ignored.
    """

    axes: Axes
    cells: Cells
    weights: Floats

    @cached_property
    def _points(self) -> Points:
        return points(self.cells, np.flatnonzero(self.weights > 0))

    @cached_property
    def search(self) -> Search:
        """The search for candidates."""
        return Search(self.axes, self._points)

    @cached_property
    def _least_weight(self) -> float:
        return float(self.weights[self.weights > 0].min())

    def rows_for(self, k: float) -> int:
        """Return how many rows are enough to have the weight k, whichever they are."""
        return min(math.ceil(k / self._least_weight), int(np.count_nonzero(self.weights)))

    def find(self, cells: Cells, k: float, *, own: Positions | None = None, n_jobs: int = 1) -> Found:
        """Return the nearest rows with a total weight of k.

        `own` has, for each query, its own training row, of which one copy is left out.
        """
        enough = self.rows_for(k) + (own is not None)
        found = self.search.candidates(cells, enough, n_jobs)
        query, row = self._rows_of(found, enough)
        distance = self.axes.between(cells, query, self.cells, row)
        order = _in_order(query, distance, row)
        query, row, distance = query[order], row[order], distance[order]
        starts = np.searchsorted(query, np.arange(len(cells) + 1))
        weight = self.weights[row]
        if own is not None:
            weight = np.where(row == own[query], np.maximum(weight - 1, 0.0), weight)
        before = _before(weight, starts)
        share = np.clip(k - before, 0.0, weight)
        taken = share > RESIDUE * k
        starts = np.searchsorted(query[taken], np.arange(len(cells) + 1))
        return Found(starts, row[taken], distance[taken], weight[taken], before[taken], share[taken])

    def _rows_of(self, found: Candidates, enough: int) -> tuple[Positions, Positions]:
        """Return the rows of candidate points, at most as many per point as are needed."""
        given = self._points
        counts = np.minimum(given.count[found.point], enough)
        if (counts == 1).all():
            return found.query, given.rows[given.start[found.point]]
        ends = np.cumsum(counts)
        within = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
        return np.repeat(found.query, counts), given.rows[
            np.repeat(given.start[found.point], counts) + within
        ]


def nearest(table: Table, weights: Floats, metric: Metric, feature_weights: tuple[float, ...]) -> Nearest:
    """Prepare the rows of a table for searches."""
    measured = axes(table, np.flatnonzero(weights > 0), metric, feature_weights)
    return Nearest(measured, measured.cells(table), weights)


def blocks(n_queries: int, rows_each: int) -> list[slice]:
    """Cut queries into blocks whose neighbours fit in memory."""
    size = max(1, PAIRS_AT_ONCE // max(1, rows_each))
    return [slice(at, min(at + size, n_queries)) for at in range(0, n_queries, size)]


def _in_order(query: Positions, distance: Floats, row: Positions) -> Positions:
    """Return the order by query, group of equal distances, and row."""
    order = np.lexsort((row, distance, query))
    sorted_query, sorted_distance = query[order], distance[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (sorted_query[1:] != sorted_query[:-1]) | (
        sorted_distance[1:] > sorted_distance[:-1] * (1 + TIE)
    )
    if new.all():
        return order
    return order[np.lexsort((row[order], np.cumsum(new)))]


def _before(weight: Floats, starts: Positions) -> Floats:
    """Return the weight of what comes before each row of the same query."""
    total = np.cumsum(weight) - weight
    return np.asarray(total - np.repeat(total[np.minimum(starts[:-1], len(total) - 1)], np.diff(starts)))
