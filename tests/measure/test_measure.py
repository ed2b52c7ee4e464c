"""Metrics and folds."""

import numpy as np
import pytest

from branchwork.errors import DataError, ParameterError
from branchwork.measure.folds import deal, splits
from branchwork.measure.metrics import accuracy, confusion, error_rate, root_mean_squared_error
from branchwork.table.target import classes, values


def test_accuracy_and_error_add_up_to_one():
    truth, predicted = list("aabbc"), list("abbbb")
    assert accuracy(truth, predicted) == 3 / 5 and error_rate(truth, predicted) == 2 / 5
    assert confusion(truth, predicted)["a"] == {"a": 1, "b": 1, "c": 0}
    assert root_mean_squared_error([0, 0], [3, 4]) == pytest.approx(np.sqrt(12.5))
    with pytest.raises(DataError, match="2 true and 1 predicted"):
        accuracy([1, 2], [1])


def test_every_fold_gets_its_share_of_every_class():
    target = classes(["a"] * 20 + ["b"] * 10 + ["c"] * 5)
    fold = deal(target, 5)
    for k in range(5):
        assert np.bincount(target.codes[fold == k]).tolist() == [4, 2, 1]


def test_folds_part_the_rows_and_never_change():
    target = values([3.0, 1.0, 2.0, 5.0, 4.0, 9.0, 7.0])
    tests = [test for _, test in splits(target, 3)]
    assert sorted(np.concatenate(tests).tolist()) == list(range(7))
    for train, test in splits(target, 3):
        assert sorted([*train, *test]) == list(range(7))
    assert [t.tolist() for t in tests] == [t.tolist() for _, t in splits(target, 3)]
    for folds in (1, 8):
        with pytest.raises(ParameterError, match="from 2 to the number of rows, which is 7"):
            deal(target, folds)
