"""List the valid range of every number of a tree that views, exports and pruning read: one line for each array.

Arrays that hold positions (children, features, lookups) are not here: check.py compares them with each other.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.tree.require import require_everywhere

LARGEST = sys.float_info.max
SLACK = 1e-9
"""Shares are quotients of sums, so rounding errors may carry them this far beyond 0 or 1."""


class Range(NamedTuple):
    """The numbers from `low` to `high`, both included. If `unknown`, NaN is allowed and means "not known"."""

    low: float
    high: float
    unknown: bool = False

    def has(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return which numbers are in the range."""
        inside = (numbers >= self.low) & (numbers <= self.high)
        return inside | np.isnan(numbers) if self.unknown else inside

    def __str__(self) -> str:
        """Describe what is wrong with a number outside the range."""
        if (self.low, self.high) == (-LARGEST, LARGEST):
            return "not finite"
        if self.low == 0:
            return "negative or not finite" if self.high == LARGEST else "negative"
        return "not between 0 and 1"


FINITE = Range(-LARGEST, LARGEST)
FINITE_OR_UNKNOWN = Range(-LARGEST, LARGEST, unknown=True)
AMOUNT = Range(0, LARGEST)
AMOUNT_OR_UNKNOWN = Range(0, LARGEST, unknown=True)
STATISTIC = Range(0, np.inf, unknown=True)
SHARE = Range(-SLACK, 1 + SLACK)
SHARE_OR_UNKNOWN = Range(-SLACK, 1 + SLACK, unknown=True)

OF_NODES: dict[str, Range] = {
    "value": FINITE,
    "weight": AMOUNT,
    "n_rows": AMOUNT,
    "impurity": FINITE_OR_UNKNOWN,
    "gain": FINITE_OR_UNKNOWN,
    "distribution": AMOUNT,
    "variance": AMOUNT_OR_UNKNOWN,
}
OF_SURROGATES: dict[str, Range] = {"agreement": SHARE, "adjusted": SHARE}
OF_PAGES: dict[str, Range] = {"gain": FINITE_OR_UNKNOWN, "split_info": AMOUNT_OR_UNKNOWN}
OF_TESTS: dict[str, tuple[Range, ...]] = {
    "chance": (STATISTIC, FINITE_OR_UNKNOWN, FINITE_OR_UNKNOWN),
    "judged": (SHARE_OR_UNKNOWN, FINITE_OR_UNKNOWN, AMOUNT_OR_UNKNOWN),
    "tests": (STATISTIC, SHARE_OR_UNKNOWN, SHARE_OR_UNKNOWN),
}
"""Arrays of the ledger with several numbers for each candidate, and the range of each number."""


def require_ranges(owner: Any, ranges: dict[str, Range], place: str, prefix: str = "") -> None:
    """Raise TreeError unless every array of an object is in its range. An array that is None is skipped.

    `place` is what one line of the arrays is called: "node" or "page".
    """
    for name, allowed in ranges.items():
        array = getattr(owner, name)
        if array is not None:
            require_everywhere(allowed.has(array), f"{prefix}{name} of {place} {{}} is {allowed}")
