"""A rule: if its conditions hold, then this prediction, with statistics of the training rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.rules.condition import Among, Condition
from branchwork.table.schema import Schema
from branchwork.table.table import MISSING, UNSEEN, Table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """The share of a row that is left if its value in this column is missing or an unseen category."""

    feature: int
    missing: float
    unseen: float


@dataclass(frozen=True)
class Rule:
    """One rule.

    Parameters
    ----------
    conditions : all of them must hold. Without conditions, every row matches.
    prediction : the label, or the number.
    value : the full answer: a probability for each label in declared order, or the number.
    weight : the weight of the training rows that match.
    coverage : their share of all training rows.
    distribution : the weight of each label among them; None for a numeric target.
    confidence : the share of the predicted label among them; None for a numeric target, or if no row matches.
    lift : the confidence divided by the label's share of all rows.
    variance : that of a numeric target (n − 1); None for labels, or if it is not known.
    estimate : the expected accuracy on new rows, if a method estimated it.
    shares : if a tree shares rows by weight, the share of a row with missing values, column by column.
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    value: tuple[float, ...]
    weight: float
    coverage: float
    distribution: tuple[float, ...] | None = None
    confidence: float | None = None
    lift: float | None = None
    variance: float | None = None
    estimate: float | None = None
    shares: tuple[Share, ...] = ()

    def replace(self, **changes: Any) -> Rule:
        """Return a rule with some parts replaced."""
        return replace(self, **changes)

    def matching(self, table: Table, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return those of some rows of a coded table that match."""
        for condition in self.conditions:
            if not rows.size:
                break
            rows = rows[condition.holds(table, rows)]
        return rows

    def share_of(self, table: Table, rows: npt.NDArray[np.intp]) -> Floats:
        """Return the share of each matching row that this rule answers for: all of it, unless a tree shares rows."""
        part = np.ones(len(rows))
        for share in self.shares:
            cells = table.arrays[share.feature][rows]
            if table.schema[share.feature].is_nominal:
                part[cells == MISSING] *= share.missing
                part[cells == UNSEEN] *= share.unseen
            else:
                part[np.isnan(cells)] *= share.missing
        return part

    def describe(self, schema: Schema, *, missing: bool = False, full: bool = False) -> str:
        """Return the conditions in words; `missing` says which a missing value passes, `full` names all categories."""
        return all_of(one.describe(schema, missing=missing, full=full) for one in shown(self.conditions))

    def to_dict(self, schema: Schema, labels: tuple[Any, ...] | None) -> dict[str, Any]:
        """Return the rule as plain data."""
        described: dict[str, Any] = {
            "conditions": [condition.to_dict(schema) for condition in self.conditions],
            "prediction": self.prediction,
            "weight": self.weight,
            "coverage": self.coverage,
        }
        if self.distribution is not None and labels is not None:
            described["distribution"] = dict(zip(labels, self.distribution, strict=True))
            described |= {"confidence": self.confidence, "lift": self.lift}
        else:
            described |= {"mean": self.value[0], "variance": self.variance}
        if self.estimate is not None:
            described["estimate"] = self.estimate
        return described


def shown(conditions: Sequence[Condition]) -> Iterator[Condition]:
    """Return conditions as they are shown: after an earlier one on the same column, with categories that pass both."""
    earlier: dict[int, Among] = {}
    for condition in conditions:
        if isinstance(condition, Among):
            before = earlier.get(condition.feature)
            narrowed = condition if before is None else condition.after(before)
            earlier[condition.feature] = narrowed
            yield narrowed
        else:
            yield condition


def all_of(conditions: Iterable[str]) -> str:
    """Return conditions in words, joined by "and"."""
    return " and ".join(conditions) or "always"


def rule_for_class(
    conditions: tuple[Condition, ...],
    code: int,
    labels: tuple[Any, ...],
    counts: Sequence[float],
    prior: Sequence[float],
    *,
    value: Sequence[float],
    weight: float | None = None,
    estimate: float | None = None,
    shares: tuple[Share, ...] = (),
) -> Rule:
    """Return a rule for a class, with its coverage, confidence and lift.

    `counts` and `prior` are the weights of each label among the rows that match and among all rows.
    """
    weight, total = sum(counts) if weight is None else weight, sum(prior)
    confidence = counts[code] / weight if weight > 0 else None
    lift = confidence / (prior[code] / total) if confidence is not None and prior[code] > 0 else None
    return Rule(
        conditions,
        labels[code],
        tuple(map(float, value)),
        float(weight),
        float(weight / total),
        distribution=tuple(map(float, counts)),
        confidence=confidence,
        lift=lift,
        estimate=estimate,
        shares=shares,
    )
