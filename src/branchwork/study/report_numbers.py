"""Make the parts of a report about predicted numbers: squared and absolute errors, R², residuals by leaf and group.

Models that minimise the Poisson deviance are judged by it first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.lazy import cached_property
from branchwork.measure.losses import Loss, poisson_loss
from branchwork.study import report_groups, report_leaves
from branchwork.study.report_answers import Answers, Floats
from branchwork.study.report_pool import Case, Pool, beside, figures_of
from branchwork.study.report_result import TITLES


@dataclass(frozen=True, eq=False)
class NumberScores:
    """Squared and absolute errors of predicted numbers, R² and the mean error, and the deviance of counts."""

    answers: Answers
    counts: Loss | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the figures are."""
        return (*(("deviance",) if self.counts else ()), "mse", "rmse", "mae", "r2", "bias")

    @cached_property
    def _deviances(self) -> Floats:
        """The Poisson deviance of each row, by its weight."""
        assert self.counts is not None
        return self.counts.of_rows(self.answers.said, self.answers.truth) * self.answers.mass

    @cached_property
    def residuals(self) -> Floats:
        """The true value minus the prediction, for each row."""
        return np.asarray(self.answers.truth - self.answers.said)

    @cached_property
    def _columns(self) -> Floats:
        """The columns that are summed over rows: weight, error, squared and absolute error, and the centred target."""
        error, centred = self.residuals, self.answers.truth - self.answers.truth.mean()
        parts = np.array([np.ones(len(error)), error, error**2, np.abs(error), centred, centred**2])
        return np.asarray(parts * self.answers.mass)

    def figures(self, counts: Floats) -> Floats:
        """Return what the names say."""
        total, error, squared, size, centred, spread = (self._columns @ counts).tolist()
        scatter = spread - centred * centred / total
        r2 = 1 - squared / scatter if scatter > 0 else float("nan")
        deviance = [] if self.counts is None else [float(self._deviances @ counts) / total]
        return np.array(
            [*deviance, squared / total, np.sqrt(squared / total), size / total, r2, error / total]
        )


def judged_numbers(case: Case) -> dict[str, Any]:
    """Return the parts of a report about predicted numbers."""
    asked, trained, base, groups = case.asked, case.trained, case.base, case.groups
    answers = asked.answers
    are_counts = asked.learned_counts and answers.truth.min() >= 0 and answers.truth.any()
    loss = poisson_loss(answers.truth) if are_counts else None
    scores, always = NumberScores(answers, loss), NumberScores(base.answers, loss)
    pool = Pool()
    compared = pool.add(beside(scores.figures, always.figures, len(scores.names)))
    in_groups = [pool.add(report_groups.number_figures(answers, one)) for one in groups]
    places = worst = in_leaves = None
    if asked.tree is not None:
        places = report_leaves.places_of(answers)
        worst = report_leaves.worst_places(answers, places)
        in_leaves = pool.add(report_leaves.number_figures(answers, places, worst))
    found = pool.measured(case)
    training = (
        None
        if trained is None
        else NumberScores(trained.answers, loss).figures(np.ones(len(trained.answers)))
    )
    figures = figures_of({name: TITLES[name] for name in scores.names}, found[compared], training)
    leaves = None
    if asked.tree is not None and places is not None and worst is not None and in_leaves is not None:
        leaves = report_leaves.number_leaves(asked.tree, answers, trained, places, worst, found[in_leaves])
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
