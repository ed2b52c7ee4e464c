"""Every estimator there is, in one place: the contract tests run over these lists, so a new one is tested at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import branchwork as bw

Factory = Callable[[], Any]

CLASSIFIERS: list[Factory] = [
    bw.ID3Classifier,
    bw.StumpClassifier,
    bw.C45Classifier,
    bw.CARTClassifier,
    bw.TreeClassifier,
    bw.CHAIDClassifier,
    bw.OptimalTreeClassifier,
]
REGRESSORS: list[Factory] = [
    bw.ID3Regressor,
    bw.StumpRegressor,
    bw.CARTRegressor,
    bw.TreeRegressor,
    bw.CHAIDRegressor,
    bw.OptimalTreeRegressor,
]
ESTIMATORS: list[Factory] = [*CLASSIFIERS, *REGRESSORS]
"""Those whose tree answers."""

RULE_LISTS: list[Factory] = [bw.RuleListClassifier]
"""Those whose rules answer. Two rows of each class make no rule, so laws on tiny tables are not for them."""
EVERYTHING: list[Factory] = [*ESTIMATORS, *RULE_LISTS]
"""Those that grow one tree."""


def few(kind: Factory, **settings: int) -> Factory:
    """Return a factory of few trees or few neighbours, under the name of its class: the laws hold for any number."""
    settings = settings or {"n_estimators": 4}

    def factory() -> Any:
        return kind(**settings)

    factory.__name__ = kind.__name__
    return factory


CLASS_ENSEMBLES: list[Factory] = [
    few(bw.BaggingClassifier),
    few(bw.RandomForestClassifier),
    few(bw.ExtraTreesClassifier),
    few(bw.AdaBoostClassifier),
]
NUMBER_ENSEMBLES: list[Factory] = [
    few(bw.BaggingRegressor),
    few(bw.RandomForestRegressor),
    few(bw.ExtraTreesRegressor),
    few(bw.AdaBoostRegressor),
]
ENSEMBLES: list[Factory] = [*CLASS_ENSEMBLES, *NUMBER_ENSEMBLES]
"""Those that grow many."""
NEIGHBOURS: list[Factory] = [few(bw.NeighboursClassifier, k=2), few(bw.NeighboursRegressor, k=2)]
"""Those whose training rows answer. They have no tree; tables of the laws are smaller than the default k."""
ALL: list[Factory] = [*EVERYTHING, *ENSEMBLES, *NEIGHBOURS]

FACES: list[Factory] = [
    bw.TreeClassifier,
    bw.CARTRegressor,
    few(bw.AdaBoostClassifier),
    few(bw.NeighboursRegressor, k=2),
]
"""One of each kind of `fit`: a tree of classes, one of numbers that cross-validates, an ensemble, neighbours. What all
of them have from the same lines is tested on these, and a few cases of it on all."""

VOTES: list[Factory] = [
    lambda: bw.VoteClassifier([("tree", bw.TreeClassifier()), ("stump", bw.StumpClassifier())]),
    lambda: bw.VoteRegressor([("tree", bw.TreeRegressor()), ("stump", bw.StumpRegressor())]),
]
"""Those that ask others."""

EXACT: list[Factory] = [bw.ID3Classifier, bw.ID3Regressor, bw.TreeClassifier, bw.TreeRegressor]
"""Those that fit every table without contradictory rows without error: nothing but the data stops their growth."""

SEES_MISSING: list[Factory] = [
    f
    for f in ESTIMATORS
    if f not in (bw.C45Classifier, bw.CARTClassifier, bw.CARTRegressor, bw.CHAIDClassifier, bw.CHAIDRegressor)
]
"""Those to which it can matter, in a handful of rows, that a cell is missing. Splits of C4.5 and CART look at known
cells only; to CHAID a handful of rows is not significant."""

EAGER: list[Factory] = [
    f for f in ESTIMATORS if f not in (bw.C45Classifier, bw.CHAIDClassifier, bw.CHAIDRegressor)
]
"""Those that split a table of two or three rows, whatever its weights are measured in. C4.5 wants two in a branch,
values 1e-5 apart, and a gain; CHAID wants significance, and to it weights are numbers of rows."""


def for_large_tables(factory: Factory) -> Any:
    """An estimator that learns twenty thousand rows in a moment: optimal trees of a single split."""
    estimator = factory()
    return estimator.set_params(max_depth=1) if "leaf_penalty" in estimator.get_params() else estimator
