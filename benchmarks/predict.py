"""Prediction by whole ensembles, imported from scikit-learn and XGBoost, beside these libraries, LightGBM and YDF.

Both sides get the same NumPy array and give probabilities, with two threads, except for one row. The packing of the
trees is done by the first call, which does not count.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from datasets import logistic
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from timing import Figure, Job, LeftOutError, Settings, at_most, best_of_turns, repeated, seconds

import branchwork as bw

TRAINING_ROWS, ROWS, TREES, THREADS = 50_000, 200_000, 100, 2


def figures(settings: Settings) -> Iterator[Figure]:
    """Full trees, 63 and 255 leaves, one row, one tree, memory."""
    yield from _full_trees(settings)
    yield from _boosted(settings, 63, 0.25)
    yield from _boosted(settings, 255, 0.33)
    yield from _one_tree(settings)


def _beside(
    settings: Settings, work: str, peers: dict[str, tuple[Job, float | None]], ours: Job, calls: int = 1
) -> Iterator[Figure]:
    """Ours beside each peer, with the target of each."""
    jobs = {"ours": ours} | {name: job for name, (job, _) in peers.items()}
    best = best_of_turns(jobs, settings.rounds, seconds if calls == 1 else repeated(calls))
    for name, (_, limit) in peers.items():
        yield Figure(work, name, best[name], best["ours"], at_most(limit or 1), limit is not None)


def _rows(columns: int) -> tuple[Any, Any, Any]:
    X, y, _ = logistic(TRAINING_ROWS, columns)
    return X, y, logistic(ROWS, columns, seed=1)[0]


def _full_trees(settings: Settings) -> Iterator[Figure]:
    X, y, many = _rows(20)
    peer = RandomForestClassifier(TREES, n_jobs=THREADS, random_state=0).fit(X, y)
    ours = bw.from_sklearn(peer)
    _same(peer.predict_proba(many[:1000]), ours.predict_proba(many[:1000]))
    several = {"scikit-learn": (lambda: peer.predict_proba(many), 0.25)}
    work = f"{TREES} full trees, {ROWS:,} rows"
    yield from _beside(settings, work, several, lambda: ours.predict_proba(many, n_jobs=THREADS))
    wide = many.astype(np.float64)
    several = {"scikit-learn": (lambda: peer.predict_proba(wide), None)}
    ours_wide = lambda: ours.predict_proba(wide, n_jobs=THREADS)  # noqa: E731
    yield from _beside(settings, f"{work}, float64", several, ours_wide)
    one = {"scikit-learn": (lambda: peer.predict_proba(many[:1]), 0.015)}
    yield from _beside(
        settings, f"{TREES} full trees, one row", one, lambda: ours.predict_proba(many[:1]), 20
    )
    yield _memory(f"{TREES} full trees", ours)


def _boosted(settings: Settings, leaves: int, limit: float) -> Iterator[Figure]:
    try:
        import xgboost
    except ImportError:
        raise LeftOutError("xgboost is not installed") from None
    X, y, many = _rows(28)
    peer = xgboost.XGBClassifier(
        n_estimators=TREES, max_leaves=leaves, max_depth=0, grow_policy="lossguide", n_jobs=THREADS
    ).fit(X, y)
    ours = bw.from_xgboost(peer.get_booster())
    _same(peer.predict_proba(many[:1000]), ours.predict_proba(many[:1000]))
    several: dict[str, tuple[Job, float | None]] = {"XGBoost": (lambda: peer.predict_proba(many), limit)}
    one: dict[str, tuple[Job, float | None]] = {"XGBoost": (lambda: peer.predict_proba(many[:1]), 0.1)}
    for name, job, job_of_one in _others(X, y, many, leaves):
        several[name] = (job, 0.5 if name == "YDF" and leaves == 63 else None)
        one[name] = (job_of_one, 0.1 if name == "LightGBM" else None)
    work = f"{TREES} × {leaves} leaves"
    yield from _beside(
        settings, f"{work}, {ROWS:,} rows", several, lambda: ours.predict_proba(many, n_jobs=THREADS)
    )
    if leaves == 63:
        yield from _beside(settings, f"{work}, one row", one, lambda: ours.predict_proba(many[:1]), 50)
    yield _memory(work, ours)


def _others(X: Any, y: Any, many: Any, leaves: int) -> Iterator[tuple[str, Job, Job]]:
    """Models of the same size by libraries whose trees are their own: name, all rows, one row."""
    try:
        import lightgbm
    except ImportError:
        print("  note: lightgbm is not installed; its figures are left out")
    else:
        light = lightgbm.LGBMClassifier(
            n_estimators=TREES, num_leaves=leaves, n_jobs=THREADS, verbose=-1
        ).fit(X, y)
        booster = light.booster_
        yield "LightGBM", lambda: light.predict_proba(many), lambda: light.predict_proba(many[:1])
        yield (
            "LightGBM, Booster.predict",
            lambda: booster.predict(many, num_threads=THREADS),
            lambda: booster.predict(many[:1], num_threads=1),
        )
    try:
        import ydf
    except ImportError:
        print("  note: ydf is not installed; its figures are left out")
        return
    ydf.verbose(0)
    names = [f"f{j}" for j in range(X.shape[1])]
    learner = ydf.GradientBoostedTreesLearner(
        label="y",
        num_trees=TREES,
        growing_strategy="BEST_FIRST_GLOBAL",
        max_num_nodes=leaves,
        max_depth=-1,
        validation_ratio=0.0,
        early_stopping="NONE",
        num_threads=THREADS,
    )
    model = learner.train({name: X[:, j] for j, name in enumerate(names)} | {"y": y})
    columns = {name: np.ascontiguousarray(many[:, j]) for j, name in enumerate(names)}
    first = {name: column[:1] for name, column in columns.items()}
    yield (
        "YDF",
        lambda: model.predict(columns, num_threads=THREADS),
        lambda: model.predict(first, num_threads=1),
    )


def _one_tree(settings: Settings) -> Iterator[Figure]:
    X, y, _ = _rows(20)
    many = logistic(1_000_000, 20, seed=1)[0]
    peer = DecisionTreeClassifier(random_state=0).fit(X, y)
    ours = bw.from_sklearn(peer)
    for threads, limit in ((THREADS, 0.25), (1, None)):
        work = f"one tree, 1,000,000 rows, {threads} thread{'s' * (threads > 1)}"
        job = lambda n_jobs=threads: ours.predict_proba(many, n_jobs=n_jobs)  # noqa: E731
        yield from _beside(settings, work, {"scikit-learn": (lambda: peer.predict_proba(many), limit)}, job)


def _memory(work: str, model: Any) -> Figure:
    nodes = sum(tree.n_nodes for tree in model.trees)
    used = model.packed.packed_bytes
    return Figure(
        f"{work}: packed form", "16 B per node", 16 * nodes / 1e6, used / 1e6, at_most(1), unit="MB"
    )


def _same(theirs: Any, ours: Any) -> None:
    if np.abs(theirs - ours).max() > 1e-5:
        warnings.warn("the peer and its imported model do not agree", stacklevel=2)
