"""One whole tree on 150 000 × 20 floats against scikit-learn and YDF: growth, prediction and memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from datasets import logistic
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from timing import Figure, Job, Settings, at_least, at_most, best_of_turns, repeated

import branchwork as bw

ROWS, COLUMNS = 150_000, 20


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare whole fits of a C-order array of float32, checks and conversions included; one thread unless said."""
    X, y, z = logistic(ROWS, COLUMNS)
    rng = np.random.default_rng(1)
    numbers = z + rng.standard_normal(ROWS)
    ten = np.digitize(z + rng.standard_normal(ROWS), np.quantile(z, np.arange(1, 10) / 10))
    weights = rng.random(ROWS) + 0.5
    entropy: dict[str, Any] = {"criterion": "entropy"}
    yield from _beside("entropy, full", settings, 25, X, y, entropy)
    yield from _beside("entropy, depth 6", settings, 28, X, y, {**entropy, "max_depth": 6})
    yield from _beside("gini, full", settings, None, X, y, {})
    yield from _beside("squared error, full", settings, 14, X, numbers, {})
    yield from _beside("entropy, 10 classes, full", settings, 8, X, ten, entropy)
    yield from _beside("entropy, weighted rows, full", settings, 8, X, y, entropy, weights)
    yield from _beside("gini, weighted rows, full", settings, None, X, y, {}, weights)
    yield from _ydf(settings, X, y)
    yield from _ourselves(settings, X, y)
    yield from _predict(settings, X, y)
    yield _memory()


def _pair(X: Any, y: Any, options: dict[str, Any], weights: Any = None) -> tuple[Job, Job]:
    """Our fit and scikit-learn's."""
    is_numeric = y.dtype.kind == "f"
    ours = (bw.TreeRegressor if is_numeric else bw.TreeClassifier)(**options)
    peer = (DecisionTreeRegressor if is_numeric else DecisionTreeClassifier)(**options)
    return lambda: ours.fit(X, y, sample_weight=weights), lambda: peer.fit(X, y, sample_weight=weights)


def _beside(
    work: str,
    settings: Settings,
    wanted: float | None,
    X: Any,
    y: Any,
    options: dict[str, Any],
    w: Any = None,
) -> Iterator[Figure]:
    ours, peer = _pair(X, y, options, w)
    best = best_of_turns({"ours": ours, "peer": peer}, min(settings.rounds, 3))
    target = at_least(wanted or 1)
    yield Figure(f"tree {work}", "scikit-learn", best["peer"], best["ours"], target, wanted is not None)


def _ydf(settings: Settings, X: Any, y: Any) -> Iterator[Figure]:
    try:
        import ydf
    except ImportError:
        print("  note: ydf is not installed; its figure is left out")
        return
    ydf.verbose(0)
    data = {f"f{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    learner = ydf.CartLearner(
        label="y",
        max_depth=-1,
        min_examples=1,
        validation_ratio=0.0,
        num_threads=1,
        task=ydf.Task.CLASSIFICATION,
    )
    jobs = {
        "ours": lambda: bw.TreeClassifier(criterion="entropy").fit(X, y),
        "peer": lambda: learner.train(data),
    }
    best = best_of_turns(jobs, min(settings.rounds, 3))
    yield Figure("tree entropy, full", "YDF CART", best["peer"], best["ours"], at_least(6))


def _ourselves(settings: Settings, X: Any, y: Any) -> Iterator[Figure]:
    """Two threads beside one; missing cells shared beside none; ten times the rows, ten times the columns."""
    holes = X.copy()
    holes[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    tree = {"criterion": "entropy"}
    one, shared = bw.TreeClassifier(**tree), bw.TreeClassifier(**tree, missing="share")
    jobs = {
        "one": lambda: one.fit(X, y),
        "two": lambda: bw.TreeClassifier(**tree, n_jobs=2).fit(X, y),
        "shared": lambda: shared.fit(holes, y),
        "C4.5": lambda: bw.C45Classifier().fit(X, y),
        "C4.5 shared": lambda: bw.C45Classifier().fit(holes, y),
        "tenth": lambda: [bw.TreeClassifier(**tree).fit(X[: ROWS // 10], y[: ROWS // 10]) for _ in range(10)],
        "two columns": lambda: [bw.TreeClassifier(**tree, max_depth=8).fit(X[:, :2], y) for _ in range(10)],
        "all columns": lambda: bw.TreeClassifier(**tree, max_depth=8).fit(X, y),
    }
    best = best_of_turns(jobs, settings.rounds)
    yield Figure("tree entropy, full, two threads", "ours, one", best["one"], best["two"], at_least(1.7))
    # A row with missing cells is in many nodes at once, so the time is compared per row that a node visits.
    visits = shared.tree_.n_rows.sum() / one.tree_.n_rows.sum()
    per_visit = best["one"] * visits
    yield Figure(
        "tree entropy, share, 10 % missing, per visit", "ours, none", per_visit, best["shared"], at_most(4)
    )
    yield Figure("C4.5, share, 10 % missing", "ours, none", best["C4.5"], best["C4.5 shared"], at_most(4))
    yield Figure(
        "tree entropy, full, n → 10 n", "ours, a tenth", best["tenth"] / 10, best["one"], at_most(12)
    )
    few, many = best["two columns"] / 10, best["all columns"]
    yield Figure("tree entropy, depth 8, d → 10 d", "ours, a tenth", few, many, at_most(10.5))


def _predict(settings: Settings, X: Any, y: Any) -> Iterator[Figure]:
    ours = bw.TreeClassifier(criterion="entropy").fit(X, y)
    peer = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    many, _, _ = logistic(200_000, COLUMNS, seed=1)
    jobs = {"ours": lambda: ours.predict(many), "peer": lambda: peer.predict(many)}
    best = best_of_turns(jobs, settings.rounds)
    yield Figure("tree predict, 200 000 rows", "scikit-learn", best["peer"], best["ours"], at_least(2))
    one = many[:1]
    jobs = {"ours": lambda: ours.predict(one), "peer": lambda: peer.predict(one)}
    best = best_of_turns(jobs, settings.rounds, clock=repeated(200))
    yield Figure("tree predict, one row", "scikit-learn", best["peer"], best["ours"], at_most(0.25))


def _memory() -> Figure:
    """Bytes that a fit needs at its peak above the input, in a process of its own, beside what is allowed."""
    command = [sys.executable, str(Path(__file__).with_name("fit_memory.py")), str(ROWS), str(COLUMNS)]
    used = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    allowed = 12 * ROWS * COLUMNS + 100 * ROWS
    peer = "12 B a cell + 100 a row"
    return Figure("tree entropy, full: memory", peer, allowed / 1e6, used / 1e6, at_most(1), unit="MB")
