"""Compute ROC, precision-recall and calibration curves of one class against all others."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.study.intervals import Estimate, wilson
from branchwork.study.report_answers import Answers, Floats
from branchwork.study.report_scores import Ranking

BINS = 10
"""The number of bins of the calibration curve: probabilities from 0 to 0.1, and so on."""
MOST_POINTS = 400
"""The largest number of points of a curve on a page or in JSON; longer curves are thinned out evenly."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve, from the highest threshold to the lowest; `x` and `y` are shares."""

    x: Floats
    y: Floats
    thresholds: Floats

    def thinned(self, most: int = MOST_POINTS) -> Curve:
        """Return some of the points, the first and the last among them."""
        if len(self.x) <= most:
            return self
        kept = np.unique(np.rint(np.linspace(0, len(self.x) - 1, most)).astype(np.intp))
        return Curve(self.x[kept], self.y[kept], self.thresholds[kept])


@dataclass(frozen=True)
class Bin:
    """Rows with probabilities from `low` to `high`: the mean probability, and the share that is of the class."""

    low: float
    high: float
    predicted: float
    observed: Estimate
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**vars(self), "observed": self.observed.to_dict()}


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """The curves of one class against all others."""

    label: Hashable
    roc: Curve
    precision_recall: Curve
    calibration: tuple[Bin, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; long curves are thinned out."""
        roc, pr = self.roc.thinned(), self.precision_recall.thinned()
        return {
            "label": self.label,
            "roc": {"false_positive_rate": roc.x.tolist(), "true_positive_rate": roc.y.tolist()}
            | {"thresholds": _finite(roc.thresholds)},
            "precision_recall": {"recall": pr.x.tolist(), "precision": pr.y.tolist()}
            | {"thresholds": _finite(pr.thresholds)},
            "calibration": [one.to_dict() for one in self.calibration],
        }


def _finite(numbers: Floats) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in numbers.tolist()]


def curves_of(
    label: Hashable, ranked: Ranking, mass: Floats, answers: Answers, code: int, level: float
) -> ClassCurves:
    """Return the curves of a class."""
    positive, negative = ranked.masses(mass)
    assert answers.shares is not None
    return ClassCurves(
        label,
        roc_curve(ranked.scores, positive, negative),
        precision_recall_curve(ranked.scores, positive, negative),
        calibration(answers.shares[:, code], answers.truth == code, answers.mass, level),
    )


def roc_curve(scores: Floats, positive: Floats, negative: Floats) -> Curve:
    """Return the false positive rate and the true positive rate of a class by threshold.

    A row is predicted to be of the class if its score is at least the threshold. The first point has a threshold of
    infinity.
    """
    hits, false = np.cumsum(positive[::-1]), np.cumsum(negative[::-1])
    return Curve(
        _share(np.concatenate([[0.0], false])),
        _share(np.concatenate([[0.0], hits])),
        np.concatenate([[np.inf], scores[::-1]]),
    )


def _share(sums: Floats) -> Floats:
    return sums / sums[-1] if sums[-1] > 0 else np.full(len(sums), np.nan)


def precision_recall_curve(scores: Floats, positive: Floats, negative: Floats) -> Curve:
    """Return recall and precision by threshold; the first point, at recall 0, has precision 1 by convention."""
    hits, marked = np.cumsum(positive[::-1]), np.cumsum((positive + negative)[::-1])
    precision = np.divide(hits, marked, out=np.zeros_like(hits), where=marked > 0)
    return Curve(
        _share(np.concatenate([[0.0], hits])),
        np.concatenate([[1.0], precision]),
        np.concatenate([[np.inf], scores[::-1]]),
    )


def calibration(shares: Floats, is_positive: Any, mass: Floats, level: float) -> tuple[Bin, ...]:
    """Return how often rows are of a class, by the probability that the model gives them; empty bins are left out."""
    edges = np.linspace(0.0, 1.0, BINS + 1)
    place = np.searchsorted(edges[1:-1], shares)
    sums = (mass, mass * shares, mass * is_positive, mass**2)
    total, predicted, observed, squares = (np.bincount(place, one, BINS) for one in sums)
    rows = np.bincount(place, minlength=BINS)
    bins = []
    for k in np.flatnonzero(total > 0).tolist():
        effective = float(total[k] ** 2 / squares[k])
        share = wilson(float(observed[k]), float(total[k]), level=level, effective=effective)
        mean = float(predicted[k] / total[k])
        bins.append(Bin(float(edges[k]), float(edges[k + 1]), mean, share, int(rows[k])))
    return tuple(bins)
