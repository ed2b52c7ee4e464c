"""Find the nearest change of a row for which a tree predicts something else.

A change sets some cells of the row, whether they were missing or not, to known values, and leaves the others as they
are: missing values stay missing. Of the changes that lead to another prediction, the nearest has

1. the fewest changed cells; of these
2. the smallest distance: |new − old| / spread for a number (table/spread.py), 1 for a category and for a cell that was
   unknown; of these
3. the leaf with the smallest id; a row that is shared among leaves counts for the leaf with its largest share.

The search (model/nearest.py) is exact, except for a row with many unknown cells in a tree that shares such rows or uses
surrogates, where there may be too many combinations. Then it finds the nearest change for which every tested cell is
known, and `is_nearest` is False.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from branchwork.model.explain import Explanation
from branchwork.model.model import Model
from branchwork.model.nearest import Demand, Nearest, Search, TooManyStepsError, nearest_number
from branchwork.model.wanted import Wanted, read_fixed, read_wanted


@dataclass(frozen=True)
class Change:
    """One changed cell.

    Parameters
    ----------
    feature : the column.
    value : the new value, the nearest one that has the effect.
    above, upto : for numeric columns: every number above `above` and up to `upto` has it, too; None: no limit.
    among : for categorical columns: every one of these categories has it, too; None for numeric columns.
    """

    feature: int
    value: Any
    above: float | None = None
    upto: float | None = None
    among: tuple[Hashable, ...] | None = None


@dataclass(frozen=True)
class Counterfactual:
    """A change that leads to another prediction.

    Parameters
    ----------
    leaf : the leaf of the changed row; if it is shared among leaves, the one with its largest share.
    prediction : the prediction for the changed row.
    changes : the changed cells, in the order of the columns.
    distance : the sum over the changed cells of |new − old| / spread, or of 1 for a category or a cell that was
        unknown.
    row : the whole changed row.
    leaves : all leaves of the changed row, with its share in each.
    is_nearest : whether it is proven that no change is nearer; False: there were too many combinations to try.
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
    """The result of a search: the change, or None; and whether everything was tried."""

    change: Counterfactual | None
    is_exact: bool


def counterfactual(
    model: Model, explained: Explanation, want: Any = None, fixed: Iterable[str] = ()
) -> Counterfactual | None:
    """Return the nearest change with another prediction, or None if none was found.

    Parameters
    ----------
    want : the wanted label, or (lowest, highest) for a number; None: any prediction but the present one.
    fixed : the names of the columns whose cells stay as they are.

    >>> import branchwork as bw
    >>> from branchwork.model.explain import explain, read_row
    >>> tennis = bw.datasets.load("play_tennis")
    >>> model = bw.ID3Classifier().fit(tennis.X, tennis.y).model_
    >>> found = counterfactual(model, explain(model, read_row(model, tennis.X.take([0]))))
    >>> found.prediction, [(model.schema[change.feature].name, change.value) for change in found.changes]
    ('Yes', [('Outlook', 'Overcast')])
    """
    return search(model, explained, want, fixed).change


def search(model: Model, explained: Explanation, want: Any = None, fixed: Iterable[str] = ()) -> Outcome:
    """Search the nearest change; `want` and `fixed` are as in `counterfactual`."""
    wanted = read_wanted(model, explained.prediction, want)
    ways = Search(model, explained.row, wanted, read_fixed(model, fixed))
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
    """Return the change of a cell that meets a demand."""
    if demand.codes is None:
        above = None if demand.above == -math.inf else demand.above
        upto = None if demand.upto == math.inf else demand.upto
        return Change(feature, nearest_number(cell, demand), above, upto)
    categories = model.schema[feature].categories
    among = tuple(categories[code] for code in sorted(demand.codes))
    return Change(feature, among[0], among=among)
