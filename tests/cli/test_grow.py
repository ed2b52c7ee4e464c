"""`branchwork grow`, as a person runs it."""

import json
import os
import subprocess
import sys

import pytest


def run(*arguments, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "branchwork", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
    )


@pytest.fixture
def spam(tmp_path):
    path = tmp_path / "spam.csv"
    path.write_text(
        "id,words,sender,size,class\n1,yes,known,3.5,spam\n2,yes,unknown,1.5,spam\n3,no,unknown,2,ham\n4,no,known,9,ham\n"
    )
    return path


def test_a_bundled_table_needs_no_options():
    done = run("grow", "play_tennis")
    assert done.returncode == 0 and done.stderr == ""
    assert "Outlook = Overcast → Yes" in done.stdout
    assert "0.2467" in done.stdout and "another column gains more" in done.stdout
    assert "baseline         always predict 'Yes' (Yes 9 : No 5): error 35.71%" in done.stdout
    assert "training         0.00% of rows wrong" in done.stdout
    assert "cross-validated" in done.stdout
    assert "\x1b" not in done.stdout  # not a terminal


def test_a_file_of_one_s_own(spam):
    done = run("grow", spam, "--target", "class", "--drop", "id")
    assert done.returncode == 0 and done.stderr == ""
    assert "words = yes → spam" in done.stdout


def test_json_is_one_object_with_everything(spam):
    done = run("grow", spam, "--target", "class", "--drop", "id", "--json", "--folds", 2)
    result = json.loads(done.stdout)
    assert result["tree"]["feature"] == "words" and len(result["tree"]["children"]) == 2
    assert result["baseline"] == {"prediction": "ham", "error": 0.5}
    assert result["training_error"] == 0 and len(result["fold_errors"]) == 2
    assert result["working"][0]["verdict"] == "chosen"


def test_options_reach_the_recipe(spam):
    leaf = json.loads(run("grow", spam, "--target", "class", "--max-depth", 0, "--json").stdout)
    assert "children" not in leaf["tree"]
    stump = json.loads(
        run(
            "grow",
            spam,
            "--target",
            "class",
            "--drop",
            "words",
            "--drop",
            "id",
            "--method",
            "stump",
            "--json",
        ).stdout
    )
    assert stump["tree"]["feature"] == "size"
    by_id = json.loads(run("grow", spam, "--target", "class", "--categorical", "id", "--json").stdout)
    assert by_id["tree"]["values"] == [[1.0], [2.0], [3.0], [4.0]]
    gini = json.loads(run("grow", spam, "--target", "class", "--criterion", "gini", "--json").stdout)
    assert gini["working"][0]["before"] == 0.5


def test_a_numeric_target_is_a_regression(spam):
    done = run("grow", spam, "--target", "size", "--drop", "id", "--json")
    assert json.loads(done.stdout)["tree"]["mean"] == 4.0
    assert "numeric target taken as regression; --task classification for the other" in done.stderr
    assert run("grow", "bike_rentals", "--task", "regression").stderr == ""
    zero_one = run("grow", "food_allergy", "--json")
    assert (
        "taken as classification" in zero_one.stderr and "distribution" in json.loads(zero_one.stdout)["tree"]
    )


def test_missing_cells_have_a_spelling(spam):
    spam.write_text(spam.read_text().replace("3.5", "?"))
    tree = json.loads(run("grow", spam, "--target", "class", "--missing", "?", "--json").stdout)["tree"]
    assert tree["feature"] in ("words", "id")
    text = json.loads(
        run("grow", spam, "--target", "class", "--drop", "id", "--drop", "words", "--json").stdout
    )
    assert ["?"] in text["tree"].get("values", [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "--target", "y"], "There is no file 'nowhere.csv'."),
        (["play_tenis"], "Did you mean 'play_tennis'?"),
        (["{spam}", "--target", "clas"], "There is no column 'clas'. Did you mean 'class'?"),
        (["{spam}"], "Say --target NAME. The file has 'id', 'words'"),
        (
            ["{spam}", "--target", "class", "--drop", "wrods"],
            "There is no column 'wrods'. Did you mean 'words'?",
        ),
        (
            ["{spam}", "--target", "class", "--max-depth", "-1"],
            "max_depth=-1; expected a whole number of at least 0",
        ),
        (["{spam}", "--target", "class", "--criterion", "entorpy"], "Did you mean 'entropy'?"),
        (["{spam}", "--target", "words", "--task", "regression"], "y, row 0: expected a number, found 'yes'"),
        (["{spam}", "--target", "class", "--folds", "1"], "folds=1"),
        (["play_tennis", "--target", "Wind"], "is 'PlayTennis'"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(spam, arguments, message):
    done = run("grow", *(a.replace("{spam}", str(spam)) for a in arguments))
    assert done.returncode == 2 and done.stdout == ""
    assert message in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_wrong_usage_is_exit_code_2_too():
    for arguments in (["grow"], ["grow", "play_tennis", "--method", "magic"], ["fly"]):
        done = run(*arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr


def test_help_has_examples_and_the_version_is_told():
    assert "branchwork grow patients.csv --target outcome" in run("grow", "--help").stdout
    assert run("--version").stdout.startswith("branchwork 0.")


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m branchwork grow play_tennis | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8")
    assert done.returncode == 0 and done.stderr == "" and done.stdout.startswith("Tree: 8 nodes")


def test_hostile_text_is_shown_not_obeyed(spam):
    spam.write_text(spam.read_text().replace("known", "\x1b[31mred"))
    done = run("grow", spam, "--target", "class", "--drop", "id", "--drop", "words")
    assert "\x1b" not in done.stdout and "\\x1b[31mred" in done.stdout


def test_colours_in_a_terminal_unless_no_color():
    pty = pytest.importorskip("pty")

    def on_a_terminal(**environment):
        parent, child = pty.openpty()
        environment = {
            **{k: v for k, v in os.environ.items() if k != "NO_COLOR"},
            "TERM": "xterm",
            **environment,
        }
        command = [sys.executable, "-m", "branchwork", "grow", "play_tennis", "--folds", "0"]
        subprocess.run(command, stdout=child, stderr=subprocess.PIPE, env=environment, check=True)
        os.close(child)
        output = b""
        while True:
            try:
                piece = os.read(parent, 65536)
            except OSError:
                break
            if not piece:
                break
            output += piece
        os.close(parent)
        return output

    assert b"\x1b[" in on_a_terminal()
    assert b"\x1b[" not in on_a_terminal(NO_COLOR="1")


@pytest.mark.parametrize("method", ["c45", "j48", "cart", "tree"])
def test_every_method_grows_classes(method):
    done = run("grow", "play_tennis", "--method", method, "--json")
    assert done.returncode == 0 and done.stderr == ""
    assert json.loads(done.stdout)["tree"]["feature"] == "Outlook"


@pytest.mark.parametrize("method", ["cart", "tree", "chaid"])
def test_methods_for_numbers(method):
    done = run("grow", "bike_rentals", "--method", method, "--json", "--max-depth", 1)
    assert done.returncode == 0
    assert json.loads(done.stdout)["tree"]["values"] == [["autumn", "spring", "summer"], ["winter"]]


def test_c45_refuses_numbers_with_a_way_out():
    done = run("grow", "bike_rentals", "--method", "c45")
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "--method c45 learns classes" in done.stderr and "cart" in done.stderr


def test_chaid_says_that_nothing_is_significant():
    done = run("grow", "play_tennis", "--method", "chaid", "--folds", 0)
    assert done.returncode == 0
    assert "no split is significant" in done.stdout and "adjusted p" in done.stdout


def test_chaid_takes_no_criterion():
    done = run("grow", "play_tennis", "--method", "chaid", "--criterion", "gini")
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "CHAID chooses by p-values" in done.stderr
