"""Priors and losses: what a class counts, and what it costs to take one class for another.

Splits are chosen with *altered priors*: a class whose errors are dear counts as if it were more frequent,
π'_c ∝ π_c · Σ_k loss[c, k]. The risk of a node, its class and its probabilities go by the true priors and losses.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.table.table import read_only
from branchwork.table.target import Classes

Floats = npt.NDArray[np.float64]
Priors = Mapping[Any, float] | Sequence[float] | npt.NDArray[np.float64] | None
Loss = Sequence[Sequence[float]] | npt.NDArray[np.float64] | None

SUM_SLACK = 1e-6
"""Priors may miss a sum of 1 by this much."""
TIE = 1e-9
"""Expected losses closer than this share of the largest are equal; the earlier label wins."""


@dataclass(frozen=True, eq=False)
class Costs:
    """What classes count, in the order of the target's labels.

    Parameters
    ----------
    growth : factor of each class in the choice of splits: altered prior · samples / samples of the class.
    risk : factor of each class in risks and probabilities: prior · samples / samples of the class.
    loss : loss[c, k] is what it costs to take class c for class k.
    """

    growth: Floats
    risk: Floats
    loss: Floats

    def masses(self, counts: Floats) -> Floats:
        """Samples of each class in nodes, by prior: they add up to all samples at the root."""
        return counts * self.risk

    def losses(self, counts: Floats) -> Floats:
        """What it costs a node to decide for each class."""
        return np.asarray(self.masses(counts) @ self.loss)

    def decided(self, counts: Floats) -> npt.NDArray[np.intp]:
        """The class that each node decides for: the one of least expected loss (ties: the earlier label)."""
        losses = self.losses(counts)
        losses[:, counts[0] == 0] = np.inf  # a class without rows is never predicted
        least = losses.min(axis=1, keepdims=True)
        scale = np.where(np.isfinite(losses), losses, 0).max(axis=1, keepdims=True)
        return np.asarray(np.argmax(losses <= least + TIE * scale, axis=1))


def costs_of(priors: Priors, loss: Loss, target: Classes) -> Costs:
    """Priors and losses of a target; None stands for shares of samples, and for 1 a wrong class."""
    counts = samples_of(target)
    order = _classes_that_occur(target, counts)
    whole = float(counts.sum())
    prior = counts / whole
    if priors is not None:
        prior = np.zeros(len(counts))
        prior[order] = _checked_priors(priors, [target.labels[k] for k in order])
    losses = 1 - np.eye(len(counts))
    if loss is not None:
        losses[np.ix_(order, order)] = _checked_loss(loss, len(order))
    present = np.ix_(order, order)
    altered = np.zeros(len(counts))
    altered[order] = prior[order] * losses[present].sum(axis=1)
    altered /= altered.sum() if altered.sum() > 0 else 1.0
    if len(order) == 1:  # nothing to take it for
        altered[order] = 1.0
    per_class = np.where(counts > 0, whole / np.where(counts > 0, counts, 1), 0)
    growth = np.where(counts > 0, altered * per_class, 1.0)
    risk = np.where(counts > 0, prior * per_class, 0.0)
    if priors is None:
        risk = np.where(counts > 0, 1.0, 0.0)
        growth = np.ones(len(counts)) if loss is None else growth
    return Costs(growth, risk, losses)


def samples_of(target: Classes) -> Floats:
    """Samples of each label: their weight without that of the class."""
    factors = 1.0 if target.class_weights is None else target.class_weights
    return np.asarray(target.counts / factors)


def altered(target: Classes, costs: Costs) -> Classes:
    """Return the target as growth sees it: every row weighs what its class counts."""
    if (costs.growth == 1).all() and target.class_weights is None:
        return target
    sample = np.ones(len(target)) if target.weights is None else target.weights
    if target.class_weights is not None:
        sample = sample / target.class_weights[target.codes]
    weights = read_only(sample * costs.growth[target.codes])
    return replace(target, weights=weights, class_weights=read_only(costs.growth.copy()))


def _classes_that_occur(target: Classes, counts: Floats) -> list[int]:
    """Positions of the labels that have rows, sorted by label: the order of `classes_`."""
    occurs: list[int] = np.flatnonzero(counts > 0).tolist()
    labels = target.labels
    try:
        return sorted(occurs, key=lambda k: labels[k])  # type: ignore[arg-type,return-value]
    except TypeError:  # labels without a common order keep the declared one
        return occurs


def _checked_priors(priors: Priors, labels: list[Any]) -> Floats:
    if isinstance(priors, Mapping):
        strange = [label for label in priors if label not in labels]
        missing = [label for label in labels if label not in priors]
        if strange or missing:
            what = (
                f"{strange[0]!r}, which is no class of y" if strange else f"none for the class {missing[0]!r}"
            )
            raise ParameterError(f"priors has {what}. Give one number for each of {labels!r}.")
        given: Any = [priors[label] for label in labels]
    else:
        given = priors
    array = _numbers("priors", given, (len(labels),), f"one number for each of the classes {labels!r}")
    if not (array > 0).all() or abs(float(array.sum()) - 1) > SUM_SLACK:
        raise ParameterError(f"priors={priors!r}; expected numbers above 0 that add up to 1.")
    return np.asarray(array / array.sum())


def _checked_loss(loss: Loss, classes: int) -> Floats:
    array = _numbers(
        "loss",
        loss,
        (classes, classes),
        f"a square table of {classes} rows: loss[c][k] is the cost of taking class c for k",
    )
    off = array[~np.eye(classes, dtype=bool)]
    if np.diag(array).any() or not (off > 0).all():
        raise ParameterError("loss: expected 0 on the diagonal and numbers above 0 elsewhere.")
    return array


def _numbers(name: str, given: Any, shape: tuple[int, ...], expected: str) -> Floats:
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if isinstance(given, str | numbers.Number) or array.shape != shape or not np.isfinite(array).all():
        raise ParameterError(f"{name}={given!r}; expected {expected}.")
    return array
