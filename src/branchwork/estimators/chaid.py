"""CHAID and exhaustive CHAID, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._parameters import RandomState
from branchwork.grow import recipes
from branchwork.grow.recipe import (
    Chaid,
    ChaidMultiplier,
    ChaidStatistic,
    ChaidVariant,
    Recipe,
    Smoothing,
    Stopping,
)
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight

OrdinalFeatures = Sequence[str] | Sequence[int] | Sequence[bool]


def _chaid_recipe(est: Any, base: Recipe) -> Recipe:
    """CHAID's recipe with its settings."""
    return base.replace(
        chaid=Chaid(
            variant=est.variant,
            statistic=getattr(est, "statistic", "pearson"),
            alpha_merge=est.alpha_merge,
            alpha_split=est.alpha_split,
            alpha_resplit=est.alpha_resplit,
            bonferroni=est.bonferroni,
            multiplier=est.multiplier,
            bins=est.bins,
            ordinal_features=est.ordinal_features,
        ),
        search=base.search.replace(min_category_rows=est.min_category_rows, max_levels=est.max_levels),
        stopping=Stopping(est.max_depth, est.min_samples_split, est.min_samples_leaf),
        smoothing=getattr(est, "smoothing", None),
    )


class CHAIDClassifier(TreeClassifierFace):
    """CHAID: categories that do not differ are merged, and the most significant column splits, into many branches.

    At a node the categories of each column are merged, two by two, while their difference is not significant. The
    groups that are left are tested together; the p-value is multiplied by the number of ways to form such groups. The
    column with the smallest product splits the node, if that is not above `alpha_split`; one branch a group.

    Nominal columns may merge any two categories, missing cells being one more. Numeric columns are cut into intervals
    beforehand; they, and ordinal columns, merge neighbours only, except that missing cells "float": they may join any
    group. The p-value is that of chi-square without a correction for continuity.

    Sample weights are numbers of rows: doubling them makes everything more significant. Class weights multiply them, so
    the tests are those of a table in which a class has that many more rows; "balanced" keeps the number of all rows.
    docs/algorithms/chaid.md says where sources differ, and what is done here.

    Parameters
    ----------
    variant : "chaid" (Kass 1980), or "exhaustive" (Biggs, de Ville and Suen 1991): merge on to two groups, and keep the
        stage with the smallest p-value.
    alpha_merge : two groups whose p-value is above are merged. 1: never. Exhaustive CHAID does not use it.
    alpha_split : a column splits if its adjusted p-value is not above.
    alpha_resplit : a merged group of three or more categories is parted again if its best split has a p-value not
        above; None: never, as SPSS by default.
    bonferroni : False takes p-values as they are.
    multiplier : of exhaustive CHAID and I nominal categories: "spss", I(I² − 1)/2, or "biggs", I(I² − 1)/6.
    statistic : "pearson" or "likelihood" (ratio) chi-square.
    bins : a numeric column of more values than this is cut into so many intervals of about equal weight.
    ordinal_features : names, positions or a mask of columns whose categories have an order, the declared or the sorted
        one. A numeric column named here keeps all its values.
    max_depth : stop at this depth; None: no limit.
    min_samples_split : nodes with a smaller sum of sample_weight are not split.
    min_samples_leaf : a group with a smaller sum of sample_weight is merged with the one it differs least from. Below 1
        both are shares of all sample weight, rounded up where all weights are whole numbers. Class weights do not
        count.
    min_category_rows, max_levels : treat rare categories as one, "other", as in TreeClassifier; ordinal features keep
        all of theirs.
    class_weight, smoothing, handle_unknown, categorical_features, verbose, random_state : as in ID3Classifier.
    n_jobs : threads of growth and prediction.

    >>> import branchwork as bw
    >>> X = {"colour": ["red", "blue", "green", "grey"] * 10, "size": [1, 2] * 20}
    >>> tree = bw.CHAIDClassifier().fit(X, ["yes", "no", "yes", "yes"] * 10)
    >>> print(tree.to_text())
    all rows                               40 rows  yes: 30 (75%)  no: 10 (25%)
    ├─ colour = blue → no                  10 rows  no: 10 (100%)
    └─ colour in {green, grey, red} → yes  30 rows  yes: 30 (100%)
    """

    def __init__(
        self,
        *,
        variant: ChaidVariant = "chaid",
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        alpha_resplit: float | None = None,
        bonferroni: bool = True,
        multiplier: ChaidMultiplier = "spss",
        statistic: ChaidStatistic = "pearson",
        bins: int = 10,
        ordinal_features: OrdinalFeatures = (),
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.variant = variant
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.alpha_resplit = alpha_resplit
        self.bonferroni = bonferroni
        self.multiplier = multiplier
        self.statistic = statistic
        self.bins = bins
        self.ordinal_features = ordinal_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return _chaid_recipe(self, recipes.CHAID)


class CHAIDRegressor(TreeRegressorFace):
    """CHAID for numbers: the same merging and splitting with the F test of one-way analysis of variance.

    Two groups are compared by their own rows alone. A group without spread beside another with a different mean has
    p = 0; where there are no more rows than groups nothing can be tested, and p is 1.

    Parameters
    ----------
    variant, alpha_merge, alpha_split, alpha_resplit, bonferroni, multiplier, bins, ordinal_features, max_depth,
        min_samples_split, min_samples_leaf, min_category_rows, max_levels, handle_unknown, categorical_features,
        n_jobs, verbose, random_state : as in CHAIDClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.CHAIDRegressor().fit(bikes.X, bikes.y).to_dict()["values"]
    [['autumn', 'spring', 'summer'], ['winter']]
    """

    def __init__(
        self,
        *,
        variant: ChaidVariant = "chaid",
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        alpha_resplit: float | None = None,
        bonferroni: bool = True,
        multiplier: ChaidMultiplier = "spss",
        bins: int = 10,
        ordinal_features: OrdinalFeatures = (),
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.variant = variant
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.alpha_resplit = alpha_resplit
        self.bonferroni = bonferroni
        self.multiplier = multiplier
        self.bins = bins
        self.ordinal_features = ordinal_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return _chaid_recipe(self, recipes.CHAID_REGRESSION)
