"""Prune as C4.5 does: replace a subtree by a leaf, or by its own largest branch, if no more errors are expected.

The expected errors are an upper confidence limit (measure/bounds.py). The tree alone is enough to judge a leaf.
Raising a branch needs the rows again, because the branch takes over all rows of its parent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from branchwork.measure.bounds import ErrorBound
from branchwork.measure.criteria import impurities_of_counts
from branchwork.prune.bottom_up import prune_bottom_up
from branchwork.prune.evidence import Verdicts, class_weights, training_errors
from branchwork.table.table import Table
from branchwork.table.target import Classes
from branchwork.tree.missing import is_missing, missing_weight
from branchwork.tree.outputs import Smoothing, with_distribution
from branchwork.tree.reshape import Mask, take, under
from branchwork.tree.tree import Floats, Tree

DOUBT = 0.1
"""A leaf may be expected to make this much of an error more than the subtree."""
ROUNDING = 1e-9
"""Class weights that differ by less than this share of the node's weight differ by rounding errors only."""
MEASURE = "errors to expect"


def by_tree(tree: Tree, bound: ErrorBound) -> Verdicts:
    """Replace subtrees by leaves, from the counts that the tree has."""
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
) -> tuple[Tree, Callable[[], Verdicts]]:
    """Replace subtrees by leaves or raise branches, from the rows that the tree was grown on.

    The second result returns the verdicts, which a fit does not ask for.

    A node that gets other rows loses its page of the ledger, which is about the rows that it had before.
    """
    answer = tree.decision.astype(np.int32)
    pruned = tree.walker.prune_by_error(table.core, target.core, answer, bound.core, raising)
    origin = pruned.origin
    distribution = pruned.stats.reshape(len(origin), -1)
    without_ledger = tree.replace(ledger=None)  # it is taken below, when it is known which pages are kept
    smaller = take(without_ledger, origin, pruned.leaf.astype(bool)).replace(
        weight=pruned.weight, n_rows=pruned.n_rows, answer=pruned.answer
    )
    before = smaller.distribution
    assert before is not None, "a tree of classes"
    changed = smaller.impurity.copy()
    differs = (distribution != before).any(axis=1)
    changed[differs] = impurities_of_counts(criterion, distribution[differs], target.labels)
    raised: Mask = np.asarray(
        (np.abs(distribution - before) > ROUNDING * smaller.weight[:, None]).any(axis=1)
    )
    smaller = with_distribution(smaller.replace(impurity=changed), distribution, smoothing)
    smaller = smaller.replace(
        missing_weight=missing_weight(smaller, table, target.weights),
        gain=gain_where(raised, smaller, table, target, criterion),
        # The page of a node is about the rows that it had when it was split.
        ledger=None if tree.ledger is None else tree.ledger.take(np.where(raised, -1, origin)),
    )

    def verdicts() -> Verdicts:
        gone = np.ones(tree.n_nodes, bool)
        gone[origin[smaller.feature >= 0]] = False
        leaves = gone & (tree.feature >= 0)
        return Verdicts(leaves & ~under(tree, leaves), pruned.of_subtree, pruned.of_leaf, MEASURE)

    return smaller, verdicts


def gain_where(raised: Mask, tree: Tree, table: Table, target: Classes, criterion: object) -> Floats:
    """Return the gain of each split; for splits whose rows have changed, computed from their present rows.

    If rows are shared, only rows whose tested cell is known count, as in C4.5. The penalty for choosing among many
    cuts is left out, because this cut was not chosen here.
    """
    gain = tree.gain.copy()
    split = raised & (tree.feature >= 0)
    if not split.any():
        return gain
    if not tree.shares_rows:
        assert tree.distribution is not None, "a tree of classes"
        gain[split] = _gains(tree, np.flatnonzero(split), tree.distribution, target, criterion)
        return gain
    for feature in np.unique(tree.feature[split]).tolist():
        rows = np.flatnonzero(~is_missing(table, feature))
        counts = class_weights(tree, table.take(rows), target.take(rows))
        nodes = np.flatnonzero(split & (tree.feature == feature))
        gain[nodes] = _gains(tree, nodes, counts, target, criterion)
    return gain


def _gains(
    tree: Tree, nodes: npt.NDArray[np.intp], counts: Floats, target: Classes, criterion: object
) -> Floats:
    """Return what the splits of some nodes gain per row, from the class weights of all nodes."""
    cost = counts.sum(axis=1) * impurities_of_counts(criterion, counts, target.labels)
    first = tree.first_child[nodes]
    ends = np.stack([first, first + tree.n_children[nodes]], axis=1).ravel()
    below = np.add.reduceat(np.append(cost, 0.0), ends)[::2]  # the children of a node stand side by side
    return np.asarray((cost[nodes] - below) / tree.weight[nodes])
