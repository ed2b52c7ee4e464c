"""Tables, targets and weights that cannot be used are refused in words that name the place, and change nothing."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

from branchwork.errors import BranchworkError, CellTypeError, DataError, TargetError, WeightError
from contract.checks import NAN, X4, refused_fresh_and_fitted, some_target
from together import together

from registry import (
    ALL,
    CLASS_ENSEMBLES,
    CLASSIFIERS,
    ENSEMBLES,
    EVERYTHING,
    FACES,
    NEIGHBOURS,
    NUMBER_ENSEMBLES,
    REGRESSORS,
    RULE_LISTS,
)

TABLES = {  # what → (table of four rows or none, words of the refusal)
    "nothing": (None, ["2D"]),
    "a number": (5, ["2D"]),
    "text": ("table.csv", ["text", "table.csv"]),
    "bytes": (b"table.csv", ["text"]),
    "a function": (len, ["2D"]),
    "an empty list": ([], []),
    "rows without cells": ([[], [], [], []], ["0 feature(s)"]),
    "an empty mapping": ({}, ["0 feature(s)"]),
    "an array without columns": (np.empty((4, 0)), ["0 feature(s)", "(4, 0)"]),
    "a pandas frame without columns": (pd.DataFrame(index=range(4)), ["0 feature(s)", "(4, 0)"]),
    "a polars frame without columns": (pl.DataFrame(), ["0 feature(s)"]),
    "an Arrow table without columns": (pa.table({}), ["0 feature(s)"]),
    "an array without rows": (np.empty((0, 2)), ["0 sample(s)", "(0, 2)"]),
    "a pandas frame without rows": (pd.DataFrame({"a": []}), ["0 sample(s)"]),
    "one dimension": (np.arange(4.0), ["2D", "1 dimension", "reshape"]),
    "a list of numbers": ([1, 2, 3, 4], ["2D", "reshape"]),
    "a series": (pd.Series([1, 2, 3, 4]), ["2D", "reshape"]),
    "three dimensions": (np.zeros((4, 2, 2)), ["2D", "3 dimension"]),
    "rows of different lengths": ([[1, 2], [3], [4, 5], [6, 7]], ["Row 1", "1 cell", "row 0 has 2"]),
    "columns of different lengths": ({"a": [1, 2, 3, 4], "b": [1, 2]}, ["'b'", "2 rows", "'a'", "4"]),
    "a column that is a word": ({"a": "word"}, ["'a'", "'word'"]),
    "records of different columns": ([{"a": 1}, {"a": 2}, {"b": 3}, {"a": 4}], ["Row 2", "'b'"]),
    "a sparse matrix": (scipy.sparse.csr_matrix(np.eye(4)), ["sparse", "toarray"]),
    "a lazy frame": (pl.LazyFrame({"a": [1, 2, 3, 4]}), ["lazy", "collect"]),
    "a number among strings": ([["a"], ["b"], [3], ["d"]], ["'x0'", "row 2", "3"]),
    "a string among numbers": ({"age": [1.5, 2, "x", 4]}, ["'age'", "row 2", "'x'"]),
    "a number among booleans": ({"on": [True, 7, False, True]}, ["'on'", "row 1", "7"]),
    "a list in a cell": ({"a": [1, 2, [3], 4]}, ["'a'", "row 2", "[3]", "list"]),
    "an object in a cell": ({"a": [1, {}, 3, 4]}, ["'a'", "row 1", "dict"]),
    "bytes in a cell": ({"a": ["x", b"y", "z", "w"]}, ["'a'", "row 1", "bytes"]),
    "a date in a cell": (
        {"day": ["x", datetime.date(2020, 1, 1), "z", "w"]},
        ["'day'", "row 1", "days since"],
    ),
    "a column of dates": (pd.DataFrame({"day": pd.date_range("2020", periods=4)}), ["'day'", "days since"]),
    "an array of dates": (np.array([["2020-01-01"]] * 4, "M8[D]"), ["'x0'", "days since"]),
    "complex numbers": (np.ones((4, 2)) * 1j, ["Complex", "'x0'"]),
    "a complex number in a cell": ({"z": [1, 2, 3, 1j]}, ["Complex", "'z'", "row 3", "1j"]),
    "an integer beyond 2^53": (
        np.array([[1], [2], [2**53 + 1], [3]]),
        ["'x0'", "row 2", str(2**53 + 1), "2^53"],
    ),
    "an integer below -2^53": ({"id": [1, -(2**60), 3, 4]}, ["'id'", "row 1", str(-(2**60)), "2^53"]),
    "an unsigned integer": (np.array([[1], [2], [3], [2**63]], np.uint64), ["'x0'", "row 3", str(2**63)]),
    "an integer beyond all floats": ({"id": [10**400, 1, 2, 3]}, ["'id'", "row 0"]),
    "two columns of one name": (pd.DataFrame(np.eye(4, 2), columns=["a", "a"]), ["'a'", "more than once"]),
    "two Arrow columns of one name": (
        pa.table([[1, 2, 3, 4]] * 2, names=["a", "a"]),
        ["'a'", "more than once"],
    ),
    "names that are one as text": (pd.DataFrame(np.eye(4, 2), columns=[1, "1"]), ["'1'", "more than once"]),
    "fewer rows than targets": (np.zeros((3, 2)), ["3 rows", "y has 4"]),
    "more rows than targets": (np.zeros((5, 2)), ["5 rows", "y has 4"]),
}


@pytest.mark.parametrize("what", TABLES)
@together("factory", FACES)
def test_a_table_that_cannot_be_used_is_refused(factory, what):
    table, says = TABLES[what]
    refused_fresh_and_fitted(factory, table, some_target(factory(), 4), *says)


@pytest.mark.parametrize("factory", ALL)
@together("what", ["a sparse matrix", "a string among numbers", "fewer rows than targets"])
def test_every_estimator_refuses_a_table_that_cannot_be_used(factory, what):
    table, says = TABLES[what]
    refused_fresh_and_fitted(factory, table, some_target(factory(), 4), *says)


MISSING_TARGETS = {  # the second row is missing
    "a list": [1, None, 0, 1],
    "a list with NaN": [1.0, NAN, 0.0, 1.0],
    "an array": np.array([1.0, NAN, 0.0, 1.0]),
    "an array of objects": np.array([1, None, 0, 1], object),
    "a masked array": np.ma.masked_array([1, 0, 0, 1], mask=[0, 1, 0, 0]),
    "a nullable series": pd.Series([1, None, 0, 1], dtype="Int64"),
    "a series": pd.Series([1.0, None, 0.0, 1.0]),
    "a polars series": pl.Series([1, None, 0, 1]),
    "an Arrow array": pa.array([1, None, 0, 1]),
}


@pytest.mark.parametrize("what", MISSING_TARGETS)
@together("factory", FACES)
def test_a_missing_target_is_refused_by_row(factory, what):
    refused_fresh_and_fitted(factory, X4, MISSING_TARGETS[what], "y, row 1", "missing")


@pytest.mark.parametrize("factory", [*CLASSIFIERS, *RULE_LISTS, *CLASS_ENSEMBLES])
@together(
    "target", [["a", None, "b", "b"], pd.Series(["a", None, "b", "b"]), pa.array(["a", None, "b", "b"])]
)
def test_a_missing_label_is_refused_by_row(factory, target):
    refused_fresh_and_fitted(factory, X4, target, "y, row 1", "missing")


@pytest.mark.parametrize("infinity", [float("inf"), -float("inf")])
@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series])
@together("factory", FACES)
def test_an_infinite_target_is_refused_by_row(factory, infinity, container):
    refused_fresh_and_fitted(factory, X4, container([1.0, 0.0, infinity, 0.0]), "y, row 2", "inf")


@pytest.mark.parametrize("factory", [*CLASSIFIERS, *RULE_LISTS, *CLASS_ENSEMBLES])
@together("container", [list, np.array, pd.Series, pl.Series])
def test_measured_numbers_are_no_labels(factory, container):
    refused_fresh_and_fitted(factory, X4, container([0.5, 1.25, 3.75, 2.5]), "continuous")


WRONG_TARGETS = {
    "none": (None, ["y", "None"]),
    "no rows": ([], ["y"]),
    "text": ("abcd", ["y", "1d"]),
    "two columns": (np.zeros((4, 2)), ["y"]),
    "complex numbers": (np.array([1j, 2, 3, 4]), ["y", "omplex"]),
    "a complex number in a list": ([1, 2, 1j, 4], ["y", "omplex", "1j"]),
    "an integer that cannot be written": ([1, 10**5000, 3, 4], ["y", "row 1"]),
    "unhashable": ([1, 2, [3], 4], ["y", "row 2", "[3]"]),
}


@pytest.mark.parametrize("what", WRONG_TARGETS)
@together("factory", FACES)
def test_what_is_no_target_is_refused(factory, what):
    target, says = WRONG_TARGETS[what]
    refused_fresh_and_fitted(factory, X4, target, *says)


@pytest.mark.parametrize("factory", [*REGRESSORS, *NUMBER_ENSEMBLES])
@together(
    ("target", "says"),
    [
        ([1, 2, "three", 4], ["y", "row 2", "'three'"]),
        (["one", "two", "three", "four"], ["y", "row 0", "'one'"]),
        (np.array(["one", "two", "three", "four"]), ["y", "number"]),
        (pd.Series(["one", "two", "one", "two"], dtype="category"), ["y", "number"]),
        ([1, 2, 3, 10**400], ["y", "row 3"]),
    ],
)
def test_what_is_no_number_is_no_target_of_a_regressor(factory, target, says):
    refused_fresh_and_fitted(factory, X4, target, *says)


WEIGHTS = {
    "negative": ([1, 1, -0.5, 1], ["row 2", "-0.5", "zero or more"]),
    "NaN": ([1, NAN, 1, 1], ["row 1", "nan", "finite"]),
    "none in a cell": ([1, None, 1, 1], ["row 1", "finite"]),
    "infinite": ([1, 1, 1, float("inf")], ["row 3", "inf", "finite"]),
    "all zero": ([0, 0, 0, 0], ["zero for every row"]),
    "zero": (0, ["zero for every row"]),
    "too few": ([1, 1, 1], ["3 weights", "4 rows"]),
    "too many": (np.ones(5), ["5 weights", "4 rows"]),
    "a column": (np.ones((4, 1)), ["(4, 1)", "4 rows"]),
    "words": (["a", "b", "c", "d"], ["number"]),
    "complex": (np.ones(4) * 1j, ["numbers"]),
}


@pytest.mark.parametrize("what", WEIGHTS)
@together("factory", FACES)
def test_weights_that_cannot_be_used_are_refused(factory, what):
    weights, says = WEIGHTS[what]
    refused_fresh_and_fitted(factory, X4, some_target(factory(), 4), "sample_weight", *says, weight=weights)


def test_refusals_are_also_the_errors_that_old_habits_catch():
    for error, builtin in (
        (DataError, ValueError),
        (TargetError, DataError),
        (WeightError, DataError),
        (CellTypeError, TypeError),
    ):
        assert issubclass(error, builtin) and issubclass(error, BranchworkError)


FRAME = pd.DataFrame({"size": [1.0, 2, 3, 4], "shape": ["a", "a", "b", "b"]})
PREDICTIONS = {
    "nothing": (None, ["2D"]),
    "one dimension": (FRAME["size"], ["2D", "reshape"]),
    "no rows": (FRAME.iloc[:0], ["0 sample(s)"]),
    "a column too few": (FRAME[["size"]], ["shape"]),
    "a column too many": (FRAME.assign(extra=1), ["extra"]),
    "another name": (FRAME.rename(columns={"size": "sizes"}), ["sizes", "size"]),
    "another order": (FRAME[["shape", "size"]], ["order"]),
    "words for numbers": (FRAME.assign(size="big"), ["'size'", "row 0", "'big'", "number"]),
    "booleans for numbers": (FRAME.assign(size=True), ["'size'", "row 0", "True", "number"]),
    "a mixture": (FRAME.assign(shape=["a", 2, "b", "b"]), ["'shape'", "row 1", "2"]),
    "an integer beyond 2^53": (FRAME.assign(size=[1, 2, 2**60, 3]), ["'size'", "row 2", str(2**60)]),
    "dates": (FRAME.assign(size=pd.date_range("2020", periods=4)), ["'size'", "days since"]),
    "too many rows to count": (np.broadcast_to(np.float32(1), (2**32, 2)), ["rows"]),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("what", PREDICTIONS)
@together("factory", FACES)
def test_a_table_that_does_not_fit_the_model_is_refused_at_prediction(factory, what):
    table, says = PREDICTIONS[what]
    estimator = factory().fit(FRAME, some_target(factory(), 4))
    for method in ("predict", "apply", "predict_proba"):
        if not hasattr(estimator, method):
            continue
        with pytest.raises(DataError if what not in ("a mixture", "dates") else CellTypeError) as caught:
            getattr(estimator, method)(table)
        assert all(words in str(caught.value) for words in says), str(caught.value)


@pytest.mark.parametrize("factory", ENSEMBLES)
def test_an_unfitted_ensemble_says_so(factory):
    for ask in (
        lambda e: e.predict(X4),
        lambda e: e.apply(X4),
        lambda e: e.trees_,
        lambda e: e.estimators_,
        lambda e: e.to_html(),
        lambda e: e.why(X4[:1]),
        lambda e: e.export("python"),
        lambda e: e.diversity(X4, [0, 0, 1, 1]),
    ):
        with pytest.raises(NotFittedError, match="not fitted"):
            ask(factory())


@pytest.mark.parametrize("factory", NEIGHBOURS)
def test_unfitted_neighbours_say_so(factory):
    for ask in (
        lambda e: e.predict(X4),
        lambda e: e.kneighbors(X4),
        lambda e: e.why(X4[:1]),
        lambda e: e.k_,
        lambda e: e.feature_weights_,
        lambda e: e.search_,
    ):
        with pytest.raises(NotFittedError, match="not fitted"):
            ask(factory())


@pytest.mark.parametrize("factory", EVERYTHING)
def test_an_unfitted_estimator_says_so(factory):
    for ask in (
        lambda e: e.predict(X4),
        lambda e: e.apply(X4),
        lambda e: e.to_text(),
        lambda e: e.to_dict(),
        lambda e: e.working(),
        lambda e: e.get_depth(),
        lambda e: e.tree_,
    ):
        with pytest.raises(NotFittedError, match="not fitted"):
            ask(factory())
