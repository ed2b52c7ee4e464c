"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3).

A tree T costs R(T) + α · leaves. As α grows from 0, the best subtree shrinks: again and again the *weakest link* is
cut, the node t with the least gain a leaf

    g(t) = (R(t) − R(T_t)) / (leaves of T_t − 1).

Every inner node so gets the α at which it stops being one; the trees of the sequence are "all nodes above α".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SAME = 1e-10
"""Complexities closer than this share of the root's risk are one."""


WIDE = 8
"""From so many numbers on, NumPy adds in another order than one by one."""


def weakest_links(tree: Tree, risk: Floats) -> Floats:
    """Return the α of every node: where it becomes a leaf, or vanishes with a node above it. Leaves have -inf."""
    risk = np.ascontiguousarray(risk, np.float64)
    return _core.weakest_links(tree.first_child, tree.n_children, risk, _risk_of_children(tree, risk))


def _risk_of_children(tree: Tree, risk: Floats) -> Floats:
    """The sum of the children's risks for each inner node."""
    below = np.zeros(tree.n_nodes)
    inner = np.flatnonzero(tree.feature >= 0)
    for k in range(WIDE - 1):
        has = inner[tree.n_children[inner] > k]
        below[has] += risk[tree.first_child[has] + k]
    for node in inner[tree.n_children[inner] >= WIDE].tolist():
        below[node] = risk[tree.children(node).start : tree.children(node).stop].sum()
    return below


def links_as_rpart(tree: Tree, risk: Floats) -> Floats:
    """Return the same as rpart has it: of what lies below, a node looks at its children only.

    A child whose turn comes before the node's is a leaf by then; what is left below is handed up as it is when the
    node's own turn comes. Where a node's turn comes after its parent's, that differs from the weakest link.
    """
    risk = np.ascontiguousarray(risk, np.float64)
    return _core.links_as_rpart(tree.first_child, tree.n_children, risk, SAME * float(risk[0]))


def cut_at(tree: Tree, alpha: Floats, most: float) -> Mask:
    """Which nodes become leaves when all links up to an α are cut; nodes below them vanish."""
    return (tree.feature >= 0) & (alpha <= most)


@dataclass(frozen=True)
class Path:
    """The sequence of trees: α from which each is the best one, its number of splits, and its risk."""

    alpha: Floats
    n_splits: npt.NDArray[np.int64]
    risk: Floats


def path(tree: Tree, alpha: Floats, risk: Floats) -> Path:
    """The trees that remain after each cut, from the whole tree to its root; cuts at the same α are one."""
    inner = np.flatnonzero(tree.feature >= 0)
    order = inner[np.argsort(alpha[inner], kind="stable")]
    children_risk = np.add.reduceat(risk[1:], tree.first_child[inner] - 1) if inner.size else np.zeros(0)
    added = np.zeros(tree.n_nodes)  # by making a leaf of a node whose children are leaves
    added[inner] = risk[inner] - children_risk
    steps = alpha[order]
    last = np.append(steps[1:] - steps[:-1] > SAME * max(float(risk[0]), 0.0), True)[: len(order)]
    whole = float(risk[tree.feature < 0].sum())
    return Path(
        alpha=np.append(0.0, steps[last]),
        n_splits=np.append(len(order), len(order) - 1 - np.flatnonzero(last)),
        risk=np.append(whole, whole + np.cumsum(added[order])[last]),
    )
