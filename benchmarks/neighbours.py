"""Nearest neighbours: 10 000 questions to 100 000 rows of eight numbers, against scikit-learn, one thread each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from timing import Figure, Settings, at_most, best_of_turns

import branchwork as bw

ROWS, COLUMNS, QUESTIONS = 100_000, 8, 10_000


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare predictions of fitted estimators; the fits come last, for information."""
    rng = np.random.default_rng(0)
    X, asked = rng.standard_normal((ROWS, COLUMNS)), rng.standard_normal((QUESTIONS, COLUMNS))
    y, numbers = rng.integers(0, 3, ROWS), rng.standard_normal(ROWS)
    peer = KNeighborsClassifier().fit(X, y)
    yield from _beside(peer, bw.NeighboursClassifier().fit(X, y), asked, "mixed", settings)
    yield from _beside(
        peer, bw.NeighboursClassifier(metric="euclidean").fit(X, y), asked, "euclidean", settings
    )
    yield from _beside(
        KNeighborsRegressor(weights="distance").fit(X, numbers),
        bw.NeighboursRegressor(weights="distance").fit(X, numbers),
        asked,
        "numbers by distance",
        settings,
    )
    whole, whole_asked = X.round(0), asked.round(0)  # most distances tie, and our ties are closed
    yield from _beside(
        KNeighborsClassifier().fit(whole, y),
        bw.NeighboursClassifier().fit(whole, y),
        whole_asked,
        "whole numbers",
        settings,
        wanted=False,
    )
    wide, wide_asked = rng.standard_normal((20_000, 40)), rng.standard_normal((2_000, 40))
    yield from _beside(
        KNeighborsClassifier(n_jobs=1).fit(wide, y[:20_000]),
        bw.NeighboursClassifier(n_jobs=1).fit(wide, y[:20_000]),
        wide_asked,
        "20k × 40, brute force",
        settings,
        wanted=False,
    )
    fits = {
        "peer": lambda: KNeighborsClassifier().fit(X, y),
        "ours": lambda: bw.NeighboursClassifier().fit(X, y),
    }
    best = best_of_turns(fits, settings.rounds)
    yield Figure(
        "neighbours, fit", "KNeighborsClassifier", best["peer"], best["ours"], at_most(1.1), wanted=False
    )


def _beside(
    peer: Any, ours: Any, asked: np.ndarray, work: str, settings: Settings, *, wanted: bool = True
) -> Iterator[Figure]:
    jobs = {"peer": lambda: peer.predict(asked), "ours": lambda: ours.predict(asked)}
    best = best_of_turns(jobs, settings.rounds)
    name = type(peer).__name__
    yield Figure(f"neighbours, {work}", name, best["peer"], best["ours"], at_most(1.1), wanted=wanted)
