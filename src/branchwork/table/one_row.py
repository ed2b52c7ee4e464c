"""Turn one row into a table: a mapping, values in column order, or a table that has one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from branchwork.errors import DataError, did_you_mean
from branchwork.table.adapt import to_table
from branchwork.table.frames import is_frame
from branchwork.table.schema import Schema
from branchwork.table.table import Table


def one_row(row: Any, schema: Schema) -> Table:
    """Make a table of one row with the columns of a schema, in its order; the cells stay as they were given.

    Parameters
    ----------
    row : a mapping of column to value; values in column order (a list, a tuple, a NumPy array of one dimension); a
        pandas Series; or any table that has one row. None and NaN are missing.

    >>> from branchwork.table.schema import Column
    >>> schema = Schema((Column("age", "numeric"), Column("wind", "nominal", ("strong", "weak"))))
    >>> one_row({"wind": "weak", "age": 7}, schema).row(0)
    {'age': 7.0, 'wind': 'weak'}
    """
    values = _values(row)
    if isinstance(values, Mapping):
        return to_table([_by_name(values, schema)])
    if values is not None:
        return to_table([_by_place(values, schema)])
    table = to_table(row)
    if table.n_rows != 1:
        raise DataError(f"Expected one row, but the table has {table.n_rows}. Take one of them, as X[:1].")
    columns = list(zip(table.schema, table.arrays, strict=True))
    if table.schema.named:
        found = _by_name(dict(zip(table.schema.names, columns, strict=True)), schema)
    else:
        found = _by_place(columns, schema)
    renamed = tuple(replace(column, name=name) for name, (column, _) in found.items())
    return Table(Schema(renamed), tuple(array for _, array in found.values()))


def _values(row: Any) -> Mapping[str, Any] | Sequence[Any] | None:
    """Return the values of a single row, by name or by position; None if the row is given as a table."""
    if isinstance(row, memoryview):
        row = np.asarray(row)
    one_dimensional = len(getattr(row, "shape", ())) == 1
    if isinstance(row, Table) or (is_frame(row) and not one_dimensional):
        return None
    if isinstance(row, Mapping):
        return None if any(map(_is_cells, row.values())) else row
    if isinstance(row, str | bytes) or not hasattr(row, "__iter__"):
        raise DataError(f"Expected one row, such as a mapping of column to value; found {row!r}.")
    if one_dimensional and hasattr(row, "index") and hasattr(row, "to_dict"):  # a pandas Series
        named = all(isinstance(name, str) for name in row.index)
        return dict(row.to_dict()) if named else list(row)
    values = list(row)
    is_table = getattr(getattr(row, "dtype", None), "names", None) or any(map(_is_cells, values))
    return None if is_table else values


def _is_cells(value: Any) -> bool:
    """Return whether a value holds several cells."""
    return isinstance(value, Mapping | list | tuple | np.ndarray) or getattr(value, "ndim", 0) == 1


def _by_name(values: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    for name in values:
        schema.index(str(name))  # an unknown name is an error
    for name in schema.names:
        if name not in values:
            hint = did_you_mean(name, map(str, values))
            raise DataError(
                f"The row has no column {name!r}, which the tree was trained on.{hint} A missing cell is None."
            )
    return {name: values[name] for name in schema.names}


def _by_place(values: Sequence[Any], schema: Schema) -> dict[str, Any]:
    count = len(values)
    if count != len(schema):
        raise DataError(
            f"The row has {count} value{'s' * (count != 1)}, but the tree was trained on {len(schema)} columns: "
            f"{', '.join(map(repr, schema.names[:12]))}{', …' * (len(schema) > 12)}."
        )
    return dict(zip(schema.names, values, strict=True))
