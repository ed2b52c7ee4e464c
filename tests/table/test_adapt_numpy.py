"""NumPy's arrays of every type and layout: numbers are borrowed, everything else becomes categories."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from branchwork.errors import DataError
from branchwork.table.adapt import to_table
from branchwork.table.schema import Column
from table.adapted import NAN, column_of, nominal

NUMBERS = [
    *(np.dtype(f"{kind}{width}") for kind in "iu" for width in (1, 2, 4, 8)),
    np.dtype(np.float32),
    np.dtype(np.float64),
]
LAYOUTS = {
    "C": lambda X: np.ascontiguousarray(X),
    "F": lambda X: np.asfortranarray(X),
    "every second row, columns backwards": lambda X: X.repeat(2, axis=0)[::2, ::-1],
    "rows backwards": lambda X: X[::-1],
    "transposed": lambda X: np.ascontiguousarray(X.T).T,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_an_array_of_numbers_is_borrowed_in_any_layout(dtype, layout):
    X = LAYOUTS[layout](np.arange(12, dtype=dtype).reshape(4, 3))
    before = X.copy()
    table = to_table(X)
    assert table.schema.names == ("x0", "x1", "x2")
    assert not table.schema.named
    for j, array in enumerate(table.arrays):
        assert np.shares_memory(array, X)
        assert array.dtype == dtype
        assert np.array_equal(array, before[:, j])
        assert not array.flags.writeable
    assert X.flags.writeable
    assert np.array_equal(X, before)
    assert (len(table.core), table.core.rows) == (3, 4)


def test_nobody_writes_through_a_table():
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match="read-only"):
        to_table(X).arrays[0][0] = 1
    X[0, 0] = 1  # the owner still may


def test_a_read_only_array_is_borrowed():
    X = np.arange(6.0).reshape(3, 2)
    X.flags.writeable = False
    table = to_table(X)
    assert np.shares_memory(table.arrays[1], X)
    assert table.core.rows == 3


def test_a_memory_mapped_array_is_borrowed(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    table = to_table(X)
    assert np.shares_memory(table.arrays[1], X)
    assert table.column("x1") == [1, 3, 5]
    assert table.core.rows == 3


def test_a_broadcast_array_has_its_one_row_everywhere():
    table = to_table(np.broadcast_to(np.array([1.5, 2.5]), (3, 2)))
    assert table.column("x1") == [2.5, 2.5, 2.5]
    assert table.core.rows == 3


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", ">i2", ">i4", ">i8", ">u2", ">u4", ">u8"])
def test_a_big_endian_array_is_read_right(dtype):
    table = to_table(np.array([[1, 2], [3, 4]], dtype=dtype))
    assert table.column("x0") == [1, 3]
    assert all(array.dtype.isnative for array in table.arrays)
    assert table.core.rows == 2


@pytest.mark.parametrize("rows", [1, 2])
def test_fields_of_a_packed_structured_array_are_columns_and_aligned(rows):
    packed = np.array([(1, 2.5, "x"), (3, NAN, "y")][:rows], dtype=[("i", "i1"), ("f", "f8"), ("s", "U2")])
    table = to_table(packed)
    assert table.schema.names == ("i", "f", "s")
    assert table.schema.named
    assert table.row(0) == {"i": 1, "f": 2.5, "s": "x"}
    assert all(array.flags.aligned for array in table.arrays)
    assert table.core.rows == rows


def test_float16_is_widened_and_longdouble_kept_if_it_is_exact():
    half = to_table(np.array([[1.5], [NAN], [np.inf]], dtype=np.float16))
    assert half.arrays[0].dtype == np.float32
    assert half.column("x0") == [1.5, None, np.inf]
    long = to_table(np.array([[1.5], [NAN], [-np.inf]], dtype=np.longdouble))
    assert long.arrays[0].dtype == np.float64
    assert long.column("x0") == [1.5, None, -np.inf]


@pytest.mark.parametrize("number", [np.longdouble(1) / 3, np.longdouble("1e400")], ids=["third", "huge"])
def test_a_longdouble_that_float64_cannot_hold_is_refused(number):
    X = np.array([[1], [number]], dtype=np.longdouble)
    for container in (X, pd.DataFrame({"x0": X[:, 0]}), np.array([[1], [number]], dtype=object)):
        with pytest.raises(DataError, match="Column 'x0', row 1"):
            to_table(container)


def test_booleans_and_strings_of_numpy_are_categories():
    assert column_of(np.array([[True], [False]])) == (nominal([False, True], name="x0"), [True, False])
    assert column_of(np.array([[True], [True]])) == (nominal([True], name="x0"), [True, True])
    assert column_of(np.array([["b"], ["a"], ["b"]])) == (nominal(["a", "b"], name="x0"), ["b", "a", "b"])


def test_bytes_of_numpy_are_read_as_utf8_text():
    X = np.array([["é".encode()], [b"a"]])
    assert column_of(X) == (nominal(["a", "é"], name="x0"), ["é", "a"])
    with pytest.raises(DataError, match=r"Column 'x0', row 1: the bytes b'\\xff' are not text"):
        to_table(np.array([[b"a"], [b"\xff"]]))


def test_variable_width_strings_of_numpy_are_categories():
    X = np.array([["b"], [None]], dtype=np.dtypes.StringDType(na_object=None))
    assert column_of(X) == (nominal(["b"], name="x0"), ["b", None])


def test_masked_cells_are_missing():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    table = to_table(X)
    assert table.column("x0") == [1, 3]
    assert np.shares_memory(table.arrays[0], X.data)
    assert table.column("x1") == [None, 4]
    words = np.ma.array([["a"], ["b"]], mask=[[True], [False]])
    assert column_of(words) == (nominal(["b"], name="x0"), [None, "b"])


def test_a_matrix_is_a_table():
    with pytest.warns(PendingDeprecationWarning):
        X = np.asmatrix([[1.0, 2.0], [3.0, 4.0]])
    table = to_table(X)
    assert table.column("x1") == [2, 4]
    assert table.core.rows == 2


@pytest.mark.parametrize("missing", [None, NAN, np.float32("nan"), pd.NA, Decimal("NaN")], ids=repr)
@pytest.mark.parametrize("cells", [["b", "a"], [1, 2.5], [True, False]], ids=str)
def test_an_object_column_may_have_missing_cells_of_any_kind(cells, missing):
    X = np.array([cells[0], missing, cells[1]], dtype=object).reshape(-1, 1)
    column, found = column_of(X)
    assert found == [cells[0], None, cells[1]]
    assert column.is_nominal == (cells != [1, 2.5])


def test_numbers_of_every_make_are_numbers():
    cells = [1, 2.5, np.int8(3), np.float32(4.5), Fraction(1, 2), Decimal("0.25"), np.inf]
    table = to_table({"a": cells})
    assert table.schema[0] == Column("a", "numeric")
    assert table.column("a") == [1, 2.5, 3, 4.5, 0.5, 0.25, np.inf]


def test_infinite_numbers_are_numbers():
    assert to_table([[np.inf], [-np.inf]]).column("x0") == [np.inf, -np.inf]
    assert to_table(np.array([[np.inf], [-np.inf]])).column("x0") == [np.inf, -np.inf]
