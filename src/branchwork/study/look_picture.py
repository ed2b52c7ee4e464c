"""Make a small picture of a feature against the target, as plain data; `view/feature_chart.py` draws it.

target      numeric feature             nominal feature
classes     columns of a histogram,     a bar for each category,
            parted by class             parted by class
numbers     quartiles of the target     quartiles of the target
            in groups of the feature    for each category
none        a histogram                 a bar for each category
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.study.look_profile import Floats, Profile, profile_of
from branchwork.table.schema import Column
from branchwork.table.target import Classes, Target
from branchwork.tree.split import category, harmless
from branchwork.view.class_key import ClassKey, key_of_classes
from branchwork.view.feature_chart import Bars, Boxes, Histogram

Picture = Bars | Boxes | Histogram

COLUMNS = 24
"""The largest number of columns of a histogram."""
MOST_CATEGORIES = 9
"""The largest number of categories with a bar of their own; the rest are one bar."""
TARGET_STEPS = 200
"""A numeric target is divided into this many groups, from which quartiles are read."""
LONG_TAIL = 4.0
"""A range more than this many times as wide as that of the inner 98 % of the cells is cut off at both ends."""


@dataclass(frozen=True, eq=False)
class Painter:
    """What the pictures of all features share: the classes, or the numbers in steps.

    Parameters
    ----------
    entry : for each row, the entry of its class in the key, or the step of its number; all 0 if there is no target.
    levels : the number of each step, ascending; None for classes.
    key : the classes and their colours; None for numbers.
    """

    entry: npt.NDArray[np.int32] | None
    n_entries: int
    levels: Floats | None = None
    key: ClassKey | None = None

    @staticmethod
    def of(target: Target | None) -> Painter:
        """Prepare the target for all pictures."""
        if target is None:
            return Painter(None, 1)
        if isinstance(target, Classes):
            counts = np.bincount(target.codes, minlength=len(target.labels)).astype(np.float64)
            key = key_of_classes(target.labels, counts, np.arange(len(target.labels)))
            return Painter(key.entry.astype(np.int32)[target.codes], len(key.names), key=key)
        found = profile_of(Column("y", "numeric"), target.values)
        steps = min(TARGET_STEPS, found.distinct)
        levels = np.unique([found.quantile((k + 1) / steps) for k in range(steps)])
        if found.distinct <= TARGET_STEPS:
            levels = found.values
        return Painter(np.searchsorted(levels, target.values).astype(np.int32), len(levels), levels)

    def paint(self, profile: Profile) -> Picture:
        """Make the picture of a feature."""
        if profile.column.is_nominal:
            names, bar, missing = _categories(profile)
            if self.levels is not None:
                return self._boxes(names, bar, missing, None)
            return Bars(names, self._count(bar, len(names)), missing)
        if self.levels is not None:
            return self._boxes_of_numbers(profile)
        return self._histogram(profile)

    def _count(self, bar: npt.NDArray[np.integer], n_bars: int) -> tuple[tuple[int, ...], ...]:
        """Count the entries of each bar; rows with bar -1 are left out."""
        if self.entry is None:
            pair = bar[bar >= 0]
        else:
            pair = bar.astype(np.int64) * self.n_entries + self.entry
            pair = pair[bar >= 0]
        counts = np.bincount(pair, minlength=n_bars * self.n_entries).reshape(n_bars, self.n_entries)
        return tuple(map(tuple, counts.tolist()))

    def _histogram(self, profile: Profile) -> Histogram:
        missing = self._count(np.where(profile.is_countable, -1, 0), 1)[0]
        if not profile.distinct:
            return Histogram(0.0, 0.0, (), missing if any(missing) else None)
        low, high = _shown_range(profile)
        first, width, n_columns = _columns(profile, low, high)
        cells = profile.cells
        with np.errstate(invalid="ignore", over="ignore"):
            place = (cells / 2 - first / 2) / (width / 2)
            column = np.nan_to_num(np.clip(place, 0, n_columns - 1), nan=0.0).astype(np.int32)
        if profile.finite < profile.n_rows:
            column[~np.isfinite(cells)] = -1
        counts = self._count(column, n_columns)
        cut = (low > float(profile.values[0]), high < float(profile.values[-1]))
        return Histogram(low, high, counts, missing if any(missing) else None, cut)

    def _boxes_of_numbers(self, profile: Profile) -> Boxes:
        bar = profile.groups
        missing = bool(profile.finite < profile.n_rows)
        if missing:
            bar = np.where(bar < 0, profile.n_groups, bar).astype(np.int32)
        ends = (
            (float(profile.values[0]), *profile.cuts.tolist(), float(profile.values[-1]))
            if profile.distinct
            else ()
        )
        names = ("",) * profile.n_groups + (("missing",) if missing else ())
        if not profile.distinct:
            return Boxes((), (), None, False)
        return self._boxes(names, bar, missing, ends)

    def _boxes(
        self,
        names: tuple[str, ...],
        bar: npt.NDArray[np.integer],
        missing: bool,
        ends: tuple[float, ...] | None,
    ) -> Boxes:
        assert self.levels is not None
        counts = np.array(self._count(bar, len(names)), np.int64).reshape(len(names), self.n_entries)
        boxes: list[tuple[int, float, float, float] | None] = []
        for line in counts:
            total = np.cumsum(line)
            if not total[-1]:
                boxes.append(None)
                continue
            places = np.searchsorted(total, np.array([0.25, 0.5, 0.75]) * total[-1] - 1e-9)
            low, middle, high = self.levels[places].tolist()
            boxes.append((int(total[-1]), low, middle, high))
        return Boxes(names, tuple(boxes), ends, missing)


def _shown_range(profile: Profile) -> tuple[float, float]:
    """Return the range that a histogram shows: all of it, unless a long tail would squeeze the rest into one column."""
    low, high = float(profile.values[0]), float(profile.values[-1])
    inner_low, inner_high = profile.quantile(0.01), profile.quantile(0.99)
    width = inner_high / 2 - inner_low / 2
    if width <= 0 or high / 2 - low / 2 <= LONG_TAIL * width:
        return low, high
    return max(low, inner_low - width / 2), min(high, inner_high + width / 2)


def _columns(profile: Profile, low: float, high: float) -> tuple[float, float, int]:
    """Return where the first column of a histogram begins, how wide each is, and how many there are.

    Integers get columns of an integer width, so that each column covers equally many of them.
    """
    if high <= low:
        return low - 1.0, 2.0 if abs(low) < 2**52 else abs(low), 1
    if not profile.are_integers or high - low >= 2**31:
        return low, (high / COLUMNS - low / COLUMNS), COLUMNS
    values = int(high - low) + 1
    width = 1 if values < 2 * COLUMNS else -(-values // COLUMNS)
    return math.floor(low) - 0.5, float(width), -(-values // width)


def _categories(profile: Profile) -> tuple[tuple[str, ...], npt.NDArray[np.int32], bool]:
    """Return the names of the bars, the bar of each row, and whether the last one is missing cells."""
    order = np.argsort(-profile.counts, kind="stable")
    few = len(order) <= MOST_CATEGORIES + 1
    shown = profile.values[order if few else order[:MOST_CATEGORIES]]
    names = [harmless(category(profile.category(code))) for code in shown.tolist()]
    rest = len(order) - len(shown)
    bar_of = np.full(len(profile.column.categories) + 1, len(shown), np.int32)
    bar_of[shown + 1] = np.arange(len(shown), dtype=np.int32)
    if rest:
        names.append(f"{rest} others")
    missing = profile.missing > 0
    bar_of[0] = len(names)
    if missing:
        names.append("missing")
    return tuple(names), bar_of[np.maximum(profile.cells, -1) + 1], missing
