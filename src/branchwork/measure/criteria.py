"""The criteria: one table that says of each score its name, its unit, its task, its impurity and its arithmetic.

Everything that needs to know something about a criterion asks `criterion_of`, which refuses a name that is not in the
table. A user's own score (own_score.py) gets a row of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from branchwork.errors import ParameterError, did_you_mean, shown
from branchwork.measure import blackboard, impurity
from branchwork.measure.blackboard import Chalk, Group
from branchwork.measure.own_score import Floats, Labels, Score

Task = Literal["classes", "numbers"]
ClassCriterion = Literal["gini", "entropy", "accuracy", "gain_ratio"]
ValueCriterion = Literal["squared_error", "variance", "poisson"]
LectureClassCriterion = Literal["entropy", "gini", "accuracy"]
"""What the lecture's trees take, instead of every one."""
LectureValueCriterion = Literal["variance", "squared_error"]
CriterionName = ClassCriterion | ValueCriterion
CriterionOrScore = ClassCriterion | ValueCriterion | Score


@dataclass(frozen=True)
class Criterion:
    """One score.

    Parameters
    ----------
    unit : what impurity and gain are measured in.
    symbol : what its impurity is called on the blackboard.
    task : what it is for.
    impurity : of a node: a function of the weights of its classes, or of its numbers and their weights.
    steps : the lecture's arithmetic for a node, with its numbers filled in.
    in_bits : is impurity an entropy in bits, so that gain over split information is a number without a unit?
    by_ratio : does gain over split information decide, not gain?
    of_counts : is it for numbers that are counts of events?
    of_sample : does it divide by n − 1?
    can_be_computed : is its impurity known? Not where a model file or another library tells no more than a name.
    impurities : of many nodes of classes at once, each with rows; None: they are computed one by one.
    """

    name: str
    unit: str
    symbol: str
    task: Task
    impurity: Callable[..., float]
    steps: Callable[[Chalk[Any], Group], list[Any]]
    in_bits: bool = False
    by_ratio: bool = False
    of_counts: bool = False
    of_sample: bool = False
    can_be_computed: bool = True
    impurities: Callable[[Floats], Floats] | None = None


CRITERIA: dict[str, Criterion] = {
    row.name: row
    for row in (
        Criterion(
            "gini",
            "Gini index",
            "Gini",
            "classes",
            impurity.gini,
            blackboard.gini,
            impurities=impurity.ginis,
        ),
        Criterion(
            "entropy",
            "entropy (bits)",
            "Entropy",
            "classes",
            impurity.entropy,
            blackboard.entropy,
            in_bits=True,
            impurities=impurity.entropies,
        ),
        Criterion(
            "accuracy",
            "error rate",
            "Error",
            "classes",
            impurity.error_rate,
            blackboard.error_rate,
            impurities=impurity.error_rates,
        ),
        Criterion(
            "gain_ratio",
            "entropy (bits)",
            "Entropy",
            "classes",
            impurity.entropy,
            blackboard.entropy,
            in_bits=True,
            by_ratio=True,
            impurities=impurity.entropies,
        ),
        Criterion(
            "squared_error",
            "mean squared error",
            "MSE",
            "numbers",
            impurity.mean_squares,
            blackboard.mean_squares,
        ),
        Criterion(
            "variance",
            "variance (n − 1)",
            "Var",
            "numbers",
            impurity.variance,
            blackboard.variance,
            of_sample=True,
        ),
        Criterion(
            "poisson",
            "Poisson deviance",
            "Deviance",
            "numbers",
            impurity.deviance,
            blackboard.deviance,
            of_counts=True,
        ),
    )
}
"""Every criterion of the library, by its name."""

assert CRITERIA.keys() == {*get_args(ClassCriterion), *get_args(ValueCriterion)}


def criterion_of(criterion: object, labels: Labels = (), task: Task | None = None) -> Criterion:
    """Return the row of a criterion, which may be a name or a user's own score; one that is not known is refused.

    Parameters
    ----------
    labels : of the classes that are counted; only a score with a term for each class asks for them.
    task : what the criterion must be for; None: either.

    >>> criterion_of("entropy").unit, criterion_of("poisson").task
    ('entropy (bits)', 'numbers')
    """
    if isinstance(criterion, Score) and task != "numbers":
        return _own(criterion, labels)
    found = CRITERIA.get(criterion) if isinstance(criterion, str) else None
    if found is not None and task in (None, found.task):
        return found
    known = [row.name for row in CRITERIA.values() if task in (None, row.task)]
    hint = did_you_mean(criterion, known) if isinstance(criterion, str) else ""
    raise ParameterError(
        f"criterion={shown(criterion)} is not known here.{hint} Expected one of {', '.join(map(repr, known))}."
    )


def impurity_of_counts(criterion: object, counts: Floats, labels: Labels = ()) -> float:
    """Return the impurity of rows of classes, from the weight of each class.

    >>> impurity_of_counts("gini", np.array([1.0, 1.0])), impurity_of_counts("accuracy", np.array([3.0, 1.0]))
    (0.5, 0.25)
    """
    found = criterion_of(criterion, labels, "classes")
    return found.impurity(counts) if float(counts.sum()) > 0 else 0.0


def impurities_of_counts(criterion: object, counts: Floats, labels: Labels = ()) -> Floats:
    """Return the impurity of many nodes of classes; each row of the counts is a node.

    >>> impurities_of_counts("gini", np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 0.0]])).tolist()
    [0.5, 0.0, 0.0]
    """
    row = criterion_of(criterion, labels, "classes")
    found, has_rows = np.zeros(len(counts)), counts.sum(axis=1) > 0
    if row.impurities is not None:
        found[has_rows] = np.maximum(row.impurities(counts[has_rows]), 0.0)
    else:
        found[has_rows] = [row.impurity(one) for one in counts[has_rows]]
    return found


def impurity_of_values(criterion: object, values: Floats, weights: Floats) -> float:
    """Return the impurity of rows of numbers.

    >>> [impurity_of_values(name, np.array([1.0, 3.0]), np.ones(2)) for name in ("squared_error", "variance")]
    [1.0, 2.0]
    """
    found = criterion_of(criterion, task="numbers")
    return found.impurity(values, weights) if float(weights.sum()) > 0 else 0.0


def foreign_criterion(name: str) -> Criterion:
    """Return the row of another library's criterion; of one that is not ours nothing is known but its name."""

    def nobody_knows(*_: Floats) -> float:
        raise ParameterError(f"criterion={name!r} is another library's, and cannot be computed here.")

    def nothing(_: Chalk[Any], __: Group) -> list[Any]:
        return []

    unknown = Criterion(name, name, name, "numbers", nobody_knows, nothing, can_be_computed=False)
    return CRITERIA.get(name, unknown)


def _own(score: Score, labels: Labels) -> Criterion:
    def steps(chalk: Chalk[Any], group: Group) -> list[Any]:
        return blackboard.own(chalk, group, score, labels)

    def of(counts: Floats) -> float:
        return score.impurity(np.asarray(counts, np.float64), labels)

    def of_many(counts: Floats) -> Floats:
        return np.asarray(score.costs(counts, labels) / counts.sum(axis=1))

    unit, known = score.unit or score.name, not score.is_remembered
    return Criterion(
        score.name, unit, score.name, "classes", of, steps, can_be_computed=known, impurities=of_many
    )
