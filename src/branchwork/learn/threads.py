"""Work on several trees at once: threads that take one tree each, while the core works without the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from branchwork.table.table import Table

Found = TypeVar("Found")

MOST_COPIED = 2**28
"""Bytes of a table that are copied to have its columns in one piece each."""


def in_threads(work: Callable[..., Found], *given: Iterable[Any], n_jobs: int) -> Iterator[Found]:
    """Call a function for each item, or each group of items, on several threads; results come in order.

    >>> list(in_threads(max, [1, 5], [4, 2], n_jobs=2))
    [4, 5]
    """
    if n_jobs == 1:
        yield from map(work, *given)
        return
    with ThreadPoolExecutor(n_jobs) as threads:
        yield from threads.map(work, *given)


def in_columns(table: Table) -> Table:
    """Return the table with every column in one piece, so that rows are quickly taken; a huge table stays as it is."""
    if all(array.flags.c_contiguous for array in table.arrays):
        return table
    if sum(array.nbytes for array in table.arrays) > MOST_COPIED:
        return table
    return Table(table.schema, tuple(np.ascontiguousarray(array) for array in table.arrays))
