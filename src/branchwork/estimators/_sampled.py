"""Ensembles whose trees are grown on samples: bagging, random forests, extra trees."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import DataError, OutOfBagWarning, ParameterError, shown, warn
from branchwork.estimators._base import TreeEstimator
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._ensemble import TreeEnsemble, learns_alone
from branchwork.estimators._parameters import RandomState, check_parameters, seed_of
from branchwork.grow.checks import count_or_share
from branchwork.grow.recipe import Recipe, Subspace
from branchwork.learn.features import MaxFeatures
from branchwork.learn.forest import Learned, OnInterrupt, Plan, learn_forest
from branchwork.learn.permutation import permutation_importance
from branchwork.learn.progress import progress_bar
from branchwork.learn.sampling import Sampling
from branchwork.learn.threads import thread_count
from branchwork.model.combine import Combine, Kind
from branchwork.model.ensemble import Method
from branchwork.model.model import Model
from branchwork.table.adapt import CategoricalFeatures, to_table
from branchwork.table.conform import HandleUnknown
from branchwork.table.frames import as_series
from branchwork.table.named import target_name_of
from branchwork.table.table import Table


class SampledEnsemble(TreeEnsemble):
    """An ensemble whose trees are grown on samples of the rows."""

    METHOD: Method
    n_estimators: int
    bootstrap: bool
    max_samples: int | float | None
    max_features: MaxFeatures
    oob_score: bool
    warm_start: bool
    n_iter_no_change: int | None
    tol: float
    on_interrupt: OnInterrupt
    callback: Callable[[int, Any], Any] | None
    n_jobs: int | None
    verbose: int
    random_state: RandomState
    _drawn: tuple[Sampling, npt.NDArray[np.intp], int]

    @abstractmethod
    def _tree_recipe(self, member: TreeEstimator) -> Recipe:
        """Return how each tree is grown, but for the features that it may look at."""

    @abstractmethod
    def _subspace(self, n_features: int) -> Subspace | None:
        """Return which features a tree may look at."""

    def _combine(self) -> Kind:
        return getattr(self, "combine", "mean")

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        target_name: str | None = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : a table of any kind: NumPy, pandas, polars, Arrow, bw.Table, lists.
        y : the target, one per row.
        sample_weight : one per row. With bootstrap, rows are drawn with probability proportional to their weight, and
            each draw counts once; without, weight k counts as k copies. A row of weight 0 is as if absent.
        groups : the group of each row, such as the patient it is about: whole groups are drawn instead of rows. Not
            together with sample_weight.
        target_name : the name of what is predicted, for everything that is shown; None: that of y, if it has one.
        """
        check_parameters(self)
        name = target_name_of(y, target_name)
        member = self._member()
        recipe = self._tree_recipe(member)
        self._check_together()
        handling: HandleUnknown = member.handle_unknown
        features: CategoricalFeatures = member.categorical_features
        table = to_table(X, features)
        target = self._target(y, sample_weight)
        if groups is not None and sample_weight is not None:
            raise ParameterError("groups and sample_weight were given; expected one or the other.")
        recipe = recipe.replace(subspace=self._subspace(len(table.schema)))
        threads = thread_count(self.n_jobs)
        so_far = self._so_far()
        plan = self._plan(so_far)
        if recipe.honest is not None:
            recipe = recipe.replace(honest=plan.seed)  # each tree draws its own halves
        total = self.n_estimators * table.n_rows
        with progress_bar(self.verbose, total, type(self).__name__) as progress:
            learned = learn_forest(
                table,
                target,
                recipe,
                plan,
                handle_unknown=handling,
                n_jobs=threads,
                progress=progress,
                groups=None if groups is None else _codes_of(groups, table.n_rows),
                alone=learns_alone(member, recipe, threads),
                so_far=so_far,
            )
        model = replace(learned.model, target=name)
        sampling = replace(learned.sampling)  # without what it keeps at hand while it draws
        fitted = {
            **self._fitted(model, table.schema, y),
            "_drawn": (sampling, learned.kept, table.n_rows),
            **(self._out_of_bag(learned, table) if self.oob_score else {}),
        }
        self._become(fitted)
        return self

    def _check_together(self) -> None:
        """Refuse settings that do not go together."""
        draws = self.bootstrap or self.max_samples is not None
        for name, wanted in (("oob_score", self.oob_score), ("n_iter_no_change", self.n_iter_no_change)):
            if wanted and not draws:
                raise ParameterError(
                    f"{name}={shown(getattr(self, name))} needs rows that trees are grown without, but "
                    "bootstrap=False grows every tree on all rows. Set bootstrap=True, or max_samples=0.7, say."
                )

    def _plan(self, so_far: Model | None) -> Plan:
        seed = seed_of(self.random_state) if so_far is None else so_far.ensemble and so_far.ensemble.seed
        return Plan(
            self.METHOD,
            int(self.n_estimators),
            Combine(self._combine()),
            bool(self.bootstrap),
            None if self.max_samples is None else count_or_share("max_samples", self.max_samples),
            seed or 0,
            getattr(self, "class_weight", None) == "balanced_subsample",
            bool(self.oob_score),
            self.n_iter_no_change,
            float(self.tol),
            self.on_interrupt,
            self.callback,
        )

    def _so_far(self) -> Model | None:
        """Return the model that a warm start adds trees to."""
        if not self.warm_start or "model_" not in self.__dict__:
            return None
        model = self.model_
        there = len(model.trees)
        if self.n_estimators < there:
            raise ParameterError(
                f"n_estimators={self.n_estimators}, but warm_start=True and the last fit has {there} trees already; "
                f"expected at least {there}."
            )
        return model

    def _out_of_bag(self, learned: Learned, table: Table) -> dict[str, Any]:
        assert learned.out_of_bag is not None
        answers = learned.out_of_bag
        unanswered = int(np.count_nonzero(~answers.answered))
        if unanswered:
            warn(
                f"{unanswered} of {len(answers.answered)} rows were in the sample of every tree and have no out-of-bag "
                "answer (NaN). Grow more trees: n_estimators=100, say.",
                OutOfBagWarning,
            )
        outputs = np.full((table.n_rows, answers.outputs.shape[1]), math.nan)
        outputs[learned.kept] = answers.outputs
        found = {"oob_score_": answers.score}
        if learned.model.labels is None:
            return {**found, "oob_prediction_": outputs[:, 0]}
        return {**found, "oob_decision_function_": outputs[:, learned.model.class_order]}

    @property
    @of_one_fit
    def estimators_samples_(self) -> list[npt.NDArray[np.intp]]:
        """The rows that each tree was grown on; a row that was drawn twice is there twice.

        They are not stored, but drawn again from the seed.
        """
        check_is_fitted(self)
        sampling, kept, _ = self._drawn
        return [np.repeat(kept, sampling.copies(k)) for k in range(len(self.model_.trees))]

    @of_one_fit
    def permutation_importance(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return how much worse each tree answers its out-of-bag rows if the cells of a feature change places.

        For classes that is the share of answers that become wrong, for numbers the rise of the mean squared error. The
        permutation of a tree and a feature is a function of the seed.

        Parameters
        ----------
        X, y, sample_weight : the rows of the fit, in their order.

        Returns
        -------
        `importances_mean` and `standard_error`, one per feature, and `importances`, one row per tree (NaN where a tree
        had every row).
        """
        check_is_fitted(self)
        sampling, kept, n_rows = self._drawn
        table, target = self._coded(X), self._retarget(y, sample_weight)
        if table.n_rows != n_rows or len(target) != n_rows:
            raise DataError(
                f"X has {table.n_rows} rows and y has {len(target)}, but the trees were grown on {n_rows}. The "
                "out-of-bag rows of each tree are known only by their place: hand in the rows of the fit."
            )
        if not sampling.leaves_rows_out:
            raise ParameterError(
                "Every tree was grown on all rows, so none are left to test it on. Fit with bootstrap=True, or use "
                "sklearn.inspection.permutation_importance with rows that were held out."
            )
        table, target = table.take(kept), target.take(kept)
        found = permutation_importance(
            self.model_, table, target, sampling, n_jobs=thread_count(self.n_jobs, table.n_rows)
        )
        return Bunch(**found._asdict())


def _codes_of(groups: Any, n_rows: int) -> npt.NDArray[np.intp]:
    """Return the group of each row as a number."""
    series = as_series(groups)
    array = np.asarray(groups if series is None else series.to_list())
    if array.shape != (n_rows,):
        raise DataError(
            f"groups has shape {array.shape}, but there are {n_rows} rows. Every row needs a group."
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise DataError(f"groups, row {int(np.argmax(np.isnan(array)))}: the group is missing.")
    if array.dtype.kind == "O":
        missing = [row for row, group in enumerate(array.tolist()) if group is None or group != group]
        if missing:
            raise DataError(f"groups, row {missing[0]}: the group is missing.")
        place: dict[Any, int] = {}
        return np.array([place.setdefault(group, len(place)) for group in array.tolist()], np.intp)
    return np.unique(array, return_inverse=True)[1]
