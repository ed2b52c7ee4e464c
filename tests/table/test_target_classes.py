"""Classes: any hashable labels, in sorted or in declared order."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.errors import TargetError
from branchwork.table import target
from branchwork.table.target import classes

NAN = math.nan


def labels_of(y):
    """The labels in their order, and every row's own label."""
    made = classes(y)
    assert made.codes.dtype == np.int32
    assert made.core is not None
    return list(made.labels), [made.labels[code] for code in made.codes]


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


@pytest.mark.parametrize(
    "dtype", ["i1", "u2", ">i4", "i8", ">u8", "U1", "U2", "U3", ">U7", "S1", "S3", "S9", "f4"]
)
def test_labels_of_an_array_are_sorted_as_numpy_sorts_them(dtype):
    """Integers and text are hashed by the core; they come in any width, order of bytes and layout."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 300, 2000) - (100 if dtype in ("i1", ">i4", "i8") else 0)
    if dtype == ">u8":
        numbers = numbers.astype(np.uint64) * np.uint64(2**55)
    y = numbers.astype(dtype)[::2]
    found, places = np.unique(y, return_inverse=True)
    made = classes(y)
    assert list(made.labels) == found.tolist()
    assert made.codes.tolist() == places.tolist()


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


LABELS = st.one_of(
    st.text(max_size=2),
    st.integers(),
    st.booleans(),
    st.tuples(st.integers(0, 1), st.text(max_size=1)),
    st.floats(allow_nan=False),
    st.binary(max_size=1),
    st.dates(),
)


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
