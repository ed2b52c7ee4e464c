"""Rows that forests are tested on: numbers, categories and missing cells."""

import numpy as np

N = 150


def mixed_rows(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = {
        "a": rng.normal(size=n).round(1),
        "b": rng.integers(0, 4, n).astype(float),
        "c": [None if k == 3 else "xyz"[k] for k in rng.integers(0, 4, n)],
        "d": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
    }
    z = X["a"] + (X["b"] > 1) + rng.normal(size=n) / 2
    return X, np.array(["low", "mid", "high"])[np.digitize(z, [0, 1])], z.round(2)
