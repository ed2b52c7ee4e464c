"""A plane parted into areas, with points on it: all that a picture of it shows, as plain data.

`plane_svg.py` and `plane_plot.py` draw it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.view.axis import Axis
from branchwork.view.class_key import ClassKey

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Area:
    """A rectangle that has one answer.

    Parameters
    ----------
    x, y : from where to where, on the axes.
    answer : entry of the legend, or the number.
    strength : how sure the answer is, from 0 to 1; 1 for numbers.
    note : what to say of it, in a line.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    answer: float
    strength: float
    note: str


@dataclass(frozen=True, eq=False)
class Points:
    """Rows: where they stand on the axes, and their entries of the legend or their numbers."""

    x: Floats
    y: Floats
    answer: Floats

    def __len__(self) -> int:
        """Number of points."""
        return len(self.x)


@dataclass(frozen=True, eq=False)
class Plane:
    """The picture.

    Parameters
    ----------
    across, up : the axes.
    areas, points : what is on it.
    key : of the classes; None: answers are numbers.
    caption : lines to stand under it.
    target : the name of what is predicted; empty if it has none.
    """

    across: Axis
    up: Axis
    areas: tuple[Area, ...]
    points: Points
    key: ClassKey | None
    caption: tuple[str, ...]
    target: str = ""

    @property
    def heading(self) -> str:
        """What stands above the legend or beside the scale; a scale always says what it measures."""
        return self.target or ("value" if self.key is None else "")

    @cached_property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest number among the answers."""
        answers = np.concatenate([[area.answer for area in self.areas], self.points.answer])
        return float(answers.min()), float(answers.max())

    @cached_property
    def occurring(self) -> list[int]:
        """Entries of the legend that areas or points have."""
        return sorted({*(int(area.answer) for area in self.areas), *self.points.answer.astype(int).tolist()})


def tint(strength: float) -> float:
    """How opaque the colour of an area is: the surer, the stronger; points on it must stay visible."""
    return 0.12 + 0.28 * strength
