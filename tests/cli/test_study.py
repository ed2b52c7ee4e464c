"""`branchwork curve`, `bias-variance`, and `grow --validation --test`."""

import json

import numpy as np
import pandas as pd
import pytest

import branchwork as bw

from commands import call


@pytest.fixture
def board(tmp_path):
    """A checkerboard of 300 rows, with a tenth of the answers wrong."""
    X, y = bw.study.CheckerboardSampler()(300, seed=0)
    path = tmp_path / "board.csv"
    lines = [f"{a},{b},{c}" for (a, b), c in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["across,up,colour", *lines]) + "\n", encoding="utf-8")
    return path


def test_a_curve_as_text_and_as_data(board):
    done = call("curve", board, "--target", "colour", "--values", "1,4,none", "--folds", 5)
    assert done.exit_code == 0 and "validation error" in done.stdout and "no limit" in done.stdout
    data = json.loads(
        call("curve", board, "--target", "colour", "--values", "1,4,none", "--folds", 5, "--json").stdout
    )
    table = bw.read(board)
    found = bw.study.curve(
        bw.TreeClassifier(),
        table.drop(["colour"]),
        table.column("colour"),
        "max_depth",
        [1, 4, None],
        folds=5,
    )
    assert data == found.to_dict()


def test_methods_follow_the_setting(board):
    given = ["curve", board, "--target", "colour", "--folds", 3]
    assert call(*given, "--over", "confidence", "--values", "0.1,0.5").exit_code == 0
    forest = call(*given, "--over", "n_estimators", "--values", "1,3", "--json")
    assert json.loads(forest.stdout)["values"] == [1, 3]
    set_ = call(
        *given, "--over", "max_depth", "--values", "2", "--method", "cart", "--set", "min_samples_leaf=40"
    )
    assert set_.exit_code == 0
    wrong = call(*given, "--set", "depth=2")
    assert wrong.exit_code == 2 and "tree has no setting 'depth'. Did you mean 'max_depth'" in wrong.stderr
    other = call(*given, "--over", "dept")
    assert other.exit_code == 2 and "has no such setting" in other.stderr


def test_pages_and_pictures(board, tmp_path):
    for name in ("c.html", "c.svg", "c.png", "c.pdf", "c.json", "c.txt"):
        done = call("curve", board, "--target", "colour", "--folds", 3, "-o", tmp_path / name)
        assert (
            done.exit_code == 0
            and (tmp_path / name).stat().st_size > 100
            and "chosen: max_depth" in done.stderr
        )
    wrong = call("curve", board, "--target", "colour", "-o", tmp_path / "c.csv")
    assert wrong.exit_code == 2 and ".txt, .html, .htm, .svg, .png, .pdf or .json" in wrong.stderr
    assert call("curve", board, "--target", "colour", "-o", board).exit_code == 2


def test_numbers_and_methods_that_cannot_learn_them():
    assert (
        call("curve", "bike_rentals", "--values", "1,2", "--folds", 3, "--task", "regression").exit_code == 0
    )
    wrong = call("curve", "bike_rentals", "--method", "c45", "--task", "regression")
    assert wrong.exit_code == 2 and "learns classes" in wrong.stderr


def test_bias_and_variance(board, tmp_path):
    given = ["bias-variance", board, "--target", "colour", "--repeats", 10]
    done = call(*given)
    assert (
        done.exit_code == 0 and "bias² + noise" in done.stdout and "10 models, 75 query rows" in done.stdout
    )
    data = json.loads(call(*given, "--method", "j48", "--correction", "weka", "--json").stdout)
    assert data["gap"] > 0 and data["noise"] is None
    table = bw.read(board)
    found = bw.study.bias_variance(
        bw.C45Classifier(variant="j48"),
        data=(table.drop(["colour"]), table.column("colour")),
        n_repeats=10,
        correction="weka",
    )
    assert data["bias2"] == found.bias2
    page = call(*given, "--over", "max_depth", "--values", "1,3,9", "-o", tmp_path / "parts.html")
    assert page.exit_code == 0 and "where the models hit" in (tmp_path / "parts.html").read_text(
        encoding="utf-8"
    )
    assert call(*given, "--loss", "domingos", "--bootstrap", "--n-train", 50).exit_code == 0
    wrong = call(*given, "--over", "max_depth")
    assert wrong.exit_code == 2 and "which values" in wrong.stderr


def test_growing_with_rows_kept_apart(board):
    given = ["grow", board, "--target", "colour", "--validation", 0.2, "--test", 50]
    done = call(*given)
    assert done.exit_code == 0 and "cross-validated" not in done.stdout
    assert "validation " in done.stdout and "(60 rows)" in done.stdout and "(50 rows)" in done.stdout
    data = json.loads(call(*given, "--json", "--method", "tree").stdout)
    table = bw.read(board)
    codes = [sorted({"black", "white"}).index(c) for c in table.column("colour")]
    parts = bw.study.split(table.drop(["colour"]), codes, validation=0.2, test=50)
    tree = bw.TreeClassifier().fit(*parts.train)
    assert data["test_error"] == pytest.approx(1 - tree.score(*parts.test))
    assert data["validation_error"] == pytest.approx(1 - tree.score(*parts.validation))
    assert data["cross_validated_error"] is None
    other = json.loads(call(*given, "--json", "--method", "tree", "--seed", 1).stdout)
    assert other["tree"] != data["tree"]


def test_validation_rows_prune_if_asked(board):
    given = [
        "grow",
        board,
        "--target",
        "colour",
        "--validation",
        0.3,
        "--method",
        "j48",
        "--set",
        "pruning=reduced_error",
    ]
    done = call(*given)
    assert done.exit_code == 0 and "reduced-error pruning (by 90 validation rows)" in done.stdout
    data = json.loads(call(*given, "--json").stdout)
    assert data["leaves_before_pruning"] >= 1 and data["pruning"].startswith("reduced-error")


def test_ensembles_and_single_parts(board):
    done = call(
        "grow", board, "--target", "colour", "--method", "forest", "--set", "n_estimators=3", "--test", 0.1
    )
    assert done.exit_code == 0 and "test " in done.stdout and "cross-validated" in done.stdout


@pytest.mark.parametrize("share", [0, 1.5, -1, 300])
def test_shares_that_cannot_be(board, share):
    done = call("grow", board, "--target", "colour", "--test", share)
    assert done.exit_code == 2 and "test" in done.stderr


def test_a_saved_tree_is_pruned_by_folds(board, tmp_path):
    path = tmp_path / "tree.bw"
    call("grow", board, "--target", "colour", "--method", "tree", "-o", path)
    given = ["prune", path, board, "--target", "colour", "--method", "reduced_error", "--json", "--set"]
    data = json.loads(call(*given, "folds=5").stdout)
    assert 1 < data["leaves"] < data["leaves_before"]
    assert call(*given, "folds=1").exit_code == 2


# ---- tune


def test_tuning_shows_what_was_tried_and_saves_the_model(board, tmp_path):
    path = tmp_path / "tuned.bw"
    given = ["tune", board, "--target", "colour", "--folds", 3]
    done = call(*given, "-o", path)
    assert done.exit_code == 0 and "chosen" in done.stdout and "Expect" in done.stdout
    assert "saved" in done.stderr
    table = bw.read(board)
    X, y = table.drop(["colour"]), table.column("colour")
    expected = bw.TreeClassifier().tune(X, y, folds=3)
    assert bw.load(path).to_text() == expected.to_text() and bw.load(path).target == "colour"
    data = json.loads(call(*given, "--json").stdout)
    assert data == expected.tuning_.to_dict()


def test_tuning_other_methods_and_grids(board):
    given = ["tune", board, "--target", "colour", "--folds", 3, "--json"]
    grid = ["--grid", "max_depth=1,2,none", "--grid", "min_samples_leaf=1,9"]
    data = json.loads(call(*given, *grid, "--choose", "min", "--no-nested").stdout)
    assert len(data["settings"]) == 6 and data["nested_error"] is None and data["chosen"] == data["best"]
    forest = ["--method", "forest", "--set", "n_estimators=3", "--grid", "max_depth=1,3"]
    data = json.loads(call(*given, *forest).stdout)
    assert data["estimator"] == "RandomForestClassifier"
    optimal = ["--method", "optimal", "--set", "max_depth=1"]
    assert json.loads(call(*given, *optimal).stdout)["settings"][-1]["max_depth"] == 1
    wrong = call(*given, "--grid", "max_depth")
    assert wrong.exit_code == 2 and "expected NAME=A,B" in wrong.stderr
    wrong = call(*given, "--grid", "dept=1")
    assert wrong.exit_code == 2 and "has no such setting" in wrong.stderr
    wrong = call("tune", board, "--target", "colour", "-o", "tuned.png")
    assert wrong.exit_code == 2


# ---- stability


def test_stability_as_text_data_and_a_page(board, tmp_path):
    given = ["stability", board, "--target", "colour", "-n", 10, "--set", "max_depth=3"]
    done = call(*given)
    assert done.exit_code == 0 and "The first split" in done.stdout and "comes back" in done.stdout
    table = bw.read(board)
    X, y = table.drop(["colour"]), table.column("colour")
    expected = bw.study.stability(bw.TreeClassifier(max_depth=3), X, y, n=10)
    assert json.loads(call(*given, "--json").stdout) == expected.to_dict()
    page = tmp_path / "trust.html"
    done = call(*given, "-o", page)
    assert "the first split comes back in" in done.stderr
    assert "How much should I trust this tree?" in page.read_text(encoding="utf-8")
    assert call(*given, "-o", tmp_path / "trust.svg").exit_code == 0
    other = json.loads(call(*given, "--seed", 1, "--json").stdout)
    assert other["root"] != expected.to_dict()["root"] or other != expected.to_dict()
    wrong = call(*given, "--method", "forest")
    assert wrong.exit_code == 2
    assert call("stability", "bike_rentals", "-n", 5, "--method", "cart").exit_code == 0


def test_two_rows_are_too_few_to_tune(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,y\n1,p\n2,q\n")
    done = call("tune", path, "--target", "y")
    assert done.exit_code == 2 and "too few to choose settings by folds; expected 3 or more" in done.stderr


def test_weights_of_rows_in_curve_and_tune(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=120).round(2), "claims": rng.poisson(1.0, 120) * 1.5})
    frame["years"] = rng.uniform(0.1, 2.0, 120).round(2)
    path = tmp_path / "claims.csv"
    frame.to_csv(path, index=False)
    given = (path, "--target", "claims", "--weights", "years", "--folds", 3, "--json")
    X, y, years = frame[["a"]], frame["claims"].to_numpy(), frame["years"].to_numpy()
    shown = json.loads(call("curve", *given, "--values", "1,3", "--task", "regression").stdout)
    found = bw.study.curve(bw.TreeRegressor(), X, y, "max_depth", [1, 3], sample_weight=years, folds=3)
    assert shown == found.to_dict()
    words = ("tune", *given, "--grid", "max_depth=1,3", "--task", "regression", "--method", "tree")
    shown = json.loads(call(*words).stdout)
    tuned = bw.TreeRegressor().tune(X, y, grid={"max_depth": [1, 3]}, sample_weight=years, folds=3)
    assert shown == tuned.tuning_.to_dict()
