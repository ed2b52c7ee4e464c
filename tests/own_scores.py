"""Scores written as a user would write them: those of the lecture, and some that the library does not have."""

import numpy as np

import branchwork as bw

ENTROPY = bw.Score(
    name="my entropy", unit="bits", term=lambda c: -c * np.log2(c), offset=lambda n: n * np.log2(n)
)
GINI = bw.Score(name="my Gini", term=lambda c: c**2, offset=lambda n: n, scale=lambda n: -1 / n)
ACCURACY = bw.Score(
    name="my accuracy", term=lambda c: c, offset=lambda n: n, scale=lambda n: -1, combine="max"
)
OWN = {"entropy": ENTROPY, "gini": GINI, "accuracy": ACCURACY}
"""By the name of the criterion that each of them is."""

TSALLIS = bw.Score(name="Tsallis", term=lambda c: c**3, offset=lambda n: n / 2, scale=lambda n: -0.5 / n**2)
"""With q = 3: (1 − Σ p³) / 2."""
COST = bw.Score(
    name="cost", term=lambda c, label: -5 * c if label == "yes" else -c, scale=lambda n: -1, combine="max"
)
"""What the better of two answers costs, where a "yes" that is missed costs 5, and any other error 1."""


def _bits(counts):
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return -np.sum(shares * np.log2(np.where(shares > 0, shares, 1)), axis=-1)


def information_gain(parent, children):
    """The lecture's gain, as a function of counts."""
    return _bits(parent) - children.sum(axis=1) / parent.sum() @ _bits(children)


INFORMATION_GAIN = bw.Score(name="my gain", unit="bits", gain=information_gain)
