"""Prune by significance: remove a split unless it, or a split below it, is significant.

For classes, the test is Pearson's chi-square of branch against class; for numbers, the F test of the branches'
means. The tests use the training rows, and they are not corrected for having chosen the best of many splits.
"""

from __future__ import annotations

import numpy as np

from branchwork.measure.chance import chi_square, f_test
from branchwork.prune.evidence import Verdicts, variance_of
from branchwork.tree.reshape import levels, under
from branchwork.tree.tree import Floats, Tree


def significance(tree: Tree, *, max_p_value: float = 0.05) -> Verdicts:
    """Prune splits whose p-value is above a limit, from the leaves up."""
    p = p_values(tree)
    least = np.where(tree.feature >= 0, p, np.inf)  # the smallest p-value of the subtree
    for level in reversed(levels(tree)[1:]):
        np.minimum.at(least, tree.parent[level], least[level])
    inner = tree.feature >= 0
    chosen = inner & (least > max_p_value)
    limit = np.where(inner, max_p_value, np.nan)
    return Verdicts(chosen & ~under(tree, chosen), np.where(inner, least, np.nan), limit, "smallest p-value")


def p_values(tree: Tree) -> Floats:
    """Return the p-value of every split; NaN for leaves."""
    p = np.full(tree.n_nodes, np.nan)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        children = np.asarray(tree.children(node))
        if tree.distribution is not None:
            _, p[node] = chi_square(tree.distribution[children])
            continue
        weight = tree.weight[children]
        within = float((variance_of(tree)[children] * np.maximum(weight - 1, 0)).sum())
        _, p[node] = f_test(weight, tree.value[children, 0], within)
    return p
