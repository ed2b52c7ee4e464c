"""Turn dates in text into their parts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Hashable
from typing import Any

PARTS: dict[str, Callable[[datetime.datetime], int]] = {
    "year": lambda date: date.year,
    "quarter": lambda date: (date.month - 1) // 3 + 1,
    "month": lambda date: date.month,
    "week": lambda date: date.isocalendar().week,
    "day": lambda date: date.day,
    "day_of_year": lambda date: date.timetuple().tm_yday,
    "weekday": lambda date: date.isoweekday(),
    "hour": lambda date: date.hour,
    "minute": lambda date: date.minute,
    "day_number": lambda date: date.toordinal(),
}
"""Parts of a date: weekdays go from Monday, 1, to Sunday, 7; day numbers are counted from 1 January of year 1."""

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")


def parse_date(value: Hashable | Any) -> datetime.datetime | None:
    """Return the date of a text such as YYYY-MM-DD, with or without a time, or None if it is not a date.

    >>> parse_date("2024-02-29"), parse_date("2024-02-30"), parse_date("7 May")
    (datetime.datetime(2024, 2, 29, 0, 0), None, None)
    """
    if not isinstance(value, str) or not _ISO.fullmatch(value.strip()):
        return None
    try:
        return datetime.datetime.fromisoformat(value.strip())
    except ValueError:
        return None
