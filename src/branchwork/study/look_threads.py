"""How many threads a study uses."""

from __future__ import annotations

import numbers
import os
from typing import Any

from branchwork.errors import ParameterError, shown

MOST_THREADS = 256
"""More would only wait for each other."""


def thread_count(n_jobs: Any) -> int:
    """Return the number of threads to use: n_jobs as in joblib; "all" obeys OMP_NUM_THREADS.

    >>> thread_count(None), thread_count(3)
    (1, 3)
    """
    is_whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_whole or n_jobs == 0):
        raise ParameterError(
            f"n_jobs={shown(n_jobs)}; expected None, a whole number above 0, or -1 for all processors."
        )
    import joblib

    threads = min(int(joblib.effective_n_jobs(n_jobs)), MOST_THREADS)
    cap = os.environ.get("OMP_NUM_THREADS", "")
    obeys = n_jobs is not None and n_jobs < 0 and cap.isdigit() and int(cap) > 0
    return min(threads, int(cap)) if obeys else threads
