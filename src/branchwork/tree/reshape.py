"""Make a tree from some nodes of another: subtrees that became leaves, or that moved up.

given      0            collapse {1}     0            take [0, 4, 2] with 4 a leaf      0
         1   2                         1   2          (4 stands in the place of 1)    1   2
        3 4
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import STOP_REASONS, Floats, Ints, Tree

Mask = npt.NDArray[np.bool_]


def collapse(tree: Tree, leaves: Mask, *, reason: str = "pruned") -> Tree:
    """Return the tree with the marked nodes as leaves, without the nodes below them.

    >>> import branchwork as bw
    >>> from branchwork.tree.reshape import collapse
    >>> tennis = bw.datasets.load("play_tennis")
    >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y).tree_
    >>> tree, collapse(tree, tree.depths == 1)
    (Tree(8 nodes, 5 leaves, depth 2), Tree(4 nodes, 3 leaves, depth 1))
    """
    below = under(tree, leaves)
    kept = np.flatnonzero(~below)
    return take(tree, kept, leaves[kept] | (tree.feature[kept] < 0), reason=reason)


def under(tree: Tree, marked: Mask) -> Mask:
    """Return the nodes that have a marked node above them."""
    below = np.zeros(tree.n_nodes, bool)
    for level in levels(tree)[1:]:
        above = tree.parent[level]
        below[level] = marked[above] | below[above]
    return below


def levels(tree: Tree) -> list[range]:
    """Return the ids of the nodes at each depth, root first; nodes are numbered breadth first."""
    starts = np.searchsorted(tree.depths, np.arange(tree.depth + 2))
    return [range(a, b) for a, b in pairwise(starts.tolist())]


def sum_below(tree: Tree, of_leaves: Floats) -> Floats:
    """Return, for each node, the sum over the leaves below it; for a leaf, its own number, or row of numbers."""
    sums = of_leaves.copy()
    for above, level in reversed(list(pairwise(levels(tree)))):
        inner = above.start + np.flatnonzero(tree.feature[above.start : above.stop] >= 0)
        children = sums[level.start : level.stop]
        sums[inner] = np.add.reduceat(children, tree.first_child[inner] - level.start)
    return sums


def take(tree: Tree, origin: npt.NDArray[np.integer], leaf: Mask, *, reason: str = "pruned") -> Tree:
    """Return a tree whose node i is node `origin[i]` of the given one, or a leaf made from it; breadth first."""
    inner = ~leaf
    was_inner = tree.feature[origin] >= 0
    n_children = np.where(inner, tree.n_children[origin], 0).astype(np.int32)
    first = np.full(len(origin), -1, np.int32)
    first[inner] = 1 + np.concatenate(([0], np.cumsum(n_children[inner])[:-1])) if inner.any() else 0
    lookup, pool = _pool_of(tree, origin, inner)
    return replace(
        tree,
        feature=np.where(inner, tree.feature[origin], -1).astype(np.int32),
        cut=np.where(inner, tree.cut[origin], np.nan),
        first_child=first,
        n_children=n_children,
        lookup=lookup,
        pool=pool,
        default_child=np.where(inner, tree.default_child[origin], -1).astype(np.int32),
        value=tree.value[origin],
        distribution=None if tree.distribution is None else tree.distribution[origin],
        weight=tree.weight[origin],
        n_rows=tree.n_rows[origin],
        impurity=tree.impurity[origin],
        gain=np.where(inner, tree.gain[origin], 0.0),
        variance=None if tree.variance is None else tree.variance[origin],
        stop=np.where(leaf & was_inner, STOP_REASONS.index(reason), tree.stop[origin]).astype(np.uint8),
        answer=None if tree.answer is None else tree.answer[origin],
        surrogates=None if tree.surrogates is None else tree.surrogates.take(origin, inner),
        ledger=None if tree.ledger is None else tree.ledger.take(origin),
        unseen_child=None
        if tree.unseen_child is None
        else np.where(inner, tree.unseen_child[origin], -1).astype(np.int32),
        missing_weight=None if tree.missing_weight is None else tree.missing_weight[origin],
    )


def _pool_of(tree: Tree, origin: npt.NDArray[np.integer], inner: Mask) -> tuple[Ints, Ints]:
    """Return the lookups that are still needed, side by side.

    A tree that also splits into intervals keeps all of them.
    """
    if len(tree.bounds):
        return np.where(inner, tree.lookup[origin], -1).astype(np.int32), tree.pool
    begins = np.unique(np.append(tree.lookup[tree.lookup >= 0], len(tree.pool)))
    lookup = np.where(inner, tree.lookup[origin], -1).astype(np.int32)
    pieces, at = [], 0
    for node in np.flatnonzero(lookup >= 0).tolist():
        begin = lookup[node]
        end = begins[np.searchsorted(begins, begin, side="right")]
        pieces.append(tree.pool[begin:end])
        lookup[node], at = at, at + int(end - begin)
    return lookup, np.concatenate(pieces).astype(np.int32) if pieces else np.zeros(0, np.int32)
