"""One rule for cells in every container: what float64 holds, bytes as text, and memoryviews as arrays."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from branchwork.errors import CellTypeError, DataError
from branchwork.table.adapt import to_table
from branchwork.table.one_row import one_row


@pytest.mark.parametrize(
    "as_column", [list, np.array, lambda cells: np.array(cells, object), pd.Series, pl.Series]
)
def test_bytes_are_utf8_text_in_every_container(as_column):
    assert to_table({"a": as_column(["é".encode(), b"a"])}).column("a") == ["é", "a"]
    with pytest.raises(DataError, match=r"Column 'a', row 1: the bytes b'\\xff' are not text"):
        to_table({"a": as_column([b"a", b"\xff"])})


def test_missing_bytes_and_bytes_beside_text():
    assert to_table({"a": [None, b"x"]}).column("a") == [None, "x"]
    with pytest.raises(CellTypeError, match=r"row 1 is 'x' \(string\), but earlier rows are bytes"):
        to_table({"a": [b"x", "x"]})


@pytest.mark.parametrize("dtype", [float, int, bool, "f4"])
def test_memoryviews_are_the_arrays_they_show(dtype):
    array = np.array([[0, 1], [1, 1], [1, 0]]).astype(dtype)
    table = to_table(memoryview(array))
    assert [table.row(k) for k in range(3)] == [to_table(array).row(k) for k in range(3)]
    assert to_table({"a": memoryview(array[:, 0].copy())}).column("a") == to_table(array).column("x0")
    with pytest.raises(DataError, match="Column 'a' has 2 dimensions"):
        to_table({"a": memoryview(array)})
    row = one_row(memoryview(array[:1].copy()), table.schema)
    assert row.row(0) == table.row(0)


EXACT = 2**53 + 2
INEXACT = [
    Decimal(2**53 + 1),
    Decimal("9007199254740993.0"),
    Decimal("-9007199254740992.5"),
    Fraction(2**54 + 1),
]


@pytest.mark.parametrize("number", [*INEXACT, Decimal("1e400"), Fraction(10**400, 3)], ids=str)
def test_exact_numbers_that_float64_cannot_hold_are_refused(number):
    with pytest.raises(DataError, match=r"Column 'a', row 1: .* (is beyond ±2|cannot be held as float64)"):
        to_table({"a": [1, number]})


@pytest.mark.parametrize(
    "number", [Decimal(EXACT), Decimal("0.1"), Decimal("0." + "123456789" * 5), Fraction(1, 3)]
)
def test_fractions_become_the_nearest_float64_and_what_float64_holds_stays(number):
    assert to_table({"a": [1, number]}).column("a") == [1.0, float(number)]


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame], ids=["polars", "arrow", "pandas"])
def test_decimals_of_frames_follow_the_same_rule(make):
    assert to_table(make({"a": [Decimal("0.1"), Decimal("-2.5")]})).column("a") == [0.1, -2.5]
    with pytest.raises(DataError, match=r"Column 'a', row 0: the number 9007199254740993\.0"):
        to_table(make({"a": [Decimal("9007199254740993.0"), Decimal("0.1")]}))
