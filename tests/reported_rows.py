"""Rows that reports are tested on, half of them to learn from."""

import numpy as np

RNG = np.random.default_rng(7)
X = RNG.normal(size=(600, 4)).round(1)
NOISE = RNG.normal(size=600)
TWO = np.where(X[:, 0] + 0.7 * NOISE > 0.3, "yes", "no")
THREE = np.array(["a", "b", "c"])[(X[:, 0] + 0.5 * NOISE > 0).astype(int) + (X[:, 1] > 0.4)]
NUMBERS = X[:, 0] ** 2 + X[:, 1] + 0.4 * NOISE
WEIGHTS = RNG.integers(1, 5, 600) / 2.0
TRAIN, TEST = slice(0, 300), slice(300, 600)


def fitted(est, y):
    return est.fit(X[TRAIN], y[TRAIN])
