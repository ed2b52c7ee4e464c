"""Choose the settings of an estimator by cross-validation, and estimate honestly how good the choice is.

             all rows ─► folds ─► error of every setting ─► chosen setting ─► fitted on all rows
                           │
    each fold's training rows ─► inner folds ─► chosen setting ─► its error on the fold's test rows

The error of the chosen setting is the smallest of many, so it is too optimistic. The second line repeats the whole
procedure without each fold's test rows; the mean of its errors is an honest estimate (Stone 1974; Varma and Simon
2006). The models of the folds are those of the first line, so only the inner folds are extra work.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.grow.checks import true_or_false
from branchwork.learn.threads import thread_count
from branchwork.measure.criteria import impurity_of_counts, impurity_of_values
from branchwork.measure.losses import LossName
from branchwork.study.asked import bar, check_estimator, fold_of_rows, group_codes, loss_of, parts_of
from branchwork.study.baseline import baseline
from branchwork.study.containers import Rows, check_lengths, rows_of
from branchwork.study.sources import Coder
from branchwork.study.tuning_fits import Measured, Part, fitted_with
from branchwork.study.tuning_grid import Grid, checked_grid, usual_grid
from branchwork.study.tuning_result import Choose, Tuning, best_of, one_se_of
from branchwork.study.tuning_trees import tree_trials
from branchwork.study.tuning_trials import trials_of
from branchwork.table import target as targets
from branchwork.table.target import Target


def tuned(
    est: Any,
    X: Any,
    y: Any,
    *,
    grid: Any = None,
    sample_weight: Any = None,
    folds: Any = 5,
    groups: Any = None,
    loss: LossName | None = None,
    choose: Choose = "1se",
    nested: bool = True,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> tuple[Any, Tuning]:
    """Return a fitted estimator with the chosen settings, and what was found on the way.

    Parameters
    ----------
    est : an estimator, not fitted.
    X, y : the rows, in any container.
    grid : values of settings by name; None means the usual ones.
    sample_weight : one per row: the estimator learns with them, and errors count by them.
    folds : a number of folds, dealt out without random numbers, or the fold of each row.
    groups : the group of each row: whole groups are dealt out.
    loss : how predicted numbers are judged: "squared_error", "poisson", or None: as the estimator's criterion says.
    choose : "1se": the fewest leaves within one standard error of the smallest error; "min": the smallest error.
    nested : whether to estimate the error of the whole procedure.
    n_jobs : number of threads; the result does not depend on it.
    verbose : show a progress bar.
    """
    is_classes = check_estimator(est)
    check_lengths(X, y)
    target: Target = (targets.classes if is_classes else targets.values)(y, sample_weight)
    if choose not in get_args(Choose):
        raise ParameterError(f"choose={shown(choose)}; expected 'min' or '1se'.")
    true_or_false("nested", nested)
    fold, threads = fold_of_rows(folds, y, groups, is_classes), thread_count(n_jobs)
    parts, coder = parts_of(fold), Coder(is_classes, loss_of(loss, [est], target))
    coder.code(y)
    smallest = min(len(train) for train, _ in parts)
    values = _usual(est, X, y, smallest) if grid is None else checked_grid(est, grid)
    trials = trials_of(est, X, y, values, coder, threads, sample_weight)
    inner = [_inner(train, folds, fold, y, groups, is_classes) for train, _ in parts] if nested else []
    samples = [*parts, *(part for one in inner for part in one)]
    with bar(verbose, trials.n_steps * len(samples), f"tune {type(est).__name__}") as done:
        measured = trials.measured(samples, done)
    main, rest = measured[: len(parts)], measured[len(parts) :]
    errors = np.stack([one.loss for one in main], axis=1)
    leaves = np.mean([one.leaves for one in main], axis=0)
    choices = _choices(inner, rest, choose)
    found = Tuning(
        type(est).__name__,
        values,
        trials.settings,
        errors,
        leaves,
        choose,
        np.array([errors[choice, k] for k, choice in enumerate(choices)]) if nested else None,
        tuple(choices),
        coder.loss,
        baseline(target, coder.loss),
    )
    return fitted_with(est, found.chosen, X, y, sample_weight), found


def _usual(est: Any, X: Any, y: Any, rows: int) -> Grid:
    """Return the usual settings; pruning strengths are tried if one tree gives the predictions for all of them."""
    from sklearn.base import is_classifier

    plain = usual_grid(est, rows, None)
    probe = {"max_depth": (None,), "ccp_alpha": (0.0,)}
    if "max_depth" not in plain or "n_estimators" in est.get_params(deep=False):
        return plain
    if "leaf_penalty" in plain or tree_trials(est, X, y, probe, Coder(is_classifier(est)), 1) is None:
        return plain
    target = est._target(y, None)
    if isinstance(target, targets.Classes):
        return usual_grid(est, rows, impurity_of_counts(est._recipe().criterion, target.counts))
    weights = np.ones(len(target)) if target.weights is None else target.weights
    return usual_grid(est, rows, impurity_of_values(est._recipe().criterion, target.values, weights))


def _inner(train: Rows, folds: Any, fold: Rows, y: Any, groups: Any, is_classes: bool) -> list[Part]:
    """Return the inner folds of some training rows, as rows of the table: dealt again, or the given folds."""
    if isinstance(folds, int | np.integer):
        of_rows = None if groups is None else group_codes(groups, len(fold))[train]
        count = min(int(folds), len(train) if of_rows is None else len(np.unique(of_rows)))
        own = fold_of_rows(count, rows_of(y, train), of_rows, is_classes)
    else:
        own = np.unique(fold[train], return_inverse=True)[1]
        if own.max() == 0:
            raise ParameterError(
                "folds: two folds leave one to choose by, so there is no nested estimate. Give three, or nested=False."
            )
    return [(train[a], train[b]) for a, b in parts_of(own)]


def _choices(inner: list[list[Part]], measured: list[Measured], choose: Choose) -> list[int]:
    """Return the position of the setting that each fold's training rows choose."""
    found, begin = [], 0
    for parts in inner:
        own = measured[begin : begin + len(parts)]
        begin += len(parts)
        errors = np.stack([one.loss for one in own], axis=1)
        leaves = np.mean([one.leaves for one in own], axis=0)
        found.append(best_of(errors.mean(axis=1), leaves) if choose == "min" else one_se_of(errors, leaves))
    return found
