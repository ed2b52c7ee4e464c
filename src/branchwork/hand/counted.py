"""Count rows in the nodes of a tree that was not grown from them."""

from __future__ import annotations

import numpy as np

from branchwork.measure.criteria import impurity_of_counts
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.missing import missing_weight
from branchwork.tree.reshape import sum_below
from branchwork.tree.tree import Floats, Ints, Tree


def counted(tree: Tree, table: Table, target: Target | None, *, own_outputs: bool) -> Tree:
    """Return the tree with the number of rows and the classes in each node, and the gain of each split.

    The classes of the rows in a leaf become its probabilities, unless it has its own. The class or the number that a
    leaf predicts stays.
    """
    leaf = apply(tree, table)
    weights = None if target is None else target.weights
    n_rows = sum_below(tree, np.bincount(leaf, minlength=tree.n_nodes).astype(np.float64))
    weight = sum_below(tree, np.bincount(leaf, weights, tree.n_nodes).astype(np.float64))
    tree = tree.replace(
        n_rows=n_rows.astype(np.int64), weight=weight, missing_weight=missing_weight(tree, table, weights)
    )
    if not isinstance(target, Classes):
        if tree.distribution is not None:  # without labels, each leaf has probability 1 for its class
            distribution = sum_below(tree, tree.value * weight[:, None])
            tree = tree.replace(distribution=distribution, value=_shares(tree, distribution))
        elif target is not None:
            tree = tree.replace(**_of_values(tree, leaf, target.values, weights))
        return tree
    n = len(target.labels)
    counts = np.bincount(leaf * n + target.codes, weights, minlength=tree.n_nodes * n).reshape(-1, n)
    distribution = sum_below(tree, counts.astype(np.float64))
    impurity = np.array([impurity_of_counts("entropy", one) for one in distribution])
    tree = tree.replace(distribution=distribution, impurity=impurity, gain=_gain(tree, impurity))
    decision, value = tree.decision.astype(np.int32), _shares(tree, distribution)
    inner = tree.feature >= 0
    if own_outputs:
        value = np.where(inner[:, None], value, tree.value)
    likeliest = value.argmax(axis=1).astype(np.int32)
    answer = np.where(inner, likeliest, decision).astype(np.int32)
    return tree.replace(value=value, answer=None if (answer == likeliest).all() else answer)


def _shares(tree: Tree, distribution: Floats) -> Floats:
    """Return the shares of the classes in each node; a node without rows keeps its own."""
    weight = tree.weight[:, None]
    return np.asarray(np.where(weight > 0, distribution / np.where(weight > 0, weight, 1), tree.value))


def _of_values(tree: Tree, leaf: Ints, values: Floats, weights: Floats | None) -> dict[str, Floats]:
    """Return the mean of inner nodes, the squared error about the mean of every node, and the gain of each split."""
    weights = np.ones(len(values)) if weights is None else weights
    total = np.where(tree.weight > 0, tree.weight, 1)
    sums = sum_below(tree, np.bincount(leaf, weights * values, tree.n_nodes).astype(np.float64))
    mean = np.where(tree.weight > 0, sums / total, tree.value[:, 0])
    squares = np.zeros(tree.n_nodes)
    node = leaf.astype(np.intp)
    while (node >= 0).any():  # from the leaves up, so that every node has its rows once
        np.add.at(squares, node[node >= 0], (weights * (values - mean[node]) ** 2)[node >= 0])
        node = np.where(node >= 0, tree.parent[node], -1)
    impurity = squares / total
    value = np.where(tree.feature >= 0, mean, tree.value[:, 0])[:, None]
    return {"value": value, "impurity": impurity, "gain": _gain(tree, impurity)}


def _gain(tree: Tree, impurity: Floats) -> Floats:
    """Return the gain of each split per row: how much impurity it removes."""
    kept = np.zeros(tree.n_nodes)
    np.add.at(kept, tree.parent[1:], (tree.weight * impurity)[1:])
    total = np.where(tree.weight > 0, tree.weight, 1)
    return np.asarray(np.where(tree.feature >= 0, impurity - kept / total, 0.0))
