"""A new tree out of an old one: some nodes become leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from branchwork.tree.ledger import Ledger
from branchwork.tree.tree import STOP_REASONS, Tree


def collapse(tree: Tree, leaves: npt.NDArray[np.bool_]) -> Tree:
    """Return the tree in which the given nodes are leaves and nodes below them are gone.

    Nodes are renumbered, breadth first as before; what is known of a node stays with it.
    """
    gone = np.zeros(tree.n_nodes, bool)
    ends = leaves.tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0 and (ends[parent] or gone[parent]):
            gone[node] = True
    kept = np.flatnonzero(~gone)
    if len(kept) == tree.n_nodes and not (leaves & (tree.feature >= 0)).any():
        return tree
    inner = (tree.feature[kept] >= 0) & ~leaves[kept]
    new_id = np.cumsum(~gone) - 1
    lookup, pool = _pool(tree, kept[inner])
    cut_off = (tree.feature[kept] >= 0) & ~inner
    stop = tree.stop[kept].copy()
    stop[cut_off] = STOP_REASONS.index("collapsed")
    first_child = np.where(inner, new_id[np.maximum(tree.first_child[kept], 0)], -1)
    return replace(
        tree,
        feature=np.where(inner, tree.feature[kept], -1).astype(np.int32),
        cut=np.where(inner, tree.cut[kept], np.nan),
        first_child=first_child.astype(np.int32),
        n_children=np.where(inner, tree.n_children[kept], 0).astype(np.int32),
        lookup=np.where(inner, lookup[kept], -1).astype(np.int32),
        pool=pool,
        default_child=np.where(inner, tree.default_child[kept], -1).astype(np.int32),
        value=tree.value[kept],
        distribution=None if tree.distribution is None else tree.distribution[kept],
        weight=tree.weight[kept],
        n_rows=tree.n_rows[kept],
        impurity=tree.impurity[kept],
        gain=np.where(inner, tree.gain[kept], 0.0),
        variance=None if tree.variance is None else tree.variance[kept],
        stop=stop,
        ledger=None if tree.ledger is None else _ledger(tree.ledger, gone, new_id),
        surrogates=None if tree.surrogates is None else tree.surrogates.take(kept, inner),
        decided=None if tree.decided is None else tree.decided[kept],
    )


def _pool(tree: Tree, inner: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The lookups of nodes that stay inner, side by side again: where each begins, and all of them."""
    begins = np.append(np.sort(tree.lookup[tree.lookup >= 0]), len(tree.pool))
    lookup = np.full(tree.n_nodes, -1, np.int32)
    parts, at = [np.empty(0, np.int32)], 0
    for node in inner[tree.lookup[inner] >= 0].tolist():
        begin = int(tree.lookup[node])
        end = int(begins[np.searchsorted(begins, begin, side="right")])
        lookup[node] = at
        parts.append(tree.pool[begin:end])
        at += end - begin
    return lookup, np.concatenate(parts)


def _ledger(ledger: Ledger, gone: npt.NDArray[np.bool_], new_id: npt.NDArray[np.intp]) -> Ledger:
    """The pages of nodes that are still there, under their new numbers."""
    pages = ~gone[ledger.node]
    starts = ledger.sides_at.ravel()
    begins = np.append(starts[starts >= 0], len(ledger.sides))
    sides_at = ledger.sides_at[pages].copy()
    parts, at = [np.empty(0, np.uint8)], 0
    flat = sides_at.ravel()
    for k in np.flatnonzero(flat >= 0).tolist():
        begin = int(flat[k])
        end = int(begins[np.searchsorted(begins, begin, side="right")])
        flat[k] = at
        parts.append(ledger.sides[begin:end])
        at += end - begin
    return Ledger(
        node=new_id[ledger.node[pages]].astype(np.int32),
        cut=ledger.cut[pages],
        gain=ledger.gain[pages],
        split_info=ledger.split_info[pages],
        verdict=ledger.verdict[pages],
        sides_at=flat.reshape(sides_at.shape),
        sides=np.concatenate(parts),
    )
