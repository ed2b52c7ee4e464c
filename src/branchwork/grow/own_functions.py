"""A user's own score where the core has no table of it: functions that are asked about arrays of candidates.

Real weights have no table, and neither has a score that is a gain of a whole split. The core grows the tree as always.
It collects the candidates of a column, takes the GIL, and asks about all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwork import _core
from branchwork.grow.own_tables import refuse_loss, refuse_negative
from branchwork.measure.own_score import Floats, Labels, Score
from branchwork.table.target import Classes


def asked(score: Score, target: Classes) -> _core.OwnFunctions:
    """Return the functions of a score as the core asks them."""
    score.need_functions()
    answers = _Answers(score, target.labels)
    return _core.OwnFunctions(answers.costs, answers.gains, len(target.labels))


@dataclass(frozen=True)
class _Answers:
    score: Score
    labels: Labels

    def costs(self, nodes: Floats) -> Floats:
        """Return for each node its impurity times its weight, and the size of the numbers that it is computed from."""
        refuse_negative(self.score, nodes, self.labels)
        found = np.empty((len(nodes), 2))
        found[:, 0] = self.score.costs(nodes, self.labels)
        found[:, 1] = self.score.magnitudes(nodes, self.labels)
        return found.ravel()

    def gains(self, rows: Floats, ways: Floats) -> Floats:
        """Return what each way to part the rows gains, times their weight.

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
