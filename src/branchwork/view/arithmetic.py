"""How mixed some rows are, with the arithmetic written out: one formula for each criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from branchwork.measure.impurity import ONE_ROW
from branchwork.tree.ledger import Group
from branchwork.view.formula import (
    Formula,
    brackets,
    count,
    ln,
    log2,
    minus,
    product,
    ratio,
    squared,
    total,
    value,
    words,
)

MOST_TERMS = 12
"""Of a sum that is written out; of more the first ones are."""

NAMES = {
    "entropy": "Entropy",
    "gain_ratio": "Entropy",
    "gini": "Gini",
    "accuracy": "Error",
    "variance": "Var",
    "squared_error": "MSE",
    "poisson": "Deviance",
}
"""What the impurity of each criterion is called on the blackboard."""


def written_out(criterion: str, group: Group) -> list[Formula]:
    """The impurity of rows with their own numbers filled in; more than one formula where that takes two steps.

    >>> tennis = Group(14, 0.9403, counts=(5, 9))
    >>> [formula.text for formula in written_out("entropy", tennis)]
    ['−(5/14)·log2(5/14) − (9/14)·log2(9/14)']
    >>> [formula.text for formula in written_out("squared_error", Group(4, 2.5, mean=3.0))]
    ['(Σ(y − 3)²/4)', '(10/4)']
    """
    return _STEPS[criterion](group) if group.weight > 0 else []


def shares_entropy(weights: Sequence[float], whole: float) -> Formula:
    """−Σ p·log2(p) over shares of a whole, written out.

    >>> shares_entropy([1, 3], 4).text
    '−(1/4)·log2(1/4) − (3/4)·log2(3/4)'
    """
    shares = [ratio(count(weight), count(whole)) for weight in weights if weight > 0]
    return total(first_terms([("−", product(share, log2(share))) for share in shares]))


def weighted_sum(groups: Sequence[Group], whole: float) -> Formula:
    """Σ w/W · impurity over branches, written out."""
    present = [group for group in groups if group.weight > 0]
    return total(
        first_terms(
            [
                ("+", product(ratio(count(group.weight), count(whole)), value(group.impurity)))
                for group in present
            ]
        )
    )


def first_terms(terms: list[tuple[str, Formula]]) -> list[tuple[str, Formula]]:
    """The terms of a sum; of very many the first, and how many more there are."""
    if len(terms) <= MOST_TERMS:
        return terms
    left_off = len(terms) - MOST_TERMS + 1
    return [*terms[: MOST_TERMS - 1], (terms[-1][0], words(f"… {left_off} more terms"))]


def _entropy(group: Group) -> list[Formula]:
    return [shares_entropy(group.counts or (), group.weight)]


def _gini(group: Group) -> list[Formula]:
    squares = [
        ("−", squared(ratio(count(weight), count(group.weight))))
        for weight in group.counts or ()
        if weight > 0
    ]
    return [total(first_terms([("+", value(1)), *squares]))]


def _errors(group: Group) -> list[Formula]:
    largest = max(group.counts or (0,))
    return [ratio(minus(count(group.weight), count(largest)), count(group.weight))]


def _mean_squares(group: Group) -> list[Formula]:
    below = count(group.weight)
    return [ratio(_squares_about(group.mean), below), ratio(value(group.impurity * group.weight), below)]


def _variance(group: Group) -> list[Formula]:
    if group.weight <= ONE_ROW:
        return []
    below = minus(count(group.weight), count(1))
    squares = group.impurity * (group.weight - 1)
    return [ratio(_squares_about(group.mean), below), ratio(value(squares), count(group.weight - 1))]


def _squares_about(mean: float | None) -> Formula:
    m = _signed(mean or 0.0)
    return Formula(
        f"Σ(y − {m.text})²",
        f"\\sum (y - {m.tex})^2",
        f"<mo>∑</mo><msup><mrow><mo>(</mo><mi>y</mi><mo>−</mo>{m.mathml}<mo>)</mo></mrow><mn>2</mn></msup>",
    )


def _deviance(group: Group) -> list[Formula]:
    mean = group.mean or 0.0
    if mean <= 0:
        return []
    of_the_mean = mean * math.log(mean)
    lines = [
        minus(_MEAN_OF_LOGS, product(value(mean), ln(value(mean)))),
        minus(value(group.impurity / 2 + of_the_mean), _signed(of_the_mean)),
    ]
    return [product(value(2), brackets(line)) for line in lines]


_MEAN_OF_LOGS = Formula(
    "mean of y·ln(y)",
    "\\text{mean of }y\\ln(y)",
    "<mtext>mean of </mtext><mi>y</mi><mo>·</mo><mi>ln</mi><mo>(</mo><mi>y</mi><mo>)</mo>",
)


def _signed(x: float) -> Formula:
    """A number after a minus: in brackets if it has one of its own."""
    return brackets(value(x)) if x < 0 else value(x)


_STEPS: dict[str, Callable[[Group], list[Formula]]] = {
    "entropy": _entropy,
    "gain_ratio": _entropy,
    "gini": _gini,
    "accuracy": _errors,
    "variance": _variance,
    "squared_error": _mean_squares,
    "poisson": _deviance,
}
