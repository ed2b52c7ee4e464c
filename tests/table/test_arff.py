"""ARFF, dense and sparse: declared values keep their order; a bad row is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from branchwork.errors import CellTypeError
from branchwork.table.read import read
from table.files import facts, refused, write

WEATHER = """% a comment
@RELATION 'the weather'

@Attribute outlook {sunny, 'over cast', "it's", rainy}   % declared order
@attribute 'temp in F' REAL
@attribute windy{TRUE,FALSE}
@attribute note string
@attribute n integer
@DATA
sunny, 85, FALSE, 'a, b', 1
% between
'over cast',80.5,TRUE,?,?

"it's" , ? , ?, '?', -3   % behind
?,1e2,'FALSE',"say \\"hi\\"\\n",0
rainy,1,TRUE,  plain words ,2
"""


def test_arff(tmp_path: Path) -> None:
    table = read(write(tmp_path, "a.arff", WEATHER))
    assert table.schema.names == ("outlook", "temp in F", "windy", "note", "n")
    assert table.schema[0].categories == ("sunny", "over cast", "it's", "rainy")
    assert [column.declared for column in table.schema] == [True, False, True, False, False]
    assert table.column("outlook") == ["sunny", "over cast", "it's", None, "rainy"]
    assert table.column("temp in F") == [85.0, 80.5, None, 100.0, 1.0]
    assert table.column("windy") == ["FALSE", "TRUE", None, "FALSE", "TRUE"]
    assert table.column("note") == ["a, b", None, "?", 'say "hi"\n', "plain words"]
    assert table.schema[3].categories == ("?", "a, b", "plain words", 'say "hi"\n')
    assert table.column("n") == [1.0, None, -3.0, 0.0, 2.0]
    assert facts(read(write(tmp_path, "b.arff", "\ufeff" + WEATHER.replace("\n", "\r\n")))) == facts(table)


SPARSE = "@relation r\n@attribute a numeric\n@attribute b {u, v, 'w x'}\n@attribute c {p, q}\n@data\n"


def test_arff_sparse_rows(tmp_path: Path) -> None:
    table = read(
        write(tmp_path, "a.arff", SPARSE + "{0 5, 1 'w x'}\n{}\n { 2 q } % end\n{1 v, 0 ?}\n1,v,q\n{1 ?}\n")
    )
    assert table.column("a") == [5.0, 0.0, 0.0, None, 1.0, 0.0]
    assert table.column("b") == ["w x", "u", "u", "v", "v", None]
    assert table.column("c") == ["p", "p", "q", "p", "q", "p"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1, x, p", "line 6: attribute 'b' is 'x'; expected one of u, v, w x"),
        ("1, '?', p", "line 6: attribute 'b' is '?'"),
        ("one, u, p", "line 6: attribute 'a' is 'one'; expected a number or ?"),
        ("NaN, u, p", "line 6: attribute 'a' is 'NaN'; expected a number"),
        ("9007199254740993, u, p", "line 6: attribute 'a': the integer 9007199254740993 is beyond ±2^53"),
        ("1, u", "line 6: expected 3 values, one per attribute, found 2"),
        ("1, u, p, q", "line 6: expected 3 values, one per attribute, found 4"),
        ("1,, p", "line 6: attribute 'b' is empty"),
        ("1, 'w x, p", "line 6: expected a value, then a comma or the end"),
        ("1, 'u'v, p", "line 6: expected a value, then a comma or the end"),
        ("1, u, p}", "line 6: expected 3 values, one per attribute, found a }"),
        ("{3 p}", "line 6: attribute number 3 is too high"),
        ("{0 1, 0 2}", "line 6: attribute number 0 is given twice"),
        ("{0 1, b u}", "line 6: expected a number and value"),
        ("{0 1", "line 6: expected a number and value"),
        ("{0 1}, {2}", "line 6: expected nothing after the }"),
    ],
)
def test_arff_row_refused(tmp_path: Path, row: str, message: str) -> None:
    refused(write(tmp_path, "a.arff", SPARSE + row + "\n"), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no @data line"),
        ("@relation r\n@attribute a numeric\n", "has no @data line"),
        ("@relation r\n@attribute a numeric\n@data\n", "has no rows"),
        ("@relation r\n@data\n1\n", "line 2: @data comes before any @attribute"),
        ("@relation r\n1,2\n", "line 2: expected @relation, @attribute or @data, found '1,2'"),
        ("@attribute a\n", "line 1: attribute 'a' is ''; expected numeric"),
        ("@attribute\n", "line 1: expected @attribute, a name and a type"),
        ("@attribute a floaty\n", "line 1: attribute 'a' is 'floaty'; expected numeric"),
        ("@attribute a {x, y\n", "line 1: attribute 'a': expected its values in {…} on one line"),
        ("@attribute a {x, y} z\n", "line 1: attribute 'a': expected its values in {…} on one line"),
        ("@attribute a {x, y, x}\n", "line 1: attribute 'a' declares the value 'x' twice"),
        ("@attribute a {x,,y}\n", "line 1: attribute 'a' declares an empty value"),
        ("@attribute a {}\n", "line 1: attribute 'a' declares an empty value"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "'a' occurs 2 times"),
        ("@attribute s string\n@attribute a real\n@data\n{1 5}\n", "line 4: the sparse row leaves out 's'"),
    ],
)
def test_arff_file_refused(tmp_path: Path, text: str, message: str) -> None:
    refused(write(tmp_path, "a.arff", text), message)


def test_arff_bytes_beyond_utf8(tmp_path: Path) -> None:
    refused(write(tmp_path, "a.arff", b"@relation r\n% caf\xe9\n"), "line 2: expected text in UTF-8")


def test_arff_dates_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a.arff", '@relation r\n@attribute day DATE "yyyy-MM-dd"\n@data\n')
    refused(path, "line 2: attribute 'day' is of type DATE", "days since a fixed day", error=CellTypeError)
