"""Turn the input of `look` and `clean` into a table and a target; they accept more than a learner does.

A learner refuses dates, and columns that mix numbers and text. A first look should show exactly these, so here both
become columns of text.
"""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkError, DataError, ParameterError, TargetError, shown
from branchwork.table.adapt import CategoricalFeatures, to_table
from branchwork.table.cells import is_missing
from branchwork.table.frames import holds_objects, is_frame
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values, values_are_classes

Task = Literal["auto", "classification", "regression"]
"""Whether the target is classes or numbers; "auto": whole numbers with at most ten different values are classes."""


@dataclass(frozen=True, eq=False)
class Given:
    """A table of features, and the column to predict, if there is one."""

    table: Table
    column: Column | None = None
    cells: npt.NDArray[Any] | None = None

    @property
    def target_is_missing(self) -> npt.NDArray[np.bool_]:
        """Whether the cell to predict is missing, for each row."""
        if self.column is None or self.cells is None:
            return np.zeros(self.table.n_rows, bool)
        return (
            np.asarray(self.cells < 0) if self.column.is_nominal else np.isnan(self.cells.astype(np.float64))
        )

    def take(self, rows: npt.NDArray[Any]) -> Given:
        """Return only these rows."""
        return Given(self.table.take(rows), self.column, None if self.cells is None else self.cells[rows])


def given(X: Any, y: Any, categorical_features: CategoricalFeatures = "from_dtype") -> Given:
    """Make a table from X, and take the target from y: cells, the name of a column of X, or None."""
    table = to_table(lenient_table(X), categorical_features if not isinstance(y, str) else "from_dtype")
    if table.n_rows == 0:
        raise DataError("X has no rows; expected at least one.")
    if y is None:
        return Given(table)
    if isinstance(y, str):
        place = table.schema.index(y)
        column, cells = table.schema[place], table.arrays[place]
        return Given(to_table(table.drop(y), categorical_features), column, cells)
    target = _target_table(y)
    if target.n_rows != table.n_rows:
        raise DataError(f"X has {table.n_rows} rows, but y has {target.n_rows}. Every row needs one.")
    name = getattr(y, "name", None)
    column = target.schema[0]
    if isinstance(name, str):
        column = Column(name, column.kind, column.categories, column.declared)
    return Given(table, column, target.arrays[0])


def _target_table(y: Any) -> Table:
    """Return the target as a table of one column; errors are about y, which cannot be left out."""
    if is_frame(y) and len(getattr(y, "shape", ())) == 2:
        table = lenient_table(y)
        if len(table.schema) != 1:
            raise TargetError(f"y is a table of {len(table.schema)} columns; expected one column.")
        return table
    try:
        return lenient_table({"y": y})
    except BranchworkError as error:
        message = str(error).partition(" To leave the column out")[0]
        raise TargetError(message.replace("Column 'y'", "y")) from None


def target_of(found: Given, task: Task) -> Target | None:
    """Return the target as classes or numbers; it must have no missing cells."""
    if task not in get_args(Task):
        raise ParameterError(f"task={task!r}; expected one of {', '.join(map(repr, get_args(Task)))}.")
    if found.column is None or found.cells is None:
        return None
    if found.column.is_nominal:
        if task == "regression":
            value = found.column.categories[int(found.cells[0])]
            raise TargetError(f"y, row 0: expected a number for a regression, found {shown(value)}.")
        return Classes(found.cells, found.column.categories, declared=found.column.declared)
    numbers_ = np.ascontiguousarray(found.cells, np.float64)
    infinite = np.flatnonzero(np.isinf(numbers_))
    if infinite.size:
        row = int(infinite[0])
        raise TargetError(
            f"y, row {row}: {numbers_[row]} is not a finite number. Fill it in or drop the row."
        )
    if task == "regression" or (task == "auto" and not values_are_classes(numbers_)):
        return Values(numbers_)
    labels, codes = np.unique(numbers_, return_inverse=True)
    names = tuple(int(label) if label.is_integer() else label for label in labels.tolist())
    return Classes(codes.astype(np.int32), names)


# ---- columns that learners refuse --------------------------------------------------------------------------


def lenient_table(X: Any) -> Table:
    """Make a table from any container; columns of dates, and columns that mix numbers and text, become text.

    >>> lenient_table({"age": [31, "about 40", 52]}).column("age")
    ['31', 'about 40', '52']
    """
    if isinstance(X, Table):
        return X
    columns = _columns(X)
    if columns is None:
        return to_table(X)
    texts = {name: text for name, cells in columns.items() if (text := _as_text(cells)) is not None}
    return to_table({**columns, **texts}) if texts else to_table(X)


def _columns(X: Any) -> Mapping[Any, Any] | None:
    """Return the columns of a container by name; None if none of its columns can be of mixed kinds."""
    if isinstance(X, Mapping):
        return X
    if isinstance(X, Sequence) and len(X) and all(isinstance(row, Mapping) for row in X):
        names = list(X[0])
        return {name: [row.get(name) for row in X] for name in names}
    if isinstance(X, list | tuple) and len(X) and all(isinstance(row, list | tuple) for row in X):
        if len({len(row) for row in X}) > 1:
            return None
        return {f"x{j}": [row[j] for row in X] for j in range(len(X[0]))}
    if isinstance(X, np.ndarray):
        is_odd = X.ndim == 2 and X.dtype.kind == "O"
        return {f"x{j}": X[:, j] for j in range(X.shape[1])} if is_odd else None
    if not is_frame(X):
        return None
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        return None
    except nw.exceptions.DuplicateError:
        return None  # to_table reports which name occurs twice
    columns = zip(frame.columns, frame.iter_columns(), strict=True)
    return {name: series.to_native() for name, series in columns}


def _as_text(cells: Any) -> list[str | None] | None:
    """Return the cells of a column as text if it holds dates, or numbers mixed with text; otherwise None."""
    listed = _objects(cells)
    if listed is None:
        return None
    known = _kinds(listed)
    has_date = any(issubclass(kind, datetime.date | datetime.time | np.datetime64) for kind in known)
    has_text = any(issubclass(kind, str) for kind in known)
    is_plain = all(issubclass(kind, str | numbers.Real | Decimal | np.bool_) for kind in known)
    if not (has_date or (has_text and len(known) > 1 and is_plain)):
        return None
    return [None if is_missing(cell) else _text(cell) for cell in listed]


def _kinds(cells: list[Any]) -> set[type]:
    """Return the types of the cells that are not missing."""
    found = set(map(type, cells))
    if len(found) <= 1:  # NaN among floats does no harm
        return found
    return {kind for kind in found if any(type(cell) is kind and not is_missing(cell) for cell in cells)}


def _objects(cells: Any) -> list[Any] | None:
    """Return cells that must be looked at one by one; None for a column of a single plain kind."""
    if isinstance(cells, list | tuple):
        return list(cells)
    if isinstance(cells, np.ndarray):
        return cells.tolist() if cells.dtype.kind in "OM" and cells.ndim == 1 else None
    if not hasattr(cells, "dtype") and not hasattr(cells, "type"):
        return None
    import narwhals.stable.v2 as nw

    try:
        series = nw.from_native(cells, series_only=True)
    except TypeError:
        return None
    return series.to_list() if series.dtype.is_temporal() or holds_objects(series) else None


def _text(cell: Any) -> str:
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, str | bool | np.bool_):
        return str(cell)
    value = float(cell)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
