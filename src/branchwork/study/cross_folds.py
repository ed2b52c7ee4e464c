"""Make training and test rows from a number of folds, from the fold of each row, or from scikit-learn's splitters."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.study.asked import fold_of_rows, group_codes, parts_of
from branchwork.study.containers import Rows

EXPECTED = (
    "expected a number of folds, the fold of each row, a splitter of scikit-learn such as RepeatedStratifiedKFold(), "
    "or pairs of training rows and test rows"
)


def cross_folds(
    cv: Any, y: Any, codes: Any, groups: Any, is_classes: bool, seed: int
) -> list[tuple[Rows, Rows]]:
    """Return training rows and test rows of each fold, as positions; all learners get the same ones.

    Parameters
    ----------
    cv : the requested folds, see EXPECTED. A splitter that would draw without a seed gets the seed.
    y, codes : the target as it was given, and as numbers.
    groups : the group of each row, or None.
    """
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        pairs = _by_splitter(cv, codes, groups, seed)
    elif _are_pairs(cv):
        if groups is not None:
            raise ParameterError("groups go with a number of folds or a splitter; pairs of rows were given.")
        pairs = list(cv)
    else:
        try:
            return parts_of(fold_of_rows(cv, y, groups, is_classes))
        except ParameterError as error:
            if "folds=" in str(error) and not isinstance(cv, int | np.integer):
                raise ParameterError(f"cv={shown(cv, 60)}; {EXPECTED}.") from None
            raise ParameterError(str(error).replace("folds=", "cv=", 1)) from None
    return [_checked(k, pair, len(codes)) for k, pair in enumerate(pairs)]


def _by_splitter(cv: Any, codes: Any, groups: Any, seed: int) -> list[Any]:
    own = copy.deepcopy(cv)
    if getattr(own, "random_state", seed) is None:
        own.random_state = seed
    elif getattr(own, "cvargs", {}).get("random_state", seed) is None:  # a repeated splitter
        own.cvargs["random_state"] = seed
    coded = None if groups is None else group_codes(groups, len(codes))
    try:
        with warnings.catch_warnings():  # a splitter that ignores groups warns; here that is an error
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            pairs = list(own.split(np.zeros((len(codes), 1)), codes, coded))
    except ValueError as error:
        raise ParameterError(f"cv={shown(cv, 60)}: {error}") from None
    if coded is not None and any(np.intersect1d(coded[train], coded[test]).size for train, test in pairs):
        raise ParameterError(
            f"cv={shown(cv, 60)} ignores groups: rows of one group are in training and in test. Take GroupKFold(), "
            "StratifiedGroupKFold() or another splitter for groups."
        )
    return pairs


def _are_pairs(cv: Any) -> bool:
    return (
        isinstance(cv, list | tuple)
        and bool(cv)
        and all(isinstance(pair, list | tuple) and len(pair) == 2 and np.ndim(pair[0]) == 1 for pair in cv)
    )


def _checked(fold: int, pair: Any, rows: int) -> tuple[Rows, Rows]:
    parts = [np.asarray(part) for part in pair]
    for name, part in zip(("training", "test"), parts, strict=True):
        if part.ndim != 1 or not part.size or part.dtype.kind not in "iu":
            raise ParameterError(
                f"cv, fold {fold}: expected at least one {name} row, as positions in the table."
            )
        if part.min() < 0 or part.max() >= rows:
            wrong = int(part.min() if part.min() < 0 else part.max())
            raise ParameterError(f"cv, fold {fold}: {name} row {wrong}; the table has rows 0 to {rows - 1}.")
    if np.intersect1d(parts[0], parts[1]).size:
        raise ParameterError(f"cv, fold {fold}: some rows are both training rows and test rows.")
    return parts[0].astype(np.intp), parts[1].astype(np.intp)
