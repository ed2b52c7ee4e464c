"""`branchwork look`."""

import json

import pytest

import branchwork as bw

from commands import call, run


def test_it_says_what_it_wrote(patients, tmp_path):
    page = tmp_path / "look.html"
    done = call("look", patients, "--target", "outcome", "-o", page)
    assert done.exit_code == 0 and done.stdout == ""
    assert done.stderr == f"branchwork: wrote {page}; 2 findings\n"


def test_a_file_is_looked_at(patients):
    done = call("look", patients, "--target", "outcome")
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout.startswith(
        "20 rows, 3 columns; no cell is missing\n\n2 findings\n  1. Column 'id' looks like"
    )
    assert "outcome: 2 classes" in done.stdout
    assert done.stdout.rstrip("\n") == bw.study.look(bw.read(patients), "outcome").to_text()


def test_without_a_target_all_columns_are_alike(patients):
    done = call("look", patients)
    assert done.exit_code == 0 and "The target" not in done.stdout and "outcome" in done.stdout


def test_a_bundled_table_has_its_target():
    done = call("look", "play_tennis")
    assert (
        "PlayTennis: 2 classes   Yes: 9 (64%)   No: 5 (36%)" in done.stdout and "No findings" in done.stdout
    )
    assert call("look", "play_tennis", "--target", "Wind").exit_code == 2


def test_the_formats(patients, tmp_path):
    page, data = tmp_path / "look.html", tmp_path / "look.json"
    assert call("look", patients, "--target", "outcome", "-o", page).exit_code == 0
    assert "<title>A first look at patients.csv</title>" in page.read_text(encoding="utf-8")
    assert call("look", patients, "--target", "outcome", "-o", data).exit_code == 0
    found = json.loads(data.read_text(encoding="utf-8"))
    assert [one["kind"] for one in found["findings"]] == ["identifier", "same_column"]
    assert json.loads(call("look", patients, "--json").stdout)["target"] is None
    assert call("look", patients, "--format", "html").stdout.startswith("<!doctype html>")


def test_numbers_beside_a_text_are_a_finding_and_no_warning(tmp_path):
    file = tmp_path / "ages.csv"
    file.write_text("age,x\n" + "".join(f"{k},{k % 3}\n" for k in range(30)) + "old,1\n")
    done = call("look", file)
    assert done.stderr == "" and "row 30: 'old' is no number" in done.stdout


def test_reading_options_hold(tmp_path):
    file = tmp_path / "rows.txt"
    file.write_text("a;b;c\n1;x;2\n?;y;3\n4;x;2\n")
    done = call("look", file, "--missing", "?", "--drop", "b", "--categorical", "c", "--json")
    found = json.loads(done.stdout)
    assert [(one["name"], one["kind"], one["missing"]) for one in found["features"]] == [
        ("a", "numeric", 1),
        ("c", "nominal", 0),
    ]


def test_permutations_and_task():
    done = call("look", "play_tennis", "--permutations", "19", "--seed", "3", "--json")
    found = json.loads(done.stdout)
    assert all(0 < one["association"]["permutation_p"] <= 1 for one in found["features"])
    again = call("look", "play_tennis", "--permutations", "19", "--seed", "3", "--json")
    assert again.stdout == done.stdout
    numbers = json.loads(call("look", "bike_rentals", "--task", "regression", "--json").stdout)
    assert numbers["target"]["classes"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["look", "nothing.csv"], "There is no file 'nothing.csv'"),
        (["look", "play_tennis", "-o", "look.png"], "ends in .png"),
        (["look", "play_tennis", "--format", "htm"], "Did you mean 'html'?"),
    ],
)
def test_slips_get_a_sentence(arguments, sentence):
    done = run(*arguments)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


def test_standard_input():
    done = run("look", "-", "--target", "y", stdin="x,y\n" + "".join(f"{k % 7},{k % 2}\n" for k in range(40)))
    assert done.returncode == 0 and done.stdout.startswith("40 rows, 1 column")


def test_an_unknown_target_is_named(patients):
    done = run("look", patients, "--target", "outcom")
    assert done.returncode == 2 and "Did you mean 'outcome'?" in done.stderr
