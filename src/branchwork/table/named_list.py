"""A list that knows the name of the column it came from, so that a target can tell what it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class NamedList(list[Any]):
    """The cells of a column, and its name. In everything else it is a list.

    >>> play = NamedList("Play", ["Yes", "No", "Yes"])
    >>> play, play.name, play[:2].name
    (['Yes', 'No', 'Yes'], 'Play', 'Play')
    """

    def __init__(self, name: str | None = None, cells: Iterable[Any] = ()) -> None:
        super().__init__(cells)
        self.name = name

    def __getitem__(self, place: Any) -> Any:
        """Return a cell; or, for a slice, some cells of the same name."""
        found = super().__getitem__(place)
        return NamedList(self.name, found) if isinstance(place, slice) else found

    def copy(self) -> NamedList:
        """Return another list of the same name and cells."""
        return NamedList(self.name, self)
