"""An independent way to the same numbers: exact fractions, one logarithm per probability."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest

from branchwork.information import conditional_entropy, gain_ratio, information_gain, joint_entropy, remainder

RAIN = [[24, 1], [25, 50]]  # rows: raining, not raining; columns: cloudy, not cloudy

WITH_COUNTS = {
    "joint_entropy": joint_entropy,
    "conditional_entropy": conditional_entropy,
    "remainder": remainder,
    "information_gain": information_gain,
    "gain_ratio": gain_ratio,
}


def plain_entropy(labels):
    return math.fsum(float(p) * math.log2(1 / p) for p in shares(labels).values())


def shares(labels):
    counts = Counter(labels)
    return {value: Fraction(count, len(labels)) for value, count in counts.items()}


def divergence(x, y):
    """KL(joint || product of the marginals)."""
    px, py = shares(x), shares(y)
    pairs = shares(list(zip(x, y, strict=True)))
    return math.fsum(float(p) * math.log2(p / (px[a] * py[b])) for (a, b), p in pairs.items())


def exact_variance(numbers):
    mean = Fraction(sum(numbers), len(numbers))
    return sum((t - mean) ** 2 for t in numbers) / (len(numbers) - 1) if len(numbers) > 1 else Fraction(0)


def crossed(x, y):
    """The two-way table of counts of two columns, rows for x."""
    pairs = Counter(zip(x, y, strict=True))
    return [[pairs[a, b] for b in dict.fromkeys(y)] for a in dict.fromkeys(x)]


def is_plain_zero(number):
    return type(number) is float and number == 0.0 and math.copysign(1.0, number) == 1.0


def close(expected, tolerance=1e-12):
    return pytest.approx(expected, rel=tolerance, abs=tolerance)
