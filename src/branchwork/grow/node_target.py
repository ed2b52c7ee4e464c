"""The target of one node: its prediction and its impurity."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.table.target import Classes, Target, Values

Floats = npt.NDArray[np.float64]

_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class ClassNode:
    """The classes of the rows of a node. Impurity is entropy in bits."""

    codes: npt.NDArray[np.int32]
    weights: Floats | None
    value: Floats  # weight of each class
    n_rows: int
    per_weight: Floats | None = None  # per class: samples per weight of 1; None: 1 each

    def without_rows(self) -> ClassNode:
        """Return the node without what only its split needs."""
        return replace(self, codes=np.empty(0, np.int32), weights=None)

    @property
    def weight(self) -> float:
        """Weight of the node's rows."""
        return float(self.value.sum())

    @property
    def samples(self) -> float:
        """Weight of the node's rows without class weights."""
        return self.weight if self.per_weight is None else float(self.value @ self.per_weight)

    @property
    def is_pure(self) -> bool:
        """Whether there is one class only."""
        return int(np.count_nonzero(self.value)) < 2

    @cached_property
    def impurity(self) -> float:
        """Entropy of the classes."""
        return float(entropies(self.value[None])[0])


@dataclass(frozen=True, eq=False)
class ValueNode:
    """The numbers of the rows of a node; `scaled` is (y − mean) / unit, from −1 to 1. Impurity is the variance."""

    scaled: Floats
    unit: float
    weights: Floats | None
    value: Floats  # the mean
    weight: float
    n_rows: int
    spread: float  # mean square of `scaled`

    def without_rows(self) -> ValueNode:
        """Return the node without what only its split needs."""
        return replace(self, scaled=_NONE, weights=None)

    @property
    def samples(self) -> float:
        """Weight of the node's rows."""
        return self.weight

    @property
    def is_pure(self) -> bool:
        """Whether there is one number only."""
        return self.unit == 0

    @property
    def impurity(self) -> float:
        """Mean squared error of the mean."""
        return self.spread * self.unit**2

    @property
    def variance(self) -> float:
        """Variance with denominator n − 1."""
        return self.impurity * (self.weight / (self.weight - 1)) if self.weight > 1 else 0.0


def node_of(target: Target, rows: npt.NDArray[np.intp]) -> ClassNode | ValueNode:
    """Return the target of a node's rows."""
    weights = None if target.weights is None else target.weights[rows]
    if isinstance(target, Classes):
        codes = target.codes[rows]
        value = np.bincount(codes, weights, len(target.labels)).astype(np.float64)
        per_weight = None if target.class_weights is None else 1 / target.class_weights
        return ClassNode(codes, weights, value, len(rows), per_weight)
    return _value_node(target, rows, weights)


def _value_node(target: Values, rows: npt.NDArray[np.intp], weights: Floats | None) -> ValueNode:
    """Describe numbers. They are centred first, to lose fewer bits; the centre does not depend on the order of rows."""
    y = target.values[rows]
    middle = float(y.min() / 2 + y.max() / 2)
    weight = float(len(rows)) if weights is None else float(weights.sum())
    if y.min() == y.max():
        return ValueNode(_NONE, 0.0, weights, y[:1].copy(), weight, len(rows), 0.0)
    apart = y - middle
    offset = float((apart if weights is None else weights * apart).sum()) / weight
    centred = apart - offset
    unit = 2.0 ** float(np.frexp(np.abs(centred).max())[1])
    scaled = centred / unit
    squares = scaled**2 if weights is None else weights * scaled**2
    mean = np.array([middle + offset])
    return ValueNode(scaled, unit, weights, mean, weight, len(rows), float(squares.sum()) / weight)


def entropies(counts: Floats) -> Floats:
    """Return the entropy of each row of counts, in bits."""
    shares = counts / np.maximum(counts.sum(1, keepdims=True), np.finfo(np.float64).tiny)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs((shares * logs).sum(1)))
