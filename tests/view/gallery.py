"""Trees of every kind, to be drawn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import branchwork as bw

HOSTILE = [
    "<script>alert(1)</script>",
    "a & b",
    "]]>",
    'say "hi"',
    "back\\slash\\N",
    "\x00\x1b[31m\ufffe\x85",
    "naïve Größe",
    "Москва и область",
    "年齢と収入の関係について",
    "🌳🌲 forest",
    "\u202eright to left",
    "x" * 500,
    "two  spaces ",
    "",
    "<!-- ",
    "W" * 40,
]


def credit(n=300, seed=0):
    """Rows with missing cells of every kind."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.lognormal(10, 0.5, n).round(-2),
            "job": rng.choice(["clerk", "manager", "engineer", "retired", "student"], n),
            "age": rng.integers(18, 80, n).astype(float),
            "owns a house": rng.choice(["yes", "no"], n),
        }
    )
    granted = ((X.income > 25_000) & (X.age > 30)) | (X.job == "manager")
    y = np.where(granted ^ (rng.random(n) < 0.08), "granted", "refused")
    for name in X:
        X.loc[rng.random(n) < 0.1, name] = None
    return X, y


def hostile(seed=0, n=120):
    """A table whose every name is an attack, or hard to measure."""
    rng = np.random.default_rng(seed)
    names = HOSTILE[:4] + HOSTILE[5:9]
    X = pd.DataFrame({name: rng.choice(np.array(HOSTILE, object), n) for name in names})
    X["\x07 number <&>"] = rng.normal(size=n) * 1e-7
    return X, rng.choice(np.array(HOSTILE, object), n)


LECTURES = "play_tennis bike_rentals food_allergy food_allergy5 iris7 rain_cloud restaurant spam vegetation milk_sorted"


def lectures():
    """A tree for each bundled table."""
    for name in LECTURES.split():
        data = bw.datasets.load(name)
        try:
            yield name, bw.TreeClassifier().fit(data.X, data.y), data.X, data.y
        except bw.errors.TargetError:
            yield name, bw.TreeRegressor().fit(data.X, data.y), data.X, data.y


@cache
def trees():
    """By name: a fitted tree and rows to go with it."""
    rng = np.random.default_rng(3)
    X, y = credit()
    numbers = np.nan_to_num(X.income.to_numpy()) / 1000 + rng.normal(size=len(X))
    noise = rng.normal(size=(400, 3))
    many = np.array([f"class number {k}" for k in rng.integers(0, 30, 400)])
    weights = rng.choice([0.25, 1.0, 2.5], len(X))
    bad, bad_y = hostile()
    found = {name: (tree, X_, y_) for name, tree, X_, y_ in lectures()}
    found |= {
        "shared": (bw.C45Classifier().fit(X, y), X, y),
        "own branch": (bw.TreeClassifier(missing="branch", max_depth=3).fit(X, y), X, y),
        "learned side": (bw.TreeClassifier(missing="learn", max_depth=4).fit(X, y), X, y),
        "surrogates": (bw.CARTClassifier(max_surrogates=3, max_depth=4).fit(X, y), X, y),
        "one against the rest": (bw.TreeClassifier(nominal="one_vs_rest", max_depth=4).fit(X, y), X, y),
        "intervals": (bw.CHAIDClassifier().fit(X, y), X, y),
        "weights": (bw.TreeClassifier(max_depth=3).fit(X, y, sample_weight=weights), X, y),
        "numbers": (bw.TreeRegressor(max_depth=4).fit(X, numbers), X, numbers),
        "numbers shared": (bw.TreeRegressor(missing="share", max_depth=3).fit(X, numbers), X, numbers),
        "many classes": (bw.CARTClassifier(max_depth=5).fit(noise, many), noise, many),
        "cut": (bw.CARTClassifier().fit(noise, noise[:, 0] * noise[:, 1] > rng.normal(size=400)), None, None),
        "hostile": (bw.ID3Classifier(max_depth=2).fit(bad, bad_y), bad, bad_y),
        "hostile subsets": (bw.CARTClassifier(max_depth=3).fit(bad, bad_y), bad, bad_y),
        "pruned": (bw.CARTClassifier().fit(X, y).prune("pessimistic"), X, y),
        "stump": (bw.StumpClassifier().fit(noise, many), noise, many),
        "leaf": (bw.ID3Classifier().fit([[0], [0]], ["a", "b"]), None, None),
    }
    return found


def pictures():
    """Every tree with and without rows, by name."""
    for name, (tree, X, y) in trees().items():
        yield name, tree.to_svg()
        if X is not None:
            yield f"{name} with rows", tree.to_svg(X, y)
