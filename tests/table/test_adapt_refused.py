"""What cannot be a table is refused with its column and its row."""

import datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from branchwork.errors import CellTypeError, DataError
from branchwork.table.adapt import to_table
from table.adapted import LARGEST, OnlyStream

# ---- shapes that are no table ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.array(1.0),
        [1, 2, 3],
        ["a", "b"],
        None,
        pd.Series([1, 2]),
        pd.Index([1, 2]),
        pl.Series([1, 2]),
        pa.array([1, 2]),
        pa.chunked_array([[1, 2]]),
        OnlyStream(pa.chunked_array([[1, 2]])),
    ],
    ids=lambda X: type(X).__name__,
)
def test_what_is_not_two_dimensional_is_refused(X):
    with pytest.raises(DataError, match="Reshape your data"):
        to_table(X)


def test_a_table_without_rows_is_said_to_be_empty():
    for empty in ([], (), np.array([])):
        with pytest.raises(DataError, match="X is empty: it has no rows, and at least one is needed"):
            to_table(empty)


@pytest.mark.parametrize(
    "make", ["csr_matrix", "csc_array", "coo_array", "dok_array", "lil_array", "dia_array"]
)
def test_a_sparse_matrix_is_refused(make):
    with pytest.raises(TypeError, match="sparse"):
        to_table(getattr(scipy.sparse, make)(np.eye(2)))


@pytest.mark.parametrize(
    ("X", "rows"),
    [
        (np.empty((3, 0)), 3),
        ([[], [], []], 3),
        ([{}, {}, {}], 3),
        (pd.DataFrame(index=range(3)), 3),
        (pl.DataFrame(), 0),
        (pa.table({}), 0),
        ({}, 0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_table_without_columns_is_refused(X, rows):
    with pytest.raises(DataError) as error:
        to_table(X)
    assert f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required" in str(error.value)


@pytest.mark.parametrize(
    "X",
    [
        *(np.empty((0, 3), dtype) for dtype in (float, int, bool, "U3", "S3", object)),
        pd.DataFrame({"a": [], "b": pd.Series([], dtype=str), "c": pd.Series([], dtype="category")}),
        pl.DataFrame(schema={"a": pl.Float64, "b": pl.String, "c": pl.Enum(["x"])}),
        pl.DataFrame(schema={"a": pl.Null, "b": pl.Boolean, "c": pl.Categorical}),
        pa.schema(
            {"a": pa.int8(), "b": pa.string(), "c": pa.dictionary(pa.int8(), pa.string())}
        ).empty_table(),
        {"a": [], "b": np.empty(0), "c": pl.Series([], dtype=pl.String)},
    ],
    ids=lambda X: f"{type(X).__name__} {getattr(X, 'dtype', '')}",
)
def test_a_table_may_have_no_rows(X):
    table = to_table(X)
    assert table.shape == (0, 3)
    assert table.core.rows == 0


def test_rows_of_different_lengths_are_refused_with_the_row():
    with pytest.raises(DataError, match=r"Row 2 has 1 cell\(s\), but row 0 has 2"):
        to_table([[1, 2], [3, 4], [5]])


def test_columns_of_different_lengths_are_refused_by_name():
    with pytest.raises(DataError, match="Column 'b' has 3 rows, but column 'a' has 2"):
        to_table({"a": [1, 2], "b": [1, 2, 3]})


def test_records_with_other_columns_are_refused_with_the_row():
    with pytest.raises(DataError, match=r"Row 1 and row 0 do not have the same columns: \['b', 'c'\]"):
        to_table([{"a": 1, "b": 2}, {"a": 1, "c": 2}])


@pytest.mark.parametrize("X", ["table.csv", b"table.csv", Path("table.csv")], ids=lambda X: type(X).__name__)
def test_a_path_is_refused_with_the_way_to_read_a_file(X):
    with pytest.raises(CellTypeError, match=r"table\.csv.*bw\.read"):
        to_table(X)


def test_a_lazy_frame_is_refused_with_the_fix():
    with pytest.raises(CellTypeError, match=r"collect\(\)"):
        to_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("values", ["text", b"text", 5, None], ids=repr)
def test_a_column_that_is_no_sequence_is_refused_by_name(values):
    with pytest.raises(DataError, match=r"Column 'a' is .*a sequence of cells was expected"):
        to_table({"a": values})


def test_a_column_of_two_dimensions_is_refused_by_name():
    with pytest.raises(DataError, match="Column 'a' has 2 dimensions"):
        to_table({"a": np.zeros((2, 2))})


# ---- cells that mean nothing -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1j]]),
        [[1j]],
        {"x0": [1j]},
        pd.DataFrame({"x0": [1j]}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_complex_numbers_are_refused(X):
    with pytest.raises(ValueError, match=r"Complex data not supported: column 'x0'"):
        to_table(X)


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        (["a", 1], 1),
        ([1, None, "a"], 2),
        ([True, 1], 1),
        ([1.5, True], 1),
        ([None, "a", False], 2),
        (["a"] * 150 + [1], 150),
        ([None] * 150 + [1, "a"], 151),
    ],
    ids=[
        "text number",
        "number text",
        "boolean number",
        "number boolean",
        "text boolean",
        "late",
        "late too",
    ],
)
@pytest.mark.parametrize(
    "container",
    [
        lambda cells: {"a": cells},
        lambda cells: [{"a": cell} for cell in cells],
        lambda cells: pd.DataFrame({"a": pd.Series(cells, dtype=object)}),
        lambda cells: pl.DataFrame({"a": pl.Series(cells, dtype=pl.Object)}),
    ],
    ids=["dict", "records", "pandas", "polars"],
)
def test_a_column_that_mixes_kinds_is_refused_with_the_row(container, cells, row):
    with pytest.raises(CellTypeError, match=f"Column 'a' mixes kinds of cells: row {row} is {cells[row]!r}"):
        to_table(container(cells))


@pytest.mark.parametrize("cell", [(1, 2), [1], {}, object()], ids=lambda cell: type(cell).__name__)
def test_a_cell_of_another_type_is_refused_with_the_row(cell):
    with pytest.raises(TypeError, match=f"Column 'a', row 1: .*found .* of type {type(cell).__name__}"):
        to_table({"a": [None, cell]})


DAY = datetime.date(2020, 1, 1)
MOMENT = datetime.datetime(2020, 1, 1)


@pytest.mark.parametrize(
    "X",
    [
        {"when": [DAY]},
        {"when": np.array(["2020-01-01"], dtype="M8[D]")},
        {"when": np.array([1], dtype="m8[D]")},
        pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}),
        pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]).tz_localize("UTC")}),
        pd.DataFrame({"when": pd.to_timedelta([1])}),
        pd.DataFrame({"when": pd.period_range("2020", periods=1)}),
        pd.DataFrame({"when": pd.Series([DAY], dtype=object)}),
        pd.DataFrame({"when": pd.Series([DAY], dtype=pd.ArrowDtype(pa.date32()))}),
        pl.DataFrame({"when": [DAY]}),
        pl.DataFrame({"when": [MOMENT]}),
        pl.DataFrame({"when": [MOMENT.time()]}),
        pl.DataFrame({"when": [MOMENT - MOMENT]}),
        pa.table({"when": [DAY]}),
        pa.table({"when": [MOMENT]}),
    ],
    ids=lambda X: type(X).__module__.partition(".")[0],
)
def test_a_date_is_refused_by_column_with_the_fix(X):
    with pytest.raises(CellTypeError, match=r"Column 'when'.*Turn dates into numbers"):
        to_table(X)


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [[1]]}),
        pl.DataFrame({"a": [{"b": 1}]}),
        pa.table({"a": [[1]]}),
        pa.table({"a": [{"b": 1}]}),
    ],
    ids=lambda X: str(X["a"]).replace("\n", " ")[-30:],
)
def test_nested_columns_are_refused_by_name(X):
    with pytest.raises(CellTypeError, match="Column 'a' is of type"):
        to_table(X)


# ---- integers ----------------------------------------------------------------------------------------------

INTEGERS = {
    "int64": lambda cells: {"a": np.array(cells, dtype=np.int64)},
    "big endian": lambda cells: {"a": np.array(cells, dtype=">i8")},
    "uint64": lambda cells: {"a": np.array(list(map(abs, cells)), dtype=np.uint64)},
    "objects": lambda cells: {"a": np.array(cells, dtype=object)},
    "NumPy objects": lambda cells: {"a": np.array(list(map(np.int64, cells)), dtype=object)},
    "objects with None": lambda cells: {"a": [*cells, None]},
    "objects with a fraction": lambda cells: {"a": [*cells, 0.5]},
    "rows": lambda cells: pd.DataFrame({"a": [[cell] for cell in cells]})["a"].tolist(),
    "pandas": lambda cells: pd.DataFrame({"a": cells}),
    "pandas nullable": lambda cells: pd.DataFrame({"a": pd.array([*cells, None], dtype="Int64")}),
    "pandas unsigned": lambda cells: pd.DataFrame({"a": pd.array([*map(abs, cells), None], dtype="UInt64")}),
    "pandas Arrow": lambda cells: pd.DataFrame(
        {"a": pd.array([*cells, None], dtype=pd.ArrowDtype(pa.int64()))}
    ),
    "polars": lambda cells: pl.DataFrame({"a": cells}),
    "polars with null": lambda cells: pl.DataFrame({"a": [*cells, None]}),
    "polars Int128": lambda cells: pl.DataFrame({"a": pl.Series([*cells, None], dtype=pl.Int128)}),
    "Arrow": lambda cells: pa.table({"a": cells}),
    "Arrow with null": lambda cells: pa.table({"a": [*cells, None]}),
}


@pytest.mark.parametrize("container", INTEGERS)
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_are_exact_up_to_2_to_the_53_and_refused_beyond(container, sign):
    table = to_table(INTEGERS[container]([0, sign * LARGEST]))
    assert abs(table.arrays[0][1]) == LARGEST
    beyond = sign * (LARGEST + 1)
    with pytest.raises(DataError, match=rf"Column '(a|x0)', row 1: the integer -?{abs(beyond)} is beyond"):
        to_table(INTEGERS[container]([0, beyond]))


def test_an_integer_that_no_float_can_hold_is_refused_with_its_row():
    with pytest.raises(DataError, match="Column 'a', row 1: the integer 10000"):
        to_table({"a": [1, 10**400]})
    with pytest.raises(DataError, match="Column 'a', row 1"):
        to_table({"a": [1, Fraction(10**400)]})


def test_floats_beyond_2_to_the_53_are_numbers():
    assert to_table([[1e300], [2]]).column("x0") == [1e300, 2]
    assert to_table(np.array([[1e300]])).column("x0") == [1e300]
