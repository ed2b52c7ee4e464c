"""What a condition of a rule requires of a value: a number in an interval, a category in a set, or a missing value.

A condition says for every value whether it passes, including missing values and unseen categories. Two conditions on
one feature can be merged into one that passes the same values:

    Milk <= 0.6   and   Milk > 0.3                       0.3 < Milk <= 0.6
    Outlook in {Rain, Sunny}   and   Outlook = Rain      Outlook = Rain
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Schema
from branchwork.table.table import MISSING, UNSEEN, Table
from branchwork.tree.split import harmless, in_group, number, or_missing, rare_together

Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp] | slice
EVERY_ROW = slice(None)


@dataclass(frozen=True)
class Interval:
    """A numeric condition: above < x <= upto; None is no limit. `missing`: whether a missing value passes.

    `named` in either kind of condition: training rows with a missing value passed, so its words say so.
    """

    feature: int
    above: float | None = None
    upto: float | None = None
    missing: bool = False
    named: bool = field(default=False, compare=False)

    def holds(self, table: Table, rows: Positions) -> Mask:
        """Return for which of some rows of a coded table it holds."""
        return self.passes(table.arrays[self.feature][rows])

    def passes(self, cells: npt.NDArray[Any]) -> Mask:
        """Return which values of a column pass."""
        numbers = cells.astype(np.float64, copy=False)
        known = ~np.isnan(numbers)
        passing = known.copy()
        if self.above is not None:
            passing &= numbers > self.above
        if self.upto is not None:
            passing &= numbers <= self.upto
        return passing | ~known if self.missing else passing

    def merge(self, other: Interval) -> Interval:
        """Return the condition that passes what both pass."""
        above = [limit for limit in (self.above, other.above) if limit is not None]
        upto = [limit for limit in (self.upto, other.upto) if limit is not None and limit < math.inf]
        return Interval(
            self.feature,
            max(above) if above else None,
            min(upto) if upto else None,
            self.missing and other.missing,
            self.named and other.named,
        )

    def strict(self) -> Interval:
        """Return the same condition for known values; a missing value does not pass."""
        return replace(self, missing=False, named=False)

    def is_implied(self, schema: Schema) -> bool:
        """Return whether every value passes."""
        return self.missing and self.above is None and self.upto in (None, math.inf)

    def is_impossible(self) -> bool:
        """Return whether no value passes."""
        return not self.missing and self._no_number()

    def _no_number(self) -> bool:
        if self.above is None:
            return False
        return self.above == math.inf or (self.upto is not None and self.above >= self.upto)

    def describe(self, schema: Schema, *, missing: bool = False, full: bool = False) -> str:
        """Return the condition in words; `missing` adds whether a missing value passes."""
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
        return _told(known, self, missing)

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Return the condition as plain data."""
        name = schema[self.feature].name
        return {"feature": name, "above": self.above, "upto": self.upto, "missing": self.missing}


@dataclass(frozen=True)
class Among:
    """A categorical condition: the code is one of these. Missing values and unseen categories pass or not."""

    feature: int
    codes: tuple[int, ...]
    missing: bool = False
    unseen: bool = False
    named: bool = field(default=False, compare=False)

    def holds(self, table: Table, rows: Positions) -> Mask:
        """Return for which of some rows of a coded table it holds."""
        return self.passes(table.arrays[self.feature][rows])

    def passes(self, cells: npt.NDArray[Any]) -> Mask:
        """Return which values of a column pass."""
        largest = max((int(cells.max(initial=0)), *self.codes))
        passing = np.zeros(largest + 1 - UNSEEN, np.bool_)  # the codes from UNSEEN up
        passing[[code - UNSEEN for code in self.codes]] = True
        passing[[MISSING - UNSEEN, 0]] = self.missing, self.unseen
        return np.asarray(passing[cells - UNSEEN])

    def merge(self, other: Among) -> Among:
        """Return the condition that passes what both pass."""
        both = set(other.codes)
        codes = tuple(code for code in self.codes if code in both)
        return Among(
            self.feature,
            codes,
            self.missing and other.missing,
            self.unseen and other.unseen,
            self.named and other.named,
        )

    def after(self, earlier: Among) -> Among:
        """Return the same condition, limited to the values that an earlier condition lets through."""
        let_through = set(earlier.codes)
        codes = tuple(code for code in self.codes if code in let_through)
        return self if len(codes) == len(self.codes) else replace(self, codes=codes)

    def strict(self) -> Among:
        """Return the same condition for known values; missing values and unseen categories do not pass."""
        return replace(self, missing=False, unseen=False, named=False)

    def is_implied(self, schema: Schema) -> bool:
        """Return whether every value passes."""
        return self.missing and self.unseen and len(self.codes) == len(schema[self.feature].categories)

    def is_impossible(self) -> bool:
        """Return whether no value passes."""
        return not (self.codes or self.missing or self.unseen)

    def describe(self, schema: Schema, *, missing: bool = False, full: bool = False) -> str:
        """Return the condition in words; `missing` adds whether a missing value passes, `full` names every category."""
        name = harmless(schema[self.feature].name)
        column = schema[self.feature]
        values = self.values(schema) if full else rare_together(self.values(schema), column)
        if not values:
            also = [word for word, passes in (("missing", self.missing), ("new", self.unseen)) if passes]
            return f"{name} is {' or '.join(also) or 'impossible'}"
        every = 1 < len(self.codes) == len(column.categories)
        known = f"{name} is known" if every else harmless(in_group(name, values, full=full))
        return _told(known, self, missing)

    def values(self, schema: Schema) -> tuple[Hashable, ...]:
        """Return the categories that pass."""
        return tuple(schema[self.feature].categories[code] for code in self.codes)

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Return the condition as plain data."""
        name = schema[self.feature].name
        return {"feature": name, "values": list(self.values(schema)), "missing": self.missing}


Plain = Interval | Among
"""What asks for one cell."""


def _told(known: str, condition: Plain, missing: bool) -> str:
    is_told = condition.missing and (missing or condition.named)
    return or_missing(known, among_others=True) if is_told else known


@dataclass(frozen=True)
class StandIn:
    """What is required of another feature if a value is not known: which of its values pass, and which do not.

    A value that does neither is not known either.
    """

    passing: Plain
    failing: Plain


@dataclass(frozen=True)
class WithSurrogates:
    """A condition of a tree that tests other features if a value is not known.

    Parameters
    ----------
    own : which values of its own feature pass, as in `StandIn`.
    stand_ins : the features that are tested one after the other until one of them has a known value.
    missing : whether a row passes if none of these values is known.
    """

    own: StandIn
    stand_ins: tuple[StandIn, ...]
    missing: bool

    @property
    def feature(self) -> int:
        """Return the feature that is tested first."""
        return self.own.passing.feature

    def holds(self, table: Table, rows: Positions) -> Mask:
        """Return for which of some rows of a coded table it holds."""
        passing = np.zeros(len(table.arrays[self.feature][rows]), np.bool_)
        left = ~passing
        for asked in (self.own, *self.stand_ins):
            passing |= left & asked.passing.holds(table, rows)
            left &= ~(asked.passing.holds(table, rows) | asked.failing.holds(table, rows))
        return passing | left if self.missing else passing

    def strict(self) -> Plain:
        """Return what it requires of known values of its own feature."""
        return self.own.passing.strict()

    def is_implied(self, schema: Schema) -> bool:
        """Return whether every row passes. The condition divides the rows of a node in two, so no."""
        return False

    def is_impossible(self) -> bool:
        """Return whether no row passes. The condition divides the rows of a node in two, so no."""
        return False

    def describe(self, schema: Schema, *, missing: bool = False, full: bool = False) -> str:
        """Return the condition in words, with the first surrogate; `missing` or `full` names all of them."""
        own = self.own.passing.describe(schema, full=full)
        others = [other.passing.describe(schema, full=full) for other in self.stand_ins]
        if missing or full:
            others.append("this way" if self.missing else "not this way")
        elif len(others) > 1:
            others = [others[0], f"… {len(others) - 1} more"]
        elif not others:
            return or_missing(own, among_others=True) if self.missing else own
        return f"{own} (if missing: {', else '.join(others)})"

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Return the condition as plain data; `missing`: whether a row without any of these values passes."""
        others = [other.passing.to_dict(schema) for other in self.stand_ins]
        return {**self.own.passing.to_dict(schema), "missing": self.missing, "surrogates": others}


Condition = Interval | Among | WithSurrogates


def merged(one: Plain, other: Plain) -> Plain:
    """Return two conditions on one feature as one."""
    if isinstance(one, Interval) and isinstance(other, Interval):
        return one.merge(other)
    assert isinstance(one, Among) and isinstance(other, Among), "a column is numeric or nominal"
    return one.merge(other)
