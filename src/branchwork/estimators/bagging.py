"""Bagging: trees on bootstrap samples of the rows, whose answers are combined."""

from __future__ import annotations

from typing import Any, Literal

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeEstimator
from branchwork.estimators._ensemble import checked_member
from branchwork.estimators._parameters import RandomState
from branchwork.estimators._predicting import PredictsClasses, PredictsNumbers
from branchwork.estimators._resampled import only_grows
from branchwork.estimators._sampled import SampledEnsemble
from branchwork.estimators.trees import TreeClassifier, TreeRegressor
from branchwork.grow.recipe import Recipe, Subspace
from branchwork.learn.features import MaxFeatures, features_of
from branchwork.learn.forest import Callback, OnInterrupt
from branchwork.model.ensemble import Method
from branchwork.table.target import Target

CombineClasses = Literal["mean", "vote"]


class _Bagging(SampledEnsemble):
    """What both kinds of bagging share."""

    METHOD: Method = "bagging"
    estimator: Any

    def _tree_recipe(self, member: TreeEstimator) -> Recipe:
        recipe = member._recipe()
        if self.max_features is not None and self.max_features != 1.0 and not only_grows(member, recipe):
            raise ParameterError(
                f"max_features={self.max_features!r}: features are drawn only for trees that are grown and not pruned, "
                f"as those of TreeClassifier and TreeRegressor are. Leave it at None for {type(member).__name__}."
            )
        return recipe

    def _subspace(self, n_features: int) -> Subspace | None:
        count = features_of(self.max_features, n_features, classes=True, per="tree")
        return None if count == n_features else Subspace(count, "tree")

    def _target(self, y: Any, sample_weight: Any) -> Target:
        return self._member()._target(y, sample_weight)


class BaggingClassifier(_Bagging, PredictsClasses):
    """Bagging for classes (Breiman 1996): each tree is grown on a bootstrap sample of the rows, and the trees vote.

    Parameters
    ----------
    estimator : any classifier of Branchwork that grows a single tree; None: TreeClassifier(). Its settings are those of
        every tree. Estimators that prune, and CHAID, are fitted one tree after the other.
    n_estimators : the number of trees.
    combine : "mean" of the trees' probabilities, or "vote": each tree decides for a class, and the shares of the votes
        are the answer.
    bootstrap : draw as many rows as there are, with replacement? Otherwise every tree has all rows, or `max_samples` of
        them.
    max_samples : draw this many rows (a whole number), or this share of the rows (up to 1.0); None: as many as there
        are.
    max_features : give each tree only this many features (a whole number), or this share of them; None: all.
    oob_score : test each tree on the rows that it was grown without: `oob_score_` and `oob_decision_function_`.
    warm_start : keep the trees of the last fit and add more, up to n_estimators.
    n_iter_no_change, tol : stop when the out-of-bag error has not fallen by more than `tol` in the last looks; there is
        one look after every ten trees. None: grow all trees.
    on_interrupt : after Ctrl-C, "raise" KeyboardInterrupt, or "keep" the trees that are done.
    callback : called with the number of each tree and the tree; if it returns True, no more trees are grown.
    n_jobs : threads; None: 1, -1: all. The model is the same for any number.
    verbose : 1 shows a progress bar.
    random_state : the seed of all draws; None is 0, so the same call gives the same model.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> bag = bw.BaggingClassifier(bw.ID3Classifier(), n_estimators=25, oob_score=True).fit(tennis.X, tennis.y)
    >>> len(bag.estimators_), bag.oob_score_
    (25, 0.5)
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        combine: CombineClasses = "mean",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        max_features: MaxFeatures = None,
        oob_score: bool = False,
        warm_start: bool = False,
        n_iter_no_change: int | None = None,
        tol: float = 0.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.combine = combine
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_features = max_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _member(self) -> TreeEstimator:
        return checked_member("BaggingClassifier", self.estimator, True, TreeClassifier())


class BaggingRegressor(_Bagging, PredictsNumbers):
    """Bagging for numbers: each tree is grown on a bootstrap sample of the rows, and the answer is the mean of theirs.

    Parameters
    ----------
    estimator : any regressor of Branchwork that grows a single tree; None: TreeRegressor().
    n_estimators, bootstrap, max_samples, max_features, oob_score (`oob_score_` is R², with `oob_prediction_`),
        warm_start, n_iter_no_change, tol, on_interrupt, callback, n_jobs, verbose, random_state : as in
        BaggingClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.BaggingRegressor(n_estimators=5).fit(bikes.X, bikes.y).predict(bikes.X.take([0])).round(1)
    array([1067.8])
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        max_features: MaxFeatures = None,
        oob_score: bool = False,
        warm_start: bool = False,
        n_iter_no_change: int | None = None,
        tol: float = 0.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_features = max_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _member(self) -> TreeEstimator:
        return checked_member("BaggingRegressor", self.estimator, False, TreeRegressor())
