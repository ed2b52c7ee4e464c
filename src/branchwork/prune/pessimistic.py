"""Pessimistic error pruning (Quinlan 1987): half an error more for every leaf, one standard error of doubt.

    leaf      e(t) + 1/2
    subtree   e(T) + leaves / 2,  and on top its standard error  sqrt(n' (N - n') / N)

From the root down, in one pass: where a leaf is within the doubt, it takes the place of all that is below.
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
        "training errors, half an error a leaf and a standard error added",
    )
