"""Hold a table: a schema and one read-only array per column, borrowed from its container where possible."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import CellTypeError, DataError, MissingExtraError, ParameterError, shown
from branchwork.lazy import cached_property
from branchwork.table.leave_out import column_names, dispensable
from branchwork.table.named_list import NamedList
from branchwork.table.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from branchwork.table.describe import Description

MISSING = -1
"""The code of a missing cell in a nominal column."""
UNSEEN = -2
"""The code of an unseen category; it occurs only in tables for prediction."""
LARGEST_EXACT_INTEGER = 2**53
"""float64 holds integers up to this size exactly."""
MOST_ROWS = 2**32 - 1
"""Rows are counted in 32 bits."""

_CODES = frozenset({np.dtype(np.int32)})
_NUMBERS = frozenset(
    np.dtype(name)
    for name in (
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    )
)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and columns, as every learner here takes them.

    Numeric columns keep the width they came in (float32, float64, integers; NaN is missing) and may be
    strided views of the container's memory. Nominal columns are int32 codes into the column's categories, -1
    missing.

    >>> import branchwork as bw
    >>> table = bw.datasets.load("play_tennis").X
    >>> table
    Table(14 rows × 4 columns: Outlook, Temperature, Humidity, Wind)
    >>> table.column("Wind")[:3]
    ['Weak', 'Strong', 'Weak']
    """

    schema: Schema
    arrays: tuple[npt.NDArray[Any], ...]

    def __post_init__(self) -> None:
        """Refuse columns that do not fit together, and make the arrays read-only."""
        object.__setattr__(self, "arrays", tuple(read_only(np.asarray(array)) for array in self.arrays))
        if len(self.arrays) != len(self.schema):
            raise DataError(
                f"{len(self.schema)} columns were declared but {len(self.arrays)} arrays were given."
            )
        for column, array in zip(self.schema, self.arrays, strict=True):
            if len(array) != self.n_rows:
                raise DataError(
                    f"Column {column.name!r} has {len(array)} rows, but column "
                    f"{self.schema[0].name!r} has {self.n_rows}. All columns need the same number of rows."
                )
            _check_cells(column, array)

    @classmethod
    def of_floats(cls, matrix: npt.NDArray[Any], schema: Schema) -> Table:
        """Make a table from a matrix of floats without copying it. Only its size needs a check."""
        if len(matrix) >= MOST_ROWS:
            raise DataError(f"The table has {len(matrix)} rows; a table has fewer than {MOST_ROWS}.")
        matrix = read_only(matrix)
        table = object.__new__(cls)
        table.__dict__.update(schema=schema, arrays=tuple(matrix.T), core=_core.Columns.matrix(matrix))
        return table

    def __reduce__(self) -> tuple[type[Table], tuple[Any, ...]]:
        """Pickle the schema and the arrays, but not the view of them that the core uses."""
        return Table, (self.schema, self.arrays)

    def __repr__(self) -> str:
        """Show size and names."""
        names = ", ".join(self.schema.names[:8]) + (", …" if len(self.schema) > 8 else "")
        return f"Table({self.n_rows} rows × {len(self.schema)} columns: {names})"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        from branchwork.table.describe import cells_html

        size = f"{self.n_rows} rows × {len(self.schema)} columns."
        return cells_html(self, note=size)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.n_rows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.arrays[0]) if self.arrays else 0

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self.schema)

    @cached_property
    def first_unseen(self) -> tuple[str, int] | None:
        """Column and row of the first unseen category, if there is one; only tables for prediction can have them."""
        if self.schema.is_numeric:
            return None
        for column, array in zip(self.schema, self.arrays, strict=True):
            if column.is_nominal and (array == UNSEEN).any():
                return column.name, int(np.argmax(array == UNSEEN))
        return None

    @cached_property
    def core(self) -> _core.Columns:
        """The columns as the core sees them."""
        columns = _core.Columns()
        for column, array in zip(self.schema, self.arrays, strict=True):
            columns.add(array, len(column.categories) if column.is_nominal else -1)
        return columns

    def column(self, name: str) -> NamedList:
        """Return the cells of one column as a list of Python values that knows the column's name.

        A missing cell is None. As a target, the list tells `fit` what is predicted.
        """
        index = self.schema.index(name)
        column, array = self.schema[index], self.arrays[index]
        if column.is_nominal:
            cells = [column.categories[code] if code >= 0 else None for code in array.tolist()]
        else:
            cells = [None if cell != cell else cell for cell in array.tolist()]
        return NamedList(column.name if self.schema.named else None, cells)

    def row(self, index: int) -> dict[str, Any]:
        """Return one row as a mapping of column name to value; None where missing."""
        one = self.take(np.array([index]))
        return {name: one.column(name)[0] for name in self.schema.names}

    def head(self, n: int = 5) -> Table:
        """Return the first n rows, as a table that prints its cells. A missing cell is printed as ?.

        >>> import branchwork as bw
        >>> bw.datasets.load("play_tennis").X.head(2)
        Outlook  Temperature  Humidity  Wind
        Sunny    Hot          High      Weak
        Sunny    Hot          High      Strong
        """
        from branchwork.table.describe import Head

        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise ParameterError(f"n={n!r}; expected a whole number of rows, 0 or more.")
        return Head(self.schema, tuple(array[:n] for array in self.arrays))

    def describe(self) -> Description:
        """Describe every column: its kind, known and missing cells, distinct values, and a typical value.

        The result prints as a table; `to_dict()` gives plain values.

        >>> import branchwork as bw
        >>> bw.to_table({"size": [1.5, None, 3.0], "colour": ["red", "blue", "red"]}).describe()
        column  kind     known  missing  distinct  min  mean  max  most frequent
        size    numeric      2        1         2  1.5  2.25    3
        colour  nominal      3        0         2                  red (2)
        """
        from branchwork.table.describe import describe

        return describe(self)

    def take(self, rows: npt.NDArray[Any] | slice) -> Table:
        """Return the table with only these rows (indices, a mask or a slice)."""
        return replace(self, arrays=tuple(array[rows] for array in self.arrays))

    def __getitem__(self, rows: Any) -> Table:
        """Return some rows, by a slice, a mask or positions, as a table; scikit-learn selects folds in this way.

        >>> import branchwork as bw
        >>> bw.datasets.load("play_tennis").X[:2].column("Wind")
        ['Weak', 'Strong']
        """
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is ...:
            rows = rows[0]
        if isinstance(rows, slice):
            return self.take(rows)
        places = np.asarray(rows)
        if places.ndim != 1 or not (places.dtype.kind in "iub" or places.size == 0):
            raise DataError(
                f"A table gives rows by a slice, a mask or positions, not by {rows!r}; row(k) is one row as a "
                'dictionary, column("name") is a column.'
            )
        return self.take(places if places.size else slice(0, 0))

    __iter__ = None  # a table stores columns, so iterating over single rows would be slow

    def drop(self, names: str | Sequence[str]) -> Table:
        """Return the table without these columns."""
        gone = {self.schema.index(name) for name in column_names("names", names)}
        keep = [i for i in range(len(self.schema)) if i not in gone]
        schema = replace(self.schema, columns=tuple(self.schema[i] for i in keep))
        return replace(self, schema=schema, arrays=tuple(self.arrays[i] for i in keep))

    def forget_undeclared(self) -> Table:
        """Return the table without categories that no row has, except declared ones.

        Used after rows of weight 0 were removed: such a row counts as absent, and so does its category.
        """
        schema, arrays = self.schema, list(self.arrays)
        for index, column in enumerate(schema):
            if not column.is_nominal or column.declared:
                continue
            present = np.bincount(arrays[index] + 1, minlength=len(column.categories) + 1)[1:] > 0
            if present.all():
                continue
            new_code = np.array([MISSING, *(np.cumsum(present) - 1)], np.int32)
            kept = tuple(c for c, here in zip(column.categories, present, strict=True) if here)
            rare = tuple(int(new_code[code + 1]) for code in column.rare if present[code])
            schema = schema.with_column(index, replace(column, categories=kept, rare=rare))
            arrays[index] = new_code[arrays[index] + 1]
        return Table(schema, tuple(arrays))

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas frame; nominal columns become categories in their declared order."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("Table.to_pandas()", "pandas") from None
        return pd.DataFrame(
            {
                column.name: pd.Categorical.from_codes(
                    np.maximum(array, MISSING), pd.Index(list(column.categories), dtype=object)
                )
                if column.is_nominal
                else np.array(array)
                for column, array in zip(self.schema, self.arrays, strict=True)
            }
        )

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame; missing cells become null.

        Categories of text become an Enum where their order is declared, otherwise a Categorical, so that `to_table`
        gives the same table back. polars has no categories of numbers or booleans: such columns come as plain numbers
        or booleans, and `to_table(frame, categorical_features=[…])` makes categories of the numbers again.
        """
        from branchwork.table.to_polars import to_polars

        return to_polars(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the table to anything that reads the Arrow C stream interface."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtraError("A table as an Arrow stream", "pyarrow") from None
        fields = {}
        for column, array in zip(self.schema, self.arrays, strict=True):
            if column.is_nominal:
                codes = pa.array(array, mask=array < 0)
                try:
                    values = pa.array(column.categories, None if column.categories else pa.string())
                except (TypeError, ValueError) as error:
                    raise DataError(
                        f"Arrow cannot hold the categories of column {column.name!r}: {error}"
                    ) from None
                fields[column.name] = pa.DictionaryArray.from_arrays(codes, values)
            else:
                fields[column.name] = pa.array(np.ascontiguousarray(array), from_pandas=True)
        return pa.table(fields).__arrow_c_stream__(requested_schema)


def _check_cells(column: Column, array: npt.NDArray[Any]) -> None:
    """Refuse cells that the core could not read safely or exactly."""
    if array.ndim != 1 or array.dtype not in (_CODES if column.is_nominal else _NUMBERS):
        expected = "int32 codes" if column.is_nominal else "float32, float64 or integers"
        raise CellTypeError(
            f"Column {column.name!r} is an array of {array.dtype} with {array.ndim} dimension(s); expected one of "
            f"{expected}."
        )
    if len(array) >= MOST_ROWS:
        raise DataError(f"Column {column.name!r} has {len(array)} rows; a table has fewer than {MOST_ROWS}.")
    if not column.is_nominal:
        check_integer_range(column.name, array)
    elif (row := first_outside(array, UNSEEN, len(column.categories) - 1)) is not None:
        raise DataError(
            f"Column {column.name!r}, row {row}: the code {array[row]} stands for no category; the column has "
            f"{len(column.categories)}, counted from 0, and {MISSING} is missing."
        )


def first_outside(array: npt.NDArray[Any], low: int, high: int) -> int | None:
    """Return the first row whose cell is outside a range, or None."""
    if not len(array) or (array.min() >= low and array.max() <= high):
        return None
    return int(np.flatnonzero((array < low) | (array > high))[0])


def check_integer_range(name: str, cells: npt.NDArray[Any]) -> None:
    """Refuse integers that float64 cannot hold."""
    if cells.dtype.kind in "iu" and cells.dtype.itemsize == 8:
        row = first_outside(cells, -LARGEST_EXACT_INTEGER, LARGEST_EXACT_INTEGER)
        if row is not None:
            raise too_large(name, row, cells[row])


def too_large(name: str, row: int, number: Any, what: str = "integer") -> DataError:
    """Return the error about an integer, or another number, that float64 cannot hold."""
    digits = shown(int(number)) if what == "integer" else shown(str(number)).strip("'")
    message = (
        f"Column {name!r}, row {row}: the {what} {digits} is beyond ±2^53, where numbers are no longer exact."
    )
    return dispensable(DataError(message), name)


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


def nominal(
    name: str, cells: Sequence[Hashable | None], categories: Sequence[Hashable] | None = None
) -> tuple[Column, npt.NDArray[np.int32]]:
    """Make a nominal column from Python values (None is missing). The categories are the sorted values unless given."""
    declared = categories is not None
    if categories is None:
        categories = sort_values(dict.fromkeys(cell for cell in cells if cell is not None))
    column = Column(name, "nominal", tuple(categories), declared)
    index: dict[Hashable | None, int] = {category: code for code, category in enumerate(column.categories)}
    index[None] = MISSING
    for row, cell in enumerate(cells):
        if cell not in index:
            raise DataError(f"Column {name!r}, row {row}: {cell!r} is not among the declared categories.")
    return column, read_only(np.fromiter((index[cell] for cell in cells), np.int32, len(cells)))


def sort_values(values: Iterable[Any]) -> list[Any]:
    """Sort values by their own order, or, if they have none (1 and "1"), numbers by value and others by text.

    >>> sort_values([3, 1, 2]), sort_values(["b", 1, "a"])
    ([1, 2, 3], [1, 'a', 'b'])
    """
    given = list(values)
    try:
        return sorted(given)
    except TypeError:
        return sorted(given, key=_by_kind)


def _by_kind(value: Any) -> tuple[str, Any, str]:
    if isinstance(value, numbers.Real):
        return "number", value, ""
    return type(value).__name__, 0, str(value)
