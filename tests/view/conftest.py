"""What the tests of views share."""

import numpy as np
import pytest

import branchwork as bw


@pytest.fixture
def tennis():
    """The lecture's table."""
    return bw.datasets.load("play_tennis")


@pytest.fixture(scope="session")
def large():
    """A tree of 9 999 nodes."""
    rng = np.random.default_rng(0)
    return bw.CARTClassifier(max_leaf_nodes=5000).fit(
        rng.normal(size=(40_000, 8)), rng.integers(0, 4, 40_000)
    )


@pytest.fixture
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)
