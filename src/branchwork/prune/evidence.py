"""Compute the evidence for pruning: for each node, its errors as a leaf, and the errors of the leaves below it.

For classes, the error is the weight of the misclassified rows. For numbers, it is the sum of squared differences. A row
that is shared among branches counts in each of them by its share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwork.errors import ParameterError
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply, shares
from branchwork.tree.reshape import Mask, sum_below
from branchwork.tree.tree import Floats, Tree


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors on some rows; each array has one entry per node.

    Parameters
    ----------
    as_leaf : the errors of the node if it were a leaf.
    subtree : the errors of the leaves below it; for a leaf, its own.
    weight : the weight of the rows.
    """

    as_leaf: Floats
    subtree: Floats
    weight: Floats


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Which nodes become leaves, and why: the errors that a method expects of the subtree and of a leaf in its place.

    Parameters
    ----------
    leaves : the nodes that become leaves; the nodes below them are removed.
    subtree, leaf : the two numbers that were compared; NaN if the node was not judged.
    measure : what they are, in words.
    """

    leaves: Mask
    subtree: Floats
    leaf: Floats
    measure: str


def training_errors(tree: Tree) -> Errors:
    """Return the errors on the rows that the tree was grown on."""
    if tree.distribution is not None:
        nodes = np.arange(tree.n_nodes)
        as_leaf = np.maximum(0.0, tree.weight - tree.distribution[nodes, tree.decision])
    else:
        as_leaf = variance_of(tree) * np.maximum(tree.weight - 1, 0)
    return Errors(as_leaf, sum_below(tree, as_leaf), tree.weight)


def variance_of(tree: Tree) -> Floats:
    """Return the variance in every node of a tree for numbers; trees from other libraries may not have it."""
    if tree.variance is None:
        raise ParameterError(
            "The variance in the nodes of this tree is not known, so it cannot be pruned without other rows: "
            "prune('reduced_error', X, y)."
        )
    return tree.variance


def errors_on(tree: Tree, table: Table, target: Target) -> Errors:
    """Return the errors on other rows, coded by the tree's own schema and labels."""
    weights = np.ones(len(target)) if target.weights is None else target.weights
    if isinstance(target, Classes):
        counts = class_weights(tree, table, target)
        nodes = np.arange(tree.n_nodes)
        weight = counts.sum(axis=1)
        as_leaf = weight - counts[nodes, tree.decision]
    else:
        moments = np.stack([weights, weights * target.values, weights * target.values**2])
        weight, total, squares = (sums_by_class(tree, table, None, moment, 1)[:, 0] for moment in moments)
        mean = tree.value[:, 0]
        as_leaf = squares - 2 * mean * total + mean**2 * weight
    as_leaf = np.maximum(as_leaf, 0.0)
    return Errors(as_leaf, sum_below(tree, as_leaf), weight)


def class_weights(tree: Tree, table: Table, target: Classes) -> Floats:
    """Return the weight of each class in every node, for rows that are coded by the tree's own schema and labels."""
    weights = np.ones(len(target)) if target.weights is None else target.weights
    return sums_by_class(tree, table, target.codes, weights, tree.n_outputs)


def sums_by_class(tree: Tree, table: Table, codes: np.ndarray | None, weights: Floats, width: int) -> Floats:
    """Return the weight of each class in every node."""
    if tree.shares_rows:
        found = shares(tree, table)
        rows = np.repeat(np.arange(table.n_rows), np.diff(found.starts))
        leaf, weights = found.leaf, weights[rows] * found.share
        codes = None if codes is None else codes[rows]
    else:
        leaf = apply(tree, table)
    at = leaf.astype(np.int64) * width + (0 if codes is None else codes)
    in_leaves = np.bincount(at, weights, tree.n_nodes * width).astype(np.float64).reshape(-1, width)
    return sum_below(tree, in_leaves)
