"""One axis of a picture: what it shows of a column, where a cell stands on it, and which marks it bears.

Numbers stand where they are. Categories stand side by side in bands one unit wide, the first from -1/2 to 1/2.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.tree.split import category, harmless

Floats = npt.NDArray[np.float64]

MARGIN = 0.06
"""Of the range of the numbers, on either side."""


@dataclass(frozen=True)
class Axis:
    """What is shown of a column: its name, the range from `low` to `high`, and the categories if it has any."""

    name: str
    low: float
    high: float
    categories: tuple[str, ...] | None = None

    def place(self, cells: Floats) -> Floats:
        """Where cells stand: 0 is the low end, 1 the high end."""
        width = self.high / 2 - self.low / 2  # halves: the ends may be as far apart as floats go
        return np.asarray((cells / 2 - self.low / 2) / width)

    def ticks(self) -> list[tuple[float, str]]:
        """The marks and their texts: round numbers, or the categories."""
        if self.categories is not None:
            return [(float(code), text) for code, text in enumerate(self.categories)]
        return round_numbers(self.low, self.high)


def axis_of_numbers(name: str, numbers: Iterable[float]) -> Axis:
    """An axis that shows all of some numbers with a margin; those that are not finite cannot be shown."""
    finite = [float(x) for x in numbers if math.isfinite(x)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    margin = high * MARGIN - low * MARGIN or abs(low) * MARGIN or 1.0
    largest = float(np.finfo(np.float64).max)
    return Axis(harmless(name), max(low - margin, -largest), min(high + margin, largest))


def axis_of_categories(name: str, categories: Iterable[Hashable]) -> Axis:
    """An axis with a band for each category."""
    texts = tuple(harmless(category(value)) for value in categories)
    return Axis(harmless(name), -0.5, max(len(texts), 1) - 0.5, texts)


def round_numbers(low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
    """Round numbers in a range, evenly spaced, about so many at most, and their texts.

    >>> [text for _, text in round_numbers(0.13, 1.1)]
    ['0.2', '0.4', '0.6', '0.8', '1.0']
    >>> [text for _, text in round_numbers(-3e9, 5e9)]
    ['-2e+09', '0', '2e+09', '4e+09']
    """
    apart = high / most - low / most
    power = 10.0 ** math.floor(math.log10(apart)) if apart > 0 else 0.0
    step = next((k * power for k in (1, 2, 5, 10) if k * power >= apart), 0.0)
    if step <= 0 or abs(low / step) > 2**50 or abs(high / step) > 2**50:
        return [(end, f"{end:.6g}") for end in (low, high)]  # too fine for floats to count in
    counts = range(math.ceil(low / step), math.floor(high / step) + 1)
    return [(k * step, _text(k, step, max(abs(low), abs(high)))) for k in counts]


def _text(k: int, step: float, largest: float) -> str:
    if step >= 1e-4 and largest < 1e7:
        return f"{k * step:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"
    digits = math.ceil(math.log10(largest / step)) + 1
    return f"{k * step:.{digits}g}" if k else "0"
