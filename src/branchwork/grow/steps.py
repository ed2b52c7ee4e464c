"""Grow a tree step by step in plain Python, with three functions of the core: tally, choose, route.

This is the readable reference of `grow`, and the driver for rows that are stored elsewhere: anything with `tally` and
`route` will do. It gives the same tree as `grow`.

    tally    the statistics of the rows of a node for each feature; those of parts of a table can be added
    choose   the best split of every feature, and of the node
    route    which child each row goes to
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.grow import check_fit, core_options, in_output_units, least_gain
from branchwork.grow.memory import check_tally
from branchwork.grow.recipe import Recipe
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import LEFT_OUT, VERDICTS, Ledger
from branchwork.tree.tree import STOP_REASONS, Tree

RowIds = npt.NDArray[np.uint32]


class Rows(Protocol):
    """Rows that can be counted and sent down a tree, wherever they are stored.

    Tallies are plain values: they can be pickled, and those of parts of a table can be added (`a + b`). For a numeric
    target, they must have the same centre: `_core.tally(..., centre=)`.
    """

    @property
    def has_missing(self) -> Sequence[bool]:
        """Whether each feature has missing values; a split on it may then have a branch for them."""

    def tally(self, node: int) -> _core.NodeTally:
        """Return the statistics of a node's rows."""

    def route(self, node: int, split: RoutedSplit, children: range) -> None:
        """Send a node's rows to its children."""


@dataclass(frozen=True)
class RoutedSplit:
    """Where rows go at a split: the threshold or the child of every category, and the child of missing values."""

    feature: int
    cut: float
    lookup: npt.NDArray[np.int32]
    missing: int


class LocalRows:
    """Rows of a table in this process."""

    def __init__(self, table: Table, target: Target, options: _core.Options) -> None:
        self.columns, self.target, self.options = table.core, target.core, options
        self.columns.mark_missing()
        self.has_missing = [
            bool(np.any(array < 0) if column.is_nominal else np.isnan(array).any())
            for column, array in zip(table.schema, table.arrays, strict=True)
        ]
        self.rows_of: dict[int, RowIds] = {0: np.arange(table.n_rows, dtype=np.uint32)}

    def tally(self, node: int, centre: float | None = None) -> _core.NodeTally:
        """Return the statistics of a node's rows; `centre` is subtracted from a numeric target."""
        return _core.tally(self.columns, self.target, self.rows_of[node], self.options, centre)

    def route(self, node: int, split: RoutedSplit, children: range) -> None:
        """Send a node's rows to its children."""
        rows = self.rows_of.pop(node)
        child = _core.route(self.columns, split.feature, split.cut, split.lookup, split.missing, rows)
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
    default_child: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    n_rows: list[int] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    variance: list[float] = field(default_factory=list)
    stats: list[npt.NDArray[np.float64]] = field(default_factory=list)
    stop: list[int] = field(default_factory=list)
    pages: dict[int, list[Any]] = field(default_factory=dict)

    def add_node(self) -> int:
        self.feature.append(-1)
        self.cut.append(np.nan)
        self.first_child.append(-1)
        self.n_children.append(0)
        self.lookup.append(-1)
        self.default_child.append(-1)
        self.gain.append(0.0)
        return len(self.feature) - 1


def grow_in_steps(
    table: Table,
    target: Target,
    recipe: Recipe,
    rows: Rows | None = None,
) -> Tree:
    """Grow a tree by a recipe, one node at a time, in breadth-first order.

    `rows` are counted and routed instead of the rows of the table; then the table only defines the features, and the
    target the classes. This cannot share rows among branches, and it has no limits that depend on the whole tree.
    """
    check_fit(table, target, recipe)
    if recipe.chaid is not None:
        raise ParameterError("CHAID is not grown in these steps: use grow.")
    whole_tree = recipe.search.cut == "data" or recipe.stopping.max_leaf_nodes
    if recipe.search.missing in ("share", "surrogate") or whole_tree:
        raise ParameterError(
            "Step by step there is no missing='share' or 'surrogate', no cut='data' and no max_leaf_nodes."
        )
    options = core_options(recipe, target)
    check_tally(table, target, np.arange(table.n_rows, dtype=np.uint32))  # the root has the most rows
    rows = LocalRows(table, target, options) if rows is None else rows
    tree = _Growing()
    tree.add_node()
    used = {0: np.zeros(len(table.schema), bool)}
    depth = {0: 0}
    waiting = deque([0])
    while waiting:
        node = waiting.popleft()
        tally = rows.tally(node)
        root_weight = tree.weight[0] if tree.weight else tally.weight
        needed = least_gain(recipe, tally.weight or 1.0, root_weight)
        stop = _why_stop(tally, depth[node], options)
        choice = _core.choose(tally, used[node], needed, options)
        _describe(tree, tally, choice.parent, target)
        if stop == "split":
            tree.pages[node] = choice.candidates
            if choice.best < 0:
                stop = _why_unsplit(choice.candidates)
        tree.stop.append(STOP_REASONS.index(stop))
        if stop != "split":
            continue
        chosen = choice.candidates[choice.best]
        own_branch = rows.has_missing[chosen.feature] and recipe.search.missing == "branch"
        route, children = _split(tree, node, chosen, table.schema, own_branch)
        rows.route(node, route, children)
        below = used.pop(node)
        if table.schema[chosen.feature].is_nominal and recipe.search.nominal == "multiway":
            below = below.copy()
            below[chosen.feature] = True
        for child in children:
            used[child], depth[child] = below, depth[node] + 1
            waiting.append(child)
    return _finish(tree, table.schema, target, recipe)


def _why_unsplit(candidates: Sequence[_core.Candidate]) -> str:
    verdicts = {VERDICTS[c.verdict] for c in candidates}
    if "small_gain" in verdicts:
        return "small_gain"
    return "no_gain" if any(c.gain == c.gain for c in candidates) else "no_candidate"


def _why_stop(tally: _core.NodeTally, depth: int, options: _core.Options) -> str:
    if tally.rows == 0:
        return "empty"
    if tally.pure:
        return "pure"
    if 0 <= options.max_depth <= depth:
        return "max_depth"
    if tally.samples < options.min_split_samples:
        return "too_few_rows"
    return "split"


def _describe(tree: _Growing, tally: _core.NodeTally, parent: float, target: Target) -> None:
    weight = tally.weight
    tree.weight.append(weight)
    tree.n_rows.append(tally.rows)
    tree.variance.append(tally.variance)
    tree.impurity.append(max(0.0, parent / weight) if weight > 0 else 0.0)
    if isinstance(target, Classes):
        tree.stats.append(tally.total)
    else:
        tree.stats.append(np.array([tally.centre + tally.total[1] / weight if weight > 0 else 0.0]))


def _split(
    tree: _Growing, node: int, chosen: _core.Candidate, schema: Schema, own_branch: bool
) -> tuple[RoutedSplit, range]:
    column = schema[chosen.feature]
    lookup = np.empty(0, np.int32)
    known = 2
    if column.is_nominal:
        known = 2 if len(chosen.sides) else len(column.categories)
        lookup = chosen.sides if len(chosen.sides) else np.arange(known, dtype=np.int32)
        tree.lookup[node] = len(tree.pool)
        tree.pool.extend([-1, *lookup.tolist()])
    tree.feature[node], tree.cut[node], tree.gain[node] = chosen.feature, chosen.cut, chosen.gain
    children = range(len(tree.feature), len(tree.feature) + known + own_branch)
    tree.first_child[node], tree.n_children[node] = children.start, len(children)
    missing = known if own_branch else chosen.missing_child
    tree.default_child[node] = missing
    for _ in children:
        tree.add_node()
    return RoutedSplit(chosen.feature, chosen.cut, lookup, missing), children


def _finish(tree: _Growing, schema: Schema, target: Target, recipe: Recipe) -> Tree:
    pool = np.array(tree.pool, np.int32)
    for node, feature in enumerate(tree.feature):
        if feature < 0:
            continue
        first, n_children = tree.first_child[node], tree.n_children[node]
        weights = tree.weight[first : first + n_children]
        if tree.default_child[node] < 0:
            tree.default_child[node] = int(np.argmax(weights))
        if tree.lookup[node] >= 0:
            slots = pool[tree.lookup[node] : tree.lookup[node] + 1 + len(schema[feature].categories)]
            slots[0] = tree.default_child[node]
            slots[slots < 0] = int(weights[1] > weights[0])
    grown = Tree(
        feature=np.array(tree.feature, np.int32),
        cut=np.array(tree.cut),
        first_child=np.array(tree.first_child, np.int32),
        n_children=np.array(tree.n_children, np.int32),
        lookup=np.array(tree.lookup, np.int32),
        pool=pool,
        default_child=np.array(tree.default_child, np.int32),
        value=np.array(tree.stats),
        distribution=None,
        weight=np.array(tree.weight),
        n_rows=np.array(tree.n_rows, np.int64),
        impurity=np.array(tree.impurity),
        gain=np.array(tree.gain),
        variance=None if isinstance(target, Classes) else np.array(tree.variance),
        stop=np.array(tree.stop, np.uint8),
        ledger=_ledger_of(tree.pages, len(schema), recipe),
    )
    return in_output_units(grown, target, recipe)


def _ledger_of(pages: Mapping[int, Sequence[Any]], n_columns: int, recipe: Recipe) -> Ledger:
    """Return the candidates of some nodes as a ledger."""

    def column(name: str, dtype: type) -> npt.NDArray[Any]:
        return np.array([[getattr(c, name) for c in page] for page in pages.values()], dtype).reshape(
            -1, n_columns
        )

    sides = [c.sides for page in pages.values() for c in page]
    ends = np.cumsum([len(s) for s in sides], dtype=np.int64)
    starts = [int(end) - len(s) if len(s) else -1 for end, s in zip(ends, sides, strict=True)]
    return Ledger(
        node=np.array(list(pages), np.int32),
        cut=column("cut", np.float64),
        gain=column("gain", np.float64),
        split_info=column("split_info", np.float64),
        verdict=column("verdict", np.uint8),
        sides_at=np.array(starts, np.int64).reshape(-1, n_columns),
        sides=np.concatenate([*sides, np.empty(0, np.int32)]),
        chance=np.stack([column(name, np.float64) for name in ("statistic", "freedom", "rest")]),
        judged=np.stack([column(name, np.float64) for name in ("known", "before", "price")])
        if recipe.search.missing in LEFT_OUT
        else np.empty((3, 0, 0)),
    )
