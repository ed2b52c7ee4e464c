"""CSV: one rule, two roads; columns come in whole and in order, or file and line are named."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from branchwork.errors import BranchworkError, DataError
from branchwork.table.blocks import read_blocks, read_like
from branchwork.table.csv_duckdb import cells_by_duckdb
from branchwork.table.read import read
from table.files import facts, refused, write


def result_of(path: Path, **options: object) -> object:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return facts(read(path, **options)), [str(warning.message) for warning in caught]  # type: ignore[arg-type]
        except BranchworkError as error:
            return type(error), str(error)


def both_roads(path: Path, **options: object) -> object:
    """The result with DuckDB, after checking that it is the result without."""
    with_duckdb = result_of(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "duckdb", None)
        assert result_of(path, **options) == with_duckdb
    return with_duckdb


def by_duckdb(path: Path, *markers: str) -> bool:
    """Whether DuckDB itself reads the file."""
    data = path.read_bytes()
    header = next(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    return cells_by_duckdb(path, data, header, range(len(header)), ",", ["", *markers]) is not None


@pytest.fixture(params=["duckdb", "csv"])
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "csv":
        monkeypatch.setitem(sys.modules, "duckdb", None)
    return str(request.param)


def test_columns_in_file_order_with_kinds_by_their_text(tmp_path: Path, road: str) -> None:
    path = write(
        tmp_path, "a.csv", "n,t,b,e\n1,red,true,\n 2.5 ,blue,false,NA\nNaN,None,,nan\n-.5e1, red,true,\n"
    )
    table = read(path)
    assert table.schema.names == ("n", "t", "b", "e")
    assert [column.kind for column in table.schema] == ["numeric", "nominal", "nominal", "numeric"]
    assert table.column("n") == [1.0, 2.5, None, -5.0]
    assert table.column("t") == ["red", "blue", "None", "red"]
    assert table.schema[1].categories == ("None", "blue", "red")
    assert not table.schema[1].declared
    assert table.column("b") == ["true", "false", None, "true"]
    assert table.column("e") == [None] * 4
    assert not any(array.flags.writeable for array in table.arrays)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7.0),
        ("+7", 7.0),
        ("-7", -7.0),
        ("007", 7.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1E3", 1000.0),
        ("1e-3", 0.001),
        (" 8\t", 8.0),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("+INF", math.inf),
        ("4.9e-324", 5e-324),
        ("1e-999", 0.0),
        ("9007199254740992", 2.0**53),
        ("9007199254740994.0", 2.0**53 + 2),
        ("9.007199254740993e15", 2.0**53),
        ("1e23", 1e23),
        ("0.1000000000000000055511151231257827", 0.1),
    ],
)
def test_decimal_numbers(tmp_path: Path, road: str, text: str, value: float) -> None:
    table = read(write(tmp_path, "a.csv", f"x,y\n{text},{text}\n"))
    assert table.column("x") == table.column("y") == [value]


@pytest.mark.parametrize(
    "text",
    [
        "0x10",
        "1_000",
        "1 000",
        "1e",
        "e5",
        ".",
        "-",
        "+-1",
        "1e5.5",
        "1d",
        "1f",
        "infin",
        "١",
        "1\xa0",
        "NAN",
        "Nan",
        "na",
        "null",
        "NULL",
        "None",
        "\\N",
        "1%",
        "$1",
        "--1",
        "0b1",
        "TRUE",
        "2020-01-01",
        "1\x0b",
    ],
)
def test_other_text_is_nominal_as_given(tmp_path: Path, road: str, text: str) -> None:
    table = read(write(tmp_path, "a.csv", f"x,y\n{text},1\n5,2\n"))
    assert table.column("x") == [text, "5"]


def test_thousands_in_quotes_are_text(tmp_path: Path, road: str) -> None:
    assert read(write(tmp_path, "a.csv", 'x,y\n"1,000",1\n')).column("x") == ["1,000"]


def test_missing_replaces_the_list_but_empty_stays_missing(tmp_path: Path, road: str) -> None:
    path = write(tmp_path, "a.csv", "x,y,z\n1,?,0\n ?,NA,-99\n,,5\n?,nan,\n")
    table = read(path, missing=("?", "-99"))
    assert table.column("x") == [1.0, None, None, None]
    assert table.column("y") == [None, "NA", None, "nan"]
    assert table.column("z") == [0.0, None, 5.0, None]
    assert facts(read(path, missing="?")) == facts(read(path, missing=["?"]))
    quoted = write(tmp_path, "q.csv", "x,y\nit's,1\n")
    assert read(quoted, missing="it's").column("x") == [None]
    assert by_duckdb(quoted, "it's") is (road == "duckdb")


@pytest.mark.parametrize(
    ("integer", "row"), [("9007199254740993", 2), ("-9007199254740993", 1), (" 12345678901234567890", 3)]
)
def test_integers_beyond_exactness_are_refused_by_name_and_row(
    tmp_path: Path, road: str, integer: str, row: int
) -> None:
    cells = ["9007199254740992", "1e300", "-9007199254740992", "0"]
    cells[row] = integer
    path = write(tmp_path, "a.csv", "x,id\n" + "".join(f"1,{cell}\n" for cell in cells))
    refused(path, f"Column 'id', row {row}: the integer {integer.strip()} is beyond ±2^53", error=DataError)


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ("9007199254740993.0", "is beyond ±2^53"),
        ("-9007199254740992.5", "is beyond ±2^53"),
        (" 12345678901234567.", "is beyond ±2^53"),
        ("1e999", "is beyond ±1.8e+308"),
        ("-1" + "0" * 400, "is beyond ±1.8e+308"),
    ],
)
def test_numbers_beyond_exactness_are_refused_by_name_and_row(
    tmp_path: Path, road: str, number: str, why: str
) -> None:
    cells = ["9007199254740994.0", "1e300", number, "-inf"]
    path = write(tmp_path, "a.csv", "x,size\n" + "".join(f"1,{cell}\n" for cell in cells))
    refused(path, f"Column 'size', row 2: the number {number.strip()[:60]}", why, error=DataError)


def test_long_integer_of_five_thousand_digits_is_refused(tmp_path: Path, road: str) -> None:
    refused(write(tmp_path, "a.csv", f"x,y\n1,{'9' * 5000}\n"), "Column 'y', row 0")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(tmp_path: Path, road: str, end: str, last: bool, mark: str) -> None:
    text = mark + end.join(["x,y", "1,a", "2,b"]) + (end if last else "")
    table = read(write(tmp_path, "a.csv", text))
    assert table.schema.names == ("x", "y")
    assert (table.column("x"), table.column("y")) == ([1.0, 2.0], ["a", "b"])


def test_quotes_hold_delimiters_quotes_and_line_ends(tmp_path: Path, road: str) -> None:
    path = write(tmp_path, "a.csv", '"x,1",y\n"a,b","1"\n"a\nb",2\n"say ""hi""",3\n"",""\na"b,4\n')
    table = read(path)
    assert table.column("x,1") == ["a,b", "a\nb", 'say "hi"', None, 'a"b']
    assert table.column("y") == [1.0, 2.0, 3.0, None, 4.0]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.csv", "x,y;z\n1,2\n", ("x", "y;z")),
        ("a.csv", "x;y;z,w\n1;2;3\n", ("x", "y", "z,w")),
        ("a.csv", "x\ty\n1\t2\n", ("x", "y")),
        ("a.txt", "x;y\n1;2\n", ("x", "y")),
        ("a.csv", '"a,b,c";y\n1;2\n', ("a,b,c", "y")),
        ("a.csv", '"a\n,;,;b"\ty\n1\t2\n', ("a\n,;,;b", "y")),
        ("a.tsv", "x,1,2\ty\n1\t2\n", ("x,1,2", "y")),
        ("a.csv", "x\n1\n", ("x",)),
        ("a.csv", "x|y\n1|2\n", ("x", "y")),
        ("a.csv", '"a|b"|c, d|y\n"1|2"|3|4\n', ("a|b", "c, d", "y")),
        ("a.csv", "x|y,z\n1,2\n", ("x|y", "z")),
        ("a.csv", "sep=;\nx;y,z,w\n1;2\n", ("x", "y,z,w")),
        ("a.csv", '"sep=;"\r\nx;y\r\n1;2\r\n', ("x", "y")),
        ("a.csv", "\ufeffSEP=|\nx|y;z;w\n1|2\n", ("x", "y;z;w")),
        ("a.csv", "sep=^\rx^y\r1^2\r", ("x", "y")),
        ("a.csv", 'sep=;\n"x;1"; y\n"1;2"; "b "\n', ("x;1", "y")),
        ("a.tsv", "sep=,\nx,y\tz\n1,2\n", ("x", "y\tz")),
        ("a.csv", "sep,width\n1,2\n", ("sep", "width")),
    ],
)
def test_delimiter(tmp_path: Path, road: str, name: str, text: str, names: tuple[str, ...]) -> None:
    table = read(write(tmp_path, name, text))
    assert table.schema.names == names
    assert table.shape == (1, len(names))
    blocks = read_blocks(tmp_path / name, table.schema)
    assert facts(read_like(blocks, table.schema)) == facts(table)


def test_blank_lines_are_no_rows(tmp_path: Path, road: str) -> None:
    assert read(write(tmp_path, "a.csv", "\nx\n\n1\n\n\n2\n")).column("x") == [1.0, 2.0]
    assert read(write(tmp_path, "b.csv", "x,y\n\n1,2\n\n")).column("y") == [2.0]
    assert read(write(tmp_path, "c.csv", 'x\n1\n""\n')).column("x") == [1.0, None]


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("x,y\n1,2\n1\n", 3, 1),
        ("x,y\n1,2,3\n", 2, 3),
        ("x,y\n1,2\n3,4,\n", 3, 3),
        ("x,y\n,,\n", 2, 3),
        ("x,y\r\n1,2\r\n1\r\n", 3, 1),
        ('x,y\n"a\nb",1\n\n1\n', 5, 1),
        ('x,y\n1,2\n"a\nb"\n3,4\n', 3, 1),
        ("x,y\n1,2\n \n", 3, 1),
    ],
)
def test_ragged_row(tmp_path: Path, road: str, text: str, line: int, found: int) -> None:
    refused(
        write(tmp_path, "a.csv", text), f"line {line}: expected 2 fields, as in the header, found {found}"
    )


def test_a_ragged_row_names_a_delimiter_that_was_guessed(tmp_path: Path, road: str) -> None:
    refused(write(tmp_path, "a.csv", "x|y\n1|2\n3,4\n"), "line 3: expected 2 fields", "separated by '|'")
    refused(write(tmp_path, "b.csv", "sep=;\nx;y\n1;2\n3\n"), "line 4: expected 2 fields", "separated by ';'")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["x,y\n1,a\n", "x;y\r\n1;é\r\n", "имя,кот\n1,ж\n", "sep=;\nx;y\n1;2\n"])
def test_wide_characters_are_refused_by_the_name_of_their_encoding(
    tmp_path: Path, road: str, encoding: str, text: str
) -> None:
    path = write(tmp_path, "a.csv", text.encode(encoding))
    refused(path, f"iconv -f {encoding.replace('-le', 'le').replace('-be', 'be')} -t utf-8")


def test_a_nul_in_the_header_is_refused_and_in_a_cell_it_is_a_character(tmp_path: Path, road: str) -> None:
    refused(
        write(tmp_path, "a.csv", "x\0\0,y\n1,2\n"), "line 1: expected text in UTF-8, found a NUL character"
    )
    assert read(write(tmp_path, "b.csv", "x,y\n1,a\0\n")).column("y") == ["a\0"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\r\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"x,y", "has no rows"),
        (b"x,y\n\n", "has no rows"),
        (b"x,y,x\n1,2,3\n", "'x' occurs 2 times"),
        (b"x,y\n1,2\n\xe9,3\n", "line 3: expected text in UTF-8, found the byte 0xe9"),
        (b"x,y\r1,2\r\n\xff,3\n", "line 3: expected text in UTF-8"),
        (b"\xff\xfex\0,\0", "line 1: expected text in UTF-8"),
        (b'x,y\n1,2\n"a"b,3\n', "line 3: a quoted field is not closed properly"),
        (b'x,y\n1,2\n"a,3\n', "line 3: a quoted field is not closed properly"),
        (b'x,y\n"a" ,3\n', "line 2: a quoted field is not closed properly"),
        (b'"x"a,y\n1,2\n', "line 1: a quoted field is not closed properly"),
    ],
)
def test_files_that_are_no_table(tmp_path: Path, road: str, content: bytes, message: str) -> None:
    for name in ("a.csv", "a.txt"):
        refused(write(tmp_path, name, content), message)


def test_bytes_beyond_utf8_in_a_tsv(tmp_path: Path, road: str) -> None:
    refused(write(tmp_path, "a.tsv", b"x\ty\n1\t\xe9\n"), "line 2: expected text in UTF-8", "iconv")


def test_field_longer_than_the_csv_module_likes(tmp_path: Path, road: str) -> None:
    before = csv.field_size_limit()
    assert len(read(write(tmp_path, "a.csv", f"x,y\n{'a' * 200_000},1\n")).column("x")[0]) == 200_000
    assert csv.field_size_limit() == before


def test_path_is_taken_as_it_is(tmp_path: Path, road: str) -> None:
    folder = tmp_path / "day=2020-01-01" / "a[1]"
    folder.mkdir(parents=True)
    write(folder, "ab.csv", "x,y\n9,9\n")
    path = write(folder, "a*.csv", "x,y\n1,2\n")
    assert read(path).schema.names == ("x", "y")
    assert read(path).column("x") == [1.0]
    assert by_duckdb(path) is (road == "duckdb")


@pytest.mark.parametrize(
    ("text", "duckdb_reads_it"),
    [
        ("x,y\n1,a\n2,b\n", True),
        ("x,y\r\n1,a\r\n2,b\r\n", True),
        ('x,y\n"a,b",1\n"c\nd",2\n"e""f",\n', True),
        ('"x,1",y\n"a,b",1\n', True),
        ("x,y\n1,\n,\n", True),
        ("x,y\n1e300,inf\n", True),
        ("x\n1\n", False),  # one column
        ('x,y\n "a",1\n', False),  # a space beside a quote
        ('x,"y\n"\r\nNA\r\n', False),  # a line end in the header
        ('\ufeff"x",y\na,1\n', False),  # a quote behind a byte-order mark
        ('\ufeff"x\n1",y\n3,1,', False),
        ("x,y\n1,2,\n", False),  # an empty field too many
        ("x,y\n1,2\r\n3,4\n", False),  # two kinds of line end
        ("x,y\n9007199254740993,1\n", False),  # beyond ±2^53
    ],
)
def test_which_road_reads_what(tmp_path: Path, text: str, duckdb_reads_it: bool) -> None:
    path = write(tmp_path, "a.csv", text)
    assert by_duckdb(path) is duckdb_reads_it
    both_roads(path)


NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(2**54), 2**54).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["1e999", "-0", "+.5", "5.", " 7 ", "\t8", "1e-330", "00", "INF", "9007199254740993"]),
)
ABSENT = st.sampled_from(["", "NA", "nan", "NaN", " NA", "?", " "])
WORDS = st.one_of(
    st.sampled_from(
        ["true", "None", "a,b", 'q"q', "a\nb", " x", "y ", "é", "0x1", "1_0", "NULL", "\u2028", "#", "'"]
    ),
    st.text(max_size=4).filter(lambda text: not re.search("[\ud800-\udfff]", text)),
)
COLUMNS = st.sampled_from([NUMBERS, WORDS, NUMBERS | ABSENT, WORDS | ABSENT, ABSENT])


@st.composite
def well_formed(draw: st.DrawFn) -> str:
    columns = draw(st.lists(COLUMNS, min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*columns), max_size=12))
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=draw(st.sampled_from(",;\t")),
        lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow(f"x{j}" for j in range(len(columns)))
    writer.writerows(rows)
    return out.getvalue()


SCRAPS = st.sampled_from(
    [*'a1.-e",; \t\n\r?é\0\\#', '""', "\r\n", ",,", "NA", "1e5", "9007199254740993", '",', ',"']
)
ALLOW_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ALLOW_FOLDER
@given(text=well_formed(), missing=st.sampled_from([None, "?", ("0", "a,b")]))
def test_both_roads_agree_on_well_formed_files(tmp_path: Path, text: str, missing: object) -> None:
    both_roads(write(tmp_path, "a.csv", text), missing=missing)


@ALLOW_FOLDER
@given(scraps=st.lists(SCRAPS, max_size=24), bad=st.sampled_from([b"", b"", b"", b"\xff"]))
@example(scraps=["1", ",", "1", ","], bad=b"")
@example(scraps=[" ", '"', "a", '"', ",", "1"], bad=b"")
def test_both_roads_agree_on_anything(tmp_path: Path, scraps: list[str], bad: bytes) -> None:
    both_roads(write(tmp_path, "a.csv", b"x,y\n" + "".join(scraps).encode() + bad))


@settings(ALLOW_FOLDER)
@given(
    rows=st.lists(st.tuples(st.floats(allow_nan=False), WORDS.filter(lambda w: w.strip(" \t"))), min_size=1)
)
def test_written_table_comes_back(tmp_path: Path, rows: list[tuple[float, str]]) -> None:
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("number", "word"), *rows])
    table = read(tmp_path / "a.csv", missing=())
    assert np.array_equal(table.arrays[0], [number for number, _ in rows])
    if not table.schema[1].is_nominal:
        assert table.column("word") == [float(word) for _, word in rows]
    else:
        assert table.column("word") == [word for _, word in rows]


def test_both_roads_agree_on_a_long_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    words = ["a", "b,c", "x\ny", 'q"q', "", "NA", "1\n2,3\n4,5", "long" * 30]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["i", "word", "z"])
        for i, (word, z) in enumerate(zip(rng.choice(words, 30_000), rng.normal(size=30_000), strict=True)):
            writer.writerow([i, word, "" if i % 7 == 0 else repr(float(z))])
    assert by_duckdb(tmp_path / "a.csv")
    facts_and_warnings = both_roads(tmp_path / "a.csv")
    assert isinstance(facts_and_warnings, tuple)
    assert isinstance(facts_and_warnings[0], dict)
    assert read(tmp_path / "a.csv").column("i") == list(range(30_000))


def test_a_wide_file_with_few_rows_is_one_for_the_csv_module(tmp_path: Path) -> None:
    """DuckDB's time and memory grow with the square of the columns: 100 000 of them took 3.6 GB and 22 s."""
    names = [f"c{k}" for k in range(3000)]
    rows = [[str(k * row + 0.5) for k in range(3000)] for row in range(3)]
    path = write(tmp_path, "wide.csv", "\n".join(map(",".join, [names, *rows])) + "\n")
    assert not by_duckdb(path)
    table = read(path)
    assert table.shape == (3, 3000) and table.arrays[2999].tolist() == [0.5, 2999.5, 5998.5]


def test_a_file_of_many_columns_and_many_more_rows_is_one_for_duckdb(tmp_path: Path) -> None:
    line = ",".join(["1234567.5"] * 200) + "\n"
    path = write(tmp_path, "long.csv", ",".join(f"c{k}" for k in range(200)) + "\n" + line * 1400)
    assert by_duckdb(path)


def test_a_file_of_one_column_whose_cells_hold_commas(tmp_path):
    said = "line 3: expected 1 field, as in the header, found 2. Fields are separated by ','; a cell that holds a comma"
    refused(write(tmp_path, "a.csv", "a\n1\n3,4\n"), said)
