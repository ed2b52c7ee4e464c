"""Stumps on a million rows of ten numbers, one thread, against scikit-learn's trees of depth 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from datasets import gaussian
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from timing import Figure, Settings, at_least, best_of_turns

import branchwork as bw

ROWS, COLUMNS = 1_000_000, 10


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare whole fits of a C-order array, checks and conversions included."""
    X, y = gaussian(ROWS, COLUMNS)
    numbers = X[:, 3] + np.random.default_rng(1).standard_normal(ROWS)
    for width in (np.float64, np.float32):
        yield from _one_width(X.astype(width), y, numbers, settings)


def _one_width(X: np.ndarray, y: np.ndarray, numbers: np.ndarray, settings: Settings) -> Iterator[Figure]:
    classifier, regressor = "DecisionTreeClassifier(max_depth=1)", "DecisionTreeRegressor(max_depth=1)"
    ours = {
        "accuracy": (lambda: bw.StumpClassifier().fit(X, y), classifier),
        "gini": (lambda: bw.StumpClassifier(criterion="gini").fit(X, y), classifier),
        "squared error": (lambda: bw.StumpRegressor().fit(X, numbers), regressor),
    }
    peers = {
        classifier: lambda: DecisionTreeClassifier(max_depth=1).fit(X, y),
        regressor: lambda: DecisionTreeRegressor(max_depth=1).fit(X, numbers),
    }
    best = best_of_turns(peers | {work: job for work, (job, _) in ours.items()}, settings.rounds)
    for work, (_, peer) in ours.items():
        yield Figure(f"stump {work}, 1M × 10 {X.dtype}", peer, best[peer], best[work], at_least(10))
    _check_same_split(X, y)


def _check_same_split(X: np.ndarray, y: np.ndarray) -> None:
    """A comparison of times means something only if both find the same cut.

    Nearly the same: scikit-learn does not cut between values closer than 1e-7, so a neighbour may win there.
    """
    ours = bw.StumpClassifier(criterion="gini").fit(X, y).tree_
    peer = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    found = (ours.feature[0], ours.cut[0]), (peer.feature[0], peer.threshold[0])
    if not np.allclose(*found, rtol=0, atol=1e-4):
        print("  note: stump gini: our column and cut {}, scikit-learn's {}".format(*found))
