"""Use nested trees: grow the largest, and read the predictions of all its subtrees from it.

Limits of depth and of leaves, and cost-complexity pruning, each turn some nodes of the largest tree into leaves:

    max_depth         nodes at this depth
    max_leaf_nodes    nodes that best-first growth would not have reached yet
    ccp_alpha         nodes whose split saves no more impurity per leaf than this

So one tree gives the predictions for every value of such a setting. `stopped` says which nodes are leaves for which
value; a row's prediction is then that of the first such node on its path.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from branchwork.grow.recipe import Recipe, Stopping
from branchwork.prune.cost_complexity import SAME, cut_at, impurity_risk, weakest_links
from branchwork.tree.reshape import levels
from branchwork.tree.tree import Tree

Masks = npt.NDArray[np.bool_]
Nodes = npt.NDArray[np.intp]

NESTED: Final = ("max_depth", "max_leaf_nodes", "ccp_alpha")


def largest(over: str, values: Sequence[Any], recipe: Recipe) -> Recipe | None:
    """Return the recipe of the largest tree of a sweep, or None if the trees are not nested.

    Trees that are pruned after growth, or stopped by a test, are not nested. If the number of leaves is limited, the
    order of growth depends on the limit, unless growth is best first.
    """
    if over not in NESTED or recipe.pruning is not None or recipe.stopping.max_p_value is not None:
        return None
    if recipe.honest is not None:
        return None  # each tree is grown on a half of its rows, so it is learned by itself
    if recipe.chaid is not None or recipe.optimal is not None:
        return None
    stopping: Stopping = recipe.stopping
    if over == "ccp_alpha":
        return recipe
    if over == "max_depth":
        if stopping.max_leaf_nodes is not None:
            return None
        return recipe.replace(stopping=replace(stopping, max_depth=_largest(values)))
    if recipe.order != "best" or recipe.search.nominal != "subset" or recipe.search.missing == "branch":
        return None  # a split into more than two branches may exceed the limit where a later one does not
    return recipe.replace(stopping=replace(stopping, max_leaf_nodes=_largest(values)))


def _largest(values: Sequence[Any]) -> int | None:
    return None if any(value is None for value in values) else max(values)


def stopped(tree: Tree, over: str, values: Sequence[Any]) -> Masks:
    """Return which nodes are leaves for each value (values × nodes), leaves of the tree itself included."""
    is_leaf = tree.feature < 0
    if over == "ccp_alpha":
        cost = impurity_risk(tree) / tree.weight[0]
        links, slack = weakest_links(tree, cost), SAME * float(cost[0])
        return np.stack([is_leaf | cut_at(tree, links, float(value) + slack) for value in values])
    limits = np.array([math.inf if value is None else float(value) for value in values])
    if over == "max_depth":
        return is_leaf | (tree.depths[None, :] >= limits[:, None])
    return is_leaf | (split_order(tree)[None, :] >= limits[:, None] - 1)


def split_order(tree: Tree) -> Nodes:
    """Return when best-first growth splits each node, counted from 0: the order of cpp/core/grow/frontier.hpp.

    The node with the largest gain times weight comes first; ties go to the node that was made first. Leaves come
    after all splits.
    """
    order = np.full(tree.n_nodes, tree.n_nodes, np.intp)
    worth = tree.gain * tree.weight
    waiting = [(-float(worth[0]), 0, 0)] if tree.feature[0] >= 0 else []
    made = 0
    split = 0
    while waiting:
        _, _, node = heapq.heappop(waiting)
        order[node] = split
        split += 1
        for child in tree.children(node):
            made += 1
            if tree.feature[child] >= 0:
                heapq.heappush(waiting, (-float(worth[child]), made, child))
    return order


def answering(tree: Tree, masks: Masks) -> Nodes:
    """Return the node that predicts for the rows of each node: the first leaf on the path (values × nodes)."""
    top = np.broadcast_to(np.arange(tree.n_nodes), masks.shape).copy()
    for level in levels(tree)[1:]:
        ids = np.asarray(level)
        above = top[:, tree.parent[ids]]
        top[:, ids] = np.where(np.take_along_axis(masks, above, axis=1), above, ids)
    return top


def leaf_counts(masks: Masks, top: Nodes) -> npt.NDArray[np.int64]:
    """Return the number of leaves for each value."""
    return np.asarray(np.count_nonzero(masks & (top == np.arange(masks.shape[1])), axis=1))
