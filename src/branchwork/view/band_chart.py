"""Lines with bands over one axis, as plain data: error curves, and the parts of an error.

`view/band_svg.py` and `view/curve_display.py` draw it. Numbers that differ by a large factor stand on an axis of
powers; a zero among them stands one step before the smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from branchwork.view.axis import round_numbers

LARGE = 20.0
"""Places that differ by more than this factor are drawn by powers."""


@dataclass(frozen=True)
class Line:
    """Numbers with a name, and how far the band around them reaches to either side; None: no band."""

    name: str
    numbers: tuple[float, ...]
    spread: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Zone:
    """A stretch of the axis with a name, from one place to another."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class BandChart:
    """What a picture shows.

    Parameters
    ----------
    title, across, up : what is written above the picture, below it and beside it.
    places : where the numbers of the lines stand on the axis, in any order.
    texts : what each place is called.
    lines : drawn in the order given, each in a colour of its own.
    mark, mark_text : the place that is pointed out, by its position in `places`, and what is written there.
    zones : stretches of the axis that have names; they do not overlap, and the border between two is halfway.
    floor, floor_text : a dashed level, and its name.
    stacked : draw the lines as areas on top of each other, all but the last, which is their sum.
    """

    title: str
    across: str
    up: str
    places: tuple[float, ...]
    texts: tuple[str, ...]
    lines: tuple[Line, ...]
    mark: int | None = None
    mark_text: str = ""
    zones: tuple[Zone, ...] = ()
    floor: float | None = None
    floor_text: str = ""
    stacked: bool = False
    order: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        by_place = sorted(range(len(self.places)), key=lambda k: self.places[k])
        object.__setattr__(self, "order", tuple(by_place))

    @property
    def by_powers(self) -> bool:
        """Whether the axis is one of powers."""
        positive = [place for place in self.places if place > 0]
        return min(self.places) >= 0 and len(positive) > 2 and max(positive) > LARGE * min(positive)

    def reach(self) -> tuple[float, float]:
        """Return the least and the largest number that is drawn; 0 is always there."""
        ends = [0.0] if self.floor is None else [0.0, self.floor]
        for line in self.lines:
            spread = line.spread or (0.0,) * len(line.numbers)
            ends += [a - b for a, b in zip(line.numbers, spread, strict=True)]
            ends += [a + b for a, b in zip(line.numbers, spread, strict=True)]
        low, high = min(ends), max(ends)
        return (
            max(low, 0.0) if all(x >= 0 for line in self.lines for x in line.numbers) else low
        ), high or 1.0

    def borders(self) -> list[tuple[Zone, float, float]]:
        """Return every zone with the shares of the axis where it begins and ends."""
        found = []
        for k, zone in enumerate(self.zones):
            low, high = self.share(zone.low), self.share(zone.high)
            begin = 0.0 if k == 0 else (self.share(self.zones[k - 1].high) + low) / 2
            end = 1.0 if k == len(self.zones) - 1 else (high + self.share(self.zones[k + 1].low)) / 2
            found.append((zone, begin, end))
        return found

    def share(self, place: float) -> float:
        """Return where a place stands on the axis: 0 is its left end, 1 its right end."""
        low, high = self._at(min(self.places)), self._at(max(self.places))
        return 0.5 if high == low else (self._at(place) - low) / (high - low)

    def _at(self, place: float) -> float:
        if not self.by_powers:
            return place
        least = min(p for p in self.places if p > 0)
        step = (math.log(max(self.places)) - math.log(least)) / 8
        return math.log(least) - step if place <= 0 else math.log(place)

    def ticks(self) -> list[tuple[float, str]]:
        """Return places and their texts: the values themselves if they are few, else round numbers."""
        named = sorted({(self.places[k], self.texts[k]) for k in self.order})
        if "no limit" in self.texts or len(named) <= 8:
            return named
        if not self.by_powers:
            return round_numbers(min(self.places), max(self.places), 8)
        positive = [place for place in self.places if place > 0]
        low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
        steps = (1,) if high - low > 4 else (1, 3) if high - low > 2 else (1, 2, 5)
        powers = [k * 10.0**power for power in range(low, high + 1) for k in steps]
        zero = [(0.0, "0")] if min(self.places) <= 0 else []
        return zero + [
            (x, f"{x:g}") for x in powers if min(positive) <= x * (1 + 1e-9) and x <= max(positive)
        ]
