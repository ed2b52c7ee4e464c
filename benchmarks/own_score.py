"""A user's own score beside the built-in one that it spells out: the same tree, from tables instead of formulas."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from datasets import logistic
from timing import Figure, Settings, at_most, best_of_turns

import branchwork as bw

ROWS, COLUMNS = 150_000, 20
SCORES = {
    "entropy": bw.Score(name="entropy", term=lambda c: -c * np.log2(c), offset=lambda n: n * np.log2(n)),
    "gini": bw.Score(name="gini", term=lambda c: c**2, offset=lambda n: n, scale=lambda n: -1 / n),
    "accuracy": bw.Score(
        name="accuracy", term=lambda c: c, offset=lambda n: n, scale=lambda n: -1, combine="max"
    ),
}


def figures(settings: Settings) -> Iterator[Figure]:
    """Grow trees of two classes. A full tree by accuracy is a long chain, so it is grown to a limit of depth only."""
    X, y, _ = logistic(ROWS, COLUMNS)
    for name, score in SCORES.items():
        for depth in (6,) if name == "accuracy" else (None, 6):
            jobs = {
                one: lambda one=one, depth=depth: bw.TreeClassifier(criterion=one, max_depth=depth).fit(X, y)
                for one in (name, score)
            }
            best = best_of_turns(jobs, settings.rounds)
            yield Figure(
                f"tree by own {name}, {'full' if depth is None else f'depth {depth}'}",
                f"ours, built-in {name}",
                best[name],
                best[score],
                at_most(1.5),
            )
