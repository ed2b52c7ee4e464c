"""CHAID on many categories, rows and columns; C4.5 on very many classes. One thread; limits instead of peers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from timing import Figure, Settings, at_least, best_of_turns

import branchwork as bw
from branchwork.errors import IdentifierWarning, TooLargeError

LEVELS = (2, 5, 10, 20, 35, 50)


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare our times with limits in seconds, which stand where other families have a peer."""
    X, y, numbers = _mixed(300_000)
    wide = np.random.default_rng(0).normal(size=(200, 10_000))
    two = (wide[:, 5] + wide[:, 9] > 0).astype(int)
    words, survived = _words()
    rows, classes = np.random.default_rng(0).normal(size=(200_000, 5)), np.arange(200_000) % 100_000
    works: dict[str, tuple[float, Callable[[], Any]]] = {
        "CHAID, 1 309 × 3, 186 to 929 categories": (0.1, lambda: bw.CHAIDClassifier().fit(words, survived)),
        "CHAID, 300 000 × 12, depth 5": (1.0, lambda: bw.CHAIDClassifier(max_depth=5).fit(X, y)),
        "CHAID, 300 000 × 12, depth 5, numbers": (
            1.0,
            lambda: bw.CHAIDRegressor(max_depth=5).fit(X, numbers),
        ),
        "CHAID, 200 × 10 000": (2.0, lambda: bw.CHAIDClassifier().fit(wide, two)),
        "C4.5, 200 000 × 5, 100 000 classes": (2.0, lambda: _refused(bw.C45Classifier(), rows, classes)),
        "rules, 200 000 × 5, 100 000 classes": (
            2.0,
            lambda: _refused(bw.RuleListClassifier(), rows, classes),
        ),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)
        best = best_of_turns({work: job for work, (_, job) in works.items()}, settings.rounds)
    for work, (limit, _) in works.items():
        yield Figure(work, f"a limit of {limit:g} s", limit, best[work], at_least(1))


def _refused(estimator: Any, X: np.ndarray, y: np.ndarray) -> None:
    """A tree of so many classes fits into few machines; elsewhere it must be refused soon."""
    try:
        estimator.fit(X, y)
    except TooLargeError:
        return


def _mixed(rows: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Six nominal columns of 2 to 50 categories and six of numbers, with two classes and with numbers."""
    rng = np.random.default_rng(0)
    X, score = {}, np.zeros(rows)
    for levels in LEVELS:
        codes = rng.integers(0, levels, rows)
        X[f"of {levels}"] = pd.Categorical.from_codes(codes, [f"v{k}" for k in range(levels)])
        score += 0.4 * rng.normal(size=levels)[codes]
    for j in range(6):
        x = rng.normal(size=rows)
        X[f"x{j}"] = x
        score += 0.4 * np.sin(x * (j + 1) / 2)
    noisy = score + rng.normal(size=rows)
    return pd.DataFrame(X), (noisy > 0).astype(int), noisy


def _words() -> tuple[dict[str, list[str]], np.ndarray]:
    """Columns like Titanic's tickets, cabins and homes: most categories have one or two rows."""
    rng = np.random.default_rng(0)
    X = {}
    for name, levels in (("ticket", 929), ("cabin", 186), ("home", 369)):
        codes = np.concatenate([np.arange(levels), rng.integers(0, levels, 1309 - levels)])
        X[name] = [f"{name} {code}" for code in rng.permutation(codes)]
    return X, (rng.random(1309) < 0.4).astype(int)
