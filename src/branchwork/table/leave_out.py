"""Leave out columns that the caller does not need, and say in errors how to do so.

Code that looks at the cells of one column does not know the container that the column came from. It marks its error
with the name of the column (`dispensable`); the code that knows the container adds how to leave it out (`advising`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from branchwork.errors import BranchworkError, DataError, ParameterError
from branchwork.table.schema import no_such_column

Error = TypeVar("Error", bound=BranchworkError)


def dispensable(error: Error, column: str) -> Error:
    """Mark an error as one that leaving out this column would avoid."""
    error.unusable_column = column
    return error


@contextmanager
def advising(way: Callable[[str], str]) -> Iterator[None]:
    """Let errors about a dispensable column end with the way to leave it out; `way` gets the name of the column."""
    try:
        yield
    except BranchworkError as error:
        if error.unusable_column is None:
            raise
        advice = f"To leave the column out, use {way(error.unusable_column)}."
        raise type(error)(f"{error} {advice}") from None


def kept_places(names: Sequence[str], drop: Any, where: object) -> list[int]:
    """Return the positions of the columns that stay when those named by `drop` are left out.

    An unknown name is refused with a suggestion, and so is leaving out every column. `where` is the file, for messages.
    """
    gone = column_names("drop", drop)
    for name in gone:
        if name not in names:
            raise DataError(f"{where}: {name!r} cannot be dropped. {no_such_column(name, names)}")
    kept = [place for place, name in enumerate(names) if name not in gone]
    if names and not kept:
        raise DataError(f"{where}: all columns were dropped; expected at least one to stay.")
    return kept


def column_names(setting: str, given: Any) -> list[str]:
    """Return names of columns as a list: one name, several, or None for none."""
    names = [given] if isinstance(given, str) else [] if given is None else given
    if not hasattr(names, "__iter__") or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{setting}={given!r}; expected the name of a column, or a list of names.")
    return list(names)
