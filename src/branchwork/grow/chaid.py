"""Grow a CHAID tree: every node merges the categories of each feature and is split by the most significant feature.

The tree grows level by level. The core counts the rows of all nodes of a level, merges the categories of every feature
and tests the groups (cpp/core/chaid/). This module compares the features and makes a tree of the splits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.chaid_columns import Categories, categories_of
from branchwork.grow.chaid_looks import look
from branchwork.grow.chaid_tree import SPLIT, GrowingTree, Level, ledger_of, why_unsplit
from branchwork.grow.memory import Room
from branchwork.grow.parting import NodeRows
from branchwork.grow.recipe import Chaid, Recipe
from branchwork.grow.special import special_functions
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.ledger import Candidate, Parting
from branchwork.tree.tree import STOP_REASONS, Tree


def grow_chaid(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    min_split: float,
    min_leaf: float,
    ledger_nodes: int,
    room: Room | None,
    n_jobs: int,
    progress: Callable[[int], None] | None,
) -> tuple[Tree, _core.ChaidGrowth]:
    """Grow a tree. Its values are class weights, or means; `grow` turns them into outputs."""
    assert recipe.chaid is not None
    columns = categories_of(table, target.sample_weights, recipe.chaid, n_jobs)
    growth = _growth(columns, target, recipe.chaid, min_leaf, None, n_jobs)
    tree = GrowingTree(columns)
    deepest = np.inf if recipe.stopping.max_depth is None else recipe.stopping.max_depth
    depth = finished = 0
    while True:
        level = Level.of(growth, target)
        stop = _why_stop(level, depth >= deepest, min_split)
        open_nodes = np.flatnonzero(stop == SPLIT).astype(np.int32)
        keep_page = tree.n_nodes <= ledger_nodes
        looks = look(growth, open_nodes, level, columns, recipe.chaid, all_parts=keep_page)
        stop[open_nodes] = why_unsplit(looks)
        tree.add_level(level, stop, open_nodes, looks, keep_page=keep_page)
        finished += int(level.n_rows[stop != SPLIT].sum())
        if progress is not None:
            progress(finished)
        if not (stop == SPLIT).any():
            return tree.finish(keep_ledger=tree.n_nodes <= ledger_nodes), growth
        if room is not None:
            room.check(tree.n_nodes)
        tree.add_routes(open_nodes, looks, growth.part(looks.best))
        depth += 1


def _growth(
    columns: Categories,
    target: Target,
    settings: Chaid,
    min_leaf: float,
    rows: npt.NDArray[np.int64] | None,
    n_jobs: int = 1,
) -> _core.ChaidGrowth:
    """Prepare growth on the rows of the root; None means all rows."""
    core = _core.ChaidSettings()
    core.exhaustive = settings.variant == "exhaustive"
    core.likelihood = settings.statistic == "likelihood"
    core.alpha_merge = settings.alpha_merge
    core.alpha_resplit = settings.alpha_resplit or 0.0
    core.least_weight = min_leaf
    return _core.ChaidGrowth(columns.core, target.core, rows, core, special_functions(), n_jobs)


def _why_stop(level: Level, is_deepest: bool, min_split: float) -> npt.NDArray[np.uint8]:
    names = ("pure", "max_depth", "too_few_rows", "split")
    pure, deepest, too_few, split = (np.uint8(STOP_REASONS.index(name)) for name in names)
    asked = [level.is_pure, np.full(len(level), is_deepest), level.samples < min_split]
    return np.select(asked, [pure, deepest, too_few], split).astype(np.uint8)


def chaid_page(
    table: Table, here: NodeRows, recipe: Recipe, min_split: float, min_leaf: float
) -> tuple[Candidate, ...]:
    """Compute the candidates of a node again, from a table and the node's rows in it."""
    assert recipe.chaid is not None
    columns = categories_of(table, here.target.sample_weights, recipe.chaid)
    growth = _growth(columns, here.target, recipe.chaid, min_leaf, here.rows.astype(np.int64))
    level = Level.of(growth, here.target)
    if level.is_pure[0] or level.samples[0] < min_split:  # no split is searched here
        return ()
    root = np.zeros(1, np.int32)
    looks = look(growth, root, level, columns, recipe.chaid, all_parts=True)
    page = ledger_of([(root, looks)]).page(0)
    assert page is not None
    return tuple(
        replace(
            one,
            parting=_parting(one, int(looks.missing_group[0, j]), int(looks.groups[0, j]), table, here),
        )
        for j, one in enumerate(page.candidates)
    )


def _parting(one: Candidate, missing_group: int, groups: int, table: Table, here: NodeRows) -> Parting | None:
    """Return the rows of each group of a candidate."""
    if one.parts is None or one.gain is None:
        return None
    cells = table.arrays[one.feature][here.rows]
    parts = np.array(one.parts)
    if table.schema[one.feature].is_nominal:
        branch = parts[np.where(cells < 0, len(parts) - 1, cells)]
    else:
        branch = np.where(np.isnan(cells), missing_group, np.searchsorted(parts, cells.astype(np.float64)))
    return here.parting(branch.astype(np.intp), groups)
