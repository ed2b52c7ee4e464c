"""C4.5's pair of files: `.names` declares, `.data` is read by it; a bad row is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from branchwork.table.read import read
from table.files import facts, refused, write

NAMES = r"""| the golf table
no, yes.          | classes

outlook: sunny, over  cast,
         rainy, v1.5, a\,b.    | over two lines
temp.in.F: continuous.
id: ignore.
day: discrete 3.
time\: of day: am, pm
"""
DATA = r"""sunny, 85, 1, mon, am, no
over cast,80.5,x y,tue,pm,yes.
?, ?, ?, ?, ?, yes.|case 3
| nothing here

a\,b, 1., \?, mon, am, no
v1.5, -1e2, ?, \?, pm, ?
"""


def pair(folder: Path, names: str, data: str) -> Path:
    write(folder, "golf.names", names)
    return write(folder, "golf.data", data)


def test_c45_pair(tmp_path: Path) -> None:
    path = pair(tmp_path, NAMES, DATA)
    table = read(path)
    assert table.schema.names == ("outlook", "temp.in.F", "day", "time: of day", "class")
    assert table.schema[0].categories == ("sunny", "over cast", "rainy", "v1.5", "a,b")
    assert [column.declared for column in table.schema] == [True, False, False, True, True]
    assert table.column("outlook") == ["sunny", "over cast", None, "a,b", "v1.5"]
    assert table.column("temp.in.F") == [85.0, 80.5, None, 1.0, -100.0]
    assert table.column("day") == ["mon", "tue", None, "mon", "?"]
    assert table.schema[2].categories == ("?", "mon", "tue")
    assert table.column("time: of day") == ["am", "pm", None, "am", "pm"]
    assert table.schema[4].categories == ("no", "yes")
    assert table.column("class") == ["no", "yes", "yes", "no", None]
    assert facts(read(path.with_suffix(".names"))) == facts(table)


def test_c45_several_entries_on_a_line(tmp_path: Path) -> None:
    table = read(pair(tmp_path, "a, b. x: continuous. y: u, v.", "1, u, a\r\n2, v, b.\r\n"))
    assert (table.column("x"), table.column("y"), table.column("class")) == (
        [1.0, 2.0],
        ["u", "v"],
        ["a", "b"],
    )


@pytest.mark.parametrize("kept", [".names", ".data"])
def test_c45_other_half_is_missing(tmp_path: Path, kept: str) -> None:
    path = write(tmp_path, f"golf{kept}", "")
    other = {".names": ".data", ".data": ".names"}[kept]
    refused(path, f"expected golf{other} beside it")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("u, 1", "line 2: expected 3 fields (2 and the class), as golf.names declares, found 2"),
        ("u, 1, a, b", "line 2: expected 3 fields (2 and the class), as golf.names declares, found 4"),
        ("w, 1, a", "line 2: attribute 'x' is 'w'; expected one of u, v"),
        (r"\?, 1, a", "line 2: attribute 'x' is '?'; expected one of u, v"),
        ("u, one, a", "line 2: attribute 'y' is 'one'; expected a number or ?"),
        ("u, 9007199254740993, a", "line 2: attribute 'y': the integer 9007199254740993 is beyond"),
        ("u, 1, c", "line 2: attribute 'class' is 'c'; expected one of a, b"),
    ],
)
def test_c45_row_refused(tmp_path: Path, row: str, message: str) -> None:
    refused(pair(tmp_path, "a, b.\nx: u, v.\ny: continuous.\n", f"u, 1, a\n{row}\n"), message)


def test_c45_more_values_than_declared(tmp_path: Path) -> None:
    path = pair(tmp_path, "a, b.\nx: discrete 2.\n", "u, a\nv, a\nu, a\nw, a\n")
    refused(path, "line 4: attribute 'x' is 'w', one value too many; expected at most 2")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("", "line 1: expected the classes"),
        ("\nx: u, v.\n", "line 2: expected the classes"),
        ("a,,b.\n", "line 1: expected the classes"),
        ("a, b, a.\n", "line 1: 'class' declares the value 'a' twice"),
        ("a, b.\n\nx u, v.\n", "line 3: expected an attribute"),
        ("a, b.\nx:\n", "line 2: expected an attribute"),
        ("a, b.\nx: u, v,.\n", "line 2: expected an attribute"),
        ("a, b.\nx: u, u.\n", "line 2: 'x' declares the value 'u' twice"),
        ("a, b.\nx: real.\n", "line 2: attribute 'x' is 'real'; expected continuous, ignore, discrete"),
        ("a, b.\nx: discrete.\n", "line 2: attribute 'x' is 'discrete'"),
        ("a, b.\nx: u, v.\nx: u, v.\n", "'x' occurs 2 times"),
        ("a, b.\nclass: u, v.\n", "'class' occurs 2 times"),
    ],
)
def test_c45_names_refused(tmp_path: Path, names: str, message: str) -> None:
    path = pair(tmp_path, names, "u, a\n").with_suffix(".names")
    refused(path, message)


def test_c45_without_rows(tmp_path: Path) -> None:
    refused(pair(tmp_path, "a, b.\nx: u, v.\n", "| none\n"), "has no rows")
