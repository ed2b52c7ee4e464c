"""Check the parameters that all studies share, and show a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.grow.checks import whole_number
from branchwork.grow.grow import check_counts
from branchwork.learn.progress import progress_bar
from branchwork.measure.folds import deal
from branchwork.measure.losses import SHARE_WRONG, SQUARED_ERROR, Loss, LossName, poisson_loss
from branchwork.study.containers import Rows
from branchwork.table import target as targets
from branchwork.table.target import Target


def check_estimator(est: Any) -> bool:
    """Refuse an object that is not an estimator; return whether it predicts classes."""
    from sklearn.base import is_classifier, is_regressor

    if isinstance(est, type) or not (
        hasattr(est, "fit") and hasattr(est, "predict") and hasattr(est, "get_params")
    ):
        raise ParameterError(
            f"est={shown(est)}; expected an estimator with fit, predict and get_params, such as bw.TreeClassifier()."
        )
    if not is_classifier(est) and not is_regressor(est):
        raise ParameterError(f"est={shown(est)}; expected a classifier or a regressor.")
    return bool(is_classifier(est))


def loss_of(loss: LossName | None, estimators: Iterable[Any], target: Target) -> Loss:
    """Return how predictions are judged: as asked for, or as suits what all estimators learn."""
    if loss is not None and loss not in get_args(LossName):
        raise ParameterError(f"loss={shown(loss)}; expected 'squared_error', 'poisson' or None.")
    if isinstance(target, targets.Classes):
        if loss is not None:
            raise ParameterError(f"loss={loss!r} is for numbers; classes are judged by wrong answers.")
        return SHARE_WRONG
    if loss != "poisson" and (loss is not None or not all(map(learns_counts, estimators))):
        return SQUARED_ERROR
    check_counts(target, 'loss="poisson"' if loss else 'criterion="poisson"')
    return poisson_loss(target.values)


def learns_counts(est: Any) -> bool:
    """Return whether an estimator, ours or another one, minimises the Poisson deviance."""
    settings = est.get_params(deep=True) if hasattr(est, "get_params") else {}
    named = [settings.get(name) for name in ("criterion", "loss", "objective", "estimator__criterion")]
    return type(est).__name__ == "PoissonRegressor" or any(
        isinstance(one, str) and "poisson" in one for one in named
    )


def checked_weights(sample_weight: Any, rows: int) -> npt.NDArray[np.float64]:
    """Return the weight of each row."""
    found = targets.weights(sample_weight, rows)
    return np.ones(rows) if found is None else found


def seed_of(random_state: Any) -> int:
    """Return the seed of all draws."""
    return int(whole_number("random_state", random_state, low=0))


def fold_of_rows(folds: Any, y: Any, groups: Any, is_classes: bool) -> npt.NDArray[np.intp]:
    """Return the fold of each row: dealt out class by class or group by group, or as given."""
    target = targets.classes(y) if is_classes else targets.values(y)
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        if groups is None:
            return deal(target, int(folds))
        return _deal_groups(groups, int(folds), len(target))
    if groups is not None:
        raise ParameterError("groups go with a number of folds; the folds of the rows were given.")
    given = np.asarray(folds)
    if given.shape != (len(target),) or given.dtype.kind not in "iu":
        raise ParameterError(
            f"folds={shown(folds)}; expected a number of folds, or the fold of each of the {len(target)} rows."
        )
    found = np.unique(given, return_inverse=True)[1].astype(np.intp)
    if found.max() == 0:
        raise ParameterError("folds puts all rows into one fold; at least two are needed.")
    return found


def _deal_groups(groups: Any, folds: int, rows: int) -> npt.NDArray[np.intp]:
    """Deal whole groups: the largest first, each to the fold that has the fewest rows so far."""
    codes = group_codes(groups, rows)
    sizes = np.bincount(codes)
    if not 2 <= folds <= len(sizes):
        raise ParameterError(
            f"folds={folds}; expected a number from 2 to the number of groups, which is {len(sizes)}."
        )
    fold_of_group, filled = np.empty(len(sizes), np.intp), np.zeros(folds, np.int64)
    for group in np.argsort(-sizes, kind="stable").tolist():
        fold = int(np.argmin(filled))
        fold_of_group[group] = fold
        filled[fold] += sizes[group]
    return fold_of_group[codes]


def group_codes(groups: Any, rows: int) -> npt.NDArray[np.intp]:
    """Return the group of each row, counted from 0."""
    target = targets.classes(groups)
    if len(target) != rows:
        raise ParameterError(
            f"groups has {len(target)} entries, but there are {rows} rows. Every row needs one."
        )
    return np.unique(target.codes, return_inverse=True)[1].astype(np.intp)


def parts_of(fold: npt.NDArray[np.intp]) -> list[tuple[Rows, Rows]]:
    """Return rows to train on and rows to test on, for each fold."""
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]


@contextmanager
def bar(verbose: bool, total: int, title: str) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error if verbose; yield a function that takes how much is done."""
    with progress_bar(verbose, total, title) as shown_bar:
        yield shown_bar or (lambda done: None)
