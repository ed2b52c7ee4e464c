"""Folds for cross-validation, without random numbers: rows of each class are dealt out in turn, like cards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.table.target import Classes, Target


def deal(target: Target, folds: int) -> npt.NDArray[np.intp]:
    """Return the fold of each row.

    Rows are put in order of class (or of value), then dealt out one to each fold in turn, so that every fold gets its
    share of every class.
    """
    if not 2 <= folds <= len(target):
        raise ParameterError(
            f"folds={folds}; expected a number from 2 to the number of rows, which is {len(target)}."
        )
    order = np.argsort(target.codes if isinstance(target, Classes) else target.values, kind="stable")
    fold = np.empty(len(target), np.intp)
    fold[order] = np.arange(len(target)) % folds
    return fold


def splits(target: Target, folds: int) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Return the rows to train on and the rows to test on, for each fold."""
    fold = deal(target, folds)
    for k in range(folds):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)
