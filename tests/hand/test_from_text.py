"""Printed trees come back: with the rows of training, the very same text; without them, the same answers."""

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import BranchworkError, ParameterError

from program_cases import FITS, random_table
from registry import ESTIMATORS

RNG = np.random.default_rng(1)
X = {
    "size of it": (RNG.integers(0, 40, 90) / 4).tolist(),
    "size": np.where(RNG.random(90) < 0.1, np.nan, RNG.normal(size=90).round(1)),
    "colour": [None if k == 4 else ("red", "red, or so", "blue", "}")[k] for k in RNG.integers(0, 5, 90)],
    "on": RNG.random(90) < 0.5,
    "count": RNG.integers(0, 6, 90),
}
WHOLE = {name: cells for name, cells in X.items() if name in ("size of it", "on", "count")}
SCORE = np.array(X["size of it"]) / 5 + X["on"] - np.array([c == "red" for c in X["colour"]])
Y = np.array(["no", "yes", "perhaps"])[np.digitize(SCORE, [0.8, 1.6])]


def conditions(text):
    """The lines without the numbers of rows; -1.5e+13 and -15000000000000 are one number."""
    lines = [re.sub(r"\s+\d+ rows?\b.*$", "", line) for line in text.splitlines()]
    number = re.compile(r"(?<= )-?\d+(\.\d+)?(e[+-]\d+)?(?= |$)")
    return [number.sub(lambda found: f"{float(found[0]):.9g}", line) for line in lines]


@pytest.mark.parametrize("table", [X, WHOLE], ids=["gaps", "whole"])
@pytest.mark.parametrize("factory", ESTIMATORS, ids=lambda f: f.__name__)
def test_every_registered_tree(factory, table):
    numbers = factory.__name__.endswith("Regressor")
    y = np.arange(90) // 9 if numbers else Y
    settings = {"max_depth": 2} if factory.__name__.startswith("Optimal") else {}
    fitted = factory(**settings).fit(table, y)
    text = fitted.to_text(full=True)
    if "shared among" in text or "surrogates" in text:
        with pytest.raises(ParameterError, match="the text does not say how"):
            bw.hand_tree(text, table, y)
        return
    if numbers:
        model = bw.hand_tree(text, table, y)
        assert model.labels is None and conditions(model.to_text(full=True)) == conditions(text)
        np.testing.assert_allclose(model.predict(table), fitted.predict(table), rtol=1e-5)
        return
    model = bw.hand_tree(text, table, y)
    assert model.to_text(full=True) == text
    assert model.predict(table).tolist() == fitted.predict(table).tolist()
    assert model.tree.distribution.tolist() == fitted.tree_.distribution.tolist()
    assert model.tree.n_rows.tolist() == fitted.tree_.n_rows.tolist()
    alone = bw.hand_tree(text, fitted.schema_, labels=fitted.model_.labels)
    assert alone.predict(table).tolist() == fitted.predict(table).tolist()
    assert (
        bw.hand_tree(alone.to_text(full=True), fitted.schema_).predict(table).tolist()
        == alone.predict(table).tolist()
    )


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("kind", [name for name, _ in FITS if "regress" not in name])
def test_names_that_mean_something_are_read_or_refused(kind, hostile):
    rng = np.random.default_rng(len(kind))
    table = random_table(rng, 80, hostile=hostile)
    y = [("it's", '"so"', "a → b")[k] for k in rng.integers(0, 3, 80)]
    estimator = dict(FITS)[kind]()
    if "max_depth" in estimator.get_params():
        estimator.set_params(max_depth=3)
    fitted = estimator.fit(table, y)
    text = fitted.to_text(full=True)
    try:
        model = bw.hand_tree(text, table, y)
    except ParameterError as error:
        assert "the text does not say how" in str(error) or (hostile and "Line" in str(error))
        return
    assert conditions(model.to_text(full=True)) == conditions(text)
    if model.to_text(full=True) == text:  # no cut has more than ten digits
        assert (model.predict(table) == fitted.predict(table)).all()


def test_colours_and_deep_chains_are_read():
    rows = np.arange(120.0)[:, None]
    tree = bw.TreeClassifier(criterion="accuracy").fit(rows, np.arange(120) % 2)
    text = tree.to_text(color=True)
    assert "[depth 41]" in text and "\x1b" in text
    model = bw.hand_tree(text, rows, np.arange(120) % 2)
    assert model.to_text(color=False) == tree.to_text(color=False)


def test_text_may_be_typed_without_numbers_of_rows():
    typed = """
all rows
├─ age <= 30 or missing → 1
└─ age > 30
   ├─ colour in {red, blue} → 0
   └─ colour = green → 1
"""
    rows = {"age": [20.0, 40.0, 50.0, None], "colour": ["red", "green", "blue", "red"]}
    model = bw.hand_tree(typed, rows)
    assert model.labels == (0, 1) and model.predict(rows).tolist() == [1, 1, 0, 1]
    numbers = bw.hand_tree("all rows\n├─ age <= 30 → 1.5\n└─ age > 30 → 2.5", rows)
    assert numbers.labels is None and numbers.predict(rows).tolist() == [1.5, 2.5, 2.5, 2.5]
    whole = bw.hand_tree("all rows\n├─ age <= 30 → 10.0\n└─ age > 30 → 2.5", rows, [10.0, 2.0, 3.0, 4.0])
    assert whole.labels is None and whole.predict(rows).tolist() == [10.0, 2.5, 2.5, 2.5]


TYPED = "all rows\n├─ n <= 1 → a\n└─ n > 1\n   ├─ c = x → b\n   └─ c in {y, z} → a"
REFUSED = [
    (TYPED.replace("n <= 1", "q <= 1"), "Line 2 .* no condition on 'n', 'c'"),
    (TYPED.replace("c = x → b", "c = x"), "Line 4 .* no answer"),
    (TYPED.replace("n > 1\n", "n > 1 → b\n"), "Line 3 .* and branches below"),
    (TYPED.replace("n > 1", "n > 2"), "Line 2 .* follow each other"),
    (TYPED.replace("   └─ c in {y, z} → a", "   └─ n > 3 → a"), "Line 4 .* same feature"),
    (TYPED.replace("{y, z}", "{y, x}"), "Line 5 .* 'x' takes two branches"),
    (TYPED.replace("{y, z}", "{y, … 1 more}"), r"to_text\(full=True\)"),
    (TYPED.replace("   ├─", "         ├─"), "Line 4 .* indented further"),
    (TYPED.replace("├─ n", "- n"), "Line 2 .* expected ├─"),
    (TYPED.replace("n <= 1", "n <= 1 or missing").replace("n > 1", "n > 1 or missing"), "more than one"),
    (
        TYPED.replace("\n   ├─ c = x → b\n   └─ c in {y, z} → a", "\n   └─ … 2 nodes below"),
        "cut off by max_depth",
    ),
    (TYPED.replace("→ b", "→ b\n   ├─ c is missing → a"), None),
    (TYPED.replace("n <= 1 →", "n is missing →"), "must be the last|follow each other"),
    ("all rows", "Line 1 .* no branches and no answer"),
]


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_a_text_that_is_no_tree_is_refused_by_its_line(text, says):
    schema = bw.Schema((bw.Column("n", "numeric"), bw.Column("c", "nominal", ("x", "y", "z"))))
    assert bw.hand_tree(TYPED, schema).tree.n_leaves == 3
    if says is None:
        assert bw.hand_tree(text, schema).tree.n_leaves == 4
        return
    with pytest.raises(ParameterError, match=says):
        bw.hand_tree(text, schema)


def test_labels_that_look_alike_are_refused():
    with pytest.raises(ParameterError, match="two labels look like '1'"):
        bw.hand_tree("all rows → 1", {"n": [1.0]}, labels=[1, "1"])
    with pytest.raises(ParameterError, match="no label looks like 'q'"):
        bw.hand_tree("all rows → q", {"n": [1.0]}, labels=["a", "b"])


@given(st.integers(0, len(TYPED) - 1), st.text(max_size=3))
def test_damaged_texts_are_refused_or_read(place, put):
    schema = bw.Schema((bw.Column("n", "numeric"), bw.Column("c", "nominal", ("x", "y", "z"))))
    with contextlib.suppress(BranchworkError):
        bw.hand_tree(TYPED[:place] + put + TYPED[place + 1 :], schema)


def test_a_printed_tree_tells_what_it_predicts():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    for text in (tree.to_text(), tree.to_text(color=True), f"\n{tree.to_text()}\n"):
        model = bw.hand_tree(text, data.X, list(data.y))
        assert model.target == "PlayTennis" and model.to_text(color=False) == tree.to_text(color=False)
    odd = bw.ID3Classifier().fit(data.X, data.y, target_name="is it: played?")
    assert bw.hand_tree(odd.to_text(), data.X, list(data.y)).target == "is it: played?"
    with pytest.raises(ParameterError, match="does not name what every answer"):
        bw.hand_tree(tree.to_text().replace("PlayTennis: No, Yes", "Rain: No, Yes"), data.X)


def test_all_digits_are_printed_and_read_and_millions_are_understood():
    X, y = [[1.0], [2.0]], [15915334.3626, 0.00012344321]
    tree = bw.CARTRegressor(min_samples_split=2, min_samples_leaf=1).fit(X, y, target_name="price")
    assert bw.hand_tree(tree.to_text(full=True), {"x0": [1.0, 2.0]}).predict(X).tolist() == y
    assert bw.hand_tree(tree.to_text(), {"x0": [1.0, 2.0]}).predict(X).tolist() == [15.92e6, 0.0001234]
