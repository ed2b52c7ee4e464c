"""Turn the cells of one column into a column and its array.

The cells decide the kind of their column. Numbers make a numeric column; strings and booleans make a nominal one; NaN,
None, NA and masked cells are missing in both. Bytes are text in UTF-8. A column that mixes these kinds is refused, and
the error names the row that does not fit.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from types import NoneType
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import CellTypeError, DataError, shown
from branchwork.table.leave_out import dispensable
from branchwork.table.schema import Column, Schema, category_key
from branchwork.table.table import LARGEST_EXACT_INTEGER, MISSING, Table, read_only, sort_values, too_large

_FLOATS = (float, np.floating)

Cells = tuple[Column, npt.NDArray[Any]]


def array_column(name: str, cells: npt.NDArray[Any]) -> Cells:
    """Return one column of an array; it is a view if the core can read its cells as they are."""
    if isinstance(cells, np.ma.MaskedArray):
        cells = object_array(cells.tolist()) if np.ma.is_masked(cells) else cells.data
    kind = cells.dtype.kind
    if kind in "fiu":
        return Column(name, "numeric"), read_only(numeric_cells(name, cells))
    if kind == "b":
        return nominal_from_codes(name, cells.astype(np.int32), [False, True])
    if kind in "US":
        values, codes = np.unique(cells, return_inverse=True)
        text = values.tolist() if kind == "U" else _decoded(name, codes, values.tolist())
        return nominal_from_codes(name, codes.astype(np.int32), text)
    if kind in "OT":
        return object_column(name, cells.tolist())
    if kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} holds complex numbers.")
    raise unusable(name, str(cells.dtype))


def object_array(cells: Sequence[Any]) -> npt.NDArray[Any]:
    """Return the cells in an array of objects with one dimension, whatever they hold."""
    array = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        array[row] = cell
    return array


def _decoded(name: str, codes: npt.NDArray[np.intp], values: list[bytes]) -> list[str]:
    """Return the text that NumPy holds as bytes."""
    return [
        str(_text(name, int(np.flatnonzero(codes == code)[0]), value)) for code, value in enumerate(values)
    ]


def _text(name: str, row: int, cell: bytes | bytearray | None) -> str | None:
    """Decode bytes as UTF-8."""
    try:
        return None if cell is None else cell.decode()
    except UnicodeDecodeError:
        message = f"Column {name!r}, row {row}: the bytes {shown(bytes(cell or b''))} are not text in UTF-8."
        raise dispensable(DataError(message), name) from None


DATE_HINT = " Turn dates into numbers first, for example days since a fixed day."


def unusable(name: str, found: str, where: str = "") -> CellTypeError:
    """Return the error about a column of a type that cannot be used.

    `where` is a prefix such as the name of the file.
    """
    message = f"{where}Column {name!r} is of type {found}; expected numbers, strings, booleans or categories."
    return dispensable(CellTypeError(message + _date_hint(found)), name)


def _date_hint(type_name: str) -> str:
    is_time = any(word in type_name.lower() for word in ("date", "time", "duration", "interval", "period"))
    return DATE_HINT if is_time else ""


def numeric_cells(name: str, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the cells in a type that the core reads: widened exactly, and byte-swapped or aligned only if needed."""
    dtype = cells.dtype
    if dtype.kind == "f" and dtype.itemsize == 2:
        return cells.astype(np.float32)
    if dtype.kind == "f" and dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # an overflow becomes infinite, so the comparison below finds it
            exact = cells.astype(np.float64)
        different = np.flatnonzero((exact != cells) & ~np.isnan(exact))
        if different.size:
            row = int(different[0])
            raise DataError(_not_exact(name, row, cells[row]))
        return exact
    if not dtype.isnative:
        cells = cells.astype(dtype.newbyteorder("="))
    return cells if cells.flags.aligned else cells.copy()


def _not_exact(name: str, row: int, number: Any) -> str:
    return f"Column {name!r}, row {row}: {shown(number)} cannot be held as float64."


def is_missing(cell: Any) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas' NA."""
    if cell is None:
        return True
    if isinstance(cell, _FLOATS):
        return bool(cell != cell)
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return type(cell).__name__ in ("NAType", "NaTType")


def object_column(name: str, cells: Sequence[Any]) -> Cells:
    """Make a column from Python objects: all numbers, all strings or all booleans; None and NaN are missing.

    If all cells are missing, the column is numeric if one of them is NaN, and nominal otherwise.
    """
    if {str} <= set(map(type, cells)) <= {str, NoneType}:  # a fast path for the usual case
        return factorised(name, cells)
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
            message = (
                f"Column {name!r} mixes kinds of cells: row {row} is {cell!r} ({found}), but earlier rows "
                f"are {family}{'s' * (family != 'bytes')}. Make them all one kind, for example all text."
            )
            raise dispensable(CellTypeError(message), name)
    if family == "number":
        values = (_number(name, row, cell) for row, cell in enumerate(known))
        return Column(name, "numeric"), read_only(np.fromiter(values, np.float64, len(cells)))
    if family == "bytes":
        return factorised(name, [_text(name, row, cell) for row, cell in enumerate(known)])
    plain: Callable[[Any], Hashable] = bool if family == "boolean" else str
    return factorised(name, [None if cell is None else plain(cell) for cell in known])


def _plain_numbers(cells: Sequence[float | None]) -> npt.NDArray[np.float64] | None:
    """Convert Python numbers all at once, or return None if one is so large that it must be checked on its own."""
    try:
        values = np.array(cells, dtype=np.float64)
    except OverflowError:
        return None
    return None if (np.abs(values) >= LARGEST_EXACT_INTEGER).any() else values


def _number(name: str, row: int, cell: Any) -> float:
    if cell is None:
        return math.nan
    if isinstance(cell, numbers.Integral) and abs(int(cell)) > LARGEST_EXACT_INTEGER:
        raise too_large(name, row, cell)
    try:
        value = float(cell)
    except OverflowError:
        raise DataError(_not_exact(name, row, cell)) from None
    if isinstance(cell, np.longdouble) and value != cell:
        raise DataError(_not_exact(name, row, cell))
    if isinstance(cell, Decimal | numbers.Rational) and abs(value) >= LARGEST_EXACT_INTEGER and value != cell:
        raise too_large(name, row, cell, "number")
    return value


def _family(name: str, row: int, cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return "boolean"
    if isinstance(cell, str):
        return "string"
    if isinstance(cell, bytes | bytearray):
        return "bytes"
    if isinstance(cell, numbers.Real | Decimal):
        return "number"
    if isinstance(cell, numbers.Complex):
        raise DataError(f"Complex data not supported: column {name!r}, row {row} is {cell!r}.")
    found = type(cell).__name__
    message = (
        f"Column {name!r}, row {row}: a cell's argument must be a string, a number or a boolean; found "
        f"{cell!r} of type {found}.{_date_hint(found)}"
    )
    raise dispensable(CellTypeError(message), name)


# ---- nominal cells -----------------------------------------------------------------------------------------


def factorised(name: str, cells: Sequence[Hashable | None]) -> Cells:
    """Make a nominal column from Python values; its categories are the sorted values."""
    values = [value for value in dict.fromkeys(cells) if value is not None]
    index: dict[Hashable | None, int] = {value: code for code, value in enumerate(values)} | {None: MISSING}
    codes = np.fromiter(map(index.__getitem__, cells), np.intp, len(cells))
    return nominal_from_codes(name, codes, values, all_occur=True)


def nominal_from_codes(
    name: str, codes: npt.NDArray[np.integer[Any]], values: Sequence[Any], *, all_occur: bool = False
) -> Cells:
    """Make a nominal column with undeclared categories: those that occur, sorted."""
    if not all_occur:
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        values_here = [value for value, count in zip(values, counts.tolist(), strict=True) if count > 0]
    categories = sort_values(values if all_occur else values_here)
    column = Column(name, "nominal", tuple(categories))
    if categories == list(values):
        return column, read_only(codes.astype(np.int32, copy=False))
    place = {value: code for code, value in enumerate(categories)}
    # The code -1 of missing cells finds the last of the new codes.
    new_code = np.array([*(place.get(value, MISSING) for value in values), MISSING], np.int32)
    return column, read_only(new_code[codes])


def declared_column(name: str, codes: npt.NDArray[Any], values: Sequence[Any]) -> Cells:
    """Make a nominal column with its categories in the container's order.

    An Arrow dictionary may repeat a value and may hold a null.
    """
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
    """Return the Python value of a NumPy number, boolean or string."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value


# ---- tables of columns -------------------------------------------------------------------------------------


def assemble(cells: Sequence[Cells], *, named: bool, rows: int) -> Table:
    """Make a table from columns; `rows` is used only in the message that there are no columns."""
    if not cells:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
        )
    return Table(Schema(tuple(column for column, _ in cells), named), tuple(array for _, array in cells))


def not_two_dimensional(dimensions: int) -> str:
    """Return the message for an X that does not have two dimensions."""
    found = "a single value" if dimensions == 0 else f"an array with {dimensions} dimension(s)"
    return (
        f"Expected 2D array (rows × columns), got {found} instead. Reshape your data using "
        "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row."
    )
