"""What the tests of views share."""

import pytest

import branchwork as bw


@pytest.fixture
def tennis():
    """The lecture's table."""
    return bw.datasets.load("play_tennis")
