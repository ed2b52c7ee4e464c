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

from branchwork.errors import CellTypeError, DataError, FileFormatError, MissingExtraError
from branchwork.table.adapt import to_table
from branchwork.table.blocks import read_blocks, read_like
from branchwork.table.read import read
from branchwork.table.schema import Column, Schema
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
    value = decimal.Decimal("1.2345678901234567890123456789012345678")
    assert read(parquet(tmp_path, {"x": [value]})).column("x") == [float(value)]
    assert to_table(pa.table({"x": [value]})).column("x") == [float(value)]


def test_parquet_decimals_beyond_exactness(tmp_path: Path) -> None:
    exact, inexact = decimal.Decimal("9007199254740994.0"), decimal.Decimal("9007199254740993.0")
    schema = Schema((Column("x", "numeric"),))
    path = parquet(tmp_path, {"x": [None, exact]})
    assert read(path).column("x") == [None, 2.0**53 + 2]
    assert read_like(read_blocks(path, schema), schema).column("x") == [None, 2.0**53 + 2]
    path = parquet(tmp_path, {"x": [exact, inexact]})
    for reading in (lambda: read(path), lambda: read_like(read_blocks(path, schema), schema)):
        with pytest.raises(
            DataError, match=r"Column 'x', row 1: the number 9007199254740993.0 is beyond ±2\^53"
        ):
            reading()


def test_parquet_bytes_are_text(tmp_path: Path) -> None:
    path = parquet(tmp_path, {"raw": ["é".encode(), None, b"a"]})
    assert read(path).column("raw") == ["é", None, "a"]
    schema = Schema((Column("raw", "nominal", ("a", "é")),))
    assert read_like(read_blocks(path, schema), schema).column("raw") == ["é", None, "a"]
    with pytest.raises(DataError, match=r"Column 'raw', row 1: the bytes b'\\xff' are not text in UTF-8"):
        read(parquet(tmp_path, {"raw": [b"a", b"\xff"]}))


def footer(data: bytes) -> int:
    """The length of the metadata, which stands behind them."""
    return int.from_bytes(data[-8:-4], "little")


DAMAGE = {
    "half": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "its first bytes": lambda data: data[:6],
    "nothing": lambda data: b"",
    "another format": lambda data: b"x,y\n1,2\n" * 100,
    "a footer of zeros": lambda data: data[: -8 - footer(data)] + bytes(footer(data)) + data[-8:],
    "a spoiled page": lambda data: data[:50] + bytes(byte ^ 255 for byte in data[50:400]) + data[400:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_parquet_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    schema = Schema((Column("n", "numeric"), Column("t", "nominal", ("a", "b"))))
    whole = parquet(tmp_path, {"n": [k * 0.37 for k in range(5000)], "t": ["a", "b"] * 2500})
    path = write(tmp_path, "b.parquet", DAMAGE[damage](whole.read_bytes()))
    for reading in (lambda: read(path), lambda: read_like(read_blocks(path, schema), schema)):
        with pytest.raises(FileFormatError, match=r"b.parquet cannot be read as Parquet: \S"):
            reading()


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
