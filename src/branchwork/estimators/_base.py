"""What every tree estimator shares: from containers to a model and back, in scikit-learn's manners.

`fit` builds everything aside and puts it in place in one step at the end, so a fit that fails, or is interrupted,
leaves the estimator as it was.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import DataError, ParameterError
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._parameters import checked_recipe, settings_of
from branchwork.estimators._predicting import PredictsClasses, PredictsNumbers
from branchwork.estimators._pruning import Prunes
from branchwork.estimators._resampled import members_of
from branchwork.estimators._showing import Shows
from branchwork.estimators._tuning import Tunes
from branchwork.grow.grow import Progress, SearchCost
from branchwork.grow.recipe import Recipe
from branchwork.learn.members import Members
from branchwork.learn.progress import progress_bar
from branchwork.learn.single import Validation, learn
from branchwork.learn.threads import FEW_CELLS, thread_count
from branchwork.model.model import Model
from branchwork.table import target as targets
from branchwork.table.adapt import to_table
from branchwork.table.conform import conform
from branchwork.table.named import target_name_of
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.apply import passed_through
from branchwork.tree.tree import Tree

if TYPE_CHECKING:
    import scipy.sparse


class TreeEstimator(Prunes, Shows, Tunes):
    """A single tree. Subclasses say which recipe, and what the target is."""

    def _after(self, model: Model, table: Table, target: Target) -> dict[str, Any]:
        """What else is to be fitted, by name, once there is a tree."""
        return {}

    # ---- learning

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        target_name: str | None = None,
    ) -> TreeEstimator:
        """Grow the tree.

        Parameters
        ----------
        X : a table of any kind: NumPy, pandas, polars, Arrow, bw.Table, lists.
        y : the target, one per row.
        sample_weight : one per row; weight k counts as k copies, 0 as if absent.
        X_val, y_val : rows for validation: a split is made only if it lowers the error on them. None: every split is.
        target_name : the name of what is predicted, for everything that is shown; None: that of y, if it has one.
        """
        settings = settings_of(self)
        recipe, name = checked_recipe(self, settings), target_name_of(y, target_name)
        table = to_table(X, self.categorical_features)
        target = self._target(y, sample_weight)
        threads = self._growing_threads(table)
        validation = None if X_val is None and y_val is None else self._validation(X_val, y_val)
        with progress_bar(self.verbose, table.n_rows, type(self).__name__) as progress:
            model, cost, more = self._learn(table, target, recipe, threads, progress, validation)
        if name is not None:
            model = replace(model, target=name)
        fitted = {
            "model_": model,
            "_settings": settings,
            "n_features_in_": len(table.schema),
            "search_cost_": Bunch(rules_scored=cost.rules_scored, rows_visited=cost.rows_visited),
            **self._adopt_labels(model, y),
            **self._after(model, table, target),
            **more,
        }
        names = (
            {"feature_names_in_": np.array(table.schema.names, dtype=object)} if table.schema.named else {}
        )
        self._become(fitted | names)
        return self

    def _validation(self, X_val: Any, y_val: Any) -> Validation:
        if X_val is None or y_val is None:
            given, absent = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
            raise ParameterError(f"{given} was given without {absent}; both are needed.")
        table, target = to_table(X_val), self._target(y_val, None)
        if table.n_rows != len(target):
            raise DataError(f"X_val has {table.n_rows} rows, but y_val has {len(target)}.")

        def rows(schema: Schema, labels: tuple[Hashable, ...] | None) -> tuple[Table, Target]:
            coded = conform(table, schema, handle_unknown=self.handle_unknown)
            return coded, target.in_labels(labels) if labels and isinstance(
                target, targets.Classes
            ) else target

        return rows

    def _growing_threads(self, table: Table) -> int:
        """Threads for a fit."""
        return 1 if table.n_rows * len(table.schema) < FEW_CELLS else thread_count(self.n_jobs)

    def _learn(
        self,
        table: Table,
        target: Target,
        recipe: Recipe,
        threads: int,
        progress: Progress | None,
        validation: Validation | None,
    ) -> tuple[Model, SearchCost, dict[str, Any]]:
        """Learn the model; the dictionary has what else becomes known."""
        model, cost = learn(
            table,
            target,
            recipe,
            handle_unknown=self.handle_unknown,
            n_jobs=threads,
            progress=progress,
            validation=validation,
        )
        return model, cost, {}

    def _members(self, table: Table, target: Target, n_jobs: int) -> Members | None:
        """Return what grows trees on samples of a table, for studies; None: each sample needs a fit of its own."""
        return members_of(self, table, target, checked_recipe(self), n_jobs)

    # ---- predicting

    @of_one_fit
    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return a sparse 0–1 matrix (rows × nodes): which nodes each row passes through."""
        from scipy.sparse import csr_matrix

        if self.tree_.shares_rows:
            table = self._coded(X)
            found = self.model_.shares(table, n_jobs=self._threads(table))
            lengths, leaves = np.diff(found.starts), found.leaf
        else:
            leaves = self.apply(X)
            lengths = np.ones(len(leaves), np.int64)
        starts, nodes = passed_through(self.tree_, leaves)
        rows = np.repeat(np.repeat(np.arange(len(lengths)), lengths), np.diff(starts))
        path = csr_matrix(
            (np.ones(len(nodes), np.int8), (rows, nodes)), shape=(len(lengths), self.tree_.n_nodes)
        )
        path.data[:] = 1  # nodes that several leaves of a row have in common
        return path

    # ---- looking

    @property
    def tree_(self) -> Tree:
        """The tree: arrays with one entry a node."""
        check_is_fitted(self)
        return self.model_.tree

    def cost_complexity_path(self) -> Bunch:
        """Return the sequence of cost-complexity pruning by impurity, as scikit-learn has it.

        `ccp_alphas` are the complexities from which on each tree of the sequence is the best one, `impurities` the sums
        of its leaves' impurities, each times the leaf's share of all weight. The first tree is the whole one, the last
        its root.
        """
        check_is_fitted(self)
        return Bunch(**self.model_.cost_complexity_path()._asdict())

    def get_depth(self) -> int:
        """Return the depth of the tree: 0 for a single leaf."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.tree_.n_leaves


class TreeClassifierFace(PredictsClasses, TreeEstimator):
    """A tree for classes."""


class TreeRegressorFace(PredictsNumbers, TreeEstimator):
    """A tree for numbers."""
