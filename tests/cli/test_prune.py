"""`branchwork prune`: a saved tree in, a smaller one out."""

import json

import numpy as np
import pytest

import branchwork as bw
from branchwork.prune.methods import METHODS
from branchwork.store.file import load, save

from commands import call


@pytest.fixture
def noisy(tmp_path):
    """A large tree of noise, its rows, and the estimator itself."""
    noise = np.random.default_rng(0)
    X, y = noise.random((120, 2)).round(3), noise.choice(["a", "b"], 120)
    path = tmp_path / "noise.csv"
    path.write_text("u,v,y\n" + "".join(f"{u},{v},{c}\n" for (u, v), c in zip(X, y, strict=True)))
    table = bw.read(path)
    tree = bw.TreeClassifier().fit(table.drop(["y"]), list(table.column("y")))  # without a name
    save(tree, tmp_path / "noise.bw")
    return tmp_path / "noise.bw", path, tree, table


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_that_of_python(noisy, method, tmp_path):
    model, path, tree, table = noisy
    rows = METHODS[method].rows != "none"
    given = [path, "--target", "y"] if rows else []
    options = {"alpha": 0.01} if method == "cost_complexity" else {}
    given += [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    done = call("prune", model, *given, "--method", method, "-o", tmp_path / "small.bw")
    assert done.exit_code == 0, done.stderr
    X, y = (table.drop(["y"]), table.column("y")) if rows else (None, None)
    expected = tree.prune(method, X, y, **options)
    assert load(tmp_path / "small.bw").to_text(color=False) == expected.to_text(color=False)
    assert f"{tree.get_n_leaves()} leaves before, {expected.get_n_leaves()} now" in done.stderr
    assert "Next: branchwork show" in done.stderr


def test_folds_choose_with_the_training_rows(noisy):
    model, path, tree, table = noisy
    given = [path, "--target", "y", "--method", "cost_complexity", "--set", "folds=5", "--set", "choose=1se"]
    found = json.loads(call("prune", model, *given, "--json").stdout)
    expected = tree.prune("cost_complexity", table.drop(["y"]), table.column("y"), folds=5, choose="1se")
    assert found["leaves"] == expected.get_n_leaves() and found["leaves_before"] == tree.get_n_leaves()


def test_options_by_name(noisy):
    model, _, tree, _ = noisy
    done = call("prune", model, "--method", "cost_complexity", "--set", "alpha=0.01", "--json")
    assert json.loads(done.stdout)["leaves"] == tree.prune("cost_complexity", alpha=0.01).get_n_leaves()
    done = call("prune", model, "--method", "mdl", "--set", "alpha=1")
    assert done.exit_code == 2 and "'mdl' has no option 'alpha'" in done.stderr


def test_the_help_names_every_method():
    text = " ".join(call("prune", "--help").stdout.split())
    assert all(method in text for method in METHODS)


def test_numbers(rentals):
    done = call("prune", rentals, "--method", "cost_complexity", "--set", "alpha=1e9")
    assert done.exit_code == 0 and "Tree: 1 node, 1 leaf, depth 0" in done.stdout
    done = call("prune", rentals, "--method", "mdl")
    assert done.exit_code == 2 and "this tree predicts numbers" in done.stderr


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--method", "reduced_error"], "needs rows that did not grow the tree: branchwork prune"),
        (["{rows}", "--target", "y", "--method", "mdl"], "uses only the tree; leave"),
        (["{rows}", "--method", "reduced_error"], "Say --target NAME"),
        (
            ["{rows}", "--target", "u", "--method", "reduced_error"],
            "'u' is a column that the model predicts from",
        ),
        (
            ["{rows}", "--target", "yy", "--method", "reduced_error"],
            "--target 'yy': the table has no such column. Did you mean 'y'? The model predicts 'a' or 'b'.",
        ),
    ],
)
def test_bad_input_gets_one_line(noisy, given, message):
    model, path, *_ = noisy
    done = call("prune", model, *(word.replace("{rows}", str(path)) for word in given))
    assert done.exit_code == 2 and done.stdout == "" and message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_wrong_target_is_told_what_the_model_predicts(noisy, rentals, tmp_path):
    _, path, *_ = noisy
    model = tmp_path / "grown.bw"
    assert call("grow", path, "--target", "y", "--folds", 0, "-o", model).exit_code == 0
    given = ["--target", "class", "--method", "reduced_error"]
    told = "branchwork: --target 'class': the table has no such column."
    done = call("prune", model, path, *given)
    assert done.exit_code == 2 and done.stderr == f"{told} Did you mean 'y'? The model predicts 'y'.\n"
    done = call("prune", model, "-", *given, stdin="u,v,other\n1,2,a\n")
    assert done.stderr == f"{told} The model predicts 'y'.\n"
    done = call("prune", model, "-", *given, stdin="u,class\n1,a\n")
    assert "Column 'v', which the model was trained on, is missing from the table." in done.stderr
    done = call("prune", rentals, "bike_rentals", *given)
    assert done.stderr == f"{told} Did you mean 'RENTALS'? The model predicts 'RENTALS'.\n"


@pytest.mark.parametrize(("label", "what"), [("", "is missing"), ("c", "was not among the labels")])
def test_answers_that_are_none(noisy, label, what):
    model, *_ = noisy
    rows = f"u,v,y\n0.1,0.2,a\n0.3,0.4,{label}\n"
    done = call("prune", model, "-", "--target", "y", "--method", "reduced_error", stdin=rows)
    assert done.exit_code == 2 and f"row 1: the answer {what}" in done.stderr


def test_labels_that_look_like_numbers_stay_labels(tmp_path):
    """The held-out rows have no label but 01 and 02; the training rows had another."""
    path = tmp_path / "t.bw"
    save(bw.ID3Classifier().fit({"a": [1.0, 2.0, 3.0]}, ["01", "02", "x"]), path)
    given = ["prune", path, "-", "--target", "y", "--method", "reduced_error", "--json"]
    done = call(*given, stdin="a,y\n1,01\n2,02\n")
    assert done.exit_code == 0 and json.loads(done.stdout)["leaves"] >= 2


def test_a_bundled_table_has_the_answers_too(tmp_path):
    food = bw.datasets.load("restaurant")
    path = tmp_path / "food.bw"
    tree = bw.ID3Classifier().fit(food.X, food.y)
    save(tree, path)
    done = call("prune", path, "restaurant", "--target", "WillWait", "--method", "reduced_error", "--json")
    assert json.loads(done.stdout)["leaves"] == tree.prune("reduced_error", food.X, food.y).get_n_leaves()


def commands_of(text):
    """The commands that a text proposes, as lists of words."""
    return [line.split()[1:] for line in text.splitlines() if line.startswith("  branchwork ")]


def test_without_an_alpha_the_trees_to_choose_from_are_listed(noisy, tmp_path, monkeypatch):
    model, path, tree, table = noisy
    monkeypatch.chdir(tmp_path)
    done = call("prune", model, "--method", "cost_complexity")
    assert done.exit_code == 0 and done.stderr == ""
    steps = list(tree.pruning_path("cost_complexity"))
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["alpha", "leaves", "rows", "wrong"]
    shown = [line.split() for line in lines[2 : 2 + min(len(steps), 25)]]
    assert [int(leaves) for _, leaves, _ in shown] == [step.leaves for step in (steps[0], *steps[1:][-24:])]
    by_folds, by_alpha = commands_of(done.stdout)
    assert call(*by_alpha).exit_code == 0
    wanted = int(done.stdout.split("To keep the tree of ")[1].split()[0])
    assert load("small.bw").tree.n_leaves == wanted
    filled = [{"FILE": path, "COLUMN": "y"}.get(word, word) for word in by_folds]
    assert call(*filled).exit_code == 0
    expected = tree.prune("cost_complexity", table.drop(["y"]), table.column("y"), choose="1se")
    assert load("small.bw").tree.n_leaves == expected.get_n_leaves()


def test_the_list_of_trees_as_data_and_of_numbers(noisy, rentals):
    model, _, tree, _ = noisy
    found = json.loads(
        call("prune", model, "--method", "cost_complexity", "--json", "--set", "risk=errors").stdout
    )
    expected = tree.pruning_path("cost_complexity", risk="errors").to_dict()
    assert [step["leaves"] for step in found["steps"]] == [step["leaves"] for step in expected["steps"]]
    done = call("prune", rentals, "--method", "cost_complexity")
    assert "mean squared error" in done.stdout.splitlines()[0]


def test_folds_are_not_proposed_where_they_cannot_judge(tmp_path):
    tennis = bw.datasets.load("play_tennis")
    save(bw.C45Classifier().fit(tennis.X, tennis.y), tmp_path / "c45.bw")
    done = call("prune", tmp_path / "c45.bw", "--method", "cost_complexity")
    assert len(commands_of(done.stdout)) == 1 and "--set alpha=" in done.stdout
