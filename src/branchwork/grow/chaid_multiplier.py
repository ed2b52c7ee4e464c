"""Bonferroni multipliers: in how many ways could the categories have been grouped?

The groups were chosen because they differ, so the p-value of their test is too small. It is multiplied by the number of
ways in which CHAID could have formed so many groups of so many categories.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Literal

Scale = Literal["nominal", "ordinal", "floating"]
"""What may be merged: any two; neighbours; neighbours, and the last category (missing cells) with any other."""

Multiplier = Literal["spss", "biggs"]


def multiplier(scale: Scale, categories: int, groups: int) -> int:
    """Kass's multiplier: ways to part categories into groups.

    >>> multiplier("nominal", 5, 2), multiplier("ordinal", 5, 2), multiplier("floating", 5, 2)
    (15, 4, 7)
    """
    if scale == "nominal":
        return stirling(categories, groups)
    if scale == "ordinal":
        return comb(categories - 1, groups - 1)
    return comb(categories - 2, groups - 2) + groups * comb(categories - 2, groups - 1)


def exhaustive_multiplier(scale: Scale, categories: int, source: Multiplier) -> int:
    """The multiplier of exhaustive CHAID: it does not depend on the groups.

    For nominal columns the sources disagree: SPSS says I(I² − 1)/2, Biggs and others I(I² − 1)/6, which is the number
    of pairs that are compared on the way from I categories to two groups and to one.

    >>> exhaustive_multiplier("nominal", 4, "spss"), exhaustive_multiplier("nominal", 4, "biggs")
    (30, 10)
    >>> exhaustive_multiplier("ordinal", 4, "spss")
    6
    """
    if scale == "nominal":
        return categories * (categories**2 - 1) // (2 if source == "spss" else 6)
    return categories * (categories - 1) // 2


def stirling(n: int, k: int) -> int:
    """Ways to part n things into k groups: Stirling's number of the second kind, S(n, k) = k S(n−1, k) + S(n−1, k−1).

    >>> stirling(4, 2), stirling(10, 5)
    (7, 42525)
    """
    return _stirling_row(n)[k] if 0 <= k <= n else 0


@lru_cache(maxsize=64)
def _stirling_row(n: int) -> list[int]:
    row = [1]
    for size in range(1, n + 1):
        row = [0, *(k * row[k] + row[k - 1] for k in range(1, size)), 1]
    return row
