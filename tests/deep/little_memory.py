"""Fit and predict with little address space: the call raises MemoryError or is right, whether threads can start or not.

    python tests/deep/little_memory.py --steps 60

A thread needs eight megabytes of address space for its stack. Just above what the call itself needs, some of the
threads can be started and some cannot. Each limit is tried in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

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


OUTCOMES = {0: "right", 1: "MemoryError", 2: "another exception", 3: "a wrong answer"}


def ended(call: Callable[[int], bytes], expected: bytes, room: int) -> str:
    """Make a call in a process with this much more address space, and return how it ended."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
            code = 0 if call(THREADS) == expected else 3
        except MemoryError:
            code = 1
        except BaseException as error:
            print(f"    {room // MB} MB: {type(error).__name__}: {str(error)[:150]}", flush=True)
        finally:
            os._exit(code)
    until = time.monotonic() + A_HANG
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return signal.Signals(-code).name if code < 0 else OUTCOMES.get(code, f"exit code {code}")
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=60, help="limits to try for each call")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tried = wrong = 0
    for name, call in calls():
        expected = call(1)
        found: dict[str, int] = {}
        for step in range(options.steps):
            end = ended(call, expected, step * 200 * MB // options.steps)
            found[end] = found.get(end, 0) + 1
            wrong += end not in ("right", "MemoryError")
            tried += 1
        print(f"{name}: {found}", flush=True)
    print(f"{tried} limits were tried, {wrong} calls ended badly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
