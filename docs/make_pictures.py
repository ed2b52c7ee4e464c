"""Make the pictures of the pages on algorithms: python docs/make_pictures.py"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import branchwork as bw
from branchwork.files import save_text
from branchwork.study.bias_result import BiasVarianceSweep
from branchwork.view.chart import Series, dot_rows, line_chart
from branchwork.view.pieces import Svg

PICTURES: dict[str, tuple[str, Any]] = {
    "id3-tennis": ("play_tennis", bw.ID3Classifier()),
    "id3-vegetation": ("vegetation", bw.ID3Classifier()),
    "id3-bikes": ("bike_rentals", bw.ID3Regressor()),
    "stump-food": ("food_journal", bw.StumpClassifier()),
    "c45-tennis": ("play_tennis", bw.C45Classifier()),
    "cart-tennis": ("play_tennis", bw.CARTClassifier()),
    "cart-bikes": ("bike_rentals", bw.CARTRegressor(max_depth=2)),
    "chaid-restaurant": ("restaurant", bw.CHAIDClassifier()),
    "trees-tennis": (
        "play_tennis",
        bw.TreeClassifier(criterion="entropy", nominal="one_vs_rest", max_leaf_nodes=3),
    ),
}
"""Name of the picture → bundled table, estimator."""


def _samples() -> Svg:
    """Which rows of the tennis table each of five bootstrap samples has, and how often."""
    tennis = bw.datasets.load("play_tennis")
    bag = bw.BaggingClassifier(bw.ID3Classifier(), n_estimators=5).fit(tennis.X, tennis.y)
    copies = np.stack([np.bincount(rows, minlength=14) for rows in bag.estimators_samples_])
    return dot_rows(
        [f"sample {k}" for k in range(5)],
        copies.astype(float),
        None,
        title="Five bootstrap samples of 14 rows: large dots were drawn often",
        theme="auto",
    )


def _subspaces() -> Svg:
    """Which features split the first trees of a forest of subspaces."""
    tennis = bw.datasets.load("play_tennis")
    forest = bw.RandomForestClassifier(6, subspace="tree", max_features=2).fit(tennis.X, tennis.y)
    names = tennis.X.schema.names
    used = np.zeros((6, len(names)))
    for k, tree in enumerate(forest.trees_):
        used[k] = np.bincount(tree.feature[tree.feature >= 0], minlength=len(names))
    return dot_rows(
        [f"tree {k}" for k in range(6)],
        used,
        None,
        title="Each tree has two of four features: the larger a dot, the more splits",
        columns=names,
        theme="auto",
    )


def _weights() -> Svg:
    tennis = bw.datasets.load("play_tennis")
    boosted = bw.AdaBoostClassifier(n_estimators=6).fit(tennis.X, tennis.y)
    return boosted.stage_weights(tennis.X, tennis.y).to_svg(theme="auto")


def _stages() -> Svg:
    tennis = bw.datasets.load("play_tennis")
    return bw.AdaBoostClassifier(n_estimators=12).fit(tennis.X, tennis.y).stages_.to_svg(theme="auto")


def _votes() -> Svg:
    tennis = bw.datasets.load("play_tennis")
    forest = bw.RandomForestClassifier(50).fit(tennis.X, tennis.y)
    return forest.why(tennis.X.take([5])).to_svg(theme="auto")


def _noisy_rings(rows: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Return a table that a single tree learns badly: two rings and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 8))
    return X, ((X[:, 0] ** 2 + X[:, 1] ** 2 < 1.4) ^ (rng.random(rows) < 0.1)).astype(int)


def _errors() -> Svg:
    forest = bw.RandomForestClassifier(200, oob_score=True).fit(*_noisy_rings())
    assert forest.model_.ensemble is not None
    places, errors = zip(*forest.model_.ensemble.errors, strict=True)
    return line_chart(
        places,
        [Series("out-of-bag error", errors)],
        title="More trees, fewer errors",
        across="trees",
        theme="auto",
    )


def _depth_curve() -> str:
    """Error against depth on a table whose truth is known."""
    board = bw.study.CheckerboardSampler(flip=0.1)
    found = bw.study.curve(bw.TreeClassifier(), *board(600, seed=0), over="max_depth")
    return found.to_svg(theme="auto", floor=board.bayes_error)


def _size_curve() -> str:
    board = bw.study.CheckerboardSampler(flip=0.1)
    found = bw.study.curve(bw.TreeClassifier(), *board(600, seed=0), over="ccp_alpha", choose="1se")
    return found.to_svg(theme="auto", against="leaves")


def _occam() -> str:
    board = bw.study.CheckerboardSampler(flip=0)
    return bw.study.consistent_trees(*board(400, seed=0)).to_svg(theme="auto")


def _sweep() -> BiasVarianceSweep:
    waves = bw.study.WaveSampler(noise=0.3)
    depths = [1, 2, 3, 4, 6, 8]
    found = bw.study.bias_variance(
        bw.TreeRegressor(), waves, n_train=80, n_repeats=200, over="max_depth", values=depths
    )
    assert isinstance(found, BiasVarianceSweep)
    return found


def _parts() -> str:
    return _sweep().to_svg(theme="auto")


def _boards() -> str:
    return _sweep().to_svg(what="boards", theme="auto")


DRAWN: dict[str, Callable[[], str]] = {
    "bagging-samples": _samples,
    "forest-subspaces": _subspaces,
    "forest-errors": _errors,
    "forest-votes": _votes,
    "adaboost-weights": _weights,
    "adaboost-stages": _stages,
    "study-depth": _depth_curve,
    "study-size": _size_curve,
    "study-occam": _occam,
    "study-parts": _parts,
    "study-boards": _boards,
}
"""Name of the picture → what draws it."""


def picture(name: str) -> str:
    """The picture as SVG; it follows the reader's choice of light and dark."""
    if name in DRAWN:
        return str(DRAWN[name]())
    table, estimator = PICTURES[name]
    data = bw.datasets.load(table)
    return str(estimator.fit(data.X, data.y).to_svg(theme="auto"))


if __name__ == "__main__":
    folder = Path(__file__).parent / "pictures"
    folder.mkdir(exist_ok=True)
    for name in (*PICTURES, *DRAWN):
        save_text(folder / f"{name}.svg", picture(name))
