"""Of trees consistent with the training rows, the smaller one."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import DataError, ParameterError

X, Y = bw.study.CheckerboardSampler(flip=0)(300, seed=0)


def test_all_trees_fit_the_training_rows_and_small_ones_do_better():
    found = bw.study.consistent_trees(X, Y, n_trees=60)
    parts = bw.study.split(bw.to_table(X), Y, validation=0, test=0.5)
    for k, model in enumerate(found.models):
        assert (model.predict(parts.train.X) == parts.train.y).all()
        assert found.errors[k] == pytest.approx((model.predict(parts.test.X) != parts.test.y).mean())
        assert model.tree.n_leaves == found.leaves[k]
    assert (np.diff(found.leaves) >= 0).all() and found.smallest is found.models[0]
    assert found.errors[0] < np.median(found.errors) and found.correlation > 0.2
    assert "Take the smaller one" in str(found) and found.to_dict()["n_train"] == 150


def test_the_picture_has_the_smallest_tree_alone():
    found = bw.study.consistent_trees(X, Y, n_trees=20)
    chart = found.chart()
    assert chart.places[0] == found.leaves[0] and chart.lines[1].numbers[0] == found.errors[0]
    assert "the smallest" in found.to_svg(theme="dark") and "<svg" in found._repr_html_()


def test_threads_and_seeds():
    one, two, other = (
        bw.study.consistent_trees(X, Y, n_trees=9, n_jobs=jobs, random_state=seed).to_dict()
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    assert one == two != other


def test_contradictions_are_refused():
    with pytest.raises(DataError, match="No tree fits these rows"):
        bw.study.consistent_trees(np.zeros((20, 1)), ["a", "b"] * 10)
    with pytest.raises(ParameterError, match="n_trees=0"):
        bw.study.consistent_trees(X, Y, n_trees=0)


def test_one_class():
    found = bw.study.consistent_trees(X, ["a"] * 300, n_trees=3)
    assert found.correlation == 0 and (found.errors == 0).all()
