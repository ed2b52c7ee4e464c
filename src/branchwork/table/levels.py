"""Levels: the categories of a nominal column as a learner counts them.

Two questions about a column with many categories are answered here:

- Does it look like an identifier? (`identifier_columns`)
- Which of its categories are rare, so that a learner should see them as one level? (`mark_rare`, `merged`)

    categories      a   b   c   d   e         b, d and e are rare: Column.rare = (1, 3, 4)
    level_of        0   2   1   2   2         the kept ones in their order, then "other"

A tree is grown on the merged table. `tree/expand.py` turns it into a tree on all categories.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Column
from branchwork.table.table import MISSING, UNSEEN, Table

FEW_LEVELS = 20
"""A column with up to this many levels is never taken for an identifier."""
LEAST_SHARE = 0.45
"""A column with fewer levels per known cell is never taken for an identifier: on average each occurs twice or more."""
OTHER = "other"
"""The last category of a merged column. Only its code matters, so a category of the same name does no harm."""
TIE_DIGITS = 11
"""Shares of the weight that agree to this many digits are equal: weights are sums with rounding errors."""


@dataclass(frozen=True)
class LevelCount:
    """How many levels a column has, and in how many cells."""

    name: str
    levels: int
    known: int


def identifier_columns(table: Table, *, skip: Collection[int] = ()) -> list[LevelCount]:
    """Return the nominal columns that look like identifiers: most of their values occur only once or twice.

    Such a column has more than 20 levels, and at least 0.45 times as many levels as known cells. Levels that occur in
    the rows are counted, not declared ones. Rows of weight 0 must have been removed before.

    >>> import branchwork as bw
    >>> rows = range(60)
    >>> table = bw.to_table({"ticket": [f"T{i}" for i in rows], "deck": ["ABC"[i % 3] for i in rows]})
    >>> identifier_columns(table)
    [LevelCount(name='ticket', levels=60, known=60)]
    """
    found: list[LevelCount] = []
    if table.schema.most_categories <= FEW_LEVELS:
        return found
    for j, (column, cells) in enumerate(zip(table.schema, table.arrays, strict=True)):
        if len(column.categories) <= FEW_LEVELS or j in skip:
            continue
        known = int(np.count_nonzero(cells >= 0))
        if len(column.categories) < LEAST_SHARE * known:
            continue
        levels = int(np.count_nonzero(_weight_of_categories(cells, len(column.categories), None)))
        if levels > FEW_LEVELS and levels >= LEAST_SHARE * known:
            found.append(LevelCount(column.name, levels, known))
    return found


def mark_rare(
    table: Table,
    weights: npt.NDArray[np.float64] | None,
    *,
    least: float | None = None,
    most: int | None = None,
    skip: Collection[int] = (),
) -> Table:
    """Return the table with `Column.rare` set: the categories of each nominal column that become one level.

    Parameters
    ----------
    weights : the sample weight of each row; None means 1 each.
    least : a category of less total weight is rare. None: no such limit.
    most : keep this many categories, the ones of most weight; ties go to the earlier category. None: no such limit.
    skip : positions of columns that keep all their categories.

    At least two categories that occur must be rare; a single one stays as it is. If there are two, declared categories
    that do not occur are rare, too.
    """
    if least is None and most is None and not table.schema.has_rare:
        return table
    columns = [
        replace(column, rare=() if j in skip else _rare(column, cells, weights, least, most))
        if column.is_nominal
        else column
        for j, (column, cells) in enumerate(zip(table.schema, table.arrays, strict=True))
    ]
    if columns == list(table.schema):
        return table
    return replace(table, schema=replace(table.schema, columns=tuple(columns)))


def level_of(column: Column) -> npt.NDArray[np.intp]:
    """Return the level of each category: kept ones are counted in their order, and all rare ones are the last.

    >>> level_of(Column("x", "nominal", ("a", "b", "c", "d", "e"), rare=(1, 3, 4))).tolist()
    [0, 2, 1, 2, 2]
    """
    is_kept = np.ones(len(column.categories), bool)
    is_kept[list(column.rare)] = False
    return np.where(is_kept, np.cumsum(is_kept) - 1, column.n_levels - 1).astype(np.intp)


def merged(table: Table) -> Table:
    """Return the table as a learner sees it: all rare categories of a column are one, which comes last."""
    if not table.schema.has_rare:
        return table
    columns, arrays = [], []
    for column, cells in zip(table.schema, table.arrays, strict=True):
        if column.rare:
            new_code = np.array([UNSEEN, MISSING, *level_of(column)], np.int32)
            cells = new_code[cells - UNSEEN]
            column = _merged_column(column)
        columns.append(column)
        arrays.append(cells)
    return Table(replace(table.schema, columns=tuple(columns)), tuple(arrays))


def _merged_column(column: Column) -> Column:
    rare = set(column.rare)
    kept = (value for code, value in enumerate(column.categories) if code not in rare)
    return replace(column, categories=(*kept, OTHER), rare=())


def _rare(
    column: Column,
    cells: npt.NDArray[Any],
    weights: npt.NDArray[np.float64] | None,
    least: float | None,
    most: int | None,
) -> tuple[int, ...]:
    """Return the codes of the rare categories of one column, in order."""
    if least is None and most is None:
        return ()
    weight = _weight_of_categories(cells, len(column.categories), weights)
    is_rare = weight < (0.0 if least is None else least)
    if most is not None and most < len(weight):
        share = np.round(weight / (weight.sum() or 1.0), TIE_DIGITS)
        is_rare[np.argsort(-share, kind="stable")[most:]] = True
    if np.count_nonzero(is_rare & (weight > 0)) < 2:
        return ()
    return tuple(np.flatnonzero(is_rare | (weight == 0)).tolist())


def _weight_of_categories(
    cells: npt.NDArray[Any], count: int, weights: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.float64]:
    """Return the total weight of each category."""
    return np.bincount(cells + 1, weights, minlength=count + 1)[1:].astype(np.float64)
