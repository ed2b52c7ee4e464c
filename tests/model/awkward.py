"""Small trees of every kind on random tables with missing cells, and rows that are hard on them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import is_classifier

import branchwork as bw
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table

from registry import ESTIMATORS, Factory

MORE: list[Factory] = [
    lambda: bw.CARTClassifier(max_surrogates=2),
    lambda: bw.CARTRegressor(max_surrogates=3, max_depth=3),
    lambda: bw.CARTClassifier(max_surrogates=2, handle_unknown="majority"),
    lambda: bw.TreeClassifier(missing="share", max_depth=3),
    lambda: bw.TreeRegressor(missing="share", nominal="multiway", max_depth=3),
    lambda: bw.TreeClassifier(missing="branch", nominal="one_vs_rest", handle_unknown="majority"),
    lambda: bw.TreeClassifier(missing="larger", smoothing="laplace", max_depth=4),
    lambda: bw.C45Classifier(pruning=None, min_cases=1),
    lambda: bw.C45Classifier(value_groups=True, pruning=None),
    lambda: bw.C45Classifier(variant="j48", handle_unknown="majority"),
    lambda: bw.CHAIDClassifier(alpha_split=0.9, alpha_merge=0.5),
    lambda: bw.CHAIDRegressor(alpha_split=0.9, alpha_merge=0.5),
]
KINDS: list[Factory] = [*ESTIMATORS, *MORE]
"""Every estimator as it comes, and settings under which missing cells go every way there is."""

CATEGORIES = ("a", "b", "c", "d")


def table(rng: np.random.Generator, rows: int = 40) -> Table:
    """Coarse and fine numbers and two columns of categories; a cell in seven is missing."""
    coarse = rng.integers(0, 5, rows) / 2
    fine = coarse + rng.normal(size=rows) / 2  # one can stand in for the other
    few, many = rng.integers(0, 2, rows), rng.integers(0, 4, rows)
    columns = (
        Column("coarse", "numeric"),
        Column("fine", "numeric"),
        Column("few", "nominal", ("no", "yes")),
        Column("many", "nominal", CATEGORIES),
    )
    hole = rng.random((4, rows)) < 1 / 7
    arrays = (
        np.where(hole[0], np.nan, coarse),
        np.where(hole[1], np.nan, fine),
        np.where(hole[2], -1, few).astype(np.int32),
        np.where(hole[3], -1, many).astype(np.int32),
    )
    return Table(Schema(columns), arrays)


@lru_cache(maxsize=256)
def fitted(factory: Factory, seed: int, rows: int = 40) -> Any:
    """A fitted tree; its target has to do with all columns."""
    rng = np.random.default_rng(seed)
    X, estimator = table(rng, rows), factory()
    numbers = [np.nan_to_num(array.astype(float)) for array in X.arrays]
    signal = (
        numbers[0] + numbers[1] / 2 - 2 * (numbers[2] == 1) * (numbers[3] > 1) + rng.normal(size=rows) / 2
    )
    y = np.array(["low", "mid", "top"])[np.digitize(signal, [0.5, 2])] if is_classifier(estimator) else signal
    return estimator.fit(X, y)


def rows_for(estimator: Any, seed: int, count: int = 12) -> list[dict[str, Any]]:
    """Rows at the cuts and one step beside them, infinite, missing, and with categories that nobody has seen."""
    rng = np.random.default_rng(seed)
    tree = estimator.tree_
    choices: list[list[Any]] = []
    for feature, column in enumerate(estimator.schema_):
        if column.is_nominal:
            choices.append([None, "new", *column.categories, *column.categories])
        else:
            cuts = [*tree.cut[tree.feature == feature].tolist(), *tree.bounds.tolist()]
            if tree.surrogates is not None:
                cuts += tree.surrogates.cut[tree.surrogates.feature == feature].tolist()
            cuts = [cut for cut in cuts if cut == cut]
            near = [math.nextafter(c, way) for c in cuts for way in (math.inf, -math.inf)]
            choices.append([None, math.inf, -math.inf, 0.0, 1.0, *cuts, *near])
    return [
        {
            column.name: values[int(rng.integers(len(values)))]
            for column, values in zip(estimator.schema_, choices, strict=True)
        }
        for _ in range(count)
    ]
