"""Choose k and the weights of features by leave-one-out: every training row is predicted by the others.

A row of weight w counts as w copies, of which one is left out.

One search for the largest k serves all smaller ones: neighbours are sorted, so going from k to k + 2 adds two of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from branchwork.errors import ParameterError
from branchwork.neighbours.distance import Floats, Metric, Positions
from branchwork.neighbours.nearest import Found, blocks, nearest
from branchwork.neighbours.votes import Weights, answers, strengths, sums, width
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.outputs import likeliest

STRETCHES = (0.0, 0.5, 1.0, 2.0)
"""The weights that are tried for each feature."""
MOST_PASSES = 10
"""The search over features ends when a pass changes nothing, or after this many passes."""
TIE = 1e-12
"""To win, an error must be lower by more than this share."""


@dataclass(frozen=True)
class Chosen:
    """The result of leave-one-out.

    Parameters
    ----------
    k : number of neighbours.
    feature_weights : one per feature.
    errors : the error for each k that was tried with these weights: the error rate, or the mean squared error.
    """

    k: int
    feature_weights: tuple[float, ...]
    errors: dict[int, float]

    @property
    def error(self) -> float:
        """The error of the chosen k."""
        return self.errors[self.k]


@dataclass(frozen=True)
class Task:
    """What is learned, with all settings except those that are chosen."""

    table: Table
    target: Target
    weights: Floats
    metric: Metric
    votes: Weights
    power: float
    n_jobs: int
    tick: Callable[[int], None]  # is called with the number of rows predicted since the last call


def choose_k(task: Task, ks: tuple[int, ...], feature_weights: tuple[float, ...]) -> Chosen:
    """Return the k with the lowest leave-one-out error; ties go to the smallest."""
    errors = _errors(task, ks, feature_weights)
    best = ks[0]
    for k in ks[1:]:
        if _is_lower(errors[k], errors[best]):
            best = k
    return Chosen(best, feature_weights, errors)


def choose_weights(task: Task, ks: tuple[int, ...], start: tuple[float, ...]) -> Chosen:
    """Try the weights 0, ½, 1 and 2 for one feature after the other, and keep what lowers the error.

    A pass goes over all features in order; passes end when one of them changes nothing.
    """
    best = choose_k(task, ks, start)
    for _ in range(MOST_PASSES):
        before = best
        for j in range(len(start)):
            for stretch in STRETCHES:
                tried = (*best.feature_weights[:j], stretch, *best.feature_weights[j + 1 :])
                if tried == best.feature_weights or not any(tried):
                    continue
                found = choose_k(task, ks, tried)
                if _is_lower(found.error, best.error):
                    best = found
        if best is before:
            break
    return best


def rows_of_two_passes(n_rows: int, n_features: int) -> int:
    """Return how many rows two passes over the features predict, the usual number of passes, for the progress bar."""
    return n_rows * (1 + 2 * n_features * (len(STRETCHES) - 1))


def ks_to_try(weights: Floats) -> tuple[int, ...]:
    """Return the odd numbers up to √n; n is the weight of all rows."""
    total = float(weights.sum())
    if total < 2:
        raise ParameterError(
            f'k="cv" leaves one row out and needs at least two; there is {total:g} (n_samples = {len(weights)}).'
        )
    return tuple(range(1, int(total**0.5) + 1, 2))


def _is_lower(error: float, than: float) -> bool:
    return error < than - TIE * abs(than)


def _errors(task: Task, ks: tuple[int, ...], feature_weights: tuple[float, ...]) -> dict[int, float]:
    """Return the leave-one-out error for each k."""
    known = nearest(task.table, task.weights, task.metric, feature_weights)
    rows = np.flatnonzero(task.weights > 0)
    wrong = np.zeros(len(ks))
    for block in blocks(len(rows), known.rows_for(ks[-1])):
        own = rows[block]
        found = known.find(known.cells.take(own), ks[-1], own=own, n_jobs=task.n_jobs)
        for at, outputs in enumerate(_outputs_by_k(task, found, ks)):
            wrong[at] += float((task.weights[own] * _losses(task.target, own, outputs)).sum())
        task.tick(len(own))
    return dict(zip(ks, (wrong / task.weights.sum()).tolist(), strict=True))


def _outputs_by_k(task: Task, found: Found, ks: tuple[int, ...]) -> list[Floats]:
    """Return the predictions for each k, from sums that grow with k."""
    strength, queries, weight = strengths(found, task.votes, task.power), found.queries, found.weights
    order = np.argsort(found.before, kind="stable")
    before = found.before[order]
    heaviest = float(weight.max())
    total = np.zeros((len(found), width(task.target)))
    outputs, last = [], 0
    for k in ks:
        # Only rows with before < k and before + weight > last count more than they did for the last k.
        begin = np.searchsorted(before, last - heaviest, side="left")
        some = order[begin : np.searchsorted(before, k, side="left")]
        room = found.before[some]
        more = np.clip(k - room, 0.0, weight[some]) - np.clip(last - room, 0.0, weight[some])
        total = total + sums(task.target, queries[some], found.rows[some], more * strength[some], len(found))
        outputs.append(answers(task.target, total))
        last = k
    return outputs


def _losses(target: Target, rows: Positions, outputs: Floats) -> Floats:
    """Return 1 where the class is wrong, or the squared error."""
    if isinstance(target, Classes):
        return np.asarray(likeliest(outputs) != target.codes[rows], np.float64)
    return np.asarray((outputs[:, 0] - target.values[rows]) ** 2)
