"""Summarise what a column holds in numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.study.look_profile import Profile
from branchwork.table.schema import Kind

MOST_LISTED = 12
"""The largest number of categories that a summary lists with their counts."""


@dataclass(frozen=True)
class Summary:
    """What a column holds.

    Parameters
    ----------
    known, missing : how many cells have a value, and how many have none.
    distinct : how many different values occur.
    minimum, quartile1, median, quartile3, maximum : of the finite cells of a numeric column; otherwise None.
    mean, deviation : mean and standard deviation (with n - 1) of the finite cells; otherwise None.
    most_frequent : categories with their counts, the most frequent first (ties: the earlier category), at most 12; of a
        numeric column, its most frequent value if it occurs more than once.
    """

    name: str
    kind: Kind
    known: int
    missing: int
    distinct: int
    minimum: float | None = None
    quartile1: float | None = None
    median: float | None = None
    quartile3: float | None = None
    maximum: float | None = None
    mean: float | None = None
    deviation: float | None = None
    most_frequent: tuple[tuple[Any, int], ...] = ()


def summary_of(profile: Profile) -> Summary:
    """Summarise a column.

    >>> from branchwork.study.look_profile import profile_of
    >>> from branchwork.table.schema import Column
    >>> found = summary_of(profile_of(Column("age", "numeric"), np.array([20.0, 30.0, 30.0, np.nan])))
    >>> found.median, round(found.mean, 2), found.most_frequent
    (30.0, 26.67, ((30.0, 2),))
    """
    column = profile.column
    base = (column.name, column.kind, profile.known, profile.missing, profile.distinct)
    if column.is_nominal or not profile.distinct:
        return Summary(*base, most_frequent=_most_frequent(profile))
    mean, deviation = _moments(profile)
    return Summary(
        *base,
        minimum=profile.quantile(0.0),
        quartile1=profile.quantile(0.25),
        median=profile.quantile(0.5),
        quartile3=profile.quantile(0.75),
        maximum=profile.quantile(1.0),
        mean=mean,
        deviation=deviation,
        most_frequent=_most_frequent(profile),
    )


def _most_frequent(profile: Profile) -> tuple[tuple[Hashable, int], ...]:
    order = np.argsort(-profile.counts, kind="stable")
    if profile.column.is_nominal:
        return tuple(
            (profile.category(int(profile.values[k])), int(profile.counts[k])) for k in order[:MOST_LISTED]
        )
    top = order[:1]
    return tuple((float(profile.values[k]), int(profile.counts[k])) for k in top if profile.counts[k] > 1)


def _moments(profile: Profile) -> tuple[float, float | None]:
    """Return the mean and the standard deviation, even if squares would overflow."""
    values, counts, n = profile.values, profile.counts, profile.finite
    scale = float(np.abs(values).max()) or 1.0
    scaled = values / scale
    mean = float((scaled * counts).sum() / n)
    squares = float(((scaled - mean) ** 2 * counts).sum())
    with np.errstate(over="ignore"):
        deviation = None if n < 2 else float(np.float64((squares / (n - 1)) ** 0.5) * scale)
    return mean * scale, deviation
