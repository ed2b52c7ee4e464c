"""Measure training and validation error against one setting of an estimator, and choose its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.learn.threads import thread_count
from branchwork.measure.losses import LossName
from branchwork.study.asked import (
    bar,
    check_estimator,
    checked_weights,
    fold_of_rows,
    loss_of,
    parts_of,
    seed_of,
)
from branchwork.study.baseline import baseline
from branchwork.study.containers import Rows, check_lengths
from branchwork.study.curve_result import Choose, Curve
from branchwork.study.curve_values import checked_values, sizes_of, usual_values
from branchwork.study.sources import (
    Coder,
    Learned,
    Source,
    Sweep,
    check_setting,
    check_sweep,
    source_of,
)
from branchwork.table import target as targets
from branchwork.table.target import Target

Over = Literal[
    "max_depth",
    "max_leaf_nodes",
    "min_samples_leaf",
    "ccp_alpha",
    "confidence",
    "n_estimators",
    "k",
    "train_size",
]
"""Settings with default values; any other numeric setting works if its values are given."""

Floats = npt.NDArray[np.float64]


def curve(
    est: Any,
    X: Any,
    y: Any,
    over: Over | str,
    values: Sequence[Any] | None = None,
    *,
    sample_weight: Any = None,
    folds: Any = 10,
    groups: Any = None,
    validation: tuple[Any, ...] | None = None,
    loss: LossName | None = None,
    choose: Choose = "min",
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Curve:
    """Measure training and validation error for each value of one setting, and choose a value.

    As few trees as possible are grown. One tree per fold serves all values of max_depth, of max_leaf_nodes (if
    growth is best first), of ccp_alpha and of confidence. One ensemble per fold serves all values of n_estimators.
    The table is sorted once.

    Parameters
    ----------
    est : an estimator, not fitted: one of Branchwork, or any other with fit, predict, get_params and set_params.
    X, y : the rows, in any container.
    over : the setting. "ccp_alpha" prunes by cost and complexity (any single tree that is not pruned otherwise);
        "train_size" varies the number of training rows instead of a setting.
    values : numbers; None among them means no limit. By default, values that suit the table.
    sample_weight : one per row: the estimator learns with them, and errors count by them.
    folds : a number of folds, dealt out without random numbers, or the fold of each row.
    groups : the group of each row, such as the patient it is about: whole groups are dealt out.
    validation : rows (X, y) or (X, y, sample_weight) to validate on; then the estimator learns from all of X, and there
        are no folds.
    loss : how predicted numbers are judged: by "squared_error", or by "poisson", the mean Poisson deviance, in which a
        rate below a thousandth of the mean counts as that. None: as the estimator's criterion says.
    choose : "min": the value with the smallest validation error; "1se": the value of the simplest model whose error is
        within one standard error of it. Ties go to the simplest model.
    random_state : seed of the rows that "train_size" draws; nothing else is random.
    n_jobs : number of threads; -1 means all. The result does not depend on it.
    verbose : show a progress bar.

    >>> import branchwork as bw
    >>> X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
    >>> found = bw.study.curve(bw.TreeClassifier(), X, y, over="max_depth", values=[1, 2, 4, 8, 16])
    >>> found.best_value
    4
    >>> print(found)
    max_depth  leaves  training error  validation error  standard error
            1     2.0           42.8%             44.0%            1.4%
            2     4.0           36.2%             39.2%            1.7%
            4    15.0           11.3%             14.0%            1.2%  least error
            8    70.9            4.2%             18.8%            1.2%
           16   101.1            0.0%             21.8%            1.2%
    """
    is_classes = check_estimator(est)
    rows = check_lengths(X, y)
    if choose not in get_args(Choose):
        raise ParameterError(f"choose={shown(choose)}; expected 'min' or '1se'.")
    if over != "train_size":
        check_setting(est, over)
    threads, seed = thread_count(n_jobs), seed_of(random_state)
    target: Target = (targets.classes if is_classes else targets.values)(y, sample_weight)
    parts = _parts(rows, y, folds, groups, validation, is_classes)
    smallest = min(len(train) for train, _ in parts)
    tried = usual_values(est, over, X, y, smallest) if values is None else checked_values(over, values)
    coder = Coder(is_classes, loss_of(loss, [est], target))
    truth, weights = coder.code(y), checked_weights(sample_weight, rows)
    queries = [X]
    if validation is not None:
        queries, truth = [X, validation[0]], np.concatenate([truth, coder.code(validation[1])])
        held = None if len(validation) == 2 else validation[2]
        weights = np.concatenate([weights, checked_weights(held, len(truth) - rows)])
    if over == "train_size":
        tried = tuple(sorted(set(sizes_of(tried, smallest))))
    else:
        check_sweep(Sweep(est, over, tried), X, y)
    measured: list[_Measured] = []
    with bar(verbose, len(parts), f"{type(est).__name__} over {over}") as done:
        if over == "train_size":
            source = source_of(Sweep(est), X, y, coder, threads, weights=sample_weight)
            models = _by_size(source, parts, tried, queries, seed)
        else:
            source = source_of(Sweep(est, over, tried), X, y, coder, threads, weights=sample_weight)
            learned = source.learned([train for train, _ in parts], queries)
            models = ((one, [train] * len(tried)) for one, (train, _) in zip(learned, parts, strict=True))
        for (one, trained), (_, test) in zip(models, parts, strict=True):
            measured.append(_measured(coder.loss.of_rows(one.answers, truth), weights, trained, test, one))
            done(len(measured))
    return Curve(
        est,
        over,
        tried,
        np.stack([one.training for one in measured], axis=1),
        np.stack([one.validation for one in measured], axis=1),
        measured[0].standard_error if len(parts) == 1 else None,
        np.mean([one.leaves for one in measured], axis=0),
        None if over == "train_size" else choose,
        coder.loss,
        baseline(target, coder.loss),
    )


class _Measured(NamedTuple):
    """Errors of one fold, for each value; the standard error is that of its validation rows."""

    training: Floats
    validation: Floats
    standard_error: Floats
    leaves: Floats


def _measured(
    loss: Floats, weights: Floats, trained: Sequence[Rows], test: Rows, models: Learned
) -> _Measured:
    """Return the errors of one fold; `loss` has all rows for each value, `trained` the training rows of each."""
    training = np.array([np.average(loss[v, rows], weights=weights[rows]) for v, rows in enumerate(trained)])
    held_out, share = loss[:, test], weights[test] / weights[test].sum()
    validation = held_out @ share
    counted = int(np.count_nonzero(share))
    spread = ((held_out - validation[:, None]) ** 2 @ share**2) * (counted / max(1, counted - 1))
    return _Measured(training, validation, np.sqrt(spread), models.leaves)


def _by_size(
    source: Source, parts: list[tuple[Rows, Rows]], sizes: Sequence[int], queries: list[Any], seed: int
) -> Iterator[tuple[Learned, list[Rows]]]:
    """Yield the models of each fold, one for each size of its training part; each part contains the smaller ones."""
    for k, (train, _) in enumerate(parts):
        order = np.random.default_rng([seed, k]).permutation(train)
        samples = [order[:size] for size in sizes]
        yield _together(list(source.learned(samples, queries))), samples


def _together(models: Sequence[Learned]) -> Learned:
    """Put the models of one fold, one for each size of its training part, together."""
    return Learned(
        np.concatenate([one.answers for one in models]), np.concatenate([one.leaves for one in models])
    )


def _parts(
    rows: int, y: Any, folds: Any, groups: Any, validation: tuple[Any, ...] | None, is_classes: bool
) -> list[tuple[Rows, Rows]]:
    """Return training rows and validation rows, both as positions among all rows that models predict."""
    if validation is None:
        return parts_of(fold_of_rows(folds, y, groups, is_classes))
    if not isinstance(validation, tuple) or len(validation) not in (2, 3):
        raise ParameterError(
            f"validation={shown(validation)}; expected rows as (X, y) or (X, y, sample_weight)."
        )
    count = check_lengths(*validation[:2])
    if count < 2:
        raise ParameterError("validation has one row; at least two are needed to tell how sure an error is.")
    return [(np.arange(rows), np.arange(rows, rows + count))]
