"""Build a tree from the splits that the search for an optimal tree has found."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.node_target import ClassNode, ValueNode, node_of
from branchwork.measure.impurity import ZERO_GAIN
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.tree import STOP_REASONS, Floats, Tree

RowIds = npt.NDArray[np.intp]


def tree_of(found: Sequence[_core.OptimalNode], table: Table, target: Target, deepest: float) -> Tree:
    """Send the rows down the splits, which are in preorder, and describe every node.

    Values are class weights or means; `in_output_units` turns them into outputs. `deepest` is the limit on depth, which
    is recorded as the reason why nodes at that depth are leaves.
    """
    making = _Making(table, target)
    subtrees = _sizes(found)
    waiting = deque([(0, np.arange(table.n_rows), 0)])  # place in preorder, rows, depth
    making.add(waiting[0][1])
    node = 0
    while waiting:
        place, rows, depth = waiting.popleft()
        split = found[place]
        if split.column < 0:
            making.stop[node] = STOP_REASONS.index(_why_leaf(making.nodes[node], depth, deepest))
        else:
            child = place + 1
            for part in making.split(node, split, rows):
                waiting.append((child, part, depth + 1))
                child += subtrees[child]
        node += 1
    return making.finish()


def _sizes(found: Sequence[_core.OptimalNode]) -> list[int]:
    """Return the number of nodes of each subtree."""
    sizes = [1] * len(found)
    for place in range(len(found) - 1, -1, -1):
        child = place + 1
        for _ in range(found[place].branches):
            sizes[place] += sizes[child]
            child += sizes[child]
    return sizes


def _why_leaf(node: ClassNode | ValueNode, depth: int, deepest: float) -> str:
    if node.is_pure:
        return "pure"
    return "max_depth" if depth >= deepest else "no_gain"


class _Making:
    """The arrays of the tree, in breadth-first order."""

    def __init__(self, table: Table, target: Target) -> None:
        self.table, self.target = table, target
        self.feature: list[int] = []
        self.cut: list[float] = []
        self.first_child: list[int] = []
        self.n_children: list[int] = []
        self.lookup: list[int] = []
        self.default_child: list[int] = []
        self.pool: list[int] = []
        self.stop: list[int] = []
        self.nodes: list[ClassNode | ValueNode] = []

    def add(self, rows: RowIds) -> None:
        """Add a node, which is a leaf until it is split."""
        for array in (self.feature, self.first_child, self.lookup, self.default_child):
            array.append(-1)
        self.n_children.append(0)
        self.cut.append(np.nan)
        self.stop.append(STOP_REASONS.index("split"))
        self.nodes.append(node_of(self.target, rows).without_rows())

    def split(self, node: int, split: _core.OptimalNode, rows: RowIds) -> list[RowIds]:
        """Split a node; return the rows of its children."""
        is_nominal = self.table.schema[split.column].is_nominal
        cells = self.table.arrays[split.column][rows]
        if is_nominal:
            branch_of = np.array([*split.branch, split.missing])  # code -1 (missing) indexes the last entry
            branch = branch_of[cells]
        else:
            numbers = cells.astype(np.float64)
            branch = np.where(np.isnan(numbers), split.missing, numbers > split.cut)
        parts = [rows[branch == k] for k in range(split.branches)]
        self.feature[node], self.first_child[node] = split.column, len(self.feature)
        self.n_children[node] = split.branches
        for part in parts:
            self.add(part)
        weights = [self.nodes[child].weight for child in range(self.first_child[node], len(self.feature))]
        heaviest = int(np.argmax(weights))
        default = heaviest if split.missing < 0 else split.missing
        self.default_child[node] = default
        if is_nominal:
            self.lookup[node] = len(self.pool)
            self.pool.extend([default, *(heaviest if k < 0 else k for k in split.branch)])
        else:
            self.cut[node] = split.cut
        return parts

    def finish(self) -> Tree:
        value = np.array([node.value for node in self.nodes])
        weight = np.array([node.weight for node in self.nodes])
        impurity = self._impurities(value, weight)
        gain = np.zeros(len(self.nodes))
        for node, first in enumerate(self.first_child):
            if first >= 0:
                children = slice(first, first + self.n_children[node])
                after = float((weight[children] * impurity[children]).sum()) / weight[node]
                gained = impurity[node] - after
                gain[node] = 0.0 if abs(gained) <= ZERO_GAIN * impurity[node] else gained
        variances = [node.variance for node in self.nodes if isinstance(node, ValueNode)]
        return Tree(
            feature=np.array(self.feature, np.int32),
            cut=np.array(self.cut),
            first_child=np.array(self.first_child, np.int32),
            n_children=np.array(self.n_children, np.int32),
            lookup=np.array(self.lookup, np.int32),
            pool=np.array(self.pool, np.int32),
            default_child=np.array(self.default_child, np.int32),
            value=value,
            distribution=None,
            weight=weight,
            n_rows=np.array([node.n_rows for node in self.nodes], np.int64),
            impurity=impurity,
            gain=gain,
            variance=np.array(variances) if variances else None,
            stop=np.array(self.stop, np.uint8),
        )

    def _impurities(self, value: Floats, weight: Floats) -> Floats:
        """Return the share of errors of each node, or its mean squared error."""
        squares = [node.impurity for node in self.nodes if isinstance(node, ValueNode)]
        if squares:
            return np.array(squares)
        return np.where(weight > 0, np.maximum(0, 1 - value.max(axis=1) / np.where(weight > 0, weight, 1)), 0)
