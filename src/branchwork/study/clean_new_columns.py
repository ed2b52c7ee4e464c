"""Make new columns: parts of a date, the value of an earlier day, and groups of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, did_you_mean, shown
from branchwork.study.clean_dates import PARTS, parse_date
from branchwork.study.clean_fixes import Change, added, mapping_of
from branchwork.table.schema import Column
from branchwork.table.table import MISSING, Table

Floats = npt.NDArray[np.float64]

YES = frozenset({"yes", "y", "true", "t", "x", "1"})
NO = frozenset({"no", "n", "false", "f", "0", ""})
"""Words for yes, and words for no."""
WAYS = ("any", "sum", "max", "mean")


def date_parts(
    table: Table,
    column: str,
    *,
    parts: Sequence[str] = ("year", "month", "day", "weekday"),
    format: str | None = None,  # noqa: A002  # it is called so in pandas, too
    keep: bool = False,
) -> Change:
    """Replace dates by columns of numbers, such as year, month, day and weekday.

    `format` is the form of the dates, as in `datetime.strptime`; None: YYYY-MM-DD, perhaps with a time. Text that is
    not a date is missing in all of the columns. `keep=True` keeps the dates, too.
    """
    if format is not None and not (isinstance(format, str) and "%" in format):
        raise ParameterError(
            f"date_parts: format={shown(format)}; expected a form such as '%d/%m/%Y' for 29/02/2024."
        )
    wanted = [parts] if isinstance(parts, str) else list(parts)
    for part in wanted:
        if part not in PARTS:
            hint = did_you_mean(str(part), PARTS)
            raise ParameterError(
                f"date_parts: {part!r} is no part of a date.{hint} Expected some of {', '.join(PARTS)}."
            )
    place = table.schema.index(column)
    dates, codes = _dates("date_parts", table, place, format)
    found = table if keep else table.drop(column)
    for part in wanted:
        values = [np.nan if date is None else float(PARTS[part](date)) for date in dates]
        cells = np.array([np.nan, *values])[np.maximum(codes, MISSING) + 1]
        found = added(found, Column(f"{column} {part}", "numeric"), cells)
    return Change(found, len(wanted), "columns added")


def lag(table: Table, column: str, *, days: int = 1, day: str | None = None, by: str | None = None) -> Change:
    """Add the value of a column some days before; missing where there is no such row.

    Parameters
    ----------
    days : how many days before.
    day : the column with the day of each row: dates, or integers. Without one, each row is one day.
    by : a column that separates series, such as patients or places: each value has days of its own.
    """
    if isinstance(days, bool) or not isinstance(days, int) or days < 1:
        raise ParameterError(f"lag: days={shown(days)}; expected a whole number above 0.")
    place = table.schema.index(column)
    group = np.zeros(table.n_rows, np.int64) if by is None else _codes(table, by)
    at = _running_number(group) if day is None else _day_numbers(table, day)
    earlier = _rows_before(group, at, days, day, by)
    cells = np.asarray(table.arrays[place])
    if table.schema[place].is_nominal:
        moved = np.where(earlier < 0, np.int32(MISSING), cells[earlier])
    else:
        moved = np.where(earlier < 0, np.nan, cells[earlier].astype(np.float64))
    name = f"{column} {days} day{'s' * (days > 1)} before"
    found = added(table, replace(table.schema[place], name=name), moved)
    return Change(found, 1, f"columns added; {int(np.count_nonzero(earlier < 0))} rows have no earlier one")


def group_columns(
    table: Table, column: None = None, *, groups: Any, how: str = "any", keep: bool = False
) -> Change:
    """Replace columns by one for each group, such as foods by their ingredients.

    Parameters
    ----------
    groups : a mapping of group to the list of its columns, or of column to its group or groups. A column may
        be in several.
    how : "any" (1 if something is there in one of the columns, else 0), "sum", "max" or "mean" of their numbers.
    keep : whether to keep the original columns.
    """
    if how not in WAYS:
        raise ParameterError(
            f"group_columns: how={shown(how)}; expected one of {', '.join(map(repr, WAYS))}."
        )
    members = _members(mapping_of("group_columns", "groups", groups), table)
    grouped = dict.fromkeys(name for names in members.values() for name in names)
    found = table if keep else table.drop(list(grouped))
    for group, names in members.items():
        cells = np.column_stack([_amounts(table, name) for name in names])
        found = added(found, Column(str(group), "numeric"), _combined(cells, how))
    return Change(found, len(members), "columns added")


# ---- dates and days ----------------------------------------------------------------------------------------


def _dates(
    fix: str, table: Table, place: int, form: str | None = None
) -> tuple[list[Any], npt.NDArray[np.int32]]:
    """Return the date of each category, and the codes."""
    column, codes = table.schema[place], table.arrays[place]
    wanted = "dates such as 2024-02-29" if form is None else f"dates in the form {form!r}"
    if not column.is_nominal:
        if np.isnan(np.asarray(codes, np.float64)).all():
            return [], np.full(len(codes), MISSING, np.int32)
        raise DataError(f"{fix}: column {column.name!r} holds numbers; expected {wanted}.")
    dates = [parse_date(value, form) for value in column.categories]
    if (codes >= 0).any() and not any(dates):
        raise DataError(f"{fix}: column {column.name!r} holds {column.categories[0]!r}; expected {wanted}.")
    return dates, codes


def _day_numbers(table: Table, day: str) -> Floats:
    """Return the number of each row's day; NaN if it is missing."""
    place = table.schema.index(day)
    if not table.schema[place].is_nominal:
        cells = np.asarray(table.arrays[place], np.float64)
        odd = np.flatnonzero((cells != np.floor(cells)) & np.isfinite(cells))
        if odd.size:
            raise DataError(f"lag: column {day!r}, row {odd[0]}: {cells[odd[0]]} is no whole number of days.")
        return np.where(np.isfinite(cells), cells, np.nan)
    dates, codes = _dates("lag", table, place)
    numbers = [np.nan if date is None else float(date.toordinal()) for date in dates]
    return np.asarray(np.array([np.nan, *numbers])[np.maximum(codes, MISSING) + 1])


def _codes(table: Table, by: str) -> npt.NDArray[np.int64]:
    """Return a code for each value of a column; rows where it is missing have -1."""
    place = table.schema.index(by)
    cells = table.arrays[place]
    if table.schema[place].is_nominal:
        return np.asarray(np.maximum(cells, -1), np.int64)
    numbers = np.asarray(cells, np.float64)
    found = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    found[np.isnan(numbers)] = -1
    return found


def _running_number(group: npt.NDArray[np.int64]) -> Floats:
    """Count the rows of each group."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=np.int64(-2)))
    number = np.empty(len(group))
    number[order] = np.arange(len(group)) - np.repeat(starts, np.diff(starts, append=len(group)))
    return number


def _rows_before(
    group: npt.NDArray[np.int64], at: Floats, days: int, day: str | None, by: str | None
) -> npt.NDArray[np.intp]:
    """Return the row of the same group this many days before each row; -1 if there is none."""
    usable = np.flatnonzero(np.isfinite(at) & (group >= 0))
    order = usable[np.lexsort((at[usable], group[usable]))]
    same = (group[order][1:] == group[order][:-1]) & (at[order][1:] == at[order][:-1])
    if same.any():
        k = int(np.argmax(same))
        one, other = sorted((int(order[k]), int(order[k + 1])))
        hint = "" if by else " If the table has several places or people, name their column: by=…."
        raise DataError(f"lag: rows {one} and {other} are of the same day in column {day!r}.{hint}")
    row_of = {(int(g), float(d)): int(row) for g, d, row in zip(group[order], at[order], order, strict=True)}
    found = np.full(len(group), -1, np.intp)
    for row in usable.tolist():
        found[row] = row_of.get((int(group[row]), float(at[row]) - days), -1)
    return found


# ---- groups of columns -------------------------------------------------------------------------------------


def _members(groups: Mapping[Any, Any], table: Table) -> dict[Any, list[str]]:
    """Return a mapping of group to columns, whichever way it was given."""
    is_list = [isinstance(value, list | tuple | set | frozenset) for value in groups.values()]
    names = set(table.schema.names)
    by_column = all(key in names for key in groups)
    found: dict[Any, list[str]] = {}
    if by_column and not (all(is_list) and all(set(value) <= names for value in groups.values())):
        for column, owners in groups.items():
            for owner in owners if isinstance(owners, list | tuple | set | frozenset) else [owners]:
                found.setdefault(owner, []).append(column)
    else:
        found = {
            group: list(value) if many else [value]
            for (group, value), many in zip(groups.items(), is_list, strict=True)
        }
    for group, columns in found.items():
        if not columns:
            raise ParameterError(f"group_columns: the group {group!r} has no columns; expected at least one.")
        for name in columns:
            table.schema.index(name)  # the error about an unknown name suggests a similar one
    return found


def _amounts(table: Table, name: str) -> Floats:
    """Return a column as numbers; for categories, 1 for yes and 0 for no."""
    place = table.schema.index(name)
    column, cells = table.schema[place], table.arrays[place]
    if not column.is_nominal:
        return np.asarray(cells, np.float64)
    values = []
    for value in column.categories:
        word = str(value).strip().casefold()
        if word not in YES | NO:
            raise DataError(
                f"group_columns: column {name!r} holds {value!r}; expected numbers, or words such as yes and no."
            )
        values.append(float(word in YES))
    return np.asarray(np.array([np.nan, *values])[np.maximum(cells, MISSING) + 1])


def _combined(cells: Floats, how: str) -> Floats:
    """Combine the columns of a matrix; a missing cell makes the result missing unless the other cells decide it."""
    missing = np.isnan(cells).any(axis=1)
    known = np.nan_to_num(cells, nan=0.0)
    if how == "any":
        there = (known != 0).any(axis=1)
        return np.where(missing & ~there, np.nan, there.astype(np.float64))
    if how == "max":
        return np.asarray(cells.max(axis=1))
    return np.asarray(cells.sum(axis=1) if how == "sum" else cells.mean(axis=1))
