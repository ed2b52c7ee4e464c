"""A column, a category or a label may be called anything: it is kept as it is and printed so that it cannot harm."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from contract.checks import refused, some_target, sound
from together import together

from registry import CLASSIFIERS, ESTIMATORS

NAMES = {
    "quotes": 'it\'s "quoted" `so`',
    "a backslash": "C:\\new\\table",
    "lines": "first\nsecond\r\nthird\vfourth\ffifth\x85sixth\u2028seventh\u2029eighth",
    "JSON": '{"feature": [1, null], "x": "',
    "HTML": "<script>alert('x')</script><b>&amp;",
    "escape sequences": "\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b2J",
    "control characters": "".join(map(chr, range(32))) + "\x7f",
    "a NUL": "a\0b",
    "emoji": "👩‍👩‍👧 🌳",
    "right to left": "abc\u202edef\u200f\u2066",
    "combining": "Z̷̢͠a̸͘l̴g̵o̷",
    "nothing": "",
    "a blank": " ",
    "code": "__import__('os').abort()",
    "a format": "{0} %s {x!r} $HOME",
    "a formula": "=1+1",
    "SQL": "x'; DROP TABLE rows; --",
    "a number": "1e5",
    "a byte mark": "\ufeffname",
    "half a surrogate pair": "\ud800",
    "one megabyte": "long" * 250_000,
}


def harmless(text):
    return text.replace("\n", "").isprintable()


def everything_printed(estimator, X, y):
    return [estimator.to_text(color=False), str(estimator.working()), repr(estimator.working(0, X=X, y=y))]


def assert_fits_and_prints_harmlessly(estimator, X, y, name):
    estimator.fit(X, y)
    sound(estimator, X)
    assert estimator.predict(X).tolist() == y
    assert all(harmless(text) for text in everything_printed(estimator, X, y))
    if len(name) < 1000:
        assert estimator.to_text().count("\n") == 2  # a node a line
        assert "<script>" not in estimator.working()._repr_html_()


@pytest.mark.parametrize("factory", ESTIMATORS)
@together("what", NAMES)
def test_a_column_may_have_any_name(factory, what):
    name, estimator = NAMES[what], factory()
    X, y = {name: [1.0, 2, 1, 2], "other": [0.0] * 4}, some_target(estimator, 4)
    assert_fits_and_prints_harmlessly(estimator, X, y, name)
    assert estimator.feature_names_in_.tolist() == [name, "other"]
    assert estimator.to_dict()["feature"] == name
    assert estimator.working().to_dict()[0]["feature"] == name


@pytest.mark.parametrize("factory", ESTIMATORS)
@together("what", NAMES)
def test_a_category_may_have_any_name(factory, what):
    name, estimator = NAMES[what], factory()
    X, y = {"c": [name, "other", name, "other"]}, some_target(estimator, 4)
    assert_fits_and_prints_harmlessly(estimator, X, y, name)
    assert sorted(estimator.to_dict()["values"]) == sorted([[name], ["other"]])


@pytest.mark.parametrize("factory", CLASSIFIERS)
@together("what", NAMES)
def test_a_label_may_have_any_name(factory, what):
    name, estimator = NAMES[what], factory()
    X, y = [[1.0], [2.0], [1.0], [2.0]], [name, "other", name, "other"]
    assert_fits_and_prints_harmlessly(estimator, X, y, name)
    assert estimator.to_dict()["distribution"] == {name: 2, "other": 2}


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_all_hostile_names_live_in_one_table(factory):
    estimator = factory()
    names = [
        name for name in NAMES.values() if name != "\ud800" and len(name) < 1000
    ]  # pandas has no half pairs
    cells = np.random.default_rng(0).normal(size=(40, len(names)))
    X, y = pd.DataFrame(cells, columns=names), some_target(estimator, 40)
    estimator.fit(X, y)
    sound(estimator, X)
    assert all(harmless(text) for text in everything_printed(estimator, X, y))
    assert [row["feature"] for row in estimator.working().to_dict()] == names


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_colours_are_the_only_escape_sequences_and_only_on_request(factory):
    estimator = factory()
    X, y = pd.DataFrame({NAMES["escape sequences"]: [1.0, 2, 1, 2]}), some_target(estimator, 4)
    estimator.fit(X, y)
    painted = estimator.to_text(color=True) + estimator.working().to_text(color=True)
    assert all(
        piece[: piece.index("m") + 1].removesuffix("m").replace(";", "").isdigit()
        for piece in painted.split("\x1b[")[1:]
    )
    assert "31mred\x1b" not in painted and "\x07" not in painted and "\x9b" not in painted


@pytest.mark.parametrize("factory", ESTIMATORS)
@together("columns", [[0, 1], [10, 20], [("a", 1), ("a", 2)], [1.5, None]])
def test_names_that_are_no_strings_work_as_positions(factory, columns):
    estimator = factory()
    X, y = pd.DataFrame([[1.0, 5.0], [2.0, 5.0]] * 2), some_target(estimator, 4)
    X.columns = pd.Index(columns, dtype=object, tupleize_cols=False)
    estimator.fit(X, y)
    assert estimator.predict(X).tolist() == y
    assert estimator.predict(X.to_numpy()).tolist() == y
    assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.parametrize("factory", ESTIMATORS)
@together("what", ["escape sequences", "lines", "HTML"])
def test_duplicates_are_refused_by_name(factory, what):
    name = NAMES[what]
    refused(
        factory(), pd.DataFrame(np.eye(4, 2), columns=[name, name]), some_target(factory(), 4), repr(name)
    )


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_a_mistaken_long_name_is_refused(factory):
    rng = np.random.default_rng(0)
    letters = rng.integers(97, 123, size=(2, 20_000), dtype=np.uint8)
    name, mistaken = (row.tobytes().decode() for row in letters)
    estimator = factory().set_params(categorical_features=[mistaken])
    with pytest.raises(ParameterError, match="categorical_features: There is no column"):
        estimator.fit(pd.DataFrame({name: [1.0, 2, 1, 2]}), some_target(estimator, 4))


@pytest.mark.parametrize(
    ("y", "name"),
    [
        (pd.Series(["a", "b"], name="Play"), "Play"),
        (pl.Series("Play", ["a", "b"]), "Play"),
        (pd.Series(["a", "b"]), None),
        (pd.Series(["a", "b"], name=7), None),
        (pl.Series(["a", "b"]), None),
        (np.array(["a", "b"]), None),
        (["a", "b"], None),
    ],
)
def test_a_model_knows_the_name_of_its_target(y, name):
    model = bw.ID3Classifier().fit([[1], [2]], y).model_
    assert model.target == name and model.predict([[1], [2]]).tolist() == ["a", "b"]
