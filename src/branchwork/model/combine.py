"""Combine the outputs of the trees of a model.

    single          the outputs of the only tree
    mean            the mean of the outputs of the trees: bagging, forests
    vote            the share of trees that predict each class
    weighted_vote   the same with a weight for each tree, then the link: AdaBoost
    median          the weighted median of the numbers of the trees: AdaBoost for numbers
    sum             base + the outputs of the trees, one after the other, then the link: boosting

A tree of a sum may add to one output only, such as the trees of one round of boosting, one per class.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError

Kind = Literal["single", "mean", "vote", "weighted_vote", "median", "sum"]
Link = Literal["identity", "logistic", "softmax", "samme", "exp"]
Floats = npt.NDArray[np.float64]

_LINKS: dict[str, tuple[str, ...]] = {
    "sum": ("identity", "logistic", "softmax", "exp"),
    "weighted_vote": ("softmax", "samme"),
}
"""The possible links of each kind that has any."""


@dataclass(frozen=True)
class Combine:
    """How the outputs of trees are combined.

    Parameters
    ----------
    kind : one of the names above.
    base : the start value of each output of a sum, before the link.
    output : the output that each tree of a sum adds to; None: every tree adds to all of them.
    link : the function from sums to outputs: "identity"; "exp"; "softmax" with one sum per class; or "logistic" with
        one sum, the log-odds of the second of two classes. For weighted votes: "softmax" (AdaBoost.M1) or "samme"
        (scikit-learn's SAMME).
    weights : for weighted votes and medians: the weight of each tree.

    >>> Combine("sum", base=(0.0,), link="logistic").linked(np.array([[0.0]]))
    array([[0.5, 0.5]])
    """

    kind: Kind = "single"
    base: tuple[float, ...] = ()
    output: tuple[int, ...] | None = None
    link: Link = "identity"
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse settings that do not go together."""
        weighted = self.kind in ("weighted_vote", "median")
        if self.kind != "sum" and (self.base or self.output is not None):
            raise ParameterError(f"combine={self.kind!r} has no base, output or link; a sum has.")
        if self.link not in _LINKS.get(self.kind, ("identity",)):
            raise ParameterError(f"combine={self.kind!r} has no link {self.link!r}.")
        if self.kind == "sum" and not self.base:
            raise ParameterError("A sum needs a base with one number per output.")
        if self.link == "logistic" and len(self.base) != 1:
            raise ParameterError(
                f"The logistic link makes two classes of one sum; there are {len(self.base)}."
            )
        if weighted != bool(self.weights):
            raise ParameterError(
                f"combine={self.kind!r} {'needs weights, one per tree' if weighted else 'has no weights'}."
            )
        if weighted and not all(0 <= weight < np.inf for weight in self.weights):
            raise ParameterError("The weights of trees must be finite numbers, 0 or more.")

    @property
    def takes_votes(self) -> bool:
        """Whether each tree votes for one class instead of giving probabilities."""
        return self.kind in ("vote", "weighted_vote")

    def together(self, outputs: Iterable[Floats]) -> Floats:
        """Return the model's outputs (rows × outputs), given those of its trees, in order.

        A tree that votes has 1 for the class that it predicts, and 0 for all others.
        """
        if self.kind == "single":
            (one,) = outputs
            return one
        if self.kind in ("mean", "vote"):
            return _mean(outputs)
        if self.kind == "median":
            return _weighted_median(np.stack(list(outputs)), np.array(self.weights))
        total: Floats | None = None
        for k, values in enumerate(outputs):
            if total is None:
                start = self.base or (0.0,) * values.shape[1]
                total = np.tile(np.array(start), (len(values), 1))
            if self.weights:
                total += self.weights[k] * values
            elif self.output is None:
                total += values
            else:
                total[:, self.output[k]] += values[:, 0]
        assert total is not None
        return self.linked(total)

    def first(self, count: int) -> Combine:
        """Return how only the first trees are combined.

        >>> Combine("median", weights=(3.0, 2.0, 1.0)).first(2).weights
        (3.0, 2.0)
        """
        output = None if self.output is None else self.output[:count]
        return replace(self, weights=self.weights[:count], output=output)

    def finished(self, sums: Floats, n_trees: int | Floats) -> Floats:
        """Return the model's outputs, given the sums of its trees' outputs (with the base) and the number of trees.

        >>> Combine("mean").finished(np.array([[3.0, 1.0]]), 4)
        array([[0.75, 0.25]])
        """
        return sums / n_trees if self.kind in ("mean", "vote") else self.linked(sums)

    def linked(self, sums: Floats) -> Floats:
        """Return sums in output units."""
        if self.link == "exp":
            return np.exp(sums)
        if self.link in ("softmax", "samme"):
            sums = sums * self.vote_scale(sums.shape[1])
            parts = np.exp(sums - sums.max(axis=1, keepdims=True))
            return np.asarray(parts / parts.sum(axis=1, keepdims=True))
        if self.link == "logistic":
            with np.errstate(over="ignore"):  # for a tiny probability, the odds against overflow to infinity
                chance = 1 / (1 + np.exp(-sums))
            return np.concatenate((1 - chance, chance), axis=1)
        return sums

    def vote_scale(self, n_classes: int) -> float:
        """Return the factor of votes before the softmax.

        scikit-learn gives every class its share of the votes minus 1 / (K - 1) of the share of all others, divided by
        K - 1. A softmax does not change if the same number is subtracted from all classes, so this is the same as
        K / (K - 1)² times the share.
        """
        if self.link != "samme" or n_classes == 1:
            return 1.0
        return n_classes / (n_classes - 1) ** 2 / (sum(self.weights) or 1.0)


SINGLE = Combine()


def _mean(outputs: Iterable[Floats]) -> Floats:
    total: Floats | None = None
    count = 0
    for values in outputs:
        total = values.copy() if total is None else total + values
        count += 1
    assert total is not None
    return total / count


def _weighted_median(outputs: Floats, weights: Floats) -> Floats:
    """Return the smallest output up to which the trees have at least half of all weight; `outputs` is (trees, rows, 1).

    Equal outputs stay in the order of the trees, which does not change the result.
    """
    said = outputs[:, :, 0]
    order = np.argsort(said, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    place = np.argmax(reached >= 0.5 * reached[-1], axis=0)
    rows = np.arange(said.shape[1])
    return np.asarray(said[order[place, rows], rows][:, None])
