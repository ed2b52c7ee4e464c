"""Make the parts of a report about predicted classes: figures, confusion matrix, curves, decisions, leaves, groups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.learn.costs import checked_loss
from branchwork.study.intervals import Estimate, weighted_share
from branchwork.study.report_answers import Answers, Asked, Floats
from branchwork.study.report_curves import ClassCurves, curves_of
from branchwork.study.report_groups import class_groups
from branchwork.study.report_leaves import cells_of_leaves, class_leaves
from branchwork.study.report_pool import Case, Pool, beside, figures_of
from branchwork.study.report_result import TITLES, ClassLine
from branchwork.study.report_scores import ClassScores, units_of
from branchwork.study.report_threshold import Decision, ExpectedCostScores, ThresholdScores, decision_of


def judged_classes(case: Case, positive: Any, loss: Any) -> dict[str, Any]:
    """Return the parts of a report about predicted classes."""
    asked, base = case.asked, case.base
    answers, level = asked.answers, case.settings.level
    labels = answers.labels or ()
    chosen = _positive(positive, labels)
    costs = None if loss is None else checked_loss(loss, list(labels))
    scores, always = (
        ClassScores(units_of(one), len(labels), chosen, costs) for one in (answers, base.answers)
    )
    pool = Pool()
    coarse, count = scores.coarse(), len(scores.names)
    compared = pool.add(
        beside(scores.figures, always.figures, count), beside(coarse.figures, always.figures, count)
    )
    cost_scores, roughly = (_cost_scores(one, chosen, costs) for one in (scores, coarse))
    decided = None
    if cost_scores is not None and roughly is not None:
        decided = pool.add(cost_scores.figures, roughly.figures)
    found = pool.measured(case)
    training = None if case.trained is None else _training(case.trained, labels, chosen, costs)
    titles = {name: _title(name, labels, chosen) for name in scores.names}
    figures = figures_of(titles, found[compared], training)
    rates = [weighted_share(one.mass, ~one.is_wrong, level=level) for one in (answers, base.answers)]
    accuracy = replace(figures[0], value=rates[0], baseline=rates[1])
    mass = scores.units.mass(np.ones(len(answers)))
    confusion = scores.confusion(mass)
    return {
        "figures": (accuracy, *figures[1:]),
        "confusion": confusion,
        "classes": _class_lines(answers, confusion, found[compared][3 * len(titles) :], level),
        "positive": None if chosen is None else labels[chosen],
        "curves": _curves(scores, mass, answers, chosen, level),
        "decision": None if decided is None else _decision(cost_scores, found[decided], labels, chosen),
        "leaves": None if asked.tree is None else class_leaves(asked.tree, answers, case.trained, level),
        "cells": {} if asked.tree is None else cells_of_leaves(answers),
        "subgroups": tuple(class_groups(answers, one, chosen, level) for one in case.groups),
    }


def _positive(positive: Any, labels: tuple[Hashable, ...]) -> int | None:
    """Return the position of the class that thresholds are about; None if there are not two classes."""
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
    """Return the scores that find the best decisions, if there are probabilities, and costs or two classes."""
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


def _class_lines(
    answers: Answers, confusion: Floats, found: list[Estimate], level: float
) -> tuple[ClassLine, ...]:
    labels = answers.labels or ()
    lines = []
    for k, label in enumerate(labels):
        is_said, is_true = answers.said == k, answers.truth == k
        precision = weighted_share(answers.mass[is_said], is_true[is_said], level=level)
        recall = weighted_share(answers.mass[is_true], is_said[is_true], level=level)
        truth, said = confusion[k].sum(), confusion[:, k].sum()
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
