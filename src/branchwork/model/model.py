"""A model: trees, the schema and labels they speak in, and how they were made. It predicts by itself."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import TargetError
from branchwork.table.adapt import to_table
from branchwork.table.conform import HandleUnknown, conform
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.tree.apply import Shares, apply, shares
from branchwork.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model.

    Parameters
    ----------
    schema : the columns it was trained on.
    labels : the classes in declared order, absent ones included; None for a numeric target.
    trees : one tree now; ensembles have many.
    recipe : the name of the recipe, criterion and settings, as plain data.
    handle_unknown : what to do with categories that training never saw.
    occurring : positions in `labels` of the classes that training saw; None: those at the root of the tree.
    spread : how far apart the numbers lie of each column that the tree asks (table/spread.py); None: not known.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> model = bw.ID3Classifier().fit(tennis.X, tennis.y).model_
    >>> model.predict([{"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}])
    array(['No'], dtype=object)
    """

    schema: Schema
    labels: tuple[Hashable, ...] | None
    trees: tuple[Tree, ...]
    recipe: dict[str, Any]
    handle_unknown: HandleUnknown = "missing"
    occurring: tuple[int, ...] | None = None
    spread: tuple[float, ...] | None = None

    @property
    def tree(self) -> Tree:
        """The tree of a model that has one."""
        return self.trees[0]

    @cached_property
    def label_array(self) -> npt.NDArray[Any]:
        """The labels in declared order, as an array."""
        if self.labels is None:
            raise TargetError("This model predicts numbers; it has no labels.")
        return label_array(self.labels)

    @cached_property
    def class_order(self) -> npt.NDArray[np.intp]:
        """Positions in `labels` of the classes that occur, sorted by label: the columns of predict_proba."""
        if self.labels is None or self.tree.distribution is None:
            raise TargetError("This model predicts numbers; it has no classes.")
        at_root = np.flatnonzero(self.tree.distribution[0] > 0)
        occurs = at_root if self.occurring is None else np.array(self.occurring, np.intp)
        labels = self.labels
        try:
            return np.array(sorted(occurs.tolist(), key=lambda k: labels[k]), np.intp)
        except TypeError:  # labels that have no common order keep the declared one
            return occurs

    @cached_property
    def class_place(self) -> npt.NDArray[np.intp]:
        """Where each label stands among the classes that occur."""
        place = np.zeros(self.tree.n_outputs, np.intp)
        place[self.class_order] = np.arange(len(self.class_order))
        return place

    @cached_property
    def classes(self) -> npt.NDArray[Any]:
        """The classes that occur, sorted."""
        return self.label_array[self.class_order]

    def table(self, X: Any) -> Table:
        """Code any container by this model's schema."""
        return conform(to_table(X), self.schema, handle_unknown=self.handle_unknown)

    def apply(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.int32]:
        """The leaf of every row."""
        with_majority = self.handle_unknown == "majority"
        return apply(self.tree, self.table(X), unseen_with_majority=with_majority, n_jobs=n_jobs)

    def shares(self, X: Any, *, n_jobs: int = 1) -> Shares:
        """The leaves of every row, and its share in each of them."""
        with_majority = self.handle_unknown == "majority"
        return shares(self.tree, self.table(X), unseen_with_majority=with_majority, n_jobs=n_jobs)

    def outputs(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.float64]:
        """The tree's outputs for every row: probabilities of all labels, or the number."""
        if self.tree.shares_rows:
            return self.shares(X, n_jobs=n_jobs).mix(self.tree.value)
        return self.tree.value[self.apply(X, n_jobs=n_jobs)]

    def decisions(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.intp]:
        """Position in `labels` of every row's class (ties: the earlier label)."""
        if self.tree.shares_rows:
            return np.asarray(np.argmax(self.outputs(X, n_jobs=n_jobs), axis=1))
        return self.tree.decision[self.apply(X, n_jobs=n_jobs)]

    def predict(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[Any]:
        """The class or the number of every row."""
        if self.labels is None:
            return self.outputs(X, n_jobs=n_jobs)[:, 0]
        return self.label_array[self.decisions(X, n_jobs=n_jobs)]

    def predict_proba(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.float64]:
        """Probability of every class that occurs, in the order of `classes`."""
        return self.outputs(X, n_jobs=n_jobs)[:, self.class_order]


def label_array(labels: tuple[Hashable, ...]) -> npt.NDArray[Any]:
    """Labels as an array: numbers and booleans in their own type, everything else as objects."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        array = np.array(labels)
        if array.tolist() == list(labels):  # integers too large for 64 bits would become floats
            return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
