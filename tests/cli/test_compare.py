"""`branchwork compare`, `export` and `datasets`."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import branchwork as bw
from branchwork.cli.methods import METHODS, ON_REQUEST
from branchwork.data import datasets
from branchwork.export import WRITERS
from branchwork.grow.recipes import RECIPES
from branchwork.study.paired import corrected

from commands import call


def test_all_methods_beside_the_baseline():
    done = call("compare", "play_tennis", "--json")
    found = json.loads(done.stdout)
    usual = [name for name in METHODS if name not in ON_REQUEST]
    assert [one["name"] for one in found["learners"]] == ["baseline", *usual]
    assert found["learners"][0]["error"] == pytest.approx(1 - 9 / 14) and found["folds"] == 10
    grown = json.loads(call("grow", "play_tennis", "--method", "id3", "--json").stdout)
    id3 = found["learners"][1]
    assert id3["error"] == pytest.approx(grown["cross_validated_error"]) and id3["leaves"] == 5
    assert id3["training_error"] == 0 and id3["seconds"] > 0


@pytest.mark.parametrize(("table", "method"), [("play_tennis", "cart"), ("bike_rentals", "chaid")])
def test_the_command_tests_as_the_function_does(table, method):
    """Differences, intervals and p-values are those of `bw.compare` on the same fold losses."""
    found = json.loads(
        call("compare", table, "--folds", 4, "--method", "tree", "--method", method, "--json").stdout
    )
    sizes = np.array(found["test_rows"])
    ratio = np.mean(sizes / (sizes.sum() - sizes))
    losses = {one["name"]: np.array(one["fold_losses"]) for one in found["learners"]}
    for one in found["learners"]:
        if one["name"] != found["against"]:
            test = corrected(losses[one["name"]] - losses[found["against"]], sizes, ratio)
            assert one["difference"] == pytest.approx(test.mean)
            assert one["p_value"] == pytest.approx(test.p_value)


def test_every_recipe_has_a_method():
    assert {name for pair in METHODS.values() for name in pair if name} == set(RECIPES)


def test_chosen_methods_as_a_table(patients):
    given = ["compare", patients, "--target", "outcome", "--drop", "id", "--folds", 5]
    done = call(*given, "--method", "cart", "--method", "stump", "--method", "cart")
    lines = done.stdout.splitlines()
    assert done.exit_code == 0 and [line.split()[0] for line in lines[2:5]] == ["baseline", "cart", "stump"]
    assert lines[2].split()[1] == "45.00%" and "5 folds" in lines[-1]


def test_numbers_leave_out_what_cannot_learn_them():
    done = call("compare", "bike_rentals", "--folds", 3)
    assert "c45" not in done.stdout and "root mean squared error on rows left out, 3 folds" in done.stdout
    done = call("compare", "bike_rentals", "--method", "c45")
    assert done.exit_code == 2 and "--method c45 learns classes" in done.stderr


def test_folds_that_cannot_be():
    assert call("compare", "play_tennis", "--folds", 1).exit_code == 2
    wrong = call("compare", "play_tennis", "--repeats", 0)
    assert wrong.exit_code == 2 and "--repeats 0" in wrong.stderr
    wrong = call("compare", "play_tennis", "--repeats", 2, "--groups", "Wind", "--folds", 2)
    assert wrong.exit_code == 2 and "do not go together" in wrong.stderr
    wrong = call("compare", "play_tennis", "--groups", "Winds")
    assert wrong.exit_code == 2 and "there is no such feature. There are Outlook" in wrong.stderr
    wrong = call("compare", "play_tennis", "--method", "id3", "--against", "cart")
    assert wrong.exit_code == 2 and "no learner has this name" in wrong.stderr


def test_forests_groups_and_repeats(tmp_path):
    given = ["compare", "play_tennis", "--method", "id3", "--method", "forest", "--json"]
    repeated = json.loads(call(*given, "--repeats", 3, "--folds", 3).stdout)
    assert repeated["folds"] == 9 and sum(repeated["test_rows"]) == 3 * 14
    same = json.loads(call(*given, "--repeats", 3, "--folds", 3).stdout)
    other = json.loads(call(*given, "--repeats", 3, "--folds", 3, "--seed", 1).stdout)
    losses = [[one["fold_losses"] for one in found["learners"]] for found in (repeated, same, other)]
    assert losses[0] == losses[1] != losses[2]
    grouped = json.loads(call(*given, "--groups", "Wind", "--folds", 2).stdout)
    assert sorted(grouped["test_rows"]) == [6, 8]
    for name in ("c.html", "c.svg", "c.json", "c.txt"):
        done = call(*given[:-1], "--folds", 3, "-o", tmp_path / name)
        assert done.exit_code == 0 and "best: " in done.stderr and (tmp_path / name).stat().st_size > 300
    wrong = call(*given[:-1], "-o", tmp_path / "c.dot")
    assert wrong.exit_code == 2 and ".svg, .png, .pdf or .json" in wrong.stderr


# ---- export


@pytest.fixture
def writer(monkeypatch):
    """A writer in the place of the real one: says what it was given."""

    def use(result):
        given = {}

        def write(model, **options):
            given.update(options, model=model)
            return result

        monkeypatch.setitem(sys.modules, "branchwork.export.sql", SimpleNamespace(write=write))
        return given

    return use


def test_a_program_goes_to_standard_output_or_to_a_file(model, writer, tmp_path):
    given = writer("SELECT 1")
    done = call("export", model, "sql", "--dialect", "duckdb", "--table", "t", "--set", "form=leaves")
    assert done.exit_code == 0 and done.stdout == "SELECT 1\n"
    assert given.pop("model").labels == ("ill", "well")
    assert given == {"dialect": "duckdb", "table": "t", "form": "leaves"}
    assert call("export", model, "sql", "-o", tmp_path / "t.sql").stdout == ""
    assert (tmp_path / "t.sql").read_text() == "SELECT 1\n"


def test_bytes_are_written_as_they_are(model, writer, tmp_path):
    writer(b"\x00\xff\n\r")
    assert call("export", model, "sql", "-o", tmp_path / "t.sql").exit_code == 0
    assert (tmp_path / "t.sql").read_bytes() == b"\x00\xff\n\r"
    assert call("export", model, "sql").stdout_bytes == b"\x00\xff\n\r"


def test_the_help_names_every_format_and_a_wrong_one_is_suggested(model):
    text = " ".join(call("export", "--help").stdout.split())
    assert all(language in text for language in WRITERS)


# ---- datasets


def test_the_list_has_every_table_once():
    found = json.loads(call("datasets", "--json").stdout)
    assert len(found) == len(datasets._TABLES) == len({one["name"] for one in found})
    assert found[0] == {
        "name": "play_tennis",
        "rows": 14,
        "columns": 4,
        "target": "PlayTennis",
        "about": datasets.load("play_tennis").about,
    }
    assert all(one["name"] in call("datasets").stdout for one in found)


@pytest.mark.parametrize("name", datasets.short_names())
def test_a_table_as_csv_is_the_table(name, tmp_path):
    path = tmp_path / "t.csv"
    assert call("datasets", name, "-o", path).exit_code == 0
    bundled, table = datasets.load(name), bw.read(path)
    assert table.schema.names == (*bundled.X.schema.names, bundled.target)
    for column in bundled.X.schema.names:
        assert table.column(column) == bundled.X.column(column)
    assert [str(cell) for cell in bundled.y] == [
        f"{cell:g}" if isinstance(cell, float) and not isinstance(bundled.y[0], float) else str(cell)
        for cell in table.column(bundled.target)
    ]


def test_a_table_as_json_and_a_wrong_name():
    assert json.loads(call("datasets", "spam", "--json").stdout)[0]["CLASS"] == "spam"
    done = call("datasets", "spma")
    assert done.exit_code == 2 and "Did you mean 'spam'?" in done.stderr


def test_optimal_trees_are_compared_if_they_are_named():
    done = call("compare", "play_tennis", "--method", "optimal", "--method", "cart", "--json")
    names = [one["name"] for one in json.loads(done.stdout)["learners"]]
    assert names == ["baseline", "optimal", "cart"]
