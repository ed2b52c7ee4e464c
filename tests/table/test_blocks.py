"""Files in the columns of a model, block by block."""

import csv
import io
import tempfile
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import (
    CellTypeError,
    DataError,
    FileFormatError,
    ParameterError,
    UnseenCategoryWarning,
)
from branchwork.table.blocks import read_blocks, read_like

SIZES = [1, 2, 3, 7, 1000]
SCHEMA = bw.Schema(
    (
        bw.Column("age", "numeric"),
        bw.Column("code", "nominal", ("01", "02", "x")),
        bw.Column("grade", "nominal", (1.0, 2.0, 3.0)),
        bw.Column("known", "nominal", (False, True)),
    )
)
TEXT = """id,known,grade,age,code
a,true,1,,01
b,True,2,NA,02
c,,3.0,,01

d,False,01,41.5," x"
e,false,,1e3, x
f,TRUE,4,-7,03
"""


def cells(table):
    return [array.tolist() for array in table.arrays]


def known(table):
    """Cells without NaN, which is not equal to itself."""
    return [[None if cell != cell else cell for cell in column] for column in cells(table)]


def together(blocks):
    """The columns of all blocks, joined."""
    parts = zip(*(known(block.table) for block in blocks), strict=True)
    return [list(chain.from_iterable(columns)) for columns in parts]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("rows", SIZES)
def test_the_schema_decides_what_a_cell_is_whatever_else_is_in_its_block(file, rows):
    found = list(read_blocks(file, SCHEMA, rows=rows))
    assert all(1 <= block.table.n_rows <= rows for block in found)
    starts = [block.first_row for block in found]
    assert starts == np.cumsum([0, *(block.table.n_rows for block in found)]).tolist()[:-1]
    assert together(found) == [
        [None, None, None, 41.5, 1000.0, -7.0],
        [0, 1, 0, -2, 2, -2],  # " x" keeps its space, since it stands in quotes; 03 was never seen
        [0, 1, 2, 0, -1, -2],
        [1, 1, -1, 0, 0, -2],
    ]
    unseen = {}
    for block in found:
        for name, count in block.unseen.items():
            unseen[name] = unseen.get(name, 0) + count
    assert unseen == {"code": 2, "grade": 1, "known": 1}


def test_a_stream_is_read_as_a_file_is(file):
    whole = [known(block.table) for block in read_blocks(file, SCHEMA, rows=2)]
    stream = read_blocks(io.BytesIO(file.read_bytes()), SCHEMA, rows=2)
    assert [known(block.table) for block in stream] == whole


def test_all_columns_are_kept_as_they_stand_in_the_file(file):
    found = read_blocks(file, SCHEMA, rows=4, keep=True)
    assert found.names == ("id", "known", "grade", "age", "code")
    first, second = found
    assert first.kept[0] + second.kept[0] == tuple("abcdef")
    assert first.kept[2] == ("1", "2", "3.0")  # a blank line counts for the size of a block
    assert [block.kept for block in read_blocks(file, SCHEMA)] == [()]


def test_blocks_together_are_one_table_and_what_is_unseen_is_told_once(file):
    with pytest.warns(UnseenCategoryWarning) as told:
        table = read_like(read_blocks(file, SCHEMA, rows=1), SCHEMA)
    assert len(told) == 1 and "'code' (2 rows), 'grade' (1 row), 'known' (1 row)" in str(told[0].message)
    assert table.n_rows == 6 and table.schema is SCHEMA
    with pytest.raises(FileFormatError, match="no rows"):
        read_like(read_blocks(io.BytesIO(b"age,code,grade,known\n"), SCHEMA), SCHEMA)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".arff", ".parquet", ".data"])
def test_every_format_gives_what_the_whole_file_gives(tmp_path, suffix, rows):
    path = tmp_path / f"weather{suffix}"
    lines = [("sunny", "85", "no"), ("rainy", "?", "yes"), ("?", "70.5", "yes"), ("sunny", "64", "no")] * 2
    plain = [[cell.replace("?", "") for cell in line] for line in lines]
    if suffix in (".csv", ".tsv"):
        sign = "," if suffix == ".csv" else "\t"
        path.write_text("".join(sign.join(line) + "\n" for line in [["sky", "heat", "play"], *plain]))
    elif suffix == ".arff":
        head = "@relation w\n@attribute sky {sunny,rainy}\n@attribute heat real\n@attribute play {yes,no}\n@data\n"
        path.write_text(head + "".join(",".join(line) + "\n" for line in lines))
    elif suffix == ".data":
        path.with_suffix(".names").write_text("yes, no.\nsky: sunny, rainy.\nheat: continuous.\n")
        path.write_text("".join(",".join(line) + ".\n" for line in lines))
    else:
        duckdb = pytest.importorskip("duckdb")
        source = path.with_suffix(".csv")
        source.write_text("sky,heat,play\n" + "".join(",".join(line) + "\n" for line in plain))
        duckdb.sql(f"COPY (FROM '{source}') TO '{path}'")
    schema = bw.Schema((bw.Column("heat", "numeric"), bw.Column("sky", "nominal", ("sunny", "rainy"))))
    found = list(read_blocks(path, schema, rows=rows, keep=True))
    assert together(found) == [[85.0, None, 70.5, 64.0] * 2, [0, 1, -1, 0] * 2]
    shown = [cell for block in found for cell in block.kept[0]]
    assert [cell or None for cell in shown] == ["sunny", "rainy", None, "sunny"] * 2


def test_columns_are_found_by_name_and_a_missing_one_is_refused(file):
    with pytest.raises(DataError, match=r"Column 'aeg'.*missing from the table. Did you mean 'age'\?"):
        read_blocks(file, bw.Schema((bw.Column("aeg", "numeric"),)))


def test_columns_without_names_are_taken_in_order():
    unnamed = bw.Schema((bw.Column("x0", "numeric"), bw.Column("x1", "numeric")), named=False)
    (block,) = read_blocks(io.BytesIO(b"a,b\n1,2\n"), unnamed)
    assert cells(block.table) == [[1.0], [2.0]]
    (block,) = read_blocks(io.BytesIO(b"x1,x0,y\n1,2,3\n"), unnamed)
    assert cells(block.table) == [[2.0], [1.0]]
    with pytest.raises(DataError, match="The file has 3 columns, but the model was trained on 2"):
        read_blocks(io.BytesIO(b"a,b,c\n1,2,3\n"), unnamed)


AGE = bw.Schema((bw.Column("age", "numeric"),))
NOTE = "note,age\n"


@pytest.mark.parametrize("rows", [1, 2, 1000])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NOTE + "a,1\n\nb,2\nc,old\n", "line 5: column 'age' is 'old'; expected a number"),
        (NOTE + '"a\n\r\nb",1\nc,1_000\n', "line 5: column 'age' is '1_000'"),
        (NOTE + "a,1\nb\n", "line 3: expected 2 fields, as in the header, found 1"),
        (NOTE + 'a,1\nb,2\n"c\nd,3\n', "line 4: a quoted field is not closed properly"),
        (NOTE + "a,1\nb,9007199254740993\n", r"line 3: column 'age': the integer 9007199254740993 is beyond"),
        ("", "is empty; expected a row of column names"),
        ("age,age\n", "the column name 'age' occurs 2 times"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, message, rows):
    with pytest.raises(FileFormatError, match=message):
        list(read_blocks(io.BytesIO(text.encode()), AGE, rows=rows))


@pytest.mark.parametrize("suffix", [".csv", ".arff"])
@pytest.mark.parametrize("line", [3, 90, 150, 5000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_byte_that_is_not_utf8_is_told_with_its_line(line, end, suffix):
    head = ["age,note"] if suffix == ".csv" else ["@attribute age real", "@attribute note string", "@data"]
    lines = [*head, *(f"{k},größer" for k in range(6000))]
    data = [text.encode() for text in lines]
    data[line - 1] += b"\xe9"
    with pytest.raises(FileFormatError, match=f"line {line}: expected text in UTF-8, found the byte 0xe9"):
        list(read_blocks(io.BytesIO(end.encode().join(data)), AGE, suffix=suffix, rows=100))


def test_a_block_of_long_rows_is_a_short_one():
    long = "x" * 1_000_000
    text = "age,note\n" + "".join(f"{k},{long}\n" for k in range(40))
    sizes = [block.table.n_rows for block in read_blocks(io.BytesIO(text.encode()), AGE)]
    assert sum(sizes) == 40 and max(sizes) <= 20


def test_a_quote_that_is_never_closed_does_not_swallow_the_file():
    text = 'age,note\n1,"' + "x\n" * (2**23 + 10)
    with pytest.raises(FileFormatError, match="line 2: a quoted field is not closed properly"):
        list(read_blocks(io.BytesIO(text.encode()), AGE))


def test_texts_for_missing_cells_are_for_csv():
    (block,) = read_blocks(io.BytesIO(b"age\n?\n1\n"), AGE, missing="?")
    assert known(block.table) == [[None, 1.0]]
    with pytest.raises(ParameterError, match="standard input has its own way to mark missing cells"):
        read_blocks(io.BytesIO(b"@data"), AGE, missing="?", suffix=".arff")


def test_streams_and_sizes_that_cannot_be(file):
    with pytest.raises(FileFormatError, match=r"standard input cannot be read as \.parquet"):
        read_blocks(io.BytesIO(b""), AGE, suffix=".parquet")
    with pytest.raises(ParameterError, match="rows=0"):
        read_blocks(file, SCHEMA, rows=0)
    with pytest.raises(FileFormatError, match="does not exist"):
        read_blocks("nowhere.csv", SCHEMA)


def test_an_unknown_category_may_be_an_error_with_the_row_of_the_file(file):
    with pytest.raises(DataError, match=r"'code', row 3: category ' x' was not in the training table"):
        list(read_blocks(file, SCHEMA, rows=1, handle_unknown="error"))


def test_dates_in_parquet_matter_only_where_they_are_asked_for(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "days.parquet"
    duckdb.sql(f"COPY (SELECT 7 AS age, DATE '2020-01-02' AS day, [1, 2] AS list) TO '{path}'")
    (block,) = read_blocks(path, AGE, keep=True)
    assert cells(block.table) == [[7.0]] and str(block.kept[1][0]) == "2020-01-02"
    with pytest.raises(CellTypeError, match="'day' is of type DATE"):
        list(read_blocks(path, bw.Schema((bw.Column("day", "numeric"),))))


CELLS = st.text(st.sampled_from(',"\n\r ;\tab01.-eNAé'), max_size=5)


@given(
    cells=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    rows=st.integers(1, 13),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_any_text_is_read_as_the_whole_file_is(cells, rows, end):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerows([("p", "q", "r"), *cells])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.csv"
        path.write_bytes(text.getvalue().encode())
        whole = bw.read(path)
        found = list(read_blocks(path, whole.schema, rows=rows))
    assert together(found) == known(whole)
    assert not any(block.unseen for block in found)


def parquet(tmp_path, rows=50, row_name="id"):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "people.parquet"
    duckdb.sql(
        f"COPY (SELECT range AS {row_name}, CASE WHEN range % 5 = 0 THEN NULL ELSE range / 2 END AS age, "
        "CASE WHEN range % 7 = 0 THEN NULL WHEN range % 3 = 0 THEN '01' ELSE 'x' END AS code, "
        "range % 4 AS grade, CASE WHEN range % 6 = 0 THEN NULL ELSE range % 2 = 0 END AS known "
        f"FROM range({rows})) TO '{path}' (FORMAT parquet)"
    )
    return path


@pytest.mark.parametrize("ahead", [1, 7, 50, 1000])
@pytest.mark.parametrize("rows", [3, 16])
def test_parquet_read_as_arrays_is_parquet_read_as_rows(tmp_path, monkeypatch, ahead, rows):
    monkeypatch.setattr("branchwork.table.parquet_file.READ_AHEAD", ahead)
    path = parquet(tmp_path)
    arrays = list(read_blocks(path, SCHEMA, rows=rows))
    objects = list(read_blocks(path, SCHEMA, rows=1000, keep=True))
    assert together(arrays) == together(objects)
    assert max(block.table.n_rows for block in arrays) <= rows
    ends = [block.first_row + block.table.n_rows for block in arrays]
    assert [block.first_row for block in arrays] == [0, *ends[:-1]] and ends[-1] == 50


def test_a_column_may_have_the_name_that_duckdb_gives_to_numbers_of_rows(tmp_path):
    path = parquet(tmp_path, row_name="File_Row_Number")
    assert together(read_blocks(path, SCHEMA)) == together(read_blocks(path, SCHEMA, keep=True))


def test_rows_of_parquet_are_not_made_one_by_one(tmp_path, monkeypatch):
    """Cells come as arrays; a Python object for each would take five times as long."""
    monkeypatch.setattr("branchwork.table.parquet_file.object_column", None)
    assert together(read_blocks(parquet(tmp_path), AGE))[0][1:3] == [0.5, 1.0]
