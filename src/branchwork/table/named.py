"""The name of a column that stands by itself, as a target does: a Series, the only column of a frame, our own list."""

from __future__ import annotations

from typing import Any

from branchwork.errors import ParameterError, shown
from branchwork.table.frames import column_of_frame
from branchwork.table.named_list import NamedList as NamedList
from branchwork.table.table import Table


def name_of(y: Any) -> str | None:
    """Return the name of a column that has one; None: it has none.

    >>> name_of(NamedList("Play", ["Yes", "No"])), name_of(["Yes", "No"])
    ('Play', None)
    """
    if isinstance(y, Table):
        return y.schema.names[0] if y.schema.named and len(y.schema) == 1 else None
    found = column_of_frame(y)
    name = getattr(y, "name", None) if found is None else found[0]
    return str(name) if isinstance(name, str) and name.strip() else None


def only_column(y: Any) -> Any:
    """Return the only column of a table or frame, and anything else as it is."""
    if isinstance(y, Table) and len(y.schema) == 1:
        return y.column(y.schema.names[0])
    found = column_of_frame(y)
    return y if found is None else found[1]


def target_name_of(y: Any, target_name: Any) -> str | None:
    """Return the name of what is predicted: the one that was given, or that of the column y."""
    if target_name is None:
        return name_of(y)
    if not isinstance(target_name, str) or not target_name.strip():
        raise ParameterError(
            f"target_name={shown(target_name)}; expected text, or None: the name of y, if it has one."
        )
    return str(target_name)
