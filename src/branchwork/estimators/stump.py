"""Decision stumps: trees of one rule."""

from __future__ import annotations

from typing import Any

from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._parameters import RandomState
from branchwork.grow import recipes
from branchwork.grow.recipe import Nominal, NumericSearch, Recipe, Search, Smoothing
from branchwork.measure.criteria import LectureClassCriterion, LectureValueCriterion
from branchwork.measure.own_score import Score
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight


class StumpClassifier(TreeClassifierFace):
    """A decision stump: the one rule that gets most rows right, or no rule if none beats the majority.

    Parameters
    ----------
    criterion : "accuracy", "entropy", "gini", or a score of your own (bw.Score).
    search : "sorted" (sort once, then running counts), "values" (every data value, counting all rows for each) or
        "grid" (every point of a grid). They find the same partition; `search_cost_` shows what each of them costs.
    grid : for search="grid": a step (float; its multiples) or a number of points (int).
    nominal : "multiway" (one branch per value), "one_vs_rest" (one value against all others; with criterion="entropy"
        this is Weka's DecisionStump) or "subset" (the best two groups of values).
    class_weight, smoothing, handle_unknown, categorical_features, n_jobs, verbose, random_state : as in ID3Classifier.

    >>> import branchwork as bw
    >>> allergy = bw.datasets.load("food_journal")
    >>> stump = bw.StumpClassifier().fit(allergy.X, allergy.y)
    >>> stump.to_dict()["feature"], stump.to_dict()["cut"], stump.score(allergy.X, allergy.y)
    ('Egg', 0.5, 1.0)
    """

    def __init__(
        self,
        *,
        criterion: LectureClassCriterion | Score = "accuracy",
        search: NumericSearch = "sorted",
        grid: float | int | None = None,
        nominal: Nominal = "multiway",
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.search = search
        self.grid = grid
        self.nominal = nominal
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can take, and that one rule is not much."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _recipe(self) -> Recipe:
        return recipes.STUMP.replace(
            criterion=self.criterion,
            search=Search(self.search, self.grid, nominal=self.nominal),
            smoothing=self.smoothing,
        )


class StumpRegressor(TreeRegressorFace):
    """A regression stump: the one split that leaves the smallest squared error.

    Parameters
    ----------
    criterion : "squared_error" or "variance" (n − 1).
    search, grid, nominal, handle_unknown, categorical_features, n_jobs, verbose, random_state : as in StumpClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.StumpRegressor().fit(bikes.X, bikes.y).to_dict()["feature"]
    'SEASON'
    """

    def __init__(
        self,
        *,
        criterion: LectureValueCriterion = "squared_error",
        search: NumericSearch = "sorted",
        grid: float | int | None = None,
        nominal: Nominal = "multiway",
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.search = search
        self.grid = grid
        self.nominal = nominal
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can take, and that one rule is not much."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _recipe(self) -> Recipe:
        return recipes.STUMP_REGRESSION.replace(
            criterion=self.criterion,
            search=Search(self.search, self.grid, nominal=self.nominal),
        )
