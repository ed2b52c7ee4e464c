"""The rows that rules are judged by, and the greedy deletion that both methods of post-pruning share.

One pass finds what a rule would match without each of its conditions. Rows that fail no condition match the rule now,
and rows that fail exactly one condition would match without that one.

    row     Outlook = Sunny   Humidity = High   fails
    1       holds             holds               0      matches
    2       holds             –                   1      would match without Humidity
    3       –                 –                   2      would not match without either one

Which rows fail a condition is kept as one bit per row, so that 64 rows are compared and counted in one operation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.rules.condition import EVERY_ROW, Condition, Mask
from branchwork.rules.rule import Floats
from branchwork.table.table import Table
from branchwork.table.target import Classes

Bits = npt.NDArray[np.uint64]
"""One bit per row, in the order of `np.packbits`; the bits after the last row are 0."""

MOST_MASK_BYTES = 1 << 26
"""What conditions hold for which rows is kept for as many conditions as fit in here."""

_BYTE_COUNTS = np.array([byte.bit_count() for byte in range(256)], np.uint8)


class Count(NamedTuple):
    """The weight of the rows that a rule matches, and of those among them that it gets wrong."""

    weight: float
    errors: float


Choice = Callable[[Count, list[Count]], int | None]
"""From the count of a rule, and those without each condition: the condition to delete, or None to stop."""


@dataclass(eq=False)
class Evidence:
    """A coded table and its classes, without rows of weight 0."""

    table: Table
    target: Classes
    _held: dict[Condition, Bits] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.table.n_rows

    @property
    def total(self) -> float:
        """Return the weight of all rows."""
        return float(self.target.counts.sum())

    def weigh(self, rows: npt.NDArray[np.intp] | Mask) -> float:
        """Return the weight of some rows, by index or by mask."""
        if self.target.weights is None:
            return float(np.count_nonzero(rows) if rows.dtype == np.bool_ else len(rows))
        return float(self.target.weights[rows].sum())

    def counts(self, rows: npt.NDArray[np.intp] | Mask) -> Floats:
        """Return the weight of each label among some rows."""
        weights = None if self.target.weights is None else self.target.weights[rows]
        n_labels = len(self.target.labels)
        return np.bincount(self.target.codes[rows], weights, minlength=n_labels).astype(np.float64)

    def holds(self, condition: Condition) -> Bits:
        """Return for which rows a condition holds."""
        bits = self._held.get(condition)
        if bits is None:
            if len(self._held) * self.n_rows > 8 * MOST_MASK_BYTES:
                self._held.clear()
            bits = self._held[condition] = packed(condition.holds(self.table, EVERY_ROW))
        return bits

    def matching(self, conditions: tuple[Condition, ...]) -> Mask:
        """Return which rows match a rule."""
        if not conditions:
            return np.ones(self.n_rows, np.bool_)
        return self._mask(np.bitwise_and.reduce([self.holds(condition) for condition in conditions]))

    def shorten(
        self, conditions: tuple[Condition, ...], code: int, choose: Choice
    ) -> tuple[tuple[Condition, ...], Count]:
        """Delete conditions of a rule for a class, one by one, as long as `choose` names one."""
        wrong = self.target.codes != code
        wrong_bits = packed(wrong)
        kept = list(conditions)
        bits = ~np.array([self.holds(condition) for condition in kept], np.uint64).reshape(
            -1, len(wrong_bits)
        )
        failing = [self._mask(each) for each in bits]
        fails: npt.NDArray[Any] = np.zeros(self.n_rows, np.uint8 if len(kept) < 256 else np.int32)
        for fail in failing:
            fails += fail
        while True:
            matching = fails == 0
            now = Count(self.weigh(matching), self.weigh(matching & wrong))
            if not kept:
                return (), now
            if self.target.weights is None:
                added = _count_each(bits & packed(fails == 1), wrong_bits)
            else:
                added = self._weigh_each(failing, np.flatnonzero(fails == 1), wrong)
            without = [Count(now.weight + more.weight, now.errors + more.errors) for more in added]
            place = choose(now, without)
            if place is None:
                return tuple(kept), now
            fails -= failing.pop(place)
            bits = np.delete(bits, place, axis=0)
            del kept[place]

    def _weigh_each(self, failing: list[Mask], nearly: npt.NDArray[np.intp], wrong: Mask) -> list[Count]:
        """For each condition, weigh the rows that fail it, among those that fail only one."""
        alone = [nearly[fail[nearly]] for fail in failing]
        return [Count(self.weigh(rows), self.weigh(rows[wrong[rows]])) for rows in alone]

    def _mask(self, bits: Bits) -> Mask:
        return np.unpackbits(bits.view(np.uint8), count=self.n_rows).view(np.bool_)


def packed(mask: Mask) -> Bits:
    """Return a mask as bits, padded with zeros to whole words."""
    words = np.zeros(-(-len(mask) // 64), np.uint64)
    words.view(np.uint8)[: -(-len(mask) // 8)] = np.packbits(mask)
    return words


def _count_each(rules: Bits, wrong: Bits) -> list[Count]:
    """Count the rows of each of several rules, and the wrong ones among them."""
    pairs = zip(bit_counts(rules).tolist(), bit_counts(rules & wrong).tolist(), strict=True)
    return [Count(*pair) for pair in pairs]


def bit_counts(words: Bits) -> Floats:
    """Return how many bits are set in each row of a matrix."""
    counts = np.bitwise_count(words) if hasattr(np, "bitwise_count") else _BYTE_COUNTS[words.view(np.uint8)]
    return np.asarray(counts.sum(axis=1, dtype=np.float64))
