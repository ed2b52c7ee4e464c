"""The same growth, step by step in plain Python over the core's three kernels: tally, choose, route.

This is the readable reference of `grow`, and the driver for rows that live elsewhere: anything with `tally` and
`route` can be grown on. It gives the same tree as the one-call road.

    tally    statistics of a node's rows, column by column; they add up over parts of the table
    choose   the best split of every column, and of the node
    route    which child each row goes to
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.grow import check_fit, core_options, in_output_units
from branchwork.grow.recipe import Recipe
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import Ledger
from branchwork.tree.tree import STOP_REASONS, Tree

RowIds = npt.NDArray[np.uint32]


class Rows(Protocol):
    """Rows that can be counted and sent down a tree, wherever they live."""

    def tally(self, node: int) -> _core.NodeTally:
        """Return the statistics of a node's rows."""

    def route(self, node: int, feature: int, cut: float, children: range) -> None:
        """Send a node's rows to its children."""


class LocalRows:
    """Rows of a table in this process."""

    def __init__(self, table: Table, target: Target) -> None:
        self.columns, self.target = table.core, target.core
        self.columns.mark_missing()
        self.rows_of: dict[int, RowIds] = {0: np.arange(table.n_rows, dtype=np.uint32)}

    def tally(self, node: int) -> _core.NodeTally:
        """Return the statistics of a node's rows."""
        return _core.tally(self.columns, self.target, self.rows_of[node])

    def route(self, node: int, feature: int, cut: float, children: range) -> None:
        """Send a node's rows to its children."""
        rows = self.rows_of.pop(node)
        child = _core.route(self.columns, feature, cut, rows)
        for k, child_id in enumerate(children):
            self.rows_of[child_id] = rows[child == k]


@dataclass
class _Growing:
    """The arrays of a tree that is being grown."""

    feature: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    n_children: list[int] = field(default_factory=list)
    lookup: list[int] = field(default_factory=list)
    pool: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    n_rows: list[int] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    stats: list[npt.NDArray[np.float64]] = field(default_factory=list)
    stop: list[int] = field(default_factory=list)
    pages: dict[int, list[Any]] = field(default_factory=dict)

    def add_node(self) -> int:
        self.feature.append(-1)
        self.cut.append(np.nan)
        self.first_child.append(-1)
        self.n_children.append(0)
        self.lookup.append(-1)
        self.gain.append(0.0)
        return len(self.feature) - 1


def grow_in_steps(table: Table, target: Target, recipe: Recipe) -> Tree:
    """Grow a tree by a recipe, one node at a time, breadth first."""
    check_fit(table, target, recipe)
    rows: Rows = LocalRows(table, target)
    missing = [
        bool(np.any(a < 0) if c.is_nominal else np.isnan(a).any())
        for c, a in zip(table.schema, table.arrays, strict=True)
    ]
    options = core_options(recipe)
    tree = _Growing()
    tree.add_node()
    used = {0: np.zeros(len(table.schema), bool)}
    depth = {0: 0}
    waiting = deque([0])
    while waiting:
        node = waiting.popleft()
        tally = rows.tally(node)
        choice = _core.choose(tally, used[node], options)
        _describe(tree, tally, choice.parent, target)
        stop = _why_stop(tally, depth[node], recipe)
        if stop == "split":
            tree.pages[node] = choice.candidates
            if choice.best < 0:
                stop = "no_gain" if any(c.gain == c.gain for c in choice.candidates) else "no_candidate"
        tree.stop.append(STOP_REASONS.index(stop))
        if stop != "split":
            continue
        chosen = choice.candidates[choice.best]
        children = _split(tree, node, chosen, table.schema, missing[chosen.feature])
        rows.route(node, chosen.feature, chosen.cut, children)
        below = used.pop(node)
        if table.schema[chosen.feature].is_nominal:
            below = below.copy()
            below[chosen.feature] = True
        for child in children:
            used[child], depth[child] = below, depth[node] + 1
            waiting.append(child)
    return _finish(tree, target, recipe, missing)


def _why_stop(tally: _core.NodeTally, depth: int, recipe: Recipe) -> str:
    stopping = recipe.stopping
    if tally.rows == 0:
        return "empty"
    if tally.pure:
        return "pure"
    if stopping.max_depth is not None and depth >= stopping.max_depth:
        return "max_depth"
    if tally.weight < stopping.min_samples_split:
        return "too_few_rows"
    return "split"


def _describe(tree: _Growing, tally: _core.NodeTally, parent: float, target: Target) -> None:
    weight = tally.weight
    tree.weight.append(weight)
    tree.n_rows.append(tally.rows)
    tree.impurity.append(max(0.0, parent / weight) if weight > 0 else 0.0)
    if isinstance(target, Classes):
        tree.stats.append(tally.total)
    else:
        tree.stats.append(np.array([tally.centre + tally.total[1] / weight if weight > 0 else 0.0]))


def _split(tree: _Growing, node: int, chosen: _core.Candidate, schema: Schema, has_missing: bool) -> range:
    column = schema[chosen.feature]
    known = len(column.categories) if column.is_nominal else 2
    tree.feature[node], tree.cut[node], tree.gain[node] = chosen.feature, chosen.cut, chosen.gain
    if column.is_nominal:
        tree.lookup[node] = len(tree.pool)
        tree.pool.extend([-1, *range(known)])
    children = range(len(tree.feature), len(tree.feature) + known + has_missing)
    tree.first_child[node], tree.n_children[node] = children.start, len(children)
    for _ in children:
        tree.add_node()
    return children


def _finish(tree: _Growing, target: Target, recipe: Recipe, missing: list[bool]) -> Tree:
    pool = np.array(tree.pool, np.int32)
    default_child = np.full(len(tree.feature), -1, np.int32)
    for node, feature in enumerate(tree.feature):
        if feature < 0:
            continue
        first, n_children = tree.first_child[node], tree.n_children[node]
        heaviest = int(np.argmax(tree.weight[first : first + n_children]))
        default_child[node] = n_children - 1 if missing[feature] else heaviest
        if tree.lookup[node] >= 0:
            pool[tree.lookup[node]] = default_child[node]
    grown = Tree(
        feature=np.array(tree.feature, np.int32),
        cut=np.array(tree.cut),
        first_child=np.array(tree.first_child, np.int32),
        n_children=np.array(tree.n_children, np.int32),
        lookup=np.array(tree.lookup, np.int32),
        pool=pool,
        default_child=default_child,
        value=np.array(tree.stats),
        distribution=None,
        weight=np.array(tree.weight),
        n_rows=np.array(tree.n_rows, np.int64),
        impurity=np.array(tree.impurity),
        gain=np.array(tree.gain),
        stop=np.array(tree.stop, np.uint8),
        ledger=_ledger(tree.pages, len(missing)),
    )
    return in_output_units(grown, target, recipe)


def _ledger(pages: dict[int, list[Any]], n_columns: int) -> Ledger:
    def column(name: str, dtype: type) -> npt.NDArray[Any]:
        return np.array([[getattr(c, name) for c in page] for page in pages.values()], dtype).reshape(
            -1, n_columns
        )

    return Ledger(
        node=np.array(list(pages), np.int32),
        cut=column("cut", np.float64),
        gain=column("gain", np.float64),
        split_info=column("split_info", np.float64),
        verdict=column("verdict", np.uint8),
    )
