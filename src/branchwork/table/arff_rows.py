"""Read ARFF files some rows at a time; the header says what the columns are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

from branchwork.table.arff import data, finished_column, header, shown, stored
from branchwork.table.cells import Cells
from branchwork.table.lines import numbered_lines_of
from branchwork.table.rows import Batch, Where
from branchwork.table.schema import Column
from branchwork.table.text_cells import refuse_duplicates


class ArffRows:
    """Reads the rows of an ARFF file or stream, some at a time."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        lines = numbered_lines_of(stream, name)
        self._attributes = header(lines, name)
        self._rows = data(lines, self._attributes, name)
        self.names = tuple(attribute.column.name for attribute in self._attributes)
        refuse_duplicates(name, self.names)

    def batches(self, places: Sequence[int], rows: int) -> Iterator[Batch]:
        """Iterate over the fields of some columns, up to this many rows at a time."""
        first = 0
        while some := list(islice(self._rows, rows)):
            columns = [[row[place] for _, row in some] for place in places]
            yield Batch(first, columns, lambda row, some=some: some[row][0])  # type: ignore[misc]
            first += len(some)

    def column(self, wanted: Column, place: int, cells: Sequence[Any], where: Where) -> Cells:
        """Return fields as the declared column."""
        column = self._attributes[place].usable
        return finished_column(column, [stored(column, field, where(row)) for row, field in enumerate(cells)])

    def shown(self, place: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Return fields for display: numbers, and everything else as text."""
        return [shown(self._attributes[place], field) for field in cells]
