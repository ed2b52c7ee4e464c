"""Prune by reduced error with cross-validation: every row judges a tree, but never one that it helped to grow.

Reduced-error pruning compares, at each node, the errors of a leaf with those of the subtree, on rows held out. Here no
rows are held out. Instead the rows are dealt into folds, a tree is grown without each fold, and a row is judged by the
tree that was grown without its fold. That tree has other nodes than the one to be pruned, so nodes are matched by
weight: the prediction "if this node were a leaf" is that of the other tree, pruned where its nodes become lighter
than this node.

    tree to prune      100 ── 60 ── 20          weights of the nodes on the path of a row
    tree of the fold    90 ── 70 ── 30 ── 5     (grown on 9/10 of the rows: node weights count 10/9)
    answers from        90    70    30          the deepest node at least as heavy as 90, 54, 18

So a subtree stays only if its finer predictions were better for rows that had no part in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.grow.grow import grow_for_answers
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Recipe
from branchwork.learn.prune_cv import folds_of, parts_of
from branchwork.learn.risk import sample_weights
from branchwork.prune.evidence import Errors
from branchwork.table.levels import merged
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply, passed_through
from branchwork.tree.reshape import sum_below
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int64]

ROUNDING = 1e-9
"""Weights that differ by less than this share count as equal."""


def errors_by_folds(tree: Tree, table: Table, target: Target, recipe: Recipe, *, folds: Any) -> Errors:
    """Return the errors of every node; each row is judged by a tree that was grown without its fold.

    Parameters
    ----------
    tree : grown on these rows by this recipe, and not pruned.
    folds : a number of folds, or the fold of each row.
    """
    of_rows = folds_of(folds, target, "folds")
    if of_rows is None:
        raise ParameterError("folds=None; expected a number of folds from 2, or the fold of each row.")
    if tree.shares_rows:
        raise ParameterError("Folds cannot judge a tree that shares rows among branches.")
    seen, growth = merged(table), recipe.replace(pruning=None)
    drawn = Prepared(seen).draw_all()
    weights = np.ones(len(target)) if target.weights is None else target.weights
    samples = sample_weights(target)
    as_leaf, weight = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    for train, test in parts_of(of_rows):
        other = grow_for_answers(drawn.part(train), target.take(train), growth)
        share = float(samples[train].sum() / samples.sum())
        rows = seen.take(test)
        row, node, answering = matched(tree, apply(tree, table.take(test)), other, apply(other, rows), share)
        loss = _losses(other, answering, target, test[row]) * weights[test[row]]
        as_leaf += np.bincount(node, loss, tree.n_nodes)
        weight += np.bincount(node, weights[test[row]], tree.n_nodes)
    return Errors(as_leaf, sum_below(tree, as_leaf), weight)


def matched(
    tree: Tree, leaf: npt.NDArray[np.int32], other: Tree, other_leaf: npt.NDArray[np.int32], share: float
) -> tuple[Nodes, Nodes, Nodes]:
    """Return, for every row and every node on its path, the node of another tree that stands for it.

    `share` is the weight of the other tree's rows as a share of all. The result is three arrays: row, node, other node.
    """
    starts, nodes = passed_through(tree, leaf)
    other_starts, other_nodes = passed_through(other, other_leaf)
    row = np.repeat(np.arange(len(leaf)), np.diff(starts))
    least = tree.weight[nodes] * share * (1 - ROUNDING)
    at, last = other_starts[:-1][row], other_starts[1:][row] - 1
    while True:  # all pairs go down one level at a time, as long as the next node is heavy enough
        goes_on = at < last
        goes_on[goes_on] = other.weight[other_nodes[at[goes_on] + 1]] >= least[goes_on]
        if not goes_on.any():
            return row, nodes, other_nodes[at]
        at = at + goes_on


def _losses(tree: Tree, nodes: Nodes, target: Target, rows: npt.NDArray[np.intp]) -> Floats:
    if isinstance(target, Classes):
        return np.asarray((tree.decision[nodes] != target.codes[rows]).astype(np.float64))
    return np.asarray((tree.value[nodes, 0] - target.values[rows]) ** 2)
