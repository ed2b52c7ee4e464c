"""One row of any kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import branchwork as bw
from branchwork.errors import DataError
from branchwork.table.one_row import one_row
from branchwork.table.schema import Column, Schema

SCHEMA = Schema((Column("age", "numeric"), Column("wind", "nominal", ("strong", "weak"))))
ROW = {"age": 7.0, "wind": "weak"}
FRAME = pd.DataFrame({"wind": ["weak"], "age": [7.0]})

ROWS = {
    "mapping": {"wind": "weak", "age": 7},
    "mapping of cells": {"wind": ["weak"], "age": [7]},
    "list": [7, "weak"],
    "tuple": (7, "weak"),
    "array": np.array([7, "weak"], dtype=object),
    "array of one row": np.array([[7, "weak"]], dtype=object),
    "list of one list": [[7, "weak"]],
    "list of one mapping": [{"wind": "weak", "age": 7}],
    "structured array": np.array([(7.0, "weak")], dtype=[("age", "f8"), ("wind", "U4")]),
    "Series": FRAME.iloc[0],
    "Series without names": pd.Series([7, "weak"], dtype=object),
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "Arrow": pa.Table.from_pandas(FRAME),
    "Table": bw.to_table(FRAME),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_of_every_kind(kind):
    assert one_row(ROWS[kind], SCHEMA).row(0) == ROW


def test_missing_cells():
    assert one_row({"age": None, "wind": float("nan")}, SCHEMA).row(0) == {"age": None, "wind": None}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"age": 1, "wnd": "weak"}, "no column 'wnd'. Did you mean 'wind'"),
        ({"age": 1}, "The row has no column 'wind', which the tree was trained on. A missing cell is None"),
        ([1], "The row has 1 value, but the tree was trained on 2 columns: 'age', 'wind'"),
        ([1, "weak", 3], "has 3 values"),
        ([[1, "weak"], [2, "weak"]], "Expected one row, but the table has 2"),
        (pd.concat([FRAME, FRAME]), "Expected one row, but the table has 2"),
        (FRAME[:0], "Expected one row, but the table has 0"),
        (FRAME[["age"]], "no column 'wind'"),
        ([[1]], "The row has 1 value"),
        ("age", "Expected one row, such as a mapping of column to value; found 'age'"),
        (5, "found 5"),
    ],
)
def test_what_is_not_one_row_is_refused(row, message):
    with pytest.raises(DataError, match=message.replace("(", r"\(")):
        one_row(row, SCHEMA)
