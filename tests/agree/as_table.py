"""A table that another program was asked about, as the library takes it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from agree import c45_outputs
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table


def as_table(given: c45_outputs.Table) -> Table:
    """Its columns, with values in declared order."""
    columns, arrays = [], []
    for column, cells in zip(given.columns, zip(*given.cells, strict=True), strict=True):
        if column.values is None:
            columns.append(Column(column.name, "numeric"))
            arrays.append(np.array(cells, float))
        else:
            columns.append(Column(column.name, "nominal", column.values, declared=True))
            place = {None: -1} | {value: code for code, value in enumerate(column.values)}
            arrays.append(np.array([place[cell] for cell in cells], np.int32))
    return Table(Schema(tuple(columns)), tuple(arrays))


def as_target(given: c45_outputs.Table) -> pd.Categorical:
    """Its classes, in declared order."""
    return pd.Categorical(given.labels, categories=given.classes)
