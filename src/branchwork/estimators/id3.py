"""ID3, as the lecture teaches it, for classes and for numbers."""

from __future__ import annotations

from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._parameters import RandomState
from branchwork.grow import recipes
from branchwork.grow.recipe import Correction, Recipe, Smoothing, Stopping
from branchwork.measure.criteria import LectureClassCriterion, LectureValueCriterion
from branchwork.measure.own_score import Score
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight


class ID3Classifier(TreeClassifierFace):
    """ID3, as taught: information gain, one branch per value, numeric cuts where the class changes.

    Every declared value of a nominal column gets a branch; an empty one answers as its parent does. A nominal column is
    used once on a path; numeric columns compete anew at every node. A table without contradictory rows is fitted
    without error. Missing cells are a value of their own.

    Parameters
    ----------
    criterion : "entropy" (information gain), "gini", "accuracy", or a score of your own (bw.Score).
    max_depth : stop at this depth; None: no limit.
    min_samples_split : nodes with a smaller sum of sample_weight are not split; below 1, the share of all sample weight
        that a node needs; 0: no limit. Class weights do not count.
    max_p_value : a split that chance could have made with a larger probability (Pearson's chi-square) is not made.
    correction : "bonferroni" multiplies that probability by the number of splits there were to choose from.
    zero_gain : may a split that gains nothing be taken? True fits XOR; False stops where Weka's Id3 does.
    class_weight : weight of each class by label; "balanced": rows / (classes · rows of the class); None: 1 each.
    smoothing : of predict_proba: None (n_kc / n_k), "laplace", or the m of an m-estimate.
    handle_unknown : a category never seen in training is treated as "missing", goes with the "majority", or is an
        "error".
    categorical_features : numeric columns to take as categories: names, positions, a mask, or "from_dtype".
    n_jobs : threads; the tree is the same for any number.
    verbose : 1 shows a progress bar.
    random_state : accepted so that scikit-learn's code runs; nothing is drawn at random.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    >>> print(tree.to_text(max_depth=1))
    PlayTennis: No, Yes
    all rows                                 14 rows  Yes: 9 (64%)  No: 5 (36%)
    ├─ Outlook = Overcast → PlayTennis: Yes   4 rows  Yes: 4 (100%)
    ├─ Outlook = Rain                         5 rows  Yes: 3 (60%)  No: 2 (40%)
    │  └─ … 2 nodes below
    └─ Outlook = Sunny                        5 rows  No: 3 (60%)  Yes: 2 (40%)
       └─ … 2 nodes below
    """

    def __init__(
        self,
        *,
        criterion: LectureClassCriterion | Score = "entropy",
        max_depth: int | None = None,
        min_samples_split: int | float = 0,
        max_p_value: float | None = None,
        correction: Correction | None = None,
        zero_gain: bool = True,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_p_value = max_p_value
        self.correction = correction
        self.zero_gain = zero_gain
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return recipes.ID3.replace(
            criterion=self.criterion,
            stopping=Stopping(
                self.max_depth,
                self.min_samples_split,
                max_p_value=self.max_p_value,
                correction=self.correction,
            ),
            zero_gain=self.zero_gain,
            smoothing=self.smoothing,
        )


class ID3Regressor(TreeRegressorFace):
    """The lecture's regression tree: ID3 with the weighted variance (n − 1) in place of entropy; a leaf is a mean.

    Parameters
    ----------
    criterion : "variance" (n − 1; a branch of one row has variance 0) or "squared_error" (CART's).
    max_depth, min_samples_split, max_p_value (by the F test), correction, zero_gain, handle_unknown,
        categorical_features, n_jobs, verbose, random_state : as in ID3Classifier. With zero_gain=True and "variance"
        the best split is taken even if it gains less than nothing, which n − 1 can do.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> tree = bw.ID3Regressor().fit(bikes.X, bikes.y)
    >>> tree.to_dict()["feature"]
    'SEASON'
    """

    def __init__(
        self,
        *,
        criterion: LectureValueCriterion = "variance",
        max_depth: int | None = None,
        min_samples_split: int | float = 0,
        max_p_value: float | None = None,
        correction: Correction | None = None,
        zero_gain: bool = True,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_p_value = max_p_value
        self.correction = correction
        self.zero_gain = zero_gain
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return recipes.ID3_REGRESSION.replace(
            criterion=self.criterion,
            stopping=Stopping(
                self.max_depth,
                self.min_samples_split,
                max_p_value=self.max_p_value,
                correction=self.correction,
            ),
            zero_gain=self.zero_gain,
        )
