"""Parquet: the file says what a column is."""

from __future__ import annotations

import decimal
import math
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from branchwork.errors import CellTypeError, DataError, MissingExtraError
from branchwork.table.read import read
from table.files import facts, refused, write


def parquet(folder: Path, columns: dict[str, object], name: str = "a.parquet") -> Path:
    pq.write_table(pa.table(columns), folder / name)
    return folder / name


def test_parquet_types_come_from_the_file(tmp_path: Path) -> None:
    path = parquet(
        tmp_path,
        {
            "word": ["b", None, "a"],
            "flag": [True, None, False],
            "int": pa.array([3, None, -1], pa.int64()),
            "small": pa.array([1, 2, 3], pa.uint8()),
            "real": pa.array([0.5, None, math.nan], pa.float32()),
            "money": [decimal.Decimal("1.10"), None, decimal.Decimal("-2.05")],
            "digits": ["1", "2", "3"],
            "nothing": pa.nulls(3),
            "encoded": pa.array(["z", "y", None]).dictionary_encode(),
        },
    )
    table = read(path)
    assert table.schema.names == (
        "word",
        "flag",
        "int",
        "small",
        "real",
        "money",
        "digits",
        "nothing",
        "encoded",
    )
    kinds = [column.kind for column in table.schema]
    assert kinds == ["nominal"] * 2 + ["numeric"] * 4 + ["nominal", "numeric", "nominal"]
    assert table.column("word") == ["b", None, "a"]
    assert table.schema[0].categories == ("a", "b")
    assert table.column("flag") == [True, None, False]
    assert table.column("int") == [3.0, None, -1.0]
    assert table.arrays[3].dtype == np.uint8
    assert table.arrays[4].dtype == np.float32
    assert table.column("real") == [0.5, None, None]
    assert table.column("money") == [1.1, None, -2.05]
    assert table.column("digits") == ["1", "2", "3"]
    assert table.column("nothing") == [None] * 3
    assert table.column("encoded") == ["z", "y", None]
    assert table.schema[8].categories == ("y", "z")
    assert facts(read(parquet(tmp_path, {"x": [1.0]}, "b.pq"))) == facts(
        read(parquet(tmp_path, {"x": [1.0]}))
    )


def test_parquet_decimal_is_rounded_once(tmp_path: Path) -> None:
    value = decimal.Decimal("1234567890123456789012345678.901234567")
    assert read(parquet(tmp_path, {"x": [value]})).column("x") == [float(value)]


@pytest.mark.parametrize("cells", [[1, 2**53 + 1], [None, 2**53 + 1]])
def test_parquet_integers_beyond_exactness(tmp_path: Path, cells: list[int | None]) -> None:
    with pytest.raises(DataError, match=r"Column 'id', row 1: the integer 9007199254740993 is beyond ±2\^53"):
        read(parquet(tmp_path, {"id": cells}))


def test_parquet_names_that_differ_in_case_only(tmp_path: Path) -> None:
    table = read(parquet(tmp_path, {"a": [1], "A": [2], "a_1": [3], 'q"': [4]}))
    assert table.schema.names == ("a", "A", "a_1", 'q"')
    assert [table.column(name) for name in table.schema.names] == [[1], [2], [3], [4]]


def test_parquet_path_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "day=2020-01-01"
    folder.mkdir()
    parquet(folder, {"x": [9]}, "ab.parquet")
    table = read(parquet(folder, {"x": [1]}, "a*.parquet"))
    assert (table.schema.names, table.column("x")) == (("x",), [1])


def test_parquet_refusals(tmp_path: Path) -> None:
    refused(write(tmp_path, "bad.parquet", "x,y\n1,2\n"), "cannot be read as Parquet")
    refused(parquet(tmp_path, {"x": pa.array([], pa.int64())}), "has no rows")
    pq.write_table(pa.table([[1], [2]], names=["x", "x"]), tmp_path / "twice.parquet")
    refused(tmp_path / "twice.parquet", "'x' occurs 2 times")
    day = pa.array([0], pa.date32())
    refused(parquet(tmp_path, {"day": day}), "'day' is of type DATE", "into numbers", error=CellTypeError)
    refused(parquet(tmp_path, {"list": [[1]]}), "'list' is of type BIGINT[]", error=CellTypeError)
    refused(parquet(tmp_path, {"raw": [b"x"]}), "'raw' is of type BLOB", error=CellTypeError)


def test_parquet_needs_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(tmp_path, {"x": [1]})
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r'Reading Parquet needs duckdb.*"branchwork\[io\]"'):
        read(path)


def test_parquet_written_by_duckdb(tmp_path: Path) -> None:
    target = str(tmp_path / "a.parquet")
    with duckdb.connect() as db:
        db.execute(
            f"COPY (SELECT range AS n, 'w' || range % 3 AS w FROM range(5000)) TO '{target}' (FORMAT parquet)"
        )
    table = read(target)
    assert table.column("n") == list(range(5000))
    assert table.column("w") == [f"w{i % 3}" for i in range(5000)]
