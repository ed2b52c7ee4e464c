"""Every container gives the same table; what cannot be used is refused with its column and its row."""

import datetime
import doctest
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork.errors import BranchworkError, CellTypeError, DataError, ParameterError
from branchwork.table import adapt
from branchwork.table.adapt import to_table
from branchwork.table.cells import is_missing
from branchwork.table.schema import Column

from tables import EXAMPLES

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


# ---- NumPy -------------------------------------------------------------------------------------------------

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


# ---- shapes that are no table ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.array(1.0),
        [1, 2, 3],
        ["a", "b"],
        [],
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


@pytest.mark.parametrize("cell", [b"x", (1, 2), [1], {}, object()], ids=lambda cell: type(cell).__name__)
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
        pl.DataFrame({"a": [b"x"]}),
        pl.DataFrame({"a": [{"b": 1}]}),
        pa.table({"a": [[1]]}),
        pa.table({"a": [b"x"]}),
        pa.table({"a": [{"b": 1}]}),
    ],
    ids=lambda X: str(X["a"]).replace("\n", " ")[-30:],
)
def test_nested_and_binary_columns_are_refused_by_name(X):
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


# ---- lists and mappings ------------------------------------------------------------------------------------


def test_rows_of_lists_keep_the_kind_of_each_cell():
    table = to_table([[1, "1", True], [2.5, "x", False], [None, None, None]])
    assert table.schema.columns == (
        Column("x0", "numeric"),
        nominal(["1", "x"], name="x1"),
        nominal([False, True], name="x2"),
    )
    assert not table.schema.named
    assert table.row(2) == {"x0": None, "x1": None, "x2": None}


def test_records_are_read_by_name_in_any_order():
    table = to_table([{"a": 1, "b": "x"}, {"b": "y", "a": 2}])
    assert table.schema.names == ("a", "b")
    assert table.schema.named
    assert table.row(1) == {"a": 2, "b": "y"}


def test_a_column_of_arrays_is_borrowed_from_a_mapping():
    cells = np.arange(5.0)
    assert np.shares_memory(to_table({"a": cells[::2]}).arrays[0], cells)


def test_a_mapping_of_columns_keeps_what_they_declare():
    table = to_table(
        {
            "pandas": pd.Categorical(["b", "a"], categories=["b", "z", "a"]),
            "series": pd.Series(["b", "a"], dtype="category"),
            "polars": pl.Series(["b", "a"], dtype=pl.Enum(["b", "z", "a"])),
            "arrow": pa.array(["b", "a"]).dictionary_encode(),
            "numbers": pa.array([1, None]),
        }
    )
    assert [column.categories for column in table.schema] == [
        ("b", "z", "a"),
        ("a", "b"),
        ("b", "z", "a"),
        ("b", "a"),
        (),
    ]
    assert [column.declared for column in table.schema] == [True, True, True, True, False]
    assert table.row(1) == {"pandas": "a", "series": "a", "polars": "a", "arrow": "a", "numbers": None}


def test_names_that_are_no_text_are_written_as_text_and_the_table_counts_as_unnamed():
    for X in (
        {0: [1], 1: ["a"]},
        [{0: 1, 1: "a"}],
        pd.DataFrame([[1, "a"]]),
        pd.DataFrame([[1, "a"]], columns=[0, "1"]),
    ):
        table = to_table(X)
        assert table.schema.names == ("0", "1")
        assert not table.schema.named
        assert table.row(0) == {"0": 1, "1": "a"}
    several = to_table(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])))
    assert several.row(0) == {"('a', 'b')": 1, "('a', 'c')": 2}


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["b", "a", "b"]),
        pd.DataFrame([[1, 2, 3]], columns=["b", "a", "b"]).astype("Int64"),
        pa.table([[1], [2], [3]], names=["b", "a", "b"]),
        OnlyStream(pa.table([[1], [2], [3]], names=["b", "a", "b"])),
    ],
    ids=["pandas", "nullable", "arrow", "stream"],
)
def test_a_repeated_name_is_refused_by_name(X):
    with pytest.raises(DataError, match="Column name 'b' occurs more than once"):
        to_table(X)


def test_two_names_that_read_the_same_are_refused():
    with pytest.raises(DataError, match="Column name '1' occurs more than once"):
        to_table(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(DataError, match="Column name '1' occurs more than once"):
        to_table({1: [1], "1": [2]})


# ---- pandas ------------------------------------------------------------------------------------------------


def test_a_pandas_frame_of_numbers_is_borrowed():
    cells = np.array([1.0, NAN, 3.0])
    frame = pd.DataFrame({"a": cells}, copy=False)
    table = to_table(frame)
    assert np.shares_memory(table.arrays[0], frame["a"].to_numpy())
    assert not table.arrays[0].flags.writeable
    assert table.column("a") == [1, None, 3]


@pytest.mark.parametrize(
    "dtype",
    [
        *("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64"),
        *(
            pd.ArrowDtype(t)
            for t in (pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64())
        ),
    ],
    ids=str,
)
def test_nullable_pandas_numbers_have_missing_cells(dtype):
    holes = to_table(pd.DataFrame({"a": pd.array([1, None, 3], dtype=dtype)}))
    assert holes.schema[0] == Column("a", "numeric")
    assert holes.column("a") == [1, None, 3]
    full = to_table(pd.DataFrame({"a": pd.array([1, 3], dtype=dtype)}))
    assert full.column("a") == [1, 3]
    assert (len(holes.core), holes.core.rows, full.core.rows) == (1, 3, 2)


def test_a_nullable_float_may_hold_both_na_and_nan():
    both = pd.arrays.FloatingArray(np.array([1.0, NAN, 2.0]), np.array([False, False, True]))
    assert column_of(pd.DataFrame({"a": both})) == (Column("a", "numeric"), [1, None, None])


@pytest.mark.parametrize("dtype", ["boolean", pd.ArrowDtype(pa.bool_()), object], ids=str)
def test_pandas_booleans_are_categories(dtype):
    frame = pd.DataFrame({"a": pd.Series([True, None, False], dtype=dtype)})
    assert column_of(frame) == (nominal([False, True]), [True, None, False])
    assert column_of(pd.DataFrame({"a": [True, False]})) == (nominal([False, True]), [True, False])


STRINGS = [
    *("str", "string[python]", "string[pyarrow]", "object"),
    *(pd.ArrowDtype(t) for t in (pa.string(), pa.large_string(), pa.string_view())),
]


@pytest.mark.parametrize("dtype", STRINGS, ids=str)
def test_pandas_strings_are_categories_and_words_for_missing_are_words(dtype):
    cells = ["nan", None, "b", "NA", "None", "", "b", "a"]
    column, found = column_of(pd.DataFrame({"a": pd.Series(cells, dtype=dtype)}))
    assert column == nominal(["", "NA", "None", "a", "b", "nan"])
    assert found == cells
    assert {type(category) for category in column.categories} == {str}


@pytest.mark.parametrize(
    ("categories", "cells"),
    [
        (["low", "mid", "high"], ["high", "low", None]),
        ([3, 1, 2], [2, 3, None]),
        ([2.5, 0.5], [0.5, None, 2.5]),
        ([True, False], [False, None, True]),
    ],
    ids=["text", "integers", "floats", "booleans"],
)
def test_a_pandas_category_keeps_its_order_and_its_unused_values(categories, cells):
    frame = pd.DataFrame({"a": pd.Categorical(cells, categories=categories)})
    column, found = column_of(frame)
    assert column == nominal(categories, declared=True)
    assert [type(value) for value in column.categories] == [type(value) for value in categories]
    assert found == cells


def test_intervals_of_pandas_are_categories():
    column, found = column_of(pd.DataFrame({"a": pd.cut([1, 2, 3], [0, 2, 4])}))
    assert column.categories == (pd.Interval(0, 2), pd.Interval(2, 4))
    assert found == [pd.Interval(0, 2), pd.Interval(0, 2), pd.Interval(2, 4)]


def test_an_arrow_dictionary_inside_pandas_declares_its_order():
    dtype = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    frame = pd.DataFrame({"a": pd.Series(["b", "a", None], dtype=dtype)})
    assert column_of(frame) == (nominal(["b", "a"], declared=True), ["b", "a", None])


def test_a_subclass_of_a_pandas_frame_is_a_frame():
    class Frame(pd.DataFrame):
        @property
        def _constructor(self):
            return Frame

    assert column_of(Frame({"a": ["x", None]})) == (nominal(["x"]), ["x", None])


def test_a_pandas_frame_may_have_columns_called_like_methods():
    frame = pd.DataFrame({"tocsr": [1], "collect": [2], "collect_schema": [3], "shape": [4]})
    assert to_table(frame).row(0) == {"tocsr": 1, "collect": 2, "collect_schema": 3, "shape": 4}


def test_a_pandas_sparse_column_is_read_as_its_numbers():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.5, NAN])})
    assert column_of(frame) == (Column("a", "numeric"), [0, 1.5, None])


# ---- polars ------------------------------------------------------------------------------------------------


def test_a_polars_categorical_declares_nothing_and_is_sorted():
    frame = pl.DataFrame({"a": pl.Series(["b", None, "a"], dtype=pl.Categorical)})
    assert column_of(frame) == (nominal(["a", "b"]), ["b", None, "a"])


def test_a_polars_enum_keeps_its_order_and_its_unused_values():
    frame = pl.DataFrame({"a": pl.Series(["b", None, "a"], dtype=pl.Enum(["z", "b", "a"]))})
    assert column_of(frame) == (nominal(["z", "b", "a"], declared=True), ["b", None, "a"])


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
def test_null_and_nan_of_polars_are_both_missing(dtype):
    frame = pl.DataFrame({"a": pl.Series([1.5, None, NAN, np.inf], dtype=dtype)})
    assert column_of(frame) == (Column("a", "numeric"), [1.5, None, None, np.inf])


@pytest.mark.parametrize(
    "dtype",
    [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64],
)
def test_polars_integers_have_missing_cells(dtype):
    frame = pl.DataFrame({"a": pl.Series([1, None, 3], dtype=dtype)})
    assert column_of(frame) == (Column("a", "numeric"), [1, None, 3])
    assert column_of(frame.drop_nulls()) == (Column("a", "numeric"), [1, 3])


def test_polars_strings_and_booleans_are_categories():
    frame = pl.DataFrame({"s": ["nan", None, "NA"], "b": [True, None, True]})
    assert column_of(frame, "s") == (nominal(["NA", "nan"], name="s"), ["nan", None, "NA"])
    assert column_of(frame, "b") == (nominal([True], name="b"), [True, None, True])


# ---- Arrow -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_arrow_strings_are_categories(type_):
    table = pa.table({"a": pa.array(["b", None, "NA", "b"], type_)})
    assert column_of(table) == (nominal(["NA", "b"]), ["b", None, "NA", "b"])


@pytest.mark.parametrize(
    "type_",
    [
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64()),
        *(pa.decimal32(5, 2), pa.decimal64(5, 2), pa.decimal128(5, 2), pa.decimal256(5, 2)),
    ],
    ids=str,
)
def test_arrow_numbers_are_numbers(type_):
    cells = pa.array(np.array([1, 0, 3], np.float32), mask=np.array([False, True, False])).cast(type_)
    assert column_of(pa.table({"a": cells})) == (Column("a", "numeric"), [1, None, 3])


def test_decimals_are_numbers_in_every_container():
    cells = [Decimal("1.5"), None, Decimal("-0.25")]
    for X in (
        {"a": cells},
        pd.DataFrame({"a": cells}),
        pd.DataFrame({"a": pd.array(cells, dtype=pd.ArrowDtype(pa.decimal128(5, 2)))}),
        pl.DataFrame({"a": cells}),
        pa.table({"a": cells}),
    ):
        assert column_of(X) == (Column("a", "numeric"), [1.5, None, -0.25])


def test_an_arrow_dictionary_declares_its_order():
    words = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["z", "a", "unused"])
    assert column_of(pa.table({"a": words})) == (
        nominal(["z", "a", "unused"], declared=True),
        ["a", None, "z"],
    )
    numbers = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.uint8()), [3, 1])
    assert column_of(pa.table({"a": numbers})) == (nominal([3, 1], declared=True), [1, None, 3])


def test_chunks_of_an_arrow_dictionary_may_differ():
    chunks = [pa.array(cells).dictionary_encode() for cells in (["b", "a"], ["c", None, "a"])]
    column, found = column_of(pa.table({"a": pa.chunked_array(chunks)}))
    assert column == nominal(["b", "a", "c"], declared=True)
    assert found == ["b", "a", "c", None, "a"]


def test_an_arrow_dictionary_may_hold_null_nan_and_a_value_twice():
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None]), pa.array(["b", None, "b", "a"]))
    assert column_of(pa.table({"a": words})) == (
        nominal(["b", "a"], declared=True),
        ["b", None, "b", "a", None],
    )
    numbers = pa.array([2.5, NAN]).dictionary_encode()
    assert column_of(pa.table({"a": numbers})) == (nominal([2.5], declared=True), [2.5, None])


def test_chunks_are_read_in_order():
    table = pa.table(
        {
            "s": pa.chunked_array([["b", "a"], [], ["c", None]]),
            "n": pa.chunked_array([[1, 2], [], [3, None]]),
            "b": pa.chunked_array([[True, None], [], [False, True]]),
        }
    )
    assert column_of(table, "s") == (nominal(["a", "b", "c"], name="s"), ["b", "a", "c", None])
    assert column_of(table, "n")[1] == [1, 2, 3, None]
    assert column_of(table, "b")[1] == [True, None, False, True]


def test_anything_with_an_arrow_interface_is_a_table():
    batch = pa.RecordBatch.from_pydict({"s": ["b", None], "n": [1, None]})
    frame = pl.DataFrame({"s": ["b", None], "n": [1, None]})
    relation = duckdb.sql("select * from (values ('b', 1), (null, null)) as t(s, n)")
    for X in (
        batch,
        OnlyArray(batch),
        OnlyStream(frame),
        pa.table(batch).to_reader(),
        narwhals.from_native(frame),
        relation,
    ):
        table = to_table(X)
        assert table.schema.columns == (nominal(["b"], name="s"), Column("n", "numeric"))
        assert table.schema.named
        assert (table.column("s"), table.column("n")) == (["b", None], [1, None])


def test_an_enum_of_polars_declares_its_order_through_arrow_too():
    frame = pl.DataFrame({"a": pl.Series(["b", None], dtype=pl.Enum(["z", "b"]))})
    assert column_of(OnlyStream(frame)) == (nominal(["z", "b"], declared=True), ["b", None])


# ---- nothing but missing cells -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        {"a": [None, None]},
        {"a": [pd.NA, None]},
        [{"a": None}, {"a": None}],
        np.ma.masked_all(2, dtype=[("a", "f8")]),
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": pd.array([None, None], dtype="str")}),
        pd.DataFrame({"a": pd.array([None, None], dtype="boolean")}),
        pd.DataFrame({"a": pd.array([None, None], dtype=pd.ArrowDtype(pa.null()))}),
        pl.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)}),
        pa.table({"a": pa.nulls(2)}),
        pa.table({"a": pa.nulls(2, pa.string())}),
    ],
    ids=lambda X: type(X).__module__.partition(".")[0],
)
def test_a_column_of_nothing_is_nominal_without_categories(X):
    table = to_table(X)
    assert table.schema[0] == nominal([])
    assert table.column("a") == [None, None]
    assert table.core.rows == 2


@pytest.mark.parametrize(
    "X",
    [
        np.full((2, 1), NAN),
        [[NAN], [NAN]],
        [[NAN], [None]],
        {"x0": [pd.NA, NAN]},
        pd.DataFrame({"x0": [NAN, NAN]}),
        pd.DataFrame({"x0": pd.array([None, None], dtype="Int64")}),
        pl.DataFrame({"x0": pl.Series([None, None], dtype=pl.Int8)}),
        pa.table({"x0": pa.nulls(2, pa.float32())}),
    ],
    ids=lambda X: type(X).__module__.partition(".")[0],
)
def test_a_column_of_nan_or_of_a_numeric_type_is_numeric_without_a_number(X):
    assert column_of(X) == (Column("x0", "numeric"), [None, None])


# ---- the same values in every container --------------------------------------------------------------------


def rows_of(columns):
    return [list(row) for row in zip(*columns.values(), strict=True)]


def pandas_nullable(columns):
    dtype_of = {float: "Float64", int: "Int64", bool: "boolean", str: "string"}
    kinds = {name: type(next(cell for cell in cells if cell is not None)) for name, cells in columns.items()}
    return pd.DataFrame(
        {name: pd.array(cells, dtype=dtype_of[kinds[name]]) for name, cells in columns.items()}
    )


def arrow_chunks(columns):
    table = pa.table(columns)
    return pa.concat_tables([table.slice(0, 1), table.slice(1, 0), table.slice(1)])


def typed_arrays(columns):
    """NumPy's own types, where nothing is missing."""
    return {name: cells if None in cells else np.array(cells) for name, cells in columns.items()}


CONTAINERS = {
    "dict of lists": dict,
    "dict of tuples": lambda columns: {name: tuple(cells) for name, cells in columns.items()},
    "dict of NumPy arrays": typed_arrays,
    "dict of polars series": lambda columns: {name: pl.Series(cells) for name, cells in columns.items()},
    "list of lists": rows_of,
    "tuple of tuples": lambda columns: tuple(map(tuple, rows_of(columns))),
    "list of dicts": lambda columns: [dict(zip(columns, row, strict=True)) for row in rows_of(columns)],
    "object array": lambda columns: np.array(rows_of(columns), dtype=object),
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas nullable": pandas_nullable,
    "pandas Arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "Arrow table": pa.table,
    "Arrow chunks": arrow_chunks,
    "Arrow batch": pa.RecordBatch.from_pydict,
    "Arrow stream": lambda columns: OnlyStream(pa.table(columns)),
    "Arrow stream of polars": lambda columns: OnlyStream(pl.DataFrame(columns)),
    "narwhals": lambda columns: narwhals.from_native(pl.DataFrame(columns)),
}
MIXED = {
    "x0": [1.5, None, -np.inf, 0.1],
    "x1": [3, 1, 2, LARGEST],
    "x2": [7, None, -7, 0],
    "x3": ["b", None, "nan", "a"],
    "x4": [True, None, False, True],
    "x5": ["None", "NA", "", "None"],
    "x6": [False, False, False, False],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_same_values_give_the_same_table_in(container):
    table = to_table(CONTAINERS[container](MIXED))
    assert_same_tables(table, to_table(MIXED))
    assert {name: table.column(name) for name in table.schema.names} == MIXED
    assert table.core.rows == 4


def cells_like(cell):
    known = st.lists(st.one_of(st.none(), cell), min_size=1, max_size=6)
    return known.filter(lambda cells: any(value is not None for value in cells))


@st.composite
def mixed_columns(draw):
    kinds = [
        st.floats(allow_nan=False),
        st.integers(-LARGEST, LARGEST),
        st.text(
            st.characters(codec="utf-8", exclude_characters="\0"), max_size=3
        ),  # NumPy cuts a final NUL off
        st.sampled_from(["nan", "NA", "None", "", "é", "True"]),
        st.booleans(),
    ]
    cells = draw(st.lists(st.sampled_from(kinds).flatmap(cells_like), min_size=1, max_size=4))
    n = min(map(len, cells))
    cells = [column[:n] for column in cells]
    columns = [column for column in cells if any(value is not None for value in column)]
    return {f"x{j}": column for j, column in enumerate(columns)} or {"x0": ["a"]}


@settings(max_examples=EXAMPLES, deadline=None)
@given(columns=mixed_columns())
def test_random_tables_are_the_same_in_every_container(columns):
    wanted = to_table(columns)
    assert {name: wanted.column(name) for name in wanted.schema.names} == columns
    for name, container in CONTAINERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = to_table(container(columns))
        assert_same_tables(table, wanted)
        assert table.schema.named == (name not in ("list of lists", "tuple of tuples", "object array"))


# ---- categorical_features ----------------------------------------------------------------------------------

COUNTS = {"n": np.array([3, 1, 3]), "f": np.array([2.5, NAN, -1.0]), "s": ["b", "a", None], "z": [1, 2, 3]}


@pytest.mark.parametrize(
    "chosen",
    [
        ["n", "f"],
        ("f", "n"),
        [0, 1],
        [-4, -3],
        np.array([0, 1]),
        np.array(["n", "f"]),
        [True, True, False, False],
        np.array([True, True, True, False]),
        pd.Series([True, True, False, False]),
        ["n", 1, "s"],
        ["n", "n", "f"],
    ],
    ids=str,
)
def test_numbers_become_categories_by_name_position_or_mask(chosen):
    table = to_table(COUNTS, chosen)
    assert table.schema.columns == (
        nominal([1, 3], name="n"),
        nominal([-1.0, 2.5], name="f"),
        nominal(["a", "b"], name="s"),
        Column("z", "numeric"),
    )
    assert table.column("n") == [3, 1, 3]
    assert table.column("f") == [2.5, None, -1]
    assert all(array.dtype == np.int32 for array in table.arrays[:3])
    assert table.core.rows == 3


@pytest.mark.parametrize("chosen", ["from_dtype", None, [], (), [False] * 4], ids=str)
def test_without_a_choice_numbers_stay_numbers(chosen):
    assert_same_tables(to_table(COUNTS, chosen), to_table(COUNTS))
    assert [column.kind for column in to_table(COUNTS, chosen).schema] == [
        "numeric",
        "numeric",
        "nominal",
        "numeric",
    ]


def test_a_table_becomes_another_table_by_its_categorical_features():
    table = to_table(COUNTS)
    assert to_table(table) is table
    assert to_table(table, ["z"]).schema[3] == nominal([1, 2, 3], name="z")
    assert table.schema[3] == Column("z", "numeric")


def test_a_declared_category_stays_declared():
    frame = pd.DataFrame({"a": pd.Categorical([2, 1], categories=[2, 3, 1])})
    assert to_table(frame, ["a"]).schema[0] == nominal([2, 3, 1], declared=True)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["nn"], "There is no column 'nn'. Did you mean 'n'?"),
        ([4], "categorical_features names 4; expected column names, positions below 4"),
        ([-5], "categorical_features names -5"),
        ([1.0], "categorical_features names 1.0"),
        ([True, False], "categorical_features is a mask of 2 flags, but the table has 4 columns"),
    ],
)
def test_a_wrong_choice_is_refused_with_what_is_right(chosen, message):
    with pytest.raises(DataError) as error:
        to_table(COUNTS, chosen)
    assert message in str(error.value)


@pytest.mark.parametrize("chosen", ["n", "from_dtyp", 0, True], ids=repr)
def test_a_choice_that_is_no_list_is_refused(chosen):
    with pytest.raises(ParameterError, match=f"categorical_features is {chosen!r}; expected a list"):
        to_table(COUNTS, chosen)


# ---- all of it ---------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    cells=st.lists(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.text(max_size=2),
            st.binary(max_size=2),
            st.decimals(),
            st.fractions(),
            st.dates(),
            st.complex_numbers(),
            st.just(pd.NA),
            st.tuples(st.integers()),
        ),
        max_size=5,
    )
)
def test_any_cells_make_a_column_or_an_error_that_names_it(cells):
    for X in (
        {"a": cells},
        [{"a": cell} for cell in cells] or {"a": []},
        pd.DataFrame({"a": pd.Series(cells, dtype=object)}),
    ):
        try:
            table = to_table(X)
        except BranchworkError as error:
            assert "olumn 'a'" in str(error)
            assert "row " in str(error)
        else:
            assert table.n_rows == len(cells)
            assert all((a is None) == is_missing(b) for a, b in zip(table.column("a"), cells, strict=True))


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(adapt).failed == 0
