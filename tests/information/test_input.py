"""What labels may be, and what is said when the input makes no sense."""

from __future__ import annotations

import doctest
import math
import warnings
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from branchwork import information
from branchwork.information import (
    conditional_entropy,
    entropy,
    gini,
    information_gain,
    joint_entropy,
    remainder,
    specific_conditional_entropy,
    variance,
    weighted_variance,
)
from information.by_hand import RAIN, WITH_COUNTS, close, exact_variance, is_plain_zero

# What labels may be.


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        ("a", "b", "a"),
        np.array(["a", "b", "a"]),
        np.array(["a", "b", "a"], dtype=object),
        np.array([1, 2, 1]),
        np.array([0.5, math.inf, 0.5]),
        np.array([True, False, True]),
        np.array(["2024-01-01", "2024-01-02", "2024-01-01"], dtype="datetime64[D]"),
        pd.Series(["a", "b", "a"], index=[7, 8, 9]),
        pd.Series(["a", "b", "a"], dtype="category"),
        pd.Series([1, 2, 1], dtype="Int64"),
        pl.Series(["a", "b", "a"]),
        pl.Series(["a", "b", "a"], dtype=pl.Categorical),
        pl.Series([1, 2, 1]),
        [1, "1", 1],
        [frozenset({1}), (1, "x"), frozenset({1})],
        [Decimal(1), "1", Fraction(1)],
    ],
)
def test_labels_of_every_kind(labels):
    assert entropy(labels) == close(math.log2(3) - 2 / 3)
    assert information_gain(labels, [1, 2, 1]) == close(math.log2(3) - 2 / 3)


def test_labels_that_look_alike_are_different():
    assert entropy([1, "1", b"1", (1,)]) == 2.0
    assert entropy(np.array([1, "1"], dtype=object)) == 1.0
    assert entropy(["None", "nan", "", "NA"]) == 2.0


def test_labels_that_are_equal_are_the_same_in_a_list_and_in_an_array():
    assert is_plain_zero(entropy([1, 1.0, True]))
    assert is_plain_zero(entropy(np.array([0.0, -0.0])))


def test_columns_with_a_value_per_row_need_no_square_table():
    ids = np.arange(200_000)
    assert joint_entropy(ids, ids[::-1]) == close(math.log2(200_000))


def test_equal_finds_the_value_in_any_column():
    y = ["p", "q", "q"]
    assert specific_conditional_entropy(y, given=np.array([1, 1, 2]), equal=1) == 1.0
    assert specific_conditional_entropy(y, given=np.array([1, 1, 2]), equal=np.int64(2)) == 0.0
    assert specific_conditional_entropy(y, given=pd.Series(["u", "u", "v"]), equal="u") == 1.0
    assert specific_conditional_entropy(y, given=[(1, 2), (1, 2), "v"], equal=(1, 2)) == 1.0


def test_results_are_plain_floats():
    numbers = [
        entropy(np.array([1, 2])),
        gini([1, 2]),
        variance([1, 2]),
        weighted_variance([1, 2], by=[1, 1]),
        specific_conditional_entropy(counts=RAIN, equal=0),
        *(measure(counts=RAIN) for measure in WITH_COUNTS.values()),
    ]
    assert {type(number) for number in numbers} == {float}


# What is refused, and in which words.


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "c", None],
        ["a", "b", "c", math.nan],
        ["a", "b", "c", pd.NA],
        ["a", "b", "c", pd.NaT],
        [1.0, 2.0, 3.0, np.float64("nan")],
        np.array([1.0, 2.0, 3.0, math.nan]),
        np.array(["2024-01-01", "2024-01-02", "2024-01-03", "NaT"], dtype="datetime64[ns]"),
        np.array(["a", "b", "c", None], dtype=object),
        np.ma.array([1, 2, 3, 4], mask=[False, False, False, True]),
        pd.Series(["a", "b", "c", None]),
        pd.Series([1, 2, 3, None], dtype="Int64"),
        pd.Series(["a", "b", "c", None], dtype="category"),
        pl.Series(["a", "b", "c", None]),
        pl.Series([1, 2, 3, None]),
        pl.Series([True, False, True, None]),
    ],
)
def test_a_missing_label_is_named(labels):
    with pytest.raises(ValueError, match=r"^y\[3\] is missing; expected a label in every row"):
        entropy(labels)
    with pytest.raises(ValueError, match=r"^x\[3\] is missing"):
        information_gain([1, 2, 3, 4], labels)
    with pytest.raises(ValueError, match=r"^given\[3\] is missing"):
        conditional_entropy([1, 2, 3, 4], given=labels)
    with pytest.raises(ValueError, match=r"^by\[3\] is missing"):
        weighted_variance([1, 2, 3, 4], by=labels)
    assert entropy(labels, sample_weight=[1, 1, 1, 0]) <= math.log2(3)  # a row of weight 0 is not there


def test_a_missing_number_is_named_unless_its_row_has_no_weight():
    for t in ([1, 2, None, 4], np.array([1, 2, math.nan, 4]), pd.Series([1, 2, pd.NA, 4], dtype="Int64")):
        with pytest.raises(ValueError, match=r"^t\[2\] is missing; expected a number"):
            variance(t)
        assert variance(t, sample_weight=[1, 1, 0, 1]) == close(float(exact_variance([1, 2, 4])))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy(), "pass either y or counts; found neither"),
        (lambda: entropy([1], counts=[1]), "pass either y or counts; found both"),
        (lambda: information_gain([1, 2]), "pass either x and y or counts; found y alone"),
        (lambda: joint_entropy(x=[1]), "pass either x and y or counts; found x alone"),
        (lambda: conditional_entropy([1]), "pass either given and y or counts; found y alone"),
        (lambda: remainder([1], counts=[[1]]), "pass either x and y or counts; found both"),
        (lambda: gini(counts=[1], sample_weight=[1]), "sample_weight goes with labels; found counts"),
        (lambda: entropy([]), "y must have at least one row; found none"),
        (
            lambda: information_gain([1, 2], [1, 2, 3]),
            "x and y must have the same length; found 3 and 2 rows",
        ),
        (
            lambda: entropy([1, 2], sample_weight=[1]),
            "y and sample_weight must have the same length; found 2 and 1",
        ),
        (
            lambda: variance([1, 2], sample_weight=[1]),
            "t and sample_weight must have the same length; found 2 and 1",
        ),
        (
            lambda: weighted_variance([1, 2], by=["a"]),
            "t and by must have the same length; found 2 and 1 rows",
        ),
        (lambda: entropy(np.zeros((2, 3))), "y must be one column of labels; found an array of shape (2, 3)"),
        (lambda: entropy(counts=RAIN), "counts must be a list of numbers, not empty; found shape (2, 2)"),
        (lambda: gini(counts=[]), "counts must be a list of numbers, not empty; found shape (0,)"),
        (
            lambda: joint_entropy(counts=[1, 2]),
            "counts must be a two-way table of numbers, not empty; found shape (2,)",
        ),
        (lambda: joint_entropy(counts=[[1, 2], [3]]), "counts must be a two-way table of numbers"),
        (lambda: entropy(counts=[0, 0]), "counts must add up to a finite number above 0; found a sum of 0.0"),
        (
            lambda: entropy(counts=[1e308, 1e308]),
            "counts must add up to a finite number above 0; found a sum of inf",
        ),
        (lambda: entropy(counts=[1, -2]), "counts[1] must not be negative; found -2.0"),
        (lambda: remainder(counts=[[1, 2], [3, math.inf]]), "counts[1, 1] must be finite; found inf"),
        (lambda: remainder(counts=[[1, 2], [None, 3]]), "counts[1, 0] is missing; expected a number"),
        (
            lambda: entropy([1, 2], sample_weight=[0, 0]),
            "sample_weight must add up to a finite number above 0",
        ),
        (lambda: entropy([1, 2], sample_weight=[1, -1]), "sample_weight[1] must not be negative; found -1.0"),
        (lambda: entropy([1, 2], sample_weight=[math.nan, 1]), "sample_weight[0] is missing"),
        (lambda: entropy([1, 2], sample_weight=[math.inf, 1]), "sample_weight[0] must be finite; found inf"),
        (lambda: variance([]), "t must be a list of numbers, not empty; found shape (0,)"),
        (lambda: variance([1, math.inf]), "t[1] must be finite; found inf"),
        (
            lambda: specific_conditional_entropy([1, 2], given=["a", "b"], equal="c"),
            "equal must be a value in given with weight above 0, such as 'a', 'b'; found 'c'",
        ),
        (
            lambda: specific_conditional_entropy(
                [1, 2], given=np.array([3, 4]), equal=4, sample_weight=[1, 0]
            ),
            "equal must be a value in given with weight above 0, such as 3; found 4",
        ),
        (
            lambda: specific_conditional_entropy(counts=[[1, 2], [0, 0]], equal=1),
            "equal must be a row of counts with weight above 0, such as 0; found 1",
        ),
        (lambda: specific_conditional_entropy(counts=RAIN, equal=-1), "equal must be a row of counts"),
    ],
)
def test_a_value_that_makes_no_sense_is_explained(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy("abc"), "y must be a list, tuple, array or series; found str"),
        (lambda: entropy(5), "y must be a list, tuple, array or series; found int"),
        (lambda: entropy({"a": 1}), "y must be a list, tuple, array or series; found dict"),
        (
            lambda: entropy(counts=Counter("abc")),
            "counts must be a list, tuple, array or series; found Counter",
        ),
        (lambda: entropy([1, [2]]), "y[1] must be hashable to be a label; found list"),
        (lambda: entropy([np.zeros(2)]), "y[0] must be hashable to be a label; found ndarray"),
        (lambda: entropy(counts=["1", 2]), "counts must hold numbers; found '1'"),
        (lambda: variance(np.array(["1"])), "t must hold numbers; found <U1"),
        (lambda: variance([1, 2j]), "t must hold numbers; found 2j"),
    ],
)
def test_a_type_that_makes_no_sense_is_explained(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == message


# The module itself.


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(information).failed == 0
    for name in information.__all__:
        assert ">>> " in getattr(information, name).__doc__


def test_zeros_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert entropy(counts=[0, 1, 0]) == 0.0
        assert information_gain(counts=[[0, 0], [0, 5]]) == 0.0
        assert entropy(counts=[1e308, 5e-324]) == 0.0
