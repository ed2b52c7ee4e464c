"""Prune by minimum error (Niblett and Bratko 1987; Cestnik and Bratko 1991): the error that an m-estimate expects.

leaf      1 - max_c (n_c + m p_c) / (n + m),   p_c: share of class c at the root
subtree   the errors of the branches, by their weight
"""

from __future__ import annotations

import numpy as np

from branchwork.prune.bottom_up import prune_bottom_up
from branchwork.prune.evidence import Verdicts
from branchwork.tree.tree import Tree


def minimum_error(tree: Tree, *, m: float = 2.0) -> Verdicts:
    """Prune where a leaf is expected to make no more errors; the larger m, the more is pruned."""
    assert tree.distribution is not None
    share = tree.distribution[0] / tree.weight[0]
    rows = np.where(tree.weight > 0, tree.weight, 1)  # an empty node expects no errors, whatever it predicts
    expected = (tree.distribution + m * share) / (rows[:, None] + m)
    leaf = tree.weight * (1 - expected.max(axis=1))
    return prune_bottom_up(tree, leaf, f"expected errors (m-estimate, m = {m:g})", slack=1e-9)
