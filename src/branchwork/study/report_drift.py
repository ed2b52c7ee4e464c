"""Test for drift: do test rows reach the nodes of a tree in the same shares as training rows, and with the same target?

Two tests per node, on numbers of rows:

    reach      the share of rows that come to the node        differs: the features have drifted
    target     classes, or the mean, of the rows in it        differs: the target has drifted, or the tree overfits

At the root every row arrives, and no split was chosen yet, so a difference of the target there is drift. Below it
training rows look purer than others, because the splits were chosen to make them so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.measure.chance import chi_square, holm
from branchwork.model.model import Model
from branchwork.study.report_answers import Answers, Codes, Floats
from branchwork.study.report_baseline import class_rows, weighs_rows

LEAST_EXPECTED = 1.0
"""A chi-square test needs at least this many expected rows in every cell of its table ..."""
USUAL_EXPECTED = 5.0
"""... and this many in four cells of five (Cochran's rule). Otherwise a node is not tested."""


@dataclass(frozen=True)
class NodeDrift:
    """A node, the shares of rows that come to it, and what they hold there.

    Parameters
    ----------
    n_train, n_test : rows that come to the node; a row that is shared among branches counts in parts.
    train_share, test_share : the share of all rows that come to the node.
    train_target, test_target : shares of the classes, or the mean; empty without rows.
    reach_p, target_p : p-values, corrected for the number of tests (Holm); None if there are too few rows, or if
        nothing is known about training.
    """

    node: int
    n_train: float
    n_test: float
    train_share: float
    test_share: float
    train_target: tuple[float, ...]
    test_target: tuple[float, ...]
    reach_p: float | None
    target_p: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Drift:
    """The nodes of a tree, by number; `n_tests` p-values were corrected together."""

    nodes: tuple[NodeDrift, ...]
    n_tests: int
    level: float

    @property
    def drifted(self) -> tuple[NodeDrift, ...]:
        """Nodes that training and test rows reach in different shares, the most significant first."""
        found = [one for one in self.nodes if one.reach_p is not None and one.reach_p < 1 - self.level]
        return tuple(sorted(found, key=lambda one: (one.reach_p or 0.0, one.node)))

    @property
    def changed(self) -> tuple[NodeDrift, ...]:
        """Nodes whose target differs, the most significant first."""
        found = [one for one in self.nodes if one.target_p is not None and one.target_p < 1 - self.level]
        return tuple(sorted(found, key=lambda one: (one.target_p or 0.0, one.node)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"n_tests": self.n_tests, "nodes": [one.to_dict() for one in self.nodes]}


@dataclass(frozen=True, eq=False)
class InNodes:
    """The rows of each node: their number, and their numbers by class, or mean and variance; None if not known."""

    rows: Floats
    classes: Floats | None
    mean: Floats | None
    variance: Floats | None


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Rows and the leaves that they end in; a row that is shared among leaves arrives in parts."""

    leaf: npt.NDArray[np.int32]
    row: Codes
    share: Floats


def arrivals(model: Model, X: Any, n_jobs: int) -> Arrivals:
    """Send rows through a tree."""
    if not model.tree.shares_rows:
        leaf = model.apply(X, n_jobs=n_jobs)
        return Arrivals(leaf, np.arange(len(leaf)), np.ones(len(leaf)))
    found = model.shares(X, n_jobs=n_jobs)
    row = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    return Arrivals(found.leaf, row, found.share)


def drift_of(
    model: Model, answers: Answers, arrived: Arrivals, train: InNodes | None, level: float
) -> Drift | None:
    """Compare test rows with training rows in every node; None if nothing is known about training."""
    before = train or known_of(model, answers)
    if before is None or before.rows[0] < 1:
        return None
    after = in_nodes(model, arrived, answers.truth, len(answers.labels or ()))
    reach = [_reach_test(before.rows, after.rows, node) for node in range(model.tree.n_nodes)]
    target = [_target_test(before, after, node) for node in range(model.tree.n_nodes)]
    corrected = holm([*reach, *target])
    n = model.tree.n_nodes
    lines = [
        NodeDrift(
            node,
            float(before.rows[node]),
            float(after.rows[node]),
            float(before.rows[node] / before.rows[0]),
            float(after.rows[node] / after.rows[0]),
            _held(before, node),
            _held(after, node),
            corrected[node],
            corrected[n + node],
        )
        for node in range(n)
    ]
    return Drift(tuple(lines), sum(p is not None for p in [*reach, *target]), level)


def known_of(model: Model, answers: Answers) -> InNodes | None:
    """Return what the tree itself stores about its training rows."""
    tree = model.tree
    if tree.n_rows[0] == 0:
        return None
    known = None if model.labels is None else class_rows(model)
    if known is None and (model.labels is not None or not weighs_rows(tree, tree.weight)):
        # Parts of rows are only known where a row weighs 1.
        return None if tree.shares_rows else InNodes(tree.n_rows.astype(np.float64), None, None, None)
    if known is None or model.labels is None:
        rows = tree.weight if tree.shares_rows else tree.n_rows.astype(np.float64)
        return InNodes(rows, None, tree.value[:, 0], tree.variance)
    rows = known.sum(axis=1)
    place = {label: k for k, label in enumerate(answers.labels or ())}
    classes = np.zeros((tree.n_nodes, len(place)))
    for k, label in enumerate(model.labels):
        if label in place:
            classes[:, place[label]] = known[:, k]
    return InNodes(rows, classes, None, None)


def of_rows(model: Model, X: Any, truth: Any, classes: int, n_jobs: int) -> InNodes:
    """Return the rows of each node for given training rows; class -1 is a class that no test row has."""
    arrived = arrivals(model, X, n_jobs)
    if not classes or (truth >= 0).all():
        return in_nodes(model, arrived, truth, classes)
    found = in_nodes(model, arrived, np.where(truth < 0, classes, truth), classes + 1)
    assert found.classes is not None
    return replace(found, classes=found.classes[:, :classes])


def in_nodes(model: Model, arrived: Arrivals, truth: Any, classes: int) -> InNodes:
    """Count rows in every node, from the leaves up."""
    n, leaf, share, truth = model.tree.n_nodes, arrived.leaf, arrived.share, truth[arrived.row]
    rows = _upwards(model, _summed(leaf, share, n)[:, None])[:, 0]
    if classes:
        cells = _summed(leaf.astype(np.int64) * classes + truth, share, n * classes)
        return InNodes(rows, _upwards(model, cells.reshape(n, classes)), None, None)
    centre = float(truth.mean())
    sums = [_summed(leaf, share * (truth - centre) ** power, n) for power in (1, 2)]
    first, second = _upwards(model, np.array(sums).T).T
    mean = np.divide(first, rows, out=np.full(n, np.nan), where=rows > 0)
    scatter = np.maximum(second - rows * mean**2, 0.0)
    variance = np.divide(scatter, rows - 1, out=np.full(n, np.nan), where=rows > 1)
    return InNodes(rows, None, mean + centre, variance)


def _summed(place: npt.NDArray[Any], mass: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(place, mass, count), np.float64)


def _upwards(model: Model, found: Floats) -> Floats:
    """Add what the leaves have to all nodes above them, level by level."""
    tree = model.tree
    for depth in range(tree.depth, 0, -1):
        level = np.flatnonzero(tree.depths == depth)
        np.add.at(found, tree.parent[level], found[level])
    return found


def _held(found: InNodes, node: int) -> tuple[float, ...]:
    if found.rows[node] == 0:
        return ()
    if found.classes is not None:
        own = found.classes[node]
        return tuple((own / own.sum()).tolist()) if own.sum() > 0 else ()
    return () if found.mean is None else (float(found.mean[node]),)


def _reach_test(before: Floats, after: Floats, node: int) -> float | None:
    if node == 0:
        return None
    table = np.array([[rows[node], rows[0] - rows[node]] for rows in (before, after)])
    return p_of_counts(table)


def _target_test(before: InNodes, after: InNodes, node: int) -> float | None:
    if before.classes is not None and after.classes is not None:
        return p_of_counts(np.array([before.classes[node], after.classes[node]]))
    if before.mean is None or before.variance is None or after.mean is None or after.variance is None:
        return None
    sides = [(float(s.rows[node]), float(s.mean[node]), float(s.variance[node])) for s in (before, after)]  # type: ignore[index]
    return welch(*sides[0], *sides[1])


def p_of_counts(table: Floats) -> float | None:
    """Return the p-value of a chi-square test of counts; None if they are too few for it."""
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or (table.sum(axis=1) <= 0).any():
        return None
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    if expected.min() < LEAST_EXPECTED or (expected >= USUAL_EXPECTED).mean() < 0.8:
        return None
    return chi_square(table)[1]


def welch(n: float, mean: float, variance: float, m: float, other: float, spread: float) -> float | None:
    """Return the p-value of Welch's t test of two means; None if there are too few rows, or no spread."""
    if n < 2 or m < 2 or not variance + spread > 0:
        return None
    from scipy.special import stdtr

    a, b = variance / n, spread / m
    freedom = (a + b) ** 2 / (a * a / (n - 1) + b * b / (m - 1))
    return float(2 * stdtr(freedom, -abs(mean - other) / math.sqrt(a + b)))
