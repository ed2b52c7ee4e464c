"""Show a table: its first rows in aligned columns, and a summary of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Column, Kind
from branchwork.table.shown import MOST_COLUMNS, MOST_ROWS, first_lines, html_table
from branchwork.table.table import Table
from branchwork.table.text_table import terminal_width
from branchwork.table.wide_text import cells, cut
from branchwork.table.wide_text import left as at_left
from branchwork.table.wide_text import right as at_right

WIDEST_LINE = 110
"""Columns that would make a line longer than this are counted, not shown."""
WIDEST_CELL = 24
"""Longer texts are shortened."""
LARGEST_IN_FULL = 1e15
"""Larger whole numbers are shown to six digits."""
ABSENT = "?"
"""A missing cell is shown as in ARFF."""


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    Parameters
    ----------
    known, missing : how many cells have a value, and how many have none.
    distinct : how many different values occur.
    minimum, mean, maximum : of the known cells of a numeric column; otherwise None.
    most_frequent, count : of a nominal column, the category that most rows have, and how many do; the earlier one in
        case of a tie. Otherwise None.
    """

    name: str
    kind: Kind
    known: int
    missing: int
    distinct: int
    minimum: float | None = None
    mean: float | None = None
    maximum: float | None = None
    most_frequent: Any = None
    count: int | None = None


DESCRIBED = ("column", "kind", "known", "missing", "distinct", "min", "mean", "max", "most frequent")
MOST_IN_NOTEBOOK = 100
"""Rows of a head that a notebook shows."""


@dataclass(frozen=True)
class Description:
    """A summary of every column; it prints as a table."""

    n_rows: int
    columns: tuple[ColumnSummary, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {"n_rows": self.n_rows, "columns": [asdict(column) for column in self.columns]}

    def __str__(self) -> str:
        """Show one line per column."""
        lines = self._lines()
        columns = list(zip(*lines, strict=True)) or [()] * len(DESCRIBED)
        return "\n".join(_aligned(DESCRIBED, columns, right=frozenset(range(2, 8))))

    def __repr__(self) -> str:
        """Show the first columns."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """Show a line per column as a table in a notebook."""
        return html_table(DESCRIBED, self._lines(), words=(0, 1, 8))

    def _lines(self) -> list[tuple[str, ...]]:
        return [
            (
                _shown(summary.name),
                summary.kind,
                *map(str, (summary.known, summary.missing, summary.distinct)),
                *("" if n is None else _shown(n) for n in (summary.minimum, summary.mean, summary.maximum)),
                "" if summary.count is None else f"{_shown(summary.most_frequent)} ({summary.count})",
            )
            for summary in self.columns
        ]


class Head(Table):
    """The first rows of a table; unlike other tables, it prints its cells."""

    def __str__(self) -> str:
        """Show the cells in aligned columns."""
        columns = [[_shown(cell) for cell in self.column(name)] for name in self.schema.names]
        right = frozenset(place for place, column in enumerate(self.schema) if not column.is_nominal)
        return "\n".join(_aligned(self.schema.names, columns, right=right))

    def __repr__(self) -> str:
        """Show the first rows."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """Show the cells as a table in a notebook."""
        return cells_html(self, most=MOST_IN_NOTEBOOK)


def cells_html(table: Table, *, most: int = MOST_ROWS, note: str = "") -> str:
    """Return the first rows and columns of a table for a notebook; categories stand at the left."""
    names = table.schema.names[:MOST_COLUMNS]
    first = table.take(slice(0, most))
    columns = [[_shown(cell) for cell in first.column(name)] for name in names]
    words = [place for place, name in enumerate(names) if table.schema[place].is_nominal]
    left = len(table.schema) - len(names)
    notes = [note, f"{left} more column{'s' * (left > 1)} not shown." if left else ""]
    return html_table(
        [_shown(name) for name in names],
        list(zip(*columns, strict=True)),
        words=words,
        note=" ".join(part for part in notes if part),
    )


def describe(table: Table) -> Description:
    """Describe every column of a table."""
    summaries = (_summary(column, array) for column, array in zip(table.schema, table.arrays, strict=True))
    return Description(table.n_rows, tuple(summaries))


def _summary(column: Column, array: npt.NDArray[Any]) -> ColumnSummary:
    if column.is_nominal:
        counts = np.bincount(array[array >= 0], minlength=len(column.categories))
        known = int(counts.sum())
        top = int(counts.argmax()) if known else None
        return ColumnSummary(
            column.name,
            column.kind,
            known,
            len(array) - known,
            int(np.count_nonzero(counts)),
            most_frequent=None if top is None else column.categories[top],
            count=None if top is None else int(counts[top]),
        )
    cells = np.asarray(array[array == array], np.float64)
    some = cells.size > 0
    return ColumnSummary(
        column.name,
        column.kind,
        cells.size,
        len(array) - cells.size,
        np.unique(cells).size,
        float(cells.min()) if some else None,
        _mean(cells) if some else None,
        float(cells.max()) if some else None,
    )


def _mean(cells: npt.NDArray[np.float64]) -> float:
    """Return the mean, even if the sum would overflow. With infinities of both signs it is NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(cells.mean())
        return mean if np.isfinite(mean) else float((cells / cells.size).sum())


# ---- text --------------------------------------------------------------------------------------------------


def _shown(cell: Any) -> str:
    """Return a cell in a few characters, with control characters escaped."""
    if cell is None:
        return ABSENT
    text = _number(cell) if isinstance(cell, float) else str(cell)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return cut(text, WIDEST_CELL)


def _number(value: float) -> str:
    """Return a whole number in full, any other to six digits."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < LARGEST_IN_FULL else f"{value:.6g}"


def _aligned(names: Sequence[str], columns: Sequence[Sequence[str]], *, right: frozenset[int]) -> list[str]:
    """Return aligned lines of a header and cells; the number of columns that do not fit is given at the end."""
    header = [_shown(name) for name in names]
    widths = [max(map(cells, (name, *column))) for name, column in zip(header, columns, strict=True)]
    room = terminal_width() or WIDEST_LINE
    fitting = max(1, int(np.count_nonzero(np.cumsum([width + 2 for width in widths]) <= room + 2)))
    lines = []
    for row in zip(*([name, *column] for name, column in zip(header, columns, strict=True)), strict=True):
        padded = [
            at_right(cell, width) if place in right else at_left(cell, width)
            for place, (cell, width) in enumerate(zip(row[:fitting], widths, strict=False))
        ]
        lines.append("  ".join(padded).rstrip())
    left = len(header) - fitting
    return [*lines, f"… and {left} more column{'s' * (left > 1)}"] if left else lines
