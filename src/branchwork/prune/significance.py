"""Pruning by significance: a split goes unless it, or one below it, tells the classes apart beyond chance.

Classes: Pearson's chi-square of branch against class. Numbers: the F test of the branches' means. The tree is its own
evidence, so the tests are those of the grown splits; that they were the best of many is not corrected for.
"""

from __future__ import annotations

import numpy as np

from branchwork.prune.evidence import Verdicts
from branchwork.tree.reshape import levels, under
from branchwork.tree.tree import Floats, Tree


def significance(tree: Tree, *, max_p_value: float = 0.05) -> Verdicts:
    """Prune splits whose p-value is above a limit, from the leaves up."""
    p = p_values(tree)
    least = np.where(tree.feature >= 0, p, np.inf)  # of the subtree
    for level in reversed(levels(tree)[1:]):
        np.minimum.at(least, tree.parent[level], least[level])
    inner = tree.feature >= 0
    chosen = inner & (least > max_p_value)
    limit = np.where(inner, max_p_value, np.nan)
    return Verdicts(chosen & ~under(tree, chosen), np.where(inner, least, np.nan), limit, "smallest p-value")


def p_values(tree: Tree) -> Floats:
    """The p-value of every split; NaN for leaves."""
    from scipy.special import chdtrc, fdtrc

    p = np.full(tree.n_nodes, np.nan)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        children = np.arange(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        weight = tree.weight[children]
        children, weight = children[weight > 0], weight[weight > 0]
        branches = len(children) - 1
        if tree.distribution is not None:
            observed = tree.distribution[children][:, tree.distribution[children].sum(axis=0) > 0]
            expected = np.outer(weight, observed.sum(axis=0)) / weight.sum()
            freedom = branches * (observed.shape[1] - 1)
            chi2 = ((observed - expected) ** 2 / expected).sum()
            p[node] = chdtrc(freedom, chi2) if freedom else 1.0
            continue
        assert tree.variance is not None
        mean = tree.value[children, 0]
        centre = (weight * mean).sum() / weight.sum()
        between = (weight * (mean - centre) ** 2).sum()
        within = (tree.variance[children] * np.maximum(weight - 1, 0)).sum()
        freedom = weight.sum() - len(children)
        if branches == 0 or freedom <= 0:
            p[node] = 1.0
        else:
            p[node] = fdtrc(branches, freedom, between / branches / (within / freedom)) if within > 0 else 0.0
    return p
