"""What every estimator shares that answers by a model: coding rows, predicting, and scikit-learn's manners."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from branchwork.errors import DataError, TargetError, warn
from branchwork.estimators._copying import Copies, of_one_fit
from branchwork.learn.threads import thread_count
from branchwork.model.model import Model
from branchwork.table import target as targets
from branchwork.table.adapt import has_keys, plain_rows, to_table
from branchwork.table.conform import conform
from branchwork.table.named import only_column
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Target

if TYPE_CHECKING:
    pass


class Predicts(Copies, ABC):
    """An estimator whose model answers: one tree, many trees, or neighbours."""

    model_: Model
    n_features_in_: int

    @abstractmethod
    def _target(self, y: Any, sample_weight: Any) -> Target:
        """What to predict."""

    def _adopt_labels(self, model: Model, y: Any) -> dict[str, Any]:
        return {}

    def _coded(self, X: Any) -> Table:
        """Code any container by the model's schema.

        The columns of a data frame must be those of `fit`, in their order, as scikit-learn demands. Those of a mapping
        or of a list of mappings are found by their keys, as in `Model`: in any order, and other keys are ignored.
        """
        if "model_" not in self.__dict__:
            check_is_fitted(self)
        table = to_table(X)
        schema = self.model_.schema
        if table.schema is not schema and not (has_keys(X) and schema.named):
            check_columns(self, table.schema)
        if table.n_rows == 0:
            raise DataError(
                f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required."
            )
        return conform(table, schema, handle_unknown=self.model_.handle_unknown)

    def _rows_asked(self, X: Any) -> Table | npt.NDArray[np.float64]:
        """Return rows as the model takes them."""
        return self._coded(X)

    def _threads(self, rows: Table | npt.NDArray[np.float64]) -> int:
        """Threads for a prediction."""
        return thread_count(self.n_jobs, len(rows))

    @of_one_fit
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class, or the number, of every row."""
        rows = self._rows_asked(X)
        return self.model_.predict(rows, n_jobs=self._threads(rows))

    @property
    def schema_(self) -> Schema:
        """The columns that the model was trained on."""
        check_is_fitted(self)
        return self.model_.schema

    def _retarget(self, y: Any, sample_weight: Any) -> Target:
        """The target of handed-back data, in the model's own labels."""
        return self._as_fitted()._target(y, sample_weight)

    def _as_fitted(self) -> Self:
        """This estimator with the settings of its fit; what `set_params` changed since is for the next fit."""
        other = copy.copy(self)
        other.__dict__.update(self.__dict__.get("_settings", {}))
        return other


class PredictsByTrees(Predicts):
    """An estimator whose trees answer, one or many."""

    def _rows_asked(self, X: Any) -> Table | npt.NDArray[np.float64]:
        """Return rows as the model takes them: numbers without names as an array, anything else coded as a table."""
        if "model_" in self.__dict__ and "feature_names_in_" not in self.__dict__:
            rows: Any = plain_rows(X) if type(X) is list else X
            if self.model_.takes_as_it_is(rows) and len(rows):
                return rows  # type: ignore[no-any-return]
        return self._coded(X)

    @of_one_fit
    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the id of the leaf that every row ends in."""
        rows = self._rows_asked(X)
        return self.model_.apply(rows, n_jobs=self._threads(rows))

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each column in all impurity taken away."""
        check_is_fitted(self)
        return self.model_.feature_importances_


class PredictsClasses(ClassifierMixin, Predicts):  # type: ignore[misc]
    """A model of classes."""

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

    @of_one_fit
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of every row."""
        rows = self._rows_asked(X)
        decision = self.model_.decisions(rows, n_jobs=self._threads(rows))
        return self.classes_[self.model_.class_place[decision]]

    @of_one_fit
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Predict the probability of every class, in the order of `classes_`."""
        rows = self._rows_asked(X)
        return self.model_.predict_proba(rows, n_jobs=self._threads(rows))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Predict the natural logarithm of the probability of every class; that of 0 is minus infinity."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @of_one_fit
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows, by weight, whose class is predicted right."""
        table, y = self._coded(X), one_column(y, type(self).__name__)
        return self.model_.score(table, y, sample_weight, n_jobs=self._threads(table))


class PredictsNumbers(RegressorMixin, Predicts):  # type: ignore[misc]
    """A model of numbers."""

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can take."""
        return _tags(super().__sklearn_tags__())

    def _target(self, y: Any, sample_weight: Any) -> Target:
        return targets.values(one_column(y, type(self).__name__), sample_weight)

    @of_one_fit
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


def one_column(y: Any, name: str) -> Any:
    """Return the target as one column: that of a frame or table with one, or an array flattened with a warning.

    The warning is scikit-learn's. A frame gets none: its only column can only be the target.
    """
    if y is None:
        raise TargetError(f"{name} requires y to be passed, but the target y is None.")
    y = only_column(y)
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


def check_columns(estimator: Predicts, given: Schema) -> None:
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
