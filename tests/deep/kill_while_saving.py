"""Kill a process while it overwrites a model, many times: the old or the new model always loads.

    python tests/deep/kill_while_saving.py 2000

A child saves two models in turn, as fast as it can. At a random moment it is killed (SIGKILL), the file is loaded and
must be one of the two. Half-written files beside it are counted and swept away.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import branchwork as bw


def models() -> tuple[bw.Model, bw.Model]:
    """Two models that cannot be mistaken for each other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    return tuple(bw.TreeRegressor(max_depth=depth).fit(X, X[:, 0] * X[:, 1]).model_ for depth in (3, 11))


def save_for_ever(path: Path, pair: tuple[bw.Model, bw.Model], ready: int) -> None:
    os.write(ready, b"!")
    while True:
        for model in pair:
            bw.save(model, path)


def a_round(path: Path, pair: tuple[bw.Model, bw.Model]) -> float:
    """How long it takes to save both models, in seconds."""
    start = time.perf_counter()
    for model in pair:
        bw.save(model, path)
    return time.perf_counter() - start


def one_kill(path: Path, pair: tuple[bw.Model, bw.Model], moment: float) -> None:
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            save_for_ever(path, pair, tell)
        finally:
            os._exit(1)
    os.read(ready, 1)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready), os.close(tell)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, pair = random.Random(options.seed), models()
    sizes = [model.tree.n_nodes for model in pair]
    found, litter, failed = dict.fromkeys(sizes, 0), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "model.bw", Path(folder) / "model.json"]
        rounds = [a_round(path, pair) for path in paths]
        for k in range(options.count):
            path = paths[k % 2]
            one_kill(path, pair, chance.uniform(0, 1.5 * rounds[k % 2]))
            try:
                found[bw.load(path).tree.n_nodes] += 1
            except Exception as error:
                failed += 1
                print(f"kill {k}: {type(error).__name__}: {error}")
            for part in Path(folder).glob(".*.part"):
                litter += 1
                part.unlink()
    print(
        f"{options.count} kills: models found {found}, half-written files beside them {litter}, failed {failed}"
    )
    return failed


if __name__ == "__main__":
    sys.exit(min(main(), 1))
