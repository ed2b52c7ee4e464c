"""Fork processes while another thread of the parent is inside Branchwork; each child fits and predicts for itself.

    python tests/deep/forks.py --times 300
    python tests/deep/forks.py --only C45Classifier

The other thread fits, and it predicts with a model that has not predicted before, with which the child predicts, too.
Whatever it was doing, the child must be done within the time of a hang, and its model file and answers must be those of
the parent, byte for byte. A few forks for each learner run in `make test`.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
import random
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from deep.children import HANGS, ended

from registry import ALL, for_large_tables

A_HANG = 60.0
RNG = np.random.default_rng(0)
N = 3_000
X = {
    "a": RNG.normal(size=N),
    "b": RNG.normal(size=N).round(1),
    "c": RNG.choice(["red", "green", "blue"], N),
    "d": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(size=N)),
}
Y = (X["a"] + 0.3 * RNG.normal(size=N) > 0.3).astype(int)
ROWS = {name: cells[:300] for name, cells in X.items()}


def answers(est: Any) -> bytes:
    """Return the answers for a few rows as bytes."""
    return est.predict(ROWS).tobytes()


def work(factory: Any) -> str:
    """Fit and predict; return the digest of the answers and of the model, whose pickle is its file."""
    est = for_large_tables(factory).fit(X, Y)
    digest = hashlib.sha256(answers(est))
    digest.update(pickle.dumps(est.rules_ if hasattr(est, "rules_") else est.model_))
    return digest.hexdigest()


class Other:
    """Another thread, which fits tables of several sizes and predicts."""

    def __init__(self, factory: Any) -> None:
        self.factory, self.stop = factory, threading.Event()
        fitted = for_large_tables(factory).fit(X, Y)
        self.answers = answers(fitted)
        self.file = pickle.dumps(fitted)
        self.shared = fitted
        self.thread = threading.Thread(target=self.work)

    def work(self) -> None:
        while not self.stop.is_set():
            for size in [N, N // 3, 40]:
                part = {name: cells[:size] for name, cells in X.items()}
                for_large_tables(self.factory).fit(part, Y[:size])
                self.shared = pickle.loads(self.file)
                self.shared.predict(X)
                if self.stop.is_set():
                    return

    def __enter__(self) -> Other:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()


ENDS = {0: "same", 1: "another model", 2: "other answers"}


def forked(factory: Any, expected: str, other: Other) -> str:
    """Fork, let the child work, and return what became of it."""

    def child() -> int:
        if answers(other.shared) != other.answers:
            return 2
        return 0 if work(factory) == expected else 1

    return ended(child, ENDS, A_HANG)


def campaign(factory: Any, times: int, seed: int = 0) -> dict[str, int]:
    """Fork many times at random moments of another thread's work; return how often each end was seen."""
    chance, found = random.Random(seed), {}
    expected = work(factory)
    with Other(factory) as other:
        for _ in range(times):
            time.sleep(chance.random() * 0.02)
            result = forked(factory, expected, other)
            found[result] = found.get(result, 0) + 1
            if found.get(HANGS, 0) >= 3:
                break
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    for factory in ALL:
        if options.only in (None, factory.__name__):
            found = campaign(factory, options.times, options.seed)
            failed += any(result != "same" for result in found)
            print(f"{factory.__name__}: {found}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
