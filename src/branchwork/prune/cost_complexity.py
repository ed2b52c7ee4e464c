"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3).

A tree T costs R(T) + α · leaves. As α grows from 0, the best subtree shrinks. Repeatedly, the *weakest link* is
pruned: the node t that removes the least risk per leaf,

    g(t) = (R(t) − R(T_t)) / (leaves of T_t − 1).

So every inner node has an α at which it becomes a leaf, and the tree for a given α consists of the nodes whose own α is
larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SAME = 1e-10
"""Complexities that differ by less than this share of the root's risk count as equal."""


def weakest_links(tree: Tree, risk: Floats) -> Floats:
    """Return the α at which each node becomes a leaf, or vanishes with a node above it. Leaves have -inf."""
    risk = np.ascontiguousarray(risk, np.float64)
    return _core.weakest_links(tree.first_child, tree.n_children, risk, _risk_of_children(tree, risk))


def _risk_of_children(tree: Tree, risk: Floats) -> Floats:
    """Return the sum of the risks of each node's children."""
    inner = np.flatnonzero(tree.feature >= 0)
    found = np.zeros(tree.n_nodes)
    if inner.size:
        found[inner] = np.add.reduceat(risk[1:], tree.first_child[inner] - 1)
    return found


def links_as_rpart(tree: Tree, risk: Floats) -> Floats:
    """Return the same as rpart computes it: a node considers only its children, not the whole subtree.

    A child with a smaller α is already a leaf when the node is considered; otherwise the child counts with what is left
    below it at that moment. This differs from the weakest link if a node's α is larger than its parent's.
    """
    risk = np.ascontiguousarray(risk, np.float64)
    return _core.links_as_rpart(tree.first_child, tree.n_children, risk, SAME * float(risk[0]))


def cut_at(tree: Tree, alpha: Floats, most: float) -> Mask:
    """Return which nodes become leaves when all links up to an α are pruned; nodes below them vanish."""
    return (tree.feature >= 0) & (alpha <= most)


class ImpurityPath(NamedTuple):
    """The sequence by impurity, with scikit-learn's names: each tree's α and the total impurity of its leaves."""

    ccp_alphas: Floats
    impurities: Floats


def impurity_path(tree: Tree) -> ImpurityPath:
    """Return the sequence of trees by impurity, from the whole tree to its root."""
    risk = impurity_risk(tree) / tree.weight[0]
    steps = path(tree, weakest_links(tree, risk), risk)
    return ImpurityPath(steps.alpha, steps.risk)


def impurity_risk(tree: Tree) -> Floats:
    """Return the impurity of every node, times its weight."""
    if np.isnan(tree.impurity).any():
        raise ParameterError(
            "The impurity of this tree's nodes is not known; it cannot be pruned by impurity."
        )
    return tree.impurity * tree.weight


@dataclass(frozen=True)
class Path:
    """The sequence of trees: the α from which each is the best one, its number of splits, and its risk."""

    alpha: Floats
    n_splits: npt.NDArray[np.int64]
    risk: Floats


def path(tree: Tree, alpha: Floats, risk: Floats) -> Path:
    """Return the sequence of trees, from the whole tree to its root; links with the same α are pruned together."""
    inner = np.flatnonzero(tree.feature >= 0)
    order = inner[np.argsort(alpha[inner], kind="stable")]
    # The change of risk when a node becomes a leaf.
    added = np.where(tree.feature >= 0, risk - _risk_of_children(tree, risk), 0.0)
    steps = alpha[order]
    last = np.append(steps[1:] - steps[:-1] > SAME * max(float(risk[0]), 0.0), True)[: len(order)]
    whole = float(risk[tree.feature < 0].sum())
    return Path(
        alpha=np.append(0.0, steps[last]),
        n_splits=np.append(len(order), len(order) - 1 - np.flatnonzero(last)),
        risk=np.append(whole, whole + np.cumsum(added[order])[last]),
    )
