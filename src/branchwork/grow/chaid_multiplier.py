"""Bonferroni multipliers: the number of ways in which the categories could have been grouped.

The groups were chosen because they differ, so the p-value of their test is too small. It is multiplied by the number of
ways in which CHAID could have merged that many categories into that many groups.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial
from typing import Literal

Scale = Literal["nominal", "ordinal", "floating"]
"""Which categories may be merged: any two; neighbours; or neighbours, and the last one (missing) with any other."""

Multiplier = Literal["spss", "biggs"]


def multiplier(scale: Scale, categories: int, groups: int) -> int:
    """Return Kass's multiplier: the number of ways to divide categories into groups.

    >>> multiplier("nominal", 5, 2), multiplier("ordinal", 5, 2), multiplier("floating", 5, 2)
    (15, 4, 7)
    """
    if scale == "nominal":
        return stirling(categories, groups)
    if scale == "ordinal":
        return comb(categories - 1, groups - 1)
    return comb(categories - 2, groups - 2) + groups * comb(categories - 2, groups - 1)


def exhaustive_multiplier(scale: Scale, categories: int, source: Multiplier) -> int:
    """Return the multiplier of exhaustive CHAID, which does not depend on the groups.

    For unordered categories the sources disagree: SPSS says I(I² − 1)/2, Biggs et al. say I(I² − 1)/6, which is the
    number of pairs that are compared while I categories are merged down to one group.

    >>> exhaustive_multiplier("nominal", 4, "spss"), exhaustive_multiplier("nominal", 4, "biggs")
    (30, 10)
    >>> exhaustive_multiplier("ordinal", 4, "spss")
    6
    """
    if scale == "nominal":
        return categories * (categories**2 - 1) // (2 if source == "spss" else 6)
    return categories * (categories - 1) // 2


@lru_cache(maxsize=4096)
def stirling(n: int, k: int) -> int:
    """Return in how many ways n things can be divided into k groups: Stirling's number of the second kind.

    S(n, k) = Σ_j (−1)^(k−j) C(k, j) j^n / k!, in integers of any size. The sum takes k steps; the usual recurrence
    would take n · k.

    >>> stirling(4, 2), stirling(10, 5)
    (7, 42525)
    """
    if not 0 <= k <= n:
        return 0
    total, ways = 0, 1  # ways = C(k, j)
    for j in range(k + 1):
        total += -ways * j**n if (k - j) % 2 else ways * j**n
        ways = ways * (k - j) // (j + 1)
    return total // factorial(k)
