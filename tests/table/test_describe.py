"""Looking at a table: its first rows, and its columns in numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError

TABLE = bw.to_table(
    {
        "size": [1.5, None, 3.0, 2000000.0, -0.125],
        "colour": ["red", "blue", "red", None, "blue"],
        "new": [True, False, True, True, None],
        "count": np.array([7, 7, 7, 8, 9], np.int8),
    }
)


def test_head_is_a_table_that_prints_its_cells() -> None:
    head = TABLE.head(3)
    assert isinstance(head, bw.Table) and head.shape == (3, 4)
    assert head.column("colour") == ["red", "blue", "red"]
    expected = """\
size  colour  new    count
 1.5  red     True       7
   ?  blue    False      7
   3  red     True       7"""
    assert repr(head) == str(head) == expected
    assert repr(TABLE) == "Table(5 rows × 4 columns: size, colour, new, count)"


def test_head_of_few_and_of_no_rows() -> None:
    assert TABLE.head().n_rows == TABLE.head(99).n_rows == 5
    assert repr(TABLE.head(0)) == "size  colour  new  count"
    for n in (-1, 1.5, True, "3"):
        with pytest.raises(ParameterError, match="expected a whole number of rows, 0 or more"):
            TABLE.head(n)  # type: ignore[arg-type]


def test_head_stays_one_and_can_be_learned_from() -> None:
    assert repr(TABLE.head().drop("new")[:1]) == "size  colour  count\n 1.5  red         7"
    assert bw.ID3Classifier().fit(TABLE.head(4), [0, 0, 1, 1]).predict(TABLE.head(4)).tolist() == [0, 0, 1, 1]
    assert pickle.loads(pickle.dumps(TABLE.head(2))).column("count") == [7, 7]


def test_cells_are_short_and_harmless_and_wide_tables_end() -> None:
    table = bw.to_table({"a\nb": ["x\x1b[31m", "y" * 50]})
    assert repr(table.head()).splitlines() == ["a\\nb", "x\\x1b[31m", "y" * 23 + "…"]
    wide = repr(bw.to_table({f"column{j:03}": [1.0] for j in range(100)}).head()).splitlines()
    assert max(map(len, wide)) <= 110
    assert wide[-1] == f"… and {100 - len(wide[0].split())} more columns"
    assert repr(bw.to_table({"y" * 300: ["x" * 300]}).head()) == "y" * 23 + "…\n" + "x" * 23 + "…"


def test_whole_numbers_are_shown_in_full() -> None:
    table = bw.to_table({"a": [12345678.0, 0.123456789, 1e20, float("inf"), -3.0]})
    cells = [line.strip() for line in repr(table.head()).splitlines()[1:]]
    assert cells == [
        "12345678",
        "0.123457",
        "1e+20",
        "inf",
        "-3",
    ]


def test_describe() -> None:
    found = TABLE.describe()
    assert found.to_dict()["n_rows"] == 5
    size, colour, new, count = found.to_dict()["columns"]
    assert size == {
        "name": "size",
        "kind": "numeric",
        "known": 4,
        "missing": 1,
        "distinct": 4,
        "minimum": -0.125,
        "mean": 500001.09375,
        "maximum": 2000000.0,
        "most_frequent": None,
        "count": None,
    }
    assert (colour["known"], colour["missing"], colour["distinct"]) == (4, 1, 2)
    assert (colour["most_frequent"], colour["count"], colour["mean"]) == (
        "blue",
        2,
        None,
    )  # a tie: the earlier one
    assert (new["most_frequent"], new["count"]) == (True, 3)
    assert (count["minimum"], count["mean"], count["maximum"], count["distinct"]) == (7.0, 7.6, 9.0, 3)
    assert str(found).splitlines() == [
        "column  kind     known  missing  distinct     min    mean      max  most frequent",
        "size    numeric      4        1         4  -0.125  500001  2000000",
        "colour  nominal      4        1         2                           blue (2)",
        "new     nominal      4        1         2                           True (3)",
        "count   numeric      5        0         3       7     7.6        9",
    ]


def test_describe_columns_without_known_cells_and_extreme_numbers() -> None:
    table = bw.to_table(
        {"a": [float("nan")] * 2, "b": [None, None], "c": [1.7e308, 1.7e308], "d": [np.inf, -np.inf]}
    )
    a, b, c, d = table.describe().columns
    assert (a.known, a.missing, a.distinct, a.minimum, a.mean, a.maximum) == (0, 2, 0, None, None, None)
    assert (b.known, b.missing, b.distinct, b.most_frequent, b.count) == (0, 2, 0, None, None)
    assert c.mean == 1.7e308
    assert d.mean is not None and np.isnan(d.mean)


def test_declared_categories_without_rows_do_not_count() -> None:
    column = bw.Column("grade", "nominal", ("low", "mid", "high"), declared=True)
    table = bw.Table(bw.Schema((column,)), (np.array([2, 2, -1], np.int32),))
    (grade,) = table.describe().columns
    assert (grade.distinct, grade.most_frequent, grade.count) == (1, "high", 2)
