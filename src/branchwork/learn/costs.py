"""Apply priors and losses: how much a class counts, and what it costs to take one class for another.

Splits are chosen with *altered priors*: a class whose errors are expensive counts as if it were more frequent,
π'_c ∝ π_c · Σ_k loss[c, k]. The risk of a node, its class and its probabilities follow the true priors and losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.table.table import read_only
from branchwork.table.target import Classes

Floats = npt.NDArray[np.float64]
Priors = Mapping[Any, float] | Sequence[float] | npt.NDArray[np.float64] | None
Loss = Sequence[Sequence[float]] | npt.NDArray[np.float64] | None

SUM_SLACK = 1e-6
"""The sum of priors may differ from 1 by this much."""
TIE = 1e-9
"""Expected losses that differ by less than this share of the largest are ties; the earlier label wins."""


@dataclass(frozen=True, eq=False)
class Costs:
    """How much each class counts, in the order of the target's labels.

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
        """Return the samples of each class in nodes, scaled by the priors; at the root they add up to all samples."""
        return counts * self.risk

    def losses(self, counts: Floats) -> Floats:
        """Return what it costs a node to predict each class."""
        return np.asarray(self.masses(counts) @ self.loss)

    def decided(self, counts: Floats) -> npt.NDArray[np.intp]:
        """Return the class that each node predicts: the one of least expected loss (ties go to the earlier label)."""
        losses = self.losses(counts)
        losses[:, counts[0] == 0] = np.inf  # a class without rows is never predicted
        least = losses.min(axis=1, keepdims=True)
        scale = np.where(np.isfinite(losses), losses, 0).max(axis=1, keepdims=True)
        return np.asarray(np.argmax(losses <= least + TIE * scale, axis=1))


def costs_of(priors: Priors, loss: Loss, target: Classes) -> Costs:
    """Return the priors and losses of a target.

    No priors means the shares of samples; no losses means 1 for each error.
    """
    counts = samples_of(target)
    order = _classes_that_occur(target, counts)
    whole = float(counts.sum())
    prior = counts / whole
    if priors is not None:
        prior = np.zeros(len(counts))
        prior[order] = _checked_priors(priors, [target.labels[k] for k in order])
    losses = 1 - np.eye(len(counts))
    if loss is not None:
        losses[np.ix_(order, order)] = loss_of(loss, target)[1]
    present = np.ix_(order, order)
    altered = np.zeros(len(counts))
    altered[order] = prior[order] * losses[present].sum(axis=1)
    altered /= altered.sum() if altered.sum() > 0 else 1.0
    if len(order) == 1:  # with a single class there is no other to take it for
        altered[order] = 1.0
    per_class = np.where(counts > 0, whole / np.where(counts > 0, counts, 1), 0)
    growth = np.where(counts > 0, altered * per_class, 1.0)
    risk = np.where(counts > 0, prior * per_class, 0.0)
    if priors is None:
        risk = np.where(counts > 0, 1.0, 0.0)
        growth = np.ones(len(counts)) if loss is None else growth
    return Costs(growth, risk, losses)


def loss_of(loss: Loss, target: Classes) -> tuple[tuple[Any, ...], Floats]:
    """Return the classes that occur, in the order of `classes_`, and what it costs to predict one for another."""
    labels = [target.labels[k] for k in _classes_that_occur(target, samples_of(target))]
    return tuple(labels), checked_loss(loss, labels)


def samples_of(target: Classes) -> Floats:
    """Return the samples of each label: the weight of its rows, without the class weight."""
    factors = 1.0 if target.class_weights is None else target.class_weights
    return np.asarray(target.counts / factors)


def altered(target: Classes, costs: Costs) -> Classes:
    """Return the target as growth sees it: every row is weighted by how much its class counts."""
    if (costs.growth == 1).all() and target.class_weights is None:
        return target
    sample = np.ones(len(target)) if target.weights is None else target.weights
    if target.class_weights is not None:
        sample = sample / target.class_weights[target.codes]
    weights = read_only(sample * costs.growth[target.codes])
    return replace(target, weights=weights, class_weights=read_only(costs.growth.copy()))


def _classes_that_occur(target: Classes, counts: Floats) -> list[int]:
    """Return the positions of the labels that have rows, sorted by label: the order of `classes_`."""
    occurs: list[int] = np.flatnonzero(counts > 0).tolist()
    labels = target.labels
    try:
        return sorted(occurs, key=lambda k: labels[k])  # type: ignore[arg-type,return-value]
    except TypeError:  # labels without a common order keep the declared one
        return occurs


def check_priors(name: str, priors: Any) -> Any:
    """Refuse priors that are neither None nor a list or mapping of numbers above 0 that add up to 1."""
    if priors is None:
        return None
    array = _numbers(list(priors.values()) if isinstance(priors, Mapping) else priors, dimensions=1)
    if array is None or not (array > 0).all() or abs(float(array.sum()) - 1) > SUM_SLACK:
        raise ParameterError(
            f"{name}={shown(priors)}; expected numbers above 0 that add up to 1, by label or one for each class."
        )
    return priors


def check_loss(name: str, loss: Any) -> Any:
    """Refuse losses that are neither None nor a square table with 0 on its diagonal and numbers above 0 elsewhere."""
    if loss is None:
        return None
    array = _numbers(loss, dimensions=2)
    if array is None or array.shape[0] != array.shape[1]:
        raise ParameterError(
            f"{name}={shown(loss)}; expected a square table of numbers, one row and one column for each class: "
            f"{name}[c][k] is the cost of taking class c for k."
        )
    if np.diag(array).any() or not (array[~np.eye(len(array), dtype=bool)] > 0).all():
        raise ParameterError(
            f"{name}={shown(loss)}; expected 0 on the diagonal and numbers above 0 elsewhere."
        )
    return loss


def _numbers(given: Any, *, dimensions: int) -> Floats | None:
    """Return the given values as an array of finite numbers, or None if they are not numbers."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return array if array.ndim == dimensions and array.size and np.isfinite(array).all() else None


def _checked_priors(priors: Any, labels: list[Any]) -> Floats:
    """Return the priors in the order of the labels."""
    check_priors("priors", priors)
    given = priors if isinstance(priors, Mapping) else _by_label(priors)
    if given is not None:
        _same_labels("priors", list(given), labels)
        priors = [given[label] for label in labels]
    array = np.array(priors, dtype=np.float64)
    if len(array) != len(labels):
        raise ParameterError(
            f"priors={shown(priors)}; expected one number for each of the classes {shown(labels)}."
        )
    return np.asarray(array / array.sum())


def checked_loss(loss: Any, labels: list[Any]) -> Floats:
    """Return the losses in the order of the labels."""
    check_loss("loss", loss)
    if _by_label(loss) is not None:
        for axis in (loss.index, loss.columns):
            _same_labels("loss", list(axis), labels)
        loss = loss.loc[labels, labels]
    array = np.array(loss, dtype=np.float64)
    if len(array) != len(labels):
        raise ParameterError(
            f"loss={shown(loss)}; expected a square table of {len(labels)} rows, one for each of the classes "
            f"{shown(labels)}: loss[c][k] is the cost of taking class c for k."
        )
    return array


def _by_label(given: Any) -> Any:
    """Return the values of a pandas Series or DataFrame by label, or None if the values are given by position."""
    index = getattr(given, "index", None)
    if not hasattr(given, "loc") or list(index) == list(range(len(given))):  # type: ignore[arg-type]
        return None
    return dict(given.items())


def _same_labels(name: str, given: list[Any], labels: list[Any]) -> None:
    strange = [label for label in given if label not in labels]
    missing = [label for label in labels if label not in given]
    if strange or missing:
        what = (
            f"{shown(strange[0])}, which is no class of y"
            if strange
            else f"none for the class {shown(missing[0])}"
        )
        raise ParameterError(f"{name} has {what}. Give one number for each of {shown(labels)}.")
