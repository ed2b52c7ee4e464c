"""Fit and predict with little address space: the call raises MemoryError or is right, whether threads can start or not.

    python tests/deep/little_memory.py --steps 60

A thread needs eight megabytes of address space for its stack. Just above what the call itself needs, some of the
threads can be started and some cannot. Each limit is tried in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from deep.children import ended

A_HANG = 120.0
N, COLUMNS = 60_000, 12
THREADS = 16
MB = 2**20


def calls() -> Iterator[tuple[str, Callable[[int], bytes]]]:
    """Yield calls by name; each takes the number of threads and returns the answers as bytes."""
    import numpy as np

    import branchwork as bw

    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, COLUMNS))
    y = (X[:, 0] + 0.3 * rng.normal(size=N) > 0.3).astype(int)
    for est in (
        bw.TreeClassifier(max_depth=6),
        bw.RandomForestRegressor(16, max_depth=6),
        bw.CARTClassifier(max_depth=4, xval=3),
        bw.CHAIDClassifier(),
        bw.OptimalTreeClassifier(max_depth=1),
    ):
        fitted: Callable[[int], Any] = lambda threads, est=est: est.set_params(n_jobs=threads).fit(X, y)  # noqa: E731
        yield (
            f"{type(est).__name__}.fit",
            lambda threads, fitted=fitted: fitted(threads).predict(X[:9]).tobytes(),
        )
    forest = bw.RandomForestClassifier(8).fit(X[:6_000], y[:6_000])
    yield (
        "RandomForestClassifier.predict",
        lambda threads: forest.set_params(n_jobs=threads).predict(X).tobytes(),
    )


ENDS = {0: "right", 1: "MemoryError", 2: "a wrong answer"}


def tried(call: Callable[[int], bytes], expected: bytes, room: int) -> int:
    """Make a call with this much more address space; return the exit code."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
    try:
        return 0 if call(THREADS) == expected else 2
    except MemoryError:
        return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=60, help="limits to try for each call")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    limits = wrong = 0
    for name, call in calls():
        expected = call(1)
        found: dict[str, int] = {}
        for step in range(options.steps):
            end = ended(partial(tried, call, expected, step * 200 * MB // options.steps), ENDS, A_HANG)
            found[end] = found.get(end, 0) + 1
            wrong += end not in ("right", "MemoryError")
            limits += 1
        print(f"{name}: {found}", flush=True)
    print(f"{limits} limits were tried, {wrong} calls ended badly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
