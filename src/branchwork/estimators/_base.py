"""What every tree estimator shares: from containers to a model and back, in scikit-learn's manners.

`fit` builds everything aside and puts it in place in one step at the end, so a fit that fails, or is interrupted,
leaves the estimator as it was.
"""

from __future__ import annotations

import copy
import math
import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted, column_or_1d

from branchwork.errors import DataError, ParameterError, TargetError, warn
from branchwork.estimators._copying import Copies
from branchwork.estimators._parameters import check_n_jobs, check_parameters
from branchwork.estimators._pruning import Prunes
from branchwork.estimators._showing import Shows
from branchwork.grow.grow import Progress, SearchCost
from branchwork.grow.recipe import Recipe
from branchwork.learn.single import Validation, learn
from branchwork.model.model import Model
from branchwork.table import target as targets
from branchwork.table.adapt import has_keys, to_table
from branchwork.table.conform import conform
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.apply import passed_through
from branchwork.tree.tree import Tree

if TYPE_CHECKING:
    import scipy.sparse


class TreeEstimator(Prunes, Shows, Copies):
    """A single tree. Subclasses say which recipe, and what the target is."""

    model_: Model
    n_features_in_: int

    @abstractmethod
    def _target(self, y: Any, sample_weight: Any) -> Target:
        """What to predict."""

    def _adopt_labels(self, model: Model, y: Any) -> dict[str, Any]:
        return {}

    def _after(self, model: Model, table: Table, target: Target) -> dict[str, Any]:
        """What else is to be fitted, by name, once there is a tree."""
        return {}

    # ---- learning

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None
    ) -> TreeEstimator:
        """Grow the tree.

        Parameters
        ----------
        X : a table of any kind: NumPy, pandas, polars, Arrow, bw.Table, lists.
        y : the target, one per row.
        sample_weight : one per row; weight k counts as k copies, 0 as if absent.
        X_val, y_val : rows for validation: a split is made only if it lowers the error on them. None: every split is.
        """
        check_parameters(self)
        recipe = self._recipe()
        table = to_table(X, self.categorical_features)
        target = self._target(y, sample_weight)
        threads = thread_count(self.n_jobs)
        validation = None if X_val is None and y_val is None else self._validation(X_val, y_val)
        with progress_bar(self.verbose, table.n_rows, type(self).__name__) as progress:
            model, cost, more = self._learn(table, target, recipe, threads, progress, validation)
        model = replace(model, target=_name_of(y))
        fitted = {
            "model_": model,
            "_settings": self.get_params(deep=False),
            "n_features_in_": len(table.schema),
            "search_cost_": Bunch(rules_scored=cost.rules_scored, rows_visited=cost.rows_visited),
            **self._adopt_labels(model, y),
            **self._after(model, table, target),
            **more,
        }
        names = (
            {"feature_names_in_": np.array(table.schema.names, dtype=object)} if table.schema.named else {}
        )
        for optional in ("feature_names_in_", "cp_table_"):
            self.__dict__.pop(optional, None)
        self.__dict__.update(fitted | names)
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

    # ---- predicting

    def _coded(self, X: Any) -> Table:
        """Code any container by the model's schema.

        The columns of a data frame must be those of `fit`, in their order, as scikit-learn demands. Those of a mapping
        or of a list of mappings are found by their keys, as in `Model`: in any order, and other keys are ignored.
        """
        if "model_" not in self.__dict__:
            check_is_fitted(self)
        table = to_table(X)
        if not (has_keys(X) and self.model_.schema.named):
            check_columns(self, table.schema)
        if table.n_rows == 0:
            raise DataError(
                f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required."
            )
        return conform(table, self.model_.schema, handle_unknown=self.model_.handle_unknown)

    def _threads(self, table: Table) -> int:
        """Threads for a prediction."""
        return thread_count(self.n_jobs, table.n_rows)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class, or the number, of every row."""
        table = self._coded(X)
        return self.model_.predict(table, n_jobs=self._threads(table))

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the id of the leaf that every row ends in."""
        table = self._coded(X)
        return self.model_.apply(table, n_jobs=self._threads(table))

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

    @property
    def schema_(self) -> Schema:
        """The columns that the tree was trained on."""
        check_is_fitted(self)
        return self.model_.schema

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each column in all impurity taken away."""
        check_is_fitted(self)
        return self.model_.feature_importances_

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

    def _retarget(self, y: Any, sample_weight: Any) -> Target:
        """The target of handed-back data, in the model's own labels."""
        return self._as_fitted()._target(y, sample_weight)

    def _as_fitted(self) -> Self:
        """This estimator with the settings of its fit; what `set_params` changed since is for the next fit."""
        other = copy.copy(self)
        other.__dict__.update(self.__dict__.get("_settings", {}))
        return other


class TreeClassifierFace(ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """A tree for classes."""

    classes_: npt.NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can take."""
        return _tags(super().__sklearn_tags__())

    def _target(self, y: Any, sample_weight: Any) -> Target:
        y = one_column(y, type(self).__name__)
        target = targets.classes(y, sample_weight)
        _refuse_measured(target)
        return target.weighted(getattr(self, "class_weight", None))

    def _retarget(self, y: Any, sample_weight: Any) -> Target:
        assert self.model_.labels is not None
        target = super()._retarget(y, sample_weight)
        assert isinstance(target, targets.Classes)
        return target.in_labels(self.model_.labels)

    def _adopt_labels(self, model: Model, y: Any) -> dict[str, Any]:
        classes = model.classes
        kind = y.dtype.kind if isinstance(y, np.ndarray) else "O"
        if kind in "US" and all(isinstance(label, str) for label in classes):
            classes = classes.astype(str)
        elif kind in "iuf" and classes.dtype.kind in "iuf":
            classes = classes.astype(y.dtype)
        return {"classes_": classes}

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of every row."""
        table = self._coded(X)
        decision = self.model_.decisions(table, n_jobs=self._threads(table))
        return self.classes_[self.model_.class_place[decision]]

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Predict the probability of every class, in the order of `classes_`."""
        table = self._coded(X)
        return self.model_.predict_proba(table, n_jobs=self._threads(table))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Predict the natural logarithm of the probability of every class; that of 0 is minus infinity."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows, by weight, whose class is predicted right."""
        table, y = self._coded(X), one_column(y, type(self).__name__)
        return self.model_.score(table, y, sample_weight, n_jobs=self._threads(table))


class TreeRegressorFace(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A tree for numbers."""

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can take."""
        return _tags(super().__sklearn_tags__())

    def _target(self, y: Any, sample_weight: Any) -> Target:
        return targets.values(one_column(y, type(self).__name__), sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R²: 1 − the squared errors, by weight, over those of the mean of y."""
        table, y = self._coded(X), one_column(y, type(self).__name__)
        return self.model_.score(table, y, sample_weight, n_jobs=self._threads(table))


def _tags(tags: Any) -> Any:
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.target_tags.required = True
    return tags


def _name_of(y: Any) -> str | None:
    """The name of a target that has one, as a column of a data frame does."""
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else None


def one_column(y: Any, name: str) -> Any:
    """The target as one column; a column vector is flattened with scikit-learn's warning."""
    if y is None:
        raise TargetError(f"{name} requires y to be passed, but the target y is None.")
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) != 2 or shape[1] != 1:
        return y
    warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for "
        "example using ravel().",
        DataConversionWarning,
    )
    return column_or_1d(y)


def _refuse_measured(target: targets.Classes) -> None:
    """Refuse numbers that are measured rather than counted as labels."""
    for code, label in enumerate(target.labels):
        if isinstance(label, float) and not label.is_integer():
            rows = np.flatnonzero(target.codes == code)
            what = "infinity (Input y contains infinity)" if math.isinf(label) else "a measured number"
            raise TargetError(
                f"y, row {rows[0] if rows.size else '?'}: {label!r} is {what}, not a class (Unknown label type: "
                "continuous). Use a regressor, or turn the labels into text or whole numbers."
            )


FEW_ROWS = 4096
"""Up to so many rows are predicted by one thread."""
MOST_THREADS = 256
"""More would only wait for each other."""


def thread_count(n_jobs: int | None, rows: int = sys.maxsize) -> int:
    """Threads to use: n_jobs as in joblib; "all" obeys OMP_NUM_THREADS. Few rows need only one."""
    check_n_jobs("n_jobs", n_jobs)
    if rows <= FEW_ROWS:
        return 1
    threads = min(int(joblib.effective_n_jobs(n_jobs)), MOST_THREADS)
    cap = os.environ.get("OMP_NUM_THREADS", "")
    return (
        min(threads, int(cap))
        if n_jobs is not None and n_jobs < 0 and cap.isdigit() and int(cap) > 0
        else threads
    )


@contextmanager
def progress_bar(verbose: int, total: int, title: str) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on standard error if verbose; nothing otherwise."""
    if not verbose:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)
        bar.update(task, completed=total)


def check_columns(estimator: TreeEstimator, given: Schema) -> None:
    """Compare the columns with those of `fit`, in scikit-learn's words."""
    name = type(estimator).__name__
    fitted = getattr(estimator, "feature_names_in_", None)
    if given.named and fitted is not None:
        _check_names(list(fitted), list(given.names))
    if len(given) != estimator.n_features_in_:
        raise DataError(
            f"X has {len(given)} features, but {name} is expecting {estimator.n_features_in_} features as input."
        )
    if given.named and fitted is None:
        warn(f"X has feature names, but {name} was fitted without feature names", UserWarning)
    if not given.named and fitted is not None:
        warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning)


def _check_names(fitted: list[str], given: list[str]) -> None:
    if fitted == given:
        return
    unexpected, missing = sorted(set(given) - set(fitted)), sorted(set(fitted) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (
        ("Feature names unseen at fit time:\n", unexpected),
        ("Feature names seen at fit time, yet now missing:\n", missing),
    ):
        if names:
            message += (
                title + "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")
            )
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise DataError(message)
