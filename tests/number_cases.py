"""Fitted trees of every kind with the rows, targets and weights that they were fitted on: to recompute every number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from model.awkward import KINDS

from registry import Factory

NAMES = [f"{k}-{factory().__class__.__name__}" for k, factory in enumerate(KINDS)]
TABLES = ("plain", "holes", "weights", "class weights")


@dataclass(frozen=True)
class Case:
    """A fitted estimator and its rows; `weights` are those of samples times those of their classes."""

    estimator: Any
    rows: list[dict[str, Any]]
    y: list[Any]
    weights: list[float]
    samples: list[float]

    @property
    def labels(self) -> list[Any] | None:
        labels = self.estimator.model_.labels
        return None if labels is None else list(labels)


@lru_cache(maxsize=512)
def case(kind: int, table: str) -> Case:
    """A case on a mixed table: "plain", or with missing cells and perhaps weights."""
    factory: Factory = KINDS[kind]
    rng = np.random.default_rng(kind * 10 + TABLES.index(table))
    n, estimator = 60, factory()
    size, colour = rng.integers(0, 12, n) / 2, rng.choice(list("rgbyo"), n)
    near, flag = size + rng.normal(size=n) / 2, rng.choice([True, False], n)
    signal = size / 2 + np.isin(colour, ["r", "y"]) * 2 - flag + rng.normal(size=n) / 2
    columns: dict[str, list[Any]] = {
        "size": size.tolist(),
        "near": near.tolist(),
        "colour": colour.tolist(),
        "flag": flag.tolist(),
    }
    if table != "plain":
        for cells in columns.values():
            for k in np.flatnonzero(rng.random(n) < 1 / 8).tolist():
                cells[k] = None
    y: list[Any] = np.digitize(signal, [1.0, 2.5]).tolist() if is_classifier(estimator) else signal.tolist()
    samples = (rng.integers(1, 5, n) / 2).tolist() if table == "weights" else [1.0] * n
    of_class = {0: 1.0, 1: 1.0, 2: 1.0}
    if table == "class weights" and "class_weight" in estimator.get_params():
        of_class = {0: 0.5, 1: 2.0, 2: 1.5}
        estimator.set_params(class_weight=of_class)
    estimator.fit(columns, y, sample_weight=samples if table == "weights" else None)
    weights = [w * of_class.get(label, 1.0) for w, label in zip(samples, y, strict=True)]
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return Case(estimator, rows, y, weights, samples)


def cases() -> Iterator[tuple[int, str]]:
    """Every kind of estimator with every table."""
    return ((kind, table) for kind in range(len(KINDS)) for table in TABLES)
