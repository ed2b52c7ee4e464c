"""Association from its definition, slowly."""

import math
from collections import Counter


def slow_information(one, other):
    """Mutual information in bits, from its definition."""
    n, both = len(one), Counter(zip(one, other, strict=True))
    left, right = Counter(one), Counter(other)
    return sum(c / n * math.log2(c * n / (left[a] * right[b])) for (a, b), c in both.items())
