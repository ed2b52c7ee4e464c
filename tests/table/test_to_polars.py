"""Table → polars and back."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import branchwork as bw
from branchwork.errors import DataError, MissingExtraError
from table.files import facts

FRAME = pd.DataFrame(
    {
        "declared": pd.Categorical(["x", None, "y"], ["y", "x", "absent"]),
        "text": ["q", None, "p"],
        "flag": [True, None, False],
        "float": [1.5, np.nan, -np.inf],
        "narrow": np.array([1.5, np.nan, 2.0], np.float32),
        "byte": np.array([1, 2, 3], np.int8),
        "nothing": [None, None, None],
    }
)


def test_round_trip() -> None:
    table = bw.to_table(FRAME)
    frame = table.to_polars()
    assert facts(bw.to_table(frame)) == facts(table)
    assert [frame[name].dtype for name in ("declared", "text", "flag", "narrow", "byte")] == [
        pl.Enum(["y", "x", "absent"]),
        pl.Categorical(),
        pl.Boolean(),
        pl.Float32(),
        pl.Int8(),
    ]
    assert frame.null_count().row(0) == (1, 1, 1, 1, 1, 0, 3)
    assert not frame["float"].is_nan().any()


@pytest.mark.parametrize("name", bw.datasets.names())
def test_round_trip_of_the_lectures(name: str) -> None:
    table = bw.datasets.load(name).X
    numeric_categories = [
        column.name
        for column in table.schema
        if column.is_nominal and not isinstance(column.categories[0], str | bool)
    ]
    assert facts(bw.to_table(table.to_polars(), numeric_categories)) == facts(table)


def test_rows_taken_and_no_rows() -> None:
    table = bw.to_table(FRAME)
    assert table[1:].to_polars()["text"].to_list() == [None, "p"]
    assert table[:0].to_polars().shape == (0, 7)


def test_categories_that_are_numbers() -> None:
    table = bw.to_table({"code": [8, 3, 8]}, categorical_features=["code"])
    frame = table.to_polars()
    assert frame["code"].to_list() == [8.0, 3.0, 8.0]
    assert facts(bw.to_table(frame, ["code"])) == facts(table)


def test_categories_of_different_types_are_refused_by_name() -> None:
    column = bw.Column("a", "nominal", (1, "1"), declared=True)
    table = bw.Table(bw.Schema((column,)), (np.array([0, 1], np.int32),))
    with pytest.raises(
        DataError, match="categories of column 'a', which are of different types: int and str"
    ):
        table.to_polars()


def test_without_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="pip install polars"):
        bw.to_table([[1.0]]).to_polars()
