"""Read Parquet files with DuckDB: the file's own types decide the kinds of its columns."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import FileFormatError, MissingExtraError
from branchwork.table.cells import Cells, array_column, assemble, object_array, object_column, unusable
from branchwork.table.leave_out import kept_places
from branchwork.table.rows import Batch, Where
from branchwork.table.schema import Column
from branchwork.table.table import Table, check_integer_range
from branchwork.table.text_cells import refuse_duplicates

_SOURCE = "read_parquet($path, hive_partitioning = false)"
_NUMBERED = "read_parquet($path, hive_partitioning = false, file_row_number = true)"
_ROW = "file_row_number"
"""DuckDB's name for the number of a row; with it, DuckDB finds rows without reading those before."""
READ_AHEAD = 131_072
"""Rows that one query fetches as arrays; a query costs as much as some thousand rows."""


def read_parquet(path: Path, drop: Any = None) -> Table:
    """Read a Parquet file: text and booleans are nominal, numbers and decimals numeric.

    DuckDB gives dictionary-encoded text as text, so its categories come sorted, without a declared order.
    """
    rows = ParquetRows(path)
    places = kept_places(rows.names, drop, path)
    names = [rows.names[place] for place in places]
    refuse_duplicates(path, names)
    for place in places:
        rows.refuse_type(place)
    arrays = rows.arrays(places)
    cells = [array_column(name, _plain_cells(name, array)) for name, array in zip(names, arrays, strict=True)]
    return assemble(cells, named=True, rows=0)


class ParquetRows:
    """Reads the rows of a Parquet file, some at a time.

    Reading arrays is several times faster; for display, every cell is the Python value that DuckDB gives.
    """

    def __init__(self, path: Path, *, as_arrays: bool = False) -> None:
        try:
            import duckdb
        except ImportError:
            raise MissingExtraError("Reading Parquet", "duckdb", extra="io") from None
        self._path = path
        self._file = {"path": glob.escape(str(path.absolute()))}
        self._wrong: type[Exception] = duckdb.Error
        self._connect = duckdb.connect
        try:
            with duckdb.connect() as db:
                found = db.execute(f"DESCRIBE SELECT * FROM {_SOURCE}", self._file).fetchall()
                # DuckDB renames columns that differ only in case; the schema of the file has their own names, below
                # the root.
                schema = db.execute(
                    "SELECT name, num_children FROM parquet_schema($path)", self._file
                ).fetchall()
        except duckdb.Error as error:
            raise self._unreadable(error) from None
        self._kinds = [kind for _, kind, *_ in found]
        self.names = _top_level(schema[1:])
        self._as_arrays = as_arrays and _ROW not in map(str.lower, self.names)

    def arrays(self, places: Sequence[int]) -> list[Any]:
        """Return all cells of some columns, as DuckDB has them."""
        try:
            with self._connect() as db:
                found = db.execute(self._query(places), self._file).fetchnumpy()
        except self._wrong as error:
            raise self._unreadable(error) from None
        return [self._exact(place, found[f"c{place}"]) for place in places]

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """Iterate over the cells of some columns, this many rows at a time."""
        try:
            yield from (
                self._array_batches(places, rows) if self._as_arrays else self._row_batches(places, rows)
            )
        except self._wrong as error:
            raise self._unreadable(error) from None

    def _array_batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        query = f"{self._query(places, _NUMBERED)} WHERE {_ROW} >= $first AND {_ROW} < $end"
        first = 0
        with self._connect(config={"threads": 1}) as db:
            while True:
                found = db.execute(
                    query, {**self._file, "first": first, "end": first + READ_AHEAD}
                ).fetchnumpy()
                columns = [self._exact(place, found[f"c{place}"]) for place in places]
                count = len(columns[0])
                for at in range(0, count, rows):
                    part = [column[at : at + rows] for column in columns]
                    yield Batch(first + at, part, self._where(first + at))
                if count < READ_AHEAD:
                    return
                first += count

    def _row_batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        first = 0
        with self._connect(config={"threads": 1}) as db:
            found = db.execute(self._query(places), self._file)
            while some := found.fetchmany(rows):
                columns = zip(places, zip(*some, strict=True), strict=True)
                yield Batch(
                    first, [self._exact(place, cells) for place, cells in columns], self._where(first)
                )
                first += len(some)

    def column(self, wanted: Column, place: int, cells: Sequence[Any], where: Where) -> Cells:
        """Return cells as a column; the file's types decide its kind."""
        self.refuse_type(place)
        if self._as_arrays:
            return array_column(wanted.name, _plain_cells(wanted.name, cells))
        return object_column(wanted.name, cells)

    def shown(self, place: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Return cells as they are."""
        return cells

    def refuse_type(self, place: int) -> None:
        """Refuse a column of a type that cannot be used."""
        kind = self._kinds[place]
        if kind in _USABLE or kind.startswith("DECIMAL"):
            return
        raise unusable(self.names[place], kind, f"{self._path}: ")

    def _query(self, places: Sequence[int], source: str = _SOURCE) -> str:
        expressions = ", ".join(_expression(self._kinds[place], f"c{place}") for place in places)
        aliases = ", ".join(f"c{place}" for place in range(len(self.names)))
        return f"SELECT {expressions} FROM {source} AS t({aliases})"

    def _exact(self, place: int, cells: Any) -> Any:
        """Return decimals that were read as text because float64 may not hold them exactly."""
        if not _is_wide(self._kinds[place]):
            return cells
        return object_array([None if cell is None else Decimal(cell) for cell in _unmasked(cells)])

    def _where(self, first: int) -> Where:
        return lambda row: f"{self._path}, row {first + row}"

    def _unreadable(self, error: Exception) -> FileFormatError:
        return FileFormatError(f"{self._path} cannot be read as Parquet: {str(error).splitlines()[0]}")


def _top_level(fields: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """Return the names of the top-level columns; in the file, the parts of nested columns follow them."""
    names, inside = [], 0
    for name, parts in fields:
        if inside == 0:
            names.append(name)
            inside = 1
        inside += (parts or 0) - 1
    return tuple(names)


def _expression(kind: str, column: str) -> str:
    """Return the SQL expression that selects a column, given DuckDB's name for its type."""
    if _is_wide(kind):
        return f"CAST({column} AS VARCHAR) AS {column}"
    if kind.startswith("DECIMAL"):  # via text, so that the number is rounded once and correctly
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE) AS {column}"
    if kind == _NOTHING_KNOWN:
        return f"CAST({column} AS DOUBLE) AS {column}"
    return column


def _is_wide(kind: str) -> bool:
    """Return whether a decimal type can hold numbers beyond ±2^53: it has more than 15 digits before the point."""
    found = _DECIMAL(kind)
    return found is not None and int(found[1]) - int(found[2]) > 15


def _unmasked(cells: Any) -> Sequence[Any]:
    return list(cells.tolist()) if isinstance(cells, np.ndarray) else list(cells)


def _plain_cells(name: str, cells: Any) -> npt.NDArray[Any]:
    """Return cells without a mask: missing cells are NaN in numbers and None in text and booleans."""
    if not isinstance(cells, np.ma.MaskedArray):
        return np.asarray(cells)
    if cells.dtype.kind == "f":
        return np.ma.filled(cells, np.nan)
    if cells.dtype.kind in "iu":
        check_integer_range(name, np.ma.filled(cells, 0))
        return np.ma.filled(cells.astype(np.float64), np.nan)
    plain = cells.data.astype(object)
    plain[np.ma.getmaskarray(cells)] = None
    return plain


_INTEGERS = {f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")}
_NOTHING_KNOWN = '"NULL"'
_USABLE = {"VARCHAR", "BLOB", "BOOLEAN", "FLOAT", "DOUBLE", _NOTHING_KNOWN} | _INTEGERS
_DECIMAL = re.compile(r"DECIMAL\(([0-9]+),([0-9]+)\)").fullmatch
