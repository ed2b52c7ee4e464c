"""Lists, mappings, pandas, polars and Arrow: what each of them can say of a column is kept."""

from decimal import Decimal

import duckdb
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from branchwork.errors import DataError
from branchwork.table.adapt import to_table
from branchwork.table.schema import Column
from table.adapted import NAN, OnlyArray, OnlyStream, column_of, nominal

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
