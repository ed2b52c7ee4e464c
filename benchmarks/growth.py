"""How the cost of a fit grows: ten times the rows should cost little more than ten times the time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datasets import gaussian, mixed
from timing import Figure, Job, Settings, at_most, best_of_turns

import branchwork as bw


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare ourselves with ourselves on a tenth of the rows."""
    small, large = 20_000, 200_000
    tables = {rows: mixed(rows) for rows in (small, large)}
    for depth in (8, None):
        jobs = {
            rows: _fit(bw.ID3Classifier(max_depth=depth), bw.to_table(X), y)
            for rows, (X, y) in tables.items()
        }
        yield _figure(f"ID3 mixed, max_depth={depth}", small, large, jobs, settings)
    small, large = 100_000, 1_000_000
    jobs = {rows: _fit(bw.StumpClassifier(), *gaussian(rows, 10)) for rows in (small, large)}
    yield _figure("stump accuracy", small, large, jobs, settings)


def _fit(estimator: Any, X: Any, y: Any) -> Job:
    return lambda: estimator.fit(X, y)


def _figure(work: str, small: int, large: int, jobs: dict[int, Job], settings: Settings) -> Figure:
    # Both turns last about as long: a short one would meet a quiet moment more easily.
    fits = large // small
    turns = {small: lambda: [jobs[small]() for _ in range(fits)], large: jobs[large]}
    best = best_of_turns(turns, settings.rounds)
    peer_seconds = best[small] / fits
    peer = f"ours, {small:,} rows"
    return Figure(f"{work}, {large:,} rows", peer, peer_seconds, best[large], at_most(12))
