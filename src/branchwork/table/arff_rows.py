"""ARFF some rows at a time; its header says what the columns are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

from branchwork.table.arff import data, finished_column, header
from branchwork.table.cells import Cells
from branchwork.table.lines import numbered_lines_of
from branchwork.table.rows import Batch, Where
from branchwork.table.schema import Column


class ArffRows:
    """The rows of an ARFF file or stream, some at a time."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        lines = numbered_lines_of(stream, name)
        self._columns = header(lines, name)
        self._rows = data(lines, self._columns, name)
        self.names = tuple(column.name for column in self._columns)

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """The stored cells of some columns, so many rows at a time."""
        first = 0
        while some := list(islice(self._rows, rows)):
            columns = [[row[place] for _, row in some] for place in places]
            yield Batch(first, columns, lambda row, some=some: some[row][0])  # type: ignore[misc]
            first += len(some)

    def column(self, wanted: Column, place: int, cells: Sequence[Any], where: Where) -> Cells:
        """Cells as the declared column."""
        return finished_column(self._columns[place], cells)

    def shown(self, place: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Categories by name; numbers and text as they are."""
        column = self._columns[place]
        if not column.declared:
            return cells
        return [None if code is None else column.categories[code] for code in cells]
