"""Choose the number of threads, and work on several trees at once while the core runs without the GIL."""

from __future__ import annotations

import numbers
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.table.table import Table

Found = TypeVar("Found")

MOST_COPIED = 2**28
"""The largest table, in bytes, that is copied to make its columns contiguous."""

FEW_ROWS = 4096
"""Below this many rows, threads cost more than they save."""
FEW_CELLS = 2**16
"""The core shares out no node with fewer cells among threads, so growth on fewer needs only one."""
MOST_THREADS = 256
"""More threads would only wait for each other."""


def check_n_jobs(name: str, value: Any) -> Any:
    """Refuse a value that joblib does not accept as a number of threads."""
    if value is None:
        return value
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value == 0:
        raise ParameterError(
            f"{name}={shown(value)}; expected None, a whole number above 0, or -1 for all processors."
        )
    return value


def thread_count(n_jobs: int | None, rows: int = sys.maxsize) -> int:
    """Return the number of threads: n_jobs as in joblib; a negative one respects OMP_NUM_THREADS.

    Few rows need only one thread.

    >>> thread_count(None), thread_count(3)
    (1, 3)
    """
    check_n_jobs("n_jobs", n_jobs)
    if rows <= FEW_ROWS:
        return 1
    from joblib.parallel import get_active_backend

    # Without "threads", joblib would count processes, which a process of a multiprocessing pool cannot start.
    backend, usual = get_active_backend(prefer="threads")
    threads = min(int(backend.effective_n_jobs(usual if n_jobs is None else n_jobs)), MOST_THREADS)
    cap = os.environ.get("OMP_NUM_THREADS", "")
    obeys = n_jobs is not None and n_jobs < 0 and cap.isdigit() and int(cap) > 0
    return min(threads, int(cap)) if obeys else threads


def in_threads(work: Callable[..., Found], *given: Iterable[Any], n_jobs: int) -> Iterator[Found]:
    """Call a function for each item, or each group of items, on several threads; results come in order.

    Where no more threads can be started, the calling thread does the work.

    >>> list(in_threads(max, [1, 5], [4, 2], n_jobs=2))
    [4, 5]
    """
    if n_jobs == 1:
        yield from map(work, *given)
        return
    items = [list(one) for one in given]
    with ThreadPoolExecutor(n_jobs) as threads:
        try:
            found = threads.map(work, *items)
        except RuntimeError:  # a thread could not be started; what the others have done is done again
            threads.shutdown(cancel_futures=True)
            found = map(work, *items)
        yield from found


@contextmanager
def one_thread_each(n_jobs: int) -> Iterator[None]:
    """Let joblib give a single thread to everything inside, if `n_jobs` threads already do such work at once.

    So an ensemble with `n_jobs=-1` inside a fold of cross-validation with `n_jobs=-1` does not start threads for every
    processor in every thread. The setting belongs to the thread that calls this.
    """
    if n_jobs == 1:
        yield
        return
    import joblib

    with joblib.parallel_config(backend="sequential"):
        yield


def in_columns(table: Table) -> Table:
    """Return the table with contiguous columns, so that taking rows is fast; a huge table stays as it is."""
    if all(array.flags.c_contiguous for array in table.arrays):
        return table
    if sum(array.nbytes for array in table.arrays) > MOST_COPIED:
        return table
    return Table(table.schema, tuple(np.ascontiguousarray(array) for array in table.arrays))
