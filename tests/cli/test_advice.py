"""Every message of the commands that tells what to do: it is provoked, its advice is followed, and that works.

Each case is a command that fails, a piece of its message, and the command that the message leads to. Words in braces
are files: {rows} the patients, {id3}, {c45}, {cart} and {numbers} models of them, {many} a model of two trees, {large}
a model of C4.5 that kept no working, {weighted} a model of weighted rows, {half} every second row, {wrong} rows with
other answers, {other} the rows in a file whose name does not tell, {folder} a folder to write to.
"""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import branchwork as bw
from branchwork.cli import app as cli_app
from branchwork.model.combine import Combine
from branchwork.store.file import load, save

from commands import call, main

GROW = "grow {rows} --target outcome --drop id --folds 0"
JUDGE = "evaluate {id3} {half} --target outcome"

CASES = [
    # reading
    ("grow {folder}/patient.csv --target outcome", "Did you mean '{rows}'?", GROW),
    ("grow play_tenis", "Did you mean 'play_tennis'?", "grow play_tennis"),
    ("grow {rows}", "Say --target NAME. The file has 'id', 'age', 'pulse', 'outcome'.", GROW),
    ("grow {rows} --target outcom", "Did you mean 'outcome'?", GROW),
    (
        "grow play_tennis --target Wind",
        "The target of the bundled table 'play_tennis' is 'PlayTennis'.",
        "grow play_tennis --target PlayTennis",
    ),
    ("grow {id3} --target outcome", "See it with: branchwork show {id3}", "show {id3}"),
    (
        "grow {rows} --target outcome --drop id --drop age --drop pulse",
        "Drop fewer.",
        "grow {rows} --target outcome --drop id --drop age",
    ),
    (
        "grow {rows} --target age --weights outcome",
        "--weights outcome: sample_weight, row 0: expected a number",
        "grow {rows} --target age --weights pulse --folds 0",
    ),
    (
        "grow {other} --target outcome",
        "has the suffix '.dat'",
        "grow {other} --target outcome --input-format csv",
    ),
    (
        "grow {rows} --target pulse --method c45",
        "Add --task classification",
        "grow {rows} --target pulse --method c45 --task classification",
    ),
    (
        "grow {rows} --target pulse --method c45",
        "take a method for numbers: id3, stump, cart, tree, chaid",
        "grow {rows} --target pulse --method cart",
    ),
    # studies
    (
        f"{GROW} --validation 1.5",
        "expected a share between 0 and 1, or a number of rows",
        f"{GROW} --validation 0.25",
    ),
    (
        "curve {rows} --target pulse --method c45",
        "Add --task classification",
        "curve {rows} --target pulse --method c45 --task classification --folds 2",
    ),
    (
        "curve {rows} --target pulse --method c45",
        "or take a method for numbers: id3, stump, cart, tree",
        "curve {rows} --target pulse --method tree --folds 2",
    ),
    (
        "curve {rows} --target outcome --set max_dept=2",
        "Did you mean 'max_depth'?",
        "curve {rows} --target outcome --over min_samples_leaf --set max_depth=2 --folds 2",
    ),
    # settings
    (f"{GROW} --method cat", "Did you mean 'cart'?", f"{GROW} --method cart"),
    (
        f"{GROW} --set confidence",
        "expected NAME=VALUE, as in --set confidence=0.1.",
        f"{GROW} --set confidence=0.1",
    ),
    (f"{GROW} --set confidense=0.1", "Did you mean 'confidence'?", f"{GROW} --set confidence=0.1"),
    (
        f"{GROW} --set pruning=reduced_error --set confidence=0.1",
        "Take --set pruning=error_based.",
        f"{GROW} --set pruning=error_based --set confidence=0.1",
    ),
    (
        f"{GROW} --method cart --set pruning=none",
        "say --set xval=none.",
        f"{GROW} --method cart --set xval=none",
    ),
    (
        f"{GROW} --method cart --set xval=5 --set choose=se",
        "choose='se' is not known",
        f"{GROW} --method cart --set xval=5 --set choose=min",
    ),
    (
        f"{GROW} --method cart --set leaf=3",
        "Did you mean 'max_leaf_nodes' or 'min_samples_leaf'",
        f"{GROW} --method cart --set max_leaf_nodes=3",
    ),
    (
        f"{GROW} --set categorical_features=age",
        "Name each such column with --categorical COLUMN.",
        f"{GROW} --categorical age",
    ),
    (
        f"{GROW} --set class_weight={{{{ill:5}}}}",
        'Lists look like [1, 2], mappings like {{"ill": 5}}',
        f'{GROW} --set class_weight={{{{"ill":5}}}}',
    ),
    (
        "grow {half} --target outcome --method cart --set xval=[0,1,0,1,0,1,0,1,0,1]",
        "Add --folds 0.",
        "grow {half} --target outcome --method cart --set xval=[0,1,0,1,0,1,0,1,0,1] --folds 0",
    ),
    (f"{GROW} --criterion gini", "c45 has gain_ratio and entropy.", f"{GROW} --criterion entropy"),
    (
        "grow {rows} --target outcome --folds 21",
        "expected a number from 2 to 20, the number of rows",
        "grow {rows} --target outcome --folds 20",
    ),
    (
        f"{GROW} --method cart --set xval=21",
        "expected a number from 2 to 20",
        f"{GROW} --method cart --set xval=20",
    ),
    (
        "compare {rows} --target outcome --method id3 --folds 21",
        "expected a number from 2 to 20",
        "compare {rows} --target outcome --method id3 --folds 20",
    ),
    (
        "compare {rows} --target outcome --method id3 --folds 0",
        "expected a number from 2 to 20",
        "compare {rows} --target outcome --method id3 --folds 2",
    ),
    # output
    (
        "predict {id3} {rows} -o {id3}",
        "Give -o another name.",
        "predict {id3} {rows} -o {folder}/answers.csv",
    ),
    (
        "predict {id3} {rows} -o {folder}/a.bw",
        "this command writes .csv, .txt, .jsonl",
        "predict {id3} {rows} -o {folder}/a.csv",
    ),
    ("show {id3} -o {folder}/a.bmp", "this command writes .txt, .svg, .png", "show {id3} -o {folder}/a.png"),
    ("grow {rows} --target outcome -o {folder}/a.png", "save it first", f"{GROW} -o {{folder}}/a.bw"),
    ("export {id3}", "Say branchwork export {id3} python", "export {id3} python"),
    ("export {id3}", "or name a file that tells: -o model.py", "export {id3} -o {folder}/model.py"),
    (
        "rules {id3} --format latex -o {folder}/a.md",
        "LaTeX goes into a file that ends in .tex",
        "rules {id3} --format latex -o {folder}/a.tex",
    ),
    # show and why
    ("rules {many}", "Say which one: --tree 0 to --tree 1.", "rules {many} --tree 1"),
    ("show {many} --format svg", "Say which one: --tree 0 to --tree 1", "show {many} --tree 1 --format svg"),
    ("show {many} --format svg", "or take --format html", "show {many} --format html"),
    ("why {many} age=50 --want well", "add --tree 0", "why {many} age=50 --want well --tree 0"),
    ("show {vote}", "The commands predict and export take it", "predict {vote} {rows}"),
    ("show {near}", "The commands predict and why take it", "predict {near} {rows}"),
    ("export {near} python", "The commands predict and why take it", "predict {near} {rows}"),
    (
        f"{GROW} --method forest --set n_tree=3",
        "It has bootstrap, class_weight, combine",
        f"{GROW} --method forest --set n_estimators=3",
    ),
    (
        f"{GROW} --method forest --set combine=x",
        "combine='x' is not known",
        f"{GROW} --method forest --set combine=vote",
    ),
    ("show {id3} --orientation LR", "take --format svg", "show {id3} --orientation LR --format svg"),
    ("show {id3} --node 99", "the tree has nodes 0 to 4", "show {id3} --node 4"),
    (
        "show {id3} --data {rows} --target outcome",
        "Add --working, --node N, or -o FILE.html.",
        "show {id3} --data {rows} --target outcome --working",
    ),
    ("show {id3} --working --format svg", "Leave out --format, or --working", "show {id3} --working"),
    ("show {id3} --working --max-depth 2", "Leave one of them out.", "show {id3} --max-depth 2"),
    (
        "show {large} --working",
        "branchwork show {large} --node 0 --data FILE --target COLUMN",
        "show {large} --node 0 --data {rows} --target outcome",
    ),
    (
        "show {id3} --working --data {rows}",
        "Say --target NAME.",
        "show {id3} --working --data {rows} --target outcome",
    ),
    ("show {rules} --working", "See them with: branchwork rules", "rules {rules}"),
    ("why {id3} --row 3", "branchwork why MODEL --row 3 FILE", "why {id3} --row 3 {rows}"),
    ("why {id3} --row 20 {rows}", "its rows are 0 to 19.", "why {id3} --row 19 {rows}"),
    ("why {id3} --row -1 {rows}", "rows are counted from 0", "why {id3} --row 0 {rows}"),
    ("why {id3} agee=50", "Did you mean 'age'?", "why {id3} age=50"),
    ("why {id3} age", "expected COLUMN=VALUE. The columns are 'age', 'pulse'.", "why {id3} age=50"),
    ("why {id3} age=old", "expected a number", "why {id3} age=50"),
    (
        "why {numbers} age=50 --want much",
        "expected LOWEST:HIGHEST, as in --want 10:20.",
        "why {numbers} age=50 --want 70:90",
    ),
    # predict and prune
    ("predict {numbers} {rows} --proba", "it has no probabilities", "predict {numbers} {rows}"),
    (
        "prune {id3} --method reduced_error",
        "branchwork prune {id3} FILE --target COLUMN --method reduced_error",
        "prune {id3} {rows} --target outcome --method reduced_error",
    ),
    (
        "prune {id3} {rows} --target outcome --method mdl",
        "uses only the tree; leave {rows} out.",
        "prune {id3} --method mdl",
    ),
    (
        "prune {id3} {rows} --method reduced_error",
        "Say --target NAME.",
        "prune {id3} {rows} --target outcome --method reduced_error",
    ),
    (
        "prune {id3} {rows} --target age --method reduced_error",
        "is a column that the model predicts from",
        "prune {id3} {rows} --target outcome --method reduced_error",
    ),
    (
        "prune {cart} {rows} --target outcome --method cost_complexity --set folds=21",
        "expected a number from 2 to 20",
        "prune {cart} {rows} --target outcome --method cost_complexity --set folds=20",
    ),
    (
        "prune {c45} {rows} --target outcome --method cost_complexity",
        "give alpha= instead",
        "prune {c45} --method cost_complexity --set alpha=0.1",
    ),
    (
        "prune {cart} --method cost_complexity -o {folder}/s.bw",
        "needs --set alpha=NUMBER",
        "prune {cart} --method cost_complexity --set alpha=0.1 -o {folder}/s.bw",
    ),
    (
        "prune {cart} --method cost_complexity -o {folder}/s.bw",
        "leave out -o {folder}/s.bw.",
        "prune {cart} --method cost_complexity",
    ),
    # judging
    ("evaluate {id3} {half}", "Say --target NAME.", JUDGE),
    ("evaluate {id3} {half} --target age", "is a column that the model predicts from", JUDGE),
    (JUDGE + " --positive il", "The classes are ill, well.", JUDGE + " --positive ill"),
    (JUDGE + " --cost ill=5", "such as --cost ill:well=5", JUDGE + " --cost ill:well=5"),
    (
        "evaluate {numbers} {half} --target pulse --cost ill:well=5",
        "--cost is about classes",
        "evaluate {numbers} {half} --target pulse",
    ),
    (JUDGE + " --subgroup ag", "Did you mean 'age'?", JUDGE + " --subgroup age"),
    (
        "diff {id3} {c45} --target outcome",
        "--target was given without FILE",
        "diff {id3} {c45} {half} --target outcome",
    ),
    (
        "compare play_tennis --method stump --groups Wnd",
        "There are Outlook, Temperature, Humidity, Wind.",
        "compare play_tennis --method stump --groups Wind --folds 2",
    ),
    (
        "compare play_tennis --method stump --groups Wind --repeats 2",
        "groups are dealt out once",
        "compare play_tennis --method stump --groups Wind --folds 2",
    ),
    (
        "compare play_tennis --method stump --repeats 0",
        "expected a number of at least 1",
        "compare play_tennis --method stump --repeats 1",
    ),
    (
        "tune play_tennis --method tree --grid max_depth",
        "as in --grid max_depth=2,4,none",
        "tune play_tennis --method tree --folds 2 --grid max_depth=2,4,none",
    ),
    ("export {id3} pyton", "Did you mean 'python'?", "export {id3} python"),
    ("datasets play_tenis", "Did you mean 'play_tennis'?", "datasets play_tennis"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("advice")
    lines = [
        f"{k},{20 + 3 * k},{60 + 7 * k % 23},{'ill' if k > 7 and 7 * k % 23 > 6 else 'well'}\n"
        for k in range(20)
    ]
    head = "id,age,pulse,outcome\n"
    rows, half, other = folder / "patients.csv", folder / "half.csv", folder / "patients.dat"
    rows.write_text(head + "".join(lines))
    half.write_text(head + "".join(lines[::2]))
    other.write_text(rows.read_text())
    wrong = folder / "wrong.csv"
    wrong.write_text(rows.read_text().replace("ill", "well"))
    names = {"folder": folder, "rows": rows, "half": half, "other": other, "wrong": wrong}
    table = bw.read(rows)
    X, y = table.drop(["id", "outcome"]), list(table.column("outcome"))
    weights = [float(k) for k in range(20)]
    models = {
        "id3": bw.ID3Classifier().fit(X, y).model_,
        "c45": bw.C45Classifier().fit(X, y).model_,
        "cart": bw.CARTClassifier().fit(X, y).model_,
        "numbers": bw.CARTRegressor().fit(X.drop(["pulse"]), list(table.column("pulse"))).model_,
        "weighted": bw.ID3Classifier().fit(X, y, sample_weight=weights).model_,
    }
    models["many"] = replace(models["id3"], trees=models["id3"].trees * 2, combine=Combine("mean"))
    grown = bw.C45Classifier(pruning=None).fit(X, y).model_
    models["large"] = replace(grown, trees=(grown.tree.replace(ledger=None),))
    for name, model in models.items():
        names[name] = folder / f"{name}.bw"
        save(model, names[name])
    vote = bw.VoteClassifier([("id3", bw.ID3Classifier()), ("stump", bw.StumpClassifier())])
    names["vote"] = save(vote.fit(X, y), folder / "vote.bw")
    names["near"] = save(bw.NeighboursClassifier(k=3).fit(X, y), folder / "near.bw")
    names["rules"] = save(bw.RuleListClassifier().fit(X, y), folder / "rules.bw")
    return names


def failed(wrong, files):
    """What a command says that fails."""
    code, _, told = main(*wrong.format(**files).split())
    assert code == 2, wrong
    return told


@pytest.mark.parametrize(("wrong", "advice", "right"), CASES, ids=lambda text: text[:40])
def test_the_advice_of_a_message_works(wrong, advice, right, files):
    assert advice.format(**files) in failed(wrong, files)
    followed = call(*right.format(**files).split())
    assert followed.exit_code == 0, followed.stderr


WITHOUT_ADVICE = {
    "curve": "a table of one row, below",
    "tune": "a table of two rows, which tests/cli/test_study.py has",
    "_again": "standard input, which tests/cli/test_evaluate.py has",
    "write": "a terminal, which tests/cli/test_compare.py has",
    "labelled_rows": "a row without an answer, which tests/cli/test_prune.py has",
    "_from_file": "a file without rows",
    "checked_folds": "a table of one row, below",
    "opened": "standard input that is closed, which tests/cli/test_streams.py has",
    "picture_of": "matplotlib that is not installed, which tests/cli/test_output.py has",
    "_whole_table": "an error of the reader, which tests/cli/test_grow.py has for standard input",
}
"""Functions that have one more message than is provoked above, and why."""


def longest_piece(message):
    """The longest text of a message that does not depend on what was given."""
    pieces = [
        node.value
        for node in ast.walk(message)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return max(pieces, key=len, default="")


def messages():
    """Function and fixed text of every message that is raised in cli/."""
    for path in Path(cli_app.__file__).parent.glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                        yield function.name, longest_piece(node.exc.args[0])


def test_every_message_of_the_commands_is_among_the_cases(files):
    said = "".join(failed(wrong, files) for wrong, _, _ in CASES)
    found = set(messages())
    assert len(found) >= 15
    missing = {name for name, text in found if text not in said and len(text) > 5}
    assert missing - set(WITHOUT_ADVICE) == set()


def test_a_table_of_one_row_is_not_cross_validated(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,y\n1,p\n")
    done = call("grow", path, "--target", "y", "--folds", 2)
    assert done.exit_code == 2 and "a table of one row cannot be cross-validated" in done.stderr
    assert call("grow", path, "--target", "y").exit_code == 0
    done = call("curve", path, "--target", "y")
    assert done.exit_code == 2 and "A table of one row cannot be cross-validated." in done.stderr


def test_a_model_that_was_pruned_to_nothing_says_how_to_see_more(files):
    words = ["grow", "play_tennis", "--method", "cart", "--folds", 0]
    done = call(*words)
    assert "Tree: 1 node" in done.stdout and "Add --set xval=none" in done.stderr
    assert "Outlook" in call(*words, "--set", "xval=none").stdout.split("Why")[0]


def test_the_next_command_works(files, tmp_path):
    output = tmp_path / "model.bw"
    done = call("grow", "play_tennis", "--folds", 0, "-o", output)
    following = done.stderr.split("Next: branchwork ")[1].split()
    assert call(*following).exit_code == 0
    assert load(output).target == "PlayTennis"
