"""Find the best threshold of probability for a class, given the costs of wrong decisions.

With two classes, every threshold gives some false positives and false negatives; the cheapest is found by trying all of
them. With more classes, a table of costs assigns each row to the class of least expected cost.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.lazy import cached_property
from branchwork.study.intervals import Estimate
from branchwork.study.report_answers import Floats
from branchwork.study.report_scores import Ranking, Units

RATIOS = (10.0, 5.0, 2.0, 1.0, 1 / 2, 1 / 5, 1 / 10)
"""What a missed row of the class costs, if a false alarm costs 1: the lines of the table."""
NEVER = float(np.nextafter(1.0, 2.0))
"""A threshold that no probability reaches."""


@dataclass(frozen=True)
class Choice:
    """A threshold and what it costs per row, if false alarms and misses cost this much.

    A row is predicted to be of the class if its probability is at least `threshold`; `NEVER` exceeds any probability.
    """

    false_alarm: float
    miss: float
    threshold: float
    cost: float
    own_cost: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Decision:
    """The best way to decide by probabilities. It was chosen on these rows; on other rows it will be slightly worse.

    Parameters
    ----------
    label : the class of the threshold; None if there are more than two classes, so that expected costs decide.
    threshold : the smallest probability for which to predict the class, with its interval.
    own_cost, cost : the cost per row of the model's own decisions and of the best ones.
    saved : the difference.
    others : thresholds for other costs.
    """

    label: Hashable
    threshold: Estimate | None
    own_cost: Estimate
    cost: Estimate
    saved: Estimate
    others: tuple[Choice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        found: dict[str, Any] = {"label": self.label}
        for name in ("threshold", "own_cost", "cost", "saved"):
            one = getattr(self, name)
            found[name] = None if one is None else one.to_dict()
        return found | {"others": [one.to_dict() for one in self.others]}


def cheapest(
    scores: Floats, positive: Floats, negative: Floats, false_alarm: float, miss: float
) -> tuple[float, float]:
    """Return the cheapest threshold and its total cost; ties go to the threshold nearest to one half.

    The threshold is halfway between the two scores that it separates.

    >>> cheapest(np.array([0.2, 0.4, 0.9]), np.array([0.0, 1.0, 1.0]), np.array([2.0, 1.0, 0.0]), 1.0, 1.0)
    (0.65, 1.0)
    >>> cheapest(np.array([0.2, 0.4, 0.9]), np.array([0.0, 1.0, 1.0]), np.array([2.0, 1.0, 0.0]), 1.0, 5.0)
    (0.30000000000000004, 1.0)
    """
    # costs[k]: the k smallest scores are below the threshold
    missed = np.concatenate([[0.0], np.cumsum(positive)])
    alarms = np.concatenate([[0.0], np.cumsum(negative)])
    costs = miss * missed + false_alarm * (alarms[-1] - alarms)
    limits = np.concatenate([[0.0], scores[:-1] / 2 + scores[1:] / 2, [NEVER]])
    least = float(costs.min())
    tied = np.flatnonzero(costs <= least * (1 + 1e-12))
    best = int(tied[np.argmin(np.abs(limits[tied] - 0.5))])
    return float(limits[best]), least


@dataclass(frozen=True, eq=False)
class ThresholdScores:
    """The best threshold between two classes, as a function of how often each row counts."""

    units: Units
    ranked: Ranking
    positive: int
    loss: Floats

    @property
    def costs(self) -> tuple[float, float]:
        """The cost of a false positive and of a false negative."""
        other = 1 - self.positive
        return float(self.loss[other, self.positive]), float(self.loss[self.positive, other])

    def figures(self, counts: Floats) -> Floats:
        """Return the threshold, the cost of the model's own decisions and of the best ones, and the difference."""
        mass = self.units.mass(counts)
        threshold, least = cheapest(self.ranked.scores, *self.ranked.masses(mass), *self.costs)
        total, own = float(mass.sum()), float(mass @ self.loss[self.units.truth, self.units.said])
        return np.array([threshold, own / total, least / total, (own - least) / total])

    def others(self) -> tuple[Choice, ...]:
        """Return the best thresholds for other costs."""
        units = self.units
        mass = units.mass(np.ones(len(units.truth) if units.of_row is None else len(units.of_row)))
        masses, total = self.ranked.masses(mass), float(mass.sum())
        false, missed = units.said == self.positive, units.truth == self.positive
        alarms, misses = float(mass[false & ~missed].sum()), float(mass[missed & ~false].sum())
        found = []
        for ratio in RATIOS:
            threshold, least = cheapest(self.ranked.scores, *masses, 1.0, ratio)
            found.append(Choice(1.0, ratio, threshold, least / total, (alarms + ratio * misses) / total))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class ExpectedCostScores:
    """The class of least expected cost for each row, beside the model's own decision."""

    units: Units
    loss: Floats

    @cached_property
    def _costs(self) -> Floats:
        """The cost of each unit by the model's own decision, and by expected costs."""
        units = self.units
        assert units.shares is not None
        better = np.argmin(units.shares @ self.loss, axis=1)
        return np.array([self.loss[units.truth, said] for said in (units.said, better)])

    def figures(self, counts: Floats) -> Floats:
        """Return the cost of the model's own decisions, that of decisions by expected cost, and the difference."""
        mass = self.units.mass(counts)
        own, best = (self._costs @ mass).tolist()
        total = float(mass.sum())
        return np.array([own / total, best / total, (own - best) / total])


def decision_of(label: Hashable, found: Sequence[Estimate], others: tuple[Choice, ...]) -> Decision:
    """Return the decision that these figures describe: four figures with a threshold, three without."""
    threshold, (own, best, saved) = (found[0] if len(found) == 4 else None), found[-3:]
    return Decision(label, threshold, own, best, saved, others)
