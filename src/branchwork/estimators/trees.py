"""The open trees: every knob of a recipe is theirs to turn."""

from __future__ import annotations

from typing import Any

from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._parameters import RandomState, seed_of
from branchwork.grow import recipes
from branchwork.grow.recipe import (
    Correction,
    Cut,
    Missing,
    Nominal,
    Order,
    Recipe,
    Search,
    Smoothing,
    Stopping,
)
from branchwork.measure.criteria import ClassCriterion, ValueCriterion
from branchwork.measure.own_score import Score
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight


def _open_recipe(est: Any, base: Recipe) -> Recipe:
    """The recipe of an open tree, knob by knob."""
    return base.replace(
        criterion=est.criterion,
        search=Search(
            cut=est.cut,
            nominal=est.nominal,
            missing=est.missing,
            min_category_rows=est.min_category_rows,
            max_levels=est.max_levels,
        ),
        stopping=Stopping(
            est.max_depth,
            est.min_samples_split,
            est.min_samples_leaf,
            est.max_leaf_nodes,
            est.min_gain,
            est.min_impurity_decrease,
            est.max_p_value,
            est.correction,
            est.min_weight_fraction_leaf,
        ),
        order=est.order,
        zero_gain=est.zero_gain,
        smoothing=getattr(est, "smoothing", None),
        honest=seed_of(est.random_state) if getattr(est, "honest", False) else None,
    )


class TreeClassifier(TreeClassifierFace):
    """A decision tree with every knob: score, branches, missing cells, cuts, order and limits.

    As it comes it gives scikit-learn's tree on numeric tables (where that is exact in float32), and two groups of
    values on nominal columns.

    Parameters
    ----------
    criterion : "gini", "entropy", "accuracy", "gain_ratio", or a score of your own (bw.Score).
    nominal : "subset" (two groups of values, the best there are), "one_vs_rest", or "multiway" (one branch per value).
    missing : where missing cells go: "learn" (where the split is best), "larger" (with the heavier branch), "branch" (a
        branch of their own), or "share" (down every branch, by weight, as in C4.5).
    cut : "midpoint" of two neighbouring values, or "data": the largest training value not above it.
    order : with max_leaf_nodes, which node is split next: the "best" one, "depth" first or "breadth" first.
    max_depth : stop at this depth; None: no limit.
    max_leaf_nodes : stop at this many leaves; None: no limit.
    min_samples_split, min_samples_leaf : a node of less weight is not split; a split that makes a lighter branch is not
        made. From 1 on they are compared with sums of sample_weight (scikit-learn counts rows); class weights do not
        count. Below 1 they are shares of all sample weight, rounded up where all weights are whole numbers.
    min_weight_fraction_leaf : a split that makes a branch of less than this share of all weight is not made; class
        weights count.
    min_impurity_decrease : a split must gain this much, times the node's share of the table.
    min_gain : a split must gain this much.
    max_p_value, correction : as in ID3Classifier; not together with max_leaf_nodes.
    zero_gain : may a split that gains nothing be taken? True fits XOR, as scikit-learn does.
    class_weight : weight of each class by label; "balanced": rows / (classes · rows of the class); None: 1 each.
    smoothing : of predict_proba: None (n_kc / n_k), "laplace", or the m of an m-estimate.
    min_category_rows : categories of less weight, summed over the rows of the fit, are treated as one, "other". None:
        no category is merged.
    max_levels : keep this many categories of each nominal feature, the ones of most weight (ties: the earlier
        category); the rest are "other". None: no limit. See docs/guide/table.md.
    honest : let one half of the rows choose the splits, and the other half say what the nodes answer. The halves are
        drawn by random_state, with the same share of every class in both; an empty leaf answers as its parent does.
        Not with missing="share". See docs/guide/stability.md.
    handle_unknown, categorical_features, n_jobs, verbose, random_state : as in ID3Classifier.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> tree = bw.TreeClassifier(criterion="entropy", nominal="one_vs_rest", max_leaf_nodes=3).fit(tennis.X, tennis.y)
    >>> print(tree.to_text())
    PlayTennis: No, Yes
    all rows                                   14 rows  Yes: 9 (64%)  No: 5 (36%)
    ├─ Outlook = Overcast → PlayTennis: Yes     4 rows  Yes: 4 (100%)
    └─ Outlook in {Rain, Sunny}                10 rows  No: 5 (50%)  Yes: 5 (50%)
       ├─ Humidity = High → PlayTennis: No      5 rows  No: 4 (80%)  Yes: 1 (20%)
       └─ Humidity = Normal → PlayTennis: Yes   5 rows  Yes: 4 (80%)  No: 1 (20%)
    """

    def __init__(
        self,
        *,
        criterion: ClassCriterion | Score = "gini",
        nominal: Nominal = "subset",
        missing: Missing = "learn",
        cut: Cut = "midpoint",
        order: Order = "best",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_gain: float = 0.0,
        max_p_value: float | None = None,
        correction: Correction | None = None,
        zero_gain: bool = True,
        class_weight: ClassWeight = None,
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
        self.criterion = criterion
        self.nominal = nominal
        self.missing = missing
        self.cut = cut
        self.order = order
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.max_p_value = max_p_value
        self.correction = correction
        self.zero_gain = zero_gain
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

    def _recipe(self) -> Recipe:
        return _open_recipe(self, recipes.TREE)


class TreeRegressor(TreeRegressorFace):
    """A regression tree with every knob; a leaf is a mean.

    Parameters
    ----------
    criterion : "squared_error", "variance" (n − 1) or "poisson" (counts).
    nominal, missing, cut, order, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf,
        min_weight_fraction_leaf, min_impurity_decrease, min_gain, max_p_value (by the F test), correction, zero_gain,
        min_category_rows, max_levels, honest, handle_unknown, categorical_features, n_jobs, verbose, random_state : as
        in TreeClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.TreeRegressor(max_depth=1).fit(bikes.X, bikes.y).to_dict()["values"]
    [['autumn', 'spring', 'summer'], ['winter']]
    """

    def __init__(
        self,
        *,
        criterion: ValueCriterion = "squared_error",
        nominal: Nominal = "subset",
        missing: Missing = "learn",
        cut: Cut = "midpoint",
        order: Order = "best",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_gain: float = 0.0,
        max_p_value: float | None = None,
        correction: Correction | None = None,
        zero_gain: bool = True,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        honest: bool = False,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.missing = missing
        self.cut = cut
        self.order = order
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.max_p_value = max_p_value
        self.correction = correction
        self.zero_gain = zero_gain
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.honest = honest
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return _open_recipe(self, recipes.TREE_REGRESSION)
