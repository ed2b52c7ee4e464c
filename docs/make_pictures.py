"""Make the pictures of the documentation: python docs/make_pictures.py"""

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


def _iris_tree(max_depth: int) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True)
    species = iris.target_names[iris.target]
    return bw.CARTClassifier(max_depth=max_depth).fit(iris.data, species), iris.data, species


def _tennis() -> Svg:
    tennis = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(tennis.X, tennis.y).to_svg()


def _iris() -> Svg:
    tree, X, y = _iris_tree(3)
    return tree.to_svg(X, y, highlight=tree.apply(X[70:71])[0])


def _bikes() -> Svg:
    bikes = bw.datasets.load("bike_rentals")
    return bw.TreeRegressor(max_depth=2).fit(bikes.X, bikes.y).to_svg(theme="dark")


def _missing_values() -> Svg:
    tennis = bw.datasets.load("play_tennis")
    X = tennis.X.to_pandas().astype(object)
    X.iloc[[1, 5], 0] = X.iloc[8, 2] = None
    return bw.C45Classifier(pruning=None).fit(X, tennis.y).to_svg()


def _digits() -> Svg:
    """Ten classes: two of them are hatched."""
    from sklearn.datasets import load_digits

    return bw.CARTClassifier(max_depth=4).fit(*load_digits(return_X_y=True)).to_svg(orientation="LR")


def _lines() -> Svg:
    """A tree of many nodes, one line each."""
    tree, _, _ = _iris_tree(20)
    return tree.to_svg(orientation="LR", compact=True)


def _marks() -> Svg:
    """A tree of a thousand nodes, a mark each."""
    X, y = _noisy_rings(3000)
    tree = bw.CARTClassifier(max_leaf_nodes=500).fit(X, np.where(y == 1, "inside", "outside"))
    return tree.to_svg(compact="marks")


def _regions_of_food() -> str:
    food = bw.datasets.load("food_allergy11")
    tree = bw.TreeClassifier().fit(food.X, food.y)
    return bw.study.regions(tree, food.X, food.y).to_svg()


def _regions_of_iris() -> str:
    tree, X, y = _iris_tree(4)
    return bw.study.regions(tree, X, y, features=("petal length (cm)", "petal width (cm)")).to_svg()


def _regions_of_bikes() -> str:
    bikes = bw.datasets.load("bike_rentals")
    return bw.study.regions(bw.CARTRegressor().fit(bikes.X, bikes.y), bikes.X, bikes.y).to_svg()


DRAWN: dict[str, Callable[[], str]] = {
    "play_tennis": _tennis,
    "iris": _iris,
    "bike_rentals": _bikes,
    "missing_values": _missing_values,
    "digits": _digits,
    "iris-lines": _lines,
    "rings-marks": _marks,
    "regions-food": _regions_of_food,
    "regions-iris": _regions_of_iris,
    "regions-bikes": _regions_of_bikes,
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


def _tree_display() -> Any:
    tennis = bw.datasets.load("play_tennis")
    return bw.TreeDisplay.from_estimator(bw.ID3Classifier().fit(tennis.X, tennis.y))


def _pruning_display() -> Any:
    noise = np.random.default_rng(0)
    X = noise.random((600, 5))
    y = np.where(X[:, 0] + X[:, 1] > 1, "yes", "no")
    y[noise.random(600) < 0.15] = "no"
    return bw.PruningPathDisplay.from_cp_table(bw.CARTClassifier(xval=10).fit(X, y).cp_table_)


def _importance_display() -> Any:
    tennis = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    return bw.ImportanceDisplay.from_estimator(tree, max_features=20)


DISPLAYS: dict[str, Callable[[], Any]] = {
    "display-tree": _tree_display,
    "display-pruning": _pruning_display,
    "display-importance": _importance_display,
}
"""Name of the PNG → what draws it with matplotlib. The bytes depend on the version of matplotlib."""


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
    from matplotlib import pyplot as plt

    from branchwork.view.palette import DARK

    papers = ("figure.facecolor", "savefig.facecolor", "axes.facecolor")
    dark = dict.fromkeys(papers, DARK.background)
    for name, draw in DISPLAYS.items():
        draw().figure_.savefig(folder / f"{name}.png", dpi=110)
        with plt.style.context(["dark_background", dark]):
            draw().figure_.savefig(folder / f"{name}-dark.png", dpi=110)
