"""Walk over a tree with loops, never by recursion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Tree


def preorder(tree: Tree, root: int = 0) -> Iterator[int]:
    """Iterate over the nodes of a subtree, each before its children, children in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(tree.children(node)))


def leaves(tree: Tree) -> npt.NDArray[np.intp]:
    """Return the ids of the leaves."""
    return np.flatnonzero(tree.feature < 0)


def subtree_sizes(tree: Tree) -> npt.NDArray[np.intp]:
    """Return the number of nodes of each subtree, its root included."""
    sizes = [1] * tree.n_nodes
    for node, parent in zip(range(tree.n_nodes - 1, 0, -1), tree.parent[:0:-1].tolist(), strict=True):
        sizes[parent] += sizes[node]
    return np.array(sizes)


def path_to(tree: Tree, node: int) -> list[int]:
    """Return the nodes from the root to a node, both included."""
    path = [node]
    while (parent := int(tree.parent[path[-1]])) >= 0:
        path.append(parent)
    return path[::-1]
