"""Measure the errors of a tree in each of its leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.model.describe import prediction
from branchwork.model.model import Model
from branchwork.rules.extract import conditions_to
from branchwork.study.intervals import Estimate, wilson
from branchwork.study.report_answers import Answers, Asked, Codes, Floats

MOST_RESAMPLED = 500
"""The number of leaves of a numeric target that have intervals: those with the largest sum of squared errors."""


@dataclass(frozen=True)
class LeafLine:
    """A leaf that test rows end in.

    Parameters
    ----------
    node : the number of the leaf in the tree.
    prediction : what the leaf predicts.
    n_rows, weight : the number and the weight of the test rows in it.
    n_train : the number of training rows in it; 0 if not known.
    error : the error rate of its rows or, for numbers, the root mean squared error.
    train_error : the same for the training rows; NaN if not known.
    bias : the mean of the true values minus the prediction; None for classes.
    share_of_errors : the share of all errors (or squared errors) of the test that are in this leaf.
    """

    node: int
    prediction: Any
    n_rows: int
    weight: float
    n_train: int
    error: Estimate
    train_error: float
    bias: Estimate | None
    share_of_errors: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            **vars(self),
            "error": self.error.to_dict(),
            "train_error": None if math.isnan(self.train_error) else self.train_error,
            "bias": None if self.bias is None else self.bias.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Places:
    """The leaves that rows end in: their numbers in ascending order, and the position of each row's leaf among them."""

    nodes: Codes
    of_row: Codes


def places_of(answers: Answers) -> Places:
    """Return the leaves that rows end in."""
    assert answers.leaves is not None
    nodes, of_row = np.unique(answers.leaves, return_inverse=True)
    return Places(nodes.astype(np.intp), of_row.reshape(-1))


def class_leaves(model: Model, answers: Answers, trained: Asked | None, level: float) -> tuple[LeafLine, ...]:
    """Return the leaves of a tree of classes, those with the most errors first."""
    known = _class_training(model) if trained is None else _measured(trained, model.tree.n_nodes)
    places, wrong = places_of(answers), answers.is_wrong
    weight = np.bincount(places.of_row, answers.mass)
    squares = np.bincount(places.of_row, answers.mass**2)
    errors = np.bincount(places.of_row, answers.mass * wrong)
    rows = np.bincount(places.of_row)
    total = float(errors.sum()) or 1.0
    lines = []
    for k, node in enumerate(places.nodes.tolist()):
        found = wilson(
            float(errors[k]), float(weight[k]), level=level, effective=float(weight[k] ** 2 / squares[k])
        )
        share = float(errors[k]) / total
        lines.append(_line(model, node, int(rows[k]), float(weight[k]), known, found, share))
    return _worst_first(lines)


def number_figures(answers: Answers, places: Places, shown: Codes) -> Any:
    """Return a function from counts of rows to the mean error and the root mean squared error of some leaves."""
    kept = np.isin(places.of_row, shown)
    rows = np.flatnonzero(kept)
    of_row = np.searchsorted(shown, places.of_row[rows])
    error, mass = (answers.truth - answers.said)[rows], answers.mass[rows]
    parts = (mass, mass * error, mass * error**2)

    def figures(counts: Floats) -> Floats:
        own = counts[rows]
        total, first, second = (np.bincount(of_row, own * part, len(shown)) for part in parts)
        none = np.full(len(shown), np.nan)
        mean = np.divide(first, total, out=none.copy(), where=total > 0)
        squared = np.divide(second, total, out=none, where=total > 0)
        return np.concatenate([mean, np.sqrt(squared)])

    return figures


def worst_places(answers: Answers, places: Places, most: int = MOST_RESAMPLED) -> Codes:
    """Return the places of the leaves with the largest sums of squared errors, in ascending order."""
    sums = np.bincount(places.of_row, answers.mass * (answers.truth - answers.said) ** 2)
    return np.sort(np.argsort(-sums, kind="stable")[:most])


def number_leaves(
    model: Model,
    answers: Answers,
    trained: Asked | None,
    places: Places,
    shown: Codes,
    found: Sequence[Estimate],
) -> tuple[LeafLine, ...]:
    """Return the leaves of a tree of numbers, those with the largest squared error first.

    `found` are the figures of the leaves at `shown`; others have no interval.
    """
    whole = number_figures(answers, places, np.arange(len(places.nodes)))(np.ones(len(answers)))
    estimates = [Estimate(value, math.nan, math.nan) for value in whole.tolist()]
    count = len(places.nodes)
    for k, place in enumerate(shown.tolist()):
        estimates[place], estimates[count + place] = found[k], found[len(shown) + k]
    weight = np.bincount(places.of_row, answers.mass)
    rows = np.bincount(places.of_row)
    sums = np.bincount(places.of_row, answers.mass * (answers.truth - answers.said) ** 2)
    total = float(sums.sum()) or 1.0
    known = _number_training(model) if trained is None else _measured(trained, model.tree.n_nodes)
    lines = []
    for k, node in enumerate(places.nodes.tolist()):
        share = float(sums[k]) / total
        line = _line(model, node, int(rows[k]), float(weight[k]), known, estimates[count + k], share)
        lines.append(replace(line, bias=estimates[k]))
    return _worst_first(lines)


def _line(
    model: Model, node: int, rows: int, weight: float, known: Training, error: Estimate, share: float
) -> LeafLine:
    said, train_error = prediction(model, node), float(known.error[node])
    return LeafLine(node, said, rows, weight, int(known.n_rows[node]), error, train_error, None, share)


def _worst_first(lines: list[LeafLine]) -> tuple[LeafLine, ...]:
    return tuple(sorted(lines, key=lambda line: (-line.share_of_errors, line.node)))


# ---- the training rows in each leaf


@dataclass(frozen=True, eq=False)
class Training:
    """The training rows of each node, and their error as the report measures it; NaN if it is not known."""

    n_rows: npt.NDArray[np.int64]
    error: Floats


def _measured(trained: Asked, n_nodes: int) -> Training:
    """Return what the training rows show in the leaves that they end in."""
    answers = trained.answers
    assert answers.leaves is not None
    is_classes = answers.labels is not None
    loss = answers.is_wrong.astype(np.float64) if is_classes else (answers.truth - answers.said) ** 2
    mass, total = (np.bincount(answers.leaves, answers.mass * part, n_nodes) for part in (1.0, loss))
    mean = np.divide(total, mass, out=np.full(n_nodes, np.nan), where=mass > 0)
    error = mean if is_classes else np.sqrt(mean)
    return Training(np.bincount(answers.leaves, minlength=n_nodes), error)


def _class_training(model: Model) -> Training:
    """Return the share of the rows of each node that are not of the class that it predicts, as the tree stores them."""
    tree, samples = model.tree, model.class_samples
    error = np.full(tree.n_nodes, np.nan)
    if samples is not None and tree.n_rows[0] > 0:
        total = samples.sum(axis=1)
        right = samples[np.arange(tree.n_nodes), tree.decision]
        np.divide(total - right, total, out=error, where=total > 0)
    return Training(tree.n_rows, error)


def _number_training(model: Model) -> Training:
    """Return the root mean squared error of the rows of each node about their mean, as the tree stores them."""
    tree = model.tree
    if tree.variance is None:
        return Training(tree.n_rows, np.full(tree.n_nodes, np.nan))
    weight = np.where(tree.weight > 1, tree.weight, np.nan)  # the sample variance of less is not defined
    error = np.sqrt(tree.variance * (weight - 1) / weight)
    return Training(tree.n_rows, np.where(tree.n_rows == 1, 0.0, error))


def rule_of(model: Model, node: int) -> list[str]:
    """Return the conditions on the way to a node, in words."""
    return [condition.describe(model.schema) for condition in conditions_to(model, node)]


def cells_of_leaves(answers: Answers) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return, for each pair of true and predicted class, the leaves of such rows, with numbers of rows.

    A tree that shares rows predicts from all leaves of a row, so one leaf may have several predicted classes.
    """
    assert answers.leaves is not None and answers.labels is not None
    classes = len(answers.labels)
    key = (answers.truth * classes + answers.said).astype(np.int64) * (int(answers.leaves.max()) + 1)
    found, counts = np.unique(key + answers.leaves, return_counts=True)
    cells: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one, count in zip(found.tolist(), counts.tolist(), strict=True):
        cell, leaf = divmod(one, int(answers.leaves.max()) + 1)
        cells.setdefault(divmod(cell, classes), []).append((leaf, count))
    return {cell: sorted(leaves, key=lambda one: (-one[1], one[0])) for cell, leaves in cells.items()}
