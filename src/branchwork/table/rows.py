"""Define how every format gives the rows of a file, some at a time, so that a file may be larger than memory.

file ─► RowReader (csv_rows, arff_rows, parquet_file, or a table in memory) ─► Batch ─► Block, in a model's columns
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from branchwork.table.cells import Cells
from branchwork.table.schema import Column
from branchwork.table.table import Table

Where = Callable[[int], str]
"""Describes a row of a batch for a message: the file, and the line or row."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a file: the cells of each chosen column, as the format has them."""

    first_row: int
    columns: Sequence[Any]
    where: Where


class RowReader(Protocol):
    """A file that is read some rows at a time."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """Iterate once over the cells of some columns, up to this many rows at a time."""

    def column(self, wanted: Column, place: int, cells: Any, where: Where) -> Cells:
        """Return the cells of one column as a column that a model can code."""

    def shown(self, place: int, cells: Any) -> Sequence[Any]:
        """Return the cells of one column as text, numbers and booleans; None where missing."""


class TableRows:
    """A table in memory."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.names = table.schema.names

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """Iterate over slices of the table's arrays."""
        for first in range(0, self._table.n_rows, rows):
            arrays = [self._table.arrays[place][first : first + rows] for place in places]
            yield Batch(first, arrays, lambda row, first=first: f"row {first + row}")  # type: ignore[misc]

    def column(self, wanted: Column, place: int, cells: Any, where: Where) -> Cells:
        """Return the table's own column."""
        return self._table.schema[place], cells

    def shown(self, place: int, cells: Any) -> Sequence[Any]:
        """Return categories and numbers."""
        column = self._table.schema[place]
        if not column.is_nominal:
            return [None if cell != cell else cell for cell in cells.tolist()]
        return [None if code < 0 else column.categories[code] for code in cells]
