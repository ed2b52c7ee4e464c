"""Nearest neighbours as estimators: mixed tables straight in, k and the weights of features by leave-one-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import BranchworkWarning, OneClassWarning, ParameterError, shown, warn
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._parameters import check_parameters
from branchwork.estimators._predicting import (
    Predicts,
    PredictsClasses,
    PredictsNumbers,
)
from branchwork.learn.progress import progress_bar
from branchwork.learn.threads import thread_count
from branchwork.neighbours.choose import (
    Chosen,
    Task,
    choose_k,
    choose_weights,
    ks_to_try,
    rows_of_two_passes,
)
from branchwork.neighbours.distance import Metric
from branchwork.neighbours.model import Neighbours
from branchwork.neighbours.search import Choice
from branchwork.neighbours.votes import Weights
from branchwork.neighbours.why import NeighboursWhy
from branchwork.table.adapt import CategoricalFeatures, to_table
from branchwork.table.named import target_name_of
from branchwork.table.schema import Schema, no_such_column
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target

K = int | Literal["cv"]
FeatureWeights = Mapping[str, float] | Sequence[float] | Literal["cv"] | None
HandleUnknown = Literal["missing", "error"]


class NeighboursEstimator(Predicts):
    """What neighbours of classes and of numbers share."""

    model_: Neighbours  # type: ignore[assignment]  # answers as a Model does
    errors_by_k_: dict[int, float]

    def __init__(
        self,
        k: K = 5,
        *,
        metric: Metric = "mixed",
        weights: Weights = "uniform",
        power: float = 2.0,
        feature_weights: FeatureWeights = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.metric = metric
        self.weights = weights
        self.power = power
        self.feature_weights = feature_weights
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, target_name: str | None = None) -> Self:
        """Keep the rows, and choose k and the weights of features if asked to.

        Parameters
        ----------
        X : a table of any kind: NumPy, pandas, polars, Arrow, bw.Table, lists.
        y : the target, one per row.
        sample_weight : one per row; weight w counts as w copies, also among the k neighbours, and 0 as if absent.
        target_name : the name of what is predicted, for everything that is shown; None: that of y, if it has one.
        """
        check_parameters(self)
        table = to_table(X, self.categorical_features)
        target = self._target(y, sample_weight)
        threads = thread_count(self.n_jobs)
        given = _given_weights(self.feature_weights, table.schema)
        settings = (self.metric, self.weights, float(self.power))
        handling, name = self.handle_unknown, target_name_of(y, target_name)
        k = 1 if isinstance(self.k, str) else int(self.k)
        model = Neighbours(table, target, k, *settings, given, handling, name).prepare()
        chosen = None
        if isinstance(self.k, str) or isinstance(self.feature_weights, str):
            chosen = self._chosen(model, table, target, given, threads)
            model = Neighbours(
                table, target, chosen.k, *settings, chosen.feature_weights, handling, name
            ).prepare()
        _warn_of_nothing_to_learn(model)
        fitted = {
            "model_": model,
            "_settings": self.get_params(deep=False),
            "n_features_in_": len(table.schema),
            **self._adopt_labels(model, y),  # type: ignore[arg-type]
            **({} if chosen is None else {"errors_by_k_": chosen.errors}),
        }
        names = (
            {"feature_names_in_": np.array(table.schema.names, dtype=object)} if table.schema.named else {}
        )
        self._become(fitted | names)
        return self

    def _chosen(
        self,
        model: Neighbours,
        table: Table,
        target: Target,
        given: tuple[float, ...],
        threads: int,
    ) -> Chosen:
        """Choose by leave-one-out."""
        row_weights = model.row_weights
        if isinstance(self.k, str):
            ks = ks_to_try(row_weights)
        else:
            ks = (int(self.k),)
            left = float(row_weights.sum()) - 1
            if ks[0] > left:
                raise ParameterError(
                    f'feature_weights="cv" leaves one row out, and k={ks[0]} neighbours need {ks[0]} others; '
                    f"{left:g} are left (n_samples = {len(row_weights)})."
                )
        rows, by_weights = int(np.count_nonzero(row_weights)), isinstance(self.feature_weights, str)
        total = rows_of_two_passes(rows, len(given)) if by_weights else rows
        with progress_bar(self.verbose, total, type(self).__name__) as progress:
            done = 0

            def tick(more: int) -> None:
                nonlocal done
                done += more
                if progress is not None:
                    progress(min(done, total))

            settings = (self.metric, self.weights, float(self.power), threads, tick)
            task = Task(table, target, row_weights, *settings)
            return (choose_weights if by_weights else choose_k)(task, ks, given)

    @property
    def k_(self) -> int:
        """The number of neighbours that answer: `k`, or what leave-one-out chose."""
        check_is_fitted(self)
        return self.model_.k

    @property
    def feature_weights_(self) -> npt.NDArray[np.float64]:
        """What differences in each feature are multiplied by: as given, or as leave-one-out chose."""
        check_is_fitted(self)
        return np.array(self.model_.feature_weights)

    @property
    def search_(self) -> Choice:
        """How neighbours are found: `.method` is "kd_tree" or "brute", `.why` is the reason.

        Rows with a missing number are compared with all training rows, whatever the method.
        """
        check_is_fitted(self)
        return self.model_.search

    @of_one_fit
    def kneighbors(self, X: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
        """Return the distances and the training rows of the k nearest neighbours of every row, nearest first.

        >>> import branchwork as bw
        >>> near = bw.NeighboursClassifier(k=2, metric="hamming").fit([[1, 0, 1, 1], [0, 0, 0, 0]], ["a", "b"])
        >>> near.kneighbors([[0, 1, 1, 1]])
        (array([[2., 3.]]), array([[0, 1]]))
        """
        table = self._coded(X)
        if self.model_.answers.weights is not None:
            raise ParameterError(
                "Rows with sample weights count as several neighbours or as part of one; why(row) shows them."
            )
        found = self.model_.find(table, n_jobs=self._threads(table))
        shape = (len(found), self.model_.k)
        return found.distances.reshape(shape), found.rows.reshape(shape)

    def why(self, row: Any) -> NeighboursWhy:
        """Explain the answer for one row by its neighbours.

        Parameters
        ----------
        row : a mapping of column to value, values in column order, a pandas Series, or a table with one row.
        """
        check_is_fitted(self)
        return self.model_.why(row)


class NeighboursClassifier(PredictsClasses, NeighboursEstimator):
    """The k nearest training rows vote.

    Parameters
    ----------
    k : how many neighbours vote; "cv": the odd number up to √n with the lowest leave-one-out error, and of equal ones
        the smallest. Equally near rows are taken in the order of the training table.
    metric : "mixed": numbers are divided by their range, and categories differ by 0 or 1. "euclidean" and "manhattan":
        numbers as they are. "hamming": how many features differ.
    weights : "uniform": every neighbour has one vote. "distance": a neighbour at distance d has 1/d**power votes, and
        if there are exact matches, only they vote. Of classes with equal votes the earlier label wins.
    power : see `weights`; 1 is what scikit-learn has.
    feature_weights : what differences in each feature are multiplied by: a number per feature, or a mapping of some
        names (all others: 1). "cv": 0, ½, 1 or 2 for each, found by coordinate search with leave-one-out. None: all 1.
    handle_unknown : "missing": a category that training never saw differs from every other; "error": it is refused.
    categorical_features, n_jobs, verbose : as in ID3Classifier.

    A missing cell is as far from every other cell as the range of its feature: 1 in "mixed" and "hamming".

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> near = bw.NeighboursClassifier(k=3).fit(tennis.X, tennis.y)
    >>> near.predict([{"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}])
    array(['No'], dtype=object)
    """


class NeighboursRegressor(PredictsNumbers, NeighboursEstimator):
    """The mean of the k nearest training rows.

    Parameters
    ----------
    k : how many neighbours answer; "cv": the odd number up to √n with the lowest squared leave-one-out error.
    metric, weights, power, feature_weights, handle_unknown : as in NeighboursClassifier; neighbours have weights in the
        mean instead of votes.
    categorical_features, n_jobs, verbose : as in ID3Classifier.

    >>> import branchwork as bw
    >>> near = bw.NeighboursRegressor(k=2, weights="distance").fit([[0], [1], [4]], [0, 10, 40])
    >>> near.predict([[1], [2]]).tolist()
    [10.0, 8.0]
    """


def _warn_of_nothing_to_learn(model: Neighbours) -> None:
    """Say that every answer will be the same."""
    target, counted = model.answers, model.row_weights > 0
    values = target.codes if isinstance(target, Classes) else target.values
    if (values[counted] == values[counted][0]).all():
        what = "one class" if isinstance(target, Classes) else "one value"
        warn(f"The target has {what} only, so every answer is the same.", OneClassWarning)
    elif model.distinct_rows == 1:
        warn(
            f"All rows are the same in every feature that counts, so the first {model.k} of them answer everything.",
            BranchworkWarning,
        )


def _given_weights(given: FeatureWeights, schema: Schema) -> tuple[float, ...]:
    """Return a weight for each feature."""
    if given is None or isinstance(given, str):
        return (1.0,) * len(schema)
    if isinstance(given, Mapping):
        for name in given:
            if name not in schema.names:
                raise ParameterError(f"feature_weights: {no_such_column(str(name), schema.names)}")
        return tuple(float(given.get(name, 1.0)) for name in schema.names)
    if len(given) != len(schema):
        raise ParameterError(
            f"feature_weights={shown(list(given))} has {len(given)} numbers; expected one for each of the "
            f"{len(schema)} features."
        )
    return tuple(float(one) for one in given)
