"""How the outputs of a model's trees become its own.

    single    the one tree's outputs
    mean      their mean: forests
    sum       base + the trees' outputs one after the other, then the link: boosting

A tree of a sum may speak for one output alone: the trees of one round, one a class, do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError

Kind = Literal["single", "mean", "sum"]
Link = Literal["identity", "logistic", "softmax", "exp"]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Combine:
    """The rule.

    Parameters
    ----------
    kind : "single", "mean" or "sum", as above.
    base : what each output of a sum starts from, before the link.
    output : the output that each tree of a sum adds to; None: every tree has all of them.
    link : what makes outputs of sums: "identity"; "exp"; "softmax", one sum a class; or "logistic", one sum for two
        classes, the second's log-odds.

    >>> Combine("sum", base=(0.0,), link="logistic").linked(np.array([[0.0]]))
    array([[0.5, 0.5]])
    """

    kind: Kind = "single"
    base: tuple[float, ...] = ()
    output: tuple[int, ...] | None = None
    link: Link = "identity"

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.kind != "sum" and (self.base or self.output is not None or self.link != "identity"):
            raise ParameterError(f"combine={self.kind!r} has no base, output or link; a sum has.")
        if self.kind == "sum" and not self.base:
            raise ParameterError("A sum needs a base, one number an output.")
        if self.link == "logistic" and len(self.base) != 1:
            raise ParameterError(
                f"The logistic link makes two classes of one sum; there are {len(self.base)}."
            )

    def together(self, outputs: Iterable[Floats]) -> Floats:
        """The model's outputs (rows × outputs) of its trees' ones, which come in order and are added in order."""
        if self.kind == "single":
            (one,) = outputs
            return one
        if self.kind == "mean":
            return _mean(outputs)
        total: Floats | None = None
        for k, values in enumerate(outputs):
            if total is None:
                total = np.tile(np.array(self.base), (len(values), 1))
            if self.output is None:
                total += values
            else:
                total[:, self.output[k]] += values[:, 0]
        assert total is not None
        return self.linked(total)

    def finished(self, sums: Floats, n_trees: int | Floats) -> Floats:
        """Return the model's outputs, given the sums of its trees' outputs (with the base) and the number of trees.

        >>> Combine("mean").finished(np.array([[3.0, 1.0]]), 4)
        array([[0.75, 0.25]])
        """
        return sums / n_trees if self.kind == "mean" else self.linked(sums)

    def linked(self, sums: Floats) -> Floats:
        """Sums in output units."""
        if self.link == "exp":
            return np.exp(sums)
        if self.link == "softmax":
            parts = np.exp(sums - sums.max(axis=1, keepdims=True))
            return np.asarray(parts / parts.sum(axis=1, keepdims=True))
        if self.link == "logistic":
            with np.errstate(over="ignore"):  # of a very small chance the odds against are infinite
                chance = 1 / (1 + np.exp(-sums))
            return np.concatenate((1 - chance, chance), axis=1)
        return sums


SINGLE = Combine()


def _mean(outputs: Iterable[Floats]) -> Floats:
    total: Floats | None = None
    count = 0
    for values in outputs:
        total = values.copy() if total is None else total + values
        count += 1
    assert total is not None
    return total / count
