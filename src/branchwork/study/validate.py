"""The error of a recipe on rows it has not seen, by cross-validation; and on those it has."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning
from branchwork.grow.recipe import Recipe
from branchwork.learn.single import learn
from branchwork.measure.folds import splits
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target

Learner = Callable[[Table, Target], Model]


@dataclass(frozen=True)
class CrossValidation:
    """Error over all left-out rows, and in each fold."""

    error: float
    fold_errors: tuple[float, ...]


def row_losses(model: Model, table: Table, target: Target) -> npt.NDArray[np.float64]:
    """Loss of each row: 0 or 1 for classes, the squared difference for numbers."""
    predicted = model.predict(table)
    if isinstance(target, Classes):
        truth = [target.labels[code] for code in target.codes.tolist()]
        return np.array([t != p for t, p in zip(truth, predicted.tolist(), strict=True)], np.float64)
    return (predicted - target.values) ** 2


def total_error(losses: npt.NDArray[np.float64], target: Target) -> float:
    """Error rate for classes, root mean squared error for numbers."""
    mean = float(np.average(losses, weights=target.weights))
    return mean if isinstance(target, Classes) else float(np.sqrt(mean))


def training_error(model: Model, table: Table, target: Target) -> float:
    """Error on the rows the model was trained on."""
    return total_error(row_losses(model, table, target), target)


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
    recipe : how to learn; or a function that learns a model from a table and a target.
    progress : is told how many folds are done.
    """
    folds = min(folds, len(target))
    learned = recipe if callable(recipe) else lambda table, target: learn(table, target, recipe)[0]
    losses = np.empty(len(target))
    fold_errors = []
    for train, test in splits(target, folds):
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", BranchworkWarning
            )  # a fold may lack a category or a class: that is the point
            model = learned(table.take(train), target.take(train))
            losses[test] = row_losses(model, table.take(test), target.take(test))
        fold_errors.append(total_error(losses[test], target.take(test)))
        if progress is not None:
            progress(len(fold_errors))
    return CrossValidation(total_error(losses, target), tuple(fold_errors))
