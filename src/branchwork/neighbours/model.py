"""Predict new rows from the nearest training rows: they vote, or their mean is taken."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError, ParameterError, TargetError, shown
from branchwork.lazy import cached_property
from branchwork.model.model import label_array, label_order
from branchwork.model.score import accuracy, r_squared
from branchwork.neighbours.distance import Floats, Metric
from branchwork.neighbours.nearest import Found, Nearest, blocks, nearest
from branchwork.neighbours.search import Choice
from branchwork.neighbours.votes import Weights, answers, strengths, sums
from branchwork.neighbours.why import NeighboursWhy, neighbours_why
from branchwork.table.adapt import to_table
from branchwork.table.conform import HandleUnknown, conform
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.table.training import check_rows, refuse_unseen
from branchwork.tree.outputs import likeliest


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Training rows, and how the nearest of them predict. It is a complete model.

    Parameters
    ----------
    rows : the training rows.
    answers : their classes or numbers, and their weights; rows of weight 0 are ignored.
    k : the number of neighbours.
    metric : how distances are measured: "mixed", "euclidean", "manhattan" or "hamming".
    weights : "uniform", or "distance": a neighbour at distance d counts 1/d**power.
    power : see `weights`.
    feature_weights : the factor of the differences in each feature; 0 leaves the feature out.
    handle_unknown : "missing": an unseen category differs from every other; "error": it is refused.
    target : the name of what is predicted; None: not known.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> model = bw.NeighboursClassifier(k=3).fit(tennis.X, tennis.y).model_
    >>> model.predict([{"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}])
    array(['No'], dtype=object)
    """

    rows: Table
    answers: Target
    k: int
    metric: Metric
    weights: Weights
    power: float
    feature_weights: tuple[float, ...]
    handle_unknown: HandleUnknown = "missing"
    target: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings that do not fit together."""
        check_rows(self.rows, self.answers)
        refuse_unseen(self.rows)
        n, total = len(self.answers), float(self.row_weights.sum())
        if self.k > total:
            weighing = "" if self.answers.weights is None else f", which weigh {total:g}"
            raise ParameterError(
                f"k={shown(self.k)}, but there {'is' if n == 1 else 'are'} {n} row{'s' * (n != 1)}{weighing} "
                f"(n_samples = {n}). Choose a k of at most {int(total)}."
            )
        if not any(self.feature_weights):
            raise ParameterError("feature_weights are all 0; at least one feature must count.")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickle the bytes of a model file, which are checked when they arrive."""
        from branchwork.store.container import from_bytes, to_bytes

        try:
            return from_bytes, (to_bytes(self),)
        except ModelFormatError:  # labels of a type that no model file holds
            return Neighbours, tuple(getattr(self, own.name) for own in fields(self))

    @property
    def schema(self) -> Schema:
        """The columns of the training rows."""
        return self.rows.schema

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """The classes in declared order; None for numbers."""
        return self.answers.labels if isinstance(self.answers, Classes) else None

    @cached_property
    def row_weights(self) -> Floats:
        """The weight of each training row."""
        weights = self.answers.weights
        return np.ones(len(self.answers)) if weights is None else weights

    @cached_property
    def _nearest(self) -> Nearest:
        return nearest(self.rows, self.row_weights, self.metric, self.feature_weights)

    def prepare(self) -> Neighbours:
        """Refuse training rows that have no distances, and build the search now rather than at the first prediction."""
        self.find(self.rows.take(slice(0, 1)))
        return self

    @property
    def search(self) -> Choice:
        """Which search finds the neighbours, and why."""
        return self._nearest.search.choice

    @property
    def distinct_rows(self) -> int:
        """The number of distinct training rows, by the features that count."""
        return len(self._nearest.search.points)

    @cached_property
    def class_order(self) -> npt.NDArray[np.intp]:
        """Positions in `labels` of the classes that occur, sorted by label: the columns of predict_proba."""
        if not isinstance(self.answers, Classes):
            raise TargetError("These neighbours predict numbers; they have no classes.")
        return label_order(self.answers.labels, np.flatnonzero(self.answers.counts > 0).tolist())

    @cached_property
    def class_place(self) -> npt.NDArray[np.intp]:
        """The position of each label among the classes that occur."""
        place = np.zeros(len(self.labels or ()), np.intp)
        place[self.class_order] = np.arange(len(self.class_order))
        return place

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The classes that occur, sorted."""
        order = self.class_order
        return label_array(self.labels or ())[order]

    def table(self, X: Any) -> Table:
        """Code any container by the schema of the training rows."""
        return conform(to_table(X), self.schema, handle_unknown=self.handle_unknown)

    def find(self, X: Any, *, n_jobs: int = 1) -> Found:
        """Return the k nearest training rows of every row, nearest first; ties go to the earlier row."""
        known = self._nearest
        return known.find(known.axes.cells(self.table(X)), self.k, n_jobs=n_jobs)

    def outputs(self, X: Any, *, n_jobs: int = 1) -> Floats:
        """Return the share of the votes of each label, or the mean of the neighbours, for every row."""
        known = self._nearest
        cells = known.axes.cells(self.table(X))
        return np.concatenate(
            [
                self.outputs_of(known.find(cells.take(block), self.k, n_jobs=n_jobs))
                for block in blocks(len(cells), known.rows_for(self.k))
            ]
        )

    def outputs_of(self, found: Found) -> Floats:
        """Return what the given neighbours predict for each query."""
        amounts = found.shares * strengths(found, self.weights, self.power)
        return answers(self.answers, sums(self.answers, found.queries, found.rows, amounts, len(found)))

    def decisions(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.intp]:
        """Return the position in `labels` of every row's class (ties: the earlier label)."""
        if self.labels is None:
            raise TargetError("These neighbours predict numbers; they have no classes.")
        return likeliest(self.outputs(X, n_jobs=n_jobs))

    def predict(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[Any]:
        """Predict the class or the number of every row."""
        if self.labels is None:
            return self.outputs(X, n_jobs=n_jobs)[:, 0]
        return label_array(self.labels)[self.decisions(X, n_jobs=n_jobs)]

    def predict_proba(self, X: Any, *, n_jobs: int = 1) -> Floats:
        """Predict the probability of every class that occurs, in the order of `classes`."""
        return self.outputs(X, n_jobs=n_jobs)[:, self.class_order]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, n_jobs: int = 1) -> float:
        """Return the accuracy or, for numbers, R²; both by weight."""
        if self.labels is None:
            return r_squared(self.predict(X, n_jobs=n_jobs), y, sample_weight)
        return accuracy(self.labels, self.decisions(X, n_jobs=n_jobs), y, sample_weight)

    def why(self, row: Any) -> NeighboursWhy:
        """Explain the prediction for one row by its neighbours: how far away they are, and how they vote."""
        return neighbours_why(self, row)

    def __repr__(self) -> str:
        """Show size and settings."""
        return f"Neighbours(k={self.k}, {self.rows.n_rows} rows, {self.metric} distance)"
