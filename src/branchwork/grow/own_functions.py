"""User-defined scores that cannot be tabulated: the core calls functions with arrays of candidates.

A score has no table if weights are not whole numbers, or if it is the gain of a whole split. The core then grows the
tree as usual, but it collects the candidates of a feature, acquires the GIL, and scores all of them in one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwork import _core
from branchwork.grow.own_tables import refuse_loss, refuse_negative
from branchwork.measure.own_score import Floats, Labels, Score
from branchwork.table.target import Classes


def asked(score: Score, target: Classes) -> _core.OwnFunctions:
    """Return the functions of a score that the core calls."""
    score.need_functions()
    answers = _Answers(score, target.labels)
    return _core.OwnFunctions(answers.costs, answers.gains, len(target.labels))


@dataclass(frozen=True)
class _Answers:
    score: Score
    labels: Labels

    def costs(self, nodes: Floats) -> Floats:
        """Return, for each node, its impurity times its weight, and the magnitude of the numbers behind it."""
        refuse_negative(self.score, nodes, self.labels)
        found = np.empty((len(nodes), 2))
        found[:, 0] = self.score.costs(nodes, self.labels)
        found[:, 1] = self.score.magnitudes(nodes, self.labels)
        return found.ravel()

    def gains(self, rows: Floats, ways: Floats) -> Floats:
        """Return the gain of each way to split the rows, times their weight.

        `ways` has the shape (ways, branches, classes).
        """
        if self.score.gain is not None:
            weight = float(rows.sum())
            has_rows = (ways.sum(axis=2) > 0).all(axis=1)
            return np.array(
                [
                    weight * self.score.gain_of(rows, way) if is_whole else -np.inf
                    for way, is_whole in zip(ways, has_rows.tolist(), strict=True)
                ]
            )
        nodes = np.concatenate([rows[None, :], ways.reshape(-1, len(rows))])
        costs = self.score.costs(nodes, self.labels)
        gains: Floats = costs[0] - costs[1:].reshape(ways.shape[:2]).sum(axis=1)
        worst = int(np.argmin(gains))
        refuse_loss(self.score, rows, ways[worst], self.labels, float(gains[worst]))
        return gains
