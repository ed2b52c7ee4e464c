"""Turn any container into a Table.

NumPy arrays, lists and mappings are read here, pandas, polars and Arrow in frames.py; cells.py reads the cells of a
column.

Arrays are borrowed, not copied, wherever their layout allows.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import CellTypeError, DataError, ParameterError, shown
from branchwork.table.cells import Cells, array_column, assemble, not_two_dimensional, object_array
from branchwork.table.frames import as_series, frame_column, from_frame, is_frame
from branchwork.table.leave_out import advising
from branchwork.table.schema import Column, Schema
from branchwork.table.table import LARGEST_EXACT_INTEGER, MISSING, Table, read_only

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_LISTS = frozenset((list, tuple))
_PLAIN_NUMBERS = frozenset((int, float))

CategoricalFeatures = Literal["from_dtype"] | Sequence[str] | Sequence[int] | Sequence[bool] | None


def to_table(X: Any, categorical_features: CategoricalFeatures = "from_dtype") -> Table:
    """Make a table from any container.

    Parameters
    ----------
    X : a Table; a NumPy array or nested list (rows × columns); a pandas, polars or Arrow frame; any object
        with the Arrow stream interface; a mapping of column name to cells; or a list of mappings, one per row.
    categorical_features : numeric columns to treat as categories: names, positions or a mask. Columns of
        strings, booleans and categories are always categorical ("from_dtype").

    >>> to_table([[1.5, "red"], [2.5, None]]).schema.columns[1].categories
    ('red',)
    """
    if type(X) is np.ndarray:  # the usual case first: the questions below take longer than the table
        table = _from_array(X)
    elif isinstance(X, Table):
        table = X
    elif type(X) is list and (plain := plain_rows(X)) is not None:
        table = Table.of_floats(plain, _numbers(plain.shape[1]))
    elif hasattr(type(X), "tocsr") or hasattr(type(X), "tocoo"):
        raise CellTypeError(
            "X is a sparse matrix, but a dense table was expected. Use X.toarray() if it fits in memory."
        )
    elif isinstance(X, Mapping):
        with advising(_without_key):
            table = _from_mapping(X)
    elif _is_records(X):
        with advising(lambda name: f"[{_without_key(name, 'row')} for row in X]"):
            table = _from_records(X)
    elif is_frame(X):
        table = from_frame(X)
    else:
        table = _from_array(X)
    chosen = chosen_positions(categorical_features, table.schema)
    return _make_nominal(table, chosen) if chosen else table


def chosen_positions(categorical_features: Any, schema: Schema) -> list[int]:
    """Return the positions of the columns that `categorical_features` names."""
    if categorical_features is None or _is_from_dtype(categorical_features):
        return []
    return positions("categorical_features", categorical_features, schema)


def _is_from_dtype(categorical_features: Any) -> bool:
    return isinstance(categorical_features, str) and categorical_features == "from_dtype"


# ---- arrays ------------------------------------------------------------------------------------------------


def _from_array(X: Any) -> Table:
    array = X if type(X) is np.ndarray or isinstance(X, np.ma.MaskedArray) else _array_of_rows(X)
    if array.dtype.names and array.ndim == 1:
        return _from_mapping({name: array[name] for name in array.dtype.names})
    if array.ndim == 1 and not array.size:
        raise DataError("X is empty: it has no rows, and at least one is needed, as in [[5.1, 3.5]].")
    if array.ndim != 2:
        raise DataError(not_two_dimensional(array.ndim))
    if type(array) is np.ndarray and array.dtype in _FLOATS and array.flags.aligned and array.shape[1] > 0:
        return Table.of_floats(array, _numbers(array.shape[1]))
    with advising(lambda name: _without_place(X, int(name[1:]))):
        cells = [array_column(f"x{j}", array[:, j]) for j in range(array.shape[1])]
        return assemble(cells, named=False, rows=array.shape[0])


def _without_place(X: Any, place: int) -> str:
    """Return the expression that leaves a column out of rows without names."""
    if isinstance(X, list | tuple):
        return f"[list(row[:{place}]) + list(row[{place + 1}:]) for row in X]"
    return f"numpy.delete(X, {place}, axis=1)"


@lru_cache(maxsize=16)
def _numbers(count: int) -> Schema:
    return Schema(tuple(Column(f"x{j}", "numeric") for j in range(count)), named=False)


def plain_rows(X: list[Any]) -> npt.NDArray[np.float64] | None:
    """Return lists of Python's own numbers as one array, or None if they hold anything else.

    This makes a table of a single row in a few microseconds, which matters to programs that ask about one row at a
    time.
    """
    if not _LISTS.issuperset(map(type, X)):
        return None
    kinds = set(map(type, chain.from_iterable(X)))
    if not _PLAIN_NUMBERS.issuperset(kinds):
        return None
    try:
        array = np.array(X, np.float64)
    except (ValueError, OverflowError):
        return None  # rows of several lengths, or a number that is too large: both are reported elsewhere
    if array.ndim != 2 or array.shape[1] == 0:
        return None
    return array if kinds == {float} or np.abs(array).max() < LARGEST_EXACT_INTEGER else None


def _array_of_rows(X: Any) -> npt.NDArray[Any]:
    """Return X as an array.

    Nested lists keep the types of their cells: NumPy would turn a number beside a string into text.
    """
    if isinstance(X, str | bytes | os.PathLike):
        raise CellTypeError(
            f"X is text ({str(X)[:40]!r}), but a table was expected. To read a file use bw.read(path)."
        )
    try:
        array = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    except (ValueError, TypeError) as error:
        raise DataError(
            f"X of type {type(X).__name__} is not a table: {error}. Expected rows of equal length."
        ) from None
    if isinstance(X, list | tuple) and array.ndim == 1:
        lengths = [len(row) if isinstance(row, list | tuple | np.ndarray) else 1 for row in X]
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                raise DataError(
                    f"Row {row} has {length} cell(s), but row 0 has {lengths[0]}. "
                    "All rows need the same length."
                )
    return array


# ---- mappings ----------------------------------------------------------------------------------------------


def has_keys(X: Any) -> bool:
    """Return whether X is a mapping or a list of mappings, whose columns are known by their keys, in any order."""
    return isinstance(X, Mapping) or _is_records(X)


def _is_records(X: Any) -> bool:
    if not isinstance(X, Sequence) or isinstance(X, str | bytes | memoryview):
        return False
    return len(X) > 0 and all(isinstance(row, Mapping) for row in X)


def _without_key(name: str, mapping: str = "X") -> str:
    """Return the expression that leaves a column out of a mapping."""
    return f"{{key: {mapping}[key] for key in {mapping} if key != {name!r}}}"


def _from_mapping(columns: Mapping[Any, Any]) -> Table:
    cells = [_mapping_column(str(name), values) for name, values in columns.items()]
    return assemble(cells, named=all(isinstance(name, str) for name in columns), rows=0)


def _mapping_column(name: str, values: Any) -> Cells:
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise DataError(
            f"Column {name!r} is {values!r}, but a sequence of cells was expected. If X is one row, put it in a "
            "list: [X]."
        )
    series = as_series(values)
    if series is not None:
        return frame_column(name, series)
    if isinstance(values, memoryview):
        values = np.asarray(values)
    array = values if isinstance(values, np.ndarray) else object_array(list(values))
    if array.ndim != 1:
        raise DataError(f"Column {name!r} has {array.ndim} dimensions; expected one.")
    return array_column(name, array)


def _from_records(rows: Sequence[Mapping[Any, Any]]) -> Table:
    names = list(rows[0])
    for index, row in enumerate(rows):
        odd = set(row) ^ set(names)
        if odd:
            raise DataError(
                f"Row {index} and row 0 do not have the same columns: {sorted(map(str, odd))}. "
                "Every row needs all of them; a missing cell is None."
            )
    if not names:
        return assemble([], named=True, rows=len(rows))
    return _from_mapping({name: [row[name] for row in rows] for name in names})


# ---- numbers that are categories ---------------------------------------------------------------------------


def check_features(setting: str, features: Any) -> Any:
    """Refuse a setting that cannot name columns: it must list names or positions, or be a mask of booleans."""
    is_list = (
        hasattr(features, "__iter__")
        and hasattr(features, "__len__")  # a generator would be empty when it is read a second time
        and not isinstance(features, str | bytes | Mapping)
        and getattr(features, "ndim", 1) == 1
    )
    if is_list and all(isinstance(item, str | numbers.Integral | np.bool_) for item in features):
        return features
    raise ParameterError(
        f"{setting}={shown(features)}; expected a list of column names, of positions or of booleans"
        f"{_or_default(setting)}."
    )


def check_categorical_features(setting: str, features: Any) -> Any:
    """Refuse a setting that is neither None nor "from_dtype" nor a list that may name columns."""
    return features if features is None or _is_from_dtype(features) else check_features(setting, features)


def _or_default(setting: str) -> str:
    return ', or "from_dtype", or None' if setting == "categorical_features" else ""


def positions(setting: str, features: Any, schema: Schema) -> list[int]:
    """Return the positions of the columns that a setting gives by name, by position or by a mask."""
    check_features(setting, features)
    chosen = list(features)
    if chosen and all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(schema):
            raise ParameterError(
                f"{setting} is a mask of {len(chosen)} flags, but the table has {len(schema)} columns."
            )
        return [j for j, flag in enumerate(chosen) if flag]
    found = []
    for item in chosen:
        if isinstance(item, str):
            found.append(_position_of(setting, item, schema))
        elif isinstance(item, numbers.Integral) and -len(schema) <= int(item) < len(schema):
            found.append(int(item) % len(schema))
        else:
            raise ParameterError(
                f"{setting} names {shown(item)}; expected column names, positions below {len(schema)} or a mask of "
                f"booleans{_or_default(setting)}."
            )
    return found


def _position_of(setting: str, name: str, schema: Schema) -> int:
    try:
        return schema.index(name)
    except DataError as error:
        raise ParameterError(f"{setting}: {error}") from None


def _make_nominal(table: Table, positions: list[int]) -> Table:
    schema, arrays = table.schema, list(table.arrays)
    for j in positions:
        if schema[j].is_nominal:
            continue
        known = ~np.isnan(arrays[j]) if arrays[j].dtype.kind == "f" else np.ones(table.n_rows, bool)
        values, inverse = np.unique(arrays[j][known], return_inverse=True)
        codes = np.full(table.n_rows, MISSING, np.int32)
        codes[known] = inverse
        schema = schema.with_column(j, Column(schema[j].name, "nominal", tuple(values.tolist())))
        arrays[j] = read_only(codes)
    return Table(schema, tuple(arrays))
