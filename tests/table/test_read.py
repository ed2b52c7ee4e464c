"""Files come in whole and in order, or are refused: file, line, what was expected, what was found."""

from __future__ import annotations

import csv
import decimal
import io
import math
import re
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from branchwork.errors import (
    BranchworkError,
    CellTypeError,
    DataError,
    FileFormatError,
    MissingExtraError,
    ParameterError,
)
from branchwork.table import csv_file
from branchwork.table.read import read
from branchwork.table.table import Table


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def facts(table: Table) -> dict[str, object]:
    """Everything that tells one table from another, with NaN and -0.0 told apart by their bits."""
    return {
        column.name: (column, array.dtype.str, np.where(array != array, np.nan, array).tobytes())
        for column, array in zip(table.schema, table.arrays, strict=True)
    }


def result_of(path: Path, **options: object) -> object:
    try:
        return facts(read(path, **options))  # type: ignore[arg-type]
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
    return csv_file.cells_by_duckdb(path, data, header, ",", ["", *markers]) is not None


def refused(path: Path, *fragments: str, error: type[Exception] = FileFormatError, **options: object) -> None:
    with pytest.raises(error) as caught:
        read(path, **options)  # type: ignore[arg-type]
    for fragment in (str(path), *fragments):
        assert fragment in str(caught.value)


@pytest.fixture(params=["duckdb", "csv"])
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "csv":
        monkeypatch.setitem(sys.modules, "duckdb", None)
    return str(request.param)


# ---- choosing by suffix ------------------------------------------------------------------------------------


def test_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    refused(write(tmp_path, "a.xlsx", ""), "'.xlsx'", ".csv, .txt, .tsv, .parquet, .pq, .arff, .data, .names")
    refused(write(tmp_path, "plain", ""), "no suffix")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "parquet", "pq", "arff", "data", "names"])
def test_absent_file_is_named(tmp_path: Path, suffix: str) -> None:
    refused(tmp_path / f"gone.{suffix}", "does not exist")
    (tmp_path / f"folder.{suffix}").mkdir()
    refused(tmp_path / f"folder.{suffix}", "is not a file")


def test_path_may_be_text_and_suffix_upper_case(tmp_path: Path) -> None:
    assert read(str(write(tmp_path, "a.CSV", "x,y\n1,u\n"))).shape == (1, 2)


def test_missing_is_for_delimited_files_only(tmp_path: Path) -> None:
    path = write(tmp_path, "a.arff", "@relation r\n@attribute x numeric\n@data\n1\n")
    refused(path, "missing='?'", ".csv, .txt, .tsv", error=ParameterError, missing="?")
    refused_marker = write(tmp_path, "a.csv", "x,y\n1,2\n")
    with pytest.raises(ParameterError, match="found 99"):
        read(refused_marker, missing=(99,))  # type: ignore[arg-type]


def test_categorical_features_makes_numbers_nominal(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y\n3,u\n1,v\n,v\n")
    table = read(path, categorical_features=["x"])
    assert table.schema[0].categories == (1.0, 3.0)
    assert table.column("x") == [3.0, 1.0, None]


# ---- CSV: one rule, two roads ------------------------------------------------------------------------------


def test_columns_in_file_order_with_kinds_by_their_text(tmp_path: Path, road: str) -> None:
    path = write(
        tmp_path, "a.csv", "n,t,b,e\n1,red,true,\n 2.5 ,blue,false,NA\nNaN,None,,nan\n-.5e1, red,true,\n"
    )
    table = read(path)
    assert table.schema.names == ("n", "t", "b", "e")
    assert [column.kind for column in table.schema] == ["numeric", "nominal", "nominal", "numeric"]
    assert table.column("n") == [1.0, 2.5, None, -5.0]
    assert table.column("t") == ["red", "blue", "None", " red"]
    assert table.schema[1].categories == (" red", "None", "blue", "red")
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
        ("1e999", math.inf),
        ("4.9e-324", 5e-324),
        ("1e-999", 0.0),
        ("9007199254740992", 2.0**53),
        ("9007199254740993.0", 2.0**53),
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
    ],
)
def test_delimiter(tmp_path: Path, road: str, name: str, text: str, names: tuple[str, ...]) -> None:
    table = read(write(tmp_path, name, text))
    assert table.schema.names == names
    assert table.shape == (1, len(names))


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
        (b'x,y\n1,2\n"a"b,3\n', "line 3: a field in quotes does not end well"),
        (b'x,y\n1,2\n"a,3\n', "line 3: a field in quotes does not end well"),
        (b'x,y\n"a" ,3\n', "line 2: a field in quotes does not end well"),
        (b'"x"a,y\n1,2\n', "line 1: a field in quotes does not end well"),
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
ALLOW_FOLDER = settings(
    deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


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


@settings(ALLOW_FOLDER, max_examples=60)
@given(
    rows=st.lists(st.tuples(st.floats(allow_nan=False), WORDS.filter(lambda w: w.strip(" \t"))), min_size=1)
)
def test_written_table_comes_back(tmp_path: Path, rows: list[tuple[float, str]]) -> None:
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("number", "word"), *rows])
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
    assert isinstance(both_roads(tmp_path / "a.csv"), dict)
    assert read(tmp_path / "a.csv").column("i") == list(range(30_000))


# ---- Parquet -----------------------------------------------------------------------------------------------


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


# ---- ARFF --------------------------------------------------------------------------------------------------

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
        ("1, u", "line 6: expected 3 values, one an attribute, found 2"),
        ("1, u, p, q", "line 6: expected 3 values, one an attribute, found 4"),
        ("1,, p", "line 6: attribute 'b' is empty"),
        ("1, 'w x, p", "line 6: expected a value, then a comma or the end"),
        ("1, 'u'v, p", "line 6: expected a value, then a comma or the end"),
        ("1, u, p}", "line 6: expected 3 values, one an attribute, found a }"),
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


# ---- C4.5 --------------------------------------------------------------------------------------------------

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
