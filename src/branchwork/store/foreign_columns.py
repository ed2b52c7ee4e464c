"""Make the columns and labels of models from other libraries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from branchwork.errors import ParameterError
from branchwork.table.cells import plain_value
from branchwork.table.schema import Column, Schema


def columns_named(
    names: Sequence[Any] | None, count: int, categories: Mapping[int, Sequence[Hashable]] | None = None
) -> Schema:
    """Return a schema of this many columns. Without names they are x0, x1, …; columns with categories are nominal.

    >>> columns_named(None, 2).names, columns_named(["age", "wind"], 2, {1: ("calm", "windy")})[1].categories
    (('x0', 'x1'), ('calm', 'windy'))
    """
    known = categories or {}
    named = [f"x{j}" for j in range(count)] if names is None else [str(name) for name in names]
    columns = (
        Column(name, "nominal", tuple(known[j]), declared=True) if j in known else Column(name, "numeric")
        for j, name in enumerate(named)
    )
    return Schema(tuple(columns), named=names is not None)


def plain_labels(labels: Iterable[Any]) -> tuple[Hashable, ...]:
    """Return labels as plain Python values."""
    return tuple(plain_value(label) for label in labels)


def labels_given(labels: Iterable[Any] | None, count: int) -> tuple[Hashable, ...]:
    """Return the given labels of the classes 0, 1, …, or these numbers if none are given."""
    given = tuple(range(count)) if labels is None else plain_labels(labels)
    if len(given) != count or len(set(given)) != count:
        raise ParameterError(
            f"labels={given!r}; expected {count} different ones, in the order of the classes."
        )
    return given
