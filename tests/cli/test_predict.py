"""`branchwork predict`: the rows of a file, block by block."""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.cli.predict import _Csv
from branchwork.model.combine import Combine
from branchwork.model.packed import packed_trees
from branchwork.store.file import load, save
from branchwork.table import blocks
from branchwork.table.schema import Schema
from contract.checks import SANITIZED

from commands import call, run


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_answers_are_those_of_the_model(model, patients):
    done = run("predict", model, patients)
    table = bw.read(patients).drop(["id", "outcome"])
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines() == ["prediction", *load(model).predict(table)]


def test_probabilities_and_kept_columns(model, patients):
    done = call("predict", model, patients, "--proba", "--keep")
    header, *lines = done.stdout.splitlines()
    assert header == "id,age,pulse,outcome,prediction,p(ill),p(well)"
    assert [line.rsplit(",", 3)[0] for line in lines] == patients.read_text().splitlines()[1:]
    shares = [[float(row["p(ill)"]), float(row["p(well)"])] for row in rows_of(done.stdout)]
    table = bw.read(patients).drop(["id", "outcome"])
    assert shares == load(model).predict_proba(table).tolist()


def test_json_lines(model, patients):
    lines = call("predict", model, patients, "--json", "--proba", "--keep").stdout.splitlines()
    first = json.loads(lines[0])
    assert len(lines) == 20 and first["row"] == {"id": "0", "age": "20", "pulse": "60", "outcome": "well"}
    assert first["prediction"] == "well" and first["probabilities"] == {"ill": 0.0, "well": 1.0}
    assert json.loads(call("predict", model, patients, "--json").stdout.splitlines()[0]) == {
        "prediction": "well"
    }


def test_numbers_come_out_exactly(rentals):
    bikes = bw.datasets.load("bike_rentals")
    done = call("predict", rentals, "bike_rentals")
    expected = load(rentals).predict(bikes.X)
    assert [float(row["prediction"]) for row in rows_of(done.stdout)] == expected.tolist()
    done = call("predict", rentals, "bike_rentals", "--proba")
    assert done.exit_code == 2 and "has no probabilities" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("rows", [1, 3, 7, 1000])
def test_the_size_of_blocks_does_not_matter(model, patients, rows, monkeypatch):
    whole = call("predict", model, patients, "--proba", "--keep").stdout
    monkeypatch.setattr(
        blocks.read_blocks, "__kwdefaults__", {**blocks.read_blocks.__kwdefaults__, "rows": rows}
    )
    assert call("predict", model, patients, "--proba", "--keep").stdout == whole
    assert call("predict", model, "-", "--proba", "--keep", stdin=patients.read_text()).stdout == whole


def test_an_ensemble_is_packed_once_for_all_blocks(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 3)), 3)
    trees = [bw.TreeClassifier(max_depth=5).fit(X, rng.permutation(300) % 2).model_ for _ in range(12)]
    forest = replace(trees[0], trees=tuple(one.trees[0] for one in trees), combine=Combine("mean"))
    forest = replace(
        forest, schema=Schema(tuple(replace(c, name=f"c{j}") for j, c in enumerate(forest.schema)))
    )
    save(forest, tmp_path / "forest.bw")
    rows = "\n".join([",".join(forest.schema.names), *(",".join(map(str, row)) for row in X.tolist())])
    (tmp_path / "rows.csv").write_text(rows + "\n")
    monkeypatch.setattr(
        blocks.read_blocks, "__kwdefaults__", {**blocks.read_blocks.__kwdefaults__, "rows": 37}
    )
    made = []
    monkeypatch.setattr(
        "branchwork.model.model.packed_trees", lambda *a, **k: made.append(1) or packed_trees(*a, **k)
    )
    done = call("predict", tmp_path / "forest.bw", tmp_path / "rows.csv", "--proba")
    shares = [[float(row["p(0)"]), float(row["p(1)"])] for row in rows_of(done.stdout)]
    assert made == [1]
    assert shares == forest.predict_proba(X).tolist()


def test_columns_in_another_order_and_others_beside_them(model):
    done = call("predict", model, "-", stdin="extra,pulse,age\n?,66,50\n,70,50\n")
    assert done.stdout.split() == ["prediction", "well", "ill"]


def test_a_missing_column_is_named_with_a_suggestion(model, tmp_path):
    output = tmp_path / "answers.csv"
    output.write_text("the old answers")
    done = call("predict", model, "-", "-o", output, stdin="pulse,Age\n66,50\n")
    assert done.exit_code == 2 and done.stdout == ""
    assert "Column 'age'" in done.stderr and "Did you mean 'Age'?" in done.stderr
    assert output.read_text() == "the old answers"


def test_the_old_output_stays_until_the_new_one_is_whole(model, tmp_path):
    output = tmp_path / "answers.csv"
    output.write_text("the old answers")
    output.chmod(0o640)
    bad = "age,pulse\n" + "50,66\n" * 40_000 + "50,fast\n"
    done = call("predict", model, "-", "-o", output, stdin=bad)
    assert done.exit_code == 2 and "line 40002: column 'pulse' is 'fast'" in done.stderr
    assert output.read_text() == "the old answers"
    assert call("predict", model, "-", "-o", output, stdin="age,pulse\n50,66\n").exit_code == 0
    assert output.read_text() == "prediction\nwell\n" and output.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.csv", "patients.bw", "patients.csv"]


def test_a_column_of_predictions_gets_a_name_of_its_own(model, patients, tmp_path):
    before = tmp_path / "before.csv"
    assert call("predict", model, patients, "--keep", "-o", before).exit_code == 0
    assert call("predict", model, before, "--keep").stdout.startswith(
        "id,age,pulse,outcome,prediction,prediction_2\n"
    )


def test_an_output_that_is_no_file_is_written_to_and_stays_what_it_is(model, patients):
    assert call("predict", model, patients, "-o", os.devnull).exit_code == 0
    assert not os.path.isfile(os.devnull)  # noqa: PTH113


def test_a_file_without_rows_has_no_answers(model):
    done = call("predict", model, "-", stdin="age,pulse\n")
    assert done.exit_code == 0 and done.stdout == "prediction\n"


def test_unseen_categories_are_told_once(tmp_path, monkeypatch):
    tennis = bw.datasets.load("play_tennis")
    path = tmp_path / "tennis.bw"
    save(bw.ID3Classifier().fit(tennis.X, tennis.y), path)
    monkeypatch.setattr(
        blocks.read_blocks, "__kwdefaults__", {**blocks.read_blocks.__kwdefaults__, "rows": 1}
    )
    rows = "Outlook,Temperature,Humidity,Wind\n" + "Fog,Hot,High,Weak\n" * 3
    done = call("predict", path, "-", stdin=rows)
    assert done.exit_code == 0 and done.stdout.count("\n") == 4
    assert done.stderr.count("branchwork:") == 1 and "'Outlook' (3 rows)" in done.stderr


def test_every_format(model, patients, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    expected = call("predict", model, patients).stdout
    parquet = tmp_path / "p.parquet"
    duckdb.sql(f"COPY (FROM '{patients}') TO '{parquet}'")
    assert call("predict", model, parquet).stdout == expected
    rows = [line.split(",") for line in patients.read_text().splitlines()[1:]]
    head = "@relation p\n@attribute age real\n@attribute pulse real\n@data\n"
    arff = head + "".join(f"{age},{pulse}\n" for _, age, pulse, _ in rows)
    assert call("predict", model, "-", "--input-format", "arff", stdin=arff).stdout == expected
    tabs = patients.read_text().replace(",", "\t")
    assert call("predict", model, "-", "--input-format", "tsv", stdin=tabs).stdout == expected


def test_hostile_cells_are_data_in_a_file_and_harmless_on_a_terminal(model, tmp_path):
    pty = pytest.importorskip("pty")
    path = tmp_path / "hostile.csv"
    path.write_text("age,pulse,\x1b[31mnote\n50,66,\x1b]0;title\x07\n")
    done = call("predict", model, path, "--keep")
    assert done.stdout == "age,pulse,\x1b[31mnote,prediction\n50,66,\x1b]0;title\x07,well\n"
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "branchwork", "predict", str(model), str(path), "--keep"]
    subprocess.run(command, stdout=child, check=True)
    os.close(child)
    shown = os.read(parent, 65536)
    os.close(parent)
    assert b"\x1b" not in shown and b"\x07" not in shown and b"\\x1b[31mnote" in shown


LIMIT = 192 * 2**20
"""Bytes of address space: enough for Python and NumPy, and for a few blocks."""
LIMITED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({LIMIT}, {LIMIT}))
from branchwork.cli import main
main()
"""
WHOLE = LIMITED.replace(
    "from branchwork.cli import main\nmain()", "import branchwork as bw; bw.read(sys.argv[1])"
)


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits its address space")
def test_a_file_larger_than_memory_is_predicted(model, tmp_path):
    """Twice as large as all memory that the process may have."""
    path, output = tmp_path / "large.csv", tmp_path / "answers.csv"
    some = "".join(f"{20 + k % 60},{50 + k % 40},{'x' * 9_000}\n" for k in range(500))
    with path.open("w") as stream:
        stream.write("age,pulse,note\n")
        for _ in range(2 * LIMIT // len(some) + 1):
            stream.write(some)
    assert path.stat().st_size > 2 * LIMIT
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    given = [sys.executable, "-c", LIMITED, "predict", str(model), str(path), "-o", str(output)]
    done = subprocess.run(given, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers = np.array(output.read_text().split()[1:])
    period = load(model).predict(
        {"age": [20.0 + k % 60 for k in range(500)], "pulse": [50.0 + k % 40 for k in range(500)]}
    )
    assert len(answers) % 500 == 0 and (answers.reshape(-1, 500) == period.astype(str)).all()
    whole = subprocess.run([sys.executable, "-c", WHOLE, str(path)], env=environment, capture_output=True)
    assert whole.returncode != 0  # it does not fit
    path.unlink()


def test_parquet_is_not_held_in_memory(model, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    resource = pytest.importorskip("resource")
    assert resource
    peak = (
        "import resource, sys; from branchwork.cli.app import app\n"
        "try: app()\n"
        "except SystemExit: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )

    def megabytes(rows):
        path = tmp_path / f"{rows}.parquet"
        query = f"SELECT i % 60 AS age, i % 40 + 50.5 AS pulse, 'note ' || i AS note FROM range({rows}) t(i)"
        duckdb.sql(f"COPY ({query}) TO '{path}'")
        given = [sys.executable, "-c", peak, "predict", str(model), str(path), "--keep", "-o", os.devnull]
        return int(subprocess.run(given, capture_output=True, text=True, check=True).stderr) / 1024

    assert megabytes(300_000) < megabytes(30_000) + 25  # as Python values these are over 50 MB


@pytest.mark.parametrize(
    "answers",
    [
        ["a", 'b"c', "a", "d,e", "line\nbreak"],
        [1.5, -2.0, 1.5],
        [0.0, -0.0, 0.0],
        [True, 1, True],
        [float("nan"), 2.0],
    ],
    ids=str,
)
def test_a_column_of_answers_is_written_as_the_csv_module_writes_it(answers):
    """Equal answers are written out once, but never where equal ones would look different."""
    found, expected = io.StringIO(), io.StringIO()
    _Csv(found, ()).rows((), answers, ())
    csv.writer(expected, lineterminator="\n").writerows([answer] for answer in answers)
    assert found.getvalue() == expected.getvalue()
