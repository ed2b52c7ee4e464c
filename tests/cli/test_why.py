"""`branchwork why`: one row explained."""

import json
from dataclasses import replace

import pytest

import branchwork as bw
from branchwork.store.file import load, save

from commands import call


def test_a_row_in_words_is_the_row_in_python(model):
    done = call("why", model, "age=50", "pulse=66")
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout == f"{load(model).why({'age': 50.0, 'pulse': 66.0}).to_text(color=False)}\n"


def test_a_row_of_a_file(model, patients):
    for row in (0, 3, 19):
        cells = bw.read(patients).row(row)
        words = [f"{name}={cells[name]}" for name in ("age", "pulse")]
        assert call("why", model, "--row", row, patients).stdout == call("why", model, *words).stdout
    done = call("why", model, "--row", 20, patients)
    assert done.exit_code == 2 and "has no row 20; its rows are 0 to 19." in done.stderr
    assert call("why", model, "--row", 0, "-", stdin="pulse,age\n66,50\n").exit_code == 0


def test_what_is_not_given_is_missing_and_told(model):
    done = call("why", model, "age=50")
    assert "not given, so taken as missing: pulse" in done.stderr and "it is missing" in done.stdout
    assert call("why", model, "age=50", "pulse=").stdout == done.stdout
    assert call("why", model, "age=50", "pulse=").stderr == ""


def test_json_and_want(model):
    data = json.loads(call("why", model, "age=50", "pulse=66", "--want", "ill", "--json").stdout)
    assert data["prediction"] == "well" and data["counterfactual"]["prediction"] == "ill"


def test_want_of_a_number(rentals):
    given = ["why", rentals, "SEASON=winter", "WORK DAY=false"]
    found = json.loads(call(*given, "--want", "3000:9000", "--json").stdout)
    assert 3000 <= found["counterfactual"]["prediction"] <= 9000
    assert "expected LOWEST:HIGHEST" in call(*given, "--want", "many").stderr


def test_labels_and_categories_that_look_like_numbers(tmp_path):
    path = tmp_path / "t.bw"
    table = {"a=b": ["01", "1", "x"] * 2, "n": [1.5, 2.5, 3.5] * 2}
    save(bw.ID3Classifier().fit(table, [1, 2, 3] * 2), path)
    said = [json.loads(call("why", path, f"a=b={text}", "n=", "--json").stdout) for text in ("01", "1")]
    assert [one["row"]["a=b"] for one in said] == ["01", "1"] and said[0]["prediction"] == 1
    assert json.loads(call("why", path, "a=b=01", "n=2", "--want", "3", "--json").stdout)["counterfactual"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["aeg=50"], "There is no column 'aeg'. Did you mean 'age'?"),
        (["age"], "expected COLUMN=VALUE"),
        (["age=old"], "age='old'; expected a number"),
        (["age=50", "pulse=66", "--want", "wel"], "Did you mean 'well'?"),
        (["age=50", "pulse=66", "--want", "well"], "answers already"),
        (["--row", "1"], "needs the file that has the row"),
        (["--row", "-1", "play_tennis"], "counted from 0"),
        (["--row", "1", "nowhere.csv"], "There is no file 'nowhere.csv'"),
    ],
)
def test_bad_input_gets_one_line(model, words, message):
    done = call("why", model, *words)
    assert done.exit_code == 2 and done.stdout == "" and message in done.stderr.splitlines()[-1]


def test_the_split_that_nearly_won_comes_from_the_training_data(model, patients, tmp_path):
    kept, without = load(model), tmp_path / "without.bw"
    save(replace(kept, trees=(kept.tree.replace(ledger=None),)), without)
    row = ["age=50", "pulse=66"]
    bare = call("why", without, *row)
    assert "next best" not in bare.stdout and "--data FILE --target COLUMN" in bare.stderr
    data = ["--data", patients, "--target", "outcome"]
    assert call("why", without, *row, *data).stdout == call("why", model, *row).stdout
    assert "next best" in call("why", model, *row).stdout
    found, expected = (
        call("why", *words, "--json").stdout for words in ([without, *row, *data], [model, *row])
    )
    rivals = [[step["rival"]["test"] for step in json.loads(text)["steps"]] for text in (found, expected)]
    assert rivals[0] == rivals[1]


def test_neighbours_explain_a_row_and_predict_a_file(patients, tmp_path):
    table = bw.read(patients)
    near = bw.NeighboursClassifier(3).fit(table.drop(["id", "outcome"]), table.column("outcome"))
    path = bw.save(near, tmp_path / "near.bw")
    done = call("why", path, "age=50", "pulse=66")
    found = near.why({"age": 50.0, "pulse": 66.0})
    assert done.stdout == f"{found}\n" and done.stderr == ""
    assert json.loads(call("why", path, "--row", "3", patients, "--json").stdout)["prediction"] == "well"
    assert "not given, so taken as missing: pulse" in call("why", path, "age=50").stderr
    answers = call("predict", path, patients, "--proba").stdout.splitlines()
    assert [line.split(",")[0] for line in answers[1:]] == near.predict(
        table.drop(["id", "outcome"])
    ).tolist()
    assert "--want is about one tree" in call("why", path, "age=50", "--want", "ill").stderr
    for command in (
        ["show", path],
        ["export", path, "python"],
        ["rules", path],
        ["prune", path, "--method", "mdl"],
    ):
        assert "neighbours" in call(*command).stderr, command


@pytest.mark.parametrize("number", ["9007199254740993", "9007199254740993.0", "1e999"])
def test_a_number_that_cannot_be_held_is_refused(model, number):
    done = call("why", model, f"age={number}", "pulse=66")
    assert (
        done.exit_code == 2
        and f"age: the {'integer' if number.isdigit() else 'number'} {number}" in done.stderr
    )


def test_features_that_cannot_change(model):
    free = json.loads(call("why", model, "age=50", "pulse=66", "--json").stdout)["counterfactual"]
    name = free["changes"][0]["feature"]
    held = call("why", model, "age=50", "pulse=66", "--fixed", name)
    assert f"without a change of {name}" in held.stdout or f"other than {name}" in held.stdout
    assert "There is no column 'puls'" in call("why", model, "age=50", "pulse=66", "--fixed", "puls").stderr
