"""AdaBoost: trees that vote, each learned on rows that weigh more where the trees before were wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeEstimator
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._ensemble import TreeEnsemble, checked_member, learns_alone
from branchwork.estimators._parameters import RandomState, check_parameters, seed_of
from branchwork.estimators._predicting import (
    PredictsClasses,
    PredictsNumbers,
)
from branchwork.estimators.trees import TreeClassifier, TreeRegressor
from branchwork.learn.adaboost import (
    Algorithm,
    BoostMethod,
    BoostPlan,
    answers_of,
    learn_adaboost,
    stage_weights,
)
from branchwork.learn.forest import Callback, OnInterrupt
from branchwork.learn.progress import progress_bar
from branchwork.learn.single import without_weightless_rows
from branchwork.learn.threads import thread_count
from branchwork.table.adapt import to_table
from branchwork.table.named import target_name_of
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.outputs import likeliest
from branchwork.view.stages import Stages, StageWeights, stages_of


class _AdaBoost(TreeEnsemble):
    """What AdaBoost for classes and for numbers share."""

    estimator: Any
    n_estimators: int
    learning_rate: float
    on_interrupt: OnInterrupt
    callback: Callback | None
    n_jobs: int | None
    verbose: int
    random_state: RandomState

    def _plan(self) -> BoostPlan:
        return BoostPlan(
            int(self.n_estimators),
            getattr(self, "method", "resample"),
            getattr(self, "algorithm", "samme"),
            float(self.learning_rate),
            seed_of(self.random_state),
            self.on_interrupt,
            self.callback,
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, target_name: str | None = None) -> Self:
        """Learn the trees, one after the other.

        Parameters
        ----------
        X : a table of any kind: NumPy, pandas, polars, Arrow, bw.Table, lists.
        y : the target, one per row.
        sample_weight : the weights that the rows begin with; None: all alike. A row of weight 0 is as if absent.
        target_name : the name of what is predicted, for everything that is shown; None: that of y, if it has one.
        """
        check_parameters(self)
        name = target_name_of(y, target_name)
        member = self._member()
        recipe = member._recipe()
        if recipe.honest is not None:
            raise ParameterError(
                "estimator: honest=True is not for AdaBoost, which weighs the rows by the errors of the trees before. "
                "Take honest=False."
            )
        table = to_table(X, member.categorical_features)
        target = self._target(y, sample_weight)
        threads = thread_count(self.n_jobs)
        with progress_bar(self.verbose, self.n_estimators, type(self).__name__) as progress:
            model = learn_adaboost(
                table,
                target,
                recipe,
                self._plan(),
                handle_unknown=member.handle_unknown,
                n_jobs=threads,
                progress=progress,
                alone=learns_alone(member, recipe, threads),
            )
        self._become(self._fitted(replace(model, target=name), table.schema, y))
        return self

    def _target(self, y: Any, sample_weight: Any) -> Target:
        return self._member()._target(y, sample_weight)

    @property
    def stages_(self) -> Stages:
        """The rounds: `.error`, `.confidence` and `.tree` of each."""
        check_is_fitted(self)
        return stages_of(self.model_)

    @of_one_fit
    def stage_weights(self, X: Any, y: Any, sample_weight: Any = None) -> StageWeights:
        """Return the weights that the rows had in every round: (rounds, rows), each round summing to 1.

        They are not stored, but computed again. With the rows of the fit they are the weights of the fit.
        """
        check_is_fitted(self)
        table, target = without_weightless_rows(self._coded(X), self._retarget(y, sample_weight))
        weights = stage_weights(self.model_, table, target, float(self._as_fitted().learning_rate))
        wrong = None
        if isinstance(target, Classes):
            wrong = np.stack([answers_of(self.model_, tree, table) != target.codes for tree in self.trees_])
        return StageWeights(weights, wrong)

    def _retarget(self, y: Any, sample_weight: Any) -> Target:
        target = self._as_fitted()._target(y, sample_weight)
        if not isinstance(target, Classes) or self.model_.labels is None:
            return target
        return replace(target, declared=False).forget_undeclared().in_labels(self.model_.labels)

    def _staged(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield the model's outputs with the first tree, with the first two, and so on."""
        table: Table = self._coded(X)
        model = self.model_
        ask = model.votes_of if model.combine.takes_votes else model.outputs_of
        said = []
        for k, tree in enumerate(model.trees):
            said.append(ask(tree, table, n_jobs=self._threads(table)))
            yield model.first(k + 1).combine.together(said)


class AdaBoostClassifier(_AdaBoost, PredictsClasses):
    """AdaBoost for classes: weak trees, learned one after the other, and a vote weighted by their confidence.

    Every row begins with the weight 1/n. In each round a tree is learned on the weighted rows, the weights of the rows
    that it gets wrong grow, and its vote counts the more, the smaller its weighted error ε is.

    Parameters
    ----------
    estimator : any classifier of Branchwork that grows a single tree; None: TreeClassifier(max_depth=1), a stump as
        scikit-learn's. Weights are scaled to sum to the number of rows, so `min_samples_leaf` and C4.5's `min_cases`
        keep their meaning.
    n_estimators : the most rounds.
    learning_rate : every confidence is multiplied by this.
    method : "weights": trees are learned on weighted rows; "resample": on n rows drawn in proportion to the weights.
    algorithm : "samme" (confidence ln((1 − ε)/ε) + ln(K − 1), as scikit-learn) or "m1" (ln((1 − ε)/ε), as Weka's
        AdaBoostM1). They differ for more than two classes, and in when they end.
    on_interrupt, callback, n_jobs, verbose, random_state : as in BaggingClassifier; only "resample" draws anything.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> boosted = bw.AdaBoostClassifier(n_estimators=3).fit(tennis.X, tennis.y)
    >>> boosted.stages_
    round   error  confidence  leaves
        1  0.3571      0.5878       2
        2  0.2667      1.0116       2
        3  0.2557      1.0685       2
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        learning_rate: float = 1.0,
        method: BoostMethod = "weights",
        algorithm: Algorithm = "samme",
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.method = method
        self.algorithm = algorithm
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _member(self) -> TreeEstimator:
        return checked_member("AdaBoostClassifier", self.estimator, True, TreeClassifier(max_depth=1))

    @of_one_fit
    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield the predicted classes with the first tree, with the first two, and so on."""
        for outputs in self._staged(X):
            yield self.classes_[self.model_.class_place[likeliest(outputs)]]

    @of_one_fit
    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield the probabilities with the first tree, with the first two, and so on."""
        for outputs in self._staged(X):
            yield outputs[:, self.model_.class_order]


class AdaBoostRegressor(_AdaBoost, PredictsNumbers):
    """AdaBoost.R2 for numbers (Drucker 1997): trees on resampled rows, and the weighted median of their answers.

    Parameters
    ----------
    estimator : any regressor of Branchwork that grows a single tree; None: TreeRegressor(max_depth=3).
    n_estimators, learning_rate, on_interrupt, callback, n_jobs, verbose, random_state : as in AdaBoostClassifier. The
        loss is linear: |error| over the largest |error|.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.AdaBoostRegressor(n_estimators=10).fit(bikes.X, bikes.y).predict(bikes.X.take([0])).round(1)
    array([900.])
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        learning_rate: float = 1.0,
        on_interrupt: OnInterrupt = "raise",
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _member(self) -> TreeEstimator:
        return checked_member("AdaBoostRegressor", self.estimator, False, TreeRegressor(max_depth=3))

    @of_one_fit
    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield the predicted numbers with the first tree, with the first two, and so on."""
        for outputs in self._staged(X):
            yield outputs[:, 0]
