"""Take rows of a table in any container."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.table.adapt import to_table
from branchwork.table.named_list import NamedList
from branchwork.table.table import Table

Rows = npt.NDArray[np.intp]


def n_rows_of(X: Any) -> int:
    """Return the number of rows of a table in any container."""
    if hasattr(X, "shape"):
        return int(X.shape[0])
    return to_table(X).n_rows


def rows_of(X: Any, rows: Rows) -> Any:
    """Return some rows of a table in any container, in the same kind of container.

    >>> rows_of([[1, 2], [3, 4], [5, 6]], np.array([2, 0]))
    [[5, 6], [1, 2]]
    """
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, dict):
        return {name: rows_of(column, rows) for name, column in X.items()}
    if isinstance(X, NamedList):
        return NamedList(X.name, (X[row] for row in rows.tolist()))
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if isinstance(X, np.ndarray):
        return X[rows]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def check_lengths(X: Any, y: Any) -> int:
    """Return the number of rows; refuse X and y of different lengths, and no rows."""
    rows = n_rows_of(X)
    answers = len(y) if hasattr(y, "__len__") else n_rows_of(y)
    if rows != answers:
        raise DataError(f"X has {rows} rows, but y has {answers}. Every row needs one.")
    if rows == 0:
        raise DataError("X has no rows, so there is nothing to study.")
    return rows
