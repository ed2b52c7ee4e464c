"""Optimal trees, one thread and two, beside pycontree on the tables of its paper; the errors must be the same.

The tables are read from the folder `contree` inside that of `--data`: numeric columns, the class last. Both are given
the same arrays, classes as whole numbers; what turns them into our table, and the greedy tree that our search begins
with, count in our time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from timing import Figure, LeftOutError, Settings, at_least, at_most, best_of_turns, seconds

import branchwork as bw

EASY = ("bank", "wilt", "raisin", "room", "segment", "bidding", "page", "rice", "occupancy")
"""pycontree proves depth 3 in about half a minute at most."""
HARD = ("magic", "htru", "eeg", "avila", "fault", "bean_train")
"""At depth 3 it takes minutes: ours is measured alone."""
LONG = 5.0
"""Seconds of pycontree from which look-ahead is measured beside it."""
DEEP = ("bank", "wilt", "bidding", "room", "segment", "raisin", "occupancy", "page")
"""Depth 4, ours alone."""
FEWEST = {
    2: {
        "avila": 9617, "bank": 100, "bidding": 113, "eeg": 4956, "fault": 803, "htru": 369, "magic": 3746,
        "occupancy": 208, "page": 253, "raisin": 109, "rice": 257, "room": 559, "segment": 990, "wilt": 138,
        "bean_train": 3667,
    },
    3: {
        "avila": 8664, "bank": 23, "bidding": 50, "eeg": 4350, "fault": 627, "htru": 343, "magic": 3240,
        "occupancy": 185, "page": 168, "raisin": 94, "rice": 243, "room": 80, "segment": 278, "wilt": 88,
        "bean_train": 1406,
    },
}  # fmt: skip
"""The fewest errors of trees of each depth, as other solvers have proven them."""


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare whole fits, and check the number of errors."""
    folder = None if settings.data is None else settings.data / "contree"
    if folder is None or not folder.is_dir():
        raise LeftOutError("it needs --data FOLDER with a folder contree of its tables")
    ratios: dict[int, list[float]] = {2: [], 3: []}
    for depth, names in ((2, EASY + HARD), (3, EASY)):
        for name in names:
            figure = _beside_contree(name, depth, *_table(folder, name), settings.rounds)
            ratios[depth].append(figure.ratio)
            yield figure
            if depth == 3 and figure.peer_needs >= LONG:
                yield from _ahead(name, *_table(folder, name), figure.peer_needs)
    for depth, floor in ((3, 30.0), (2, 1.0)):
        mean = _geometric_mean(ratios[depth])
        yield Figure(f"geometric mean, depth {depth}", "pycontree", mean, 1.0, at_least(floor))
    yield Figure("geometric mean", "pycontree", _geometric_mean(ratios[2] + ratios[3]), 1.0, at_least(10))
    for depth, names, limit in ((3, HARD, 10.0), (4, DEEP, 60.0)):
        for name in names:
            yield from _alone(name, depth, *_table(folder, name), limit)
    yield from _ahead_of_greedy(settings.rounds)


def _table(folder: Path, name: str) -> tuple[Any, Any]:
    frame = pd.read_parquet(folder / f"{name}.parquet")
    return np.ascontiguousarray(frame.iloc[:, :-1].to_numpy(np.float64)), np.unique(
        frame.iloc[:, -1].to_numpy(), return_inverse=True
    )[1]


def _beside_contree(name: str, depth: int, X: Any, y: Any, rounds: int) -> Figure:
    ours = bw.OptimalTreeClassifier(max_depth=depth, n_jobs=1)
    peer = _contree(depth)
    jobs = {"ours": lambda: ours.fit(X, y), "peer": lambda: peer.fit(X, y)}
    best = best_of_turns(jobs, min(rounds, 2 if depth == 3 else 3))
    errors = int((np.asarray(peer.predict(X)) != y).sum())
    _check(name, depth, ours)
    if errors != ours.objective_:
        print(f"  note: {name}, depth {depth}: {ours.objective_:g} errors, pycontree {errors}")
    return Figure(
        f"{name} depth {depth}, {X.shape[0]:,} × {X.shape[1]}",
        "pycontree",
        best["peer"],
        best["ours"],
        at_least(1),
    )


def _alone(name: str, depth: int, X: Any, y: Any, limit: float) -> Iterator[Figure]:
    """Ours within a limit of seconds, and two threads beside one."""
    trees = {n: bw.OptimalTreeClassifier(max_depth=depth, n_jobs=n, time_limit=2 * limit) for n in (1, 2)}
    took = {n: seconds(partial(tree.fit, X, y)) for n, tree in trees.items()}
    for tree in trees.values():
        _check(name, depth, tree)
    work = f"{name} depth {depth}, {X.shape[0]:,} × {X.shape[1]}"
    yield Figure(work, f"{limit:g} seconds", limit, took[1], at_least(1))
    if took[1] >= 0.5:
        yield Figure(f"{work}, two threads", "ourselves on one", took[1], took[2], at_least(1.6))


def _ahead(name: str, X: Any, y: Any, exact: float) -> Iterator[Figure]:
    """Look-ahead beside the seconds of pycontree's exact search; a note says how far from the best tree it ends."""
    for effort in ("lookahead", "split"):
        tree = bw.OptimalTreeClassifier(max_depth=3, effort=effort, n_jobs=1)
        took = min(seconds(partial(tree.fit, X, y)) for _ in range(2))
        lost = 100 * (tree.objective_ - FEWEST[3][name]) / len(y)
        print(f"  note: {name}, {effort}: {lost:.2f} points from the best tree")
        yield Figure(f"{name} depth 3, {effort}", "pycontree, exact", exact, took, at_least(50))


def _ahead_of_greedy(rounds: int) -> Iterator[Figure]:
    """A large table at depth 4: look-ahead beside the greedy effort."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 20))
    y = ((X[:, 0] * X[:, 1] > 0) ^ (X[:, 2] > 1) ^ (rng.random(len(X)) < 0.1)).astype(int)
    trees = {
        effort: bw.OptimalTreeClassifier(max_depth=4, effort=effort, n_jobs=1)
        for effort in ("greedy", "lookahead", "split")
    }
    best = best_of_turns({effort: partial(tree.fit, X, y) for effort, tree in trees.items()}, min(rounds, 2))
    for effort in ("lookahead", "split"):
        yield Figure(f"100,000 × 20 depth 4, {effort}", "greedy", best["greedy"], best[effort], at_most(40))


def _check(name: str, depth: int, tree: Any) -> None:
    fewest = FEWEST.get(depth, {}).get(name)
    if not tree.proven_ or (fewest is not None and tree.objective_ != fewest):
        print(
            f"  note: {name}, depth {depth}: {tree.objective_:g} errors, proven: {tree.proven_}; known: {fewest}"
        )


def _contree(depth: int) -> Any:
    try:
        from pycontree import ConTree
    except ImportError:
        raise LeftOutError("pycontree is not installed: pip install pycontree") from None
    return ConTree(max_depth=depth, max_gap=0, time_limit=3600)


def _geometric_mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
