"""Cuts of libraries that round cells to float32 first, as cuts on the cells themselves.

Such a library asks `float32(x) <= threshold`. Rounding goes to the nearest float32, of two equally near ones to the
even one, so the cells that go left are those up to the middle between two neighbours:

    float32        a         b            a: the last one that goes left
                 ──┼────┬────┼──
    x                   middle            x <= middle goes left; the middle itself only if a is even
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Floats

BEYOND = 2.0**128
"""What float32 would have after its largest number; cells from the middle on round to infinity."""


def cut_before_rounding(threshold: npt.NDArray[np.floating], *, strict: bool = False) -> Floats:
    """The largest double whose float32 is <= the threshold, or < it if strict.

    >>> cut = cut_before_rounding(np.array([0.1]))[0]
    >>> [float(np.float32(x)) <= 0.1 for x in (cut, np.nextafter(cut, 1))]
    [True, False]
    """
    given = threshold.astype(np.float64)
    with np.errstate(all="ignore"):  # beyond the largest float32 there is infinity, and that is meant
        last = given.astype(np.float32)
        too_high = last >= given if strict else last > given
        last = np.where(too_high, np.nextafter(last, np.float32(-np.inf)), last)
        after = np.nextafter(last, np.float32(np.inf))
        middle = (_finite(last) + _finite(after)) / 2
        even = last.view(np.uint32) % 2 == 0
        cut = np.where(even, middle, np.nextafter(middle, -np.inf))
    return np.where(last == np.inf, np.inf, np.where(np.isnan(given), np.nan, cut))


def _finite(numbers: npt.NDArray[np.float32]) -> Floats:
    return np.clip(numbers.astype(np.float64), -BEYOND, BEYOND)
