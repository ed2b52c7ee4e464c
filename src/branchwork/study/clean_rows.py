"""Remove rows from the table that is cleaned. New rows all stay, because each of them needs a prediction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.study.look_input import Given, Task, target_of
from branchwork.study.look_profile import profile_of
from branchwork.study.look_rows import Keys, contradict, equal_rows, key_of_cells

Rows = npt.NDArray[np.bool_]


def drop_duplicate_rows(given: Given, task: Task) -> Rows:
    """Drop rows that repeat an earlier one in every column, the target included."""
    keys, arrays = _keys(given), list(given.table.arrays)
    if given.column is not None and given.cells is not None:
        with np.errstate(over="ignore"):
            keys += key_of_cells(profile_of(given.column, given.cells), len(arrays))
        arrays.append(given.cells)
    stays = np.ones(given.table.n_rows, bool)
    stays[equal_rows(keys, arrays)[0]] = False
    return stays


def drop_contradictory_rows(given: Given, task: Task) -> Rows:
    """Drop all rows that contradict another row: same features, different target."""
    if given.column is None:
        raise ParameterError("drop_contradictory_rows needs the target: clean(X, y, …).")
    known = ~given.target_is_missing
    part = given.take(known)
    target = target_of(part, task)
    assert target is not None
    rows, firsts = equal_rows(_keys(part), part.table.arrays)
    quarrels = np.unique(firsts[contradict(target, rows, firsts)])
    gone = np.concatenate([quarrels, rows[np.isin(firsts, quarrels)]])
    stays = np.ones(given.table.n_rows, bool)
    stays[np.flatnonzero(known)[gone]] = False
    return stays


def drop_missing_target(given: Given, task: Task) -> Rows:
    """Drop rows whose target is missing."""
    if given.column is None:
        raise ParameterError("drop_missing_target needs the target: clean(X, y, …).")
    return ~given.target_is_missing


def _keys(given: Given) -> Keys:
    keys = np.zeros(given.table.n_rows, np.uint64)
    with np.errstate(over="ignore"):
        for place, (column, array) in enumerate(zip(given.table.schema, given.table.arrays, strict=True)):
            keys += key_of_cells(profile_of(column, array), place)
    return keys


ROW_FIXES: dict[str, Callable[[Given, Task], Rows]] = {
    fix.__name__: fix for fix in (drop_duplicate_rows, drop_contradictory_rows, drop_missing_target)
}
"""Functions that return the rows to keep, by name."""
