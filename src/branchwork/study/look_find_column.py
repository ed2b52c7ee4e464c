"""Find what is odd about the cells of one column: no cells, only names, numbers mixed with text …

Each function looks for one kind of finding and returns it, or None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from branchwork.study.clean_dates import date_forms, parse_date
from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Profile
from branchwork.table.decimal_comma import comma_texts
from branchwork.table.levels import FEW_LEVELS, LEAST_SHARE
from branchwork.table.mixed import FEWEST_NUMBERS, mixed_column
from branchwork.tree.split import category, number

MOST_ROWS = 5
"""The largest number of rows that a finding names."""
FEWEST_NUMBERED, FEWEST_KEYS = 10, 40
"""Columns with fewer rows are never taken for row numbers, or for other keys that are whole numbers."""
LEAST_DISTINCT = 0.98
"""Numbers are identifiers only if at least this share of them are different."""
DENSE = 3
"""A range with at most this many times as many integers as rows is taken for row numbers."""
LONG_NUMBERS = 10_000
"""Integers spread evenly over a range larger than this many times the rows are taken for random keys."""
EVENLY = 1.63
"""The 99 % quantile of Kolmogorov's statistic times √n, for evenly spread numbers."""
MISSING_WORDS = frozenset(
    {"?", "na", "n/a", "#n/a", "nan", "null", "nil", "missing", "not available", "no data", "-", "--", "."}
)
"""Texts that stand for a missing cell and hardly ever for anything else, in small letters."""
LEAST_DATES = 0.95
"""Columns of text in which at least this share of the different values are dates are columns of dates."""


def empty(profile: Profile) -> Finding | None:
    """Find a column without any known cell."""
    if profile.known:
        return None
    name = profile.column.name
    return Finding(
        "empty", name, f"Column {name!r} has no known cell.", Fix("drop_column", name), profile.n_rows
    )


def constant(profile: Profile) -> Finding | None:
    """Find a column whose known cells are all the same."""
    if profile.distinct != 1 or profile.infinite or profile.n_rows < 2:
        return None
    name = profile.column.name
    value = profile.values[0]
    shown = category(profile.category(int(value))) if profile.column.is_nominal else number(float(value))
    if profile.missing:
        message = f"Every known cell of column {name!r} is {shown}; {profile.missing} cells are missing."
    else:
        message = f"Every cell of column {name!r} is {shown}."
    found = Finding("constant", name, message, Fix("drop_column", name), profile.known)
    return found.on_request("a missing cell may mean something, such as no") if profile.missing else found


def identifier(profile: Profile) -> Finding | None:
    """Find a column that has almost as many values as rows, as names, keys and row numbers have."""
    reason = _names(profile) if profile.column.is_nominal else _keys(profile)
    if reason is None:
        return None
    name = profile.column.name
    message = f"Column {name!r} looks like an identifier: {reason}. A split on it remembers rows instead of learning."
    return Finding("identifier", name, message, Fix("drop_column", name), profile.known)


def _names(profile: Profile) -> str | None:
    """Find names, by the rule of `table/levels.py`."""
    if profile.distinct <= FEW_LEVELS or profile.distinct < LEAST_SHARE * profile.known:
        return None
    if _holds_dates(profile) or mixed(profile) is not None:
        return None
    return f"it has {profile.distinct} different values in {profile.known} cells"


def _keys(profile: Profile) -> str | None:
    """Find integers, nearly all different, that count the rows or were drawn at random."""
    n = profile.finite
    if n < FEWEST_NUMBERED or profile.distinct < LEAST_DISTINCT * n or not profile.are_integers:
        return None
    low, high = float(profile.values[0]), float(profile.values[-1])
    width = high - low + 1
    different = f"{profile.distinct} of {n} whole numbers are different"
    if width <= 1.1 * n or (width <= DENSE * n and profile.distinct == n >= FEWEST_KEYS):
        return f"{different}, and they fill the range from {number(low)} to {number(high)}"
    if profile.distinct == n == profile.n_rows >= FEWEST_KEYS and bool((np.diff(profile.cells) > 0).all()):
        return "its whole numbers grow from row to row"
    if width > LONG_NUMBERS * n and _is_even(profile, low, width):
        return f"{different}, and they are spread evenly from {number(low)} to {number(high)}"
    if re.search(r"(?i)(^|[ _.-])(id|uuid|key)$|(?-i:Id|ID)$", profile.column.name):
        return different
    return None


def _is_even(profile: Profile, low: float, width: float) -> bool:
    """Return whether the values look as if drawn evenly from their range (Kolmogorov's test)."""
    place = (profile.values - low + 0.5) / width
    rank = (np.arange(profile.distinct) + 0.5) / profile.distinct
    return float(np.abs(place - rank).max()) * math.sqrt(profile.distinct) < EVENLY


def _holds_dates(profile: Profile) -> bool:
    return bool(_is_iso(profile) or _forms(profile))


def _is_iso(profile: Profile) -> bool:
    """Return whether nearly all texts are dates such as 2024-02-29."""
    if not profile.column.is_nominal or not profile.distinct:
        return False
    some = profile.values[:: max(1, profile.distinct // 200)]  # a sample of 200 is enough
    found = sum(parse_date(profile.category(int(code))) is not None for code in some)
    return bool(found >= LEAST_DATES * len(some))


def _forms(profile: Profile) -> list[str]:
    """Return the other forms in which all texts are dates."""
    if not profile.column.is_nominal or profile.distinct < 2:
        return []
    return date_forms([profile.category(int(code)) for code in profile.values])


def dates(profile: Profile) -> Finding | None:
    """Find a column of text that holds dates."""
    if profile.distinct < 2 or not _holds_dates(profile):
        return None
    name = profile.column.name
    first = profile.category(int(profile.values[0]))
    message = f"Column {name!r} holds dates as text, such as {first!r}: a tree would see {profile.distinct} categories."
    parts: dict[str, Any] = {"parts": ["year", "month", "day", "weekday"]}
    if _is_iso(profile):
        return Finding("date", name, message, Fix("date_parts", name, parts))
    forms = _forms(profile)
    fix = Fix("date_parts", name, {**parts, "format": forms[0]})
    if len(forms) > 1:
        message += f" All cells are dates in the forms {' and '.join(map(repr, forms))}."
        return Finding("date", name, message, fix).on_request("day and month cannot be told apart")
    return Finding("date", name, message, fix).on_request(
        "the form is the only one that fits all cells, but a guess"
    )


def mixed(profile: Profile) -> Finding | None:
    """Find a column of numbers that decimal commas or a few texts turned into categories."""
    if not profile.column.is_nominal:
        return None
    if profile.distinct >= FEWEST_NUMBERS and (commas := comma_texts(profile.column)):
        return _decimal_commas(profile, commas)
    found = mixed_column(profile.column, profile.cells)
    if found is None:
        return None
    name = profile.column.name
    others = found.n_texts - 1
    also = f" and {others} more such cell{'s' * (others > 1)}" if others else ""
    message = (
        f"Column {name!r}, row {found.row}: {found.texts[0]!r} is no number{also}, but the other {found.n_numbers} "
        "known cells are. So every number is a category."
    )
    fix = Fix("to_number", name)
    return Finding("mixed", name, message, fix, found.n_texts, (found.row,))


def _decimal_commas(profile: Profile, texts: list[str]) -> Finding:
    name = profile.column.name
    message = f"Column {name!r} holds numbers with decimal commas, such as {texts[0]!r}. So every number is a category."
    fix = Fix("to_number", name, {"decimal": ","})
    return Finding("mixed", name, message, fix, profile.known)


def missing_word(profile: Profile) -> Finding | None:
    """Find categories that are words for a missing cell."""
    if not profile.column.is_nominal or mixed(profile) is not None:
        return None
    codes = [
        code
        for code in profile.values.tolist()
        if isinstance(text := profile.category(code), str) and text.strip().lower() in MISSING_WORDS
    ]
    if not codes or len(codes) == profile.distinct or profile.distinct <= 2:
        return None
    name = profile.column.name
    words = [profile.category(code) for code in codes]
    count = int(profile.counts[np.isin(profile.values, codes)].sum())
    cells = "1 cell" if count == 1 else f"{count} cells"
    message = f"Column {name!r} has {cells} with {words[0]!r}, which usually stands for a missing cell."
    rows = np.flatnonzero(np.isin(profile.cells, codes))[:MOST_ROWS]
    fix = Fix("blank_values", name, {"values": words})
    return Finding("missing_word", name, message, fix, count, tuple(rows.tolist()))


def infinite(profile: Profile) -> Finding | None:
    """Find infinite numbers."""
    if not profile.infinite:
        return None
    name = profile.column.name
    rows = np.flatnonzero(np.isinf(profile.cells))
    more = f" and {profile.infinite - 1} more" if profile.infinite > 1 else ""
    message = f"Column {name!r}, row {rows[0]}{more}: the number is infinite."
    fix = Fix("blank_values", name, {"values": ["inf", "-inf"]})
    return Finding("infinite", name, message, fix, profile.infinite, tuple(rows[:MOST_ROWS].tolist()))


FINDERS: tuple[Callable[[Profile], Finding | None], ...] = (
    empty,
    constant,
    identifier,
    dates,
    mixed,
    missing_word,
    infinite,
)
"""All functions of this file that look for a finding."""
