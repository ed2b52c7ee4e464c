"""Implement `bw.study.report`: judge a fitted model on rows that it was not trained on.

model, rows ─► answers ─────► figures as functions of counts ─► one bootstrap of all ─► Report
               report_answers  report_classes, report_numbers     report_pool             report_result, _text, _page
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.grow.checks import whole_number
from branchwork.learn.progress import progress_bar
from branchwork.learn.threads import thread_count
from branchwork.study.asked import seed_of
from branchwork.study.intervals import check_level
from branchwork.study.report_answers import Answers, Asked, ask
from branchwork.study.report_baseline import reference
from branchwork.study.report_classes import judged_classes
from branchwork.study.report_drift import Drift, arrivals, drift_of, of_rows
from branchwork.study.report_groups import parted
from branchwork.study.report_notes import notes_of
from branchwork.study.report_numbers import judged_numbers
from branchwork.study.report_pool import Case, Settings
from branchwork.study.report_result import Report

MANY_REPEATS, FEW_REPEATS = 1000, 200
LARGE = 20_000
"""With more rows than this, intervals use fewer draws, because they are narrow anyway."""


def report(
    est: Any,
    X_test: Any,
    y_test: Any,
    *,
    train: tuple[Any, ...] | None = None,
    subgroup: Any = None,
    positive: Any = None,
    loss: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    n_bootstrap: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Report:
    """Judge a fitted model on rows that it was not trained on.

    The result prints as text, `to_html()` is a page, `to_dict()` is plain data. Every figure is shown with that of a
    baseline and has an interval: Wilson's for shares of rows, a bootstrap for all others.

    Parameters
    ----------
    est : a fitted estimator or model of Branchwork, or any fitted estimator of scikit-learn. Parts that need a tree,
        or probabilities, are left out if there are none, and `notes` say so.
    X_test, y_test : the rows and their target. Rows whose target is missing are left out.
    train : the training rows (X, y), or (X, y, sample_weight). The baseline and drift are then about these rows, and
        every figure is also measured on them. Without them, a single tree stores enough about its training for the
        baseline, drift and the errors of its leaves.
    subgroup : show errors by a column of X_test: its name, several names, one cell per row, or a dictionary of names
        and cells.
    positive : with two classes, the one that thresholds, AUC and precision are about; by default the second.
    loss : loss[c][k] is the cost of taking class c for class k, in the order of `labels` of the report; a pandas
        DataFrame is read by label. None means that every error costs 1.
    sample_weight : the weights of the test rows. All figures are weighted; tests of drift count rows.
    level : the confidence level of the intervals.
    n_bootstrap : the number of draws for an interval; by default 1000, or 200 for more than 20 000 rows. 0 leaves only
        Wilson's intervals.
    random_state : seed of the draws.
    n_jobs : number of threads; -1 means all. The result does not depend on it.
    verbose : show a progress bar.

    >>> import branchwork as bw
    >>> X, y = bw.study.CheckerboardSampler()(400, seed=1)
    >>> tree = bw.TreeClassifier(min_samples_leaf=5).fit(X[:200], y[:200])
    >>> found = bw.study.report(tree, X[200:], y[200:])
    >>> found["accuracy"].value
    0.86
    >>> round(found["accuracy"].low, 3), found.figure("accuracy").verdict
    (0.805, 'better')
    """
    repeats = n_bootstrap
    if repeats is not None:
        whole_number("n_bootstrap", repeats, low=0)
    asked = ask(est, X_test, y_test, sample_weight, n_jobs)
    if repeats is None:
        repeats = default_repeats(len(asked.answers))
    with progress_bar(verbose, repeats, f"judging {asked.name}") as progress:
        return judged(
            est,
            asked,
            train=train,
            subgroup=subgroup,
            positive=positive,
            loss=loss,
            settings=Settings(
                check_level("level", level), repeats, seed_of(random_state), thread_count(n_jobs)
            ),
            progress=progress,
        )


def default_repeats(rows: int) -> int:
    """Return the default number of draws for an interval."""
    return MANY_REPEATS if rows <= LARGE else FEW_REPEATS


def judged(
    est: Any,
    asked: Asked,
    *,
    train: tuple[Any, ...] | None,
    subgroup: Any,
    positive: Any,
    loss: Any,
    settings: Settings,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Judge a model whose predictions are already known."""
    if train is not None and (not isinstance(train, tuple | list) or len(train) not in (2, 3)):
        raise ParameterError(
            f"train={shown(train)}; expected the training rows and their answers, (X, y) or (X, y, sample_weight)."
        )
    answers = asked.answers
    trained = None
    if train is not None:
        X, y, weights = (*train, None)[:3]
        trained = ask(est, X, y, weights, settings.threads)
    base = reference(answers, None if trained is None else trained.answers, asked.tree)
    groups = parted(subgroup, asked.X, asked.rows)
    if answers.labels is None and (positive is not None or loss is not None):
        name = "positive" if positive is not None else "loss"
        raise ParameterError(f"{name} is about classes, but this model predicts numbers.")
    case = Case(asked, trained, base, groups, settings, progress)
    parts = judged_numbers(case) if answers.labels is None else judged_classes(case, positive, loss)
    return Report(
        name=asked.name,
        task="regression" if answers.labels is None else "classification",
        n_rows=len(answers),
        weighted=answers.weights is not None,
        baseline=base,
        labels=answers.labels,
        drift=_drift(asked, trained, settings),
        notes=notes_of(asked, trained, base, parts["positive"], parts["decision"]),
        level=settings.level,
        n_bootstrap=settings.repeats,
        seed=settings.seed,
        model=asked.tree,
        target=getattr(getattr(est, "model_", est), "target", None),
        **parts,
    )


def _drift(asked: Asked, trained: Asked | None, settings: Settings) -> Drift | None:
    if asked.tree is None:
        return None
    labels, before = asked.answers.labels, None
    if trained is not None:
        own = trained.answers
        known = own.truth if labels is None else _recoded(own, labels)
        before = of_rows(asked.tree, trained.coded, known, len(labels or ()), settings.threads)
    arrived = arrivals(asked.tree, asked.coded, settings.threads)
    return drift_of(asked.tree, asked.answers, arrived, before, settings.level)


def _recoded(own: Answers, labels: tuple[Hashable, ...]) -> Any:
    """Return the classes of training rows as positions among the labels of the test; -1 if not among them."""
    place = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in own.labels or ()], np.intp)[own.truth]
