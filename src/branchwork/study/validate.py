"""Measure the error of a recipe on rows that it has not seen, by cross-validation, and on those that it has."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning
from branchwork.grow.prepared import Drawn, Prepared
from branchwork.grow.recipe import Recipe
from branchwork.learn.single import learn
from branchwork.measure.folds import splits
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target

Learner = Callable[[Table, Target, Drawn], Model]
"""Learns a model from a table and a target; the sample gives their rows in a prepared table."""


@dataclass(frozen=True)
class CrossValidation:
    """Error over all left-out rows, and in each fold."""

    error: float
    fold_errors: tuple[float, ...]


def row_losses(model: Model, table: Table, target: Target) -> npt.NDArray[np.float64]:
    """Return the loss of each row: 0 or 1 for classes, the squared difference for numbers."""
    predicted = model.predict(table)
    if isinstance(target, Classes):
        truth = [target.labels[code] for code in target.codes.tolist()]
        return np.array([t != p for t, p in zip(truth, predicted.tolist(), strict=True)], np.float64)
    return (predicted - target.values) ** 2


def total_error(losses: npt.NDArray[np.float64], target: Target) -> float:
    """Return the error rate for classes, the root mean squared error for numbers."""
    mean = float(np.average(losses, weights=target.weights))
    return mean if isinstance(target, Classes) else float(np.sqrt(mean))


def training_error(model: Model, table: Table, target: Target) -> float:
    """Return the error on the rows that the model was trained on."""
    return total_error(row_losses(model, table, target), target)


def _learned(recipe: Recipe, table: Table, target: Target, drawn: Drawn) -> Model:
    return learn(table, target, recipe, drawn=drawn)[0]


def cross_validate(
    table: Table,
    target: Target,
    recipe: Recipe | Learner,
    folds: int = 10,
    *,
    progress: Callable[[int], None] | None = None,
) -> CrossValidation:
    """Cross-validate; with fewer rows than folds, leave one out.

    Parameters
    ----------
    recipe : how to learn, or a function that learns a model from a table, a target and their sample.
    progress : is called with the number of finished folds.
    """
    folds = min(folds, len(target))
    learned = recipe if callable(recipe) else partial(_learned, recipe)
    losses = np.empty(len(target))
    fold_errors = []
    prepared = Prepared(table)
    for train, test in splits(target, folds):
        with warnings.catch_warnings():
            # A fold may lack a category or a class; the user need not be warned about that.
            warnings.simplefilter("ignore", BranchworkWarning)
            model = learned(table.take(train), target.take(train), prepared.draw(train))
            losses[test] = row_losses(model, table.take(test), target.take(test))
        fold_errors.append(total_error(losses[test], target.take(test)))
        if progress is not None:
            progress(len(fold_errors))
    return CrossValidation(total_error(losses, target), tuple(fold_errors))
