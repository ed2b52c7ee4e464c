"""Turn dates in text into their parts, and find out in which form they are written."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
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

DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%Y", "%d.%m.%y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d",
    "%Y.%m.%d", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
"""The forms in which days are often written, besides 2024-02-29, in the notation of `datetime.strptime`."""
TIMES = ("", " %H:%M", " %H:%M:%S")
"""What may stand behind a day."""
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")


def parse_date(value: Hashable | Any, form: str | None = None) -> datetime.datetime | None:
    """Return the date of a text, or None if it is not a date in this form.

    Parameters
    ----------
    form : as in `datetime.strptime`; None: YYYY-MM-DD, with or without a time.

    >>> parse_date("2024-02-29"), parse_date("2024-02-30"), parse_date("7 May")
    (datetime.datetime(2024, 2, 29, 0, 0), None, None)
    >>> parse_date("7.5.08", "%d.%m.%y")
    datetime.datetime(2008, 5, 7, 0, 0)
    """
    if not isinstance(value, str) or (form is None and not _ISO.fullmatch(value.strip())):
        return None
    try:
        text = value.strip()
        return (
            datetime.datetime.fromisoformat(text) if form is None else datetime.datetime.strptime(text, form)
        )
    except ValueError:
        return None


def date_forms(texts: Sequence[Hashable]) -> list[str]:
    """Return the forms in which every one of these texts is a date, other than YYYY-MM-DD.

    There are two where day and month cannot be told apart.

    >>> date_forms(["5/4/2008", "6/4/2008"]), date_forms(["5/4/2008", "13/4/2008"]), date_forms(["1.2.3"])
    (['%d/%m/%Y', '%m/%d/%Y'], ['%d/%m/%Y'], [])
    """
    forms: Iterable[str] = (day + time for day in DAYS for time in TIMES) if texts else ()
    return [form for form in forms if all(parse_date(text, form) is not None for text in texts)]
