"""The nearest change of a row that makes a tree answer otherwise.

A change puts known values into some cells of the row, missing ones or others, and leaves the rest as they are: those
that are missing stay missing. Of the changes that lead to another answer the nearest has

1. the fewest cells changed; of these
2. the smallest distance: |new − old| / spread for a number (table/spread.py), 1 for a category and for a cell that was
   not known; of these
3. the leaf with the smallest id, where a row that is shared among leaves counts for the one with its largest share.

The search (model/nearest.py) is exact. Only a row with many cells that are not known, in a tree that shares such rows
or asks surrogates, may have too many ways to try. Then the nearest change is told after which every question is
answered by the cell that it asks for, and `is_nearest` is False.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from branchwork.model.explain import Explanation
from branchwork.model.model import Model
from branchwork.model.nearest import Demand, Nearest, Search, TooManyStepsError, nearest_number
from branchwork.model.wanted import Wanted, read_wanted


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
    """A change with another answer.

    Parameters
    ----------
    leaf : where the changed row comes to; of several leaves the one with its largest share.
    prediction : what it answers.
    changes : the changed cells, in the order of the columns.
    distance : the sum of |new − old| / spread, 1 for a category or a cell that was not known.
    row : the whole row, changed.
    leaves : all leaves that the changed row comes to, with its share in each.
    is_nearest : whether there is no nearer change; False: there were too many ways to try, and there may be one.
    """

    leaf: int
    prediction: Any
    changes: tuple[Change, ...]
    distance: float
    row: dict[str, Any]
    leaves: tuple[tuple[int, float], ...] = ()
    is_nearest: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a search came to: the change, or None; and whether everything was tried."""

    change: Counterfactual | None
    is_exact: bool


def counterfactual(model: Model, explained: Explanation, want: Any = None) -> Counterfactual | None:
    """The nearest change with another answer, or None if none was found.

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
    return search(model, explained, want).change


def search(model: Model, explained: Explanation, want: Any = None) -> Outcome:
    """Look for the nearest change; `want` as above."""
    wanted = read_wanted(model, explained.prediction, want)
    ways = Search(model, explained.row, wanted)
    try:
        found, is_exact = ways.nearest(), True
    except TooManyStepsError:
        found, is_exact = ways.nearest(whole=True), False
    if found is None:
        return Outcome(None, is_exact)
    return Outcome(_told(model, explained, ways, wanted, found, is_exact), is_exact)


def _told(
    model: Model, explained: Explanation, ways: Search, wanted: Wanted, found: Nearest, is_exact: bool
) -> Counterfactual:
    changed = {j: demand for j, demand in sorted(found.demands.items()) if not demand.kept}
    changes = tuple(_change(model, ways.cells[j], j, demand) for j, demand in changed.items())
    distance = math.fsum(ways.distance(j, demand) for j, demand in changed.items())
    new = {model.schema[change.feature].name: change.value for change in changes}
    answer = wanted.answer(found.leaves)
    prediction = answer if model.labels is None else model.labels[answer]
    row = {**explained.row.values, **new}
    return Counterfactual(found.leaf, prediction, changes, distance, row, found.leaves, is_exact)


def _change(model: Model, cell: float, feature: int, demand: Demand) -> Change:
    """The change of a cell that meets a demand."""
    if demand.codes is None:
        above = None if demand.above == -math.inf else demand.above
        upto = None if demand.upto == math.inf else demand.upto
        return Change(feature, nearest_number(cell, demand), above, upto)
    categories = model.schema[feature].categories
    among = tuple(categories[code] for code in sorted(demand.codes))
    return Change(feature, among[0], among=among)
