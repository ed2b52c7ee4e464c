"""Convert the cuts of libraries that round cells to float32 into cuts on the cells themselves.

Such a library tests `float32(x) <= threshold`. Rounding goes to the nearest float32, and ties go to the even one, so
the cells that go left are those up to the middle between two neighbours:

    float32        a         b            a: the last one that goes left
                 ──┼────┬────┼──
    x                   middle            x <= middle goes left; the middle itself only if a is even
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Floats

BEYOND = 2.0**128
"""The number that would follow the largest float32; cells from the middle between both on round to infinity."""


def cut_before_rounding(threshold: npt.NDArray[np.floating], *, strict: bool = False) -> Floats:
    """Return the largest double whose float32 is <= the threshold, or < the threshold if strict.

    >>> cut = cut_before_rounding(np.array([0.1]))[0]
    >>> [float(np.float32(x)) <= 0.1 for x in (cut, np.nextafter(cut, 1))]
    [True, False]
    """
    given = threshold.astype(np.float64)
    with np.errstate(all="ignore"):  # infinity beyond the largest float32 is intended
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
