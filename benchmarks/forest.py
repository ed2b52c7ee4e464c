"""Forests, extra trees and AdaBoost beside scikit-learn and YDF: growing, predicting, out-of-bag rows, permutations.

Everything runs on two threads. Both sides learn from the same float32 table; a note says how well each does on rows
that were held out, because a forest that is grown faster must not be worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import ensemble
from sklearn.metrics import roc_auc_score
from timing import Figure, Settings, Target, at_least, at_most, best_of_turns, repeated

import branchwork as bw

ROWS, COLUMNS, HELD_OUT = 100_000, 20, 20_000
TREES, JOBS = 100, 2
STUMPS = 200


def table(rows: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers, labels and a numeric target; sums, products and steps of the features, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS)).astype(np.float32)
    z = X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] > 0) + 0.5 * X[:, 4] ** 2 + rng.normal(size=rows)
    cuts = np.quantile(z, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.digitize(z, cuts), z


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare whole fits of full trees, then what a forest does afterwards."""
    X, y, _ = table(ROWS + HELD_OUT, 2)
    yield from _classes("2 classes", X, y, settings, at_least(10))
    X, y, _ = table(ROWS + HELD_OUT, 10)
    yield from _classes("10 classes", X, y, settings, at_least(4))
    yield from _numbers(settings)
    yield from _extra(settings)
    yield from _boosted(settings)
    yield from _afterwards(settings)
    yield from _growth(settings)


def _classes(what: str, X: np.ndarray, y: np.ndarray, settings: Settings, target: Target) -> Iterator[Figure]:
    ours = bw.RandomForestClassifier(TREES, n_jobs=JOBS)
    theirs = ensemble.RandomForestClassifier(TREES, n_jobs=JOBS, random_state=0)
    train, test = slice(0, ROWS), slice(ROWS, None)
    jobs: dict[str, Callable[[], Any]] = {
        "ours": lambda: ours.fit(X[train], y[train]),
        "scikit-learn": lambda: theirs.fit(X[train], y[train]),
        **_ydf_jobs(X[train], y[train]),
    }
    best = best_of_turns(jobs, settings.rounds)
    peer = min((name for name in jobs if name != "ours"), key=lambda name: best[name])
    _note(what, ours, theirs, X[test], y[test])
    yield Figure(
        f"forest of {TREES}, {ROWS // 1000}k × {COLUMNS}, {what}", peer, best[peer], best["ours"], target
    )


def _ydf_jobs(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Return the same forest of YDF, if it is installed."""
    try:
        import ydf
    except ImportError:
        return {}
    data = {**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y.astype(str)}
    learner = ydf.RandomForestLearner(
        label="y",
        num_trees=TREES,
        max_depth=-1,
        min_examples=1,
        num_threads=JOBS,
        winner_take_all=False,
        compute_oob_performances=False,
    )
    return {"YDF": lambda: learner.train(data, verbose=0)}


def _note(what: str, ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray) -> None:
    if len(np.unique(y)) == 2:
        found = [roc_auc_score(y, model.predict_proba(X)[:, 1]) for model in (ours, theirs)]
        print(f"  note: {what}: AUC on other rows {found[0]:.4f}, scikit-learn {found[1]:.4f}")
    else:
        print(
            f"  note: {what}: score on other rows {ours.score(X, y):.4f}, scikit-learn {theirs.score(X, y):.4f}"
        )


def _numbers(settings: Settings) -> Iterator[Figure]:
    X, _, z = table(ROWS + HELD_OUT, 2)
    ours = bw.RandomForestRegressor(20, max_features=COLUMNS // 3, n_jobs=JOBS)
    theirs = ensemble.RandomForestRegressor(20, max_features=COLUMNS // 3, n_jobs=JOBS, random_state=0)
    yield from _beside("regression forest of 20", ours, theirs, X, z, settings, at_least(5))


def _extra(settings: Settings) -> Iterator[Figure]:
    X, y, _ = table(ROWS + HELD_OUT, 2)
    ours = bw.ExtraTreesClassifier(TREES, n_jobs=JOBS)
    theirs = ensemble.ExtraTreesClassifier(TREES, n_jobs=JOBS, random_state=0)
    yield from _beside(f"extra trees, {TREES}", ours, theirs, X, y, settings, at_least(4))


def _boosted(settings: Settings) -> Iterator[Figure]:
    X, y, _ = table(ROWS + HELD_OUT, 2)
    ours = bw.AdaBoostClassifier(n_estimators=STUMPS, n_jobs=JOBS)
    theirs = ensemble.AdaBoostClassifier(n_estimators=STUMPS)
    yield from _beside(f"AdaBoost of {STUMPS} stumps", ours, theirs, X, y, settings, at_least(20))


def _beside(
    what: str, ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, settings: Settings, target: Target
) -> Iterator[Figure]:
    train, test = slice(0, ROWS), slice(ROWS, None)
    jobs = {"ours": lambda: ours.fit(X[train], y[train]), "peer": lambda: theirs.fit(X[train], y[train])}
    best = best_of_turns(jobs, settings.rounds)
    _note(what, ours, theirs, X[test], y[test])
    yield Figure(f"{what}, {ROWS // 1000}k × {COLUMNS}", "scikit-learn", best["peer"], best["ours"], target)


def _afterwards(settings: Settings) -> Iterator[Figure]:
    X, y, _ = table(ROWS, 2)
    ours = bw.RandomForestClassifier(TREES, n_jobs=JOBS).fit(X, y)
    theirs = ensemble.RandomForestClassifier(TREES, n_jobs=JOBS, random_state=0).fit(X, y)
    many = np.concatenate([X, X + 0.01])[: 2 * ROWS]
    jobs = {"ours": lambda: ours.predict(many), "peer": lambda: theirs.predict(many)}
    best = best_of_turns(jobs, settings.rounds)
    yield Figure(
        f"predict {len(many) // 1000}k rows", "scikit-learn", best["peer"], best["ours"], at_most(0.25)
    )
    one = X[:1]
    jobs = {"ours": lambda: ours.predict(one), "peer": lambda: theirs.predict(one)}
    best = best_of_turns(jobs, settings.rounds, repeated(20))
    yield Figure("predict one row", "scikit-learn", best["peer"], best["ours"], at_most(0.015))
    with_score = bw.RandomForestClassifier(TREES, n_jobs=JOBS, oob_score=True)
    jobs = {
        "plain": lambda: ours.fit(X, y),
        "with": lambda: with_score.fit(X, y),
        "permutation": lambda: ours.permutation_importance(X, y),
    }
    best = best_of_turns(jobs, settings.rounds)
    yield Figure("fit with oob_score=True", "ourselves without", best["plain"], best["with"], at_most(1.2))
    yield Figure("permutation importance", "our fit", best["plain"], best["permutation"], at_most(1.0))


def _growth(settings: Settings) -> Iterator[Figure]:
    X, y, _ = table(ROWS, 2)
    jobs = {
        "few": lambda: bw.RandomForestClassifier(10, n_jobs=JOBS).fit(X[: ROWS // 10], y[: ROWS // 10]),
        "rows": lambda: bw.RandomForestClassifier(10, n_jobs=JOBS).fit(X, y),
        "trees": lambda: bw.RandomForestClassifier(100, n_jobs=JOBS).fit(X[: ROWS // 10], y[: ROWS // 10]),
    }
    best = best_of_turns(jobs, settings.rounds)
    yield Figure("ten times the rows", "ourselves on a tenth", best["few"], best["rows"], at_most(12))
    yield Figure("ten times the trees", "ourselves with a tenth", best["few"], best["trees"], at_most(10.2))
