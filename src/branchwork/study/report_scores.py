"""Compute figures about predicted classes, as functions of how often each row counts, for the bootstrap.

Rows that no figure can distinguish (of the same leaf and class) are one *unit*, so that a tree with few leaves is
measured quickly, however many rows there are:

    counts of rows ─► mass of units ─► confusion matrix ─► balanced accuracy, F1
                                   ├─► mass by score    ─► ROC AUC, average precision
                                   └─► mean of losses   ─► log loss, Brier score, cost

All definitions are scikit-learn's, sample weights included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.study.report_answers import Answers, Codes, Floats

EPSILON = float(np.finfo(np.float64).eps)
"""The smallest probability in log loss, as in scikit-learn."""
MOST_SCORES = 4096
"""The number of distinct scores of a class that the draws of a bootstrap use; the figures themselves use all."""


@dataclass(frozen=True, eq=False)
class Units:
    """Groups of rows that are the same for every figure.

    Parameters
    ----------
    of_row : the unit of each row; None means that every row is a unit of its own.
    truth, said : the true and the predicted class of each unit.
    shares : the probability of each class; None if there are none.
    weights : the weights of the rows.
    """

    of_row: Codes | None
    truth: Codes
    said: Codes
    shares: Floats | None
    weights: Floats | None

    def mass(self, counts: Floats) -> Floats:
        """Return how much each unit counts."""
        by_row = counts if self.weights is None else counts * self.weights
        if self.of_row is None:
            return by_row
        return np.asarray(np.bincount(self.of_row, by_row, minlength=len(self.truth)), np.float64)


def units_of(answers: Answers) -> Units:
    """Return the rows as units."""
    if not answers.by_leaf or answers.leaves is None:
        return Units(None, answers.truth, answers.said, answers.shares, answers.weights)
    classes = len(answers.labels or ())
    _, first, of_row = np.unique(
        answers.leaves.astype(np.int64) * classes + answers.truth, return_index=True, return_inverse=True
    )
    shares = None if answers.shares is None else answers.shares[first]
    return Units(of_row.reshape(-1), answers.truth[first], answers.said[first], shares, answers.weights)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Units ranked by their score for one class.

    Parameters
    ----------
    scores : the different scores, ascending.
    place : twice the place of each unit's score among them, plus 1 if the unit is of the class.
    """

    scores: Floats
    place: Codes

    def masses(self, mass: Floats) -> tuple[Floats, Floats]:
        """Return, for each score in ascending order, the mass of the rows of the class, and of all other rows."""
        pairs = np.asarray(np.bincount(self.place, mass, minlength=2 * len(self.scores)), np.float64).reshape(
            -1, 2
        )
        return pairs[:, 1], pairs[:, 0]

    def coarse(self, most: int = MOST_SCORES) -> Ranking:
        """Return the ranking with neighbouring scores merged, so that each position has about equally many units.

        The bootstrap draws thousands of times; intervals need no finer scores than these.
        """
        if len(self.scores) <= most:
            return self
        units = np.cumsum(np.bincount(self.place >> 1, minlength=len(self.scores)))
        bin_of = np.minimum((units - 1) * most // units[-1], most - 1)
        kept, first = np.unique(bin_of, return_index=True)
        bins = np.searchsorted(kept, bin_of)
        return Ranking(self.scores[first], 2 * bins[self.place >> 1] + (self.place & 1))


def ranking(scores: Floats, is_positive: npt.NDArray[np.bool_]) -> Ranking:
    """Rank units by their scores; equal scores share a position."""
    found, place = np.unique(scores, return_inverse=True)
    return Ranking(found, 2 * place.reshape(-1) + is_positive)


def roc_auc(positive: Floats, negative: Floats) -> float:
    """Return the probability that a row of the class has a higher score than another row; equal scores count half.

    >>> roc_auc(np.array([0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0]))
    0.875
    """
    pairs = float(positive.sum()) * float(negative.sum())
    if pairs <= 0:
        return float("nan")
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below) / pairs


def average_precision(positive: Floats, negative: Floats) -> float:
    """Return the mean precision, over all steps of recall from the highest score down."""
    total = float(positive.sum())
    if total <= 0:
        return float("nan")
    hits, marked = np.cumsum(positive[::-1]), np.cumsum((positive + negative)[::-1])
    precision = np.divide(hits, marked, out=np.zeros_like(hits), where=marked > 0)
    return float(positive[::-1] @ precision) / total


def brier_losses(shares: Floats, truth: Codes) -> Floats:
    """Return the squared error of the probabilities of each unit; with two classes, that of one of them."""
    right = np.zeros_like(shares)
    right[np.arange(len(truth)), truth] = 1.0
    squared = ((shares - right) ** 2).sum(axis=1)
    return np.asarray(squared / 2 if shares.shape[1] == 2 else squared)


def log_losses(shares: Floats, truth: Codes) -> Floats:
    """Return the negative logarithm of the probability of each unit's true class."""
    return np.asarray(-np.log(np.clip(shares[np.arange(len(truth)), truth], EPSILON, 1 - EPSILON)))


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Everything about predicted classes that is measured by a function of the counts of rows.

    Parameters
    ----------
    units : the rows.
    classes : number of classes.
    positive : the class that AUC and precision are about, if there are two; None: the mean over all classes.
    loss : loss[c, k] is what it costs to take class c for class k; None: figures without costs.
    """

    units: Units
    classes: int
    positive: int | None
    loss: Floats | None

    @property
    def names(self) -> list[str]:
        """Names of the figures about all rows, in their order; every class has `CLASS_NAMES` after them."""
        with_shares = (
            [] if self.units.shares is None else ["roc_auc", "average_precision", "log_loss", "brier"]
        )
        return [
            "accuracy",
            "balanced_accuracy",
            "f1_macro",
            *with_shares,
            *(["cost"] if self.loss is not None else []),
        ]

    @cached_property
    def _cell(self) -> Codes:
        return np.asarray(self.units.truth * self.classes + self.units.said)

    @cached_property
    def rankings(self) -> list[Ranking]:
        """Rank the units by their score for each class."""
        shares = self.units.shares
        if shares is None:
            return []
        return [ranking(shares[:, k], self.units.truth == k) for k in range(self.classes)]

    def coarse(self) -> ClassScores:
        """Return the same scores with coarser rankings, for the bootstrap."""
        other = replace(self)
        other.__dict__["rankings"] = [one.coarse() for one in self.rankings]
        return other

    @cached_property
    def _losses(self) -> Floats:
        """Log loss and Brier loss of each unit, and the cost of its prediction."""
        units, found = self.units, []
        if units.shares is not None:
            found = [log_losses(units.shares, units.truth), brier_losses(units.shares, units.truth)]
        if self.loss is not None:
            found.append(self.loss[units.truth, units.said])
        return np.array(found).reshape(len(found), len(units.truth))

    def confusion(self, mass: Floats) -> Floats:
        """Return the mass of every true class (rows) by predicted class (columns)."""
        cells = np.asarray(np.bincount(self._cell, mass, minlength=self.classes**2), np.float64)
        return cells.reshape(self.classes, self.classes)

    def figures(self, counts: Floats) -> Floats:
        """Return the figures about all rows, then F1, AUC and average precision of each class."""
        mass = self.units.mass(counts)
        f1, overall = of_confusion(self.confusion(mass))
        found, by_class = list(overall), [f1]
        if self.units.shares is not None:
            masses = [one.masses(mass) for one in self.rankings]
            aucs, precisions = (
                np.array([function(*pair) for pair in masses]) for function in (roc_auc, average_precision)
            )
            found += [self._chosen(aucs), self._chosen(precisions)]
            by_class += [aucs, precisions]
        total = mass.sum()
        found += [float(losses @ mass / total) for losses in self._losses]
        return np.concatenate([found, *by_class])

    def _chosen(self, of_classes: Floats) -> float:
        """Return the figure of the positive class, or the mean over the classes that have one."""
        if self.positive is not None:
            return float(of_classes[self.positive])
        known = of_classes[~np.isnan(of_classes)]
        return float(known.mean()) if len(known) else float("nan")


def of_confusion(confusion: Floats) -> tuple[Floats, tuple[float, float, float]]:
    """Return F1 of each class; then accuracy, the mean recall of the classes that occur, and the mean F1.

    F1 is NaN for a class that neither occurs nor is predicted; such a class is left out of the mean.
    """
    hits, truth, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    f1 = np.divide(2 * hits, truth + said, out=np.full(len(hits), np.nan), where=truth + said > 0)
    recall = np.divide(hits, truth, out=np.full(len(hits), np.nan), where=truth > 0)
    accuracy = float(hits.sum() / confusion.sum())
    return f1, (accuracy, float(np.nanmean(recall)), float(np.nanmean(f1)))


def constant(answers: Answers, shares: Floats, said: int) -> Answers:
    """Return the predictions of a model that predicts the same for every row."""
    changes: dict[str, Any] = {"said": np.full(len(answers), said, np.intp)}
    if answers.shares is not None:
        changes["shares"] = np.broadcast_to(shares, (len(answers), len(shares)))
    return replace(answers, **changes)
