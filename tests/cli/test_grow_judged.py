"""`branchwork grow` on tables with noise: how the tree is pruned and judged, and its working."""

import json
import re

import numpy as np
import pytest

import branchwork as bw
from branchwork.cli import evidence, procedure
from branchwork.cli.json_text import dumps
from branchwork.measure.folds import splits
from branchwork.table.target import classes, values

from commands import call


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """400 rows with a numeric and a nominal feature that matter, noise, missing cells and many features."""
    noise = np.random.default_rng(1)
    n = 400
    size, kind = noise.normal(size=n).round(4), noise.choice(["a", "b", "c"], n)
    others = noise.normal(size=(n, 12)).round(4)
    answer = np.where((size > 0) ^ (noise.random(n) < 0.2), "yes", "no")
    price = (3 * (size > 0) + (kind == "a") + noise.normal(size=n)).round(4)
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    names = ",".join(["size", "kind", *(f"x{k}" for k in range(12)), "answer", "price"])
    cells = [
        ",".join(
            ["" if k % 50 == 7 else str(size[k]), kind[k], *map(str, others[k]), answer[k], str(price[k])]
        )
        for k in range(n)
    ]
    path.write_text("\n".join([names, *cells]) + "\n")
    return path


def test_classes_are_learned_by_pruned_c45(noisy):
    words = ["grow", noisy, "--target", "answer", "--drop", "price", "--folds", 0, "--set", "confidence=0.01"]
    found = json.loads(call(*words, "--json").stdout)
    table = bw.read(noisy)
    X, y = table.drop(["answer", "price"]), table.column("answer")
    expected = bw.C45Classifier(confidence=0.01).fit(X, y)
    assert found["tree"] == json.loads(dumps(expected.to_dict())) and found["method"] == "c45"
    grown = bw.C45Classifier(pruning=None).fit(X, y).get_n_leaves()
    assert found["leaves_before_pruning"] == grown > expected.get_n_leaves()
    first = call(*words).stdout.splitlines()[0]
    told = f"pruned from {grown} to {expected.get_n_leaves()} leaves"
    assert first == f"C4.5 with error-based pruning (confidence 0.01): {told}"


@pytest.mark.parametrize(
    ("target", "other", "kind"),
    [("price", "answer", bw.CARTRegressor), ("answer", "price", bw.CARTClassifier)],
)
def test_cart_is_pruned_by_folds_and_judged_that_way(noisy, target, other, kind):
    words = ["grow", noisy, "--target", target, "--drop", other, "--folds", 3]
    method = [] if target == "price" else ["--method", "cart"]
    found = json.loads(call(*words, *method, "--json").stdout)
    table = bw.read(noisy)
    X, y = table.drop(["answer", "price"]), table.column(target)
    settings = {"xval": 10, "choose": "1se"}
    expected = kind(**settings).fit(X, y)
    assert found["tree"] == json.loads(dumps(expected.to_dict()))
    grown = kind().fit(X, y).get_n_leaves()
    assert found["leaves_before_pruning"] == grown > expected.get_n_leaves() > 1
    target_rows = classes(y) if target == "answer" else values(y)
    losses = np.empty(len(y))
    cells = np.array(y, dtype=object if target == "answer" else float)
    for train, test in splits(target_rows, 3):
        answers = kind(**settings).fit(X.take(train), cells[train]).predict(X.take(test))
        losses[test] = (answers != cells[test]) if target == "answer" else (answers - cells[test]) ** 2
    error = losses.mean() if target == "answer" else losses.mean() ** 0.5
    assert found["cross_validated_error"] == pytest.approx(error, rel=1e-12)
    text = call(*words, *method).stdout
    assert text.startswith(
        f"CART with cost-complexity pruning (10 folds, 1-SE rule): pruned from {grown} to "
    )


def test_the_least_error_and_no_pruning_on_request(noisy):
    words = ["grow", noisy, "--target", "price", "--drop", "answer", "--folds", 0, "--json"]

    def leaves(*more):
        return json.loads(call(*words, *more).stdout)["tree"]

    table = bw.read(noisy)
    X, y = table.drop(["answer", "price"]), table.column("price")
    least = bw.CARTRegressor(xval=5, choose="min").fit(X, y)
    assert leaves("--set", "xval=5", "--set", "choose=min") == json.loads(dumps(least.to_dict()))
    assert leaves("--set", "xval=none") == json.loads(dumps(bw.CARTRegressor().fit(X, y).to_dict()))


def test_large_tables_have_fewer_folds_and_no_tiny_leaves(noisy, monkeypatch):
    monkeypatch.setattr(procedure, "LARGE", 300)
    monkeypatch.setattr(procedure, "MOST_LEAVES", 40)
    monkeypatch.setattr(procedure, "usual_folds", lambda rows: 3)
    found = call("grow", noisy, "--target", "price", "--drop", "answer")
    assert "(3 folds, 1-SE rule, leaves of weight 10 or more)" in found.stdout.splitlines()[0]
    assert "(3 folds)" in found.stdout
    given = call("grow", noisy, "--target", "price", "--drop", "answer", "--min-samples-split", 4)
    assert "leaves of weight" not in given.stdout


def test_a_large_tree_is_printed_as_far_as_it_fits(noisy, tmp_path):
    words = ["grow", noisy, "--target", "price", "--drop", "answer", "--method", "tree", "--folds", 0]
    text = call(*words).stdout
    tree = text.split("\n\n")[0].splitlines()
    count = int(re.search(r"Tree: (\d+) nodes", text)[1])
    assert count > 300 and 10 < len(tree) <= 43
    shown = sum("rows" in line or "row " in line for line in tree[2:])
    assert tree[-1] == f"… {count - shown} more nodes: add --full"
    whole = call(*words, "--full").stdout.split("\n\n")[0].splitlines()
    assert len(whole) == count + 3  # how it was learned, its size, and what is predicted
    output = tmp_path / "large.bw"
    last = call(*words, "-o", output).stdout.split("\n\n")[0].splitlines()[-1]
    assert re.fullmatch(rf"… \d+ more nodes: branchwork show {output} --max-depth \d+", last)
    following = last.split("branchwork ")[1].split()
    more = call(*following)
    assert more.exit_code == 0 and len(more.stdout.splitlines()) > len(tree)
    assert json.loads(call(*words, "--json").stdout)["tree"] == json.loads(
        call("show", output, "--json").stdout
    )


def test_more_branches_than_a_screen_has_lines(tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text("ticket,y\n" + "".join(f"t{k % 200},{'ab'[k % 2]}\n" for k in range(400)))
    words = ["grow", path, "--target", "y", "--method", "id3", "--folds", 0]
    tree = call(*words).stdout.split("\n\n")[0].splitlines()
    assert len(tree) == 2 + 40 + 1 and tree[-1] == "… 162 more nodes: add --full"


@pytest.mark.parametrize("method", ["id3", "c45", "j48", "cart", "tree", "chaid", "stump"])
def test_the_working_of_the_root_is_there_for_a_tree_of_any_size(noisy, method, monkeypatch):
    """The working as it was kept, and as it is where the tree is too large to keep any."""
    words = ["grow", noisy, "--target", "answer", "--drop", "price", "--method", method, "--folds", 0]
    kept, kept_text = json.loads(call(*words, "--json").stdout)["working"], call(*words).stdout
    with monkeypatch.context() as patch:
        patch.setattr(evidence, "_kept_root", lambda model: None)
        again = json.loads(call(*words, "--json").stdout)["working"]
        assert call(*words).stdout == kept_text
    for ours, theirs in zip(again, kept, strict=True):
        assert ours == {k: pytest.approx(v) if isinstance(v, float) else v for k, v in theirs.items()}
    assert len(kept) == 14 and "… 4 more features" in kept_text
    lines = kept_text.split("Why the first split\n")[1].split("\n\n")[0].splitlines()
    gains = [row["gain"] for row in kept if row["gain"] is not None]
    assert len(lines) == 1 + 2 + 10 + 1 + ("leaf" in lines[1])
    if method != "chaid":
        others = sorted(gains, reverse=True)[:10]
        assert sum(f"{gain:.4f}" in kept_text for gain in others) >= min(9, len(others))


def test_a_tree_too_large_for_a_ledger_has_its_working(tmp_path):
    noise = np.random.default_rng(3)
    path = tmp_path / "large.csv"
    cells = noise.random((3000, 3)).round(6)
    path.write_text("u,v,w,y\n" + "".join(f"{u},{v},{w},{'ab'[int(w * 1e6) % 2]}\n" for u, v, w in cells))
    for method in ("tree", "cart"):
        found = json.loads(
            call("grow", path, "--target", "y", "--method", method, "--folds", 0, "--json").stdout
        )
        assert found["leaves_before_pruning"] > 500, method
        assert [row["feature"] for row in found["working"]] == ["u", "v", "w"]
        assert any(row["gain"] is not None for row in found["working"])


def test_an_optimal_tree_and_its_proof():
    done = call("grow", "play_tennis", "--method", "optimal", "--max-depth", 2, "--folds", 0)
    assert done.exit_code == 0
    assert "no tree within these limits is better (objective 0, proven)" in done.stdout
    assert "no tree that begins with it is better" in done.stdout
    quick = call("grow", "play_tennis", "--method", "optimal", "--set", "effort=greedy", "--folds", 0)
    assert "without a proof" in quick.stdout
    wrong = call("grow", "play_tennis", "--method", "optimal", "--set", "effort=much")
    assert wrong.exit_code != 0 and "effort='much' is not known" in wrong.stderr


def test_folds_choose_the_size_of_an_optimal_tree():
    given = ("grow", "play_tennis", "--method", "optimal", "--folds", 0, "--set", "choose=min")
    done = call(*given, "--set", "xval=3")
    assert done.exit_code == 0
    assert (
        "Optimal tree with the size chosen by cross-validation (3 folds, least error): no tree" in done.stdout
    )
    wrong = call(*given, "--set", "leaf_penalty=0.1")
    assert wrong.exit_code != 0 and "leaf_penalty=0.1 does not go with choose='min'" in wrong.stderr
