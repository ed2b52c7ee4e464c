"""What one condition of a rule asks of one cell: a number in an interval, a category in a set, or a missing cell.

A condition says for every cell whether it passes, missing ones and categories that training never saw included. Two
conditions on one feature can be merged into one that passes the very same cells:

    Milk <= 0.6   and   Milk > 0.3                       0.3 < Milk <= 0.6
    Outlook in {Rain, Sunny}   and   Outlook = Rain      Outlook = Rain
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Schema
from branchwork.table.table import MISSING, UNSEEN
from branchwork.tree.split import category, group_text, harmless, number, rare_together

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Interval:
    """A numeric condition: above < x <= upto; None is no limit. `missing`: does a missing cell pass?"""

    feature: int
    above: float | None = None
    upto: float | None = None
    missing: bool = False

    def passes(self, cells: npt.NDArray[Any]) -> Mask:
        """Which cells of a column pass."""
        numbers = cells.astype(np.float64, copy=False)
        known = ~np.isnan(numbers)
        passing = known.copy()
        if self.above is not None:
            passing &= numbers > self.above
        if self.upto is not None:
            passing &= numbers <= self.upto
        return passing | ~known if self.missing else passing

    def merge(self, other: Interval) -> Interval:
        """The condition that passes what both pass."""
        above = [limit for limit in (self.above, other.above) if limit is not None]
        upto = [limit for limit in (self.upto, other.upto) if limit is not None and limit < math.inf]
        return Interval(
            self.feature,
            max(above) if above else None,
            min(upto) if upto else None,
            self.missing and other.missing,
        )

    def strict(self) -> Interval:
        """The same for known cells; a missing cell does not pass."""
        return replace(self, missing=False)

    def is_implied(self, schema: Schema) -> bool:
        """Does every cell pass?"""
        return self.missing and self.above is None and self.upto in (None, math.inf)

    def is_impossible(self) -> bool:
        """Does no cell pass?"""
        return not self.missing and self._no_number()

    def _no_number(self) -> bool:
        if self.above is None:
            return False
        return self.above == math.inf or (self.upto is not None and self.above >= self.upto)

    def describe(self, schema: Schema, *, missing: bool = False) -> str:
        """The condition in words; `missing` adds whether a missing cell passes."""
        name = harmless(schema[self.feature].name)
        if self._no_number():
            return f"{name} is missing" if self.missing else f"{name} is impossible"
        below = None if self.upto in (None, math.inf) else number(float(self.upto or 0))
        if self.above is None:
            known = f"{name} is known" if below is None else f"{name} <= {below}"
        elif below is None:
            known = f"{name} > {number(self.above)}"
        else:
            known = f"{number(self.above)} < {name} <= {below}"
        return f"{known} (or missing)" if missing and self.missing else known

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """The condition as plain data."""
        name = schema[self.feature].name
        return {"feature": name, "above": self.above, "upto": self.upto, "missing": self.missing}


@dataclass(frozen=True)
class Among:
    """A nominal condition: the category's code is one of these. Does a missing cell pass, or a category never seen?"""

    feature: int
    codes: tuple[int, ...]
    missing: bool = False
    unseen: bool = False

    def passes(self, cells: npt.NDArray[Any]) -> Mask:
        """Which cells of a column pass."""
        largest = max((int(cells.max(initial=0)), *self.codes))
        passing = np.zeros(largest + 1 - UNSEEN, np.bool_)  # the codes from UNSEEN up
        passing[[code - UNSEEN for code in self.codes]] = True
        passing[[MISSING - UNSEEN, 0]] = self.missing, self.unseen
        return np.asarray(passing[cells - UNSEEN])

    def merge(self, other: Among) -> Among:
        """The condition that passes what both pass."""
        both = set(other.codes)
        codes = tuple(code for code in self.codes if code in both)
        return Among(self.feature, codes, self.missing and other.missing, self.unseen and other.unseen)

    def strict(self) -> Among:
        """The same for known cells; a missing cell, or a category never seen, does not pass."""
        return replace(self, missing=False, unseen=False)

    def is_implied(self, schema: Schema) -> bool:
        """Does every cell pass?"""
        return self.missing and self.unseen and len(self.codes) == len(schema[self.feature].categories)

    def is_impossible(self) -> bool:
        """Does no cell pass?"""
        return not (self.codes or self.missing or self.unseen)

    def describe(self, schema: Schema, *, missing: bool = False) -> str:
        """The condition in words; `missing` adds whether a missing cell passes."""
        name = harmless(schema[self.feature].name)
        column = schema[self.feature]
        values = rare_together(self.values(schema), column)
        if not values:
            also = [word for word, passes in (("missing", self.missing), ("new", self.unseen)) if passes]
            return f"{name} is {' or '.join(also) or 'impossible'}"
        if len(values) == 1:
            known = f"{name} = {harmless(category(values[0]))}"
        elif len(self.codes) == len(column.categories):
            known = f"{name} is known"
        else:
            known = f"{name} in {{{harmless(group_text(values))}}}"
        return f"{known} (or missing)" if missing and self.missing else known

    def values(self, schema: Schema) -> tuple[Hashable, ...]:
        """The categories that pass."""
        return tuple(schema[self.feature].categories[code] for code in self.codes)

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """The condition as plain data."""
        name = schema[self.feature].name
        return {"feature": name, "values": list(self.values(schema)), "missing": self.missing}


Condition = Interval | Among


def merged(one: Condition, other: Condition) -> Condition:
    """Two conditions on one feature as one."""
    if isinstance(one, Interval) and isinstance(other, Interval):
        return one.merge(other)
    assert isinstance(one, Among) and isinstance(other, Among), "a column is numeric or nominal"
    return one.merge(other)
