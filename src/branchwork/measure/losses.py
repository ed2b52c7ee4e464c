"""How answers are judged row by row: wrong classes, squared errors, or the deviance of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

LossName = Literal["squared_error", "poisson"]
"""The losses of numbers that can be asked for."""
RAREST = 1e-3
"""A rate below this share of the mean counts as this share. A leaf without events says 0, and a single event there
would make the deviance of all rows infinite."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """The loss of each row.

    Parameters
    ----------
    name : the share of wrong classes, the squared error, or the Poisson deviance.
    least : the rate that smaller ones count as; Poisson deviance only.
    """

    name: Literal["errors", "squared_error", "poisson"]
    least: float = 0.0

    @property
    def is_share(self) -> bool:
        """Whether the mean is a share of rows."""
        return self.name == "errors"

    @property
    def title(self) -> str:
        """What the mean is called."""
        names = {"errors": "share of wrong answers", "poisson": "mean Poisson deviance"}
        return names.get(self.name, "mean squared error")

    @property
    def root_title(self) -> str:
        """What the mean is called where errors are in the unit of the target."""
        return "root mean squared error" if self.name == "squared_error" else self.title

    def of_rows(self, answers: npt.NDArray[Any], truth: npt.NDArray[Any]) -> Floats:
        """Return the loss of each row.

        >>> poisson_loss(np.array([1.0, 3.0])).of_rows(np.array([2.0, 2.0, 0.0]), np.array([2.0, 0.0, 0.0])).tolist()
        [0.0, 4.0, 0.004]
        """
        if self.name == "errors":
            return np.asarray(answers != truth, np.float64)
        if self.name == "squared_error":
            return np.asarray((answers - truth) ** 2)
        rate = np.maximum(answers, self.least)
        ratio = np.where(truth > 0, truth / rate, 1.0)
        return np.asarray(2 * (truth * np.log(ratio) - truth + rate))

    def in_units(self, mean: Any) -> Any:
        """Return a mean loss in the unit of the target: the root of squared errors."""
        return np.sqrt(mean) if self.name == "squared_error" else mean


SHARE_WRONG = Loss("errors")
SQUARED_ERROR = Loss("squared_error")


def poisson_loss(truth: npt.NDArray[Any]) -> Loss:
    """Return the Poisson deviance for a target of counts."""
    return Loss("poisson", RAREST * float(np.mean(truth)))
