"""The rows by which rules are judged, and the greedy deletion that both ways of post-pruning share.

What a rule would match without one of its conditions is found in one pass: the rows that fail no condition match it
now; those that fail exactly one would match it without that one.

    row     Outlook = Sunny   Humidity = High   fails
    1       holds             holds               0      matches
    2       holds             –                   1      would match without Humidity
    3       –                 –                   2      would match without neither
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.rules.condition import EVERY_ROW, Condition, Mask
from branchwork.rules.rule import Floats
from branchwork.table.table import Table
from branchwork.table.target import Classes

MOST_MASK_BYTES = 1 << 26
"""What conditions hold for which rows is kept for as many conditions as fit in here."""


class Count(NamedTuple):
    """Weight of the rows that a rule matches, and of those among them that it gets wrong."""

    weight: float
    errors: float


Choice = Callable[[Count, list[Count]], int | None]
"""From the count of a rule, and those without each condition: the condition to delete, or None to stop."""


@dataclass(eq=False)
class Evidence:
    """A coded table and its classes; rows of weight 0 have been taken out."""

    table: Table
    target: Classes
    _masks: dict[Condition, Mask] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.target.counts.sum())

    def weigh(self, rows: npt.NDArray[np.intp] | Mask) -> float:
        """Weight of some rows, by index or by mask."""
        if self.target.weights is None:
            return float(np.count_nonzero(rows) if rows.dtype == np.bool_ else len(rows))
        return float(self.target.weights[rows].sum())

    def counts(self, rows: npt.NDArray[np.intp] | Mask) -> Floats:
        """Weight of each label among some rows."""
        weights = None if self.target.weights is None else self.target.weights[rows]
        n_labels = len(self.target.labels)
        return np.bincount(self.target.codes[rows], weights, minlength=n_labels).astype(np.float64)

    def holds(self, condition: Condition) -> Mask:
        """For which rows a condition holds."""
        mask = self._masks.get(condition)
        if mask is None:
            if len(self._masks) * self.n_rows > MOST_MASK_BYTES:
                self._masks.clear()
            mask = condition.holds(self.table, EVERY_ROW)
            self._masks[condition] = mask
        return mask

    def matching(self, conditions: tuple[Condition, ...]) -> Mask:
        """Which rows match a rule."""
        found = np.ones(self.n_rows, np.bool_)
        for condition in conditions:
            found &= self.holds(condition)
        return found

    def shorten(
        self, conditions: tuple[Condition, ...], code: int, choose: Choice
    ) -> tuple[tuple[Condition, ...], Count]:
        """Delete conditions of a rule for a class, one by one, as long as `choose` names one."""
        kept = list(conditions)
        failing = [~self.holds(condition) for condition in kept]
        wrong = self.target.codes != code
        fails = np.zeros(self.n_rows, np.int32)
        for fail in failing:
            fails += fail
        while True:
            now = self._count(np.flatnonzero(fails == 0), wrong)
            if not kept:
                return (), now
            nearly = np.flatnonzero(fails == 1)
            added = [self._count(nearly[fail[nearly]], wrong) for fail in failing]
            without = [Count(now.weight + more.weight, now.errors + more.errors) for more in added]
            place = choose(now, without)
            if place is None:
                return tuple(kept), now
            fails -= failing.pop(place)
            del kept[place]

    def _count(self, rows: npt.NDArray[np.intp], wrong: Mask) -> Count:
        return Count(self.weigh(rows), self.weigh(rows[wrong[rows]]))
