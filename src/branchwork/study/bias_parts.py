"""Split the error at each query point into bias, variance and noise, from the predictions of many models.

Each model was learned from a training set of its own. `answers` are models × points.

    squared error       E(y − t)² = (E y − f)² + Var y + Var t           y: answer, t: target, f = E t
    Kohavi and Wolpert  P(y ≠ t) = ½ Σ (P(c) − P̂(c))² + ½ (1 − Σ P̂(c)²) + ½ (1 − Σ P(c)²)
    Domingos            P(y ≠ t) = bias + net variance + net noise, about the main (most frequent) answer

P̂(c) is the share of models that predict c at a point, P(c) the true probability of class c there. If only one label is
known, P is 1 for that label, and the bias then includes the noise.

With few models, the shares make bias look larger and variance smaller than they are. `correction="both"` corrects
both, and the sum stays the same. "weka" corrects only the bias, as Weka's BVDecompose does, so the parts do not add
up to the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Correction = Literal["none", "both", "weka"]


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of the error, one number per query point.

    Parameters
    ----------
    bias2 : squared bias; with Domingos' method the bias, 0 or 1. Includes the noise if `noise` is None.
    variance : with Domingos' method the net variance, which is negative if variance reduces the error.
    noise : None if the truth is not known.
    error : the error of the models.
    unbiased_variance, biased_variance : with Domingos' method, the variance that harms and the variance that helps.
    """

    bias2: Floats
    variance: Floats
    noise: Floats | None
    error: Floats
    unbiased_variance: Floats | None = None
    biased_variance: Floats | None = None


def squared_parts(answers: Floats, truth: Floats, noise: Floats | None, correction: Correction) -> Parts:
    """Split the squared error into parts. `truth` is E t for each point, or the one target that is known there.

    >>> parts = squared_parts(np.array([[1.0], [3.0]]), np.array([0.0]), None, "none")
    >>> parts.bias2.tolist(), parts.variance.tolist(), parts.error.tolist()
    ([4.0], [1.0], [5.0])
    """
    models = len(answers)
    bias2, variance = (answers.mean(axis=0) - truth) ** 2, answers.var(axis=0)
    error = ((answers - truth) ** 2).mean(axis=0) + (0.0 if noise is None else noise)
    if correction == "both":
        sample = variance * models / (models - 1)
        bias2, variance = bias2 - sample / models, sample
    return Parts(bias2, variance, noise, np.asarray(error))


def shares_of(answers: npt.NDArray[Any], n_classes: int) -> Floats:
    """Return the share of models that predict each class (points × classes)."""
    counts = np.stack([np.count_nonzero(answers == c, axis=0) for c in range(n_classes)], axis=1)
    return counts / len(answers)


def kohavi_wolpert(
    shares: Floats, truth: Floats, models: int, correction: Correction, truth_is_known: bool
) -> Parts:
    """Split the 0–1 loss into parts as Kohavi and Wolpert (1996) do.

    `shares` and `truth` are points × classes. Ten models predict with shares .5, .1, .4, and the first class is the
    true one:

    >>> shares, truth = np.array([[0.5, 0.1, 0.4]]), np.array([[1.0, 0.0, 0.0]])
    >>> plain, weka = (kohavi_wolpert(shares, truth, 10, c, False) for c in ("none", "weka"))
    >>> [round(float(p.bias2[0] + p.variance[0]), 4) for p in (plain, weka)], plain.error.tolist()
    ([0.5, 0.4678], [0.5])
    """
    bias2 = ((truth - shares) ** 2).sum(axis=1) / 2
    variance = (1 - (shares**2).sum(axis=1)) / 2
    noise = (1 - (truth**2).sum(axis=1)) / 2 if truth_is_known else None
    error = 1 - (shares * truth).sum(axis=1)
    if correction != "none":
        bias2 = bias2 - (shares * (1 - shares)).sum(axis=1) / (2 * (models - 1))
    if correction == "both":
        variance = variance * models / (models - 1)
    return Parts(bias2, variance, noise, error)


def domingos(shares: Floats, truth: Floats, truth_is_known: bool) -> Parts:
    """Split the 0–1 loss into parts as Domingos (2000) does.

    The main prediction is that of most models (ties go to the earlier label). The best prediction is the true or the
    most probable class. If both agree, every other prediction is an error: variance harms. If they differ, a model
    that predicts the best class is right by chance: variance helps, by P̂(best).
    """
    points = np.arange(len(shares))
    main, best = shares.argmax(axis=1), truth.argmax(axis=1)
    bias = (main != best).astype(np.float64)
    right = shares[points, best]
    unbiased = np.where(bias == 0, 1 - right, 0.0)
    biased = np.where(bias == 1, right, 0.0)
    variance = unbiased - biased
    error = 1 - (shares * truth).sum(axis=1)
    noise = error - bias - variance if truth_is_known else None
    return Parts(bias, variance, noise, error, unbiased, biased)
