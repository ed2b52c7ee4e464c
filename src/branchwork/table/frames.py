"""Turn pandas, polars and Arrow frames into a Table, through narwhals, column by column.

Categories keep the order that their container declares: a pandas category, a polars Enum and an Arrow dictionary have
one; strings and a polars Categorical have none and are sorted. Columns are borrowed wherever the layout allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import CellTypeError, DataError, MissingExtraError
from branchwork.table.cells import (
    Cells,
    assemble,
    declared_column,
    factorised,
    nominal_from_codes,
    not_two_dimensional,
    numeric_cells,
    object_column,
    unusable,
)
from branchwork.table.leave_out import advising
from branchwork.table.schema import Column, repeated_name
from branchwork.table.table import MISSING, Table, check_integer_range, read_only


def is_frame(X: Any) -> bool:
    """Return whether X is a frame: pandas, polars, Arrow, or an object with the Arrow interface."""
    if isinstance(X, np.ndarray | list | tuple):
        return False
    if hasattr(type(X), "collect") and hasattr(type(X), "collect_schema"):
        raise CellTypeError(
            f"X is a lazy table ({type(X).__name__}), which holds no rows yet. Use X.collect()."
        )
    arrow = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    return arrow or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def from_frame(X: Any) -> Table:
    """Make a table from a pandas, polars or Arrow frame, or from anything with the Arrow interface."""
    frame = _eager_frame(X)
    if frame is None and as_series(X, arrow=False) is not None:
        raise DataError(not_two_dimensional(1))
    if frame is None:
        frame = _eager_frame(_arrow_table(X))
    names = list(frame.columns)
    columns = zip(names, _series_of(frame), strict=True)
    with advising(lambda column: _without(X, next(name for name in names if str(name) == column))):
        cells = [_frame_cells(str(name), series) for name, series in columns]
        return assemble(cells, named=all(isinstance(name, str) for name in names), rows=frame.shape[0])


def _series_of(frame: Any) -> Iterable[Any]:
    """Return the columns of a narwhals frame, those of a pandas frame as pandas has them."""
    native = frame.to_native()
    if _library(native) != "pandas":
        return cast("Iterable[Any]", frame.iter_columns())
    return (series for _, series in native.items())


def _frame_cells(name: str, series: Any) -> Cells:
    """Turn one column of a frame into a column and its array.

    pandas columns of strings, and those that hold a NumPy array of numbers, do not go through narwhals, which takes
    longer than the rest of a fit on a small table.
    """
    if _library(series) != "pandas":
        return frame_column(name, series)
    import narwhals.stable.v2 as nw
    import pandas as pd

    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        return Column(name, "numeric"), read_only(numeric_cells(name, series.to_numpy()))
    if isinstance(series.dtype, pd.StringDtype):
        codes, values = _factorise_pandas(series)
        return nominal_from_codes(name, codes, values, all_occur=True)
    return frame_column(name, nw.from_native(series, series_only=True))


def _without(X: Any, column: Any) -> str:
    """Return the expression that leaves a column out of a frame, in the words of its library."""
    library = _library(X)
    if library == "polars":
        return f"X.drop([{column!r}])"
    if library == "pyarrow":
        return f"X.drop_columns([{column!r}])"
    if hasattr(X, "loc"):  # pandas and its kin
        return f"X.drop(columns=[{column!r}])"
    return f"pyarrow.table(X).drop_columns([{column!r}])"


def _eager_frame(X: Any) -> Any:
    """Return a narwhals frame, or None if narwhals does not know this kind."""
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
    """Return a pandas, polars or Arrow column as a narwhals series, and None for everything else.

    Without `arrow`, an object that offers only the Arrow interface gives None.
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


def column_of_frame(y: Any) -> tuple[Any, Any] | None:
    """Return the name and the cells of the only column of a pandas, polars or Arrow frame; None for all else."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if isinstance(y, np.ndarray) or len(shape) != 2 or shape[1] != 1:
        return None
    frame = _eager_frame(y)
    if frame is None:
        return None
    (name,) = frame.columns
    return name, next(frame.iter_columns()).to_native()


def holds_objects(series: Any) -> bool:
    """Return whether every cell must be looked at on its own.

    This is so for every pandas column of objects: narwhals looks only at the first rows before it calls one a column
    of strings.
    """
    import narwhals.stable.v2 as nw

    native_dtype = getattr(series.to_native(), "dtype", None)
    return native_dtype == np.dtype(object) or series.dtype in (nw.Object, nw.Unknown, nw.Int128, nw.UInt128)


def frame_column(name: str, series: Any) -> Cells:
    """Turn one column of a frame, given as a narwhals series, into a column and its array."""
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if holds_objects(series):
        return object_column(name, series.to_list())
    if dtype.is_float() or dtype.is_integer():
        return Column(name, "numeric"), read_only(_numeric_series(name, series))
    if dtype == nw.Boolean:
        flags = series.fill_null(False).to_numpy().astype(np.int32)
        codes = np.where(series.is_null().to_numpy(), np.int32(MISSING), flags)
        return nominal_from_codes(name, codes, [False, True])
    if dtype == nw.String:
        return _string_series(name, series)
    if dtype == nw.Enum or dtype == nw.Categorical:
        return _categorical_series(name, series)
    if dtype.is_decimal() or dtype == nw.Binary:  # decimals are rounded once, correctly, or refused
        return object_column(name, series.to_list())
    raise unusable(name, str(dtype))


def _numeric_series(name: str, series: Any) -> npt.NDArray[Any]:
    if series.dtype.is_float():  # a null becomes NaN
        return numeric_cells(name, np.asarray(series.to_numpy()))
    missing = series.is_null().to_numpy()
    if not missing.any():
        return numeric_cells(name, np.asarray(series.to_numpy()))
    integers = np.asarray(series.fill_null(0).to_numpy())
    check_integer_range(name, integers)
    cells = integers.astype(np.float64)
    cells[missing] = np.nan
    return cells


def _string_series(name: str, series: Any) -> Cells:
    """Code strings with the container's own fast factorisation, then sort the categories."""
    native = series.to_native()
    factorise = _FACTORISE.get(_library(native))
    if factorise is None:
        return factorised(name, series.to_list())
    codes, values = factorise(native)
    return nominal_from_codes(name, codes, values, all_occur=True)


def _factorise_pandas(native: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    import pandas as pd

    if getattr(native.dtype, "storage", None) == "pyarrow":
        return _factorise_arrow(native.array.__arrow_array__())
    codes, values = pd.factorize(native)
    return codes, values.tolist()


def _factorise_polars(native: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    import polars as pl

    values = native.drop_nulls().unique().sort()
    codes = native.cast(pl.Enum(values)).to_physical().cast(pl.Int32).fill_null(MISSING)
    return codes.to_numpy(), values.to_list()


def _factorise_arrow(native: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    """Code strings. Those that lie one after the other in memory are coded by the core, where they are."""
    pa = _pyarrow(native)
    if native.type not in (pa.string(), pa.large_string()) or native.num_chunks != 1 or len(native) == 0:
        return _arrow_codes(native.dictionary_encode())
    texts = native.chunk(0)
    width = np.int32 if texts.type == pa.string() else np.int64
    valid, ends, data = texts.buffers()
    codes, first = _core.distinct_texts(
        np.frombuffer(ends, width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64, copy=False),
        np.frombuffer(data or b"", np.uint8),
        None if valid is None else np.frombuffer(valid, np.uint8),
        texts.offset,
    )
    return codes, texts.take(pa.array(first)).to_pylist()


def _arrow_codes(native: Any) -> tuple[npt.NDArray[np.integer[Any]], list[Any]]:
    """Return the codes and values of a dictionary column; each of its chunks may have a dictionary of its own."""
    encoded = native.combine_chunks()
    codes = encoded.indices.cast("int64").fill_null(MISSING).to_numpy(zero_copy_only=False)
    return codes.astype(np.int32), encoded.dictionary.to_pylist()


_FACTORISE: dict[str, Callable[[Any], tuple[npt.NDArray[np.integer[Any]], list[Any]]]] = {
    "pandas": _factorise_pandas,
    "polars": _factorise_polars,
    "pyarrow": _factorise_arrow,
}


def _categorical_series(name: str, series: Any) -> Cells:
    """Code a column of categories.

    A pandas category, a polars Enum and an Arrow dictionary declare their order; a polars Categorical does not.
    """
    import narwhals.stable.v2 as nw

    native = series.to_native()
    library = _library(native)
    if library == "pandas" and hasattr(native, "cat"):
        return declared_column(name, native.cat.codes.to_numpy(), native.cat.categories.tolist())
    if library == "pandas":  # an Arrow dictionary inside a pandas frame
        return declared_column(name, *_arrow_codes(_pyarrow(native).chunked_array(native)))
    if library == "pyarrow":
        return declared_column(name, *_arrow_codes(native))
    if library == "polars" and series.dtype == nw.Enum:
        import polars as pl

        codes = native.to_physical().cast(pl.Int32).fill_null(MISSING).to_numpy()
        return declared_column(name, codes, native.dtype.categories.to_list())
    return frame_column(name, series.cast(nw.String))


def _library(native: Any) -> str:
    return type(native).__module__.partition(".")[0]
