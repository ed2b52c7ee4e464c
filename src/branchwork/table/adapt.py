"""Any container → Table: NumPy, pandas, polars, Arrow, lists, mappings.

One rule: what a cell is decides what its column is. Numbers make a numeric column; strings, booleans and
categories a nominal one; NaN, None, NA and masked cells are missing in both. A column that mixes them is
refused, with the row that does not fit. Frames come through narwhals, column by column; arrays are borrowed,
not copied, wherever their layout allows.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from types import NoneType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import CellTypeError, DataError, MissingExtraError, ParameterError
from branchwork.table.schema import Column, Schema, category_key, repeated_name
from branchwork.table.table import MISSING, Table, read_only, sort_values

CategoricalFeatures = Literal["from_dtype"] | Sequence[str] | Sequence[int] | Sequence[bool] | None

LARGEST_EXACT_INTEGER = 2**53
"""Integers up to here are exact as float64."""

_FLOATS = (float, np.floating)

Cells = tuple[Column, npt.NDArray[Any]]


def to_table(X: Any, categorical_features: CategoricalFeatures = "from_dtype") -> Table:
    """Make a table of any container.

    Parameters
    ----------
    X : a Table; a NumPy array or nested list (rows × columns); a pandas, polars or Arrow frame; any object
        with the Arrow stream interface; a mapping of column name to cells; or a list of mappings, one a row.
    categorical_features : numeric columns that are categories all the same: names, positions or a mask.
        Strings, booleans and categories always are ("from_dtype").

    >>> to_table([[1.5, "red"], [2.5, None]]).schema.columns[1].categories
    ('red',)
    """
    if isinstance(X, Table):
        table = X
    elif hasattr(type(X), "tocsr") or hasattr(type(X), "tocoo"):
        raise CellTypeError(
            "X is a sparse matrix, but a dense table was expected. Use X.toarray() if it fits in memory."
        )
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


# ---- arrays ------------------------------------------------------------------------------------------------


def _from_array(X: Any) -> Table:
    if isinstance(X, str | bytes | os.PathLike):
        raise CellTypeError(
            f"X is text ({str(X)[:40]!r}), but a table was expected. To read a file use bw.read(path)."
        )
    array = X if isinstance(X, np.ma.MaskedArray) else _array_of_rows(X)
    if array.dtype.names and array.ndim == 1:
        return _from_mapping({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise DataError(_not_two_dimensional(array.ndim))
    cells = [array_column(f"x{j}", array[:, j]) for j in range(array.shape[1])]
    return _assemble(cells, named=False, rows=array.shape[0])


def _not_two_dimensional(dimensions: int) -> str:
    found = "a single value" if dimensions == 0 else f"an array with {dimensions} dimension(s)"
    return (
        f"Expected 2D array (rows × columns), got {found} instead. Reshape your data using "
        "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row."
    )


def _array_of_rows(X: Any) -> npt.NDArray[Any]:
    """Nested lists keep their own cell types: NumPy would turn a number beside a string into text."""
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


def array_column(name: str, cells: npt.NDArray[Any]) -> Cells:
    """One column of an array: a view of it if the core can read its cells as they are."""
    if isinstance(cells, np.ma.MaskedArray):
        cells = object_array(cells.tolist()) if np.ma.is_masked(cells) else cells.data
    kind = cells.dtype.kind
    if kind in "fiu":
        return Column(name, "numeric"), read_only(_numeric_cells(name, cells))
    if kind == "b":
        return _nominal_from_codes(name, cells.astype(np.int32), [False, True])
    if kind in "US":
        values, codes = np.unique(cells, return_inverse=True)
        text = values.tolist() if kind == "U" else _decoded(name, codes, values.tolist())
        return _nominal_from_codes(name, codes.astype(np.int32), text)
    if kind in "OT":
        return object_column(name, cells.tolist())
    if kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} holds complex numbers.")
    raise CellTypeError(_unusable(name, str(cells.dtype)))


def object_array(cells: Sequence[Any]) -> npt.NDArray[Any]:
    """The cells as they are, one dimension whatever they hold."""
    array = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        array[row] = cell
    return array


def _decoded(name: str, codes: npt.NDArray[np.intp], values: list[bytes]) -> list[str]:
    """Text that NumPy holds as bytes."""
    text = []
    for code, value in enumerate(values):
        try:
            text.append(value.decode())
        except UnicodeDecodeError:
            row = int(np.flatnonzero(codes == code)[0])
            raise DataError(
                f"Column {name!r}, row {row}: the bytes {value!r} are not text in UTF-8."
            ) from None
    return text


def _unusable(name: str, found: str) -> str:
    return (
        f"Column {name!r} is of type {found}; expected numbers, strings, booleans or "
        f"categories.{_date_hint(found)}"
    )


def _date_hint(type_name: str) -> str:
    if not any(word in type_name.lower() for word in ("date", "time", "duration", "period")):
        return ""
    return " Turn dates into numbers first, for example days since a fixed day."


def _numeric_cells(name: str, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The cells in a type that the core reads: widened exactly, byte-swapped or aligned only if needed."""
    dtype = cells.dtype
    if dtype.kind == "f" and dtype.itemsize == 2:
        return cells.astype(np.float32)
    if dtype.kind == "f" and dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # becomes infinite, so it is found to differ
            exact = cells.astype(np.float64)
        different = np.flatnonzero((exact != cells) & ~np.isnan(exact))
        if different.size:
            row = int(different[0])
            raise DataError(_not_exact(name, row, cells[row]))
        return exact
    if dtype.kind in "iu" and dtype.itemsize == 8 and cells.size:
        check_integer_range(name, cells)
    if not dtype.isnative:
        cells = cells.astype(dtype.newbyteorder("="))
    return cells if cells.flags.aligned else cells.copy()


def check_integer_range(name: str, cells: npt.NDArray[Any]) -> None:
    """Refuse integers that float64 cannot hold."""
    if cells.min() < -LARGEST_EXACT_INTEGER or cells.max() > LARGEST_EXACT_INTEGER:
        beyond = (cells < -LARGEST_EXACT_INTEGER) | (cells > LARGEST_EXACT_INTEGER)
        row = int(np.flatnonzero(beyond)[0])
        raise DataError(_too_large(name, row, cells[row]))


def _too_large(name: str, row: int, integer: Any) -> str:
    return (
        f"Column {name!r}, row {row}: the integer {integer} is beyond ±2^53, where numbers are no longer "
        "exact. If it is an identifier, drop the column or turn it into text."
    )


def _not_exact(name: str, row: int, number: Any) -> str:
    return f"Column {name!r}, row {row}: {number!r} cannot be held as float64."


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if cell is None:
        return True
    if isinstance(cell, _FLOATS):
        return bool(cell != cell)
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return type(cell).__name__ in ("NAType", "NaTType")


def object_column(name: str, cells: Sequence[Any]) -> Cells:
    """A column of Python objects: all numbers, all strings or all booleans; None and NaN are missing.

    A column with nothing but missing cells is numeric if there is a NaN among them, otherwise nominal.
    """
    known = [None if is_missing(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in known} - {NoneType}
    if not kinds and any(isinstance(cell, _FLOATS) for cell in cells):
        return Column(name, "numeric"), read_only(np.full(len(cells), np.nan))
    if kinds <= {str}:
        return factorised(name, known)
    if kinds <= {int, float} and (numeric := _plain_numbers(known)) is not None:
        return Column(name, "numeric"), read_only(numeric)
    family: str | None = None
    for row, cell in enumerate(known):
        if cell is None:
            continue
        found = _family(name, row, cell)
        family = family or found
        if found != family:
            raise CellTypeError(
                f"Column {name!r} mixes kinds of cells: row {row} is {cell!r} ({found}), but earlier rows "
                f"are {family}s. Make them all one kind, for example all text."
            )
    if family == "number":
        values = (_number(name, row, cell) for row, cell in enumerate(known))
        return Column(name, "numeric"), read_only(np.fromiter(values, np.float64, len(cells)))
    plain: Callable[[Any], Hashable] = bool if family == "boolean" else str
    return factorised(name, [None if cell is None else plain(cell) for cell in known])


def _plain_numbers(cells: Sequence[float | None]) -> npt.NDArray[np.float64] | None:
    """Python numbers all at once, if none is so large that it must be looked at on its own."""
    try:
        values = np.array(cells, dtype=np.float64)
    except OverflowError:
        return None
    return None if (np.abs(values) >= LARGEST_EXACT_INTEGER).any() else values


def _number(name: str, row: int, cell: Any) -> float:
    if cell is None:
        return math.nan
    if isinstance(cell, numbers.Integral) and abs(int(cell)) > LARGEST_EXACT_INTEGER:
        raise DataError(_too_large(name, row, cell))
    try:
        value = float(cell)
    except OverflowError:
        raise DataError(_not_exact(name, row, cell)) from None
    if isinstance(cell, np.longdouble) and value != cell:
        raise DataError(_not_exact(name, row, cell))
    return value


def _family(name: str, row: int, cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return "boolean"
    if isinstance(cell, str):
        return "string"
    if isinstance(cell, numbers.Real | Decimal):
        return "number"
    if isinstance(cell, numbers.Complex):
        raise DataError(f"Complex data not supported: column {name!r}, row {row} is {cell!r}.")
    found = type(cell).__name__
    raise CellTypeError(
        f"Column {name!r}, row {row}: a cell's argument must be a string, a number or a boolean; found "
        f"{cell!r} of type {found}.{_date_hint(found)}"
    )


# ---- nominal cells -----------------------------------------------------------------------------------------


def factorised(name: str, cells: Sequence[Hashable | None]) -> Cells:
    """A nominal column of Python values; its categories are the sorted values."""
    index: dict[Hashable | None, int] = {None: MISSING}
    codes = np.fromiter((index.setdefault(cell, len(index) - 1) for cell in cells), np.int32, len(cells))
    return _nominal_from_codes(name, codes, [value for value in index if value is not None])


def _nominal_from_codes(name: str, codes: npt.NDArray[np.int32], values: Sequence[Any]) -> Cells:
    """Undeclared categories: only those that occur, sorted."""
    occurs = np.bincount(codes[codes >= 0], minlength=len(values)) > 0 if len(values) else np.zeros(0, bool)
    categories = sort_values(value for value, here in zip(values, occurs, strict=True) if here)
    place = {value: code for code, value in enumerate(categories)}
    new_code = np.array([MISSING, *(place.get(value, MISSING) for value in values)], np.int32)
    return Column(name, "nominal", tuple(categories)), read_only(new_code[codes + 1])


def _declared(name: str, codes: npt.NDArray[Any], values: Sequence[Any]) -> Cells:
    """Categories in the container's order. Arrow lets a dictionary repeat a value and hold a null."""
    place: dict[Hashable, int] = {}
    categories: list[Hashable] = []
    new_code = [MISSING]
    for value in map(plain_value, values):
        if is_missing(value):
            new_code.append(MISSING)
            continue
        if category_key(value) not in place:
            place[category_key(value)] = len(categories)
            categories.append(value)
        new_code.append(place[category_key(value)])
    column = Column(name, "nominal", tuple(categories), declared=True)
    return column, read_only(np.array(new_code, np.int32)[codes.astype(np.intp) + 1])


def plain_value(value: Any) -> Any:
    """The Python value of a NumPy number, boolean or string."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value


def _positions(categorical_features: Any, schema: Schema) -> list[int]:
    if isinstance(categorical_features, str) or not hasattr(categorical_features, "__iter__"):
        raise ParameterError(
            f"categorical_features is {categorical_features!r}; expected a list of column names, of "
            'positions or of booleans, or "from_dtype".'
        )
    chosen = list(categorical_features)
    if chosen and all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(schema):
            raise DataError(
                f"categorical_features is a mask of {len(chosen)} flags, but the table has "
                f"{len(schema)} columns."
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


# ---- mappings ----------------------------------------------------------------------------------------------


def _from_mapping(columns: Mapping[Any, Any]) -> Table:
    cells = [_mapping_column(str(name), values) for name, values in columns.items()]
    return _assemble(cells, named=all(isinstance(name, str) for name in columns), rows=0)


def _mapping_column(name: str, values: Any) -> Cells:
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise DataError(f"Column {name!r} is {values!r}, but a sequence of cells was expected.")
    series = as_series(values)
    if series is not None:
        return frame_column(name, series)
    array = values if isinstance(values, np.ndarray) else object_array(list(values))
    if array.ndim != 1:
        raise DataError(f"Column {name!r} has {array.ndim} dimensions; expected one.")
    return array_column(name, array)


def _from_records(rows: Sequence[Mapping[Any, Any]]) -> Table:
    names = list(rows[0])
    for index, row in enumerate(rows):
        odd = set(row) ^ set(names)
        if odd:
            raise DataError(f"Row {index} and row 0 do not have the same columns: {sorted(map(str, odd))}.")
    if not names:
        return _assemble([], named=True, rows=len(rows))
    return _from_mapping({name: [row[name] for row in rows] for name in names})


def _assemble(cells: Sequence[Cells], *, named: bool, rows: int) -> Table:
    if not cells:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
        )
    return Table(Schema(tuple(column for column, _ in cells), named), tuple(array for _, array in cells))


# ---- frames ------------------------------------------------------------------------------------------------


def _is_frame(X: Any) -> bool:
    if isinstance(X, np.ndarray | list | tuple):
        return False
    if hasattr(type(X), "collect") and hasattr(type(X), "collect_schema"):
        raise CellTypeError(
            f"X is a lazy table ({type(X).__name__}), which holds no rows yet. Use X.collect()."
        )
    arrow = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    return arrow or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def _from_frame(X: Any) -> Table:
    frame = _eager_frame(X)
    if frame is None and as_series(X, arrow=False) is not None:
        raise DataError(_not_two_dimensional(1))
    if frame is None:
        frame = _eager_frame(_arrow_table(X))
    names = list(frame.columns)
    columns = zip(names, frame.iter_columns(), strict=True)
    cells = [frame_column(str(name), series) for name, series in columns]
    return _assemble(cells, named=all(isinstance(name, str) for name in names), rows=frame.shape[0])


def _eager_frame(X: Any) -> Any:
    """A narwhals frame, or None if narwhals does not know this kind."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        return None
    except DuplicateError:
        names = [str(name) for name in (X.columns if hasattr(X, "dtypes") else X.column_names)]
        repeated = next(name for name in names if names.count(name) > 1)
        raise DataError(repeated_name(repeated)) from None


def _arrow_table(X: Any) -> Any:
    pa = _pyarrow(X)
    try:
        return pa.table(X)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X of type {type(X).__name__} is not a table, but a single column or value ({error}). "
            "Reshape your data: a table has rows and named columns."
        ) from None


def _pyarrow(data: Any) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(f"Data of type {type(data).__name__}", "pyarrow") from None
    return pa


def as_series(cells: Any, *, arrow: bool = True) -> Any:
    """A pandas, polars or Arrow column as a narwhals series; None for everything else.

    Without `arrow`, an object that is known by nothing but its Arrow interface counts as everything else.
    """
    if isinstance(cells, np.ndarray | list | tuple | range) or len(getattr(cells, "shape", (0,))) != 1:
        return None
    import narwhals.stable.v2 as nw

    if _library(cells) == "pandas":
        import pandas as pd

        if isinstance(cells, pd.Index | pd.api.extensions.ExtensionArray):
            cells = pd.Series(cells)
    try:
        return nw.from_native(cells, series_only=True)
    except TypeError:
        if arrow and (hasattr(cells, "__arrow_c_array__") or hasattr(cells, "__arrow_c_stream__")):
            return nw.from_native(_pyarrow(cells).chunked_array(cells), series_only=True)
        return None


def holds_objects(series: Any) -> bool:
    """Whether every cell must be looked at on its own.

    A pandas column of objects always is one: narwhals calls it strings after a look at the first rows.
    """
    import narwhals.stable.v2 as nw

    native_dtype = getattr(series.to_native(), "dtype", None)
    return native_dtype == np.dtype(object) or series.dtype in (nw.Object, nw.Unknown, nw.Int128, nw.UInt128)


def frame_column(name: str, series: Any) -> Cells:
    """One column of a frame, as a narwhals series."""
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if holds_objects(series):
        return object_column(name, series.to_list())
    if dtype.is_float() or dtype.is_integer():
        return Column(name, "numeric"), read_only(_numeric_series(name, series))
    if dtype == nw.Boolean:
        flags = series.fill_null(False).to_numpy().astype(np.int32)
        codes = np.where(series.is_null().to_numpy(), np.int32(MISSING), flags)
        return _nominal_from_codes(name, codes, [False, True])
    if dtype == nw.String:
        return _string_series(name, series)
    if dtype == nw.Enum or dtype == nw.Categorical:
        return _categorical_series(name, series)
    if dtype.is_decimal():
        return frame_column(name, series.cast(nw.Float64))
    raise CellTypeError(_unusable(name, str(dtype)))


def _numeric_series(name: str, series: Any) -> npt.NDArray[Any]:
    if series.dtype.is_float():  # a null becomes NaN
        return _numeric_cells(name, np.asarray(series.to_numpy()))
    missing = series.is_null().to_numpy()
    if not missing.any():
        return _numeric_cells(name, np.asarray(series.to_numpy()))
    cells = _numeric_cells(name, np.asarray(series.fill_null(0).to_numpy())).astype(np.float64)
    cells[missing] = np.nan
    return cells


def _string_series(name: str, series: Any) -> Cells:
    """Strings through the container's own fast factorisation; their order is ours."""
    native = series.to_native()
    factorise = _FACTORISE.get(_library(native))
    if factorise is None:
        return factorised(name, series.to_list())
    codes, values = factorise(native)
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
    return _arrow_codes(native.dictionary_encode())


def _arrow_codes(native: Any) -> tuple[npt.NDArray[np.int32], list[Any]]:
    """Codes and values of a dictionary column, whose chunks may each have a dictionary of their own."""
    encoded = native.combine_chunks()
    codes = encoded.indices.cast("int64").fill_null(MISSING).to_numpy(zero_copy_only=False)
    return codes.astype(np.int32), encoded.dictionary.to_pylist()


_FACTORISE: dict[str, Callable[[Any], tuple[npt.NDArray[np.int32], list[Any]]]] = {
    "pandas": _factorise_pandas,
    "polars": _factorise_polars,
    "pyarrow": _factorise_arrow,
}


def _categorical_series(name: str, series: Any) -> Cells:
    """pandas category, polars Enum, Arrow dictionary declare their order; a polars Categorical does not."""
    import narwhals.stable.v2 as nw

    native = series.to_native()
    library = _library(native)
    if library == "pandas" and hasattr(native, "cat"):
        return _declared(name, native.cat.codes.to_numpy(), native.cat.categories.tolist())
    if library == "pandas":  # an Arrow dictionary inside a pandas frame
        return _declared(name, *_arrow_codes(_pyarrow(native).chunked_array(native)))
    if library == "pyarrow":
        return _declared(name, *_arrow_codes(native))
    if library == "polars" and series.dtype == nw.Enum:
        import polars as pl

        codes = native.to_physical().cast(pl.Int32).fill_null(MISSING).to_numpy()
        return _declared(name, codes, native.dtype.categories.to_list())
    return frame_column(name, series.cast(nw.String))


def _library(native: Any) -> str:
    return type(native).__module__.partition(".")[0]
