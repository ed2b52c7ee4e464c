"""`branchwork show` and `branchwork rules`: a saved tree, looked at."""

import json
import re
from dataclasses import replace

import pytest

import branchwork as bw
from branchwork.model.combine import Combine
from branchwork.model.model import Model
from branchwork.store.file import load, save

from commands import call


def test_text_is_the_tree_and_its_size(model):
    done = call("show", model)
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout == f"Tree: 5 nodes, 3 leaves, depth 2\n{load(model).to_text(color=False)}\n"
    assert "… 2 nodes below" in call("show", model, "--max-depth", 1).stdout


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("svg", lambda tree: tree.to_svg()),
        ("dot", lambda tree: tree.to_dot()),
        ("html", lambda tree: tree.to_html(title="patients.bw")),
    ],
)
def test_formats_are_those_of_python(model, form, expected):
    done = call("show", model, "--format", form)
    assert done.exit_code == 0 and done.stdout.rstrip("\n") == expected(load(model)).rstrip("\n")


def test_json_is_the_tree_as_data(model):
    data = json.loads(call("show", model, "--json").stdout)
    assert data == json.loads(call("show", model, "--format", "json").stdout)
    assert data["feature"] == "age" and data["cut"] == 42.5


@pytest.mark.parametrize(
    ("name", "start"),
    [("t.svg", "<svg"), ("t.html", "<!doctype"), ("t.dot", "digraph"), ("t.txt", "Tree: 5")],
)
def test_the_name_of_the_output_tells_the_format(model, tmp_path, name, start):
    done = call("show", model, "-o", tmp_path / name)
    assert done.exit_code == 0 and done.stdout == ""
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_a_page_is_titled_by_what_it_shows(model, patients, tmp_path):
    page = tmp_path / "page-for-the-boss.html"

    def title(*words):
        assert call("show", *words, "-o", page).exit_code == 0
        return re.search("<title>(.*)</title>", page.read_text(encoding="utf-8"))[1]

    assert title(model) == "patients.bw"
    grown = tmp_path / "grown.bw"
    assert call("grow", patients, "--target", "outcome", "--drop", "id", "-o", grown).exit_code == 0
    assert title(grown) == "outcome — grown.bw"
    one = load(grown)
    save(replace(one, target="<b>", trees=(one.tree, one.tree), combine=Combine("mean")), grown)
    assert title(grown, "--tree", 1) == "&lt;b&gt; — grown.bw, tree 1"


def test_the_working_of_a_node(model):
    assert call("show", model, "--working").stdout.startswith("Node 0: 20 rows, entropy (bits) 0.9928")
    assert call("show", model, "--node", 2).stdout.startswith("Node 2: 12 rows")
    rows = json.loads(call("show", model, "--working", "--node", 2, "--json").stdout)
    assert [row["verdict"] for row in rows] == ["another column gains more", "chosen"] or len(rows) == 2
    done = call("show", model, "--node", 9)
    assert done.exit_code == 2 and "the tree has nodes 0 to 4" in done.stderr


def test_one_tree_of_many(model, tmp_path):
    one = load(model)
    many = Model(one.schema, one.labels, one.trees * 2, one.recipe, combine=Combine("mean"))
    path = tmp_path / "many.bw"
    save(many, path)
    done = call("rules", path)
    assert done.exit_code == 2 and "has 2 trees. Say which one: --tree 0 to --tree 1" in done.stderr
    assert "Ensemble: 2 trees" in call("show", path).stdout
    assert call("show", path, "--tree", 1).stdout == call("show", model).stdout
    assert call("rules", path, "--tree", 0).stdout == call("rules", model).stdout
    assert call("show", path, "--tree", 2).exit_code == 2


def test_a_file_that_is_no_model(patients, tmp_path):
    done = call("show", patients)
    assert done.exit_code == 2 and len(done.stderr.splitlines()) == 1
    broken = tmp_path / "broken.bw"
    broken.write_bytes(b"nothing of the kind")
    done = call("show", broken)
    assert done.exit_code == 2 and "Traceback" not in done.stderr and "broken.bw" in done.stderr


def test_rules(model):
    assert call("rules", model).stdout == f"{load(model).rules()}\n"
    data = json.loads(call("rules", model, "--json").stdout)
    assert len(data["rules"]) == 3 and data["default"] == "well"
    assert "| 1 | age &lt;= 42.5 → well | 8 |" in call("rules", model, "--format", "markdown").stdout
    latex = call("rules", model, "--format", "latex").stdout
    assert latex.startswith("\\begin{longtable}") and r"$\to$ well" in latex


def test_simplified_rules(tmp_path):
    path = tmp_path / "t.bw"
    save(bw.ID3Classifier().fit([[float(k)] for k in range(6)], list("abcabc")), path)
    plain, short = (call("rules", path, *option).stdout for option in ([], ["--simplify"]))
    assert short.count(" and ") < plain.count(" and ")


def test_hostile_names_come_out_harmless(tmp_path):
    path = tmp_path / "t.bw"
    table = {"\x1b[31mred\n": ["\x1b]0;title\x07", "b"] * 3}
    save(bw.ID3Classifier().fit(table, ["\x1b[2Jp", "q"] * 3), path)
    for command in (["show"], ["show", "--working"], ["rules"], ["rules", "--format", "markdown"]):
        done = call(command[0], path, *command[1:])
        assert done.exit_code == 0 and "\x1b" not in done.stdout and "\x07" not in done.stdout, command
    assert "\x1b" not in call("why", path, "red=b").stderr


# ---- a list of rules


@pytest.fixture
def rule_file(patients):
    table = bw.read(patients)
    rules = bw.RuleListClassifier().fit(table.drop(["id", "outcome"]), table.column("outcome"))
    return save(rules, patients.with_name("rules.bw"))


def test_saved_rules_are_shown_predicted_with_and_exported(rule_file, patients):
    rules = load(rule_file)
    assert call("rules", rule_file).stdout == call("show", rule_file).stdout == f"{rules.to_text()}\n"
    assert call("rules", rule_file, "--simplify").stdout == f"{rules.simplify().to_text()}\n"
    assert json.loads(call("show", rule_file, "--json").stdout) == json.loads(
        call("rules", rule_file, "--json").stdout
    )
    answers = call("predict", rule_file, patients, "--proba").stdout.splitlines()
    assert answers[0] == "prediction,p(ill),p(well)" and len(answers) == 21
    assert call("export", rule_file, "python").stdout.rstrip("\n") == rules.export("python").rstrip("\n")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "--format", "svg"),
        ("show", "--working"),
        ("show", "--tree", 0),
        ("rules", "--tree", 0),
        ("why", "age=3"),
        ("prune", "--method", "mdl"),
    ],
)
def test_what_needs_a_tree_says_that_rules_have_none(rule_file, words):
    done = call(words[0], rule_file, *words[1:])
    assert done.exit_code != 0 and done.stdout == ""
    message = " ".join(done.stderr.split())
    assert "holds a list of rules, and no tree. See them with: branchwork rules" in message


# ---- the working, made again from the data


@pytest.mark.parametrize("method", ["id3", "cart", "tree", "c45"])
def test_the_working_is_made_again_from_the_training_data(method, patients, tmp_path):
    path, without = tmp_path / "kept.bw", tmp_path / "without.bw"
    whole = {"c45": ["--set", "pruning=none"], "cart": ["--set", "xval=none"]}.get(method, [])
    given = ["--target", "outcome", "--drop", "id", "--method", method, *whole, "--folds", 0]
    assert call("grow", patients, *given, "-o", path).exit_code == 0
    model = load(path)
    save(replace(model, trees=(model.tree.replace(ledger=None),)), without)
    data = ["--data", patients, "--target", "outcome"]
    nodes = (
        [0]
        if method == "c45"
        else [node for node in range(model.tree.n_nodes) if not model.tree.is_leaf(node)]
    )
    for node in nodes:
        kept = json.loads(call("show", path, "--node", node, "--json").stdout)
        again = json.loads(call("show", without, "--node", node, *data, "--json").stdout)
        assert [row["verdict"] for row in again] == [row["verdict"] for row in kept]
        assert [row["gain"] for row in again] == pytest.approx(
            [row["gain"] for row in kept], rel=1e-9, nan_ok=True
        )
        assert "cuts" not in again[0]
    done = call("show", without, "--working")
    assert done.exit_code == 2 and "--data FILE --target COLUMN" in done.stderr


def test_the_working_after_pruning(patients, tmp_path):
    grown, small = tmp_path / "grown.bw", tmp_path / "small.bw"
    given = ["--target", "outcome", "--drop", "id", "--method", "tree", "--folds", 0]
    assert call("grow", patients, *given, "-o", grown).exit_code == 0
    done = call("prune", grown, "--method", "cost_complexity", "--set", "alpha=1000", "-o", small)
    assert done.exit_code == 0 and load(small).tree.n_nodes < load(grown).tree.n_nodes
    kept = call("show", small, "--working")
    assert kept.exit_code == 0 and "chosen" in kept.stdout
    again = call("show", small, "--working", "--data", patients, "--target", "outcome")
    assert again.exit_code == 0 and again.stdout == kept.stdout


def test_weights_are_those_of_training(patients, tmp_path):
    path, without = tmp_path / "kept.bw", tmp_path / "without.bw"
    given = ["--target", "outcome", "--weights", "id", "--method", "id3", "--folds", 0]
    assert call("grow", patients, *given, "-o", path).exit_code == 0
    model = load(path)
    save(replace(model, trees=(model.tree.replace(ledger=None),)), without)
    data = ["--working", "--data", patients, "--target", "outcome"]
    assert call("show", without, *data, "--weights", "id").stdout == call("show", path, "--working").stdout
    assert "Computed on the 20 rows given, not on" in call("show", without, *data).stdout


def test_files_name_every_category_and_the_screen_the_first(tmp_path):
    letters = list("abcdefghij")
    file = tmp_path / "letters.bw"
    save(bw.CARTRegressor(max_depth=1).fit([[letter] for letter in letters], [0] * 5 + [9] * 5).model_, file)
    for command, name in (("show", "t.txt"), ("rules", "r.txt")):
        assert "… 2 more" in call(command, file).stdout
        assert call(command, file, "-o", tmp_path / name).exit_code == 0
        assert "{f, g, h, i, j}" in (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["svg", "dot"])
def test_pictures_are_turned_and_made_compact(model, form):
    tree = load(model)
    draw = tree.to_svg if form == "svg" else tree.to_dot
    done = call("show", model, "--format", form, "--orientation", "LR", "--compact", "lines")
    assert done.exit_code == 0
    assert done.stdout.rstrip("\n") == draw(orientation="LR", compact="lines").rstrip("\n")
    done = call("show", model, "--format", form, "--compact", "marks")
    assert done.stdout.rstrip("\n") == draw(compact="marks").rstrip("\n")


def test_a_page_is_turned(model):
    done = call("show", model, "--format", "html", "--orientation", "LR")
    assert done.exit_code == 0 and 'orientation: "LR"' in done.stdout
    assert (
        "--compact is for a picture" in call("show", model, "--format", "html", "--compact", "lines").stderr
    )


def test_what_is_no_picture_is_not_turned(model):
    assert (
        "--orientation is for a picture; take --format svg"
        in call("show", model, "--orientation", "LR").stderr
    )
    assert "--compact is for a picture" in call("show", model, "--json", "--compact", "lines").stderr
    with pytest.raises(bw.errors.ParameterError, match="--orientation 'RL' is not known"):
        raise call("show", model, "--format", "svg", "--orientation", "RL").exception


def test_a_page_has_histograms_of_the_data(model, patients, tmp_path):
    path = tmp_path / "patients.html"
    data = ["--data", patients, "--target", "outcome"]
    assert call("show", model, "-o", path, *data).exit_code == 0
    told = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1])
    assert told["rows"]["nodes"]["0"] and told["rows"]["n"] == 20
    done = call("show", model, *data)
    assert done.exit_code == 2 and "-o FILE.html" in done.stderr
