"""Dropped columns are not judged, in any format; errors name the way to drop them that works."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from branchwork.errors import BranchworkError, DataError, ParameterError
from branchwork.table.blocks import read_blocks, read_like
from branchwork.table.read import read
from branchwork.table.schema import Column, Schema
from table.files import write

HUGE = "9007199254740993"


def csv_file(folder: Path) -> Path:
    return write(folder, "a.csv", f'id,size,y\n{HUGE},1,p\n"1,5",2,q\n')


def csv_of_integers(folder: Path) -> Path:
    return write(folder, "a.csv", f"size,id,y\n1,{HUGE},p\n2,-{HUGE},q\n")


def repeated_names(folder: Path) -> Path:
    return write(folder, "a.csv", f"id,size,id,y\n{HUGE},1,x,p\n3,2,x,q\n")


def arff_file(folder: Path) -> Path:
    return write(
        folder,
        "a.arff",
        "@relation r\n@attribute id numeric\n@attribute size numeric\n@attribute y {p, q}\n"
        f"@data\n{HUGE},1,p\noops,2,q\n",
    )


def arff_of_dates(folder: Path) -> Path:
    header = "@relation r\n@attribute size numeric\n@attribute id date 'yyyy-MM-dd'\n@attribute y {p, q}\n"
    return write(folder, "a.arff", header + "@data\n1,'2020-01-01',p\n2,,q\n")


def relational_arff(folder: Path) -> Path:
    nested = "@attribute id relational\n  @attribute u numeric\n  @attribute v {a}\n@end id\n"
    header = f"@relation r\n{nested}@attribute size numeric\n@attribute y {{p, q}}\n"
    return write(folder, "a.arff", header + "@data\n'1,a',1,p\n{1 2, 2 q}\n")


def arff_of_strange_type(folder: Path) -> Path:
    header = "@relation r\n@attribute id {x,x}\n@attribute size numeric\n@attribute y {p, q}\n"
    return write(folder, "a.arff", header + "@data\nx,1,p\ny,2,q\n")


def c45_files(folder: Path) -> Path:
    write(folder, "a.names", "p, q.\nid: continuous.\nsize: continuous.\n")
    return write(folder, "a.data", f"{HUGE},1,p\noops,2,q\n")


def c45_of_strange_type(folder: Path) -> Path:
    write(folder, "a.names", "p, q.\nid: label.\nsize: continuous.\n")
    return write(folder, "a.data", "3,1,p\n,2,q\n")


def parquet_of(expression: str) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        rows = f"(1.0, {expression}, 'p'), (2.0, NULL, 'q')"
        duckdb.sql(
            f"COPY (SELECT * FROM (VALUES {rows}) AS t(size, id, y)) TO '{folder / 'a.parquet'}' (FORMAT parquet)"
        )
        return folder / "a.parquet"

    return written


FILES: dict[str, Callable[[Path], Path]] = {
    "csv, quoted": csv_file,
    "csv": csv_of_integers,
    "csv, the name twice": repeated_names,
    "arff": arff_file,
    "arff, dates": arff_of_dates,
    "arff, relational": relational_arff,
    "arff, values twice": arff_of_strange_type,
    "c4.5": c45_files,
    "c4.5, a type of C5.0": c45_of_strange_type,
    "parquet, beyond 2^53": parquet_of(HUGE),
    "parquet, dates": parquet_of("DATE '2020-01-01'"),
    "parquet, lists": parquet_of("[1, 2]"),
}
TOLD = [name for name in FILES if name not in ("csv, quoted", "csv, the name twice")]


@pytest.mark.parametrize("with_duckdb", [True, False])
@pytest.mark.parametrize("kind", FILES)
def test_a_dropped_column_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, with_duckdb: bool
) -> None:
    path = FILES[kind](tmp_path)
    if not with_duckdb and path.suffix != ".parquet":  # DuckDB alone reads Parquet
        monkeypatch.setitem(sys.modules, "duckdb", None)
    target = "class" if path.suffix == ".data" else "y"
    for drop in ("id", ["id"]):
        table = read(path, drop=drop)
        assert table.schema.names == ("size", target)
        assert (table.column("size"), table.column(target)) == ([1.0, 2.0], ["p", "q"])


@pytest.mark.parametrize("kind", TOLD)
def test_the_error_names_the_way_to_drop_it(tmp_path: Path, kind: str) -> None:
    path = FILES[kind](tmp_path)
    with pytest.raises(BranchworkError) as caught:
        read(path)
    assert "To leave the column out, use drop=['id'] in bw.read, or --drop id on the command line." in str(
        caught.value
    )


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind != "csv, the name twice"])
def test_a_model_that_does_not_use_a_column_reads_the_file_past_it(tmp_path: Path, kind: str) -> None:
    schema = Schema((Column("size", "numeric"),))
    path = FILES[kind](tmp_path)
    assert read_like(read_blocks(path, schema), schema).column("size") == [1.0, 2.0]
    if path.suffix != ".data":
        (block,) = read_blocks(path, schema, keep=True)
        assert len(block.kept) == 3


@pytest.mark.parametrize("path", [csv_file, arff_file, c45_files, parquet_of("5")])
def test_an_unknown_name_gets_a_suggestion(tmp_path: Path, path: Callable[[Path], Path]) -> None:
    file = path(tmp_path)
    with pytest.raises(DataError, match=r"'sise' cannot be dropped\. There is no .*\. Did you mean 'size'\?"):
        read(file, drop=["id", "sise"])
    every = ["id", "size", "class" if file.suffix == ".data" else "y"]
    with pytest.raises(DataError, match="all columns were dropped; expected at least one to stay"):
        read(file, drop=every)


def test_drop_must_be_names(tmp_path: Path) -> None:
    for drop in (0, [1], [None]):
        with pytest.raises(ParameterError, match="expected the name of a column, or a list of names"):
            read(csv_file(tmp_path), drop=drop)  # type: ignore[arg-type]


def test_positions_count_the_columns_that_stay(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "id,size,code\n1,2,3\n")
    table = read(path, drop="id", categorical_features=[1])
    assert [column.kind for column in table.schema] == ["numeric", "nominal"]
