"""`bw.study.report`: how good a fitted model is, on rows that it was not trained on.

model, rows ─► answers ─► scores ─► bootstrap over all figures at once ─► Report
              (report_answers)  (report_scores, _numbers,     (intervals)   (report_result, _text, _page)
                                 _threshold, _leaves, _groups)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.grow.checks import whole_number
from branchwork.learn.costs import checked_loss
from branchwork.learn.progress import progress_bar
from branchwork.learn.threads import thread_count
from branchwork.study import report_groups, report_leaves
from branchwork.study.asked import seed_of
from branchwork.study.intervals import Estimate, Figures, bootstrap, check_level, effective_rows, wilson
from branchwork.study.report_answers import Answers, Asked, Floats, ask
from branchwork.study.report_baseline import Reference, reference
from branchwork.study.report_curves import ClassCurves, curves_of
from branchwork.study.report_drift import Drift, arrivals, drift_of, of_rows
from branchwork.study.report_notes import notes_of
from branchwork.study.report_numbers import NumberScores
from branchwork.study.report_result import TITLES, ClassLine, Figure, Report
from branchwork.study.report_scores import ClassScores, units_of
from branchwork.study.report_threshold import Decision, ExpectedCostScores, ThresholdScores, decision_of

MANY_REPEATS, FEW_REPEATS = 1000, 200
LARGE = 20_000
"""With more rows than this, intervals are made of fewer draws: they are narrow anyway."""


def report(
    est: Any,
    X_test: Any,
    y_test: Any,
    *,
    train: tuple[Any, Any] | None = None,
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

    The result prints as text, `to_html()` is a page, `to_dict()` is plain data. Every figure stands beside that of a
    baseline and has an interval: Wilson's for shares of rows, a bootstrap for all others.

    Parameters
    ----------
    est : a fitted estimator or model of Branchwork, or any fitted estimator of scikit-learn. Parts that need a tree, or
        probabilities, are left out where there are none, and `notes` say so.
    X_test, y_test : rows and their right answers. Rows whose answer is missing are left out.
    train : (X, y) of the training. The baseline and drift are then about these rows, and every figure is also
        measured on them. Without them, a single tree knows enough about its training for both.
    subgroup : show errors by a column of X_test: its name, several names, one cell per row, or a dictionary of names
        and cells.
    positive : of two classes, the one that thresholds, AUC and precision are about; by default the second.
    loss : loss[c][k] is the cost of taking class c for class k, in the order of `labels` of the report; a pandas
        DataFrame is read by label. None: every error costs 1.
    sample_weight : of the test rows. All figures are weighted; tests of drift count rows.
    level : of the intervals.
    n_bootstrap : draws of rows for an interval; by default 1000, or 200 for more than 20 000 rows. 0: only Wilson's.
    random_state : seed of the draws.
    n_jobs : number of threads; -1: all. No digit depends on it.
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
    """Return how many draws an interval is made of."""
    return MANY_REPEATS if rows <= LARGE else FEW_REPEATS


@dataclass(frozen=True)
class Settings:
    """How intervals are made: their level, the number of draws, the seed and the number of threads."""

    level: float
    repeats: int
    seed: int
    threads: int


@dataclass
class _Pool:
    """Functions whose figures are all measured on the same draws; each gets its own part of the result."""

    parts: list[Figures] = field(default_factory=list)
    quick: list[Figures] = field(default_factory=list)

    def add(self, figures: Figures, quick: Figures | None = None) -> int:
        """Add a function, and perhaps one that measures nearly the same more quickly; return its number."""
        self.parts.append(figures)
        self.quick.append(quick or figures)
        return len(self.parts) - 1

    def measured(
        self, rows: int, settings: Settings, progress: Callable[[int], None] | None
    ) -> list[list[Estimate]]:
        """Return the figures of each function."""
        exact = [part(np.ones(rows)) for part in self.parts]
        found = bootstrap(
            lambda counts: np.concatenate([part(counts) for part in self.quick]),
            rows,
            repeats=settings.repeats,
            level=settings.level,
            seed=settings.seed,
            threads=settings.threads,
            progress=progress,
            exact=np.concatenate(exact),
        )
        ends = np.cumsum([len(part) for part in exact]).tolist()
        return [found[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


def judged(
    est: Any,
    asked: Asked,
    *,
    train: tuple[Any, Any] | None,
    subgroup: Any,
    positive: Any,
    loss: Any,
    settings: Settings,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Judge a model that has answered already."""
    if train is not None and (not isinstance(train, tuple | list) or len(train) != 2):
        raise ParameterError(
            f"train={shown(train)}; expected a pair (X, y) of training rows and their answers."
        )
    answers = asked.answers
    trained = None if train is None else ask(est, *train, None, settings.threads)
    base = reference(answers, None if train is None else train[1], asked.tree)
    groups = report_groups.parted(subgroup, asked.X, asked.rows)
    of_task = _judged_classes if answers.labels is not None else _judged_numbers
    if answers.labels is None and (positive is not None or loss is not None):
        name = "positive" if positive is not None else "loss"
        raise ParameterError(f"{name} is about classes, but this model predicts numbers.")
    parts = of_task(asked, trained, base, groups, positive, loss, settings, progress)
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
        **parts,
    )


def _beside(own: Figures, base: Figures, count: int) -> Figures:
    """Return a function that measures figures of the model, of the baseline, their differences, and all others."""

    def figures(counts: Floats) -> Floats:
        found, always = own(counts), base(counts)[:count]
        return np.concatenate([found[:count], always, found[:count] - always, found[count:]])

    return figures


def _figures(titles: dict[str, str], found: list[Estimate], training: Floats | None) -> tuple[Figure, ...]:
    count = len(titles)
    return tuple(
        Figure(
            name,
            title,
            found[k],
            found[count + k],
            found[2 * count + k],
            None if training is None else float(training[k]),
        )
        for k, (name, title) in enumerate(titles.items())
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
    """Return classes of training rows as positions among the labels of the test; -1: not among them."""
    place = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in own.labels or ()], np.intp)[own.truth]


# ---- classes


def _judged_classes(
    asked: Asked,
    trained: Asked | None,
    base: Reference,
    groups: list[report_groups.Parted],
    positive: Any,
    loss: Any,
    settings: Settings,
    progress: Callable[[int], None] | None,
) -> dict[str, Any]:
    answers, level = asked.answers, settings.level
    labels = answers.labels or ()
    chosen = _positive(positive, labels)
    costs = None if loss is None else checked_loss(loss, list(labels))
    scores, always = (
        ClassScores(units_of(one), len(labels), chosen, costs) for one in (answers, base.answers)
    )
    pool = _Pool()
    coarse, count = scores.coarse(), len(scores.names)
    beside = pool.add(
        _beside(scores.figures, always.figures, count), _beside(coarse.figures, always.figures, count)
    )
    cost_scores, roughly = (_cost_scores(one, chosen, costs) for one in (scores, coarse))
    decided = None
    if cost_scores is not None and roughly is not None:
        decided = pool.add(cost_scores.figures, roughly.figures)
    found = pool.measured(len(answers), settings, progress)
    training = None if trained is None else _training(trained, labels, chosen, costs)
    titles = {name: _title(name, labels, chosen) for name in scores.names}
    figures = _figures(titles, found[beside], training)
    accuracy = replace(figures[0], value=_rate(answers, level), baseline=_rate(base.answers, level))
    mass = scores.units.mass(np.ones(len(answers)))
    confusion = scores.confusion(mass)
    return {
        "figures": (accuracy, *figures[1:]),
        "confusion": confusion,
        "classes": _class_lines(answers, confusion, found[beside][3 * len(titles) :], level),
        "positive": None if chosen is None else labels[chosen],
        "curves": _curves(scores, mass, answers, chosen, level),
        "decision": None if decided is None else _decision(cost_scores, found[decided], labels, chosen),
        "leaves": None if asked.tree is None else report_leaves.class_leaves(asked.tree, answers, level),
        "cells": {} if asked.tree is None else report_leaves.cells_of_leaves(answers),
        "subgroups": tuple(report_groups.class_groups(answers, one, chosen, level) for one in groups),
    }


def _positive(positive: Any, labels: tuple[Hashable, ...]) -> int | None:
    """Return the place of the class that thresholds are about; None: there are not two classes."""
    if positive is not None and positive not in labels:
        raise ParameterError(
            f"positive={shown(positive)}; expected one of the classes {shown(list(labels))}."
        )
    if len(labels) != 2:
        if positive is not None:
            raise ParameterError(
                f"positive={shown(positive)} is for two classes, but there are {len(labels)}: {shown(list(labels))}."
            )
        return None
    return 1 if positive is None else labels.index(positive)


def _cost_scores(
    scores: ClassScores, positive: int | None, loss: Floats | None
) -> ThresholdScores | ExpectedCostScores | None:
    """Return what finds the best decisions, where there are probabilities, and costs or two classes."""
    if scores.units.shares is None:
        return None
    if positive is not None:
        costs = 1 - np.eye(2) if loss is None else loss
        return ThresholdScores(scores.units, scores.rankings[positive], positive, costs)
    return None if loss is None else ExpectedCostScores(scores.units, loss)


def _decision(
    scores: ThresholdScores | ExpectedCostScores | None,
    found: list[Estimate],
    labels: tuple[Hashable, ...],
    positive: int | None,
) -> Decision:
    others = scores.others() if isinstance(scores, ThresholdScores) else ()
    return decision_of(None if positive is None else labels[positive], found, others)


def _training(
    trained: Asked, labels: tuple[Hashable, ...], positive: int | None, costs: Floats | None
) -> Floats | None:
    """Measure the same figures on the training rows; None if these have labels that the test rows lack."""
    own = trained.answers
    if own.labels != labels:
        return None
    scores = ClassScores(units_of(own), len(labels), positive, costs)
    return scores.figures(np.ones(len(own)))


def _title(name: str, labels: tuple[Hashable, ...], positive: int | None) -> str:
    title = TITLES[name]
    if name not in ("roc_auc", "average_precision"):
        return title
    return f"{title}, mean of classes" if positive is None else f"{title} of {labels[positive]}"


def _rate(answers: Answers, level: float) -> Estimate:
    """Return the share of rows that are right."""
    right, mass = ~answers.is_wrong, answers.mass
    return wilson(float(mass[right].sum()), float(mass.sum()), level=level, effective=effective_rows(mass))


def _class_lines(
    answers: Answers, confusion: Floats, found: list[Estimate], level: float
) -> tuple[ClassLine, ...]:
    labels = answers.labels or ()
    lines = []
    for k, label in enumerate(labels):
        hits, truth, said = confusion[k, k], confusion[k].sum(), confusion[:, k].sum()
        of_said, of_truth = (
            effective_rows(answers.mass[codes == k]) for codes in (answers.said, answers.truth)
        )
        precision = wilson(float(hits), float(said), level=level, effective=of_said)
        recall = wilson(float(hits), float(truth), level=level, effective=of_truth)
        several = found[k :: len(labels)]  # F1, and with probabilities AUC and average precision
        auc, mean = several[1:] if len(several) == 3 else (None, None)
        lines.append(ClassLine(label, float(truth), float(said), precision, recall, several[0], auc, mean))
    return tuple(lines)


def _curves(
    scores: ClassScores, mass: Floats, answers: Answers, positive: int | None, level: float
) -> tuple[ClassCurves, ...]:
    if scores.units.shares is None:
        return ()
    labels = answers.labels or ()
    occurs = np.bincount(answers.truth, minlength=len(labels))
    shown_classes = range(len(labels)) if positive is None else [positive]
    return tuple(
        curves_of(labels[k], scores.rankings[k], mass, answers, k, level)
        for k in shown_classes
        if 0 < occurs[k] < len(answers)
    )


# ---- numbers


def _judged_numbers(
    asked: Asked,
    trained: Asked | None,
    base: Reference,
    groups: list[report_groups.Parted],
    positive: Any,
    loss: Any,
    settings: Settings,
    progress: Callable[[int], None] | None,
) -> dict[str, Any]:
    answers = asked.answers
    scores, always = NumberScores(answers), NumberScores(base.answers)
    pool = _Pool()
    beside = pool.add(_beside(scores.figures, always.figures, len(scores.names)))
    in_groups = [pool.add(report_groups.number_figures(answers, one)) for one in groups]
    places = worst = in_leaves = None
    if asked.tree is not None:
        places = report_leaves.places_of(answers)
        worst = report_leaves.worst_places(answers, places)
        in_leaves = pool.add(report_leaves.number_figures(answers, places, worst))
    found = pool.measured(len(answers), settings, progress)
    training = (
        None if trained is None else NumberScores(trained.answers).figures(np.ones(len(trained.answers)))
    )
    figures = _figures({name: TITLES[name] for name in scores.names}, found[beside], training)
    leaves = None
    if asked.tree is not None and places is not None and worst is not None and in_leaves is not None:
        leaves = report_leaves.number_leaves(asked.tree, answers, places, worst, found[in_leaves])
    return {
        "figures": figures,
        "confusion": None,
        "classes": (),
        "positive": None,
        "curves": (),
        "decision": None,
        "leaves": leaves,
        "cells": {},
        "subgroups": tuple(
            report_groups.number_groups(answers, one, found[k])
            for one, k in zip(groups, in_groups, strict=True)
        ),
    }
