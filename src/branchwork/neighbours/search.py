"""Find candidates for the nearest points by a k-d tree, by brute force in many dimensions, or by a scan.

A search returns candidates and never misses one: all points up to a distance within which there are surely enough rows.
The exact distances are computed afterwards, in the same way for all searches (`Axes.between`), so the choice of the
search affects only the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.neighbours import coordinates
from branchwork.neighbours.distance import Axes, Cells, Floats, Positions
from branchwork.neighbours.points import Points

Method = Literal["kd_tree", "brute"]
MOST_COORDINATES = 15
"""In more coordinates than this a k-d tree visits most points anyway, and brute force is faster; as in scikit-learn."""
LEAF_SIZE = 32
CELLS_AT_ONCE = 2**21
"""The number of distances that a scan holds in memory at a time."""
FIRST_QUERIES, SECONDS_AT_ONCE = 64, 0.05
"""An engine is asked for this many queries first, and then for as many as take about so long."""
CLOSE = 1e-9
"""Points whose distance is larger by up to this share are kept as candidates."""
ROUNDING = 1e-12
"""The largest rounding error of a distance, as a share of the size of the coordinates."""


class Choice(NamedTuple):
    """Which search is used, and why."""

    method: Method
    why: str

    def __str__(self) -> str:
        """Return both as a sentence."""
        return f"{self.method}: {self.why}"


class Candidates(NamedTuple):
    """Pairs of a query and a point that may be among its nearest, sorted by query."""

    query: Positions
    point: Positions


@dataclass(frozen=True, eq=False)
class Search:
    """A search among points."""

    axes: Axes
    points: Points

    @cached_property
    def choice(self) -> Choice:
        """Which search is used for rows without missing numbers, and why."""
        n = coordinates.width(self.axes)
        if n <= MOST_COORDINATES:
            return Choice("kd_tree", f"{n} coordinates, and a k-d tree is faster up to {MOST_COORDINATES}")
        return Choice("brute", f"{n} coordinates, and a k-d tree does not help beyond {MOST_COORDINATES}")

    @cached_property
    def _complete(self) -> Positions:
        """The points without missing numbers."""
        return np.flatnonzero(~self.points.cells.lacks_number)

    @cached_property
    def _incomplete(self) -> Positions:
        return np.flatnonzero(self.points.cells.lacks_number)

    @cached_property
    def _places(self) -> Floats:
        return coordinates.of_training(self.axes, self.points.cells.take(self._complete))

    @cached_property
    def _size(self) -> float:
        """The largest coordinate, or norm, of a point."""
        return float(np.sqrt((self._places**2).sum(axis=1)).max(initial=0.0))

    @cached_property
    def _engine(self) -> Any:
        if self.choice.method == "kd_tree":
            from scipy.spatial import cKDTree

            return cKDTree(self._places, leafsize=LEAF_SIZE, balanced_tree=False)
        from sklearn.neighbors import NearestNeighbors

        metric = "euclidean" if coordinates.power(self.axes) == 2 else "manhattan"
        return NearestNeighbors(algorithm="brute", metric=metric).fit(self._places)

    def candidates(self, cells: Cells, enough: int, n_jobs: int) -> Candidates:
        """Return, for each query, all points that may be among the nearest ones with `enough` rows in total."""
        lacks = cells.lacks_number | (len(self._complete) == 0)
        whole, partial = np.flatnonzero(~lacks), np.flatnonzero(lacks)
        found = [self._scanned(cells, partial, enough)] if partial.size else []
        if whole.size:
            found += self._searched(cells, whole, enough, n_jobs)
        query = np.concatenate([one.query for one in found])
        point = np.concatenate([one.point for one in found])
        if len(found) == 1:
            return found[0]
        order = np.argsort(query, kind="stable")
        return Candidates(query[order], point[order])

    # ---- with a k-d tree or by brute force

    def _searched(self, cells: Cells, rows: Positions, enough: int, n_jobs: int) -> list[Candidates]:
        """Ask the engine for a few points, and for more while the last of them is as near as the others."""
        places = coordinates.of_queries(self.axes, cells.take(rows))
        found: list[Candidates] = []
        reach = np.empty(len(rows))
        left, many = np.arange(len(rows)), enough + 1
        count = self.points.count[self._complete]
        while left.size:
            if many > max(len(self._complete) // 4, enough + 1) and many < len(self._complete):
                found.append(self._scanned(cells, rows[left], enough))
                reach[left] = -1.0  # the scan has seen the incomplete points, too
                break
            many = min(many, len(self._complete))
            distance, near = self._nearest(places[left], many, n_jobs)
            bound = self._bound(places[left], distance, np.cumsum(count[near], axis=1), enough)
            closed = (distance[:, -1] > bound) | (many == len(self._complete))
            kept = (distance <= bound[:, None]) & closed[:, None]
            query, place = np.nonzero(kept)
            found.append(Candidates(rows[left[query]], self._complete[near[query, place]]))
            reach[left] = bound
            left, many = left[~closed], 4 * many
        if self._incomplete.size:
            found += self._incomplete_within(cells, rows, reach)
        return found

    def _nearest(self, places: Floats, many: int, n_jobs: int) -> tuple[Floats, Positions]:
        """Return the distances and positions of this many complete points, nearest first."""
        distance, near = np.empty((len(places), many)), np.empty((len(places), many), np.intp)
        if self.choice.method == "kd_tree":
            power = coordinates.power(self.axes)
            for some in _paced(len(places)):
                distance[some], near[some] = self._engine.query(
                    places[some], k=range(1, many + 1), p=power, workers=n_jobs
                )
            return distance, near
        from threadpoolctl import threadpool_limits

        with threadpool_limits(n_jobs):
            for some in _paced(len(places)):
                distance[some], near[some] = self._engine.kneighbors(places[some], many)
        return distance, near

    def _bound(self, places: Floats, distance: Floats, rows: Positions, enough: int) -> Floats:
        """Return, for each query, the distance up to which points are kept: infinite if there are too few rows."""
        reached = rows >= enough
        last = distance[np.arange(len(distance)), np.argmax(reached, axis=1)]
        size = np.sqrt((places**2).sum(axis=1)) + self._size
        if self.choice.method == "brute" and coordinates.power(self.axes) == 2:
            # A squared distance computed as |a|² + |b|² − 2ab has the rounding errors of the norms.
            bound = np.sqrt(last * last * (1 + CLOSE) + ROUNDING * size * size)
        else:
            bound = last * (1 + CLOSE) + ROUNDING * size * np.sqrt(places.shape[1])
        return np.where(reached[:, -1], bound, np.inf)

    # ---- by a scan of all points

    def _scanned(self, cells: Cells, rows: Positions, enough: int) -> Candidates:
        """Compare rows with every point."""
        every = np.arange(len(self.points))
        kept = [
            self._nearest_of(
                block, self.axes.between(cells, block[:, None], self.points.cells, every), enough
            )
            for block in _blocks(rows, len(every))
        ]
        return _joined(kept)

    def _nearest_of(self, rows: Positions, distance: Floats, enough: int) -> Candidates:
        n_points = distance.shape[1]
        some = min(enough, n_points)
        order = np.argpartition(distance, some - 1, axis=1)[:, :some]
        near = np.take_along_axis(distance, order, axis=1)
        by_distance = np.argsort(near, axis=1)
        near = np.take_along_axis(near, by_distance, axis=1)
        count = self.points.count[np.take_along_axis(order, by_distance, axis=1)]
        reached = np.cumsum(count, axis=1) >= enough
        last = near[np.arange(len(near)), np.argmax(reached, axis=1)]
        bound = np.where(reached[:, -1], last * (1 + CLOSE), np.inf)
        query, point = np.nonzero(distance <= bound[:, None])
        return Candidates(rows[query], point)

    def _incomplete_within(self, cells: Cells, rows: Positions, reach: Floats) -> list[Candidates]:
        """Return the points with missing numbers that are no farther than the reach of each query."""
        kept, at = [], 0
        for block in _blocks(rows, len(self._incomplete)):
            distance = self.axes.between(cells, block[:, None], self.points.cells, self._incomplete)
            query, place = np.nonzero(distance <= reach[at : at + len(block), None])
            kept.append(Candidates(block[query], self._incomplete[place]))
            at += len(block)
        return kept


def _blocks(rows: Positions, n_points: int) -> list[Positions]:
    """Return rows in blocks whose distances to all points fit in memory."""
    size = max(1, CELLS_AT_ONCE // max(1, n_points))
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def _paced(count: int) -> Iterator[slice]:
    """Yield blocks of queries, of which each takes about as long as Ctrl-C may have to wait: engines do not hear it."""
    at, size = 0, FIRST_QUERIES
    while at < count:
        start = perf_counter()
        yield slice(at, min(count, at + size))
        at += size
        size = max(1, int(size * min(4.0, SECONDS_AT_ONCE / (perf_counter() - start))))


def _joined(found: list[Candidates]) -> Candidates:
    query: npt.NDArray[np.intp] = np.concatenate([one.query for one in found])
    return Candidates(query, np.concatenate([one.point for one in found]))
