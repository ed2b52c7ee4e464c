"""Random forests: trees on bootstrap samples that look at a few features, drawn at random, at each node."""

from __future__ import annotations

from typing import Any, Literal

from branchwork.estimators._base import TreeEstimator
from branchwork.estimators._parameters import ForestClassWeight, RandomState
from branchwork.estimators._predicting import PredictsClasses, PredictsNumbers
from branchwork.estimators._sampled import SampledEnsemble
from branchwork.estimators.trees import TreeClassifier, TreeRegressor
from branchwork.grow.recipe import Nominal, Per, Recipe, Smoothing, Subspace
from branchwork.learn.features import MaxFeatures, features_of
from branchwork.learn.forest import Callback, OnInterrupt
from branchwork.measure.criteria import ClassCriterion, ValueCriterion
from branchwork.measure.own_score import Score
from branchwork.model.ensemble import Method
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import Target

CombineClasses = Literal["mean", "vote"]
MissingInForest = Literal["learn", "larger", "branch"]
"""Rows are not shared among branches where features are drawn at random."""

OF_TREES = (
    "criterion",
    "nominal",
    "missing",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "min_category_rows",
    "max_levels",
    "honest",
    "handle_unknown",
    "categorical_features",
)
"""Settings of a forest that are those of each tree."""


class _Forest(SampledEnsemble):
    """What forests for classes and for numbers share."""

    METHOD: Method = "forest"
    subspace: Per

    def _tree_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in OF_TREES}

    def _tree_recipe(self, member: TreeEstimator) -> Recipe:
        return member._recipe().replace(name=self.METHOD)

    def _subspace(self, n_features: int) -> Subspace | None:
        classes = isinstance(self, PredictsClasses)
        count = features_of(self.max_features, n_features, classes=classes, per=self.subspace)
        return None if count == n_features else Subspace(count, self.subspace)


class RandomForestClassifier(_Forest, PredictsClasses):
    """A random forest for classes (Breiman 2001).

    Every tree is grown on a bootstrap sample of the rows, and at each node only a few features, drawn at random,
    compete. So the trees differ, and their mean is better than any of them.

    Parameters
    ----------
    n_estimators : the number of trees.
    criterion : "gini", "entropy", "accuracy", "gain_ratio", or a score of your own (bw.Score).
    max_features : how many features compete: a whole number, a share, "sqrt", "log2", None (all of them), or "auto":
        the square root of their number; with subspace="tree", half of them.
    subspace : "node": each node draws its features (Breiman 2001), and those without any split do not count; "tree":
        one draw for the whole tree (Ho 1998).
    combine : "mean" of the trees' probabilities, or "vote": each tree decides for a class, and the shares of the votes
        are the answer.
    bootstrap, max_samples, oob_score, warm_start, n_iter_no_change, tol, on_interrupt, callback, n_jobs, verbose,
        random_state : as in BaggingClassifier.
    class_weight : as in TreeClassifier; "balanced_subsample" counts the rows of the classes in each tree's sample.
    nominal, missing ("learn", "larger" or "branch"), max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf,
        min_weight_fraction_leaf, min_impurity_decrease, smoothing, min_category_rows, max_levels, honest,
        handle_unknown, categorical_features : of each tree, as in TreeClassifier.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> forest = bw.RandomForestClassifier(n_estimators=50, oob_score=True).fit(tennis.X, tennis.y)
    >>> forest.predict(tennis.X.take([0, 2])).tolist(), forest.oob_score_
    (['No', 'Yes'], 0.5714285714285714)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ClassCriterion | Score = "gini",
        max_features: MaxFeatures = "auto",
        subspace: Per = "node",
        combine: CombineClasses = "mean",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        oob_score: bool = False,
        warm_start: bool = False,
        n_iter_no_change: int | None = None,
        tol: float = 0.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        nominal: Nominal = "subset",
        missing: MissingInForest = "learn",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        class_weight: ForestClassWeight = None,
        smoothing: Smoothing = None,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        honest: bool = False,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.subspace = subspace
        self.combine = combine
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.nominal = nominal
        self.missing = missing
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.honest = honest
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _member(self) -> TreeEstimator:
        class_weight: Any = None if self.class_weight == "balanced_subsample" else self.class_weight
        return TreeClassifier(**self._tree_settings(), class_weight=class_weight, smoothing=self.smoothing)

    def _target(self, y: Any, sample_weight: Any) -> Target:
        return self._member()._target(y, sample_weight)


class RandomForestRegressor(_Forest, PredictsNumbers):
    """A random forest for numbers; the answer is the mean of the trees' answers.

    Parameters
    ----------
    criterion : "squared_error", "variance" (n − 1) or "poisson" (counts).
    max_features : as in RandomForestClassifier; "auto" is a third of the features, as in R (scikit-learn takes all).
    n_estimators, subspace, bootstrap, max_samples, oob_score (`oob_score_` is R², with `oob_prediction_`), warm_start,
        n_iter_no_change, tol, on_interrupt, callback, nominal, missing, max_depth, max_leaf_nodes, min_samples_split,
        min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease, min_category_rows, max_levels,
        honest, handle_unknown, categorical_features, n_jobs, verbose, random_state : as in RandomForestClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.RandomForestRegressor(n_estimators=20).fit(bikes.X, bikes.y).predict(bikes.X.take([0])).round(1)
    array([1309.7])
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ValueCriterion = "squared_error",
        max_features: MaxFeatures = "auto",
        subspace: Per = "node",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        oob_score: bool = False,
        warm_start: bool = False,
        n_iter_no_change: int | None = None,
        tol: float = 0.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        nominal: Nominal = "subset",
        missing: MissingInForest = "learn",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        honest: bool = False,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.subspace = subspace
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.nominal = nominal
        self.missing = missing
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.honest = honest
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _member(self) -> TreeEstimator:
        return TreeRegressor(**self._tree_settings())
