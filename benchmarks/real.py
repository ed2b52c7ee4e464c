"""One full tree on real tables: ours takes the data frame as it is, scikit-learn's its categories one-hot encoded.

Both learn from the same 80 % of the rows; a note says how well they do on the rest. What turns the frame into our table
counts in our time; the encoding does not count in scikit-learn's.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from datasets import real
from scipy import sparse
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from timing import Figure, Settings, at_least, at_most, best_of_turns

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning

TURNS = {"letter": 5, "california_housing": 5, "adult": 3, "covertype": 1}
"""So many for each round that is asked for: a fit on a small table takes a few milliseconds."""

FLOORS = {"letter": 9, "covertype": 18, "adult": 12, "california_housing": 6.5}
"""How many times faster than scikit-learn a fit is to be; the others must not be slower."""

DENSE_BYTES = 6e9
"""A larger one-hot table is sparse."""


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare fits with Gini or squared error, without limits, on one thread; then ourselves on folds and threads."""
    for name, turns in TURNS.items():
        yield _figure(settings, name, turns * settings.rounds)
    yield _folds(settings)
    yield _threads(settings)


def flights(settings: Settings) -> Iterator[Figure]:
    """Compare one fit on three million rows, for which scikit-learn takes seven minutes."""
    yield _figure(settings, "flights_2001_3m", 1)


def _folds(settings: Settings) -> Figure:
    """Ten folds share one sorted table, but each of them grows, prunes and judges a tree."""
    frame, y = real(settings.data, "adult")
    jobs = {
        "one": lambda: bw.CARTClassifier(cp=0.0).fit(frame, y),
        "folds": lambda: bw.CARTClassifier(cp=0.0, xval=10).fit(frame, y),
    }
    best = best_of_turns(jobs, settings.rounds)
    return Figure("CART, xval=10, adult", "ours, one fit", best["one"], best["folds"], at_most(10))


def _threads(settings: Settings) -> Figure:
    """C4.5 shares rows among branches, so its nodes own their rows."""
    frame, y = real(settings.data, "census_income_kdd")
    table = bw.to_table(frame)
    jobs = {
        n_jobs: lambda n_jobs=n_jobs: bw.C45Classifier(pruning=None, n_jobs=n_jobs).fit(table, y)
        for n_jobs in (1, 2)
    }
    best = best_of_turns(jobs, settings.rounds)
    return Figure("C4.5, census_income_kdd, two threads", "ours, one", best[1], best[2], at_least(1.5))


def _figure(settings: Settings, name: str, turns: int) -> Figure:
    frame, y = real(settings.data, name)
    order = np.random.default_rng(0).permutation(len(frame))
    train, test = np.split(order, [len(order) * 4 // 5])
    best = _one_table(turns, frame, y, train, test)
    work = f"{name}, {len(train):,} rows"
    return Figure(work, "scikit-learn", best["peer"], best["ours"], at_least(FLOORS.get(name, 1)))


def _one_table(rounds: int, frame: pd.DataFrame, y: Any, train: Any, test: Any) -> dict[str, float]:
    X, held_out = frame.iloc[train], frame.iloc[test]
    encoded, encoded_held_out = one_hot(X, held_out)
    is_numeric = y.dtype.kind == "f"
    ours = (bw.TreeRegressor if is_numeric else bw.TreeClassifier)()
    peer = (DecisionTreeRegressor if is_numeric else DecisionTreeClassifier)(random_state=0)
    jobs = {"ours": lambda: ours.fit(X, y[train]), "peer": lambda: peer.fit(encoded, y[train])}
    best = best_of_turns(jobs, rounds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        score = ours.score(held_out, y[test])
    peer_score = peer.score(encoded_held_out, y[test])
    print(
        f"  note: on the other rows {'R²' if is_numeric else 'accuracy'} {score:.4f}, scikit-learn {peer_score:.4f};"
        f" leaves {ours.get_n_leaves():,} and {peer.get_n_leaves():,};"
        f" columns {X.shape[1]} and {encoded.shape[1]}{' (sparse)' if sparse.issparse(encoded) else ''}"
    )
    return best


def one_hot(train: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """Both as float32: numbers with NaN for missing cells, then a column of 0 and 1 for each category.

    They are in column order, in which scikit-learn is a little faster.
    """
    nominal = [name for name in train if not pd.api.types.is_numeric_dtype(train[name])]
    encoder = OneHotEncoder(dtype=np.float32, handle_unknown="ignore").fit(train[nominal])
    tables = []
    for frame in (train, test):
        numbers = sparse.csr_array(frame.drop(columns=nominal).to_numpy(np.float32, na_value=np.nan))
        table = sparse.hstack([numbers, encoder.transform(frame[nominal])], format="csc")
        tables.append(table.toarray() if 4 * len(train) * table.shape[1] <= DENSE_BYTES else table)
    return tables[0], tables[1]
