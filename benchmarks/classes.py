"""The accuracy scan keeps its running maxima in O(1) a row: a thousand classes cost hardly more than two."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from timing import Figure, Settings, at_most, best_of_turns

import branchwork as bw

ROWS, COLUMNS = 1_000_000, 4


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare ourselves with ourselves on two classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    labels = {classes: rng.integers(0, classes, ROWS) for classes in (2, 1000)}
    jobs = {classes: lambda y=y: bw.StumpClassifier().fit(X, y) for classes, y in labels.items()}
    best = best_of_turns(jobs, settings.rounds)
    yield Figure("stump accuracy, 1M × 4, 1000 classes", "ours, 2 classes", best[2], best[1000], at_most(1.3))
