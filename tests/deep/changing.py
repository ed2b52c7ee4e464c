"""Change the arrays of a fit or a prediction while it runs: the answer may be wrong, but the process goes on.

    python tests/deep/changing.py --times 100
    python tests/deep/changing.py --times 20 --only ID3Classifier
    make sanitizers, and then the same on that core, as in `make sanitize`

Another thread writes into the table, the target and the weights all the time. Each estimator works in a process of its
own. `make test` does a little of it.
"""

from __future__ import annotations

import argparse
import sys
import threading
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

import branchwork as bw
from deep.children import ended

from registry import ALL, Factory, few, for_large_tables

A_HANG = 600.0
RNG = np.random.default_rng(0)
N, FEWER = 6_000, 1_000
"""Rows; fewer for learners that compare every row with every other."""


def settings() -> Iterator[tuple[str, Factory]]:
    """Yield every estimator, and those settings that read the cells in other ways, by name."""
    for factory in ALL:
        yield factory.__name__, factory
    for kind in (bw.TreeClassifier, bw.TreeRegressor):
        for options in (
            {"missing": "branch"},
            {"missing": "share"},
            {"missing": "surrogate"},
            {"missing": "larger"},
            {"nominal": "multiway", "cut": "data"},
            {"max_leaf_nodes": 50},
            {"honest": True},
            {"n_jobs": 2},
        ):
            yield f"{kind.__name__}({options})", few(kind, **options)
    for options in ({"search": "values"}, {"search": "grid"}):
        yield f"StumpClassifier({options})", few(bw.StumpClassifier, **options)
    yield "CARTClassifier(max_surrogates=3, xval=3)", few(bw.CARTClassifier, max_surrogates=3, xval=3)
    yield "TreeClassifier(criterion='entropy')", few(bw.TreeClassifier, criterion="entropy")


def tables(rows: int = N) -> Iterator[tuple[str, Any]]:
    """Yield arrays in several layouts and types, by name."""
    wide, narrow = RNG.normal(size=(rows, 5)), RNG.integers(0, 40, (rows, 5))
    yield "many values", wide
    yield "column by column", np.asfortranarray(wide)
    yield "few values", narrow.astype(np.float64)
    yield "float32", wide.astype(np.float32)
    yield "whole numbers", narrow
    yield "flags", narrow % 2


def another(array: Any) -> Any:
    """Return other cells of the same type, missing and infinite ones among them."""
    cells = RNG.permutation(array.reshape(-1)).reshape(array.shape)
    if array.dtype.kind == "f":
        cells = np.where(RNG.random(array.shape) < 0.05, np.nan, cells)
        cells = np.where(RNG.random(array.shape) < 0.02, np.inf, cells)
        return (cells * RNG.choice([1, -1e6], array.shape)).astype(array.dtype)
    return cells if RNG.random() < 0.5 else (cells + RNG.integers(-3, 300)).astype(array.dtype)


def work(factory: Factory, times: int) -> None:
    """Fit and predict while another thread writes."""
    rows = (
        FEWER if factory.__name__ in ("StumpClassifier", "NeighboursClassifier", "NeighboursRegressor") else N
    )
    for _, X in tables(rows):
        y = (X[:, 0] + X[:, 1] > X[:, 2]).astype(np.int64)
        target: Any = y if hasattr(type(factory()), "predict_proba") else y.astype(np.float64)
        weights = np.ones(rows)
        arrays = [X, target, weights]
        others = [[array.copy(), another(array), another(array)] for array in arrays]
        others[1] = [target.copy(), RNG.permutation(target), 3 * RNG.permutation(target)]
        others[2] = [weights.copy(), RNG.random(rows), np.where(RNG.random(rows) < 0.1, 0.0, 1.0)]
        done = threading.Event()

        def write(arrays: Any = arrays, others: Any = others, done: threading.Event = done) -> None:
            chance = np.random.default_rng(1)
            while not done.is_set():
                for array, found in zip(arrays, others, strict=True):
                    begin = int(chance.integers(len(array)))
                    part = slice(begin, begin + int(chance.integers(1, len(array))))
                    array[part] = found[int(chance.integers(len(found)))][part]

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for k in range(times):
                est = for_large_tables(factory)
                if "n_jobs" in est.get_params():
                    est.set_params(n_jobs=1 + k % 2)
                try:
                    est.fit(X, target, *([weights] if k % 3 == 0 else []))
                    est.predict(X)
                except ValueError:
                    pass  # what was read could not be learned
        finally:
            done.set()
            writer.join()


def worked(factory: Factory, times: int) -> int:
    """Work without warnings; return the exit code."""
    warnings.simplefilter("ignore")
    work(factory, times)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=100, help="fits of each estimator and table")
    parser.add_argument("--only", help="part of the name of an estimator")
    options = parser.parse_args()
    wrong = fits = 0
    for name, factory in settings():
        if options.only is None or options.only in name:
            end = ended(partial(worked, factory, options.times), {0: "well"}, A_HANG)
            wrong += end != "well"
            fits += options.times * len(list(tables()))
            print(f"{name}: {end}", flush=True)
    print(f"{fits} fits of arrays that changed, {wrong} of the processes ended badly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
