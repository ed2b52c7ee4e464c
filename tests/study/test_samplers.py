"""Samplers whose truth is known."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError


def test_waves_have_the_noise_they_say():
    sampler = bw.study.WaveSampler(noise=0.4, n_features=3)
    X, y = sampler(20_000, seed=1)
    assert X.shape == (20_000, 3) and ((y - sampler.truth(X)) ** 2).mean() == pytest.approx(0.16, rel=0.05)
    assert sampler.bayes_error == pytest.approx(0.16) and (sampler.noise_at(X[:2]) == 0.4**2).all()
    assert sampler.truth([[0.25, 9, 9]]) == pytest.approx([1])


def test_a_board_has_the_flips_it_says():
    sampler = bw.study.CheckerboardSampler(flip=0.2, squares=2)
    X, y = sampler(20_000, seed=1)
    best = np.array(sampler.labels)[sampler.truth(X).argmax(axis=1)]
    assert (best != y).mean() == pytest.approx(0.2, abs=0.01) and sampler.bayes_error == 0.2
    assert sampler.truth([[0.1, 0.1], [0.9, 0.1]]).argmax(axis=1).tolist() == [0, 1]


def test_draws_come_from_the_generator_or_a_seed():
    sampler = bw.study.WaveSampler()
    one, two = sampler(5, np.random.default_rng(3)), sampler(5, seed=3)
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()
    with pytest.raises(ParameterError, match="a generator"):
        sampler(5)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (bw.study.WaveSampler, {"noise": -1}, "noise=-1"),
        (bw.study.WaveSampler, {"n_features": 0}, "n_features=0"),
        (bw.study.CheckerboardSampler, {"flip": 0.6}, "flip=0.6"),
        (bw.study.CheckerboardSampler, {"squares": 0}, "squares=0"),
        (bw.study.CheckerboardSampler, {"n_features": 1}, "n_features=1"),
    ],
)
def test_samplers_that_cannot_be(kind, options, message):
    with pytest.raises(ParameterError, match=message):
        kind(**options)
