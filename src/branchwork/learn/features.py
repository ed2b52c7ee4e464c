"""Determine how many features a tree, or each of its nodes, may use."""

from __future__ import annotations

import math
from typing import Any, Literal

from branchwork.errors import ParameterError, shown
from branchwork.grow.checks import count_or_share
from branchwork.grow.recipe import Per

MaxFeatures = int | float | Literal["auto", "sqrt", "log2"] | None
"""How many features compete: a number, a share, a rule, or all of them (None)."""


def check_max_features(name: str, value: Any) -> Any:
    """Refuse a setting that does not determine a number of features."""
    if value is None or (isinstance(value, str) and value in ("auto", "sqrt", "log2")):
        return value
    return count_or_share(name, value, "'auto', 'sqrt', 'log2', None (all features)")


def features_of(max_features: MaxFeatures, n_features: int, *, classes: bool, per: Per) -> int:
    """Return how many features compete at a node, or are available to a tree.

    >>> [features_of("auto", 20, classes=c, per=p) for c in (True, False) for p in ("node", "tree")]
    [4, 10, 6, 10]
    """
    if max_features == "auto":
        rule = n_features / 2 if per == "tree" else math.sqrt(n_features) if classes else n_features / 3
        return max(1, int(rule))
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, math.isqrt(n_features))
    if max_features == "log2":
        return max(1, int(math.log2(n_features)))
    count = count_or_share("max_features", max_features)
    if isinstance(count, float):
        return max(1, int(count * n_features))
    if count > n_features:
        raise ParameterError(
            f"max_features={shown(count)}, but the table has {n_features} features. Take a smaller number, or None for "
            "all of them."
        )
    return count
