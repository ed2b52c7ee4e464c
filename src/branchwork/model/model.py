"""A model: its trees, the schema and labels that they use, and how they were made. It can predict."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import ParameterError, TargetError
from branchwork.lazy import cached_property
from branchwork.measure.criteria import Criterion, criterion_of, foreign_criterion
from branchwork.model.combine import SINGLE, Combine
from branchwork.model.ensemble import Ensemble
from branchwork.model.importance import importance
from branchwork.model.looks import Looks
from branchwork.model.packed import packed_trees
from branchwork.model.pickles import Pickles
from branchwork.model.prunes import Prunes
from branchwork.model.score import accuracy, r_squared
from branchwork.table import target as targets
from branchwork.table.adapt import to_table
from branchwork.table.conform import HandleUnknown, conform
from branchwork.table.schema import Schema
from branchwork.table.table import MOST_ROWS, Table
from branchwork.table.target import Classes, Target, Values
from branchwork.tree.apply import Shares, apply, shares
from branchwork.tree.outputs import likeliest
from branchwork.tree.proof import Proof
from branchwork.tree.tree import Tree

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True, eq=False, repr=False)
class Model(Looks, Prunes, Pickles):
    """A fitted model.

    Parameters
    ----------
    schema : the columns it was trained on.
    labels : the classes in declared order, including absent ones; None for a numeric target.
    trees : one tree, or those of an ensemble.
    recipe : the name of the recipe, the criterion and the settings, as plain data.
    handle_unknown : what to do with unseen categories.
    occurring : positions in `labels` of the classes that occurred in training; None: those at the root of the tree.
    spread : the spread of each numeric column that the tree tests (table/spread.py); None: not known.
    combine : how the outputs of the trees are combined.
    target : the name of what it predicts; None: not known.
    ensemble : how the trees of an ensemble were made; None: a single tree, or trees of another library.
    proof : what is proven about an optimal tree that has not been changed since the search; None: nothing.
    class_weights : how much a row of each class counts in the tree, by class weights, priors or losses; None: alike.

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
    combine: Combine = SINGLE
    target: str | None = None
    ensemble: Ensemble | None = None
    proof: Proof | None = None
    class_weights: tuple[float, ...] | None = None

    @property
    def tree(self) -> Tree:
        """The tree of a model that has one."""
        if self.combine.kind != "single":
            raise ParameterError(
                f"This model has {len(self.trees)} trees, but this needs one tree: take model.member(0), for example."
            )
        return self.trees[0]

    @property
    def unit(self) -> str:
        """What impurity and gain are measured in."""
        return self.criterion.unit

    @property
    def criterion(self) -> Criterion:
        """The properties of the criterion that its splits were chosen by."""
        name = self.recipe.get("criterion")
        if "library" in self.recipe:
            return foreign_criterion(str(name))
        return criterion_of(name, self.labels or ())

    @cached_property
    def class_samples(self) -> npt.NDArray[np.float64] | None:
        """The training rows of each class in each node, in sample weight: without class weights, priors and losses."""
        found = self.tree.distribution
        if found is None or self.class_weights is None:
            return found
        weights = np.array(self.class_weights)
        return np.asarray(np.divide(found, weights, out=np.zeros_like(found), where=weights > 0))

    def member(self, k: int) -> Model:
        """Return one of the trees as a model; of a sum, its additive part."""
        if not 0 <= k < len(self.trees):
            raise ParameterError(f"member({k}); the model has trees 0 to {len(self.trees) - 1}.")
        labels = None if self.combine.kind == "sum" else self.labels
        occurring = None if labels is None else self.occurring
        return replace(
            self, labels=labels, trees=(self.trees[k],), occurring=occurring, combine=SINGLE, ensemble=None
        )

    def first(self, count: int) -> Model:
        """Return the model that has only the first trees of an ensemble."""
        if not 1 <= count <= len(self.trees):
            raise ParameterError(f"first({count}); the model has {len(self.trees)} trees.")
        return replace(self, trees=self.trees[:count], combine=self.combine.first(count), ensemble=None)

    @cached_property
    def label_array(self) -> npt.NDArray[Any]:
        """The labels in declared order, as an array."""
        if self.labels is None:
            raise TargetError("This model predicts numbers; it has no labels.")
        return label_array(self.labels)

    @cached_property
    def class_order(self) -> npt.NDArray[np.intp]:
        """Positions in `labels` of the classes that occur, sorted by label: the columns of predict_proba."""
        labels = self.labels
        if labels is None:
            raise TargetError("This model predicts numbers; it has no classes.")
        if self.occurring is not None:
            return label_order(labels, self.occurring)
        if self.combine.kind == "single" and self.tree.distribution is not None:
            return label_order(labels, np.flatnonzero(self.tree.distribution[0] > 0).tolist())
        return label_order(labels, range(len(labels)))

    @cached_property
    def _in_class_order(self) -> bool:
        """Whether the outputs are already in the order of the columns of predict_proba."""
        return np.array_equal(self.class_order, np.arange(len(self.label_array)))

    @cached_property
    def class_place(self) -> npt.NDArray[np.intp]:
        """The position of each label among the classes that occur."""
        place = np.zeros(len(self.label_array), np.intp)
        place[self.class_order] = np.arange(len(self.class_order))
        return place

    @cached_property
    def classes(self) -> npt.NDArray[Any]:
        """The classes that occur, sorted."""
        return self.label_array[self.class_order]

    def table(self, X: Any) -> Table:
        """Code any container by the schema of this model; a table that is already coded by it is returned as it is."""
        if type(X) is Table and X.schema is self.schema:
            return X
        return conform(to_table(X), self.schema, handle_unknown=self.handle_unknown)

    def _columns(self, X: Any) -> _core.Columns:
        """Return the rows in the form that the core reads.

        If all columns are numeric, the core reads an array of floats directly. For a single row, making a table would
        take longer than the prediction.
        """
        return _core.Columns.matrix(X) if self.takes_as_it_is(X) else self.table(X).core

    def takes_as_it_is(self, X: Any) -> bool:
        """Return whether X is an array of floats whose columns can only be those of this model."""
        return (
            type(X) is np.ndarray
            and X.dtype in _FLOATS
            and X.ndim == 2
            and X.shape[1] == len(self.schema) > 0
            and X.flags.aligned
            and len(X) < MOST_ROWS
            and self.schema.is_numeric
        )

    def target_of(self, y: Any, sample_weight: Any = None) -> Target:
        """Code a target by this model's labels; a `Target` must be coded by them already."""
        if isinstance(y, Classes | Values):
            return y
        if self.labels is None:
            return targets.values(y, sample_weight)
        return targets.classes(y, sample_weight).in_labels(self.labels)

    @property
    def packed(self) -> _core.Ensemble:
        """The trees as an ensemble of the core, which packs them on first use. Nothing else is cached by a model.

        Threads that ask at the same time get the same object, so that the trees are packed only once.
        """
        made = self.__dict__.get("_packed")
        if made is None:
            with_majority = self.handle_unknown == "majority"
            made = packed_trees(self.trees, self.schema, self.combine, unseen_with_majority=with_majority)
            made = self.__dict__.setdefault("_packed", made)
        return cast(_core.Ensemble, made)

    def apply(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.int32]:
        """Return the leaf of every row; for several trees, one column per tree."""
        leaves = self.packed.leaves(self._columns(X), n_jobs)
        return leaves[:, 0] if self.combine.kind == "single" else leaves

    def shares(self, X: Any, *, n_jobs: int = 1) -> Shares:
        """Return the leaves of every row, and its share in each of them."""
        with_majority = self.handle_unknown == "majority"
        return shares(self.tree, self.table(X), unseen_with_majority=with_majority, n_jobs=n_jobs)

    def outputs(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.float64]:
        """Return the outputs for every row: the probabilities of all labels, or the number."""
        if not self._adds_up:
            table = self.table(X)
            said = self.votes_of if self.combine.takes_votes else self.outputs_of
            return self.combine.together(said(tree, table, n_jobs=n_jobs) for tree in self.trees)
        sums = self.packed.sums(self._columns(X), n_jobs)
        return self.combine.finished(sums[0], len(self.trees))

    @cached_property
    def _adds_up(self) -> bool:
        """Whether the outputs are sums of values of leaves.

        A median is not a sum. A tree that shares rows among its branches votes only after the shares are added up, so
        its vote is in no leaf.
        """
        combine = self.combine
        shares_rows = any(tree.shares_rows for tree in self.trees)
        return combine.kind != "median" and not (combine.takes_votes and shares_rows)

    def staged_outputs(
        self, X: Any, stages: Sequence[int] | None = None, *, n_jobs: int = 1
    ) -> npt.NDArray[np.float64]:
        """Return the outputs of only the first trees, as an array (stages, rows, outputs).

        Parameters
        ----------
        X : rows, in any container.
        stages : numbers of trees, ascending; None: after every tree, or after every round of a sum in which each tree
            adds to one output.
        n_jobs : number of threads.
        """
        counts = self._stages(stages)
        if not self._adds_up:
            return np.stack([self.first(count).outputs(X, n_jobs=n_jobs) for count in counts])
        sums = self.packed.sums(self._columns(X), n_jobs, counts)
        parts = zip(sums, counts, strict=True)
        return np.stack([self.combine.first(count).finished(part, count) for part, count in parts])

    def outputs_out_of_bag(
        self, X: Any, copies: Sequence[npt.NDArray[np.uint32]], *, n_jobs: int = 1
    ) -> npt.NDArray[np.float64]:
        """Return outputs in which each row is predicted only by the trees that were not trained on it.

        Parameters
        ----------
        X : the training rows.
        copies : for each tree, how often each row was in its sample.
        n_jobs : number of threads.

        The outputs of a row that was in every sample are NaN.
        """
        if self.combine.kind not in ("mean", "vote") or not self._adds_up:
            raise ParameterError(
                "Only means, and votes of trees that do not share rows, have rows out of bag; this model is a "
                f"{self.combine.kind}."
            )
        table = self.table(X)
        samples = [np.ascontiguousarray(one, np.uint32) for one in copies]
        if len(samples) != len(self.trees) or any(one.shape != (table.n_rows,) for one in samples):
            raise ParameterError(
                f"copies must have an array for each of the {len(self.trees)} trees, with a number for each of the "
                f"{table.n_rows} rows."
            )
        sums = self.packed.sums(table.core, n_jobs, None, samples)[0]
        trees = np.zeros(table.n_rows)
        for one in samples:
            trees += one == 0
        return np.where(trees[:, None] > 0, sums / np.maximum(trees, 1)[:, None], np.nan)

    def _stages(self, stages: Sequence[int] | None) -> list[int]:
        count = len(self.trees)
        if stages is None:
            together = 1 if self.combine.output is None else len(self.combine.base)
            return list(range(together, count + 1, together))
        if not stages or list(stages) != sorted(stages) or not 1 <= stages[0] <= stages[-1] <= count:
            raise ParameterError(
                f"stages={list(stages)}; expected ascending numbers of trees from 1 to {count}."
            )
        return [int(stage) for stage in stages]

    def decisions(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.intp]:
        """Return the position in `labels` of the class of every row (ties: the earlier label)."""
        if self.combine.kind == "single" and not self.tree.shares_rows:
            return self.tree.decision[self.apply(X, n_jobs=n_jobs)]
        return likeliest(self.outputs(X, n_jobs=n_jobs))

    def _apply(self, tree: Tree, table: Table, n_jobs: int) -> npt.NDArray[np.int32]:
        return apply(tree, table, unseen_with_majority=self.handle_unknown == "majority", n_jobs=n_jobs)

    def _shares(self, tree: Tree, table: Table, n_jobs: int) -> Shares:
        return shares(tree, table, unseen_with_majority=self.handle_unknown == "majority", n_jobs=n_jobs)

    def outputs_of(self, tree: Tree, table: Table, *, n_jobs: int = 1) -> npt.NDArray[np.float64]:
        """Return the outputs of one tree for the rows of a table that is coded by this model's schema."""
        if tree.shares_rows:
            return self._shares(tree, table, n_jobs).mix(tree.value)
        return tree.value[self._apply(tree, table, n_jobs)]

    def decisions_of(self, tree: Tree, table: Table, *, n_jobs: int = 1) -> npt.NDArray[np.intp]:
        """Return the position in `labels` of the class that one tree predicts for each row."""
        if tree.shares_rows:
            return likeliest(self.outputs_of(tree, table, n_jobs=n_jobs))
        return tree.decision[self._apply(tree, table, n_jobs)]

    def votes_of(self, tree: Tree, table: Table, *, n_jobs: int = 1) -> npt.NDArray[np.float64]:
        """Return, for each row, 1 for the class that one tree predicts and 0 for all others."""
        return np.eye(len(self.label_array))[self.decisions_of(tree, table, n_jobs=n_jobs)]

    def predict(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[Any]:
        """Predict the class or the number of every row."""
        if self.labels is None:
            return self.outputs(X, n_jobs=n_jobs)[:, 0]
        return self.label_array[self.decisions(X, n_jobs=n_jobs)]

    def predict_proba(self, X: Any, *, n_jobs: int = 1) -> npt.NDArray[np.float64]:
        """Predict the probability of every class that occurs, in the order of `classes`."""
        outputs = self.outputs(X, n_jobs=n_jobs)
        return outputs if self._in_class_order else outputs[:, self.class_order]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, n_jobs: int = 1) -> float:
        """Return the accuracy or, for numbers, R²; both by weight.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> bw.StumpClassifier().fit(tennis.X, tennis.y).model_.score(tennis.X, tennis.y)
        0.7142857142857143
        """
        if self.labels is None:
            return r_squared(self.predict(X, n_jobs=n_jobs), y, sample_weight)
        return accuracy(self.labels, self.decisions(X, n_jobs=n_jobs), y, sample_weight)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The share of each feature in the impurity that is removed; several trees are combined as in scikit-learn."""
        weights = self.combine.weights or None
        return importance(self.trees, len(self.schema), shares=self.combine.kind != "sum", weights=weights)


_OWN_TYPE: dict[type, str] = {int: "iu", float: "f", bool: "b"}
"""For each type of labels that has an array type of its own: the kinds of that type."""


def label_array(labels: tuple[Hashable, ...]) -> npt.NDArray[Any]:
    """Return labels as an array: numbers and booleans in their own type, everything else as objects."""
    kinds = set(map(type, labels))
    own_type = _OWN_TYPE.get(kinds.pop()) if len(kinds) == 1 else None
    if own_type is not None:
        array = np.array(labels)
        if array.dtype.kind in own_type:  # NumPy makes floats or objects of integers beyond 64 bits
            return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def label_order(labels: tuple[Any, ...], occurs: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return positions in `labels`, sorted by label; labels that cannot be compared keep the declared order."""
    try:
        return np.array(sorted(occurs, key=labels.__getitem__), np.intp)
    except TypeError:
        return np.array(occurs, np.intp)
