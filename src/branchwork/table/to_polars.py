"""Turn a Table into a polars frame: declared categories become an Enum, other text a Categorical."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, MissingExtraError
from branchwork.table.schema import Column
from branchwork.table.table import Table

if TYPE_CHECKING:
    import polars as pl


def to_polars(table: Table) -> pl.DataFrame:
    """Make a polars frame from a table."""
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError("Table.to_polars()", "polars") from None
    return pl.DataFrame(
        [
            _nominal(column, array) if column.is_nominal else pl.Series(column.name, array, nan_to_null=True)
            for column, array in zip(table.schema, table.arrays, strict=True)
        ]
    )


def _nominal(column: Column, codes: npt.NDArray[np.int32]) -> pl.Series:
    import polars as pl

    cells: list[Any] = [None if code < 0 else column.categories[code] for code in codes.tolist()]
    if all(isinstance(category, str) for category in column.categories):
        return pl.Series(
            column.name, cells, pl.Enum(map(str, column.categories)) if column.declared else pl.Categorical()
        )
    if len(kinds := {type(category) for category in column.categories}) > 1:
        found = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(
            f"polars cannot hold the categories of column {column.name!r}, which are of different types: {found}."
        )
    try:
        return pl.Series(column.name, cells)
    except (TypeError, OverflowError) as error:
        raise DataError(f"polars cannot hold the categories of column {column.name!r}: {error}") from None
