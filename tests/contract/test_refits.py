"""Who asks an estimator while another thread fits it again gets the answer of one of the two fits.

`tests/deep/refits.py` reads from every estimator for longer.
"""

from __future__ import annotations

import pytest

from two_fits import mixtures, readers_beside_fits

from registry import ALL, FACES, VOTES

pytestmark = pytest.mark.filterwarnings("ignore")


def test_no_answer_is_a_mixture_of_two_fits():
    assert [mixture for factory in [*ALL, *VOTES] for mixture in mixtures(factory)] == []


def test_readers_beside_fits():
    for factory in FACES:
        found = readers_beside_fits(factory, times=20)
        assert found["wrong"] == 0, factory
        assert found["right"] > 0, factory
