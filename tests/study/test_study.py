"""The baseline and cross-validation."""

import numpy as np
import pytest

from branchwork.grow.recipes import ID3, ID3_REGRESSION
from branchwork.learn.single import learn
from branchwork.study.baseline import baseline
from branchwork.study.validate import cross_validate, training_error
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values


def test_the_baseline_is_the_mode_or_the_mean():
    assert baseline(classes(["a", "b", "b"])).prediction == "b"
    assert baseline(classes(["b", "a"])).prediction == "a"  # ties: the earlier label
    assert baseline(classes(["a", "b"], [1, 5])).error == pytest.approx(1 / 6)
    mean = baseline(values([1.0, 2.0, 6.0]))
    assert (mean.prediction, mean.error) == (3.0, pytest.approx(np.sqrt(14 / 3)))
    assert "always predict the mean 3" in str(mean)


def test_cross_validation_sees_what_training_does_not():
    rng = np.random.default_rng(0)
    table, target = to_table(rng.normal(size=(120, 2))), classes(rng.integers(0, 2, 120))
    model, _ = learn(table, target, ID3)
    assert training_error(model, table, target) == 0
    result = cross_validate(table, target, ID3, folds=10)
    assert 0.3 < result.error < 0.7 and len(result.fold_errors) == 10
    assert result == cross_validate(table, target, ID3, folds=10)


def test_cross_validation_by_hand():
    table, target = to_table([[0], [0], [1], [1]]), classes(["a", "a", "b", "b"])
    assert cross_validate(table, target, ID3, folds=2).error == 0
    assert len(cross_validate(table, target, ID3, folds=10).fold_errors) == 4  # leave one out
    noise = classes(["a", "b", "a", "b"])
    assert cross_validate(table, noise, ID3, folds=2).error == 0.5


def test_cross_validated_error_of_numbers_is_a_root_mean_square():
    table, target = to_table([["p"], ["p"], ["q"], ["q"]]), values([0.0, 2.0, 10.0, 10.0])
    result = cross_validate(table, target, ID3_REGRESSION, folds=2)
    assert result.error == pytest.approx(np.sqrt((4 + 4) / 4))
