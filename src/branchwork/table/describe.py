"""A table to look at: its first rows in aligned columns, and what each column holds in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Column, Kind
from branchwork.table.table import Table

WIDEST_LINE = 110
"""Columns that would make a line longer than this are only counted."""
WIDEST_CELL = 24
"""Longer texts are cut."""
LARGEST_IN_FULL = 1e15
"""Larger whole numbers are shown to six digits."""
ABSENT = "?"
"""How a missing cell is shown, as in ARFF."""


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


@dataclass(frozen=True)
class Description:
    """The columns of a table in numbers; it prints as a table."""

    n_rows: int
    columns: tuple[ColumnSummary, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {"n_rows": self.n_rows, "columns": [asdict(column) for column in self.columns]}

    def __repr__(self) -> str:
        """Show one line per column."""
        header = ("column", "kind", "known", "missing", "distinct", "min", "mean", "max", "most frequent")
        lines = [
            (
                summary.name,
                summary.kind,
                *map(str, (summary.known, summary.missing, summary.distinct)),
                *("" if n is None else _shown(n) for n in (summary.minimum, summary.mean, summary.maximum)),
                "" if summary.count is None else f"{_shown(summary.most_frequent)} ({summary.count})",
            )
            for summary in self.columns
        ]
        columns = list(zip(*lines, strict=True)) or [()] * len(header)
        return "\n".join(_aligned(header, columns, right=frozenset(range(2, 8))))


class Head(Table):
    """The first rows of a table; unlike other tables, it prints its cells."""

    def __repr__(self) -> str:
        """Show the cells in aligned columns."""
        columns = [[_shown(cell) for cell in self.column(name)] for name in self.schema.names]
        right = frozenset(place for place, column in enumerate(self.schema) if not column.is_nominal)
        return "\n".join(_aligned(self.schema.names, columns, right=right))


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
    """The mean, also where the sum would overflow. With infinities of both signs there is none: NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(cells.mean())
        return mean if np.isfinite(mean) else float((cells / cells.size).sum())


# ---- text --------------------------------------------------------------------------------------------------


def _shown(cell: Any) -> str:
    """A cell in a few characters, none of which a terminal obeys."""
    if cell is None:
        return ABSENT
    text = _number(cell) if isinstance(cell, float) else str(cell)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"


def _number(value: float) -> str:
    """A whole number in full, any other to six digits."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < LARGEST_IN_FULL else f"{value:.6g}"


def _aligned(names: Sequence[str], columns: Sequence[Sequence[str]], *, right: frozenset[int]) -> list[str]:
    """Lines of a header and cells; columns that do not fit on a line are counted at the end."""
    header = [_shown(name) for name in names]
    widths = [max(map(len, (name, *cells))) for name, cells in zip(header, columns, strict=True)]
    fitting = max(1, int(np.count_nonzero(np.cumsum([width + 2 for width in widths]) <= WIDEST_LINE + 2)))
    lines = []
    for row in zip(*([name, *cells] for name, cells in zip(header, columns, strict=True)), strict=True):
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row[:fitting], widths, strict=False))
        ]
        lines.append("  ".join(cells).rstrip())
    left = len(header) - fitting
    return [*lines, f"… and {left} more column{'s' * (left > 1)}"] if left else lines
