"""C4.5's pruning: a subtree gives way to a leaf, or to its own largest branch, if no more errors are expected of that.

Errors are expected by an upper limit (measure/bounds.py). A leaf can be judged by the tree alone. To raise a branch the
rows are needed again, because it takes up all rows of its parent.
"""

from __future__ import annotations

import numpy as np

from branchwork.measure.bounds import ErrorBound
from branchwork.measure.impurity import impurity_of_counts
from branchwork.prune.bottom_up import prune_bottom_up
from branchwork.prune.evidence import Verdicts, training_errors
from branchwork.table.table import Table
from branchwork.table.target import Classes
from branchwork.tree.outputs import Smoothing, with_distribution
from branchwork.tree.reshape import take, under
from branchwork.tree.tree import Tree

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
    criterion: str,
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
    assert before is not None
    changed = smaller.impurity.copy()
    for node in np.flatnonzero((distribution != before).any(axis=1)).tolist():
        changed[node] = impurity_of_counts(criterion, distribution[node])
    raised = (np.abs(distribution - before) > ROUNDING * smaller.weight[:, None]).any(axis=1)
    if tree.ledger is not None:
        smaller = smaller.replace(ledger=tree.ledger.take(np.where(raised, -1, origin)))
    smaller = with_distribution(smaller.replace(impurity=changed), distribution, smoothing)
    gone = np.ones(tree.n_nodes, bool)
    gone[origin[smaller.feature >= 0]] = False
    leaves = gone & (tree.feature >= 0)
    return smaller, Verdicts(leaves & ~under(tree, leaves), pruned.of_subtree, pruned.of_leaf, MEASURE)
