"""Make a model from scikit-learn's trees: single trees, forests, bagging and boosting.

scikit-learn rounds cells to float32 and compares them with a double; `foreign_float32` makes cuts on the cells
themselves, so that every row comes to the same leaf. The gradient boosting on histograms has trees of another kind
(`foreign_histograms.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.model.combine import SINGLE, Combine
from branchwork.model.model import Model
from branchwork.store.foreign_columns import columns_named, plain_labels
from branchwork.store.foreign_float32 import cut_before_rounding
from branchwork.store.foreign_histograms import from_histograms
from branchwork.store.foreign_tree import Nodes, to_tree
from branchwork.table.schema import Schema
from branchwork.tree.tree import Floats, Tree

CRITERIA = {"log_loss": "entropy", "friedman_mse": "squared_error"}
"""Our names of criteria that are called differently in scikit-learn."""


def from_sklearn(estimator: Any) -> Model:
    """Make a model from a fitted tree, forest or boosted trees of scikit-learn.

    It has the same leaves, and the same probabilities or numbers up to rounding errors of sums. If two classes are
    equally likely, the first one is predicted.

    Parameters
    ----------
    estimator : a fitted DecisionTree, ExtraTree, RandomForest, ExtraTrees, GradientBoosting, HistGradientBoosting,
        Bagging or AdaBoost (of trees), classifier or regressor, with one target.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = load_iris(as_frame=True)
    >>> names = iris.target_names[iris.target]
    >>> model = from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, names))
    >>> print(model.to_text(max_depth=1))
    all rows                              150 rows  setosa: 50 (33%)  versicolor: 50 (33%)  virginica: 50 (33%)
    ├─ petal width (cm) <= 0.8 → setosa    50 rows  setosa: 50 (100%)
    └─ petal width (cm) > 0.8 or missing  100 rows  versicolor: 50 (50%)  virginica: 50 (50%)
       └─ … 2 nodes below
    """
    from sklearn.utils.validation import check_is_fitted

    convert = _converter_of(estimator)
    check_is_fitted(estimator)
    _check_targets(estimator)
    return convert(estimator)


def _check_targets(estimator: Any) -> None:
    """Refuse several targets. Some ensembles do not know the number of targets; then their trees are checked."""
    members = getattr(estimator, "estimators_", [])
    asked = members[0] if len(members) and not hasattr(estimator, "n_outputs_") else estimator
    n_targets = getattr(asked, "n_outputs_", 1)
    if n_targets != 1:
        raise ParameterError(
            f"This {type(estimator).__name__} has {n_targets} targets; a model has one. Fit one for each."
        )


def _converter_of(estimator: Any) -> Callable[[Any], Model]:
    from sklearn import ensemble, tree
    from sklearn.base import BaseEstimator

    kinds: list[tuple[tuple[type, ...], Callable[[Any], Model]]] = [
        ((tree.DecisionTreeClassifier, tree.DecisionTreeRegressor), _from_single),
        ((ensemble.RandomForestClassifier, ensemble.RandomForestRegressor), _from_forest),
        ((ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor), _from_forest),
        ((ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor), _from_boosting),
        ((ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor), from_histograms),
        ((ensemble.BaggingClassifier, ensemble.BaggingRegressor), _from_bagging),
        ((ensemble.AdaBoostClassifier,), _from_adaboost),
        ((ensemble.AdaBoostRegressor,), _from_median),
    ]
    for types, convert in kinds:
        if isinstance(estimator, types):
            return convert
    name = type(estimator).__name__
    if not isinstance(estimator, BaseEstimator):
        raise ParameterError(f"from_sklearn takes a fitted estimator of scikit-learn; found {name}.")
    raise ParameterError(f"{name} cannot be turned into trees alone. {_instead(estimator)}")


def _instead(estimator: Any) -> str:
    """Return what to use instead of an estimator that is not supported."""
    if hasattr(estimator, "get_booster"):
        return "It is XGBoost's: use bw.from_xgboost(estimator)."
    if hasattr(estimator, "booster_"):
        return "It is LightGBM's: use bw.from_lightgbm(estimator)."
    if hasattr(estimator, "steps"):
        return (
            "Its steps before the last change the columns: take the last one, "
            "bw.from_sklearn(pipeline[-1]), and give the model the columns that this step sees."
        )
    if hasattr(estimator, "best_estimator_"):
        return "Take what it found: bw.from_sklearn(search.best_estimator_)."
    return (
        "These work: DecisionTree, ExtraTree, RandomForest, ExtraTrees, GradientBoosting, HistGradientBoosting, "
        "Bagging and AdaBoost, classifiers and regressors."
    )


# ---- one tree


def _from_single(estimator: Any) -> Model:
    schema = _schema_of(estimator)
    labels = plain_labels(estimator.classes_) if hasattr(estimator, "classes_") else None
    return _model(estimator, schema, labels, [_mean_tree(estimator, schema)], SINGLE)


def _model(
    estimator: Any,
    schema: Schema,
    labels: tuple[Hashable, ...] | None,
    trees: Sequence[Tree],
    combine: Combine,
    criterion: str | None = None,
) -> Model:
    recipe = {
        "library": "scikit-learn",
        "name": type(estimator).__name__,
        "criterion": criterion or _criterion(estimator),
    }
    occurring = None if labels is None else tuple(range(len(labels)))
    return Model(schema, labels, tuple(trees), recipe, occurring=occurring, combine=combine)


def _schema_of(estimator: Any) -> Schema:
    return columns_named(getattr(estimator, "feature_names_in_", None), int(estimator.n_features_in_))


def _criterion(estimator: Any) -> str:
    return CRITERIA.get(estimator.criterion, str(estimator.criterion))


def _mean_tree(
    estimator: Any, schema: Schema, columns: npt.NDArray[np.intp] | None = None, n_classes: int | None = None
) -> Tree:
    """Return a tree whose leaves hold probabilities or means.

    `columns` has the positions in the schema of the tree's columns 0, 1, …. `n_classes` is the number of classes of the
    ensemble, if that is larger.
    """
    theirs = estimator.tree_
    value = theirs.value[:, 0, :]
    weight = theirs.weighted_n_node_samples
    if not hasattr(estimator, "classes_"):
        return to_tree(_nodes(theirs, value, columns, _criterion(estimator), numbers=True), schema)
    if n_classes is not None and n_classes != value.shape[1]:
        value = _spread_out(value, estimator.classes_.astype(np.intp), n_classes)
    nodes = _nodes(theirs, value, columns, _criterion(estimator), distribution=value * weight[:, None])
    return to_tree(nodes, schema)


def _spread_out(value: Floats, classes: npt.NDArray[np.intp], n_classes: int) -> Floats:
    """Return the outputs of a tree that saw only some of the classes, for all classes."""
    whole = np.zeros((len(value), n_classes))
    whole[:, classes] = value
    return whole


def _nodes(
    theirs: Any,
    value: Floats,
    columns: npt.NDArray[np.intp] | None,
    criterion: str,
    *,
    distribution: Floats | None = None,
    numbers: bool = False,
) -> Nodes:
    """Return the nodes of a `tree_`; `numbers` says that its values are means of rows."""
    weight = theirs.weighted_n_node_samples
    impurity = np.maximum(theirs.impurity, 0)  # a difference of sums, which rounding errors can make negative
    impurity = impurity * (2 if criterion == "poisson" else 1)  # scikit-learn's impurity is half the deviance
    feature = np.maximum(theirs.feature, 0)
    variance = None
    if numbers and criterion == "squared_error":
        variance = np.where(weight > 1, impurity * weight / np.maximum(weight - 1, 1e-300), 0.0)
    return Nodes(
        left=theirs.children_left,
        right=theirs.children_right,
        feature=feature if columns is None else columns[feature],
        cut=cut_before_rounding(theirs.threshold),
        missing_left=theirs.missing_go_to_left.astype(bool),
        value=value,
        weight=weight,
        n_rows=theirs.n_node_samples,
        gain=_gain(theirs, impurity),
        impurity=impurity,
        distribution=distribution,
        variance=variance,
    )


def _gain(theirs: Any, impurity: Floats) -> Floats:
    """Return the gain of each split per row."""
    weight, gain = theirs.weighted_n_node_samples, np.zeros(theirs.node_count)
    inner = np.flatnonzero((theirs.children_left >= 0) & (weight > 0))
    left, right = theirs.children_left[inner], theirs.children_right[inner]
    below = weight[left] * impurity[left] + weight[right] * impurity[right]
    gain[inner] = impurity[inner] - below / weight[inner]
    return gain


# ---- many


def _from_forest(estimator: Any) -> Model:
    schema = _schema_of(estimator)
    labels = plain_labels(estimator.classes_) if hasattr(estimator, "classes_") else None
    trees = [_mean_tree(one, schema) for one in estimator.estimators_]
    return _model(estimator, schema, labels, trees, Combine("mean"), _criterion(estimator))


def _from_bagging(estimator: Any) -> Model:
    members = _only_trees(estimator)
    schema = _schema_of(estimator)
    labels = plain_labels(estimator.classes_) if hasattr(estimator, "classes_") else None
    n_classes = None if labels is None else len(labels)
    trees = [
        _mean_tree(one, schema, np.asarray(columns, np.intp), n_classes)
        for one, columns in zip(members, estimator.estimators_features_, strict=True)
    ]
    return _model(estimator, schema, labels, trees, Combine("mean"), _criterion(members[0]))


def _only_trees(estimator: Any) -> list[Any]:
    from sklearn.tree import BaseDecisionTree

    for member in estimator.estimators_:
        if not isinstance(member, BaseDecisionTree):
            raise ParameterError(
                f"This {type(estimator).__name__} is made of {type(member).__name__}; only single trees inside can be "
                "turned into a model."
            )
    return list(estimator.estimators_)


def _from_adaboost(estimator: Any) -> Model:
    """Make a model from AdaBoost: every tree votes for one class, and votes add up to log-odds or class sums."""
    members = _only_trees(estimator)
    schema, labels = _schema_of(estimator), plain_labels(estimator.classes_)
    n = len(labels)
    if n == 1:
        raise ParameterError(
            "This AdaBoostClassifier was trained on one class, so there is nothing to convert."
        )
    weights = estimator.estimator_weights_[: len(members)]
    votes = weights / estimator.estimator_weights_.sum()
    trees = [_voting(one, estimator, schema, vote) for one, vote in zip(members, votes.tolist(), strict=True)]
    combine = (
        Combine("sum", base=(0.0,), link="logistic")
        if n == 2
        else Combine("sum", base=(0.0,) * n, link="softmax")
    )
    return _model(estimator, schema, labels, trees, combine, _criterion(members[0]))


def _from_median(estimator: Any) -> Model:
    """Make a model that predicts the weighted median of the trees' numbers."""
    members = _only_trees(estimator)
    schema = _schema_of(estimator)
    weights = estimator.estimator_weights_[: len(members)]
    if not weights.sum() > 0:  # a first tree that was no better than guessing is kept with weight 0
        weights = np.ones(len(members))
    trees = [_mean_tree(one, schema) for one in members]
    combine = Combine("median", weights=tuple(weights.tolist()))
    return _model(estimator, schema, None, trees, combine, _criterion(members[0]))


def _voting(member: Any, estimator: Any, schema: Schema, vote: float) -> Tree:
    n = len(estimator.classes_)
    place = np.searchsorted(estimator.classes_, member.classes_)
    chosen = place[np.argmax(member.tree_.value[:, 0, :], axis=1)]
    if n == 2:
        value = np.where(chosen == 1, 2 * vote, -2 * vote)[:, None]
    else:
        value = np.where(chosen[:, None] == np.arange(n), vote, -vote / (n - 1)) / (n - 1)
    return to_tree(_nodes(member.tree_, value, None, _criterion(member)), schema)


def _from_boosting(estimator: Any) -> Model:
    schema = _schema_of(estimator)
    labels = plain_labels(estimator.classes_) if hasattr(estimator, "classes_") else None
    # With the exponential loss, the probability is the logistic function of twice the sum.
    scale = 2.0 if estimator.loss == "exponential" else 1.0
    base = _start(estimator) * scale
    trees = [
        _part_of_sum(one.tree_, estimator.learning_rate * scale, schema)
        for one in estimator.estimators_.ravel()
    ]
    width = estimator.estimators_.shape[1]
    combine = Combine(
        "sum",
        base=tuple(base.tolist()),
        output=tuple(k % width for k in range(len(trees))) if width > 1 else None,
        link="identity" if labels is None else "softmax" if width > 1 else "logistic",
    )
    return _model(estimator, schema, labels, trees, combine, "squared_error")


def _part_of_sum(theirs: Any, step: float, schema: Schema) -> Tree:
    nodes = _nodes(theirs, theirs.value[:, 0, :] * step, None, "squared_error")
    return to_tree(replace(nodes, inner_means=True), schema)


def _start(estimator: Any) -> Floats:
    """Return the start value of every row's sums."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    init = estimator.init_
    constant = isinstance(init, str | DummyRegressor)
    constant |= isinstance(init, DummyClassifier) and init.strategy in ("prior", "most_frequent", "constant")
    if not constant:
        raise ParameterError(
            f"This {type(estimator).__name__} starts from what a {type(init).__name__} says (init), not from a number. "
            "With init=None or init='zero' it can be turned into a model."
        )
    row = np.zeros((1, estimator.n_features_in_), np.float32)
    start: Floats = np.asarray(estimator._raw_predict_init(row), np.float64)[0]
    return start
