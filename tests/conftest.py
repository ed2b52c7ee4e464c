"""Pictures in tests are drawn without a screen and closed after each test; examples are the same every time."""

import os
import sys

import pytest

import tables  # noqa: F401  # its profile for Hypothesis holds in all tests

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
