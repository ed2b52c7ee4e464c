"""Walks over a tree: all of them loops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Tree


def preorder(tree: Tree, root: int = 0) -> Iterator[int]:
    """Nodes of a subtree, each before its children, children in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(tree.children(node)))


def leaves(tree: Tree) -> npt.NDArray[np.intp]:
    """Ids of the leaves."""
    return np.flatnonzero(tree.feature < 0)


def path_to(tree: Tree, node: int) -> list[int]:
    """Nodes from the root to a node, both included."""
    path = [node]
    while (parent := int(tree.parent[path[-1]])) >= 0:
        path.append(parent)
    return path[::-1]
