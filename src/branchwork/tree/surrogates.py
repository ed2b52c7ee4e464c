"""Hold surrogates: columns that stand in for the tested column of a node where its cell is missing."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Surrogate:
    """One surrogate: a cut or groups of categories, and how well it agrees with the split that it stands in for."""

    feature: int
    agreement: float
    adjusted: float
    cut: float | None = None
    low_child: int | None = None  # where cells up to the cut go
    children: tuple[int, ...] | None = None  # nominal: the child of each category; -1: absent from the node


@dataclass(frozen=True, eq=False)
class Surrogates:
    """All surrogates of a tree. Those of a node lie side by side, the best first.

    Parameters
    ----------
    first, count : where each node's surrogates begin in the arrays below, and how many there are.
    feature : the column.
    cut, low_child : numeric: the cut, and the child of cells up to the cut; larger cells go to the other child.
    lookup, pool : nominal: pool[lookup + code] is the child of a category; -1: absent from the node.
    agreement : share of the samples known in the split that are sent the same way.
    adjusted : (agreement − majority) / (1 − majority), where majority is the share that the larger branch alone
    agrees on.
    """

    first: Ints
    count: Ints
    feature: Ints
    cut: Floats
    low_child: Ints
    lookup: Ints
    pool: Ints
    agreement: Floats
    adjusted: Floats

    def __post_init__(self) -> None:
        for field in fields(self):
            array = getattr(self, field.name)
            if array.flags.writeable:
                array.flags.writeable = False

    def __len__(self) -> int:
        """Return the number of surrogates in the tree."""
        return len(self.feature)

    def of(self, node: int, levels: list[int]) -> list[Surrogate]:
        """Return the surrogates of a node, the best first; `levels` has the number of categories of each column."""
        first = int(self.first[node])
        return [self._one(k, levels) for k in range(first, first + int(self.count[node]))]

    def _one(self, k: int, levels: list[int]) -> Surrogate:
        feature, rating = int(self.feature[k]), (float(self.agreement[k]), float(self.adjusted[k]))
        begin = int(self.lookup[k])
        if begin < 0:
            return Surrogate(feature, *rating, cut=float(self.cut[k]), low_child=int(self.low_child[k]))
        children = self.pool[begin : begin + levels[feature]].tolist()
        return Surrogate(feature, *rating, children=tuple(children))

    def take(self, nodes: npt.NDArray[np.integer], keep: npt.NDArray[np.bool_]) -> Surrogates:
        """Return the surrogates of these nodes, renumbered in this order.

        A node that is not kept loses its surrogates.
        """
        count = np.where(keep, self.count[nodes], 0).astype(np.int32)
        first = (np.cumsum(count) - count).astype(np.int32)
        kept = np.repeat(self.first[nodes] - first, count) + np.arange(count.sum())
        names = ("feature", "cut", "low_child", "lookup", "agreement", "adjusted")
        rest: dict[str, Any] = {name: getattr(self, name)[kept] for name in names}
        return Surrogates(first=first, count=count, pool=self.pool, **rest)

    @property
    def for_walker(self) -> list[Any]:
        """Return the arrays in the form that the core takes."""
        return [self.first, self.count, self.feature, self.low_child, self.lookup, self.pool, self.cut]
