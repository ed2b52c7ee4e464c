"""Prune by reduced error (Quinlan 1987): remove subtrees that do not reduce the errors on held-out rows.

There are two orders, which may end in different trees:

    bottom_up   branches before their node; a leaf that makes no more errors than the subtree replaces it
    greedy      repeatedly the node whose removal helps most (Mitchell 1997), as long as it does no harm
"""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np

from branchwork.prune.bottom_up import prune_bottom_up
from branchwork.prune.evidence import Errors, Verdicts
from branchwork.tree.reshape import Mask, levels
from branchwork.tree.tree import Tree

ReducedErrorOrder = Literal["bottom_up", "greedy"]
MEASURE = "errors on the held-out rows"


def bottom_up(tree: Tree, held_out: Errors, *, slack: float = 1e-9) -> Verdicts:
    """Prune branches before their node; equal errors prune."""
    return prune_bottom_up(tree, held_out.as_leaf, MEASURE, slack=slack)


def greedy(tree: Tree, held_out: Errors) -> list[int]:
    """Return the nodes in the order in which they become leaves: each time the one that saves the most errors.

    Ties go to the larger subtree, then to the earlier node. The order ends when every removal would add errors.
    """
    leaf, below = held_out.as_leaf, held_out.subtree.copy()
    inner = (tree.feature >= 0).astype(float)
    size = inner.copy()  # splits in the subtree
    for level in reversed(levels(tree)[1:]):
        np.add.at(size, tree.parent[level], size[level])
    gone = tree.feature < 0
    waiting = [(-(below[v] - leaf[v]), -size[v], v) for v in np.flatnonzero(~gone).tolist()]
    heapq.heapify(waiting)
    order: list[int] = []
    while waiting:
        loss, splits, node = heapq.heappop(waiting)
        if gone[node] or (loss, splits) != (-(below[node] - leaf[node]), -size[node]):
            continue  # the node has been removed, or its subtree has changed
        if loss > 1e-9:
            break
        order.append(node)
        _remove(tree, node, gone)
        saved, removed = below[node] - leaf[node], size[node]
        while node >= 0:
            below[node] -= saved
            size[node] -= removed
            if not gone[node]:
                heapq.heappush(waiting, (-(below[node] - leaf[node]), -size[node], node))
            node = int(tree.parent[node])
    return order


def _remove(tree: Tree, node: int, gone: Mask) -> None:
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if not gone[top]:
            gone[top] = True
            waiting.extend(tree.children(top))
