"""`branchwork grow`, as a person runs it: files and options in, a tree out. How it is judged: test_grow_judged.py."""

import gzip
import json
import os
import subprocess
import sys

import duckdb
import pytest

from commands import call, run


@pytest.fixture
def spam(tmp_path):
    path = tmp_path / "spam.csv"
    path.write_text(
        "id,words,sender,size,class\n1,yes,known,3.5,spam\n2,yes,unknown,1.5,spam\n3,no,unknown,2,ham\n4,no,known,9,ham\n"
    )
    return path


def test_a_bundled_table_needs_no_options():
    done = run("grow", "play_tennis")
    assert done.returncode == 0
    assert done.stderr.startswith("branchwork: to keep this tree") and "-o model.bw" in done.stderr
    assert "Outlook = Overcast → PlayTennis: Yes" in done.stdout
    assert done.stdout.startswith(
        "C4.5 with error-based pruning (confidence 0.25): all 5 leaves were kept\nTree: 8 nodes"
    )
    assert "0.2467" in done.stdout and "another column has a larger gain ratio" in done.stdout
    assert "baseline         always predict 'Yes' (Yes: 9, No: 5): error 35.71%" in done.stdout
    assert "training         0.00% of rows wrong" in done.stdout
    assert "cross-validated" in done.stdout
    assert "\x1b" not in done.stdout  # not a terminal


def test_a_file_of_one_s_own(spam):
    done = run("grow", spam, "--target", "class", "--drop", "id", "--method", "id3")
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
    assert done.stdout.startswith("ID3, not pruned\nTree: 3 nodes")
    assert "words = yes → class: spam" in done.stdout


def test_json_is_one_object_with_everything(spam):
    done = call("grow", spam, "--target", "class", "--drop", "id", "--method", "id3", "--json", "--folds", 2)
    result = json.loads(done.stdout)
    assert result["tree"]["feature"] == "words" and len(result["tree"]["children"]) == 2
    assert result["baseline"] == {"prediction": "ham", "error": 0.5}
    assert result["training_error"] == 0 and len(result["fold_errors"]) == 2
    assert result["working"][0]["verdict"] == "chosen"


def test_options_reach_the_recipe(spam):
    leaf = json.loads(call("grow", spam, "--target", "class", "--max-depth", 0, "--json").stdout)
    assert "children" not in leaf["tree"]
    stump = json.loads(
        call(
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
    id3 = ["grow", spam, "--target", "class", "--method", "id3", "--json"]
    by_id = json.loads(call(*id3, "--categorical", "id").stdout)
    assert by_id["tree"]["values"] == [[1.0], [2.0], [3.0], [4.0]]
    gini = json.loads(call(*id3, "--criterion", "gini").stdout)
    assert gini["working"][0]["before"] == 0.5


def test_a_numeric_target_is_a_regression(spam):
    done = call("grow", spam, "--target", "size", "--drop", "id", "--json")
    assert json.loads(done.stdout)["tree"]["mean"] == 4.0
    assert "numeric target taken as regression; --task classification for the other" in done.stderr
    assert "taken as" not in call("grow", "bike_rentals", "--task", "regression").stderr
    zero_one = call("grow", "food_allergy", "--json")
    assert (
        "taken as classification" in zero_one.stderr and "distribution" in json.loads(zero_one.stdout)["tree"]
    )


def test_missing_cells_have_a_spelling(spam):
    spam.write_text(spam.read_text().replace("3.5", "?"))
    id3 = ["grow", spam, "--target", "class", "--method", "id3", "--json"]
    tree = json.loads(call(*id3, "--missing", "?").stdout)["tree"]
    assert tree["feature"] in ("words", "id")
    text = json.loads(call(*id3, "--drop", "id", "--drop", "words").stdout)
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
        (["{spam}", "--target", "class", "--folds", "1"], "--folds 1; expected a number from 2 to 4"),
        (["{spam}", "--target", "class", "--folds", "5"], "--folds 5; expected a number from 2 to 4"),
        (
            ["{spam}", "--target", "class", "--method", "cart", "--set", "xval=5"],
            "--set xval: 5; expected a number from 2 to 4, the number of rows",
        ),
        (
            ["{spam}", "--target", "class", "--method", "cart", "--set", "choose=best"],
            "choose='best' is not known",
        ),
        (["play_tennis", "--target", "Wind"], "is 'PlayTennis'"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(spam, arguments, message):
    done = call("grow", *(a.replace("{spam}", str(spam)) for a in arguments))
    assert done.exit_code == 2 and done.stdout == ""
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
    assert done.returncode == 0 and done.stdout.startswith("C4.5 with")
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_hostile_text_is_shown_not_obeyed(spam):
    spam.write_text(spam.read_text().replace("known", "\x1b[31mred"))
    done = call("grow", spam, "--target", "class", "--drop", "id", "--drop", "words")
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
    unpruned = ["--set", "xval=none"] if method == "cart" else []
    done = call("grow", "play_tennis", "--method", method, "--json", *unpruned)
    assert done.exit_code == 0 and done.stderr == ""
    assert json.loads(done.stdout)["tree"]["feature"] == "Outlook"


@pytest.mark.parametrize("method", ["cart", "tree", "chaid"])
def test_methods_for_numbers(method):
    unpruned = ["--set", "xval=none"] if method == "cart" else []
    done = call("grow", "bike_rentals", "--method", method, "--json", "--max-depth", 1, *unpruned)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["tree"]["values"] == [["autumn", "spring", "summer"], ["winter"]]


def test_c45_refuses_numbers_with_a_way_out():
    done = call("grow", "bike_rentals", "--method", "c45")
    assert done.exit_code != 0 and "Traceback" not in done.stderr
    assert "--method c45 learns classes" in done.stderr and "cart" in done.stderr


def test_chaid_says_that_nothing_is_significant():
    done = call("grow", "play_tennis", "--method", "chaid", "--folds", 0)
    assert done.exit_code == 0
    assert "no split is significant" in done.stdout and "adjusted p" in done.stdout


def test_chaid_takes_no_criterion():
    done = call("grow", "play_tennis", "--method", "chaid", "--criterion", "gini")
    assert done.exit_code != 0 and "Traceback" not in done.stderr
    assert "chaid has no setting 'criterion'" in done.stderr


def test_a_saved_tree_and_the_next_command(spam, tmp_path):
    path = tmp_path / "my spam.bw"
    given = ["--target", "class", "--drop", "id", "--method", "id3", "--folds", 0]
    done = call("grow", spam, *given, "-o", path)
    assert done.exit_code == 0 and path.exists()
    assert done.stderr == f"branchwork: saved {path}. Next: branchwork show '{path}'\n"
    assert call("show", path).stdout.startswith(
        "Tree: 3 nodes, 2 leaves, depth 1\nclass: ham, spam\nall rows"
    )
    assert done.stdout.startswith("ID3, not pruned\n" + call("show", path).stdout)


def test_a_name_that_is_no_model_file_is_refused(spam, tmp_path):
    done = call("grow", spam, "--target", "class", "-o", tmp_path / "tree.exe")
    assert done.exit_code == 2 and ".bw" in done.stderr and done.stdout == ""


def test_standard_input(spam):
    given = ["--target", "class", "--drop", "id", "--folds", 0, "--json"]
    from_file, from_stream = call("grow", spam, *given), call("grow", "-", *given, stdin=spam.read_text())
    assert from_stream.exit_code == 0 and from_stream.stdout == from_file.stdout
    arff = "@relation r\n@attribute a {x,y}\n@attribute class {p,q}\n@data\nx,p\ny,q\n"
    done = call("grow", "-", *given[:2], *given[4:], "--method", "id3", "--input-format", "arff", stdin=arff)
    assert json.loads(done.stdout)["tree"]["feature"] == "a"
    done = call("grow", "-", "--target", "class", stdin="a,class\n1\n")
    assert done.exit_code == 2 and "standard input, line 2: expected 2 fields" in done.stderr


def test_a_file_whose_name_does_not_tell(spam, tmp_path):
    other = tmp_path / "spam.dat"
    other.write_text(spam.read_text())
    assert "has the suffix '.dat'" in call("grow", other, "--target", "class").stderr
    assert call("grow", other, "--target", "class", "--input-format", "csv").exit_code == 0


def test_a_column_of_weights(spam):
    spam.write_text("a,w,class\nx,3,p\nx,0,q\ny,2,q\n")
    tree = json.loads(call("grow", spam, "--target", "class", "--weights", "w", "--json").stdout)["tree"]
    assert tree["weight"] == 5 and tree["distribution"] == {"p": 3, "q": 2}
    done = call("grow", spam, "--target", "class", "--weights", "a")
    assert done.exit_code == 2 and "Traceback" not in done.stderr
    declared = spam.with_suffix(".arff")
    declared.write_text(
        "@relation r\n@attribute a {x,y}\n@attribute w real\n@attribute class {q,p}\n@data\nx,3,p\ny,2,q\n"
    )
    tree = json.loads(call("grow", declared, "--target", "class", "--weights", "w", "--json").stdout)["tree"]
    assert tree["distribution"] == {"q": 2, "p": 3}


def test_a_file_with_a_similar_name_is_suggested(spam):
    done = call("grow", spam.with_name("spma.csv"), "--target", "class")
    assert done.exit_code == 2 and f"Did you mean '{spam}'?" in done.stderr


def test_booleans_are_no_numbers(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "b.parquet"
    duckdb.sql(f"COPY (SELECT i AS a, i > 2 AS y FROM range(6) t(i)) TO '{path}'")
    done = call("grow", path, "--target", "y", "--folds", 0, "--json")
    assert done.stderr == "" and json.loads(done.stdout)["tree"]["distribution"] == {"False": 3, "True": 3}


def test_a_limit_below_one_is_a_share_of_all_rows():
    options = ("--method", "tree", "--folds", "0", "--json")
    share = run("grow", "play_tennis", *options, "--min-samples-leaf", "0.3").stdout
    whole = run("grow", "play_tennis", *options, "--min-samples-leaf", "5").stdout  # 0.3 · 14, rounded up
    assert json.loads(share)["tree"] == json.loads(whole)["tree"]
    assert json.loads(share)["tree"] != json.loads(run("grow", "play_tennis", *options).stdout)["tree"]


HUGE = 2**53 + 1


def unusable_files(folder):
    """Files with a column `id` that no learner can use."""
    rows = [(HUGE, 1, "p"), (3, 2, "q")] * 6
    csv_rows = "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    (folder / "a.csv").write_text("id,size,class\n" + csv_rows)
    (folder / "a.arff").write_text(
        "@relation r\n@attribute id date\n@attribute size numeric\n@attribute class {p,q}\n@data\n" + csv_rows
    )
    (folder / "a.names").write_text("p, q.\nid: continuous.\nsize: continuous.\n")
    (folder / "a.data").write_text(csv_rows)
    values = ", ".join(f"(DATE '2020-01-01', {b}, '{c}')" for _, b, c in rows)
    target = folder / "a.parquet"
    duckdb.sql(f"COPY (SELECT * FROM (VALUES {values}) AS t(id, size, class)) TO '{target}' (FORMAT parquet)")
    return [folder / f"a{suffix}" for suffix in (".csv", ".arff", ".data", ".parquet")]


def test_a_dropped_column_is_not_judged_and_the_error_says_so(tmp_path):
    for path in unusable_files(tmp_path):
        given = [path, "--target", "class", "--folds", 2]
        refused = call("grow", *given)
        assert refused.exit_code == 2 and len(refused.stderr.splitlines()) == 1
        assert "or --drop id on the command line" in refused.stderr
        model = tmp_path / "model.bw"
        done = call("grow", *given, "--drop", "id", "-o", model)
        assert done.exit_code == 0 and "size <= 1 → class: p" in done.stdout
        answers = call(
            "predict", model, path
        )  # the model does not need the column, so it is not judged either
        assert answers.stdout.split() == ["prediction", *["p", "q"] * 6]
        compared = call("compare", *given, "--drop", "id", "--method", "id3")
        assert compared.exit_code == 0 and "id3" in compared.stdout
        categorical = call("grow", *given, "--drop", "id", "--categorical", "id")
        assert categorical.exit_code == 0


def test_an_unknown_name_to_drop_gets_a_suggestion(spam):
    for file, target in ((spam, ["--target", "class"]), ("play_tennis", [])):
        wrong = "sendr" if target else "Outlok"
        done = call("grow", file, *target, "--drop", wrong)
        right = "sender" if target else "Outlook"
        assert done.exit_code == 2 and f"There is no column {wrong!r}. Did you mean {right!r}?" in done.stderr


def test_the_target_and_the_weights_may_be_dropped_from_the_features(spam):
    given = ["--target", "class", "--weights", "size", "--folds", 0, "--json"]
    plain = call("grow", spam, *given, "--drop", "id")
    both = call("grow", spam, *given, "--drop", "id", "--drop", "class", "--drop", "size")
    assert plain.exit_code == both.exit_code == 0 and plain.stdout == both.stdout


def test_a_column_that_a_text_made_categories_is_told_in_one_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "size,class\n" + "".join(f"{k},{'p' if k < 9 else 'q'}\n" for k in range(20)) + "oops,p\n"
    )
    given = ["--target", "class", "--folds", 0, "--json"]
    from_file = call("grow", path, *given)
    from_stream = call("grow", "-", *given, stdin=path.read_text())
    for done, name in ((from_file, str(path)), (from_stream, "standard input")):
        told = f"branchwork: {name}: column 'size' was read as categories because of 'oops' in line 22"
        assert done.exit_code == 0 and done.stderr.startswith(told)
        assert all("size" in line for line in done.stderr.splitlines())
    advised = from_file.stderr.partition("(--missing")[2].partition(")")[0]
    quiet = call("grow", path, *given, *f"--missing{advised}".split())
    assert quiet.stderr == "" and '"cut": 8' in quiet.stdout
    assert "read as categories" not in call("grow", path, *given, "--categorical", "size").stderr


def test_compressed_files(spam, tmp_path):
    packed = tmp_path / "spam.csv.gz"
    packed.write_bytes(gzip.compress(spam.read_bytes()))
    given = ["--target", "class", "--drop", "id", "--folds", 0]
    model = tmp_path / "spam.bw"
    assert call("grow", packed, *given, "-o", model).stdout == call("grow", spam, *given).stdout
    assert call("predict", model, packed, "--keep").stdout == call("predict", model, spam, "--keep").stdout
    packed.write_bytes(packed.read_bytes()[:40])
    for done in (call("grow", packed, *given), call("predict", model, packed)):
        assert done.exit_code == 2 and f"{packed} is compressed with gzip, but damaged" in done.stderr


def test_blanks_around_cells_make_no_difference(spam, tmp_path):
    spaced = tmp_path / "spaced.csv"
    spaced.write_text(spam.read_text().replace(",", " , "))
    given = ["--target", "class", "--drop", "id", "--folds", 0]
    model = tmp_path / "spam.bw"
    assert call("grow", spaced, *given, "-o", model).stdout == call("grow", spam, *given).stdout
    assert call("predict", model, spaced, "--keep").stdout == call("predict", model, spam, "--keep").stdout
