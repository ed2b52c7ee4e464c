"""Extra trees: forests whose cuts are drawn at random as well."""

from __future__ import annotations

from branchwork.estimators._base import TreeEstimator
from branchwork.estimators._parameters import ForestClassWeight, RandomState
from branchwork.estimators.forests import (
    CombineClasses,
    MissingInForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchwork.grow.recipe import Nominal, Per, Recipe, Smoothing
from branchwork.learn.features import MaxFeatures
from branchwork.learn.forest import Callback, OnInterrupt
from branchwork.measure.criteria import ClassCriterion, ValueCriterion
from branchwork.measure.own_score import Score
from branchwork.model.ensemble import Method
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown


def _random_cuts(recipe: Recipe) -> Recipe:
    return recipe.replace(search=recipe.search.replace(cuts="random"))


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees for classes (Geurts, Ernst and Wehenkel 2006).

    As a random forest, but each feature that is drawn at a node has one cut only, drawn uniformly between the smallest
    and the largest value in the node; the best of these cuts is taken. Categorical features are split as in a random
    forest.

    Parameters
    ----------
    bootstrap : False: every tree has all rows, so there are no out-of-bag rows.
    missing : "larger": missing values go with the larger branch.
    n_estimators, criterion, max_features, subspace, combine, max_samples, oob_score, warm_start, n_iter_no_change, tol,
        on_interrupt, callback, nominal, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf,
        min_weight_fraction_leaf, min_impurity_decrease, class_weight, smoothing, min_category_rows, max_levels,
        honest, handle_unknown, categorical_features, n_jobs, verbose, random_state : as in RandomForestClassifier.
    """

    METHOD: Method = "extra"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ClassCriterion | Score = "gini",
        max_features: MaxFeatures = "auto",
        subspace: Per = "node",
        combine: CombineClasses = "mean",
        bootstrap: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool = False,
        warm_start: bool = False,
        n_iter_no_change: int | None = None,
        tol: float = 0.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        nominal: Nominal = "subset",
        missing: MissingInForest = "larger",
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

    def _tree_recipe(self, member: TreeEstimator) -> Recipe:
        return _random_cuts(super()._tree_recipe(member))


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees for numbers; as ExtraTreesClassifier, and the answer is the mean of the trees'
    answers.

    Parameters
    ----------
    n_estimators, criterion, max_features, subspace, bootstrap, max_samples, oob_score, warm_start, n_iter_no_change,
        tol, on_interrupt, callback, nominal, missing, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf,
        min_weight_fraction_leaf, min_impurity_decrease, min_category_rows, max_levels, handle_unknown,
        categorical_features, n_jobs, verbose, random_state : as in RandomForestRegressor, with the defaults of
        ExtraTreesClassifier.
    """

    METHOD: Method = "extra"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ValueCriterion = "squared_error",
        max_features: MaxFeatures = "auto",
        subspace: Per = "node",
        bootstrap: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool = False,
        warm_start: bool = False,
        n_iter_no_change: int | None = None,
        tol: float = 0.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        nominal: Nominal = "subset",
        missing: MissingInForest = "larger",
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

    def _tree_recipe(self, member: TreeEstimator) -> Recipe:
        return _random_cuts(super()._tree_recipe(member))
