"""Implement `bw.study.clean`: apply fixes by name, record them, and apply the same to new rows."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, did_you_mean, shown
from branchwork.study.clean_columns import COLUMN_FIXES
from branchwork.study.clean_fixes import Change
from branchwork.study.clean_rows import ROW_FIXES
from branchwork.study.look_at import look_at
from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_input import Given, Task, given, lenient_table
from branchwork.study.look_result import Look
from branchwork.table.shown import first_lines
from branchwork.table.table import Table
from branchwork.view.terminal import folded, terminal_width

Fixes = str | Fix | Finding | Look | Sequence[str | Fix | Finding]


def fix(name: str, column: str | None = None, **options: Any) -> Fix:
    """Make a fix for `clean`: its name, the column that it changes, and its options.

    - `drop_column(column)`
    - `blank_values(column, values=[…])`: these values become missing
    - `blank_outside(column, low=…, high=…)`: numbers outside become missing
    - `flag_outside(column, low=…, high=…)`: a new column says where numbers are outside
    - `to_number(column, decimal=".")`: texts that are no number become missing; `decimal=","` reads 12,5
    - `one_unit(column, factor=…, above=… or below=…)`: numbers in another unit are scaled
    - `merge_spellings(column, spellings={…})`: each spelling becomes the one that is meant
    - `group_levels(column, groups={…}, others=None)`: categories become their groups
    - `group_columns(groups={…}, how="any", keep=False)`: columns become one for each group
    - `date_parts(column, parts=[…], format=None, keep=False)`: dates become numbers; format="%d/%m/%Y"
      reads 29/02/2024
    - `lag(column, days=1, day=None, by=None)`: a new column has the value of the day before
    - `drop_duplicate_rows()`, `drop_contradictory_rows()`, `drop_missing_target()`: drop rows, but never new ones

    >>> print(fix("one_unit", "weight", factor=1000, above=500))
    one_unit('weight', factor=1000, above=500)
    """
    if name not in (*COLUMN_FIXES, *ROW_FIXES):
        known = [*COLUMN_FIXES, *ROW_FIXES]
        raise ParameterError(
            f"There is no fix {shown(name)}.{did_you_mean(str(name), known)} There are {', '.join(known)}."
        )
    wanted = _options_of(name)
    for option in options:
        if option not in wanted:
            hint = did_you_mean(option, wanted)
            listed = ", ".join(wanted) or "none"
            raise ParameterError(f"{name} has no option {option!r}.{hint} Its options: {listed}.")
    for option, parameter in wanted.items():
        if parameter.default is inspect.Parameter.empty and option not in options:
            raise ParameterError(f"{name} needs the option {option!r}.")
    takes_column = name in COLUMN_FIXES and name != "group_columns"
    if takes_column != isinstance(column, str):
        expected = "the name of a column" if takes_column else "no column"
        raise ParameterError(f"{name}: column={shown(column)}; expected {expected}.")
    return Fix(name, column, options)


def _options_of(name: str) -> dict[str, inspect.Parameter]:
    if name in ROW_FIXES:
        return {}
    parameters = inspect.signature(COLUMN_FIXES[name]).parameters
    return {key: one for key, one in parameters.items() if one.kind is inspect.Parameter.KEYWORD_ONLY}


@dataclass(frozen=True)
class Record:
    """What a fix did: how many cells, columns or rows it changed, and how: "cells became missing", "rows dropped"."""

    fix: Fix
    count: int
    what: str

    def __str__(self) -> str:
        """Show the fix and what it did."""
        things, _, done = self.what.partition(" ")
        return f"{self.fix}: {self.count} {things[:-1] if self.count == 1 else things} {done}"


def _lines(things: Iterable[object]) -> str:
    """Return a line for each thing; where a terminal is too narrow for one, it is continued between words."""
    return "\n".join(folded(str(one), terminal_width(), "    ") for one in things)


@dataclass(frozen=True)
class Cleaning:
    """Fixes in their order. They do the same to any table, because they use nothing but their options."""

    fixes: tuple[Fix, ...]

    def __str__(self) -> str:
        """Show one fix per line."""
        return _lines(self.fixes)

    def __repr__(self) -> str:
        """Show the first fixes."""
        return first_lines(str(self))

    def apply(self, X: Any) -> Table:
        """Return new rows, cleaned. Fixes that drop rows are skipped, because every new row needs a prediction."""
        table = lenient_table(X)
        for one in self.fixes:
            if one.name in COLUMN_FIXES:
                table = _changed(table, one).table
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the fixes as plain values that JSON can hold; mappings become lists of pairs."""
        return {"fixes": [{**one.to_dict(), "options": _plain(one.options)} for one in self.fixes]}

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> Cleaning:
        """Make a cleaning from what `to_dict` returned."""
        try:
            listed = [(one["name"], one["column"], dict(one["options"])) for one in given["fixes"]]
        except (KeyError, TypeError, ValueError):
            raise ParameterError(
                f"{shown(given)} is no cleaning; expected what Cleaning.to_dict() returns."
            ) from None
        return Cleaning(tuple(fix(name, column, **options) for name, column, options in listed))


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A cleaned table.

    Parameters
    ----------
    table : the features.
    y : the target, one cell for each row that is left; None if none was given.
    cleaning : the fixes; `cleaning.apply(new)` does the same to new rows.
    records : what each fix did.
    """

    table: Table
    y: npt.NDArray[Any] | None
    cleaning: Cleaning
    records: tuple[Record, ...]

    @property
    def X(self) -> Table:  # noqa: N802
        """The features, under the name that learners use."""
        return self.table

    def apply(self, X: Any) -> Table:
        """Return new rows, cleaned in the same way."""
        return self.cleaning.apply(X)

    def __str__(self) -> str:
        """Show what each fix did."""
        return _lines(self.records) or "Nothing was changed."

    def __repr__(self) -> str:
        """Show what the first fixes did."""
        return first_lines(str(self))


def clean(X: Any, y: Any = None, fixes: Fixes = "suggested", *, task: Task = "auto") -> Cleaned:
    """Apply fixes to a table, in their order, and record them.

    Parameters
    ----------
    X : a table in any container that `look` takes; or what `look` returned, to clean what it looked at.
    y : the target: one cell per row, or the name of a column of X.
    fixes : what to do. "suggested", or what `look` returned: the fixes that lose nothing about the target, but not
        those that `look` only proposes. The name of a fix: what `look` suggests or proposes under this name. Otherwise
        findings, fixes made by `bw.study.fix`, or a list of any of these.
    task : as in `look`.

    >>> import branchwork as bw
    >>> X = {"id": range(40), "size": [-999, *(float(k % 17) for k in range(39))]}
    >>> done = bw.study.clean(X, fixes="suggested")
    >>> done
    drop_column('id'): 1 column dropped
    blank_values('size', values=[-999.0]): 1 cell became missing
    >>> done.apply({"id": [7, 8], "size": [3.0, -999]}).column("size")
    [3.0, None]
    """
    if isinstance(y, Fix | Finding | Look) or (isinstance(y, list) and y and isinstance(y[0], Fix | Finding)):
        raise ParameterError(
            "y is the target, but fixes were given for it. Say clean(X, y, fixes) or clean(X, fixes=…)."
        )
    seen = X if isinstance(X, Look) else None
    found = seen.given if seen is not None else given(X, y)
    steps = _listed(fixes, found, seen, task)
    records = []
    for one in steps:
        if one.name in ROW_FIXES:
            stays = ROW_FIXES[one.name](found, task)
            if not stays.any():
                raise DataError(f"{one.name}: no row would be left; expected at least one.")
            records.append(Record(one, int(np.count_nonzero(~stays)), "rows dropped"))
            found = found.take(stays) if not stays.all() else found
        else:
            change = _changed(found.table, one)
            records.append(Record(one, change.count, change.what))
            found = Given(change.table, found.column, found.cells)
    return Cleaned(found.table, _target_cells(found), Cleaning(tuple(steps)), tuple(records))


def _changed(table: Table, one: Fix) -> Change:
    return COLUMN_FIXES[one.name](table, one.column, **one.options)


def _listed(fixes: Any, found: Given, seen: Look | None, task: Task) -> list[Fix]:
    """Return the requested fixes; for a name alone, the fixes of that name that `look` suggests."""
    if isinstance(fixes, Look):
        fixes = [one for one in fixes.findings if one.default]
    items: list[Any] = [fixes] if isinstance(fixes, str | Fix | Finding) else list(_iterable(fixes))
    suggested: Sequence[Finding] | None = None if seen is None else seen.findings
    steps: list[Fix] = []
    for item in items:
        if isinstance(item, Finding):
            item = item.fix
        if isinstance(item, Fix):
            steps.append(fix(item.name, item.column, **item.options))
            continue
        if not isinstance(item, str):
            raise ParameterError(
                f"fixes has {shown(item)}; expected names of fixes, findings, or bw.study.fix(…)."
            )
        if item in ROW_FIXES:
            steps.append(Fix(item))
            continue
        if suggested is None:
            suggested = look_at(found, task=task).findings
        steps += _named(item, suggested)
    return _once(steps)


def _named(name: str, suggested: Sequence[Finding]) -> list[Fix]:
    if name == "suggested":
        return [one.fix for one in suggested if one.default]
    if name not in COLUMN_FIXES:
        fix(name)  # says which there are
    chosen = [one.fix for one in suggested if one.fix.name == name]
    if not chosen:
        raise ParameterError(
            f"look suggests no {name} for this table. To apply it all the same, say where and how: "
            f"bw.study.fix({name!r}, …)."
        )
    return chosen


def _once(steps: Iterable[Fix]) -> list[Fix]:
    """Leave out repeated fixes: two findings may suggest to drop the same column."""
    found: list[Fix] = []
    for one in steps:
        if one not in found:
            found.append(one)
    return found


def _iterable(fixes: Any) -> Iterable[Any]:
    if not isinstance(fixes, Iterable):
        raise ParameterError(f"fixes={shown(fixes)}; expected names of fixes, findings, or bw.study.fix(…).")
    return fixes


def _target_cells(found: Given) -> npt.NDArray[Any] | None:
    """Return the target as an array: numbers, or labels as objects (None is missing)."""
    if found.column is None or found.cells is None:
        return None
    if not found.column.is_nominal:
        return np.array(found.cells)
    labels = np.array([None, *found.column.categories], dtype=object)
    return np.asarray(labels[np.maximum(found.cells, -1) + 1])


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [list(pair) for pair in value.items()] if isinstance(value, Mapping) else value
        for name, value in options.items()
    }
