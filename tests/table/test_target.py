"""Targets: any labels make classes, only finite numbers make values, and weights are one per row."""

import copy
import datetime
import doctest
import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork.errors import CellTypeError, DataError, TargetError, WeightError
from branchwork.table import target
from branchwork.table.target import Classes, Values, classes, values, weights

from tables import EXAMPLES

NAN = math.nan


def labels_of(y):
    """The labels in their order, and every row's own label."""
    made = classes(y)
    assert made.codes.dtype == np.int32
    assert made.core is not None
    return list(made.labels), [made.labels[code] for code in made.codes]


# ---- classes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (["b", "a", "b"], ["a", "b"]),
        ([30, -2, 7, 30], [-2, 7, 30]),
        ([2.5, -1.0], [-1.0, 2.5]),
        ([True, False, True], [False, True]),
        ([True, True], [True]),
        ([(2, "x"), (1, "y")], [(1, "y"), (2, "x")]),
        ([1, "1", 1], [1, "1"]),
        ([True, "True"], [True, "True"]),
        (["b", (1, 2)], ["b", (1, 2)]),
        ([2**70, -1, 2**70 + 1], [-1, 2**70, 2**70 + 1]),
        ([datetime.date(2021, 1, 1), datetime.date(2020, 1, 1)], None),
        ([frozenset("a"), frozenset("b")], [frozenset("a"), frozenset("b")]),
    ],
    ids=str,
)
def test_labels_of_any_hashable_type_are_classes_in_sorted_order(y, labels):
    for container in (y, tuple(y), target.object_array(y), pd.Series(y, dtype=object)):
        found, rows = labels_of(container)
        assert found == (sorted(y) if labels is None else labels)
        assert rows == y
        assert [type(label) for label in rows] == [type(label) for label in y]
        assert not classes(container).declared


@pytest.mark.parametrize(
    "cells", [["b", "a", "b"], [30, -2, 7], [True, False], [True], [2.5, -1.0], [2**60 + 1, 2**60]], ids=str
)
@pytest.mark.parametrize(
    "container",
    [
        np.array,
        pd.Series,
        pd.Index,
        pd.array,
        pl.Series,
        pa.array,
        lambda cells: pa.chunked_array([cells[:1], cells[1:]]),
    ],
    ids=["NumPy", "Series", "Index", "nullable", "polars", "Arrow", "chunked"],
)
def test_labels_are_the_same_in_every_container(container, cells):
    found, rows = labels_of(container(cells))
    assert (found, rows) == labels_of(cells)
    assert {type(label) for label in found} == {type(label) for label in cells}


@pytest.mark.parametrize("dtype", [">i4", "i1", "u8", "f2", ">f8", "f4", np.longdouble])
def test_labels_of_every_numpy_width_are_plain_numbers(dtype):
    found, rows = labels_of(np.array([3, 1, 3], dtype=dtype))
    assert (found, rows) == ([1, 3], [3, 1, 3])


def test_strings_of_every_numpy_make_are_labels_as_they_are():
    assert labels_of(np.array(["b", "a"], dtype=np.dtypes.StringDType())) == (["a", "b"], ["b", "a"])
    assert labels_of(np.array([b"b", b"a"])) == ([b"a", b"b"], [b"b", b"a"])
    assert labels_of([np.str_("b"), "a", "b"]) == (["a", "b"], ["b", "a", "b"])


def test_a_numpy_scalar_is_the_label_that_python_has_for_it():
    made = classes([np.int64(2), 1, np.float64(0.5), np.int8(2)])
    assert made.labels == (0.5, 1, 2)
    assert [type(label) for label in made.labels] == [float, int, int]
    assert type(classes([np.bool_(True), False]).labels[1]) is bool


def test_one_and_one_point_zero_are_one_label():
    assert classes([1, 1.0, 2]).labels == (1, 2)
    assert classes([1, "a", 1.0]).codes.tolist() == [0, 1, 0]
    assert classes(["a", 0, -1, 0.0]).labels == classes([0.0, -1, 0, "a"]).labels == (-1, 0, "a")


@pytest.mark.parametrize(
    ("y", "row", "message"),
    [
        ([1, True], 1, "True is a boolean, but earlier labels are numbers"),
        ([True, "a", 1], 2, "1 is a number, but earlier labels are booleans"),
        ([0.0, None, False], 2, "False is a boolean, but earlier labels are numbers"),
        ([np.bool_(True), 1], 1, "1 is a number, but earlier labels are booleans"),
        ([Decimal(1), True], 1, "True is a boolean, but earlier labels are numbers"),
    ],
    ids=str,
)
def test_booleans_beside_numbers_are_refused_as_they_would_merge(y, row, message):
    for container in (y, np.array(y, dtype=object), pd.Series(y, dtype=object)):
        with pytest.raises(TargetError, match=f"y, row {row}: .*{message}"):
            classes(container)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["b", "absent", "a"])),
        pd.Categorical(["b", "a"], categories=["b", "absent", "a"]),
        pd.CategoricalIndex(["b", "a"], categories=["b", "absent", "a"]),
        pl.Series(["b", "a"], dtype=pl.Enum(["b", "absent", "a"])),
        pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), ["b", "absent", "a"]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_declared_labels_keep_their_order_and_an_absent_class(y):
    made = classes(y)
    assert made.labels == ("b", "absent", "a")
    assert made.codes.tolist() == [0, 2]
    assert made.declared
    assert made.forget_undeclared() is made
    assert made.counts.tolist() == [1, 0, 1]


def test_declared_numbers_keep_their_order():
    assert classes(pd.Categorical([2, 1], categories=[2, 3, 1])).labels == (2, 3, 1)


def test_a_polars_categorical_declares_no_order():
    made = classes(pl.Series(["b", "a"], dtype=pl.Categorical))
    assert made.labels == ("a", "b")
    assert not made.declared


@pytest.mark.parametrize(
    "y",
    [
        ["a", None],
        ["a", NAN],
        [1, NAN],
        [1, None, None],
        ["a", pd.NA],
        [(1, 2), None],
        [Decimal(1), Decimal("NaN")],
        np.array([1.0, NAN]),
        np.array(["a", None], dtype=object),
        np.ma.array([1, 2], mask=[False, True]),
        np.ma.array(["a", "b"], mask=[False, True]),
        pd.Series([1.0, NAN]),
        pd.Series(["a", None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series([1, None], dtype=pd.ArrowDtype(pa.int64())),
        pd.Categorical(["a", None]),
        pl.Series(["a", None]),
        pl.Series([1, None]),
        pl.Series([1.0, NAN]),
        pl.Series([True, None]),
        pl.Series(["a", None], dtype=pl.Enum(["a"])),
        pa.array(["a", None]),
        pa.array([1.5, None]),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_a_missing_label_is_refused_with_its_row(y):
    with pytest.raises(
        TargetError, match=r"y, row 1( and 1 more)?: the target is missing .*Input y contains NaN"
    ):
        classes(y)


def test_words_for_missing_are_labels():
    assert classes(["nan", "NA", "None", ""]).labels == ("", "NA", "None", "nan")


@pytest.mark.parametrize("container", [list, target.object_array, lambda y: pd.Series(y, dtype=object)])
def test_a_label_that_cannot_be_hashed_is_refused_with_its_row(container):
    with pytest.raises(TargetError, match=r"y, row 1: \[1\] is not hashable"):
        classes(container(["a", [1]]))


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


def test_taking_rows_takes_their_weights_and_forgets_labels_only_when_asked():
    made = classes(["c", "a", "b", "a"], [1, 2, 3, 4])
    some = made.take(np.array([3, 0]))
    assert some.labels == ("a", "b", "c")
    assert some.codes.tolist() == [0, 2]
    assert some.weights.tolist() == [4, 1]
    assert len(some) == 2
    fewer = some.forget_undeclared()
    assert fewer.labels == ("a", "c")
    assert fewer.codes.tolist() == [0, 1]
    assert fewer.counts.tolist() == [4, 1]
    assert fewer.core is not None
    assert made.counts.tolist() == [6, 3, 1]
    assert classes(["c", "a"]).take(np.array([0])).weights is None


def test_codes_values_and_weights_cannot_be_written():
    for array in (classes(["a"]).codes, values([1.0]).values, weights([2.0, 3.0], 2)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


LABELS = st.one_of(
    st.text(max_size=2),
    st.integers(),
    st.booleans(),
    st.tuples(st.integers(0, 1), st.text(max_size=1)),
    st.floats(allow_nan=False),
    st.binary(max_size=1),
    st.dates(),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(y=st.lists(LABELS, min_size=1, max_size=8))
def test_every_row_keeps_its_label(y):
    booleans = {isinstance(label, bool) for label in y if isinstance(label, bool | int | float)}
    if len(booleans) == 2:
        with pytest.raises(TargetError, match=r"y, row \d"):
            classes(y)
        return
    made = classes(y)
    assert [made.labels[code] for code in made.codes] == y
    assert len(set(made.labels)) == len(made.labels) == len(set(y))
    assert classes(y[::-1]).labels == made.labels


# ---- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5, -3],
        (1, 2.5, -3),
        [Decimal(1), Decimal("2.5"), Decimal(-3)],
        np.array([1, 2.5, -3], dtype=">f4"),
        np.array([1, 2.5, -3], dtype=np.float16),
        np.array([1, 2.5, -3], dtype=np.longdouble),
        np.array([1, 2.5, -3], dtype=object),
        np.array([-3, 0, 2.5, 0, 1])[::-2],
        np.ma.array([1, 2.5, -3]),
        pd.Series([1, 2.5, -3]),
        pd.Series([1, 2.5, -3], dtype="Float64"),
        pd.Series([1, 2.5, -3], dtype=pd.ArrowDtype(pa.float32())),
        pd.Series([1, 2.5, -3], dtype=object),
        pd.Index([1, 2.5, -3]),
        pd.Categorical([1, 2.5, -3]),
        pl.Series([1.0, 2.5, -3.0]),
        pl.Series([Decimal(1), Decimal("2.5"), Decimal(-3)]),
        pa.array([1, 2.5, -3]),
        pa.chunked_array([[1.0], [2.5, -3.0]]),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_numbers_of_every_container_are_values(y):
    made = values(y)
    assert made.values.dtype == np.float64
    assert made.values.flags.c_contiguous
    assert made.values.tolist() == [1, 2.5, -3]
    assert len(made) == 3
    assert made.core is not None


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "u4", "i8", "Int16", "UInt64"])
def test_integers_of_every_width_are_values(dtype):
    assert values(pd.Series([1, 3], dtype=dtype)).values.tolist() == [1, 3]


@pytest.mark.parametrize(
    "container",
    [
        list,
        np.array,
        lambda y: np.array(y, dtype=object),
        pd.Series,
        lambda y: pd.Series(y, dtype="boolean"),
        pl.Series,
        pa.array,
    ],
    ids=["list", "NumPy", "objects", "pandas", "nullable", "polars", "Arrow"],
)
@pytest.mark.parametrize("y", [[True, False, True], [True, True], [False]], ids=str)
def test_booleans_count_as_one_and_zero(container, y):
    assert values(container(y)).values.tolist() == [float(flag) for flag in y]


@pytest.mark.parametrize(
    ("y", "found"),
    [
        (["a", "b"], "'a'"),
        (["1", "2"], "'1'"),
        (np.array(["1", "2"]), "'1'"),
        (np.array([b"1", b"2"]), "'1'"),
        (np.array(["1", "2"], dtype=object), "'1'"),
        (pd.Series(["1", "2"]), "'1'"),
        (pd.Categorical(["1", "2"]), "'1'"),
        (pl.Series(["1", "2"]), "'1'"),
        (pl.Series(["1", "2"], dtype=pl.Enum(["2", "1"])), "'1'"),
        (pa.array(["1", "2"]), "'1'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_text_is_no_number(y, found):
    with pytest.raises(TargetError, match=f"y, row 0: expected a number, found {found}"):
        values(y)


def test_text_after_a_missing_value_is_no_number_either():
    with pytest.raises(TargetError, match="y, row 1: expected a number, found 'a'"):
        values([None, "a"])


@pytest.mark.parametrize("y", [[1, "a"], [1.5, True], [True, 1], [1, (1, 2)], [1, [1]]], ids=str)
def test_a_value_that_is_no_number_is_refused_with_its_row(y):
    with pytest.raises(CellTypeError, match=r"'y'.*row 1"):
        values(y)


@pytest.mark.parametrize(
    "y",
    [
        [1, None],
        [1, NAN],
        [True, None],
        np.array([1, NAN]),
        np.array([1, pd.NA], dtype=object),
        np.ma.array([1.0, 2.0], mask=[False, True]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pl.Series([1, None]),
        pl.Series([1.0, NAN]),
        pa.array([1, None]),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_a_missing_value_is_refused_with_its_row(y):
    with pytest.raises(TargetError, match=r"y, row 1: the target is missing .*Input y contains NaN"):
        values(y)


@pytest.mark.parametrize("number", [math.inf, -math.inf])
@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series, pa.array])
def test_an_infinite_value_is_refused_with_its_row(container, number):
    with pytest.raises(TargetError, match=f"y, row 1: {number} is not a finite number"):
        values(container([1.0, number]))


def test_an_integer_that_float64_cannot_hold_is_no_value():
    assert values([2**53, -(2**53)]).values.tolist() == [2**53, -(2**53)]
    for y in ([0, 2**53 + 1], np.array([0, 2**53 + 1]), pl.Series([0, 2**53 + 1])):
        with pytest.raises(DataError, match="'y', row 1: the integer 9007199254740993 is beyond"):
            values(y)


def test_taking_rows_of_values_takes_their_weights():
    some = values([1.0, 2.0, 3.0], [4, 5, 6]).take(np.array([2, 0]))
    assert some.values.tolist() == [3, 1]
    assert some.weights.tolist() == [6, 4]
    assert some.forget_undeclared() is some


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


# ---- both --------------------------------------------------------------------------------------------------


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
