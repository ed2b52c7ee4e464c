"""Prune from the leaves up: a node becomes a leaf if that costs no more than its pruned branches."""

from __future__ import annotations

import numpy as np

from branchwork.prune.evidence import Verdicts
from branchwork.tree.reshape import levels, under
from branchwork.tree.tree import Floats, Tree


def prune_bottom_up(
    tree: Tree, leaf: Floats, measure: str, *, split: Floats | None = None, slack: float = 0.0
) -> Verdicts:
    """Choose the subtree of least cost.

    Parameters
    ----------
    leaf : the cost of each node as a leaf.
    split : the cost of each split itself, apart from its branches; None means 0.
    measure : what the costs are, in words.
    slack : how much more a leaf may cost.
    """
    inner = tree.feature >= 0
    # Cost of the subtree, as far as it has been pruned.
    best = np.where(inner, 0.0 if split is None else split, leaf)
    subtree = np.full(tree.n_nodes, np.nan)
    chosen = np.zeros(tree.n_nodes, bool)
    for level in reversed(levels(tree)):
        nodes = np.arange(level.start, level.stop)
        judged = nodes[inner[nodes]]
        subtree[judged] = best[judged]
        chosen[judged] = leaf[judged] <= best[judged] + slack
        best[judged] = np.where(chosen[judged], leaf[judged], best[judged])
        if level.start:
            np.add.at(best, tree.parent[nodes], best[nodes])
    return Verdicts(chosen & ~under(tree, chosen), subtree, np.where(inner, leaf, np.nan), measure)
