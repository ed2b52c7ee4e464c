"""Blanks around CSV fields: unquoted ones lose them, quoted ones keep them, and all readers agree."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from branchwork.errors import FileFormatError
from branchwork.table.blocks import read_blocks, read_like
from branchwork.table.csv_records import Records
from branchwork.table.read import read
from branchwork.table.schema import Column, Schema
from table.files import write
from table.test_csv_file import both_roads


def records_of(text: str, delimiter: str = ",", at_once: int = 1000) -> list[list[str]]:
    records = Records(io.StringIO(text, newline=""), "a.csv", delimiter)
    found = []
    while some := records.read(at_once):
        found += some
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b,c \t, d\n", ["a", "b", "c", "d"]),
        ('a, "b", " c ",d\n', ["a", "b", " c ", "d"]),
        ('" a""b ",x y ,\n', [' a"b ', "x y", ""]),
        ('a "b" , c"\n', ['a "b"', 'c"']),
        ('a," b\r\n c ", d', ["a", " b\r\n c ", "d"]),
        ('" "\n', [" "]),
        (" , ", ["", ""]),
        ("\u00a0a\u00a0,b\u2003\n", ["\u00a0a\u00a0", "b\u2003"]),  # only spaces and tabs count
    ],
)
def test_blanks_around_unquoted_fields(text: str, expected: list[str]) -> None:
    assert records_of(text) == [expected]
    assert records_of("\n" + text, at_once=1) == [[], expected]


def test_a_tab_that_parts_fields_is_no_blank() -> None:
    assert records_of(' a\t"\tb "\t\tc \n', "\t") == [["a", "\tb ", "", "c"]]


def test_text_after_a_closing_quote_is_refused_with_its_line() -> None:
    with pytest.raises(FileFormatError, match=r"a.csv, line 2: a quoted field is not closed properly"):
        records_of('a,b\n"x" ,1\n')


FIELDS = st.lists(st.sampled_from(['"', " ", "\t", "a", "b", "\n", ","]), max_size=5).map("".join)
ROWS = st.lists(
    st.tuples(FIELDS, FIELDS, st.booleans(), st.sampled_from(["", " ", "  "])), min_size=1, max_size=6
)


@given(rows=ROWS, at_once=st.sampled_from([1, 2, 100]))
def test_quoted_fields_keep_every_blank(rows: list[tuple[str, str, bool, str]], at_once: int) -> None:
    lines, expected = [], []
    for one, other, quoted, before in rows:
        bare = other.replace('"', "").replace("\n", "").replace(",", "")
        first = '"' + one.replace('"', '""') + '"'
        lines.append(f"{before}{first},{bare}" if quoted else f"{bare}x,{before}{first}")
        stripped = bare.strip(" \t")
        expected.append([one, stripped] if quoted else [f"{bare}x".strip(" \t"), one])
    assert records_of("\r\n".join(lines) + "\r\n", at_once=at_once) == expected


SPACED = ' size , colour, "the note"\n 1, red ," as is "\n2.5,red,plain\n , blue, \t\n'


@pytest.mark.parametrize("text", [SPACED, SPACED.replace('"', ""), SPACED.replace(",", ";")])
def test_names_and_values_without_blanks(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "a.csv", text)
    both_roads(path)
    table = read(path)
    assert table.schema.names == ("size", "colour", "the note")
    assert table.column("size") == [1.0, 2.5, None]
    assert table.column("colour") == ["red", "red", "blue"]
    assert table.column("the note") == [" as is " if '"' in text else "as is", "plain", None]


def test_tabs_between_fields(tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv"):
        path = write(tmp_path, name, 'size \t colour\t "the note"\n 1\t red \t" as is "\n \t\t \n')
        both_roads(path)
        assert read(path).row(0) == {"size": 1.0, "colour": "red", "the note": " as is "}
        assert read(path).row(1) == {"size": None, "colour": None, "the note": None}


CELL = st.sampled_from(
    ["a", " a", "a ", "\ta", '" a"', '"a "', '"a"', ' "a"', "", " ", "7", " 7", '" 7 "', "NA "]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6))
def test_all_readers_agree(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    text = "one, two\n" + "".join(f"{one},{two}\n" for one, two in rows)
    path = write(tmp_path, "a.csv", text)
    both_roads(path)
    table = read(path, categorical_features=["one", "two"])
    schema = Schema(tuple(Column(c.name, "nominal", c.categories) for c in table.schema))
    for size in (1, 100):
        found = read_like(read_blocks(path, schema, rows=size), schema)
        assert [found.column(name) for name in schema.names] == [table.column(name) for name in schema.names]
