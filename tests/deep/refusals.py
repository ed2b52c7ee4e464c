"""Refuse the core its n-th allocation, for many n: the call raises MemoryError, and what was fitted stays as it was.

    python tests/deep/refusals.py --points 200
    python tests/deep/refusals.py --points 2000 --only OptimalTreeClassifier.fit

A small library that is preloaded counts the allocations of the core and refuses one (refuse.c). Each number is tried in
a process of its own, so that a crash, a hang and a wrong answer can be told apart. A few numbers run in `make test`.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from deep.children import ended

HERE = Path(__file__).parent
A_HANG = 120.0
N, COLUMNS = 5_000, 14
"""So many cells that threads share the work."""


def built(folder: Path) -> Path:
    """Return the library, built in this folder."""
    library = folder / "refuse.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", HERE / "refuse.c", "-o", library], check=True)
    return library


def calls() -> Iterator[tuple[str, Callable[[], Any], Callable[[], bytes]]]:
    """Yield calls by name, each with what must be the same after it was refused memory."""
    import numpy as np

    import branchwork as bw

    from registry import ALL, for_large_tables

    rng = np.random.default_rng(0)
    cells = {f"x{k}": rng.normal(size=N).round(2) for k in range(COLUMNS)}
    cells["x3"][::50] = np.nan
    words = rng.choice(["red", "green", "blue", "a longer word than sixteen bytes"], N)
    y = (cells["x0"] + 0.2 * rng.normal(size=N) > 0.3).astype(int)

    def head(n: int) -> dict[str, Any]:  # not a data frame: Arrow ends the process where memory does
        return {**{name: column[:n] for name, column in cells.items()}, "word": words[:n]}

    X, rows = head(N), head(4_500)
    for factory in ALL:
        name, est = factory.__name__, for_large_tables(factory)
        n = 300 if "Neighbours" in name else N
        few = head(n)
        est.set_params(**{k: v for k, v in {"n_jobs": 2, "max_depth": 2}.items() if k in est.get_params()})
        est.fit(few, y[:n])
        asked = head(50) if "Neighbours" in name else rows
        state = lambda est=est, asked=asked: est.predict(asked).tobytes()  # noqa: E731
        yield f"{name}.fit", lambda est=est, few=few, n=n: est.fit(few, y[:n]), state
        if not name.startswith(
            ("Neighbours", "RuleList")
        ):  # they predict by scikit-learn, which crashes, and NumPy
            file = pickle.dumps(est)  # trees are packed when they first predict
            yield f"{name}.predict", lambda file=file, asked=asked: pickle.loads(file).predict(asked), state
    # The search whose threads wait for each other: minimum leaf sizes need the general one.
    optimal = bw.OptimalTreeClassifier(max_depth=3, min_samples_leaf=3, n_jobs=2)
    few = {name: column[:80] for name, column in cells.items() if name < "x2"}
    state = lambda: optimal.predict(few).tobytes()  # noqa: E731
    yield "optimal search", lambda: optimal.fit(few, y[:80]), state
    tree = bw.C45Classifier(min_cases=20).fit(X, y)
    state = lambda: tree.predict(rows).tobytes()  # noqa: E731
    yield "page", lambda: tree.to_html(X, y), state
    yield "working", lambda: str(tree.working(0, X, y)), state
    yield "prune", lambda: tree.prune("error_based", X, y), state


ENDS = {0: "the call went on", 1: "MemoryError", 2: "what was fitted changed"}


def refused(call: Callable[[], Any], state: Callable[[], bytes], expected: bytes, n: int, refuse: Any) -> int:
    """Make a call whose n-th allocation is refused; return the exit code."""
    refuse.refuse(n)
    try:
        call()
        code = 0
    except MemoryError:
        code = 1
    finally:
        refuse.allocations()
    return code if state() == expected else 2


def numbers(asked: int, points: int) -> list[int]:
    """Return this many numbers of allocations, evenly spread, and the first ones."""
    spread = [1 + k * (asked - 1) // max(1, points - 1) for k in range(points)]
    return sorted({*spread, *range(1, min(asked, points // 4) + 1)})


def campaign(points: int, only: str | None) -> int:
    """Refuse in this process, whose allocations the library sees; return how many ended as they must not."""
    warnings.simplefilter("ignore")
    refuse = ctypes.CDLL(None)
    refuse.refuse.argtypes, refuse.allocations.restype = [ctypes.c_long], ctypes.c_long
    tried = wrong = 0
    for name, call, state in calls():
        if only is not None and only not in name:
            continue
        call()
        expected = state()
        refuse.refuse(0)
        call()
        asked = refuse.allocations()
        assert asked > 0, name
        found: dict[str, int] = {}
        for n in numbers(asked, points):
            end = ended(partial(refused, call, state, expected, n, refuse), ENDS, A_HANG)
            if end not in (ENDS[0], ENDS[1]):
                print(f"    {name}, allocation {n} of {asked}: {end}", flush=True)
                wrong += 1
            found[end] = found.get(end, 0) + 1
            tried += 1
        print(f"{name}, {asked} allocations: {found}", flush=True)
    print(f"{tried} allocations were refused, {wrong} of them ended badly")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--points", type=int, default=200, help="numbers of allocations to refuse in each call"
    )
    parser.add_argument("--only", help="part of the name of a call")
    options = parser.parse_args()
    if "refuse.so" in os.environ.get("LD_PRELOAD", ""):
        return 1 if campaign(options.points, options.only) else 0
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "LD_PRELOAD": str(built(Path(folder))), "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, *sys.argv], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
