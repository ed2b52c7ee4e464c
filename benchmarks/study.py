"""Studies beside the loop that people write by hand: refit a scikit-learn tree, predict, and count.

Both sides draw the same training sets and use one thread. The peer's loop does what is needed for bias and variance, or
for the curve, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import PredefinedSplit, validation_curve
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from timing import Figure, Settings, at_least, best_of_turns

import branchwork as bw
from branchwork.measure.folds import deal
from branchwork.table.target import classes

POOL, QUERY, COLUMNS, REPEATS = 4000, 1000, 10, 50
DEPTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare bias and variance from data and from a sampler, alone and against depth, and a curve."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(POOL + QUERY, COLUMNS))
    z = X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] > 0) + rng.normal(size=len(X))
    y = (z > np.median(z)).astype(int)
    yield from _from_data(X, y, settings)
    yield from _from_sampler(settings)
    yield from _curve(X, y, settings)


def _from_data(X: np.ndarray, y: np.ndarray, settings: Settings) -> Iterator[Figure]:
    pool, query = (X[:POOL], y[:POOL]), (X[POOL:], y[POOL:])
    samples = [np.random.default_rng(k).permutation(POOL)[: POOL // 2] for k in range(REPEATS)]

    def refitted(depth: int | None) -> np.ndarray:
        trees = (
            DecisionTreeClassifier(max_depth=depth).fit(pool[0][rows], pool[1][rows]) for rows in samples
        )
        right = np.stack([tree.predict(query[0]) == query[1] for tree in trees]).mean(axis=0)
        return np.array([((1 - right) ** 2).mean(), (right * (1 - right)).mean()])

    def ours(**sweep: Any) -> Any:
        est = bw.TreeClassifier()
        return bw.study.bias_variance(est, data=pool, at=query, n_repeats=REPEATS, **sweep)

    what = f"bias–variance, data, {REPEATS} × {POOL // 2} × {COLUMNS}"
    yield from _pair(what, lambda: ours(), lambda: refitted(None), settings)
    yield from _pair(
        f"{what}, {len(DEPTHS)} depths",
        lambda: ours(over="max_depth", values=DEPTHS),
        lambda: [refitted(depth) for depth in DEPTHS],
        settings,
    )


def _from_sampler(settings: Settings) -> Iterator[Figure]:
    waves = bw.study.WaveSampler(n_features=5)
    rows = 500

    def refitted(depths: Sequence[int | None]) -> list[float]:
        query, _ = waves(QUERY, seed=0)
        found = []
        draws = [waves(rows, seed=k) for k in range(REPEATS)]
        for depth in depths:
            said = np.stack(
                [DecisionTreeRegressor(max_depth=depth).fit(*drawn).predict(query) for drawn in draws]
            )
            found.append(
                float(((said.mean(axis=0) - waves.truth(query)) ** 2).mean() + said.var(axis=0).mean())
            )
        return found

    def ours(**sweep: Any) -> Any:
        return bw.study.bias_variance(bw.TreeRegressor(), waves, n_train=rows, n_repeats=REPEATS, **sweep)

    what = f"bias–variance, sampler, {REPEATS} × {rows} × 5"
    yield from _pair(what, ours, lambda: refitted([None]), settings, wanted=False)
    yield from _pair(
        f"{what}, {len(DEPTHS)} depths",
        lambda: ours(over="max_depth", values=DEPTHS),
        lambda: refitted(DEPTHS),
        settings,
    )


def _curve(X: np.ndarray, y: np.ndarray, settings: Settings) -> Iterator[Figure]:
    cv = PredefinedSplit(deal(classes(y), 10))

    def refitted() -> Any:
        return validation_curve(
            DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=DEPTHS, cv=cv
        )

    what = f"curve over max_depth, 10 folds of {len(X)} × {COLUMNS}"
    yield from _pair(
        what, lambda: bw.study.curve(bw.TreeClassifier(), X, y, "max_depth", DEPTHS), refitted, settings
    )


def _pair(
    what: str,
    ours: Callable[[], Any],
    refitted: Callable[[], Any],
    settings: Settings,
    *,
    wanted: bool = True,
) -> Iterator[Figure]:
    best = best_of_turns({"ours": ours, "refitting": refitted}, settings.rounds)
    yield Figure(what, "scikit-learn trees in a loop", best["refitting"], best["ours"], at_least(10), wanted)
