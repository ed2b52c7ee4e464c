"""Sort and rank the features of a table once, and grow trees on samples of its rows.

Folds, subsets and bootstrap samples of a table share the sorting: each is a number of copies per row. A tree grown on a
sample is exactly the tree that `grow` makes of `table.take(rows)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import DataError
from branchwork.table.table import Table
from branchwork.table.target import Target

Copies = npt.NDArray[np.uint32]
"""How often a sample has each row of the table."""


class Prepared:
    """The features of a table, sorted and ranked once for all trees that are grown on its rows.

    >>> import branchwork as bw
    >>> prepared = Prepared(bw.datasets.load("play_tennis").X)
    >>> prepared.draw([0, 1, 1, 5]).copies.tolist()[:6]
    [1, 2, 0, 0, 0, 1]
    """

    def __init__(self, table: Table, *, n_jobs: int = 1) -> None:
        self.table = table
        self.core = _core.prepare(table.core, n_jobs)

    def draw(self, rows: Any) -> Drawn:
        """Return a sample with these rows, in the order of the table; a row given twice counts twice."""
        places = np.asarray(rows, dtype=np.intp)
        if places.ndim != 1 or not places.size:
            raise DataError(f"A sample needs at least one row, as a list of positions; found {rows!r}.")
        if places.min() < 0 or places.max() >= self.table.n_rows:
            wrong = int(places.min() if places.min() < 0 else places.max())
            raise DataError(f"Row {wrong} is not in the table, which has rows 0 to {self.table.n_rows - 1}.")
        return Drawn(self, np.bincount(places, minlength=self.table.n_rows).astype(np.uint32))

    def draw_all(self) -> Drawn:
        """Return the sample with every row once."""
        return Drawn(self, np.ones(self.table.n_rows, np.uint32))

    @property
    def bytes(self) -> int:
        """Memory of the sorted features, in addition to the table."""
        return int(self.core.bytes)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A sample of the rows of a prepared table."""

    prepared: Prepared
    copies: Copies

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """The table positions of the rows of the sample, ascending; a row that counts twice occurs twice."""
        return np.repeat(np.arange(len(self.copies)), self.copies)

    def part(self, places: npt.NDArray[np.intp]) -> Drawn:
        """Return a sample of the sample: its rows at these places."""
        return self.prepared.draw(self.rows[places])

    def weight_of(self, target: Target) -> int:
        """Return the weight of the sample, rounded up; the target is that of the whole table."""
        return len(self) if target.weights is None else math.ceil(self.copies @ target.weights)

    def __len__(self) -> int:
        """Return the number of rows, copies included."""
        return int(self.copies.sum(dtype=np.int64))
