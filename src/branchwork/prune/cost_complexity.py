"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3).

A tree T costs R(T) + α · leaves. As α grows from 0, the best subtree shrinks: again and again the *weakest link* is
cut, the node t with the least gain a leaf

    g(t) = (R(t) − R(T_t)) / (leaves of T_t − 1).

Every inner node so gets the α at which it stops being one; the trees of the sequence are "all nodes above α".
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SAME = 1e-10
"""Complexities closer than this share of the root's risk are one."""


class _Turn(NamedTuple):
    """When a node's turn comes: what cutting it adds to the risk, and takes from the leaves."""

    minus_alpha: float
    risk: float
    leaves: int


def weakest_links(tree: Tree, risk: Floats) -> Floats:
    """The α of every node: where it becomes a leaf, or vanishes with a node above it. Leaves have -inf.

    Children first. Seen from large α downwards, every child is a leaf at first, and nodes below come back when their
    turn is passed. The α of a node is where it costs the same as what has come back below it; what would come back
    later than the node itself never does. So each turn is kept once and dropped at most once.
    """
    alpha = np.full(tree.n_nodes, -np.inf)
    turns: list[list[_Turn]] = [[]] * tree.n_nodes
    own_risk, below_risk = risk.tolist(), _risk_of_children(tree, risk)
    for node in np.flatnonzero(tree.feature >= 0)[::-1].tolist():
        children = tree.children(node)
        ahead = max((turns[child] for child in children), key=len)
        for child in children:
            if turns[child] is not ahead:
                for turn in turns[child]:
                    heappush(ahead, turn)
            turns[child] = []
        below, leaves = below_risk[node], len(children)
        own = (own_risk[node] - below) / (leaves - 1)
        while ahead and own < -ahead[0].minus_alpha:
            back = heappop(ahead)
            below, leaves = below - back.risk, leaves + back.leaves
            own = (own_risk[node] - below) / (leaves - 1)
        alpha[node] = own
        ahead = ahead if ahead else []
        heappush(ahead, _Turn(-own, own_risk[node] - below, leaves - 1))
        turns[node] = ahead
    return _not_above_parent(tree, alpha)


def _risk_of_children(tree: Tree, risk: Floats) -> list[float]:
    """Return the risk of each node's children, added up."""
    inner = np.flatnonzero(tree.feature >= 0)
    found = np.zeros(tree.n_nodes)
    if inner.size:
        found[inner] = np.add.reduceat(risk[1:], tree.first_child[inner] - 1)
    return list(found.tolist())


def links_as_rpart(tree: Tree, risk: Floats) -> Floats:
    """The same as rpart has it: of what lies below, a node looks at its children only.

    A child whose turn comes before the node's is a leaf by then; what is left below is handed up as it is when the
    node's own turn comes. Where a node's turn comes after its parent's, that differs from the weakest link.
    """
    alpha = np.full(tree.n_nodes, -np.inf)
    below, splits = risk.astype(np.float64).tolist(), [0] * tree.n_nodes
    own, slack = risk.tolist(), SAME * float(risk[0])
    for node in np.flatnonzero(tree.feature >= 0)[::-1].tolist():
        left = {child: (below[child], splits[child]) for child in tree.children(node)}
        worth = _worth(own[node], left)
        for child in sorted(left, key=lambda child: float(alpha[child])):
            if worth <= alpha[child] + slack:  # at a tie it is the node's turn
                break
            left[child] = own[child], 0
            worth = _worth(own[node], left)
        alpha[node] = worth
        below[node] = sum(part for part, _ in left.values())
        splits[node] = sum(count for _, count in left.values()) + 1
    return _not_above_parent(tree, alpha)


def _worth(risk: float, left: dict[int, tuple[float, int]]) -> float:
    return (risk - sum(part for part, _ in left.values())) / (1 + sum(count for _, count in left.values()))


def _not_above_parent(tree: Tree, alpha: Floats) -> Floats:
    """A node vanishes with its parent at the latest."""
    values = alpha.tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0 and values[node] > values[parent]:
            values[node] = values[parent]
    return np.array(values)


def cut_at(tree: Tree, alpha: Floats, most: float) -> Mask:
    """Which nodes become leaves when all links up to an α are cut; nodes below them vanish."""
    return (tree.feature >= 0) & (alpha <= most)


class ImpurityPath(NamedTuple):
    """The sequence by impurity, in scikit-learn's names: each tree's α, and the impurity that is left in its leaves."""

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
        raise ParameterError("The impurity of this tree's nodes is not known; it cannot be pruned by it.")
    return tree.impurity * tree.weight


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
    added = np.where(
        tree.feature >= 0, risk - _risk_of_children(tree, risk), 0.0
    )  # by a node that becomes a leaf
    steps = alpha[order]
    last = np.append(steps[1:] - steps[:-1] > SAME * max(float(risk[0]), 0.0), True)[: len(order)]
    whole = float(risk[tree.feature < 0].sum())
    return Path(
        alpha=np.append(0.0, steps[last]),
        n_splits=np.append(len(order), len(order) - 1 - np.flatnonzero(last)),
        risk=np.append(whole, whole + np.cumsum(added[order])[last]),
    )
