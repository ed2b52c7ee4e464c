"""Random forests on real tables: ours takes the data frame as it is, scikit-learn's its categories one-hot encoded.

Both learn from the same 80 % of the rows with two threads; a note says how well they do on the rest. What turns the
frame into our table counts in our time; the encoding does not count in scikit-learn's. YDF, if it is installed, takes
the same frame as we do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from datasets import real
from real import one_hot
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from timing import Figure, Settings, at_least, best_of_turns

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning

TABLES = (
    "letter",
    "california_housing",
    "adult",
    "diamonds",
    "census_income_kdd",
    "covertype_nominal",
    "covertype",
)
TREES, JOBS = 50, 2


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare fits of full trees, √d features for classes and d/3 for numbers, counted in each side's own columns."""
    for name in TABLES:
        yield _one_table(name, settings)


def _one_table(name: str, settings: Settings) -> Figure:
    frame, y = real(settings.data, name)
    order = np.random.default_rng(0).permutation(len(frame))
    train, test = np.split(order, [len(order) * 4 // 5])
    X, held_out = frame.iloc[train], frame.iloc[test]
    encoded, encoded_held_out = one_hot(X, held_out)
    if y.dtype.kind == "f":
        ours = bw.RandomForestRegressor(TREES, n_jobs=JOBS)
        theirs = RandomForestRegressor(TREES, max_features=1 / 3, n_jobs=JOBS, random_state=0)
    else:
        ours = bw.RandomForestClassifier(TREES, n_jobs=JOBS)
        theirs = RandomForestClassifier(TREES, n_jobs=JOBS, random_state=0)
    jobs = {
        "ours": lambda: ours.fit(X, y[train]),
        "scikit-learn": lambda: theirs.fit(encoded, y[train]),
        **_ydf_jobs(X, y[train]),
    }
    best = best_of_turns(jobs, min(2, settings.rounds))
    peer = min((one for one in jobs if one != "ours"), key=lambda one: best[one])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        score = ours.score(held_out, y[test])
    what = "R²" if y.dtype.kind == "f" else "accuracy"
    other = theirs.score(encoded_held_out, y[test])
    print(f"  note: {name}: {what} on the other rows {score:.4f}, scikit-learn {other:.4f}")
    return Figure(
        f"forest of {TREES}, {name}, {len(train):,} rows",
        peer,
        best[peer],
        best["ours"],
        at_least(1),
    )


def _ydf_jobs(X: pd.DataFrame, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Return the same forest of YDF, if it is installed."""
    try:
        import ydf
    except ImportError:
        return {}
    numeric = y.dtype.kind == "f"
    learner = ydf.RandomForestLearner(
        label="y of the rows",
        task=ydf.Task.REGRESSION if numeric else ydf.Task.CLASSIFICATION,
        num_trees=TREES,
        max_depth=-1,
        min_examples=1,
        num_threads=JOBS,
        winner_take_all=False,
        compute_oob_performances=False,
    )
    data = X.assign(**{"y of the rows": y})
    return {"YDF": lambda: learner.train(data, verbose=0)}
