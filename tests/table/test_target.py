"""Targets: one column with a row or more, weights one per row, and copies as good as the original."""

import copy
import datetime
import doctest
import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from branchwork.errors import CellTypeError, DataError, TargetError, WeightError
from branchwork.table import target
from branchwork.table.target import Classes, Values, classes, values, weights

NAN = math.nan


@pytest.mark.parametrize("make", [classes, values])
def test_a_target_is_one_column(make):
    for y in (
        np.zeros((2, 1)),
        np.zeros((2, 2)),
        pd.DataFrame({"a": [1, 2]}),
        pl.DataFrame({"a": [1, 2]}),
        pa.table({"a": [1, 2]}),
    ):
        with pytest.raises(
            TargetError, match=rf"y should be a 1d array, got an array of shape \(2, {y.shape[1]}\)"
        ):
            make(y)
    for y in (5, "text", None, {1, 2}):
        with pytest.raises(TargetError, match=r"y should be a 1d array, got an array of shape \(\)"):
            make(y)


@pytest.mark.parametrize("make", [classes, values])
@pytest.mark.parametrize(
    "y", [[], np.array([]), pd.Series([], dtype=float), pl.Series([], dtype=pl.String)], ids=repr
)
def test_a_target_has_rows(make, y):
    with pytest.raises(TargetError, match="y has no rows"):
        make(y)


@pytest.mark.parametrize("make", [classes, values])
def test_a_complex_target_is_refused(make):
    with pytest.raises(TargetError, match="Complex data not supported"):
        make(np.array([1j]))


@pytest.mark.parametrize("make", [classes, values])
@pytest.mark.parametrize(
    "y",
    [
        np.array(["2020-01-01"], dtype="M8[D]"),
        pd.Series(pd.to_datetime(["2020-01-01"])),
        pl.Series([datetime.date(2020, 1, 1)]),
    ],
    ids=["NumPy", "pandas", "polars"],
)
def test_a_target_of_dates_is_refused_with_the_fix(make, y):
    with pytest.raises(CellTypeError, match=r"'y' is of type .*Turn dates into numbers"):
        make(y)


def test_codes_values_and_weights_cannot_be_written():
    for array in (classes(["a"]).codes, values([1.0]).values, weights([2.0, 3.0], 2)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# ---- weights -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ones", [None, 1, 1.0, True, [1, 1], np.ones(2), pd.Series([1, 1]), [True, True]], ids=repr
)
def test_weights_of_one_are_no_weights(ones):
    assert weights(ones, 2) is None
    assert classes(["a", "b"], ones).weights is None


@pytest.mark.parametrize(
    "given_weights",
    [
        [0.5, 2, 0],
        np.array([0.5, 2, 0], dtype=">f4"),
        np.array([0, 0, 2, 0, 0.5])[::-2],
        np.array([0.5, 2, 0], dtype=object),
        pd.Series([0.5, 2, 0], index=[7, 8, 9]),
        pd.Series([0.5, 2, 0], dtype="Float64"),
        pl.Series([0.5, 2.0, 0.0]),
        pa.array([0.5, 2, 0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_weights_of_every_container_are_one_number_a_row(given_weights):
    found = weights(given_weights, 3)
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert found.tolist() == [0.5, 2, 0]
    assert classes(["a", "b", "a"], given_weights).weights.tolist() == [0.5, 2, 0]


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan])
def test_the_core_refuses_rows_without_weight(weight):
    given = np.array([1.0, weight])
    with pytest.raises(ValueError, match="weights are above 0"):
        _ = replace(classes(["a", "b"]), weights=given).core
    with pytest.raises(ValueError, match="weights are above 0"):
        _ = replace(values([1.0, 2.0]), weights=given).core


def test_one_weight_is_every_row_s_weight():
    assert weights(2, 3).tolist() == [2, 2, 2]
    assert weights(np.float32(0.5), 2).tolist() == [0.5, 0.5]


def test_a_mask_is_a_weight():
    assert weights([True, False], 2).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 2], r"sample_weight has 2 weights, but there are 3 rows"),
        ([], r"sample_weight has 0 weights, but there are 3 rows"),
        (np.ones((3, 1)), r"sample_weight has shape \(3, 1\).*must be 1D"),
        ([[1], [2], [3]], r"sample_weight has shape \(3, 1\).*must be 1D"),
        (pd.DataFrame({"a": [1, 2, 3]}), r"sample_weight has shape \(3, 1\).*must be 1D"),
        (np.array(2.0), r"sample_weight has shape \(\)"),
        (10**400, r"sample_weight=1000+…; expected a finite number, or one per row"),
        ([1, -2, 3], r"sample_weight, row 1: -2.0 found, but a weight must be zero or more"),
        ([1, NAN, 3], r"sample_weight, row 1: nan found, but a weight must be a finite number"),
        ([1, None, 3], r"sample_weight, row 1: nan found"),
        ([1, math.inf, 3], r"sample_weight, row 1: inf found"),
        (pd.Series([1, None, 3], dtype="Int64"), r"sample_weight, row 1: nan found"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]), r"sample_weight, row 1: nan found"),
        ([0, 0, 0], r"zero for every row"),
        (0, r"zero for every row"),
        (-1, r"sample_weight, row 0: -1.0 found"),
        (NAN, r"sample_weight, row 0: nan found"),
        (["1", "2", "3"], r"sample_weight, row 0: expected a number, found '1'"),
        (np.array(["1", "2", "3"], dtype=object), r"sample_weight, row 0: expected a number, found '1'"),
    ],
    ids=str,
)
def test_wrong_weights_are_refused_with_what_is_wrong(wrong, message):
    with pytest.raises(WeightError, match=message):
        weights(wrong, 3)
    with pytest.raises(WeightError, match=message):
        values([1.0, 2.0, 3.0], wrong)


def test_complex_weights_are_refused():
    with pytest.raises(DataError, match="Complex data not supported"):
        weights(np.array([1j, 2]), 2)


# ---- copies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda made: pickle.loads(pickle.dumps(made))])
def test_a_target_is_copied_and_pickled_after_the_core_has_seen_it(again):
    for made in (
        classes(["b", "a"], [1, 2]),
        classes(pd.Categorical(["b", "a"])),
        values([1.5, 2.5], [1, 2]),
    ):
        assert made.core is not None
        copied = again(made)
        assert copied.core is not None
        assert vars(copied).keys() == vars(made).keys()
        if isinstance(made, Classes):
            assert (copied.labels, copied.declared) == (made.labels, made.declared)
            assert np.array_equal(copied.codes, made.codes)
        else:
            assert isinstance(copied, Values)
            assert np.array_equal(copied.values, made.values)
        assert np.array_equal(copied.weights, made.weights)


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(target).failed == 0
