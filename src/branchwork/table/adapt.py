"""Any container → Table: NumPy, pandas, polars, Arrow, lists, mappings.

One rule: what a cell is decides what its column is. Numbers make a numeric column; strings, booleans and categories a
nominal one; NaN, None and NA are missing in both. A column that mixes them is refused, with the row that does not fit.
Frames come through narwhals, column by column; arrays are borrowed, not copied, wherever their layout allows.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import CellTypeError, DataError, MissingExtraError
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, Table, read_only, sort_values

CategoricalFeatures = Literal["from_dtype"] | Sequence[str] | Sequence[int] | Sequence[bool] | None

LARGEST_EXACT_INTEGER = 2**53
"""Integers up to here are exact as float64."""

Cells = tuple[Column, npt.NDArray[Any]]


def to_table(X: Any, categorical_features: CategoricalFeatures = "from_dtype") -> Table:
    """Make a table of any container.

    Parameters
    ----------
    X : a Table; a NumPy array or nested list (rows × columns); a pandas, polars or Arrow frame; any object with the
        Arrow stream interface; a mapping of column name to cells; or a list of such mappings, one a row.
    categorical_features : numeric columns that are categories all the same: names, positions or a mask. Strings,
        booleans and categories always are ("from_dtype").

    >>> to_table([[1.5, "red"], [2.5, None]]).schema.columns[1].categories
    ('red',)
    """
    if isinstance(X, Table):
        table = X
    elif isinstance(X, Mapping):
        table = _from_mapping(X)
    elif isinstance(X, Sequence) and len(X) > 0 and all(isinstance(row, Mapping) for row in X):
        table = _from_records(X)
    elif _is_frame(X):
        table = _from_frame(X)
    else:
        table = _from_array(X)
    if categorical_features is not None and not _is_from_dtype(categorical_features):
        table = _make_nominal(table, _positions(categorical_features, table.schema))
    return table


def _is_from_dtype(categorical_features: Any) -> bool:
    return isinstance(categorical_features, str) and categorical_features == "from_dtype"


# ---- arrays ------------------------------------------------------------------------------------------------------


def _from_array(X: Any) -> Table:
    if hasattr(X, "tocsr") or hasattr(X, "tocoo"):
        raise CellTypeError(
            "X is a sparse matrix, but a dense table was expected. Use X.toarray() if it fits in memory."
        )
    if isinstance(X, str | bytes):
        raise CellTypeError(f"X is text ({X[:40]!r}), but a table was expected. To read a file use bw.read(path).")
    array = X if isinstance(X, np.ndarray) else _array_of_rows(X)
    if array.dtype.names:
        return _from_mapping({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        shape = "a single number" if array.ndim == 0 else f"an array with {array.ndim} dimension(s)"
        raise DataError(
            f"Expected 2D array (rows × columns), got {shape} instead. Reshape your data using "
            "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row."
        )
    cells = [array_column(f"x{j}", array[:, j]) for j in range(array.shape[1])]
    return _assemble(cells, named=False, shape=array.shape)


def _array_of_rows(X: Any) -> npt.NDArray[Any]:
    """Nested lists keep their own cell types: NumPy would turn a number beside a string into text."""
    try:
        if isinstance(X, list | tuple):
            array = np.array(X, dtype=object)
            kinds = {type(cell) for cell in array.flat}
            return array.astype(np.float64) if kinds and kinds <= {int, float} else array
        return np.asarray(X)
    except (ValueError, TypeError) as error:
        raise DataError(
            f"X of type {type(X).__name__} is not a table: {error}. Expected rows of equal length."
        ) from None


def array_column(name: str, cells: npt.NDArray[Any]) -> Cells:
    """One column of an array: a view of it if the core can read its cells as they are."""
    kind = cells.dtype.kind
    if kind == "f" or kind in "iu":
        return Column(name, "numeric"), read_only(_numeric_cells(name, cells))
    if kind == "b":
        return _nominal_from_codes(name, cells.astype(np.int32), [False, True])
    if kind in "US":
        values, codes = np.unique(cells, return_inverse=True)
        return _nominal_from_codes(name, codes.astype(np.int32), values.tolist())
    if kind == "O":
        return object_column(name, cells.tolist())
    if kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} holds complex numbers.")
    raise CellTypeError(_unusable(name, str(cells.dtype)))


def _unusable(name: str, found: str) -> str:
    hint = " Turn dates into numbers first, for example days since a fixed day." if "date" in found.lower() else ""
    return f"Column {name!r} is of type {found}; expected numbers, strings, booleans or categories.{hint}"


def _numeric_cells(name: str, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The cells in a type that the core reads: widened exactly, byte-swapped or aligned only if needed."""
    dtype = cells.dtype
    if dtype.kind == "f" and dtype.itemsize == 2:
        return cells.astype(np.float32)
    if dtype.kind == "f" and dtype.itemsize > 8:
        exact = cells.astype(np.float64)
        different = np.flatnonzero((exact != cells) & ~np.isnan(exact))
        if different.size:
            row = int(different[0])
            raise DataError(f"Column {name!r}, row {row}: {cells[row]!r} cannot be held exactly as float64.")
        return exact
    if dtype.kind in "iu" and dtype.itemsize == 8 and cells.size:
        check_integer_range(name, cells)
    if not dtype.isnative:
        cells = cells.astype(dtype.newbyteorder("="))
    return cells if cells.flags.aligned else cells.copy()


def check_integer_range(name: str, cells: npt.NDArray[Any]) -> None:
    """Refuse integers that float64 cannot hold."""
    low, high = cells.min(), cells.max()
    if low < -LARGEST_EXACT_INTEGER or high > LARGEST_EXACT_INTEGER:
        beyond = (cells < -LARGEST_EXACT_INTEGER) | (cells > LARGEST_EXACT_INTEGER)
        row = int(np.flatnonzero(beyond)[0])
        raise DataError(
            f"Column {name!r}, row {row}: the integer {cells[row]} is beyond ±2^53, where numbers are no longer exact. "
            "If it is an identifier, drop the column or turn it into text."
        )


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if cell is None:
        return True
    if isinstance(cell, float | np.floating):
        return bool(np.isnan(cell))
    return type(cell).__name__ in ("NAType", "NaTType")


def object_column(name: str, cells: Sequence[Any]) -> Cells:
    """A column of Python objects: all numbers, all strings or all booleans; None and NaN are missing."""
    kinds = {type(cell) for cell in cells}
    if kinds <= {str, type(None)}:
        return factorised(name, cells)
    family: str | None = None
    for row, cell in enumerate(cells):
        if is_missing(cell):
            continue
        found = _family(name, row, cell)
        family = family or found
        if found != family:
            raise CellTypeError(
                f"Column {name!r} mixes kinds of cells: row {row} is {cell!r} ({found}), but earlier rows are "
                f"{family}s. Make them all one kind, for example all text."
            )
    if family in ("string", "boolean"):
        plain = [None if is_missing(cell) else bool(cell) if family == "boolean" else str(cell) for cell in cells]
        return factorised(name, plain)
    values = np.fromiter((math.nan if is_missing(cell) else float(cell) for cell in cells), np.float64, len(cells))
    for row in np.flatnonzero(np.abs(values) > LARGEST_EXACT_INTEGER):
        if isinstance(cells[row], numbers.Integral):
            check_integer_range(name, np.array(cells, dtype=object)[row : row + 1])
    return Column(name, "numeric"), read_only(values)


def _family(name: str, row: int, cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return "boolean"
    if isinstance(cell, str):
        return "string"
    if isinstance(cell, numbers.Real) or type(cell).__name__ == "Decimal":
        return "number"
    if isinstance(cell, numbers.Complex):
        raise DataError(f"Complex data not supported: column {name!r}, row {row} is {cell!r}.")
    raise CellTypeError(
        f"Column {name!r}, row {row}: a cell's argument must be a string, a number or a boolean; found {cell!r} of "
        f"type {type(cell).__name__}."
    )


# ---- nominal cells -----------------------------------------------------------------------------------------------


def factorised(name: str, cells: Sequence[Hashable | None]) -> Cells:
    """A nominal column of Python values; its categories are the sorted values."""
    index: dict[Hashable | None, int] = {None: MISSING}
    codes = np.fromiter((index.setdefault(cell, len(index) - 1) for cell in cells), np.int32, len(cells))
    return _nominal_from_codes(name, codes, [value for value in index if value is not None])


def _nominal_from_codes(name: str, codes: npt.NDArray[np.int32], values: Sequence[Any]) -> Cells:
    """Undeclared categories: only those that occur, sorted."""
    occurs = np.bincount(codes[codes >= 0], minlength=len(values)) > 0 if len(values) else np.zeros(0, bool)
    present = {value for value, here in zip(values, occurs, strict=True) if here}
    categories = sort_values(present)
    place = {value: code for code, value in enumerate(categories)}
    new_code = np.array([MISSING, *(place.get(value, MISSING) for value in values)], np.int32)
    return Column(name, "nominal", tuple(categories)), read_only(new_code[codes + 1])


def _declared(name: str, codes: npt.NDArray[Any], categories: Sequence[Any]) -> Cells:
    column = Column(name, "nominal", tuple(_plain(value) for value in categories), declared=True)
    return column, read_only(np.ascontiguousarray(codes, dtype=np.int32))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _positions(categorical_features: Any, schema: Schema) -> list[int]:
    chosen = list(categorical_features)
    if all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(schema):
            raise DataError(
                f"categorical_features is a mask of {len(chosen)} flags, but the table has {len(schema)} columns."
            )
        return [j for j, flag in enumerate(chosen) if flag]
    positions = []
    for item in chosen:
        if isinstance(item, str):
            positions.append(schema.index(item))
        elif isinstance(item, numbers.Integral) and -len(schema) <= int(item) < len(schema):
            positions.append(int(item) % len(schema))
        else:
            raise DataError(
                f"categorical_features names {item!r}; expected column names, positions below {len(schema)} "
                'or a mask of booleans, or "from_dtype".'
            )
    return positions


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


# ---- mappings ----------------------------------------------------------------------------------------------------


def _from_mapping(columns: Mapping[Any, Any]) -> Table:
    cells = []
    for name, values in columns.items():
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise DataError(f"Column {name!r} is {values!r}, but a sequence of cells was expected.")
        array = values if isinstance(values, np.ndarray) else np.array([None, *values], dtype=object)[1:]
        if array.ndim != 1:
            raise DataError(f"Column {name!r} has {array.ndim} dimensions; expected one.")
        cells.append(array_column(str(name), array))
    return _assemble(cells, named=True)


def _from_records(rows: Sequence[Mapping[Any, Any]]) -> Table:
    names = list(rows[0])
    for index, row in enumerate(rows):
        odd = set(row) ^ set(names)
        if odd:
            raise DataError(f"Row {index} and row 0 do not have the same columns: {sorted(map(str, odd))}.")
    return _from_mapping({name: [row[name] for row in rows] for name in names})


def _assemble(cells: Sequence[Cells], *, named: bool, shape: tuple[int, ...] | None = None) -> Table:
    rows = shape[0] if shape else (len(cells[0][1]) if cells else 0)
    if not cells:
        raise DataError(f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
    return Table(Schema(tuple(column for column, _ in cells), named), tuple(array for _, array in cells))


# ---- frames ------------------------------------------------------------------------------------------------------


def _is_frame(X: Any) -> bool:
    if isinstance(X, np.ndarray | list | tuple):
        return False
    return hasattr(X, "__arrow_c_stream__") or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def _from_frame(X: Any) -> Table:
    import narwhals.stable.v2 as nw

    try:
        frame: Any = nw.from_native(X, eager_only=True)
    except TypeError:
        frame = nw.from_native(_arrow_table(X), eager_only=True)
    names = list(frame.columns)
    text = [str(name) for name in names]
    for name in text:
        if text.count(name) > 1:
            raise DataError(f"Column name {name!r} occurs more than once. Every column needs a name of its own.")
    cells = [frame_column(name, frame[original]) for name, original in zip(text, names, strict=True)]
    named = all(isinstance(name, str) for name in names)
    return _assemble(cells, named=named, shape=frame.shape)


def _arrow_table(X: Any) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(f"A table of type {type(X).__name__}", "pyarrow") from None
    return pa.table(X)


def frame_column(name: str, series: Any) -> Cells:
    """One column of a frame, as a narwhals series."""
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_float() or dtype.is_integer():
        return Column(name, "numeric"), read_only(_numeric_series(name, series))
    if dtype == nw.Boolean:
        codes = np.where(series.is_null().to_numpy(), MISSING, series.fill_null(False).to_numpy().astype(np.int32))
        return _nominal_from_codes(name, codes.astype(np.int32), [False, True])
    if dtype == nw.String:
        return _string_series(name, series)
    if dtype == nw.Enum or dtype == nw.Categorical:
        return _categorical_series(name, series)
    if dtype.is_decimal():
        return frame_column(name, series.cast(nw.Float64))
    if dtype == nw.Object:
        return object_column(name, series.to_list())
    raise CellTypeError(_unusable(name, str(dtype)))


def _numeric_series(name: str, series: Any) -> npt.NDArray[Any]:
    missing = series.is_null().to_numpy()
    if not missing.any():
        return _numeric_cells(name, np.asarray(series.to_numpy()))
    cells = np.asarray(series.fill_null(0).to_numpy())
    if cells.dtype.kind == "f" and cells.dtype.itemsize == 4:
        cells = cells.astype(np.float32)
    else:
        cells = _numeric_cells(name, cells).astype(np.float64)
    cells[missing] = np.nan
    return cells


def _string_series(name: str, series: Any) -> Cells:
    """Strings through the container's own fast factorisation; their order is ours."""
    factorise = _FACTORISE.get(type(series.to_native()).__module__.partition(".")[0])
    if factorise is None:
        return factorised(name, series.to_list())
    codes, values = factorise(series.to_native())
    return _nominal_from_codes(name, codes, values)


def _factorise_pandas(native: Any) -> tuple[npt.NDArray[np.int32], list[Any]]:
    import pandas as pd

    codes, values = pd.factorize(native)
    return codes.astype(np.int32), values.tolist()


def _factorise_polars(native: Any) -> tuple[npt.NDArray[np.int32], list[Any]]:
    import polars as pl

    values = native.drop_nulls().unique().sort()
    codes = native.cast(pl.Enum(values)).to_physical().cast(pl.Int32).fill_null(MISSING)
    return codes.to_numpy(), values.to_list()


def _factorise_arrow(native: Any) -> tuple[npt.NDArray[np.int32], list[Any]]:
    encoded = native.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return codes.astype(np.int32), encoded.dictionary.to_pylist()


_FACTORISE: dict[str, Callable[[Any], tuple[npt.NDArray[np.int32], list[Any]]]] = {
    "pandas": _factorise_pandas,
    "polars": _factorise_polars,
    "pyarrow": _factorise_arrow,
}


def _categorical_series(name: str, series: Any) -> Cells:
    """pandas category, polars Enum and Arrow dictionary declare their order; a polars Categorical does not."""
    import narwhals.stable.v2 as nw

    native = series.to_native()
    library = type(native).__module__.partition(".")[0]
    if library == "pandas" and hasattr(native, "cat") and hasattr(native.cat, "codes"):
        return _declared(name, native.cat.codes.to_numpy(), native.cat.categories.tolist())
    if library == "pyarrow":
        encoded = native.combine_chunks()
        codes = encoded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
        return _declared(name, codes, encoded.dictionary.to_pylist())
    if library == "polars" and series.dtype == nw.Enum:
        import polars as pl

        codes = native.to_physical().cast(pl.Int32).fill_null(MISSING).to_numpy()
        return _declared(name, codes, native.dtype.categories.to_list())
    return frame_column(name, series.cast(nw.String))


