"""Tabulate a user-defined score for every number of rows, and check it before growth begins.

Merging two groups of rows must never lower the impurity times the weight; otherwise a split could have a negative gain.
This cannot be checked for all counts of all classes. It is checked for some that are spread over all sizes of nodes,
and again for the splits of the grown tree.
"""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.measure.own_score import Floats, Labels, Score
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import Tree

MOST_PAIRS = 6
"""The number of pairs of classes whose mixtures are tried if every class has its own term."""
MOST_TABULATED = 2**22
"""Scores are tabulated for whole weights up to this sum; a table takes about 40 bytes per count."""
SLACK = 1e-9
"""A negative gain up to this share of the numbers that it was computed from is a rounding error."""


def has_table(score: Score, target: Classes, most: int | None = None) -> bool:
    """Return whether the score can be tabulated: it is a sum of terms, and all weights are whole numbers.

    `most` is the largest sum of weights; None: that of the target.
    """
    score.need_functions()
    if score.gain is not None or target.weights is None:
        return score.gain is None
    total = target.total_weight if most is None else most
    is_whole = np.floor(target.weights) == target.weights
    return total <= max(MOST_TABULATED, len(target)) and bool(is_whole.all())


def tabulated(score: Score, target: Classes, most: int | None = None) -> _core.OwnTables:
    """Return the tables of a score for every whole count up to the weight of all rows, or up to `most`."""
    score.need_functions()
    rows = int(target.total_weight) if most is None else most
    labels = target.labels
    counts = np.arange(1.0, rows + 1)
    tables = len(labels) if score.term_takes_class else 1
    terms = score.terms(np.repeat(counts[:, None], tables, axis=1), labels)
    offset, scale = score.of_total("offset", counts), score.of_total("scale", counts)
    refuse_losses(score, labels, rows)

    def from_0(numbers: Floats) -> Floats:
        return np.concatenate([[0.0], numbers])

    flat = np.concatenate([from_0(terms[:, k]) for k in range(tables)])
    return _core.OwnTables(from_0(offset), from_0(scale), flat, len(labels), score.combine == "max")


def refuse_losses(score: Score, labels: Labels, rows: int) -> None:
    """Refuse a score by which a split into two groups of rows, among some that are tried, has a negative gain."""
    if len(labels) < 2:
        return
    sizes = np.unique([0, 1, 2, 3, 5, 8, *np.geomspace(8, max(8, rows / 2), 6).astype(int)])
    sizes = sizes[sizes <= max(1, rows // 2)].astype(np.float64)
    pair = np.stack(np.meshgrid(sizes, sizes), axis=-1).reshape(-1, 2)
    pair = pair[(pair.sum(axis=1) > 0) & (pair.sum(axis=1) <= rows / 2)]
    if not len(pair):
        return
    for classes in islice(combinations(range(len(labels)), 2), MOST_PAIRS if score.term_takes_class else 1):
        counts = np.zeros((len(pair), len(labels)))
        counts[:, classes] = pair
        refuse_negative(score, counts, labels)
        a, b = (side.ravel() for side in np.meshgrid(range(len(pair)), range(len(pair))))
        mixed = counts[a] + counts[b]
        apart, size = score.costs(counts, labels), score.magnitudes(counts, labels)
        gain = score.costs(mixed, labels) - apart[a] - apart[b]
        lost = np.flatnonzero(gain < -SLACK * (score.magnitudes(mixed, labels) + size[a] + size[b]))
        if lost.size:
            at = lost[np.argmin(mixed[lost].sum(axis=1))]  # the smallest example is the easiest to read
            refuse_loss(score, mixed[at], counts[[a[at], b[at]]], labels, float(gain[at]))


def refuse_negative(score: Score, counts: Floats, labels: Labels) -> None:
    """Refuse a score that is negative for one of these nodes."""
    cost = score.costs(counts, labels)
    if not (cost < 0).any():
        return
    beyond = cost + SLACK * score.magnitudes(counts, labels)
    at = int(np.argmin(beyond))
    if beyond[at] < 0:
        raise ParameterError(
            f"Score {score.name!r} is negative for a node of {named(counts[at], labels)}: its impurity is "
            f"{cost[at] / counts[at].sum():.6g}. An impurity is 0 or more."
        )


def refuse_loss(score: Score, parent: Floats, branches: Floats, labels: Labels, gain: float) -> None:
    """Refuse a score by which a split has a negative gain. `gain` is for all rows, and may be a rounding error."""
    if gain >= 0:
        return
    nodes = np.concatenate([parent[None, :], branches])
    if gain >= -SLACK * float(score.magnitudes(nodes, labels).sum()):
        return
    before, *after = score.costs(nodes, labels).tolist()
    parts = " and ".join(
        f"{named(one, labels)} ({cost:.6g})" for one, cost in zip(branches, after, strict=True)
    )
    raise ParameterError(
        f"Score {score.name!r} is not concave: a node of {named(parent, labels)} has an impurity times its rows of "
        f"{before:.6g}, and its parts have more than that together: {parts}. By such a score a split may be worse than "
        "none."
    )


def audit(score: Score, tree: Tree, target: Target) -> Tree:
    """Return a tree that was grown by a score; refuse the score if an impurity or the gain of a split is negative."""
    if score.gain is not None or not isinstance(target, Classes):
        return tree
    counts, labels = tree.distribution, target.labels
    assert counts is not None, "a tree of classes"
    refuse_negative(score, counts, labels)
    for node in np.flatnonzero(tree.gain < 0).tolist():
        branches = counts[list(tree.children(node))]
        refuse_loss(score, counts[node], branches, labels, float(tree.gain[node] * tree.weight[node]))
    return tree


def named(counts: Floats, labels: Labels) -> str:
    """Return counts with their labels, as "4 No and 5 Yes"."""
    present = [f"{weight:g} {label}" for label, weight in zip(labels, counts, strict=True) if weight > 0]
    shown = present if len(present) <= 6 else [*present[:5], f"{len(present) - 5} more classes"]
    return " and ".join(", ".join(shown).rsplit(", ", 1))
