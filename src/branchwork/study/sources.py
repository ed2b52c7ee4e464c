"""Predict with models that were learned on samples of one table, for every value of one setting.

A `Source` has the rows. For each sample it yields the predictions for the query rows, one line per value, in the
fastest way that is possible:

    one tree for all values     limits of depth and leaves, cost-complexity pruning      study/nested.py
    one tree, pruned again      the confidence of C4.5's pruning
    one ensemble, by stages     the number of trees
    one sorted table            every other setting of a single tree
    one fit per value           everything else: any estimator with `fit` and `predict`
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning, ParameterError, did_you_mean
from branchwork.grow.prepared import Drawn
from branchwork.learn.members import Members
from branchwork.learn.threads import in_threads, one_thread_each
from branchwork.measure.bounds import ErrorBound
from branchwork.measure.losses import SHARE_WRONG, SQUARED_ERROR, Loss
from branchwork.model.model import Model
from branchwork.prune.error_based import by_rows
from branchwork.study.containers import Rows, rows_of
from branchwork.study.nested import answering, largest, leaf_counts, stopped
from branchwork.table.adapt import to_table
from branchwork.table.conform import conform
from branchwork.table.table import Table
from branchwork.table.target import Classes, classes
from branchwork.tree.outputs import likeliest
from branchwork.tree.reshape import collapse
from branchwork.tree.tree import Tree

Answers = npt.NDArray[Any]
BATCH_CELLS = 2**24
"""Samples are grown in batches whose counts of copies take about 64 MB."""


@dataclass(frozen=True)
class Sweep:
    """An estimator, and the values of one of its settings; without a setting, the estimator as it is."""

    est: Any
    over: str | None = None
    values: tuple[Any, ...] = (None,)

    def at(self, value: Any) -> Any:
        """Return a fresh estimator with one of the values."""
        from sklearn.base import clone

        est = clone(self.est)
        if self.over is None or (self.over == "ccp_alpha" and "ccp_alpha" not in est.get_params()):
            return est
        return est.set_params(**{self.over: value})


@dataclass(frozen=True, eq=False)
class Learned:
    """What the models of one sample predict (values × query rows), and how many leaves they have.

    Predictions are codes into the labels of a `Coder`, or numbers. Leaves are NaN for models that have no trees.
    """

    answers: Answers
    leaves: npt.NDArray[np.float64]


@dataclass
class Coder:
    """Gives every label a number, in order of appearance; a numeric target stays as it is.

    `judge` says how predicted numbers are judged; None: by squared error.
    """

    is_classes: bool
    judge: Loss | None = None
    codes: dict[Hashable, int] = field(default_factory=dict)

    @property
    def loss(self) -> Loss:
        """How predictions are judged."""
        return SHARE_WRONG if self.is_classes else self.judge or SQUARED_ERROR

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels, by their numbers."""
        return tuple(self.codes)

    def code(self, y: Any) -> Answers:
        """Return targets or predictions as numbers."""
        if not self.is_classes:
            return np.asarray(y, np.float64).reshape(-1)
        target = classes(y)
        return self.codes_of(target.labels)[target.codes]

    def codes_of(self, labels: Sequence[Hashable]) -> npt.NDArray[np.intp]:
        """Return the numbers of labels."""
        return np.array([self.codes.setdefault(label, len(self.codes)) for label in labels], np.intp)


class Source(Protocol):
    """Rows to learn from."""

    def learned(self, samples: Sequence[Rows], queries: Sequence[Any]) -> Iterator[Learned]:
        """Yield what the models of each sample predict for the rows of some tables, one table after the other.

        A sample is a list of rows, in which a row may come twice.
        """


def source_of(sweep: Sweep, X: Any, y: Any, coder: Coder, n_jobs: int = 1, *, weights: Any = None) -> Source:
    """Return the fastest source for an estimator; rows may have weights."""
    coder.code(y)  # number the labels now, so that the numbers do not depend on which thread comes first
    grows = getattr(sweep.est, "_members", None)
    if grows is not None and (weights is None or (np.asarray(weights) > 0).all()):
        table, target = to_table(X, sweep.est.categorical_features), sweep.est._target(y, weights)
        members = grows(table, target, n_jobs)
        if members is not None and _all_grow(sweep, members):
            return TreeSource(sweep, members, coder)
    return FitSource(sweep, X, y, coder, n_jobs, weights)


def _all_grow(sweep: Sweep, members: Members) -> bool:
    """Return whether the trees of every value can be grown on samples of one table."""
    if (
        sweep.over in (None, "confidence")
        or largest(sweep.over or "", sweep.values, members.recipe) is not None
    ):
        return True
    found = (
        sweep.at(value)._members(members.table, members.target, members.n_jobs) for value in sweep.values
    )
    return all(one is not None for one in found)


def check_setting(est: Any, over: str, place: str = "over") -> None:
    """Refuse a setting that the estimator does not have; `place` is the parameter that names it."""
    known = est.get_params()
    if over not in known and not (over == "ccp_alpha" and hasattr(est, "_members")):
        raise ParameterError(
            f"{place}={over!r}: {type(est).__name__} has no such setting.{did_you_mean(over, known)} It has "
            f"{', '.join(sorted(known))}."
        )


def check_sweep(sweep: Sweep, X: Any, y: Any) -> None:
    """Refuse values that the estimator does not accept, before anything is grown; its own error says why."""
    est, over = sweep.est, sweep.over
    if over is None:
        return
    check_setting(est, over)
    if not hasattr(est, "_members"):
        return
    table, target = to_table(X, est.categorical_features), est._target(y, None)
    for value in sweep.values:
        sweep.at(value)._members(table, target, 1)
    members = est._members(table, target, 1)
    if over == "ccp_alpha" and (members is None or largest(over, sweep.values, members.recipe) is None):
        raise ParameterError(
            f"over='ccp_alpha': {type(est).__name__} with these settings prunes or searches its trees in another way. "
            "Take TreeClassifier, TreeRegressor, or C45Classifier(pruning=None)."
        )
    if over == "confidence" and getattr(est, "pruning", "error_based") != "error_based":
        raise ParameterError(
            f"over='confidence' is about C4.5's pruning, but the estimator has pruning={est.pruning!r}; set "
            'pruning="error_based".'
        )


# ------------------------------------------------------------------------------------------------ single trees


@dataclass(frozen=True, eq=False)
class TreeSource:
    """Samples of one table that is sorted once; the estimator grows a single tree."""

    sweep: Sweep
    members: Members
    coder: Coder

    def learned(self, samples: Sequence[Rows], queries: Sequence[Any]) -> Iterator[Learned]:
        """Yield what the trees of each sample predict."""
        rows = [self._coded(query) for query in queries]
        size = max(1, BATCH_CELLS // max(1, self.members.table.n_rows))
        for begin in range(0, len(samples), size):
            batch = [self.members.prepared.draw(sample) for sample in samples[begin : begin + size]]
            yield from self._batch(batch, rows)

    def _coded(self, query: Any) -> Table:
        table = to_table(query, self.sweep.est.categorical_features)
        return conform(table, self.members.schema, handle_unknown=self.sweep.est.handle_unknown)

    def _batch(self, draws: list[Drawn], rows: list[Table]) -> Iterator[Learned]:
        sweep, members = self.sweep, self.members
        over, values, n_jobs = sweep.over, sweep.values, members.n_jobs
        copies = [draw.copies for draw in draws]
        if over is None:
            trees = members.grow(0, copies)
            yield from in_threads(lambda tree: self._asked([tree], rows), trees, n_jobs=n_jobs)
            return
        whole = largest(over, values, members.recipe)
        if whole is not None:
            trees = self._sharing(replace(members, recipe=whole, alone=None)).grow(0, copies)
            yield from in_threads(lambda tree: self._nested(tree, rows), trees, n_jobs=n_jobs)
        elif over == "confidence":
            bare = members.recipe.replace(pruning=None)
            trees = self._sharing(replace(members, recipe=bare, alone=None)).grow(0, copies)
            yield from in_threads(
                lambda tree, draw: self._asked(self._pruned(tree, draw), rows), trees, draws, n_jobs=n_jobs
            )
        else:
            by_value = [self._with(value).grow(0, copies) for value in values]
            of_samples = zip(*by_value, strict=True)
            yield from in_threads(lambda trees: self._asked(trees, rows), of_samples, n_jobs=n_jobs)

    def _with(self, value: Any) -> Members:
        """Return what grows the trees of one value."""
        members = self.members
        return self._sharing(self.sweep.at(value)._members(members.table, members.target, members.n_jobs))

    def _sharing(self, other: Members) -> Members:
        """Return members that reuse the sorted table of these; `prepared` is a cached property."""
        other.__dict__["prepared"] = self.members.prepared
        return other

    # ---- answers

    def _asked(self, trees: Sequence[Tree], rows: list[Table]) -> Learned:
        """Predict with one tree per value."""
        answers = np.stack([self._answers(tree, rows) for tree in trees])
        return Learned(answers, np.array([float(tree.n_leaves) for tree in trees]))

    def _nested(self, tree: Tree, rows: list[Table]) -> Learned:
        """Predict with the one tree that contains the trees of all values."""
        assert self.sweep.over is not None
        masks = stopped(tree, self.sweep.over, self.sweep.values)
        top = answering(tree, masks)
        leaves = leaf_counts(masks, top).astype(np.float64)
        if tree.shares_rows:  # a row has several leaves, so each of the trees must be made
            return Learned(np.stack([self._answers(collapse(tree, mask), rows) for mask in masks]), leaves)
        said = self._said(tree)
        model = self._model(tree)
        at = np.concatenate([model._apply(tree, table, 1) for table in rows])
        return Learned(said[top[:, at]], leaves)

    def _answers(self, tree: Tree, rows: list[Table]) -> Answers:
        model = self._model(tree)
        if model.labels is None:
            return np.concatenate([model.outputs_of(tree, table)[:, 0] for table in rows])
        return np.asarray(self._codes[np.concatenate([model.decisions_of(tree, table) for table in rows])])

    def _said(self, tree: Tree) -> Answers:
        """Return the prediction of every node."""
        return np.asarray(self._codes[tree.decision] if self.coder.is_classes else tree.value[:, 0])

    def _model(self, tree: Tree) -> Model:
        target = self.members.target
        labels = target.labels if isinstance(target, Classes) else None
        return Model(self.members.schema, labels, (tree,), {}, self.sweep.est.handle_unknown)

    @property
    def _codes(self) -> npt.NDArray[np.intp]:
        target = self.members.target
        assert isinstance(target, Classes)
        return self.coder.codes_of(target.labels)

    # ---- C4.5's pruning at several confidences

    def _pruned(self, tree: Tree, draw: Drawn) -> list[Tree]:
        recipe, members = self.members.recipe, self.members
        assert recipe.pruning is not None
        table, target = members.table.take(draw.rows), members.target.take(draw.rows)
        assert isinstance(target, Classes)
        variant = "j48" if recipe.search.rules == "j48" else "c4.5"
        found = []
        for value in self.sweep.values:
            pruned, _ = by_rows(
                tree,
                table,
                target,
                ErrorBound(value, variant),  # type: ignore[arg-type]
                raising=recipe.pruning.raising,
                criterion=recipe.criterion,
                smoothing=recipe.smoothing,
            )
            found.append(pruned)
        return found


# ------------------------------------------------------------------------------------------- everything else


@dataclass(frozen=True, eq=False)
class FitSource:
    """Samples on which an estimator is fitted, once per value or, if only the number of trees varies, once for all."""

    sweep: Sweep
    X: Any
    y: Any
    coder: Coder
    n_jobs: int = 1
    weights: Any = None

    def learned(self, samples: Sequence[Rows], queries: Sequence[Any]) -> Iterator[Learned]:
        """Yield what the models of each sample predict."""
        takes_tables = hasattr(type(self.sweep.est), "_target")
        X = to_table(self.X) if takes_tables else self.X
        asked = [to_table(query) if takes_tables else query for query in queries]
        yield from in_threads(lambda rows: self._alone(X, rows, asked), samples, n_jobs=self.n_jobs)

    def _alone(self, X: Any, rows: Rows, queries: list[Any]) -> Learned:
        """Learn from one sample.

        If several threads do this, an estimator that uses threads itself gets a single one.
        """
        with one_thread_each(self.n_jobs):
            return self._one(X, rows, queries)

    def _weights(self, rows: Rows) -> dict[str, Any]:
        return {} if self.weights is None else {"sample_weight": np.asarray(self.weights)[rows]}

    def _one(self, X: Any, rows: Rows, queries: list[Any]) -> Learned:
        part, answers = rows_of(X, rows), rows_of(self.y, rows)
        with warnings.catch_warnings():  # a sample may lack a class or a category
            warnings.simplefilter("ignore", BranchworkWarning)
            if (
                self.sweep.over == "n_estimators"
                and (found := self._staged(part, answers, queries, self._weights(rows))) is not None
            ):
                return found
            fitted = [
                self.sweep.at(value).fit(part, answers, **self._weights(rows)) for value in self.sweep.values
            ]
            said = np.stack(
                [np.concatenate([self.coder.code(est.predict(query)) for query in queries]) for est in fitted]
            )
        return Learned(said, np.array([leaves_of(est) for est in fitted]))

    def _staged(self, X: Any, y: Any, queries: list[Any], weights: dict[str, Any]) -> Learned | None:
        """Predict with the first trees of the largest ensemble, as many as each value says."""
        stages = [int(value) for value in self.sweep.values]
        est = self.sweep.at(max(stages))
        if not hasattr(type(est), "trees_"):
            return None  # an ensemble of another library
        model: Model = est.fit(X, y, **weights).model_
        counts = [min(stage, len(model.trees)) for stage in stages]  # boosting may end early
        unique = sorted(set(counts))
        outputs = np.concatenate(
            [model.staged_outputs(est._coded(query), unique) for query in queries], axis=1
        )
        if model.labels is None:
            said = outputs[:, :, 0]
        else:
            said = self.coder.codes_of(model.labels)[np.stack([likeliest(one) for one in outputs])]
        sizes = np.cumsum([tree.n_leaves for tree in model.trees]).astype(np.float64)
        places = [unique.index(count) for count in counts]
        return Learned(said[places], np.array([sizes[count - 1] for count in counts]))


def leaves_of(est: Any) -> float:
    """Return the number of leaves of a fitted estimator, over all its trees; NaN if it has no trees."""
    model = getattr(est, "model_", None)
    if isinstance(model, Model):
        return float(sum(tree.n_leaves for tree in model.trees))
    count = getattr(est, "get_n_leaves", None)
    return float(count()) if callable(count) else float("nan")
