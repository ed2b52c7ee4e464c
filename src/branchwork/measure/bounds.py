"""How many errors to expect where some were seen: upper limits that pruning and rules are judged by.

A leaf with e errors among N training rows will make more of them on new rows. C4.5 asks for the error rate that would
give so few errors only with probability CF (25 % by default), and expects N times that rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Literal

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.lazy import cached_property

BoundVariant = Literal["c4.5", "j48"]

TABLE = (
    (0.0, 4.0),
    (0.001, 3.09),
    (0.005, 2.58),
    (0.01, 2.33),
    (0.05, 1.65),
    (0.10, 1.28),
    (0.20, 0.84),
    (0.40, 0.25),
    (1.0, 0.0),
)
"""Release 8 looks the normal deviate of a confidence up here, and goes straight from point to point."""


@dataclass(frozen=True)
class ErrorBound:
    """C4.5's bound at one confidence, as Release 8 or Weka's J48 calculates it.

    >>> bound = ErrorBound(0.25)
    >>> round(bound.extra(0, 6), 4), round(bound.extra(1, 16), 4)
    (1.2378, 1.5069)
    >>> round(ErrorBound(0.25, "j48").extra(1, 16), 4)
    1.4757
    """

    confidence: float = 0.25
    variant: BoundVariant = "c4.5"

    def __post_init__(self) -> None:
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence={self.confidence!r}; expected a number above 0 and at most 1.")

    @cached_property
    def core(self) -> _core.ErrorBound:
        """The bound as the core takes it."""
        return _core.ErrorBound(self.confidence, self.deviate, self.variant == "j48")

    @property
    def deviate(self) -> float:
        """The point that a standard normal number exceeds with this probability."""
        if self.variant == "j48":
            return NormalDist().inv_cdf(1 - self.confidence) if self.confidence < 1 else -math.inf
        for (a, at_a), (b, at_b) in pairwise(TABLE):
            if self.confidence <= b:
                return at_a + (at_b - at_a) * (self.confidence - a) / (b - a)
        raise AssertionError("the table ends with 1")

    def extra(self, errors: float, weight: float) -> float:
        """Errors to add to those that were seen among rows of this weight."""
        return self.core.extra(errors, weight)
