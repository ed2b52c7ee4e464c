"""The same bytes for any number of threads: every estimator, in every situation that goes its own way in the core.

The table is large enough for threads to be used: the columns of its root and of the nodes below are shared out, and
smaller nodes are tasks (cpp/core/parallel.hpp has the limit, 65 536 cells).
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import branchwork as bw
from branchwork.grow.grow import grow_many
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Subspace
from branchwork.grow.recipes import RECIPES
from branchwork.learn.threads import thread_count
from branchwork.table.adapt import to_table
from branchwork.table.target import Classes, Values
from branchwork.tree.tree import Tree

from registry import EVERYTHING, for_large_tables
from tables import DEEP

THREADS = (1, 2, 3, 8) if DEEP else (1, 3)
ROWS = 20_000
CELLS_FOR_THREADS = 65_536
SLOW = (
    bw.RuleListClassifier,
    bw.OptimalTreeClassifier,
    bw.OptimalTreeRegressor,
)
"""Their growth, or the growth of their rules, takes one thread or a long time; one situation is enough."""
FEWER_ROWS = 10_000

SITUATIONS = {
    "as it comes": {},
    "weights": {},
    "numbers": {},
    "two classes": {},
    "missing: branch": {"missing": "branch"},
    "missing: larger": {"missing": "larger"},
    "missing: share": {"missing": "share", "max_depth": 12},
    "missing: learn": {"missing": "learn"},
    "surrogates": {"max_surrogates": 3},
    "cross-validated": {"xval": 3, "cp": 0.002},
    "gain ratio": {"criterion": "gain_ratio", "max_depth": 6},
    "best first": {"order": "best", "max_leaf_nodes": 200},
    "subsets": {"nominal": "subset", "min_samples_leaf": 20},
    "class weights": {"class_weight": "balanced"},
    "j48": {"variant": "j48"},
    "value groups": {"value_groups": True},
    "poisson": {"criterion": "poisson"},
}
"""What the estimator is set to; what is in the name is done to the table."""


def table() -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, whole numbers, words and flags, a tenth of the cells missing."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "normal": rng.normal(size=ROWS),
            "whole": rng.integers(0, 50, size=ROWS).astype(float),
            "skewed": rng.exponential(size=ROWS) ** 3,
            "narrow": rng.normal(size=ROWS).astype(np.float32),
            "colour": rng.choice(["red", "green", "blue", "grey"], size=ROWS),
            "letter": rng.choice(list("abcdefghij"), size=ROWS),
            "flag": rng.random(ROWS) < 0.3,
        }
    ).astype({"colour": object, "letter": object, "flag": object})
    score = X["normal"] + (X["colour"] == "red") + 0.05 * X["whole"] + rng.normal(size=ROWS)
    for name in X:
        X.loc[rng.random(ROWS) < 0.1, name] = None
    return X, score.to_numpy()


LARGE, SCORE = table()
NUMBERS = LARGE[["normal", "whole", "skewed", "narrow"]].fillna(0.0)
WEIGHTS = np.random.default_rng(1).random(ROWS)


def fits(estimator, situation: str) -> bool:
    """Whether an estimator has the settings of a situation and takes their values."""
    settings, known = SITUATIONS[situation], estimator.get_params()
    if type(estimator) in SLOW and situation != "as it comes":
        return False
    if situation == "j48":
        return isinstance(estimator, bw.C45Classifier)
    if situation == "two classes" or settings.get("criterion") == "gain_ratio":
        return is_classifier(estimator) and settings.keys() <= known.keys() and "order" in known
    if settings.get("criterion") == "poisson":
        return not is_classifier(estimator) and "order" in known
    return settings.keys() <= known.keys() and not (situation == "subsets" and "order" not in known)


CASES = [
    pytest.param(factory, situation, id=f"{factory.__name__}, {situation}")
    for factory in EVERYTHING
    for situation in SITUATIONS
    if fits(factory(), situation)
]


def data(estimator, situation: str):
    cuts = [1.5] if situation == "two classes" else [0.5, 1.5, 2.5]
    y = np.digitize(SCORE, cuts) if is_classifier(estimator) else (SCORE - SCORE.min()).round(3)
    rows = FEWER_ROWS if type(estimator) in SLOW else ROWS
    X = NUMBERS if situation == "numbers" else LARGE
    return X[:rows], y[:rows], WEIGHTS[:rows] if situation == "weights" else None


def saved(model) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bw"
        bw.save(model, path)
        return path.read_bytes()


@pytest.mark.parametrize(("factory", "situation"), CASES)
def test_the_saved_model_has_the_same_bytes(factory, situation):
    X, y, weights = data(factory(), situation)
    assert X.size >= CELLS_FOR_THREADS
    found = {}
    for n_jobs in THREADS:
        estimator = for_large_tables(factory).set_params(**SITUATIONS[situation], n_jobs=n_jobs)
        estimator.fit(X, y, sample_weight=weights)
        found[n_jobs] = saved(estimator.model_), estimator.predict(X).tobytes()
        assert n_jobs > 1 or factory in SLOW or estimator.tree_.n_nodes >= 3
    assert [n for n in THREADS if found[n] != found[1]] == []


MAY_DRAW = sorted(
    name
    for name, recipe in RECIPES.items()
    if recipe.chaid is None and recipe.optimal is None and recipe.search.missing != "share"
)


def bytes_of(tree: Tree) -> list[bytes]:
    return [value.tobytes() for value in tree.__getstate__().values() if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("per", ["node", "tree"])
@pytest.mark.parametrize("trees", [1, 5])
@pytest.mark.parametrize("name", MAY_DRAW)
def test_trees_of_drawn_rows_and_features_have_the_same_bytes(name, trees, per):
    """One tree shares out its columns, several are shared out among threads."""
    recipe = RECIPES[name].replace(subspace=Subspace(3, per))
    recipe = recipe.replace(stopping=replace(recipe.stopping, max_depth=recipe.stopping.max_depth or 8))
    X = to_table(LARGE)
    target = Classes(np.digitize(SCORE, [1, 2]).astype(np.int32), (0, 1, 2))
    if not recipe.is_classification:
        target = Values(SCORE - SCORE.min())
    prepared, rng = Prepared(X, n_jobs=2), np.random.default_rng(5)
    draws = [prepared.draw(rng.integers(0, ROWS, ROWS)) for _ in range(trees)]
    found = [
        [bytes_of(tree) for tree in grow_many(prepared, target, recipe, draws, seed=9, n_jobs=n)]
        for n in THREADS
    ]
    assert all(other == found[0] for other in found[1:])
    assert trees == 1 or found[0][0] != found[0][1]


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 1), (1, 1), (2, 2), (3, 3), (8, 8), (-1, joblib.cpu_count())]
)
def test_n_jobs_is_the_number_of_threads(n_jobs, threads, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count(n_jobs) == threads
