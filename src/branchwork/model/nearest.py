"""Search the nearest change of a row: which cells to change so that a tree makes a wanted prediction.

A row walks down the tree. At each test there is one way on per outcome: either the cell of the row stays as it is, and
its own outcome is taken, or the cell is changed to a value with another outcome. All tests of one column on the way add
up to one demand: an interval or a set of categories, and whether the cell of the row meets it.

    x <= 3     own cell 5          no: kept                      yes: changed to at most 3
    x <= 8                         yes: kept     no: above 8     yes: still at most 3

An unknown cell may also stay. Then the surrogates of the node are used, one after the other, and their cells may stay
or change in turn; or the whole row goes down the default branch; or it is shared, and then it walks down several
branches with the same cells.

Demands only become stricter on the way, so the cost of a walk (number of changed cells, then distance) never falls.
Walks are continued in the order of their cost. So the first one that ends with a wanted prediction is the nearest.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from branchwork.model.explain import Row
from branchwork.model.model import Model
from branchwork.model.wanted import Wanted
from branchwork.tree.reshape import levels
from branchwork.tree.route import bounds_of, child_of_cell, parts_of, sent_by, surrogates_of
from branchwork.tree.surrogates import Surrogate
from branchwork.tree.tree import Floats, Tree

UNKNOWN = -1
"""The outcome of a test if the cell is unknown."""
MOST_STEPS = 30_000
"""After this many steps of all walks, beyond one per node, the exact search gives up; about a second."""
ROUNDING = 1e-9

Parts = tuple[tuple[int, float], ...]
"""Nodes, and the share of the row in each."""


@dataclass(frozen=True)
class Demand:
    """What the tests so far require of one column; `kept`: the cell of the row meets all of it without a change."""

    kept: bool = True
    above: float = -math.inf  # no limit, or a number that must be exceeded
    upto: float = math.inf
    codes: frozenset[int] | None = None  # of a nominal column; None: any

    @property
    def is_impossible(self) -> bool:
        """Whether neither the cell of the row nor any known value meets the demand."""
        return not self.kept and (self.above >= self.upto if self.codes is None else not self.codes)

    def also(self, cells: Cells | None, kept: bool) -> Demand:
        """Return the demand with the further condition that known values are in `cells`; None: no value is."""
        kept = kept and self.kept
        if cells is None:
            return Demand(kept, math.inf, -math.inf, None if self.codes is None else frozenset())
        if isinstance(cells, frozenset):
            return Demand(kept, codes=cells if self.codes is None else self.codes & cells)
        return Demand(kept, max(self.above, cells[0]), min(self.upto, cells[1]))


Cells = tuple[float, float] | frozenset[int]
"""Known values of a column: numbers above the first and up to the second, or codes of categories."""
Demands = Mapping[int, Demand]


@dataclass(frozen=True)
class Walk:
    """A row on its way down the tree.

    Parameters
    ----------
    waiting, leaves : the nodes where the row still is, from left to right, and the leaves that it has reached.
    demands : the demands on its cells.
    low, high : the lowest and highest outputs that it may end with; None as long as the row is not shared.
    """

    waiting: Parts
    leaves: Parts
    demands: Demands
    low: Floats | None = None
    high: Floats | None = None


@dataclass(frozen=True)
class Nearest:
    """The result of a search: the leaves of the changed row, and the demands on its cells."""

    leaves: Parts
    demands: Demands

    @property
    def leaf(self) -> int:
        """The leaf with the largest share (ties: the first)."""
        return max(self.leaves, key=lambda part: part[1])[0]


class TooManyStepsError(Exception):
    """There are more walks than may be tried."""


class Search:
    """Tries all walks of one row down one tree, the nearest first. Cells of the columns in `fixed` stay as they are."""

    def __init__(self, model: Model, row: Row, wanted: Wanted, fixed: Collection[int] = ()) -> None:
        self.model, self.tree, self.wanted, self.fixed = model, model.tree, wanted, fixed
        self.cells = row.cells
        self.with_majority = model.handle_unknown == "majority"
        self.nominal = [column.is_nominal for column in model.schema]
        spread = model.spread or [math.nan] * len(self.cells)
        self.scale = [1.0 if math.isnan(width) else width for width in spread]
        self._useful = _above(self.tree, wanted.leaves).tolist()
        self._range: tuple[Floats, Floats] | None = None
        self._cells: dict[int, dict[int, Cells]] = {}  # as _cells_of has them, by node

    def nearest(self, *, whole: bool = False) -> Nearest | None:
        """Return the nearest change, or None if there is none.

        `whole` considers only changes after which every tested cell is known; then each node is passed at most once.
        Without it, TooManyStepsError may be raised.
        """
        number = count()
        best: tuple[tuple[int, float, int], Nearest] | None = None
        if self.tree.n_nodes == 1:
            return None  # a single leaf has only one prediction
        ways = [((0, 0.0), next(number), Walk(((0, 1.0),), (), {}))]
        left = MOST_STEPS + self.tree.n_nodes
        while ways:
            cost, _, walk = heapq.heappop(ways)
            if best is not None and cost > best[0][:2]:
                break
            if not walk.waiting:
                found = Nearest(walk.leaves, walk.demands)
                if best is None or (*cost, found.leaf) < best[0]:
                    best = (*cost, found.leaf), found
                continue
            for longer in self._continued(walk, whole):
                left -= 1
                if left < 0 and not whole:
                    raise TooManyStepsError
                if longer is not None:
                    heapq.heappush(ways, (self._cost(longer.demands), next(number), longer))
        return None if best is None else best[1]

    def _cost(self, demands: Demands) -> tuple[int, float]:
        changed = [self.distance(j, demand) for j, demand in demands.items() if not demand.kept]
        return len(changed), math.fsum(changed)

    def distance(self, feature: int, demand: Demand) -> float:
        """Return the distance of a changed cell from the cell of the row."""
        cell = self.cells[feature]
        if self.nominal[feature] or math.isnan(cell):
            return 1.0
        return abs(nearest_number(cell, demand) - cell) / self.scale[feature]

    # ---- one step of a walk

    def _continued(self, walk: Walk, whole: bool) -> Iterator[Walk | None]:
        """Yield every way on from the first waiting node; None for one that cannot end with a wanted prediction."""
        (node, share), *rest = walk.waiting
        first = int(self.tree.first_child[node])
        for child, demands in self._ways(node, walk.demands, whole):
            here = ((first + child, share),) if child >= 0 else self._shared(node, share)
            waiting, leaves = (*here, *rest), walk.leaves
            while waiting and self.tree.is_leaf(waiting[0][0]):
                waiting, leaves = waiting[1:], (*leaves, waiting[0])
            low, high = self._ends(walk, (node, share), here)
            longer = Walk(waiting, leaves, demands, low, high)
            yield longer if self._may_be_wanted(longer) else None

    def _shared(self, node: int, share: float) -> Parts:
        """Return the children among which a row is shared."""
        first, parts = int(self.tree.first_child[node]), parts_of(self.tree, node, UNKNOWN)
        return tuple((first + k, share * part) for k, part in enumerate(parts) if part > 0)

    def _ways(self, node: int, demands: Demands, whole: bool) -> Iterator[tuple[int, Demands]]:
        """Yield the children that the row can go to, counted from the first (UNKNOWN: all), with the demands for it."""
        tree, feature = self.tree, int(self.tree.feature[node])
        default = int(tree.default_child[node])
        others = surrogates_of(tree, self.model.schema, node)
        alone = not others and default >= 0  # an unknown cell goes to the default branch
        own = self._own_answer(node, feature)
        pending = []
        if alone and own == UNKNOWN:
            own = default
        if node not in self._cells:
            self._cells[node] = self._cells_of(node, feature, alone)
        for answer, demand in self._answers(feature, self._cells[node], own, demands):
            if answer != UNKNOWN:
                yield answer, {**demands, feature: demand}
            elif not whole:
                pending.append({**demands, feature: demand})
        for other in others:
            undecided = []
            for so_far in pending:
                told = sent_by(other, self.cells[other.feature])
                says = UNKNOWN if told is None else told
                for answer, demand in self._answers(other.feature, _cells_of_surrogate(other), says, so_far):
                    if answer != UNKNOWN:
                        yield answer, {**so_far, other.feature: demand}
                    else:
                        undecided.append({**so_far, other.feature: demand})
            pending = undecided
        yield from ((default, so_far) for so_far in pending)

    def _answers(
        self, feature: int, cells_of: Mapping[int, Cells], own: int, demands: Demands
    ) -> Iterator[tuple[int, Demand]]:
        """Yield the outcomes of a test that the column can have, with the demand for each."""
        so_far = demands.get(feature, Demand())
        for answer in sorted({*cells_of, own}):
            demand = so_far.also(cells_of.get(answer), answer == own)
            if not demand.is_impossible and (demand.kept or feature not in self.fixed):
                yield answer, demand

    def _own_answer(self, node: int, feature: int) -> int:
        child = child_of_cell(
            self.tree,
            node,
            self.cells[feature],
            nominal=self.nominal[feature],
            unseen_with_majority=self.with_majority,
        )
        return UNKNOWN if child is None else child

    def _cells_of(self, node: int, feature: int, alone: bool) -> dict[int, Cells]:
        """Return the known values that take each branch of a node; those of UNKNOWN were absent from it in training."""
        tree = self.tree
        if not self.nominal[feature]:
            limits = [-math.inf, *bounds_of(tree, node), math.inf]
            return {k: (limits[k], limits[k + 1]) for k in range(int(tree.n_children[node]))}
        begin = int(tree.lookup[node]) + 1
        place = tree.pool[begin : begin + len(self.model.schema[feature].categories)]
        if alone:
            place = np.where(place < 0, tree.default_child[node], place)
        codes: dict[int, list[int]] = {}
        for code, child in enumerate(place.tolist()):
            codes.setdefault(child, []).append(code)
        return {child: frozenset(group) for child, group in codes.items()}

    # ---- walks that cannot end with a wanted prediction

    def _may_be_wanted(self, walk: Walk) -> bool:
        if not walk.leaves and len(walk.waiting) == 1:
            return bool(self._useful[walk.waiting[0][0]])
        if not walk.waiting:
            return self.wanted.is_met(walk.leaves)
        assert walk.low is not None and walk.high is not None, "the row is in pieces"
        slack = ROUNDING * np.maximum(np.abs(walk.low), np.abs(walk.high))
        return self.wanted.is_within(walk.low - slack, walk.high + slack)

    def _ends(self, walk: Walk, left: tuple[int, float], here: Parts) -> tuple[Floats | None, Floats | None]:
        """Return the lowest and highest possible outputs after a node was left for some of its children."""
        if walk.low is None and len(here) == 1:
            return None, None
        if self._range is None:
            self._range = _ranges(self.tree)
        ends = []
        for own, limit in zip((walk.low, walk.high), self._range, strict=True):
            before = left[1] * limit[left[0]]
            after = sum((share * limit[node] for node, share in here), np.zeros(self.tree.n_outputs))
            ends.append(after if own is None else own - before + after)
        return ends[0], ends[1]


def _cells_of_surrogate(other: Surrogate) -> dict[int, Cells]:
    if other.children is not None:
        sides = set(other.children)
        return {k: frozenset(c for c, to in enumerate(other.children) if to == k) for k in sides}
    assert other.cut is not None and other.low_child is not None, "a surrogate has a cut or categories"
    return {other.low_child: (-math.inf, other.cut), 1 - other.low_child: (other.cut, math.inf)}


def nearest_number(cell: float, demand: Demand) -> float:
    """Return the number nearest to a cell that meets a demand; for a missing cell, a limit of the demand."""
    if math.isnan(cell) and demand.upto == math.inf and demand.above == -math.inf:
        return 0.0
    if cell <= demand.above or (math.isnan(cell) and demand.upto == math.inf):
        return math.nextafter(demand.above, math.inf)
    return demand.upto


def _above(tree: Tree, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which nodes are wanted, or have such nodes below them."""
    above = wanted.copy()
    for node in range(tree.n_nodes - 1, 0, -1):
        if above[node]:
            above[tree.parent[node]] = True
    return above


def _ranges(tree: Tree) -> tuple[Floats, Floats]:
    """Return the lowest and the highest of each output among the leaves below each node."""
    leaf = (tree.feature < 0)[:, None]
    lowest, highest = np.where(leaf, tree.value, np.inf), np.where(leaf, tree.value, -np.inf)
    for level in reversed(levels(tree)[1:]):
        above = tree.parent[level]
        np.minimum.at(lowest, above, lowest[level])
        np.maximum.at(highest, above, highest[level])
    return lowest, highest
