"""Tables: rows and columns are taken, dropped and handed to others without a change."""

import copy
import doctest
import math
import pickle
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import branchwork as bw
from branchwork.errors import DataError, UnseenCategoryWarning
from branchwork.table import table as module
from branchwork.table.adapt import to_table
from branchwork.table.conform import conform
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table, nominal, read_only, sort_values

NAN = math.nan
CELLS = {
    "number": [1.5, None, -math.inf],
    "whole": [3, 1, 2],
    "word": ["b", None, "a"],
    "flag": [True, False, None],
    "grade": ["low", "high", None],
    "code": [20, 10, None],
    "nothing": [None, None, None],
}


def mixed():
    grades = pd.Categorical(CELLS["grade"], categories=["low", "mid", "high"])
    whole = np.array(CELLS["whole"], dtype=np.int16)
    return to_table({**CELLS, "whole": whole, "grade": grades}, categorical_features=["code"])


def cells_of(table):
    return {name: table.column(name) for name in table.schema.names}


def test_a_table_shows_its_size_and_names():
    assert repr(to_table({"a": [1, 2], "b": [3, 4]})) == "Table(2 rows × 2 columns: a, b)"
    wide = to_table(np.zeros((1, 9)))
    assert repr(wide) == "Table(1 rows × 9 columns: x0, x1, x2, x3, x4, x5, x6, x7, …)"
    assert (len(wide), wide.n_rows, wide.shape) == (1, 1, (1, 9))


def test_columns_and_rows_are_python_values():
    table = mixed()
    assert cells_of(table) == CELLS
    assert table.row(1) == {name: cells[1] for name, cells in CELLS.items()}
    assert table.row(-1) == {name: cells[-1] for name, cells in CELLS.items()}
    assert {type(cell) for cell in table.column("whole")} == {int}
    with pytest.raises(IndexError):
        table.row(3)
    with pytest.raises(DataError, match=r"There is no column 'wrd'\. Did you mean 'word'\?"):
        table.column("wrd")


def test_arrays_of_another_number_or_length_are_refused():
    schema = Schema((Column("a", "numeric"), Column("b", "numeric")))
    with pytest.raises(DataError, match="2 columns were declared but 1 arrays were given"):
        Table(schema, (np.zeros(2),))
    with pytest.raises(DataError, match="Column 'b' has 3 rows, but column 'a' has 2"):
        Table(schema, (np.zeros(2), np.zeros(3)))


def test_a_table_made_by_hand_cannot_be_written_and_its_arrays_still_can():
    cells = np.zeros(2)
    table = Table(Schema((Column("a", "numeric"),)), (cells,))
    assert np.shares_memory(table.arrays[0], cells)
    with pytest.raises(ValueError, match="read-only"):
        table.arrays[0][0] = 1
    cells[0] = 1
    assert not read_only(cells).flags.writeable


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        (np.array([2, 0, 0]), [2, 0, 0]),
        (np.array([True, False, True]), [0, 2]),
        (slice(1, None), [1, 2]),
        (slice(None, None, -1), [2, 1, 0]),
        (np.array([], dtype=int), []),
    ],
    ids=str,
)
def test_taking_rows_keeps_the_schema(rows, kept):
    table = mixed().take(rows)
    assert table.schema == mixed().schema
    assert cells_of(table) == {name: [cells[i] for i in kept] for name, cells in CELLS.items()}
    assert not any(array.flags.writeable for array in table.arrays)
    assert table.core.rows == len(kept)


def test_a_slice_of_rows_is_borrowed():
    table = mixed()
    assert np.shares_memory(table.take(slice(1, 3)).arrays[0], table.arrays[0])


def test_dropping_columns_keeps_the_others():
    table = mixed()
    fewer = table.drop(["word", "number"])
    assert fewer.schema.names == ("whole", "flag", "grade", "code", "nothing")
    assert fewer.row(0) == {name: CELLS[name][0] for name in fewer.schema.names}
    assert len(table.schema) == 7
    assert table.drop([]).schema == table.schema
    with pytest.raises(DataError, match=r"There is no column 'wrod'\. Did you mean 'word'\?"):
        table.drop(["wrod"])


def test_dropping_keeps_whether_the_names_were_given():
    assert not to_table([[1, 2]]).drop(["x0"]).schema.named
    assert to_table({"a": [1], "b": [2]}).drop(["a"]).schema.named


def test_categories_that_no_row_has_are_forgotten_unless_declared():
    table = to_table({"s": ["a", "b", "c", None], "d": pd.Categorical([*"abc", None]), "n": [1, 2, 3, 4]})
    some = table.take(np.array([2, 0, 3])).forget_undeclared()
    assert [column.categories for column in some.schema] == [("a", "c"), ("a", "b", "c"), ()]
    assert cells_of(some) == {"s": ["c", "a", None], "d": ["c", "a", None], "n": [3, 1, 4]}
    assert some.arrays[0].tolist() == [1, 0, -1]
    assert some.arrays[0].dtype == np.int32
    assert table.schema[0].categories == ("a", "b", "c")
    none = table.take(np.array([3])).forget_undeclared()
    assert none.schema[0].categories == ()
    assert none.row(0) == {"s": None, "d": None, "n": 4}
    assert (some.core.rows, none.core.rows) == (3, 1)


def test_forgetting_nothing_leaves_the_arrays():
    table = to_table({"s": ["a", "b"], "n": [1, 2]})
    kept = table.forget_undeclared()
    assert kept.schema == table.schema
    assert np.shares_memory(kept.arrays[0], table.arrays[0])


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda table: pickle.loads(pickle.dumps(table))])
def test_a_table_is_copied_and_pickled_after_the_core_has_seen_it(again):
    table = mixed().take(slice(None, None, -1))
    assert table.core.rows == 3
    copied = again(table)
    assert copied.schema == table.schema
    assert cells_of(copied) == cells_of(table)
    assert not any(array.flags.writeable for array in copied.arrays)
    assert copied.core.rows == 3


# ---- handing over ------------------------------------------------------------------------------------------


def assert_values_and_order_kept(table, found):
    """All but `declared`: what another library holds as a category, it declares."""
    assert cells_of(found) == cells_of(table)
    for column, back in zip(table.schema, found.schema, strict=True):
        assert (back.name, back.kind, back.categories) == (column.name, column.kind, column.categories)
        assert back.declared == column.is_nominal


def test_pandas_gets_categories_in_order_and_gives_them_back():
    table = mixed()
    frame = table.to_pandas()
    assert frame["grade"].cat.categories.tolist() == ["low", "mid", "high"]
    assert frame["whole"].dtype == np.int16
    assert_values_and_order_kept(table, to_table(frame))
    frame.loc[0, "number"] = 9.0  # the frame is the caller's
    assert table.column("number")[0] == 1.5


def test_arrow_gets_dictionaries_in_order_and_gives_them_back():
    table = mixed()
    arrow = pa.table(table)
    assert arrow["grade"].type == pa.dictionary(pa.int32(), pa.string())
    assert arrow["grade"].chunk(0).dictionary.to_pylist() == ["low", "mid", "high"]
    assert arrow["number"].to_pylist() == CELLS["number"]
    assert arrow["whole"].type == pa.int16()
    assert_values_and_order_kept(table, to_table(arrow))


def test_polars_gets_the_values_and_gives_them_back():
    table = mixed()
    frame = pl.DataFrame(table)
    assert frame.to_dict(as_series=False) == CELLS
    found = to_table(frame)
    assert cells_of(found) == CELLS
    assert found.schema[2] == Column("word", "nominal", ("a", "b"))


def test_duckdb_reads_a_table():
    table = mixed()
    rows = duckdb.from_arrow(pa.table(table)).fetchall()
    assert [dict(zip(CELLS, row, strict=True)) for row in rows] == [table.row(i) for i in range(3)]


@pytest.mark.parametrize("rows", [slice(0, 0), slice(None, None, -1)], ids=["no rows", "strided"])
def test_any_table_can_be_handed_over(rows):
    table = mixed().take(rows)
    for found in (table.to_pandas(), pa.table(table), pl.DataFrame(table)):
        assert cells_of(to_table(found)) == cells_of(table)


def test_unseen_categories_are_missing_for_others():
    schema = Schema((Column("a", "nominal", ("x", "y")),))
    with pytest.warns(UnseenCategoryWarning):
        table = conform(to_table({"a": ["y", "strange", None]}), schema)
    assert table.column("a") == ["y", None, None]
    assert to_table(table.to_pandas()).column("a") == ["y", None, None]
    assert pa.table(table)["a"].to_pylist() == ["y", None, None]


def test_categories_that_arrow_cannot_hold_are_refused_by_column():
    table = to_table(pd.DataFrame({"a": pd.Categorical(["x", 1])}))
    with pytest.raises(DataError, match="Arrow cannot hold the categories of column 'a'"):
        pa.table(table)
    assert to_table(table.to_pandas()).column("a") == ["x", 1]


# ---- nominal columns by hand -------------------------------------------------------------------------------


def test_a_nominal_column_by_hand_sorts_its_categories_or_keeps_the_given_ones():
    column, codes = nominal("a", ["y", None, "x"])
    assert column == Column("a", "nominal", ("x", "y"))
    assert (codes.tolist(), codes.dtype) == ([1, -1, 0], np.int32)
    column, codes = nominal("a", ["y", None], ["y", "unused", "x"])
    assert column == Column("a", "nominal", ("y", "unused", "x"), declared=True)
    assert codes.tolist() == [0, -1]
    assert not codes.flags.writeable


def test_a_cell_outside_the_declared_categories_is_refused_with_its_row():
    with pytest.raises(DataError, match="Column 'a', row 1: 'z' is not among the declared categories"):
        nominal("a", ["y", "z"], ["y"])


def test_values_are_sorted_by_their_own_order_or_numbers_by_value_and_others_by_text():
    assert sort_values([10, 9, 2.5]) == [2.5, 9, 10]
    assert sort_values({"b": 0, "a": 0}) == ["a", "b"]
    assert sort_values(["b", 1, (2,), "a", None]) == [None, 1, "a", "b", (2,)]
    assert sort_values(["a", 10, 9.5, 9, True]) == [True, 9, 9.5, 10, "a"]
    assert sort_values([]) == []


def test_values_without_an_order_stay_as_they_came():
    sets = [frozenset("b"), frozenset("a"), frozenset("c")]
    assert sort_values(sets) == sets
    assert sort_values(sets[::-1]) == sets[::-1]


def test_the_example_of_sorting_is_true():
    runner = doctest.DocTestRunner()
    (example,) = doctest.DocTestFinder(recurse=False).find(
        module.sort_values, globs={"sort_values": sort_values}
    )
    assert runner.run(example).failed == 0


def test_rows_are_taken_as_scikit_learn_does():
    table = bw.datasets.load("play_tennis").X
    for rows in (slice(2, 5), [2, 3, 4], np.arange(2, 5), np.arange(14) // 3 == 1):
        kept = table[rows]
        assert kept.schema == table.schema
        wanted = np.arange(14)[rows]
        assert kept.column("Wind") == [table.column("Wind")[row] for row in wanted]
    assert table[[]].n_rows == 0
    for strange in (0, "Wind", [0.5], None):
        with pytest.raises(DataError, match=r"row\(k\) is one row"):
            table[strange]
    with pytest.raises(TypeError, match="not iterable"):
        iter(table)


def test_a_bundled_table_goes_through_cross_validation():
    from sklearn.model_selection import cross_val_score, train_test_split

    tennis = bw.datasets.load("play_tennis")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(cross_val_score(bw.ID3Classifier(), tennis.X, tennis.y, cv=3)) == 3
    train, test, *_ = train_test_split(tennis.X, tennis.y, random_state=0)
    assert (train.n_rows, test.n_rows) == (10, 4)
