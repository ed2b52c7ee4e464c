"""The lecture's arithmetic: how the impurity of some rows is computed, step by step, with their numbers filled in.

The functions say what is written, not how: the pieces of formulas come from whoever writes them (view/formula.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

from branchwork.measure.impurity import ONE_ROW
from branchwork.measure.own_score import Labels, Score

F = TypeVar("F")


class Group(Protocol):
    """Some rows: their weight, how mixed they are, and the weight of each class or, of numbers, the mean."""

    @property
    def weight(self) -> float:
        """Their weight."""

    @property
    def impurity(self) -> float:
        """How mixed they are."""

    @property
    def counts(self) -> tuple[float, ...] | None:
        """The weight of each class; None for numbers."""

    @property
    def mean(self) -> float | None:
        """Of numbers, their mean; None for classes."""


class Chalk(Protocol[F]):
    """Pieces of formulas: numbers, counts of rows, and what can be made of them."""

    def value(self, x: float, /) -> F:
        """Write a number."""

    def count(self, x: float, /) -> F:
        """Write a number of rows."""

    def ratio(self, above: F, below: F, /) -> F:
        """Write a fraction."""

    def product(self, *factors: F) -> F:
        """Factors side by side."""

    def squared(self, inner: F, /) -> F:
        """Times itself."""

    def brackets(self, inner: F, /) -> F:
        """Put something in brackets."""

    def ln(self, inner: F, /) -> F:
        """Write the natural logarithm."""

    def minus(self, a: F, b: F, /) -> F:
        """Write a difference."""

    def total(self, terms: Sequence[tuple[str, F]], /) -> F:
        """Terms, each with + or − before it."""

    def first_terms(self, terms: list[tuple[str, F]], /) -> list[tuple[str, F]]:
        """Write the terms of a sum; of very many only the first."""

    def shares_entropy(self, weights: Sequence[float], whole: float, /) -> F:
        """−Σ p·log2(p) over shares of a whole."""

    def largest(self, terms: Sequence[F], /) -> F:
        """Write the largest of some numbers."""

    def squares_about(self, mean: F, /) -> F:
        """Write the sum of squared deviations from a mean."""

    def mean_of_logs(self) -> F:
        """Write the mean of y·ln(y)."""


def entropy(chalk: Chalk[F], group: Group) -> list[F]:
    """−Σ p·log2(p)."""
    return [chalk.shares_entropy(group.counts or (), group.weight)]


def gini(chalk: Chalk[F], group: Group) -> list[F]:
    """1 − Σ p²."""
    squares = [
        ("−", chalk.squared(chalk.ratio(chalk.count(weight), chalk.count(group.weight))))
        for weight in group.counts or ()
        if weight > 0
    ]
    return [chalk.total(chalk.first_terms([("+", chalk.value(1)), *squares]))]


def error_rate(chalk: Chalk[F], group: Group) -> list[F]:
    """(n − largest) / n."""
    largest, whole = max(group.counts or (0,)), chalk.count(group.weight)
    return [chalk.ratio(chalk.minus(whole, chalk.count(largest)), whole)]


def mean_squares(chalk: Chalk[F], group: Group) -> list[F]:
    """Σ(y − mean)² / n."""
    below = chalk.count(group.weight)
    squares = chalk.value(group.impurity * group.weight)
    return [chalk.ratio(_about_mean(chalk, group), below), chalk.ratio(squares, below)]


def variance(chalk: Chalk[F], group: Group) -> list[F]:
    """Σ(y − mean)² / (n − 1)."""
    if group.weight <= ONE_ROW:
        return []
    below = chalk.minus(chalk.count(group.weight), chalk.count(1))
    squares = group.impurity * (group.weight - 1)
    return [
        chalk.ratio(_about_mean(chalk, group), below),
        chalk.ratio(chalk.value(squares), chalk.count(group.weight - 1)),
    ]


def deviance(chalk: Chalk[F], group: Group) -> list[F]:
    """2·(mean of y·ln(y) − mean·ln(mean))."""
    mean = group.mean or 0.0
    if mean <= 0:
        return []
    of_the_mean = mean * math.log(mean)
    lines = [
        chalk.minus(chalk.mean_of_logs(), chalk.product(chalk.value(mean), chalk.ln(chalk.value(mean)))),
        chalk.minus(chalk.value(group.impurity / 2 + of_the_mean), _signed(chalk, of_the_mean)),
    ]
    return [chalk.product(chalk.value(2), chalk.brackets(line)) for line in lines]


def own(chalk: Chalk[F], group: Group, score: Score, labels: Labels) -> list[F]:
    """(offset + scale·(sum or maximum of terms)) / n, of a score whose terms are known."""
    if score.term is None or group.counts is None:
        return []
    counts, n = np.array([group.counts], np.float64), np.array([group.weight])
    terms = score.terms(counts, labels)[0]
    shown = [float(term) for term, weight in zip(terms, group.counts, strict=True) if weight > 0]
    if score.combine == "max":
        if len(shown) < len(terms):
            shown.append(0.0)  # the term of every class without rows
        merged = chalk.largest([chalk.value(term) for term in shown])
    else:
        merged = chalk.total(
            chalk.first_terms([("−" if term < 0 else "+", chalk.value(abs(term))) for term in shown])
        )
        merged = chalk.brackets(merged)
    offset, scale = float(score.of_total("offset", n)[0]), float(score.of_total("scale", n)[0])
    if abs(scale) != 1:
        merged = chalk.product(chalk.value(abs(scale)), merged)
    before = [("+", chalk.value(offset))] if offset else []
    above = chalk.total([*before, ("−" if scale < 0 else "+", merged)])
    return [chalk.ratio(above, chalk.count(group.weight))]


def _about_mean(chalk: Chalk[F], group: Group) -> F:
    return chalk.squares_about(_signed(chalk, group.mean or 0.0))


def _signed(chalk: Chalk[F], x: float) -> F:
    """Write a number after a sign: in brackets if it has a sign of its own."""
    return chalk.brackets(chalk.value(x)) if x < 0 else chalk.value(x)
