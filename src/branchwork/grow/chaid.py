"""CHAID's growth: at every node each column's categories are merged, and the most significant column splits it.

Rows are counted by NumPy, one pass over a node's rows for each column; what follows works on small tables of counts.
Nodes are taken breadth first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.grow.chaid_columns import Categories, categories_of
from branchwork.grow.chaid_merge import TIE, Merged, merge
from branchwork.grow.chaid_target import ClassNode, ValueNode, node_of
from branchwork.grow.memory import Room
from branchwork.grow.parting import NodeRows
from branchwork.grow.recipe import Chaid, Recipe
from branchwork.measure.impurity import ZERO_GAIN
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.ledger import VERDICTS, Candidate, Ledger, Parting, Verdict
from branchwork.tree.tree import STOP_REASONS, Tree

RowIds = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """One column's split of a node: the group of each category, then of missing cells; −1: absent here."""

    group_of: npt.NDArray[np.int32]
    bounds: tuple[float, ...] | None  # numeric columns: as in Tree
    merged: Merged
    gain: float

    @property
    def n_groups(self) -> int:
        """Number of branches."""
        return len(self.merged.groups)

    @property
    def cut(self) -> float:
        """The cut of a numeric column parted in two, apart from missing cells; otherwise NaN."""
        if self.bounds is None or sum(bound != np.inf for bound in self.bounds) > 1:
            return np.nan
        return self.bounds[0]


@dataclass(frozen=True)
class Look:
    """What a column could do at a node."""

    verdict: Verdict
    split: Split | None = None


class Chooser:
    """Looks at nodes of one table."""

    def __init__(self, table: Table, target: Target, settings: Chaid, least_weight: float) -> None:
        self.columns = categories_of(table, target.sample_weights, settings)
        self.target, self.settings, self.least_weight = target, settings, least_weight
        self.tests = self.rows_visited = 0

    def look(self, rows: RowIds, node: ClassNode | ValueNode) -> tuple[list[Look], int]:
        """What every column could do, and which one splits the node; −1: none."""
        looks = [self._look_at(column, rows, node) for column in self.columns]
        self.rows_visited += len(rows) * len(looks)
        return judged(looks, self.settings.alpha_split)

    def _look_at(self, column: Categories, rows: RowIds, node: ClassNode | ValueNode) -> Look:
        table, present = node.table(column.codes[rows], column.count + 1, self.settings.statistic)
        if len(present) < 2:
            return Look("one_branch")
        scale = column.scale(bool(present[-1] == column.count))
        merged = merge(table, scale, self.settings, self.least_weight)
        if merged is None:
            return Look("too_few_rows")
        self.tests += merged.tests
        group_of = np.full(column.count + 1, -1, np.int32)
        for k, group in enumerate(merged.groups):
            group_of[present[list(group)]] = k
        gain = node.gain(table.combine(_members(merged, len(present))))
        split = Split(group_of, _bounds(column, group_of), merged, gain)
        return Look("no_gain" if gain <= ZERO_GAIN * node.impurity else "chosen", split)  # as far as it knows


def _members(merged: Merged, count: int) -> npt.NDArray[np.bool_]:
    members = np.zeros((len(merged.groups), count), np.bool_)
    for row, group in zip(members, merged.groups, strict=True):
        row[list(group)] = True
    return members


def _bounds(column: Categories, group_of: npt.NDArray[np.int32]) -> tuple[float, ...] | None:
    """Bounds between the groups of a numeric column, and infinity if missing cells are a group of their own."""
    if column.bounds is None:
        return None
    known = np.flatnonzero(group_of[:-1] >= 0)
    ends = known[:-1][np.diff(group_of[known]) > 0]  # the last category of each group but the last
    bounds = column.bounds[ends].tolist()
    stands_alone = group_of[-1] >= 0 and not (group_of[:-1] == group_of[-1]).any()
    return (*bounds, np.inf) if stands_alone else tuple(bounds)


def judged(looks: list[Look], alpha_split: float) -> tuple[list[Look], int]:
    """Give every column its verdict: the smallest adjusted p-value wins, of equal ones the earlier column."""
    log_p = np.array(
        [
            look.split.merged.log_adjusted if look.verdict == "chosen" and look.split else np.inf
            for look in looks
        ]
    )
    least = float(log_p.min())
    best = -1
    if least < np.inf:
        equal = log_p <= least + TIE * max(1.0, abs(least))
        best = int(np.argmax(equal))
    verdicts: list[Verdict] = [look.verdict for look in looks]
    for j, look in enumerate(looks):
        if look.verdict != "chosen" or look.split is None:
            continue
        if look.split.merged.adjusted_p > alpha_split:
            verdicts[j] = "not_significant"
        elif j != best:
            verdicts[j] = "tie_lost" if equal[j] else "less_significant"
    if best >= 0 and verdicts[best] != "chosen":
        best = -1
    return [Look(verdict, look.split) for verdict, look in zip(verdicts, looks, strict=True)], best


def grow_chaid(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    min_split: float,
    min_leaf: float,
    ledger_nodes: int,
    room: Room | None,
    progress: Callable[[int], None] | None,
) -> tuple[Tree, Chooser]:
    """Grow a tree. Its values are class weights, or means; `grow` turns them into outputs."""
    assert recipe.chaid is not None
    chooser = Chooser(table, target, recipe.chaid, min_leaf)
    tree = _Growing(table)
    tree.add_nodes(1)
    waiting = deque([(0, 0, np.arange(table.n_rows))])
    finished = 0
    deepest = np.inf if recipe.stopping.max_depth is None else recipe.stopping.max_depth
    while waiting:
        node, depth, rows = waiting.popleft()
        here = node_of(target, rows)
        tree.describe(here)
        stop = _why_stop(here, depth, deepest, min_split)
        if stop == "split":
            looks, best = chooser.look(rows, here)
            if len(tree.feature) <= ledger_nodes:
                tree.pages[node] = looks
            if best >= 0:
                children, parts = tree.split(node, best, looks[best].split, chooser.columns[best], rows, here)
                if room is not None:
                    room.check(len(tree.feature))
                waiting.extend((child, depth + 1, part) for child, part in zip(children, parts, strict=True))
            else:
                stop = _why_unsplit(looks)
        tree.stop.append(STOP_REASONS.index(stop))
        finished += 0 if stop == "split" else len(rows)
        if progress is not None:
            progress(finished)
    return tree.finish(keep_ledger=len(tree.feature) <= ledger_nodes), chooser


def _why_stop(node: ClassNode | ValueNode, depth: int, deepest: float, min_split: float) -> str:
    if node.is_pure:
        return "pure"
    if depth >= deepest:
        return "max_depth"
    return "too_few_rows" if node.samples < min_split else "split"


def _why_unsplit(looks: list[Look]) -> str:
    verdicts = {look.verdict for look in looks}
    if "not_significant" in verdicts:
        return "not_significant"
    return "no_gain" if "no_gain" in verdicts else "no_candidate"


class _Growing:
    """The arrays of a tree that is being grown."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.feature: list[int] = []
        self.cut: list[float] = []
        self.first_child: list[int] = []
        self.n_children: list[int] = []
        self.lookup: list[int] = []
        self.default_child: list[int] = []
        self.gain: list[float] = []
        self.pool: list[int] = []
        self.bounds: list[float] = []
        self.nodes: list[ClassNode | ValueNode] = []
        self.stop: list[int] = []
        self.pages: dict[int, list[Look]] = {}

    def add_nodes(self, count: int) -> range:
        first = len(self.feature)
        for array in (self.feature, self.first_child, self.lookup, self.default_child):
            array.extend([-1] * count)
        self.n_children.extend([0] * count)
        self.cut.extend([np.nan] * count)
        self.gain.extend([0.0] * count)
        return range(first, first + count)

    def describe(self, node: ClassNode | ValueNode) -> None:
        self.nodes.append(node.without_rows())

    def split(
        self,
        node: int,
        feature: int,
        split: Split | None,
        column: Categories,
        rows: RowIds,
        here: ClassNode | ValueNode,
    ) -> tuple[range, list[RowIds]]:
        """Split a node; return its children and their rows."""
        assert split is not None
        child_of = split.group_of[column.codes[rows]]
        parts = [rows[child_of == k] for k in range(split.n_groups)]
        weights = np.bincount(child_of, here.weights, minlength=split.n_groups)
        heaviest = int(np.argmax(weights))
        default = int(split.group_of[-1])
        default = heaviest if default < 0 else default
        children = self.add_nodes(split.n_groups)
        self.feature[node], self.gain[node], self.cut[node] = feature, split.gain, split.cut
        self.first_child[node], self.n_children[node] = children.start, len(children)
        self.default_child[node] = default
        if split.bounds is None:
            self.lookup[node] = len(self.pool)
            self.pool.extend([default, *_children_of_categories(split, column, heaviest)])
        elif np.isnan(split.cut):
            self.lookup[node] = len(self.bounds)
            self.bounds.extend(split.bounds)
        return children, parts

    def finish(self, *, keep_ledger: bool) -> Tree:
        nodes = self.nodes
        return Tree(
            feature=np.array(self.feature, np.int32),
            cut=np.array(self.cut),
            first_child=np.array(self.first_child, np.int32),
            n_children=np.array(self.n_children, np.int32),
            lookup=np.array(self.lookup, np.int32),
            pool=np.array(self.pool, np.int32),
            bounds=np.array(self.bounds, np.float64),
            default_child=np.array(self.default_child, np.int32),
            value=np.array([node.value for node in nodes]),
            distribution=None,
            weight=np.array([node.weight for node in nodes]),
            n_rows=np.array([node.n_rows for node in nodes], np.int64),
            impurity=np.array([node.impurity for node in nodes]),
            gain=np.array(self.gain),
            variance=_variances(nodes),
            stop=np.array(self.stop, np.uint8),
            ledger=ledger_of(self.pages, len(self.table.schema)) if keep_ledger else None,
        )


def _variances(nodes: list[ClassNode | ValueNode]) -> npt.NDArray[np.float64] | None:
    found = [node.variance for node in nodes if isinstance(node, ValueNode)]
    return np.array(found) if found else None


def _children_of_categories(split: Split, column: Categories, heaviest: int) -> list[int]:
    """The child of each category. One that is absent goes with the next in order, or, without order, with most rows."""
    children: list[int] = split.group_of[:-1].tolist()
    absent = heaviest
    if column.is_ordered:
        absent = max((child for child in children if child >= 0), default=heaviest)
    for code in range(len(children) - 1, -1, -1):
        if children[code] < 0:
            children[code] = absent
        elif column.is_ordered:
            absent = children[code]
    return children


def candidate_of(feature: int, look: Look) -> Candidate:
    """A look as the working shows it."""
    split = look.split
    if split is None:
        return Candidate(feature, look.verdict)
    return Candidate(
        feature,
        look.verdict,
        cut=None if np.isnan(split.cut) else split.cut,
        gain=split.gain,
        statistic=split.merged.statistic,
        p_value=split.merged.p_value,
        adjusted_p=split.merged.adjusted_p,
        parts=_parts(split),
    )


def _parts(split: Split) -> tuple[float, ...]:
    return tuple(split.group_of.astype(float).tolist()) if split.bounds is None else split.bounds


def chaid_page(
    table: Table, here: NodeRows, recipe: Recipe, min_split: float, min_leaf: float
) -> tuple[Candidate, ...]:
    """The candidates of a node made again, from a table and the node's rows in it."""
    assert recipe.chaid is not None
    own = node_of(here.target, here.rows)
    if own.is_pure or own.weight < min_split:  # nobody looks for a split
        return ()
    chooser = Chooser(table, here.target, recipe.chaid, min_leaf)
    looks, _ = chooser.look(here.rows, own)
    return tuple(
        replace(candidate_of(feature, look), parting=_parting(look, chooser.columns[feature], here))
        for feature, look in enumerate(looks)
    )


def _parting(look: Look, column: Categories, here: NodeRows) -> Parting | None:
    if look.split is None:
        return None
    return here.parting(look.split.group_of[column.codes[here.rows]].astype(np.intp), look.split.n_groups)


def ledger_of(pages: dict[int, list[Look]], n_columns: int) -> Ledger:
    """The working of every node that was looked at."""
    looks = [look for page in pages.values() for look in page]
    splits = [look.split for look in looks]
    shape = (-1, n_columns)

    def column(number: Callable[[Split], float]) -> npt.NDArray[np.float64]:
        return np.array([np.nan if s is None else number(s) for s in splits], np.float64).reshape(shape)

    parts: list[tuple[float, ...]] = [() if split is None else _parts(split) for split in splits]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    begins = ends - np.array([len(part) for part in parts], np.int64)
    tests: list[Any] = [
        column(lambda s: s.merged.statistic),
        column(lambda s: s.merged.p_value),
        column(lambda s: s.merged.adjusted_p),
    ]
    return Ledger(
        node=np.array(list(pages), np.int32),
        cut=column(lambda s: s.cut),
        gain=column(lambda s: s.gain),
        split_info=column(lambda _: np.nan),
        verdict=np.array([VERDICTS.index(look.verdict) for look in looks], np.uint8).reshape(shape),
        sides_at=np.full((len(pages), n_columns), -1, np.int64),
        sides=np.empty(0, np.int32),
        tests=np.stack(tests),
        parts_at=np.stack([begins, ends], axis=1).reshape(-1, n_columns, 2),
        parts=np.array([number for part in parts for number in part], np.float64),
    )
