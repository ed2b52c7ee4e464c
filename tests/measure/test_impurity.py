"""Impurities written out plainly agree with the functions on arrays, and with the core."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.measure.criteria import impurity_of_counts, impurity_of_values

LABELS = np.array(list("aabbbcccca"))
NUMBERS = np.array([1.0, 4, 4, 0, 2, 9, 7, 7, 3, 1])


def test_counts_agree_with_the_functions_on_labels():
    counts = np.array([3.0, 3.0, 4.0])
    assert impurity_of_counts("entropy", counts) == pytest.approx(bw.information.entropy(LABELS), abs=1e-14)
    assert impurity_of_counts("gain_ratio", counts) == impurity_of_counts("entropy", counts)
    assert impurity_of_counts("gini", counts) == pytest.approx(bw.information.gini(LABELS), abs=1e-14)
    assert impurity_of_counts("accuracy", counts) == pytest.approx(0.6)


@pytest.mark.parametrize("criterion", ["entropy", "gini", "accuracy", "variance", "squared_error", "poisson"])
def test_no_rows_and_one_kind_of_row_are_pure(criterion):
    of_counts = criterion in ("entropy", "gini", "accuracy")
    empty, one = np.zeros(0), np.array([2.0])
    if of_counts:
        assert impurity_of_counts(criterion, np.zeros(3)) == impurity_of_counts(criterion, one) == 0
    else:
        assert (
            impurity_of_values(criterion, empty, empty) == impurity_of_values(criterion, one, np.ones(1)) == 0
        )


@pytest.mark.parametrize("criterion", ["variance", "squared_error", "poisson"])
def test_values_agree_with_the_core(criterion):
    tree = bw.TreeRegressor(criterion=criterion, max_depth=0).fit(np.zeros((10, 1)), NUMBERS)
    ours = impurity_of_values(criterion, NUMBERS, np.ones(10))
    assert ours == pytest.approx(tree.tree_.impurity[0], rel=1e-12)
    twice = impurity_of_values(criterion, NUMBERS, np.full(10, 2.0))
    assert twice == pytest.approx(impurity_of_values(criterion, np.tile(NUMBERS, 2), np.ones(20)), rel=1e-12)


def test_variance_and_squared_error_are_numpy_s():
    ones = np.ones(10)
    assert impurity_of_values("variance", NUMBERS, ones) == pytest.approx(NUMBERS.var(ddof=1))
    assert impurity_of_values("squared_error", NUMBERS, ones) == pytest.approx(NUMBERS.var())


def test_a_name_that_is_not_known_is_refused():
    with pytest.raises(
        ParameterError, match=r"criterion='entrpy' is not known here\. Did you mean 'entropy'"
    ):
        impurity_of_counts("entrpy", np.array([1.0, 2.0]))
    with pytest.raises(ParameterError, match="Expected one of 'squared_error', 'variance', 'poisson'"):
        impurity_of_values("gini", np.array([1.0, 2.0]), np.ones(2))
    with pytest.raises(ParameterError, match="criterion='loss'"):
        impurity_of_counts("loss", np.zeros(2))
