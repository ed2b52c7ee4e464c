"""Mappings are matched by their keys, alike in every estimator and in its model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

from branchwork.errors import AbsentColumnError, DataError

from registry import ALL

RNG = np.random.default_rng(4)
ROWS = [
    {"size": float(size), "colour": str(colour), "age": float(age)}
    for size, colour, age in zip(
        RNG.integers(0, 9, 60), RNG.choice(["red", "blue"], 60), RNG.integers(0, 5, 60), strict=True
    )
]
TARGET = [int(row["size"] > 4) + int(row["colour"] == "red" and row["age"] > 2) for row in ROWS]


def fitted(factory):
    est = factory()
    labels = [f"class {value}" for value in TARGET]
    return est.fit(ROWS, labels if is_classifier(est) else [float(value) for value in TARGET])


def reversed_keys(row, **more):
    return {**more, **{name: row[name] for name in reversed(row)}}


@pytest.mark.parametrize("factory", ALL, ids=lambda f: f.__name__)
def test_keys_are_matched_in_any_order_and_others_are_ignored(factory):
    est = fitted(factory)
    expected = est.predict(ROWS).tolist()
    columns = {name: [row[name] for row in ROWS] for name in reversed(ROWS[0])}
    for X in (
        [reversed_keys(row) for row in ROWS],
        [reversed_keys(row, note="x", id=2**70 % 1000) for row in ROWS],
        columns,
        {"note": ["x"] * len(ROWS), **columns},
    ):
        assert est.predict(X).tolist() == expected
        assert est.model_.predict(X).tolist() == est.model_.predict(ROWS).tolist()
    assert est.predict([reversed_keys(ROWS[0])]).tolist() == expected[:1]


@pytest.mark.parametrize("factory", ALL, ids=lambda f: f.__name__)
def test_keys_that_are_missing_are_named(factory):
    est = fitted(factory)
    X = [{"Size": 1.0, "age": 2.0}]
    for predict in (est.predict, est.model_.predict):
        with pytest.raises(
            AbsentColumnError, match=r"Columns 'size', 'colour', .* are missing .*mean 'Size'\?"
        ):
            predict(X)
        with pytest.raises(AbsentColumnError, match=r"Column 'colour', .* is missing from the table"):
            predict([{"size": 1.0, "age": 2.0}])


@pytest.mark.parametrize("factory", ALL, ids=lambda f: f.__name__)
def test_one_mapping_is_told_to_come_in_a_list(factory):
    est = fitted(factory)
    for predict in (est.predict, est.model_.predict):
        with pytest.raises(DataError, match=r"If X is one row, put it in a list: \[X\]"):
            predict(ROWS[0])


@pytest.mark.parametrize("factory", ALL, ids=lambda f: f.__name__)
def test_the_columns_of_a_frame_must_still_be_those_of_fit(factory):
    est = fitted(factory)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        est.predict(pd.DataFrame([reversed_keys(row) for row in ROWS]))
