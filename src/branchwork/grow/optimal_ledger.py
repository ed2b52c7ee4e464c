"""Make the ledger of an optimal tree: the split of each node, and the best single split of every other feature.

An optimal tree compares whole trees, so a feature may lose although its own split gains more. The page of a node shows
both: the split that the best tree has there, and the best single split of every other feature.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from branchwork.grow.arrival import arrive
from branchwork.measure.criteria import CriterionOrScore
from branchwork.measure.impurity import entropy
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.ledger import VERDICTS, Ledger
from branchwork.tree.tree import Tree

OneSplit = Callable[[npt.NDArray[np.intp]], Ledger | None]
"""Finds the best single split of some rows, and returns it as the page of a root."""


def ledger_of(
    tree: Tree, table: Table, target: Target, criterion: CriterionOrScore, one_split: OneSplit
) -> Ledger:
    """Make the pages of all inner nodes."""
    arrived = arrive(tree, table, target)
    inner = np.flatnonzero(tree.feature >= 0)
    pages = [_Page(len(table.schema)) for _ in inner]
    for page, node in zip(pages, inner.tolist(), strict=True):
        rows = arrived.rows_of(node, criterion).rows
        found = one_split(rows)
        if found is not None and len(found.node):
            page.take(found)
        page.choose(tree, node, table)
    sides = [side for page in pages for side in page.sides]
    sizes = np.array([0 if side is None else len(side) for side in sides], np.int64)
    given = np.array([side is not None for side in sides], bool)
    shape = (len(pages), len(table.schema))
    known = [side for side in sides if side is not None]
    return Ledger(
        node=inner.astype(np.int32),
        cut=np.array([page.cut for page in pages]).reshape(shape),
        gain=np.array([page.gain for page in pages]).reshape(shape),
        split_info=np.array([page.split_info for page in pages]).reshape(shape),
        verdict=np.array([page.verdict for page in pages], np.uint8).reshape(shape),
        sides_at=np.where(given, np.cumsum(sizes) - sizes, -1).astype(np.int64).reshape(shape),
        sides=np.array([branch for side in known for branch in side], np.int32),
    )


class _Page:
    """The candidates of one node, as arrays with one entry per feature."""

    def __init__(self, columns: int) -> None:
        self.cut = np.full(columns, np.nan)
        self.gain = np.full(columns, np.nan)
        self.split_info = np.full(columns, np.nan)
        self.verdict = np.full(columns, VERDICTS.index("one_branch"), np.uint8)
        self.sides: list[list[int] | None] = [None] * columns

    def take(self, found: Ledger) -> None:
        """Copy the best single split of every feature."""
        self.cut, self.gain, self.split_info = (
            found.cut[0].copy(),
            found.gain[0].copy(),
            found.split_info[0].copy(),
        )
        has_split = ~np.isnan(self.gain)
        self.verdict = np.where(has_split, VERDICTS.index("costs_more"), found.verdict[0]).astype(np.uint8)
        if found.sides.size == 0:  # numbers only
            return
        page = found.page(int(found.node[0]))
        assert page is not None
        self.sides = [None if one.sides is None else list(one.sides) for one in page.candidates]

    def choose(self, tree: Tree, node: int, table: Table) -> None:
        """Replace the best single split of the chosen feature by the split that the tree has."""
        column = int(tree.feature[node])
        children = tree.children(node)
        self.cut[column], self.gain[column] = tree.cut[node], tree.gain[node]
        weights = tree.weight[children.start : children.stop]
        self.split_info[column] = entropy(weights)
        self.verdict[column] = VERDICTS.index("chosen")
        if table.schema[column].is_nominal:
            begin = int(tree.lookup[node]) + 1
            self.sides[column] = tree.pool[begin : begin + table.schema[column].n_levels].tolist()
