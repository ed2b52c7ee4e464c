"""Trees as nested dictionaries: the lecture's, judged, drawn and exported like grown ones; and what is refused."""

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import BranchworkError, DataError, ParameterError
from branchwork.tree.check import check

IRIS = bw.datasets.load("iris7")
TENNIS = bw.datasets.load("play_tennis")
A = {
    "feature": "Petal Length",
    "cut": 2.5,
    "then": 0,
    "else": {"feature": "Petal Width", "cut": 1.5, "then": 1, "else": 2},
}
B = {
    "feature": "Sepal Length",
    "cut": 5,
    "then": 0,
    "else": {"feature": "Petal Length", "cut": 5, "then": 1, "else": 2},
}
PLAY = {
    "feature": "Outlook",
    "values": {
        "Overcast": "Yes",
        "Rain": {"feature": "Wind", "values": ["Strong"], "then": "No", "else": "Yes"},
        "Sunny": {"feature": "Humidity", "values": ["High"], "then": "No", "else": "Yes"},
    },
    "missing": "Yes",
}


@pytest.mark.parametrize(("tree", "predicted", "errors"), [
    (A, [0, 0, 0, 1, 1, 2, 2], 1),
    (B, [0, 0, 1, 0, 1, 1, 2], 2),
])  # fmt: skip
def test_the_trees_of_the_lecture(tree, predicted, errors):
    for model in (
        bw.hand_tree(tree, IRIS.X, IRIS.y),
        bw.hand_tree(tree, IRIS.X),
        bw.hand_tree(tree, IRIS.X.schema),
    ):
        assert model.predict(IRIS.X).tolist() == predicted
        assert 1 - model.score(IRIS.X, IRIS.y) == pytest.approx(errors / 7)
        check(model.tree, model.schema)


def test_a_hand_written_tree_counts_its_rows():
    model = bw.hand_tree(A, IRIS.X, IRIS.y)
    assert model.tree.n_rows.tolist() == [7, 3, 4, 2, 2]
    assert model.tree.distribution.tolist() == [[3, 3, 1], [3, 0, 0], [0, 3, 1], [0, 2, 0], [0, 1, 1]]
    assert model.predict_proba(IRIS.X[-1:]).tolist() == [[0.0, 0.5, 0.5]]
    assert model.predict(IRIS.X[-1:]).tolist() == [2]  # what was written, although the rows are a tie
    counts = model.tree.distribution
    entropy = [bw.information.entropy(np.repeat([0, 1, 2], one.astype(int)).tolist()) for one in counts]
    np.testing.assert_allclose(model.tree.impurity, entropy, atol=1e-12)
    gain = entropy[0] - 3 / 7 * entropy[1] - 4 / 7 * entropy[2]
    assert model.tree.gain[0] == pytest.approx(gain)
    halves = bw.hand_tree(A, IRIS.X, IRIS.y, sample_weight=[0.5] * 7)
    assert halves.tree.weight.tolist() == [3.5, 1.5, 2.0, 1.0, 1.0]
    without = bw.hand_tree(A, IRIS.X)
    assert without.tree.n_rows.tolist() == [7, 3, 4, 2, 2]
    assert bw.hand_tree(A, IRIS.X.schema).tree.weight.tolist() == [3, 1, 2, 1, 1]


def test_it_is_drawn_exported_and_saved_like_a_grown_one(tmp_path):
    model = bw.hand_tree(PLAY, TENNIS.X, TENNIS.y)
    grown = bw.ID3Classifier().fit(TENNIS.X, TENNIS.y)
    assert model.score(TENNIS.X, TENNIS.y) == 1
    lines = [line for line in model.to_text().splitlines() if "missing" not in line]
    words = [[line.strip("│├└─ ").split() for line in some] for some in (lines, grown.to_text().splitlines())]
    assert words[0] == words[1]
    assert ">Outlook<" in model.to_svg() and "<html" in model.to_html() and "digraph" in model.to_dot()
    assert len(model.rules()) == 6
    assert model.why(TENNIS.X[:1]).prediction == "No"
    names: dict = {}
    exec(model.export("python"), names)
    rows = [TENNIS.X.row(k) for k in range(14)]
    assert [names["predict"](row) for row in rows] == list(TENNIS.y)
    for suffix in (".bw", ".json"):
        loaded = bw.load(bw.save(model, tmp_path / f"hand{suffix}"))
        assert loaded.to_text() == model.to_text()
    for language in ("c", "javascript", "java", "sql", "json", "markdown", "latex", "questionnaire"):
        assert model.export(language)
    assert bw.hand_tree(A, IRIS.X, IRIS.y).feature_importances_.sum() == pytest.approx(1)


def test_missing_cells_take_else_or_what_is_said():
    rows = pd.DataFrame({"n": [1.0, 5.0, np.nan], "c": ["a", "b", None]})
    number = {"feature": "n", "cut": 2, "then": "low", "else": "high"}
    assert bw.hand_tree(number, rows).predict(rows).tolist() == ["low", "high", "high"]
    assert bw.hand_tree({**number, "missing": "then"}, rows).predict(rows)[2] == "low"
    assert bw.hand_tree({**number, "missing": "gone"}, rows).predict(rows)[2] == "gone"
    deeper = {**number, "missing": {"feature": "c", "values": ["a"], "then": "x", "else": "y"}}
    assert bw.hand_tree(deeper, rows).predict(rows)[2] == "y"
    text = {"feature": "c", "values": ["a"], "then": "A", "else": "other"}
    assert bw.hand_tree(text, rows).predict(rows).tolist() == ["A", "other", "other"]
    assert bw.hand_tree({**text, "missing": "then"}, rows).predict(rows)[2] == "A"
    many = {"feature": "c", "values": {"a": "A"}, "else": "other"}
    assert bw.hand_tree(many, rows).predict(rows).tolist() == ["A", "other", "other"]
    each = {"feature": "c", "values": {"a": "A", "b": "B"}}
    assert bw.hand_tree(each, rows).predict(rows).tolist() == ["A", "B", "B"]
    assert bw.hand_tree({**each, "missing": "gone"}, rows).predict(rows).tolist() == ["A", "B", "gone"]


def test_floats_make_a_tree_for_numbers():
    rows, y = {"n": [1.0, 2.0, 3.0, 4.0]}, [10.0, 20.0, 35.0, 45.0]
    tree = {"feature": "n", "cut": 2.5, "then": 12.5, "else": 40.0}
    model = bw.hand_tree(tree, rows, y)
    assert model.labels is None and model.predict(rows).tolist() == [12.5, 12.5, 40.0, 40.0]
    np.testing.assert_allclose(model.tree.impurity, [np.var(y), 25.0, 25.0])
    np.testing.assert_allclose(model.tree.gain, [np.var(y) - 25, 0, 0])
    assert model.tree.value[:, 0].tolist() == [27.5, 12.5, 40.0]
    assert model.score(rows, y) == pytest.approx(1 - 112.5 / (4 * np.var(y)))
    whole = bw.hand_tree({**tree, "then": 1, "else": 2}, rows)
    assert whole.labels == (1, 2)
    assert bw.hand_tree({**tree, "then": 1, "else": 2}, rows, labels=[2, 1, 0]).labels == (2, 1, 0)
    floats = bw.hand_tree({**tree, "then": 1.0, "else": 2.0}, rows, labels=[1.0, 2.0])
    assert floats.labels == (1.0, 2.0) and floats.predict(rows).tolist() == [1.0, 1.0, 2.0, 2.0]
    assert bw.hand_tree(7.0, rows).predict(rows).tolist() == [7.0] * 4
    assert bw.hand_tree("all rows → a", rows).predict(rows).tolist() == ["a"] * 4


def test_labels_come_from_y_and_from_the_tree():
    rows, y = {"n": [1.0, 2.0]}, pd.Series(["b", "a"], name="kind")
    model = bw.hand_tree({"feature": "n", "cut": 1.5, "then": "b", "else": "z"}, rows, y)
    assert model.labels == ("a", "b", "z") and model.target == "kind"
    assert model.predict(rows).tolist() == ["b", "z"] and model.score(rows, y) == 0.5
    numpy_labels = bw.hand_tree({"feature": "n", "cut": 1.5, "then": np.int64(0), "else": np.int64(1)}, rows)
    assert numpy_labels.labels == (0, 1) and type(numpy_labels.labels[0]) is int


def test_a_chain_of_thousands_is_built_without_recursion():
    tree: dict = {"feature": "n", "cut": 0.5, "then": 0, "else": 1}
    for k in range(1, 5000):
        tree = {"feature": "n", "cut": -k, "then": k % 2, "else": tree}
    model = bw.hand_tree(tree, {"n": [0.0, 1.0, -7.5, -4998.5]})
    assert model.tree.depth == 5000
    assert model.predict({"n": [0.0, 1.0, -4999.5]}).tolist() == [0, 1, 1]


CUT = {"feature": "n", "cut": 1, "then": "a", "else": "b"}
WORDS = {"feature": "c", "values": ["x"], "then": "a", "else": "b"}
EACH = {"feature": "c", "values": {"x": "a", "y": "b"}, "else": "d"}
REFUSED = [
    ({**CUT, "feature": "nn"}, "feature: There is no column 'nn'. Did you mean 'n'"),
    ({**CUT, "cut": "1"}, "cut is '1'; expected a finite number"),
    ({**CUT, "cut": float("nan")}, "cut is nan"),
    ({**CUT, "cut": True}, "cut is True"),
    ({**CUT, "cutt": 1}, "the root has 'cutt'; expected some of"),
    ({**CUT, "feature": "c"}, "cut: column 'c' has categories; expected \"values\""),
    ({**WORDS, "feature": "n"}, "values: column 'n' has numbers; expected \"cut\""),
    ({"feature": "n", "then": 1, "else": 2}, 'the root needs "cut" for numbers or "values"'),
    ({**CUT, "values": ["x"]}, "and not both"),
    ({"feature": "n", "cut": 1, "then": 1}, 'the root has no "else"'),
    ({**WORDS, "values": ["q"]}, "values: 'c' has no category 'q'; it has 'x', 'y', 'z'"),
    ({**WORDS, "values": "x"}, "values is 'x'; expected a list"),
    ({**EACH, "then": "a"}, '"values" has the branches already'),
    ({"feature": "c", "values": {"x": "a", "y": "b"}}, "values has no branch for 'z'"),
    ({"feature": "c", "values": {}, "else": "a"}, "has one branch"),
    ({**EACH, "missing": "then"}, 'missing is "then", which the root does not have'),
    ({**CUT, "else": {**CUT, "then": {**CUT, "cut": None}}}, "^else.then.cut is None"),
    ({**CUT, "else": {**EACH, "values": {"x": {**CUT, "feature": "q"}}}}, r"^else.values\['x'\].feature"),
    ({**CUT, "then": None}, "then: None is no answer"),
    ({**CUT, "then": [1]}, r"then: \[1\] is no answer"),
    (None, "the root: None is no answer"),
]


@pytest.mark.parametrize(("tree", "says"), REFUSED)
def test_a_wrong_tree_is_refused_by_its_place(tree, says):
    schema = bw.Schema((bw.Column("n", "numeric"), bw.Column("c", "nominal", ("x", "y", "z"))))
    with pytest.raises(ParameterError, match=says):
        bw.hand_tree(tree, schema)


def test_wrong_rows_are_refused():
    rows = {"n": [1.0, 2.0]}
    tree = {"feature": "n", "cut": 1.5, "then": "a", "else": "b"}
    with pytest.raises(DataError, match="X has 2 rows, but y has 3"):
        bw.hand_tree(tree, rows, ["a", "b", "a"])
    with pytest.raises(ParameterError, match="a Schema, which has no rows"):
        bw.hand_tree(tree, bw.Schema((bw.Column("n", "numeric"),)), ["a", "b"])
    with pytest.raises(ParameterError, match="expected different labels"):
        bw.hand_tree(tree, rows, labels=["a", "a"])
    with pytest.raises(BranchworkError):
        bw.hand_tree({**tree, "then": 1.0, "else": 2.0}, rows, ["a", "b"])
