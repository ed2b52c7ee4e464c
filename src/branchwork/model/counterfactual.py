"""The nearest change of a row that makes a tree answer otherwise.

A change puts known values into some cells of the row and leaves all others as they are, missing ones too. Of the
changes that lead to another answer the nearest has

1. the fewest cells changed; of these
2. the smallest distance: |new − old| / spread for a number (table/spread.py), 1 for a category and for a cell that was
   not known; of these
3. the leaf with the smallest id.

To come to a leaf, the row must take a branch at every node on the way. All that these branches ask of one column is one
demand: an interval or a set of categories. A cell that meets it stays; any other is changed to the nearest value that
does. Demands grow stricter on the way down, so a branch that is already worse than the best leaf found is not entered.

A cell that is not known stays where it alone decides the branch (`default_child`). Where the row would be shared
among branches, or other columns would be asked (surrogates), it is filled in.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, did_you_mean
from branchwork.model.explain import Explanation, Row
from branchwork.model.model import Model
from branchwork.tree.outputs import likeliest
from branchwork.tree.route import bounds_of, child_of_cell
from branchwork.tree.tree import Tree

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Demand:
    """What the branches on the way to a node ask of one column; `kept`: the row's own cell takes them all."""

    kept: bool = True
    above: float = -math.inf  # no limit, or a number that must be exceeded
    upto: float = math.inf
    codes: frozenset[int] | None = None  # of a nominal column; None: any

    @property
    def is_impossible(self) -> bool:
        """Whether neither the row's own cell nor any known value will do."""
        return not self.kept and (self.above >= self.upto if self.codes is None else not self.codes)


@dataclass(frozen=True)
class Change:
    """One changed cell.

    Parameters
    ----------
    feature : the column.
    value : the new value, the nearest that will do.
    above, upto : every number above the one and not above the other will do; None: no limit. Of numeric columns.
    among : every one of these categories will do; None for numeric columns.
    """

    feature: int
    value: Any
    above: float | None = None
    upto: float | None = None
    among: tuple[Hashable, ...] | None = None


@dataclass(frozen=True)
class Counterfactual:
    """The nearest change with another answer.

    Parameters
    ----------
    leaf : where the changed row comes to.
    prediction : what it answers.
    changes : the changed cells, in the order of the columns.
    distance : the sum of |new − old| / spread, 1 for a category or a cell that was not known.
    row : the whole row, changed.
    """

    leaf: int
    prediction: Any
    changes: tuple[Change, ...]
    distance: float
    row: dict[str, Any]


def counterfactual(model: Model, explained: Explanation, want: Any = None) -> Counterfactual | None:
    """The nearest change with another answer, or None if no change has one.

    Parameters
    ----------
    want : a label, or (lowest, highest) of the number; None: any answer but the one given.

    >>> import branchwork as bw
    >>> from branchwork.model.explain import explain, read_row
    >>> tennis = bw.datasets.load("play_tennis")
    >>> model = bw.ID3Classifier().fit(tennis.X, tennis.y).model_
    >>> found = counterfactual(model, explain(model, read_row(model, tennis.X.take([0]))))
    >>> found.prediction, [(model.schema[change.feature].name, change.value) for change in found.changes]
    ('Yes', [('Outlook', 'Overcast')])
    """
    answers = _answers(model)
    wanted = _wanted(model, answers, explained.prediction, want) & (model.tree.feature < 0)
    search = _Search(model, explained.row)
    best = search.nearest(wanted) if wanted.any() else None
    if best is None:
        return None
    leaf, demands = best
    changes = tuple(search.change(j, demands[j]) for j in sorted(demands) if not demands[j].kept)
    distance = math.fsum(search.distance(j, demands[j]) for j in demands if not demands[j].kept)
    new = {model.schema[change.feature].name: change.value for change in changes}
    answer = answers[leaf].item()
    prediction = answer if model.labels is None else model.labels[answer]
    return Counterfactual(leaf, prediction, changes, distance, {**explained.row.values, **new})


def _answers(model: Model) -> npt.NDArray[Any]:
    """What each node answers to a row that comes to it as a whole: the position of a label, or the number."""
    tree = model.tree
    if model.labels is None:
        return tree.value[:, 0]
    return likeliest(tree.value) if tree.shares_rows else tree.decision


def _wanted(model: Model, answers: npt.NDArray[Any], prediction: Any, want: Any) -> Mask:
    """Which nodes answer as is wanted."""
    if model.labels is None:
        if want is None:
            return np.asarray(answers != prediction)
        low, high = _range(want)
        if low <= prediction <= high:
            raise ParameterError(f"want={want!r}: the answer {prediction!r} is already in that range.")
        return np.asarray((answers >= low) & (answers <= high))
    if want is None:
        return np.asarray(answers != model.labels.index(prediction))
    if want not in model.labels:
        hint = did_you_mean(str(want), map(str, model.labels))
        raise ParameterError(f"want={want!r} is not a class of this tree.{hint}")
    if want == prediction:
        raise ParameterError(f"want={want!r} is what the tree answers already.")
    return np.asarray(answers == model.labels.index(want))


def _range(want: Any) -> tuple[float, float]:
    try:
        low, high = (float(limit) for limit in want)
    except (TypeError, ValueError):
        raise ParameterError(f"want={want!r}; expected (lowest, highest), as in want=(10, 20).") from None
    if not low <= high:
        raise ParameterError(f"want={want!r}; the lowest number comes first.")
    return low, high


class _Search:
    """A walk over the tree with the demands of the branches on the way; what cannot be nearest is left out."""

    def __init__(self, model: Model, row: Row) -> None:
        self.model = model
        self.cells = row.cells
        self.with_majority = model.handle_unknown == "majority"
        self.nominal = [column.is_nominal for column in model.schema]
        spread = model.spread or [math.nan] * len(self.cells)
        self.scale = [1.0 if math.isnan(width) else width for width in spread]

    def nearest(self, wanted: Mask) -> tuple[int, dict[int, Demand]] | None:
        """The nearest leaf among those wanted, and what it demands of each column; None: none can be reached."""
        tree = self.model.tree
        useful = _above(tree, wanted).tolist()
        best: tuple[tuple[int, float, int], dict[int, Demand]] | None = None
        demands: dict[int, Demand] = {}
        costs: dict[int, float] = {}
        # A node to enter with its demand on a column, or (-1) what held before one was entered.
        waiting: list[tuple[int, int, Demand | None]] = [(0, -1, None)]
        while waiting:
            node, feature, demand = waiting.pop()
            if feature >= 0:
                if node >= 0:
                    waiting.append((-1, feature, demands.get(feature)))
                self._set(demands, costs, feature, demand)
            if node < 0:
                continue
            nearness = (len(costs), math.fsum(costs.values()), node)
            if best is not None and nearness[:2] > best[0][:2]:
                continue
            if not tree.is_leaf(node):
                waiting.extend(self._branches(node, demands, useful))
            elif best is None or nearness < best[0]:
                best = nearness, dict(demands)
        return None if best is None else (best[0][2], best[1])

    def _set(
        self, demands: dict[int, Demand], costs: dict[int, float], feature: int, demand: Demand | None
    ) -> None:
        demands.pop(feature, None)
        costs.pop(feature, None)
        if demand is not None:
            demands[feature] = demand
            if not demand.kept:
                costs[feature] = self.distance(feature, demand)

    def _branches(
        self, node: int, demands: dict[int, Demand], useful: list[bool]
    ) -> list[tuple[int, int, Demand]]:
        """Children that can be reached, with the demands of their branches; the row's own branch last."""
        tree = self.model.tree
        feature, first = int(tree.feature[node]), int(tree.first_child[node])
        so_far, own = demands.get(feature, Demand()), self._own_child(node, feature)
        branches = [
            (first + k, feature, demand)
            for k, demand in enumerate(self._demands(node, feature, so_far, own))
            if useful[first + k] and not demand.is_impossible
        ]
        return sorted(branches, key=lambda branch: branch[2].kept)

    def _own_child(self, node: int, feature: int) -> int:
        """The branch that the row's own cell takes, whatever the others are; -1: that is for others to say."""
        tree = self.model.tree
        child = child_of_cell(
            tree,
            node,
            self.cells[feature],
            nominal=self.nominal[feature],
            unseen_with_majority=self.with_majority,
        )
        if child is not None:
            return child
        asks_others = tree.surrogates is not None and tree.surrogates.count[node] > 0
        return -1 if asks_others else int(tree.default_child[node])

    def _demands(self, node: int, feature: int, so_far: Demand, own: int) -> Iterator[Demand]:
        """The demand of each branch, on top of those so far."""
        tree = self.model.tree
        if not self.nominal[feature]:
            limits = [-math.inf, *bounds_of(tree, node), math.inf]
            for k in range(int(tree.n_children[node])):
                above, upto = max(so_far.above, limits[k]), min(so_far.upto, limits[k + 1])
                yield Demand(so_far.kept and k == own, above, upto)
            return
        codes: list[list[int]] = [[] for _ in tree.children(node)]
        begin = int(tree.lookup[node]) + 1
        end = begin + len(self.model.schema[feature].categories)
        for code, child in enumerate(tree.pool[begin:end].tolist()):
            if child >= 0:
                codes[child].append(code)
        for k, group in enumerate(codes):
            both = frozenset(group) if so_far.codes is None else so_far.codes.intersection(group)
            yield Demand(so_far.kept and k == own, codes=both)

    def distance(self, feature: int, demand: Demand) -> float:
        """How far a changed cell is from the row's own."""
        cell = self.cells[feature]
        if self.nominal[feature] or math.isnan(cell):
            return 1.0
        return abs(_number(cell, demand) - cell) / self.scale[feature]

    def change(self, feature: int, demand: Demand) -> Change:
        """The change that meets a demand."""
        if demand.codes is None:
            above = None if demand.above == -math.inf else demand.above
            upto = None if demand.upto == math.inf else demand.upto
            return Change(feature, _number(self.cells[feature], demand), above, upto)
        categories = self.model.schema[feature].categories
        among = tuple(categories[code] for code in sorted(demand.codes))
        return Change(feature, among[0], among=among)


def _number(cell: float, demand: Demand) -> float:
    """The number nearest to a cell that meets a demand; for a missing one, a limit of the demand."""
    if math.isnan(cell) and demand.upto == math.inf and demand.above == -math.inf:
        return 0.0
    if cell <= demand.above or (math.isnan(cell) and demand.upto == math.inf):
        return math.nextafter(demand.above, math.inf)
    return demand.upto


def _above(tree: Tree, wanted: Mask) -> Mask:
    """Nodes that are wanted, or have such nodes below them."""
    above = wanted.copy()
    for node in range(tree.n_nodes - 1, 0, -1):
        if above[node]:
            above[tree.parent[node]] = True
    return above
