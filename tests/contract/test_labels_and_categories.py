"""Any label is a label and any category a category; one that training never saw is met as the settings say."""

import numpy as np
import pandas as pd
import pytest

from branchwork.errors import DataError, UnseenCategoryWarning
from contract.checks import arrays, some_target, sound
from together import together

from registry import CLASSIFIERS, EAGER, ESTIMATORS, EXACT, SEES_MISSING
from tables import DEEP

X2 = np.array([[1.0], [2.0], [1.0], [2.0]])
LABELS = {
    "strings": ["no", "yes"],
    "empty and blank strings": ["", " "],
    "control characters": ["a\x1b[31m", "\0b\n\r\t"],
    "zeros at the end": ["a", "a\0"],
    "negative integers": [-7, -3],
    "integers far apart": [-(10**12), 10**12],
    "integers beyond 64 bits": [-(2**70), 2**70],
    "integers of 64 bits with and without a sign": [-1, 2**63 + 1],
    "integers that float64 holds": [1, 2**63],
    "integers beyond all floats": [-(10**400), 10**400],
    "booleans": [False, True],
    "whole floats": [-1.0, 5.0],
    "tuples": [(1, "a"), (1, "b")],
    "tuples of different lengths": [(1,), (1, 2)],
    "frozen sets": [frozenset({1}), frozenset({2})],
    "bytes": [b"a", b"b"],
    "a number and a string": [1, "1"],
    "a tuple and a string": [("a",), "a"],
}


@pytest.mark.parametrize("factory", CLASSIFIERS)
@together("what", LABELS)
def test_any_labels_come_back_as_they_were(factory, what):
    y = LABELS[what] * 2
    estimator = factory().fit(X2, y)
    sound(estimator, X2)
    answers = estimator.predict(X2).tolist()
    assert answers == y
    assert [type(label) for label in answers] == [type(label) for label in y]
    assert len(estimator.classes_) == 2
    assert estimator.predict_proba(X2)[:, list(estimator.classes_).index(y[0])].tolist() == [1, 0, 1, 0]
    assert not any(c != "\n" and not c.isprintable() for c in estimator.to_text())
    assert set(estimator.to_dict()["distribution"]) == set(y)


@pytest.mark.parametrize("factory", CLASSIFIERS)
@together("dtype", ["i1", "u1", ">i4", "i8", "u8", "f4", ">f8", "?", "U3", "S3", "O"])
def test_labels_in_arrays_of_every_type_come_back_in_that_type(factory, dtype):
    y = np.array([0, 1, 0, 1]).astype(dtype)
    estimator = factory().fit(X2, y)
    sound(estimator, X2)
    assert estimator.predict(X2).tolist() == y.tolist()
    assert estimator.classes_.tolist() == sorted(set(y.tolist()))


@pytest.mark.parametrize("factory", CLASSIFIERS)
def test_classes_are_sorted_whatever_the_order_of_rows(factory):
    assert factory().fit(X2, [30, -2, 7, -2]).classes_.tolist() == [-2, 7, 30]


@pytest.mark.parametrize("factory", CLASSIFIERS)
def test_a_declared_class_without_rows_is_never_predicted(factory):
    y = pd.Series(pd.Categorical(["b", "d", "b", "d"], categories=["a", "b", "c", "d"]))
    estimator = factory().fit(X2, y)
    sound(estimator, X2)
    assert estimator.predict(X2).tolist() == ["b", "d", "b", "d"]
    assert estimator.predict_proba(X2).shape == (4, len(estimator.classes_))


@pytest.mark.parametrize("factory", CLASSIFIERS)
def test_a_thousand_classes_work(factory):
    X, y = np.arange(3000.0).reshape(-1, 1) // 3, np.arange(3000) // 3 - 500
    estimator = factory().fit(X, y)
    sound(estimator, X)
    assert estimator.predict_proba(X[:2]).shape == (2, 1000)
    assert "more" in estimator.to_text(max_depth=0)
    if factory in EXACT:
        assert estimator.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("factory", EAGER)
@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_thousands_of_categories_work(factory):
    n = 10_000 if DEEP else 2_000
    names = [f"item {k}" for k in range(n)]
    estimator = factory()
    X, y = pd.DataFrame({"item": names}), some_target(estimator, n)
    estimator.fit(X, y)
    sound(estimator, X)
    assert estimator.predict(X).tolist() == y
    assert "more" in str(estimator.working(0, X=X, y=y))
    branches = 2 if estimator._recipe().search.nominal == "subset" else n
    assert len(estimator.to_dict()["children"]) == branches
    assert estimator.to_text().count("\n") == branches


CODES = np.array([-(2**53), -(2**31) - 1, -1, 0, 1, 2**31, 2**32 + 1, 2**53 - 1, 2**53], np.int64)


@pytest.mark.parametrize("factory", EAGER)
@together("features", [[0], ["x0"], [True], [-1], np.array([0])])
def test_codes_of_categories_may_be_negative_and_huge(factory, features):
    estimator = factory().set_params(categorical_features=features)
    X, y = CODES.reshape(-1, 1), some_target(estimator, len(CODES))
    estimator.fit(X, y)
    sound(estimator, X)
    assert estimator.schema_[0].categories == tuple(CODES.tolist())
    assert estimator.predict(X).tolist() == y
    with pytest.warns(UnseenCategoryWarning, match="'x0'"):
        estimator.predict([[7]])


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_codes_beyond_what_floats_hold_are_told_apart_or_refused_by_name(factory):
    estimator = factory().set_params(categorical_features=[0])
    X, y = np.array([[2**62], [2**62 + 1], [2**62], [2**62 + 1]]), some_target(estimator, 4)
    try:
        estimator.fit(X, y)
    except DataError as error:
        assert "'x0', row 0" in str(error) and str(2**62) in str(error)
        assert "To leave the column out" in str(error)
        return
    assert estimator.predict(X).tolist() == y


TRAIN = pd.DataFrame({"colour": ["red", "red", "red", "blue"], "size": [1.0, 1.0, 1.0, 1.0]})
GIVEN = pd.DataFrame({"colour": ["blue", "green", "grey", "red", None], "size": 1.0})


def fitted(factory, handle_unknown):
    estimator = factory().set_params(handle_unknown=handle_unknown)
    no, yes = some_target(estimator, 2)
    return estimator.fit(TRAIN, [no, no, no, yes]), no, yes


def methods(estimator):
    return [
        getattr(estimator, name)
        for name in ("predict", "predict_proba", "apply", "decision_path")
        if hasattr(estimator, name)
    ]


@pytest.mark.parametrize("factory", EAGER)
@pytest.mark.parametrize("handle_unknown", ["missing", "majority"])
def test_unseen_categories_give_one_warning_a_call_with_column_and_count(factory, handle_unknown):
    estimator, no, yes = fitted(factory, handle_unknown)
    for ask in methods(estimator):
        with pytest.warns(UnseenCategoryWarning) as caught:
            ask(GIVEN)
        assert len(caught) == 1
        assert "'colour' (2 rows)" in str(caught[0].message) and handle_unknown in str(caught[0].message)
    with pytest.warns(UnseenCategoryWarning):
        assert estimator.predict(GIVEN).tolist() == [yes, no, no, no, no]
    assert estimator.predict(TRAIN).tolist() == [no, no, no, yes]  # nothing unseen, no warning


@pytest.mark.parametrize("factory", SEES_MISSING)
def test_missing_and_majority_differ_where_missing_cells_have_a_branch(factory):
    estimator = factory()
    no, yes = some_target(estimator, 2)
    X, y = {"c": ["a", "a", "a", None, None]}, [no, no, no, yes, yes]
    given = {"c": ["new", None, "a"]}
    for handle_unknown, expected in (("missing", [yes, yes, no]), ("majority", [no, yes, no])):
        estimator.set_params(handle_unknown=handle_unknown).fit(X, y)
        with pytest.warns(UnseenCategoryWarning):
            assert estimator.predict(given).tolist() == expected


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_unseen_categories_can_be_an_error_that_names_column_row_and_value(factory):
    estimator, no, _ = fitted(factory, "error")
    for ask in methods(estimator):
        with pytest.raises(DataError, match=r"'colour', row 1.*'green'.*'blue', 'red'"):
            ask(GIVEN)
    assert estimator.predict(GIVEN[3:]).tolist() == [no, no]
    assert arrays(estimator) == arrays(fitted(factory, "missing")[0])


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_many_columns_of_unseen_categories_still_give_one_warning(factory):
    estimator = factory()
    X = {"a": ["u", "v", "u", "v"], "b": ["u", "v", "v", "u"]}
    estimator.fit(X, some_target(estimator, 4))
    with pytest.warns(UnseenCategoryWarning) as caught:
        estimator.predict({"a": ["w", "w"], "b": ["w", "u"]})
    assert len(caught) == 1
    assert "'a' (2 rows), 'b' (1 row)" in str(caught[0].message)
