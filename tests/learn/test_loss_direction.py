"""A loss matrix the wrong way round ends in one leaf; it is said, and the matrix is shown with its names."""

import warnings

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import LossWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 2))
Y = np.where(RNG.random(600) < np.where(X[:, 0] > 0.8, 0.45, 0.04), "ill", "well")
RIGHT = pd.DataFrame(
    [[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"]
)  # an ill person taken for well costs 5
WRONG = RIGHT.T
TABLE = """true class  predicted: ill  predicted: well
ill                      0                1
well                     5                0"""


def test_the_wrong_way_round_is_said_with_the_matrix():
    for make in (lambda loss: bw.CARTClassifier(loss=loss, xval=10, cp=0.01), bw.CARTClassifier.like_rpart):
        tree = make(loss=WRONG)
        with pytest.warns(LossWarning, match="but not with rows and columns exchanged") as caught:
            tree.fit(X, Y)
        assert TABLE in str(caught[0].message)
        assert str(tree.loss_) == TABLE and tree.loss_.costs.tolist() == [[0, 1], [5, 0]]


def test_the_right_way_is_silent_and_rpart_s_way_is_explained():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = bw.CARTClassifier(loss=RIGHT, xval=10, cp=0.01).fit(X, Y)
        bw.CARTClassifier(loss=[[0, 2], [2, 0]], xval=10, cp=0.01).fit(X, Y)  # the same both ways
        bw.CARTClassifier(loss=WRONG, cp=0.01).fit(X, Y)  # not cross-validated, so nothing is known
    assert right.tree_.n_nodes > 1
    with pytest.warns(
        LossWarning, match="in rpart's style it takes the loss .* from loss.k..c., as rpart does"
    ):
        bw.CARTClassifier.like_rpart(loss=RIGHT).fit(X, Y)


def test_the_losses_of_an_earlier_fit_do_not_stay():
    tree = bw.CARTClassifier(loss=RIGHT).fit(X, Y)
    assert tree.loss_.labels == ("ill", "well")
    assert not hasattr(tree.set_params(loss=None).fit(X, Y), "loss_")


def test_priors_are_kept_while_the_other_way_is_tried():
    tree = bw.CARTClassifier(loss=WRONG, priors={"ill": 0.12, "well": 0.88}, xval=10, cp=0.02)
    with pytest.warns(LossWarning, match="exchanged"):
        tree.fit(X, Y)
