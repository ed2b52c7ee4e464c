"""Reduced-error pruning (Quinlan 1987): what does not pay on rows that were held out goes.

Two ways, which may end in different trees:

    bottom_up   branches before their node; a leaf that makes no more errors than the subtree takes its place
    greedy      again and again the node whose removal helps most (Mitchell 1997), while it does no harm
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
    """Branches before their node; equal errors prune."""
    return prune_bottom_up(tree, held_out.as_leaf, MEASURE, slack=slack)


def greedy(tree: Tree, held_out: Errors) -> list[int]:
    """Nodes in the order in which they become leaves: each time the one that saves most errors.

    Of equal ones the larger subtree goes, then the earlier node; the order ends where every removal would add errors.
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
            continue  # it has gone, or something below it has
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
