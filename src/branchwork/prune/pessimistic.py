"""Prune pessimistically (Quinlan 1987): count half an error more for every leaf, and allow one standard error.

    leaf      e(t) + 1/2
    subtree   e(T) + leaves / 2,  plus its standard error  sqrt(n' (N - n') / N)

One pass from the root down: where the leaf's errors are at most the subtree's plus its standard error, the leaf
replaces the subtree.
"""

from __future__ import annotations

import numpy as np

from branchwork.prune.evidence import Verdicts, training_errors
from branchwork.tree.reshape import sum_below, under
from branchwork.tree.tree import Tree


def pessimistic(tree: Tree) -> Verdicts:
    """Prune by the training errors alone, corrected for continuity."""
    errors = training_errors(tree)
    inner = tree.feature >= 0
    leaf = errors.as_leaf + 0.5
    subtree = errors.subtree + sum_below(tree, np.ones(tree.n_nodes)) / 2
    share = np.clip(subtree / np.where(tree.weight > 0, tree.weight, 1), 0, 1)
    doubtful = subtree + np.sqrt(subtree * (1 - share))
    chosen = inner & (leaf <= doubtful)
    return Verdicts(
        chosen & ~under(tree, chosen),
        np.where(inner, doubtful, np.nan),
        np.where(inner, leaf, np.nan),
        "training errors, plus half an error per leaf and a standard error",
    )
