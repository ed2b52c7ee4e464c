"""Values: finite numbers of any container, and nothing else."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from branchwork.errors import CellTypeError, DataError, TargetError
from branchwork.table.target import values

NAN = math.nan


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5, -3],
        (1, 2.5, -3),
        [Decimal(1), Decimal("2.5"), Decimal(-3)],
        np.array([1, 2.5, -3], dtype=">f4"),
        np.array([1, 2.5, -3], dtype=np.float16),
        np.array([1, 2.5, -3], dtype=np.longdouble),
        np.array([1, 2.5, -3], dtype=object),
        np.array([-3, 0, 2.5, 0, 1])[::-2],
        np.ma.array([1, 2.5, -3]),
        pd.Series([1, 2.5, -3]),
        pd.Series([1, 2.5, -3], dtype="Float64"),
        pd.Series([1, 2.5, -3], dtype=pd.ArrowDtype(pa.float32())),
        pd.Series([1, 2.5, -3], dtype=object),
        pd.Index([1, 2.5, -3]),
        pd.Categorical([1, 2.5, -3]),
        pl.Series([1.0, 2.5, -3.0]),
        pl.Series([Decimal(1), Decimal("2.5"), Decimal(-3)]),
        pa.array([1, 2.5, -3]),
        pa.chunked_array([[1.0], [2.5, -3.0]]),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_numbers_of_every_container_are_values(y):
    made = values(y)
    assert made.values.dtype == np.float64
    assert made.values.flags.c_contiguous
    assert made.values.tolist() == [1, 2.5, -3]
    assert len(made) == 3
    assert made.core is not None


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "u4", "i8", "Int16", "UInt64"])
def test_integers_of_every_width_are_values(dtype):
    assert values(pd.Series([1, 3], dtype=dtype)).values.tolist() == [1, 3]


@pytest.mark.parametrize(
    "container",
    [
        list,
        np.array,
        lambda y: np.array(y, dtype=object),
        pd.Series,
        lambda y: pd.Series(y, dtype="boolean"),
        pl.Series,
        pa.array,
    ],
    ids=["list", "NumPy", "objects", "pandas", "nullable", "polars", "Arrow"],
)
@pytest.mark.parametrize("y", [[True, False, True], [True, True], [False]], ids=str)
def test_booleans_count_as_one_and_zero(container, y):
    assert values(container(y)).values.tolist() == [float(flag) for flag in y]


@pytest.mark.parametrize(
    ("y", "found"),
    [
        (["a", "b"], "'a'"),
        (["1", "2"], "'1'"),
        (np.array(["1", "2"]), "'1'"),
        (np.array([b"1", b"2"]), "'1'"),
        (np.array(["1", "2"], dtype=object), "'1'"),
        (pd.Series(["1", "2"]), "'1'"),
        (pd.Categorical(["1", "2"]), "'1'"),
        (pl.Series(["1", "2"]), "'1'"),
        (pl.Series(["1", "2"], dtype=pl.Enum(["2", "1"])), "'1'"),
        (pa.array(["1", "2"]), "'1'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_text_is_no_number(y, found):
    with pytest.raises(TargetError, match=f"y, row 0: expected a number, found {found}"):
        values(y)


def test_text_after_a_missing_value_is_no_number_either():
    with pytest.raises(TargetError, match="y, row 1: expected a number, found 'a'"):
        values([None, "a"])


@pytest.mark.parametrize("y", [[1, "a"], [1.5, True], [True, 1], [1, (1, 2)], [1, [1]]], ids=str)
def test_a_value_that_is_no_number_is_refused_with_its_row(y):
    with pytest.raises(CellTypeError, match=r"'y'.*row 1"):
        values(y)


@pytest.mark.parametrize(
    "y",
    [
        [1, None],
        [1, NAN],
        [True, None],
        np.array([1, NAN]),
        np.array([1, pd.NA], dtype=object),
        np.ma.array([1.0, 2.0], mask=[False, True]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pl.Series([1, None]),
        pl.Series([1.0, NAN]),
        pa.array([1, None]),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_a_missing_value_is_refused_with_its_row(y):
    with pytest.raises(TargetError, match=r"y, row 1: the target is missing .*Input y contains NaN"):
        values(y)


@pytest.mark.parametrize("number", [math.inf, -math.inf])
@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series, pa.array])
def test_an_infinite_value_is_refused_with_its_row(container, number):
    with pytest.raises(TargetError, match=f"y, row 1: {number} is not a finite number"):
        values(container([1.0, number]))


def test_an_integer_that_float64_cannot_hold_is_no_value():
    assert values([2**53, -(2**53)]).values.tolist() == [2**53, -(2**53)]
    for y in ([0, 2**53 + 1], np.array([0, 2**53 + 1]), pl.Series([0, 2**53 + 1])):
        with pytest.raises(DataError, match="'y', row 1: the integer 9007199254740993 is beyond"):
            values(y)


def test_taking_rows_of_values_takes_their_weights():
    some = values([1.0, 2.0, 3.0], [4, 5, 6]).take(np.array([2, 0]))
    assert some.values.tolist() == [3, 1]
    assert some.weights.tolist() == [6, 4]
    assert some.forget_undeclared() is some
