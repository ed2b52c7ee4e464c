"""C4.5's pruning: a subtree gives way to a leaf, or to its own largest branch, if no more errors are expected of that.

Errors are expected by an upper limit (measure/bounds.py). A leaf can be judged by the tree alone. To raise a branch the
rows are needed again, because it takes up all rows of its parent.
"""

from __future__ import annotations

import numpy as np

from branchwork.measure.bounds import ErrorBound
from branchwork.measure.criteria import impurity_of_counts
from branchwork.prune.bottom_up import prune_bottom_up
from branchwork.prune.evidence import Verdicts, class_weights, training_errors
from branchwork.table.table import Table
from branchwork.table.target import Classes
from branchwork.tree.missing import is_missing, missing_weight
from branchwork.tree.outputs import Smoothing, with_distribution
from branchwork.tree.reshape import Mask, take, under
from branchwork.tree.tree import Floats, Tree

DOUBT = 0.1
"""A leaf may be expected to make so much of an error more."""
ROUNDING = 1e-9
"""Weights of classes that differ by less than this share of the node's weight are the same, added up otherwise."""
MEASURE = "errors to expect"


def by_tree(tree: Tree, bound: ErrorBound) -> Verdicts:
    """Leaves only, by what the tree says of its nodes."""
    errors, weight = training_errors(tree).as_leaf, tree.weight
    expected = np.array(
        [e + bound.extra(e, n) for e, n in zip(errors.tolist(), weight.tolist(), strict=True)]
    )
    return prune_bottom_up(tree, expected, MEASURE, slack=DOUBT)


def by_rows(
    tree: Tree,
    table: Table,
    target: Classes,
    bound: ErrorBound,
    *,
    raising: bool = True,
    criterion: object,
    smoothing: Smoothing = None,
) -> tuple[Tree, Verdicts]:
    """Leaves and raised branches, by the rows that the tree was grown on.

    A node that takes up other rows loses its page of the ledger, which is about the rows that it had before.
    """
    answer = tree.decision.astype(np.int32)
    pruned = tree.walker.prune_by_error(table.core, target.core, answer, bound.core, raising)
    origin = pruned.origin
    distribution = pruned.stats.reshape(len(origin), -1)
    smaller = take(tree, origin, pruned.leaf.astype(bool)).replace(
        weight=pruned.weight, n_rows=pruned.n_rows, answer=pruned.answer
    )
    before = smaller.distribution
    assert before is not None, "a tree of classes"
    changed = smaller.impurity.copy()
    for node in np.flatnonzero((distribution != before).any(axis=1)).tolist():
        changed[node] = impurity_of_counts(criterion, distribution[node], target.labels)
    raised: Mask = np.asarray(
        (np.abs(distribution - before) > ROUNDING * smaller.weight[:, None]).any(axis=1)
    )
    smaller = with_distribution(smaller.replace(impurity=changed), distribution, smoothing)
    smaller = smaller.replace(
        missing_weight=missing_weight(smaller, table, target.weights),
        gain=gain_where(raised, smaller, table, target, criterion),
        # The working of a node is about the rows it had when it was split.
        ledger=None if tree.ledger is None else tree.ledger.take(np.where(raised, -1, origin)),
    )
    gone = np.ones(tree.n_nodes, bool)
    gone[origin[smaller.feature >= 0]] = False
    leaves = gone & (tree.feature >= 0)
    return smaller, Verdicts(leaves & ~under(tree, leaves), pruned.of_subtree, pruned.of_leaf, MEASURE)


def gain_where(raised: Mask, tree: Tree, table: Table, target: Classes, criterion: object) -> Floats:
    """The gain of each split; of those that have other rows than when they were chosen, on the rows they have now.

    Where rows are shared, only those count that know the tested cell, as in C4.5. The penalty for a choice among many
    cuts is left out: this cut was not chosen here.
    """
    gain = tree.gain.copy()
    for feature in np.unique(tree.feature[raised & (tree.feature >= 0)]).tolist():
        known = np.ones(table.n_rows, bool) if not tree.shares_rows else ~is_missing(table, feature)
        rows = np.flatnonzero(known)
        counts = class_weights(tree, table.take(rows), target.take(rows))
        for node in np.flatnonzero(raised & (tree.feature == feature)).tolist():
            weighted, *below = (
                float(counts[k].sum()) * impurity_of_counts(criterion, counts[k], target.labels)
                for k in (node, *tree.children(node))
            )
            gain[node] = (weighted - sum(below)) / tree.weight[node]
    return gain
