"""Decimal commas: which columns have them, what is said, and that a model's rows are read in the same way."""

import warnings

import pytest

import branchwork as bw
from branchwork.errors import DecimalWarning, FileFormatError, MixedColumnWarning, ParameterError
from branchwork.table import csv_file
from branchwork.table.blocks import read_blocks, read_like
from table.files import write

from commands import call

ROWS = [(f"{k},{k % 7}5", f"{k}", "xyz"[k % 3], "yes" if k % 5 > 1 else "no") for k in range(40)]
FILE = "fare;n;word;y\n" + "\n".join(";".join(row) for row in ROWS) + "\n"
FARES = [float(row[0].replace(",", ".")) for row in ROWS]


def read(folder, text, name="a.csv", **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = bw.read(write(folder, name, text), **options)
    return table, [str(one.message) for one in caught if one.category is DecimalWarning]


@pytest.mark.parametrize("reader", ["duckdb", "csv"])
def test_columns_of_decimal_commas_are_numbers_and_one_sentence_says_so(tmp_path, monkeypatch, reader):
    if reader == "csv":
        monkeypatch.setattr(csv_file, "cells_by_duckdb", lambda *_: None)
    table, said = read(tmp_path, FILE)
    assert table.column("fare") == FARES and table.column("n") == list(range(40))
    (sentence,) = said
    assert "column 'fare' was read with decimal commas: '0,05' is 0.05." in sentence
    asked, silent = read(tmp_path, FILE, decimal=",")
    assert asked.column("fare") == FARES and silent == []
    kept, silent = read(tmp_path, FILE, decimal=".")
    assert kept.column("fare") == [row[0] for row in ROWS] and silent == []


def test_other_separators_signs_exponents_blanks_and_missing_cells(tmp_path):
    text = "a\tb\n-1,5\t1\n +2,25 \t2\nNA\t3\n3\t4\n1,5e3\t5\n,5\t6\n"
    table, said = read(tmp_path, text, "a.tsv")
    assert table.column("a") == [-1.5, 2.25, None, 3.0, 1500.0, 0.5] and len(said) == 1
    prices, _ = read(
        tmp_path, "a;b\n1.234,50;1\n12,50;2\n"
    )  # points between thousands, as long as a comma follows
    assert prices.column("a") == [1234.5, 12.5]
    quoted, said = read(tmp_path, 'a,b\n"1,5",1\n"2,5",2\n')
    assert quoted.column("a") == ["1,5", "2,5"] and said == []  # commas separate the cells: only on request
    assert read(tmp_path, 'a,b\n"1,5",1\n"2,5",2\n', decimal=",")[0].column("a") == [1.5, 2.5]


def test_what_could_mean_thousands_is_said(tmp_path):
    table, (said,) = read(tmp_path, "a;b\n1,234;1\n21,500;2\n")
    assert table.column("a") == [1.234, 21.5] and "is taken for 1.234, not for 1234." in said
    _, (said,) = read(tmp_path, "a;b\n1,234;1\n21,5;2\n")
    assert ", not for" not in said


@pytest.mark.parametrize("cell", ["1,2,3", "x", "1.5", "1,2 3", "1.234"])
def test_all_cells_of_a_column_must_agree(tmp_path, cell):
    table, said = read(tmp_path, f"a;b\n1,5;1\n2,5;2\n{cell};3\n")
    assert table.column("a") == ["1,5", "2,5", cell] and said == []


def test_a_file_with_decimal_points_keeps_its_commas(tmp_path):
    table, (said,) = read(tmp_path, "a;b\n1,234;1.5\n2,500;2\n")
    assert table.column("a") == ["1,234", "2,500"] and "column 'b' has decimal points" in said


def test_a_few_texts_among_decimal_commas_are_named(tmp_path):
    path = write(tmp_path, "a.csv", FILE + "?;1;x;no\n")
    with pytest.warns(
        MixedColumnWarning, match=r"column 'fare' .* because of '\?' in line 42 \(40 other cells"
    ):
        assert bw.read(path).schema[0].is_nominal
    assert bw.read(path, missing=["?"], decimal=",").column("fare") == [*FARES, None]


def test_too_large_numbers_and_wrong_marks_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"Column .a..* is beyond ±2\^53"):
        bw.read(write(tmp_path, "a.csv", "a;b\n9007199254740993,0;1\n1,5;2\n"), decimal=",")
    with pytest.raises(ParameterError, match=r"decimal=';'; expected '\.' or ','"):
        bw.read(write(tmp_path, "a.csv", FILE), decimal=";")
    with pytest.raises(ParameterError, match=r"decimal=',' is for \.csv, .* its own way to write numbers"):
        bw.read(write(tmp_path, "a.arff", "@relation a\n@attribute a numeric\n@data\n1\n"), decimal=",")


def test_rows_for_a_model_are_read_in_the_same_way(tmp_path):
    table, _ = read(tmp_path, FILE)
    schema = table.drop(["word", "y"]).schema
    for options in ({}, {"decimal": ","}):
        found = read_like(read_blocks(tmp_path / "a.csv", schema, rows=7, **options), schema)
        assert found.column("fare") == FARES
    with pytest.raises(FileFormatError, match="column 'fare' is '0,05'; expected a number"):
        read_like(read_blocks(tmp_path / "a.csv", schema, decimal="."), schema)
    points = write(tmp_path, "b.csv", FILE.replace(",", "."))
    assert read_like(read_blocks(points, schema), schema).column("fare") == FARES


def test_a_look_at_a_frame_finds_decimal_commas():
    X = {"fare": [row[0] for row in ROWS], "z": [k % 3 for k in range(40)]}
    (found,) = bw.study.look(X, [row[3] for row in ROWS]).findings
    assert str(found.fix) == "to_number('fare', decimal=',')" and found.default
    assert bw.study.clean(X, fixes=found).table.column("fare") == FARES
    with pytest.raises(ParameterError, match="decimal="):
        bw.study.clean(X, fixes=bw.study.fix("to_number", "fare", decimal=";"))


def test_commands_take_the_mark(tmp_path):
    path = write(tmp_path, "a.csv", FILE.replace("0,05", "0.05"))
    done = call("grow", path, "--target", "y", "--decimal", ",", "-o", tmp_path / "m.bw")
    assert done.exit_code == 0
    path = write(tmp_path, "b.csv", FILE)
    done = call("grow", path, "--target", "y", "-o", tmp_path / "m.bw")
    assert done.exit_code == 0 and "read with decimal commas" in done.stderr.replace("\n", " ")
    answers = call("predict", tmp_path / "m.bw", path).stdout.split()
    model = bw.load(tmp_path / "m.bw")
    assert answers[1:] == model.predict(read(tmp_path, FILE)[0].drop("y")).tolist()
    done = call("grow", path, "--target", "y", "--decimal", "x")
    assert done.exit_code == 2 and "decimal='x'; expected '.' or ','." in done.stderr
