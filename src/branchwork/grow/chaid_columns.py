"""Turn all features into categories for CHAID. Numeric features are binned into intervals.

The core does the binning, once, on the whole table (cpp/core/chaid/categories.hpp has the rule).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import DataError
from branchwork.grow.recipe import Chaid
from branchwork.table.adapt import positions
from branchwork.table.table import Table

MOST_CATEGORIES = 1000
"""The largest number of categories of one feature, because every pair of them is compared."""


@dataclass(frozen=True, eq=False)
class Categories:
    """The features of a table as categories, and for each whether it is numeric and whether it is ordered."""

    core: _core.ChaidColumns
    is_numeric: npt.NDArray[np.bool_]
    is_ordered: npt.NDArray[np.bool_]


def categories_of(
    table: Table, weights: npt.NDArray[np.float64] | None, settings: Chaid, n_jobs: int = 1
) -> Categories:
    """Return every feature of a table as categories. `weights` has one number per row; None means 1 each."""
    columns = len(table.schema)
    is_numeric = ~np.fromiter((column.is_nominal for column in table.schema), np.bool_, columns)
    is_ordinal = np.zeros(columns, np.bool_)
    is_ordinal[positions("ordinal_features", settings.ordinal_features, table.schema)] = True
    bins = min(settings.bins, max(1, table.n_rows))  # a column has no more values than rows
    core = _core.ChaidColumns(table.core, is_ordinal.view(np.uint8), bins, weights, n_jobs)
    counts = core.counts()
    for j in np.flatnonzero(counts > MOST_CATEGORIES).tolist():
        raise DataError(
            f"Column {table.schema[j].name!r} has {counts[j]} categories; CHAID compares every pair and takes at "
            f"most {MOST_CATEGORIES}. Group them, or drop the column."
        )
    return Categories(core, is_numeric, is_numeric | is_ordinal)
