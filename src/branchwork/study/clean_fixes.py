"""Fix single columns: each fix is a function from a table to a table that uses nothing but its options.

A fix with the same options therefore does the same to the table it was made for and to new rows. The names of the
functions are the names of the fixes; their keywords are the options.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, shown
from branchwork.study.look_find_spelling import spelling_key
from branchwork.table.csv_records import SPACES
from branchwork.table.decimal_comma import check_decimal, parse_either
from branchwork.table.schema import Column, category_key
from branchwork.table.table import MISSING, Table, read_only, sort_values
from branchwork.table.text_cells import parse_number

Floats = npt.NDArray[np.float64]
Limit = float | None


@dataclass(frozen=True, eq=False)
class Change:
    """A changed table, how many cells or columns were changed, and what happened to them."""

    table: Table
    count: int
    what: str


def drop_column(table: Table, column: str) -> Change:
    """Drop a column. A table without this column, such as new rows, stays as it is."""
    if column not in table.schema.names:
        return Change(table, 0, "columns dropped")
    if len(table.schema) == 1:
        raise DataError(
            f"drop_column: {column!r} is the only column of the table; expected one more to stay."
        )
    return Change(table.drop(column), 1, "columns dropped")


def blank_values(table: Table, column: str, *, values: Sequence[Any]) -> Change:
    """Make cells with one of these values missing: -999, or "?"."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise ParameterError(f"blank_values: values={shown(values)}; expected a list of at least one value.")
    place = table.schema.index(column)
    one, cells = table.schema[place], table.arrays[place]
    if one.is_nominal:
        gone = {category_key(value) for value in values}
        return _renamed(
            table,
            place,
            [None if category_key(c) in gone else c for c in one.categories],
            "cells became missing",
        )
    known = np.asarray(cells, np.float64)
    return _blanked(
        table, place, known, np.isin(known, [_as_number("blank_values", value) for value in values])
    )


def blank_outside(table: Table, column: str, *, low: Limit = None, high: Limit = None) -> Change:
    """Make numbers below `low` or above `high` missing."""
    place, cells = _numbers("blank_outside", table, column)
    return _blanked(table, place, cells, _outside("blank_outside", cells, low, high))


def flag_outside(table: Table, column: str, *, low: Limit = None, high: Limit = None) -> Change:
    """Add a column that says "yes" where a number is below `low` or above `high`, and leave the numbers as they are."""
    _, cells = _numbers("flag_outside", table, column)
    codes = _outside("flag_outside", cells, low, high).astype(np.int32)
    codes[np.isnan(cells)] = MISSING
    flag = Column(f"{column} out of range", "nominal", ("no", "yes"), declared=True)
    return Change(added(table, flag, codes), int(np.count_nonzero(codes == 1)), "cells flagged")


def to_number(table: Table, column: str, *, decimal: str = ".") -> Change:
    """Turn a column of categories into numbers; text that is not a number becomes missing.

    `decimal=","` reads numbers with decimal commas, too.
    """
    commas = check_decimal(decimal) == ","
    place = table.schema.index(column)
    one, codes = table.schema[place], table.arrays[place]
    if not one.is_nominal:
        return Change(table, 0, "cells became missing")
    parsed = [_parsed(value, commas) for value in one.categories]
    value_of = np.array([np.nan, *(np.nan if value is None else value for value in parsed)])
    lost = np.array([False, *(value is None for value in parsed)])
    at = np.maximum(codes, MISSING) + 1
    changed = replaced(table, place, Column(column, "numeric"), value_of[at])
    return Change(changed, int(np.count_nonzero(lost[at])), "cells became missing, all others numbers")


def one_unit(table: Table, column: str, *, factor: Any, above: Limit = None, below: Limit = None) -> Change:
    """Divide numbers larger in size than `above` by the factor, or multiply those smaller than `below` by it."""
    place, given = _numbers("one_unit", table, column)
    if not isinstance(factor, numbers.Real) or not 0 < float(factor) < math.inf:
        raise ParameterError(f"one_unit: factor={shown(factor)}; expected a number above 0.")
    if (above is None) == (below is None):
        raise ParameterError(
            "one_unit: give either above= or below=, the size at which the other unit begins."
        )
    cells = given.copy()
    size = np.abs(cells)
    if above is not None:
        other = (size > _as_number("one_unit", above)) & np.isfinite(size)
        cells[other] /= float(factor)
    else:
        other = (size < _as_number("one_unit", below)) & (size > 0)
        cells[other] *= float(factor)
    changed = replaced(table, place, Column(column, "numeric"), cells)
    return Change(changed, int(np.count_nonzero(other)), f"cells scaled by {float(factor):g}")


def merge_spellings(table: Table, column: str, *, spellings: Any) -> Change:
    """Replace spellings of categories: a mapping of each spelling to the intended one.

    A spelling that is not listed is also corrected if it differs from an intended one only in case, white space or
    Unicode form.
    """
    place = _nominal("merge_spellings", table, column)
    meant = mapping_of("merge_spellings", "spellings", spellings)
    by_key = {spelling_key(value): value for value in meant.values()}
    known = {*meant, *meant.values()}
    names = [
        meant.get(value, value) if value in known else by_key.get(spelling_key(value), value)
        for value in table.schema[place].categories
    ]
    return _renamed(table, place, names, "cells rewritten")


def group_levels(table: Table, column: str, *, groups: Any, others: str | None = None) -> Change:
    """Replace categories by their group: a mapping of category to group, or of group to a list of categories.

    Categories in no group stay as they are, or become `others`.
    """
    place = _nominal("group_levels", table, column)
    group_of = _inverted(mapping_of("group_levels", "groups", groups))
    names = [
        group_of.get(value, value if others is None else others) for value in table.schema[place].categories
    ]
    return _renamed(table, place, names, "cells grouped")


# ---- parts -------------------------------------------------------------------------------------------------


def replaced(table: Table, place: int, column: Column, cells: npt.NDArray[Any]) -> Table:
    """Return the table with one column replaced."""
    arrays = list(table.arrays)
    arrays[place] = read_only(cells)
    return Table(table.schema.with_column(place, column), tuple(arrays))


def added(table: Table, column: Column, cells: npt.NDArray[Any]) -> Table:
    """Return the table with one more column at its end."""
    schema = replace(table.schema, columns=(*table.schema.columns, column))
    return Table(schema, (*table.arrays, read_only(cells)))


def mapping_of(fix: str, option: str, given: Any) -> dict[Any, Any]:
    """Return a mapping, which may be given as a list of pairs (as JSON keeps it)."""
    try:
        found = dict(given)
    except (TypeError, ValueError):
        found = {}
    if not found:
        raise ParameterError(f"{fix}: {option}={shown(given)}; expected a mapping with at least one entry.")
    return found


def _inverted(groups: Mapping[Hashable, Any]) -> dict[Hashable, Hashable]:
    """Return a mapping of category to group, whichever way it was given; a category in two groups is an error."""
    lists = (list, tuple, set, frozenset)
    if not any(isinstance(value, lists) for value in groups.values()):
        return dict(groups)
    found: dict[Hashable, Hashable] = {}
    for group, members in groups.items():
        for member in members if isinstance(members, lists) else [members]:
            if member in found:
                raise ParameterError(
                    f"group_levels: {member!r} is in group {found[member]!r} and in {group!r}."
                )
            found[member] = group
    return found


def _renamed(table: Table, place: int, names: Sequence[Hashable | None], what: str) -> Change:
    """Give categories new names, of which several may be the same; None is missing."""
    column, codes = table.schema[place], table.arrays[place]
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = dict.fromkeys(
        name for k, name in enumerate(names) if name is not None and (counts[k] or column.declared)
    )
    categories = list(kept) if column.declared else sort_values(kept)
    code_of = {category_key(name): code for code, name in enumerate(categories)}
    new = [MISSING if name is None else code_of.get(category_key(name), MISSING) for name in names]
    cells = np.array([MISSING, *new], np.int32)[np.maximum(codes, MISSING) + 1]
    changed = sum(
        int(counts[k]) for k, name in enumerate(names) if name is None or name != column.categories[k]
    )
    found = replace(column, categories=tuple(categories), rare=())
    return Change(replaced(table, place, found, cells), changed, what)


def _blanked(table: Table, place: int, cells: Floats, gone: npt.NDArray[np.bool_]) -> Change:
    left = np.where(gone, np.nan, cells)
    changed = (
        replaced(table, place, Column(table.schema[place].name, "numeric"), left) if gone.any() else table
    )
    return Change(changed, int(np.count_nonzero(gone)), "cells became missing")


def _outside(fix: str, cells: Floats, low: Limit, high: Limit) -> npt.NDArray[np.bool_]:
    if low is None and high is None:
        raise ParameterError(f"{fix}: give low=, high= or both, the limits of what is reasonable.")
    outside = np.zeros(len(cells), bool)
    if low is not None:
        outside |= cells < _as_number(fix, low)
    if high is not None:
        outside |= cells > _as_number(fix, high)
    return outside


def _numbers(fix: str, table: Table, column: str) -> tuple[int, Floats]:
    """Return the position of a numeric column, and its cells.

    New rows may have no known cell in the column. Such a column can be read as categories, but it has none.
    """
    place = table.schema.index(column)
    cells = table.arrays[place]
    if not table.schema[place].is_nominal:
        return place, np.asarray(cells, np.float64)
    if (cells >= 0).any():
        raise DataError(f"{fix}: column {column!r} holds categories; expected numbers.")
    return place, np.full(len(cells), np.nan)


def _nominal(fix: str, table: Table, column: str) -> int:
    place = table.schema.index(column)
    if not table.schema[place].is_nominal:
        raise DataError(f"{fix}: column {column!r} holds numbers; expected categories.")
    return place


def _as_number(fix: str, value: Any) -> float:
    found = parse_number(value) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, numbers.Real) or math.isnan(found):
        raise ParameterError(f"{fix}: {shown(value)} is no number.")
    return float(found)


def _parsed(value: Any, commas: bool) -> float | None:
    if isinstance(value, str):
        return (parse_either if commas else parse_number)(value.strip(SPACES))
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    return float(value)
