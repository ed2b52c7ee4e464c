"""What the tests of `adapt` share: bare Arrow containers, and a table's column as Python values."""

import math

import numpy as np

from branchwork.table.adapt import to_table
from branchwork.table.schema import Column

NAN = math.nan
LARGEST = 2**53


class OnlyStream:
    """Nothing but the Arrow stream interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class OnlyArray:
    """Nothing but the Arrow array interface."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def column_of(X, name=None):
    """The column of a table that has one, or the one of that name, and its cells as Python values."""
    table = to_table(X)
    if name is None:
        assert len(table.schema) == 1
        name = table.schema.names[0]
    return table.schema[table.schema.index(name)], table.column(name)


def nominal(categories, declared=False, name="a"):
    return Column(name, "nominal", tuple(categories), declared)


def assert_same_tables(one, other):
    assert one.schema.columns == other.schema.columns
    assert repr([c.categories for c in one.schema]) == repr([c.categories for c in other.schema])
    for column, ours, theirs in zip(one.schema, one.arrays, other.arrays, strict=True):
        assert np.array_equal(ours.astype(np.float64), theirs.astype(np.float64), equal_nan=True), column
        assert not column.is_nominal or ours.dtype == theirs.dtype == np.int32
