"""CART's growth: two branches at every split, for classes and for numbers."""

from __future__ import annotations

from typing import Any

from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._criteria import ClassCriterion, ValueCriterion
from branchwork.grow import recipes
from branchwork.grow.recipe import Recipe, Smoothing, Stopping, one_of
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight


def _cart_recipe(est: Any, base: Recipe, criteria: Any) -> Recipe:
    """CART's recipe with its limits."""
    one_of("criterion", est.criterion, criteria)
    return base.replace(
        criterion=est.criterion,
        stopping=Stopping(
            est.max_depth,
            est.min_samples_split,
            est.min_samples_leaf,
            est.max_leaf_nodes,
            min_impurity_decrease=est.min_impurity_decrease,
        ),
        order="best",
        smoothing=getattr(est, "smoothing", None),
    )


class CARTClassifier(TreeClassifierFace):
    """CART's growth: two branches at every split, categories in the best two groups, no split for nothing.

    Missing cells do not count in a split's gain and go with the larger branch. There are no surrogates, and nothing is
    pruned.

    Parameters
    ----------
    criterion : "gini", "entropy", "accuracy" or "gain_ratio".
    max_depth : stop at this depth; None: no limit.
    max_leaf_nodes : stop at this many leaves; None: no limit. The best nodes are split first.
    min_samples_split, min_samples_leaf : a node of less weight is not split; a split that makes a lighter branch is not
        made. Compared with sums of sample_weight (scikit-learn counts rows); class weights do not count.
    min_impurity_decrease : a split must gain this much, times the node's share of the table.
    class_weight : weight of each class by label, "balanced", or None.
    smoothing : of predict_proba: None (n_kc / n_k), "laplace", or the m of an m-estimate.
    handle_unknown, categorical_features, n_jobs, verbose : as in ID3Classifier.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(bw.CARTClassifier(max_depth=1).fit(tennis.X, tennis.y).to_text())
    all rows                          14 rows  Yes 9 (64%)  No 5 (36%)
    ├─ Outlook = Overcast → Yes        4 rows  Yes 4 (100%)
    └─ Outlook in {Rain, Sunny} → No  10 rows  No 5 (50%)  Yes 5 (50%)
    """

    def __init__(
        self,
        *,
        criterion: ClassCriterion = "gini",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return _cart_recipe(self, recipes.CART, ClassCriterion)


class CARTRegressor(TreeRegressorFace):
    """CART's growth for numbers: the split that leaves the smallest squared error; a leaf is a mean.

    Parameters
    ----------
    criterion : "squared_error", "variance" (n − 1) or "poisson" (counts).
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_impurity_decrease, handle_unknown,
        categorical_features, n_jobs, verbose : as in CARTClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.CARTRegressor(max_depth=1).fit(bikes.X, bikes.y).to_dict()["values"]
    [['autumn', 'spring', 'summer'], ['winter']]
    """

    def __init__(
        self,
        *,
        criterion: ValueCriterion = "squared_error",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return _cart_recipe(self, recipes.CART_REGRESSION, ValueCriterion)
