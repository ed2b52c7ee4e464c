"""Combine what neighbours predict: shares of votes, or a mean.

weights="uniform": every neighbour counts the same. weights="distance": a neighbour at distance d counts 1/d**power, and
if some are at distance 0, only they count. Only ratios matter, so d is measured in units of the nearest distance, and
nothing can overflow.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from branchwork.neighbours.distance import Floats, Positions
from branchwork.neighbours.nearest import Found
from branchwork.table.target import Classes, Target

Weights = Literal["uniform", "distance"]


def strengths(found: Found, weights: Weights, power: float) -> Floats:
    """Return how much each neighbour counts, apart from its share of k."""
    if weights == "uniform":
        return np.ones(len(found.rows))
    nearest = np.repeat(found.distances[found.starts[:-1]], np.diff(found.starts))
    exact = nearest == 0
    ratio = np.divide(nearest, found.distances, out=np.zeros(len(nearest)), where=~exact)
    return np.where(exact, found.distances == 0, ratio**power)


def width(target: Target) -> int:
    """Return how many sums are kept for each query."""
    return len(target.labels) if isinstance(target, Classes) else 2


def sums(target: Target, queries: Positions, rows: Positions, amounts: Floats, n_queries: int) -> Floats:
    """Return the sums over the neighbours of each query: the amount per label, or the amount and the amount times y."""
    if isinstance(target, Classes):
        n = len(target.labels)
        flat = np.bincount(queries * n + target.codes[rows], amounts, minlength=n_queries * n)
        return flat.reshape(n_queries, n).astype(np.float64, copy=False)
    total = np.bincount(queries, amounts, minlength=n_queries)
    moment = np.bincount(queries, amounts * target.values[rows], minlength=n_queries)
    return np.column_stack((total, moment))


def answers(target: Target, summed: Floats) -> Floats:
    """Return the probability of each label, or the number, for each query."""
    if isinstance(target, Classes):
        return np.asarray(summed / summed.sum(axis=1, keepdims=True))
    return np.asarray(summed[:, 1:] / summed[:, :1])
