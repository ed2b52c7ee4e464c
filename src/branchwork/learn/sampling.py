"""Draw the rows of each tree of an ensemble, as a function of the seed and the number of the tree alone.

    with replacement       n rows are drawn out of n; some come twice, and about 37 % of the rows not at all
    without replacement    some of the rows, each at most once
    groups                 whole groups of rows are drawn instead of rows

With sample weights, rows are drawn with probability proportional to their weight, and each draw counts once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.learn.draws import ROWS, Keys, below, key_of, keys, places, shares, tree_key

Copies = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sampling:
    """How rows are drawn.

    Parameters
    ----------
    rows : the number of rows of the table.
    draws : how many rows (or groups) each tree draws; None means that every tree has every row once.
    seed : of all draws.
    with_replacement : whether a row (or group) may be drawn more than once.
    weights : rows are drawn with probability proportional to these; None means equal probabilities.
    groups : the group of each row, counted from 0; None means that rows are drawn one by one.
    """

    rows: int
    draws: int | None
    seed: int = 0
    with_replacement: bool = True
    weights: Floats | None = None
    groups: npt.NDArray[np.intp] | None = None

    @property
    def leaves_rows_out(self) -> bool:
        """Whether some rows may be left out of a tree, so that they can test it."""
        return self.draws is not None

    def copies(self, tree: int, attempt: int = 0) -> Copies:
        """Return how often a tree has each row. AdaBoost may draw again: then `attempt` is 1, 2, …

        >>> Sampling(6, 6).copies(0).tolist(), Sampling(6, 3, with_replacement=False).copies(0).tolist()
        ([0, 2, 0, 1, 3, 0], [0, 1, 0, 1, 0, 1])
        """
        if self.draws is None:
            return np.ones(self.rows, np.uint32)
        key = key_of(tree_key(self.seed, tree), ROWS + attempt)
        if not self.with_replacement:
            drawn = keys(key, self._places[: self.units])
            chosen = np.argpartition(drawn, self.draws - 1)[: self.draws]
        else:
            drawn = keys(key, self._places[: self.draws])
            chosen = below(drawn, self.units) if self._reached is None else self._by_weight(drawn)
        counts = np.bincount(chosen, minlength=self.units).astype(np.uint32)
        return counts if self.groups is None else counts[self.groups]

    @cached_property
    def units(self) -> int:
        """The number of rows, or groups, to draw from."""
        return self.rows if self.groups is None else int(self.groups.max()) + 1

    @cached_property
    def _places(self) -> Keys:
        return places(max(self.units, self.draws or 0))

    @cached_property
    def _reached(self) -> Floats | None:
        return None if self.weights is None else np.cumsum(self.weights)

    def _by_weight(self, drawn: Keys) -> npt.NDArray[np.intp]:
        """Return the row of each draw; rows are chosen with probability proportional to their weight."""
        assert self._reached is not None
        found = np.searchsorted(self._reached, shares(drawn) * self._reached[-1], side="right")
        return np.asarray(np.minimum(found, self.units - 1))
