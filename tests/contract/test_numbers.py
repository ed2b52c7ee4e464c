"""Numbers at the edge: a cut always separates the values it was made for, and missing cells never break a tree."""

import numpy as np
import pytest

from branchwork.errors import OneClassWarning, TargetError
from contract.checks import NAN, some_target, sound
from together import together

from registry import EAGER, ESTIMATORS, EXACT, REGRESSORS, SEES_MISSING

LARGEST, SUBNORMAL, INFINITY = np.finfo(float).max, 5e-324, float("inf")
PAIRS = [
    (1.0, np.nextafter(1.0, 2)),
    (-1.0, np.nextafter(-1.0, 0)),
    (0.0, 1e-7),
    (1.0, 1.0 + 1e-7),
    (1e9, 1e9 + 1e-7),
    (2.0**24, 2.0**24 + 1),
    (2.0**53 - 1, 2.0**53),
    (-LARGEST, LARGEST),
    (np.nextafter(LARGEST, 0), LARGEST),
    (-LARGEST, np.nextafter(-LARGEST, 0)),
    (LARGEST, INFINITY),
    (-INFINITY, -LARGEST),
    (-INFINITY, INFINITY),
    (-INFINITY, 0.0),
    (0.0, INFINITY),
    (0.0, SUBNORMAL),
    (-SUBNORMAL, 0.0),
    (-SUBNORMAL, SUBNORMAL),
    (SUBNORMAL, 2 * SUBNORMAL),
    (2.2250738585072009e-308, 2.2250738585072014e-308),
]


def searches(factory):
    return ["sorted", "values"] if "search" in factory().get_params() else [None]


def separates(factory, search, low, high):
    estimator = factory() if search is None else factory().set_params(search=search)
    column = np.array([high, low, high, low])
    X, y = column.reshape(-1, 1), some_target(estimator, 4)
    estimator.fit(X, y)
    sound(estimator, X)
    assert estimator.predict(X).tolist() == y
    cut = estimator.to_dict()["cut"]
    assert low <= cut < high
    assert [node["n_rows"] for node in estimator.to_dict()["children"]] == [2, 2]


@pytest.mark.parametrize(("factory", "search"), [(f, s) for f in EAGER for s in searches(f)])
@together(("low", "high"), PAIRS)
def test_neighbouring_numbers_are_separated(factory, search, low, high):
    separates(factory, search, low, high)


@pytest.mark.parametrize("factory", EAGER)
@pytest.mark.parametrize(
    "pair",
    [
        np.array([2**24, 2**24 + 1], np.int32),
        np.array([2**31 - 2, 2**31 - 1], np.int32),
        np.array([2**32 - 2, 2**32 - 1], np.uint32),
        np.array([2**53 - 1, 2**53], np.int64),
        np.array([-(2**53), 1 - 2**53], np.int64),
        np.array([2**53 - 1, 2**53], np.uint64),
        np.array([254, 255], np.uint8),
        np.array([-128, -127], np.int8),
        np.array([1, np.nextafter(np.float32(1), np.float32(2))], np.float32),
        np.array([1, np.nextafter(np.float16(1), np.float16(2))], np.float16),
        np.array([np.finfo(np.float32).max, np.inf], np.float32),
        np.array([0, np.finfo(np.float32).smallest_subnormal], np.float32),
    ],
    ids=lambda pair: f"{pair.dtype} {pair[0]} {pair[1]}",
)
def test_neighbouring_numbers_of_every_width_are_separated(factory, pair):
    estimator, X = factory(), pair[[1, 0, 1, 0]].reshape(-1, 1)
    y = some_target(estimator, 4)
    estimator.fit(X, y)
    sound(estimator, X)
    assert estimator.predict(X).tolist() == y
    assert float(pair[0]) <= estimator.to_dict()["cut"] < float(pair[1])


@pytest.mark.parametrize(("factory", "search"), [(f, s) for f in ESTIMATORS for s in searches(f)])
def test_minus_zero_is_zero(factory, search):
    estimator = factory() if search is None else factory().set_params(search=search)
    y = some_target(estimator, 4)
    estimator.fit([[-0.0], [0.0], [0.0], [-0.0]], y)
    assert estimator.get_depth() == 0
    estimator.fit([[-0.0], [1.0], [0.0], [1.0]], y)
    assert estimator.predict([[0.0], [-0.0]]).tolist() == [y[0], y[0]]


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_infinities_are_ordered_like_any_number(factory):
    column = np.array([-INFINITY, -LARGEST, -1, -SUBNORMAL, 0, SUBNORMAL, 1, LARGEST, INFINITY])
    X = np.column_stack([np.zeros(9), column])
    estimator = factory()
    y = some_target(estimator, 9)
    estimator.fit(X, y)
    sound(estimator, X)
    if factory in EXACT:
        assert estimator.predict(X).tolist() == y
    for tree in estimator.model_.trees:
        assert (tree.n_rows > 0).all()
        assert not np.isnan(tree.cut[tree.feature >= 0]).any()


MISSING = {
    "everywhere": np.full((6, 2), NAN),
    "a whole column": np.column_stack([np.full(6, NAN), [1, 2, 1, 2, 1, 2]]),
    "a whole row": np.array([[1, 1], [2, 2], [NAN, NAN], [2, 2], [1, 1], [2, 2]]),
    "here and there": np.array([[1, NAN], [NAN, 2], [1, 1], [2, NAN], [NAN, 1], [2, 2]]),
    "all but one": np.array([[NAN, NAN], [NAN, NAN], [NAN, NAN], [NAN, 3], [NAN, NAN], [NAN, NAN]]),
    "beside infinities": np.array(
        [[INFINITY, NAN], [NAN, -INFINITY], [INFINITY, 1], [-INFINITY, NAN], [NAN] * 2, [0, 0]]
    ),
}


@pytest.mark.parametrize(("factory", "search"), [(f, s) for f in EAGER for s in searches(f)])
@together("where", MISSING)
def test_missing_cells_may_be_anywhere(factory, search, where):
    estimator, X = factory() if search is None else factory().set_params(search=search), MISSING[where]
    y = some_target(estimator, 6)
    estimator.fit(X, y)
    sound(estimator, X)
    sound(estimator, np.full((1, 2), NAN))
    sound(estimator, [[None, None]])
    sound(estimator, [[INFINITY, -INFINITY]])
    if factory in EXACT and where == "a whole column":
        assert estimator.predict(X).tolist() == y


@pytest.mark.parametrize("factory", SEES_MISSING)
def test_that_a_cell_is_missing_can_be_what_tells(factory):
    estimator, X = factory(), np.array([[1], [NAN], [2], [NAN], [3], [NAN]])
    y = some_target(estimator, 6)
    assert estimator.fit(X, y).predict(X).tolist() == y
    assert estimator.predict([[None]]).tolist() == [y[1]]


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_a_missing_cell_that_training_never_had_goes_with_the_majority(factory):
    estimator = factory()
    y = some_target(estimator, 2)
    estimator.fit([[1.0], [1.0], [1.0], [2.0]], [y[0], y[0], y[0], y[1]])
    assert estimator.predict([[NAN]]).tolist() == [y[0]]


@pytest.mark.parametrize("factory", ESTIMATORS)
@together("rows", [1, 2, 50])
def test_a_target_of_one_value_makes_one_leaf_and_one_warning(factory, rows):
    estimator = factory()
    X, y = np.arange(2.0 * rows).reshape(-1, 2), some_target(estimator, 1) * rows
    with pytest.warns(OneClassWarning, match="single leaf") as caught:
        estimator.fit(X, y)
    assert len(caught) == 1
    sound(estimator, X)
    assert (estimator.get_depth(), estimator.get_n_leaves()) == (0, 1)
    assert estimator.predict(X).tolist() == y
    assert estimator.feature_importances_.tolist() == [0, 0]
    assert "one" in str(caught[0].message)
    assert estimator.to_text() and estimator.to_dict() and str(estimator.working())


@pytest.mark.parametrize("factory", REGRESSORS)
@together("scale", [1e-300, 1e-160, 1e-10, 1e10, 1e100, 1e150, 1e160, 1e200, 1e300, 1.7e308])
def test_targets_of_any_size_are_separated_or_refused(factory, scale):
    X, y = np.arange(6.0).reshape(-1, 1), np.array([-1, -1, -1, 1, 1, 1]) * scale
    try:
        estimator = factory().fit(X, y)
    except TargetError as error:
        assert "y" in str(error)
        return
    sound(estimator, X)
    assert estimator.predict(X).tolist() == pytest.approx(y.tolist(), rel=1e-9, abs=0)


@pytest.mark.parametrize("factory", REGRESSORS)
def test_a_large_offset_does_not_hide_small_differences(factory):
    X, y = np.arange(6.0).reshape(-1, 1), np.array([0, 0, 0, 1, 1, 1]) + 2.0**40
    estimator = factory().fit(X, y)
    sound(estimator, X)
    assert estimator.predict(X).tolist() == y.tolist()
