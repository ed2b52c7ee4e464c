"""Compute the page of a node from given rows: every candidate, its branches, and every threshold.

The core grows a tree of depth one on the rows that reach the node, with the recipe of the whole tree. The ledger of
that tree is the page of the node. So C4.5's rules, shared rows, groups of values and grids need no code here.

The core must also know what depends on the rest of the table. Features that were used above become constant columns,
limits that depend on the table become limits for this node, and C4.5 gets the whole table as well, because its
thresholds are values of that table.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.arrival import arrive
from branchwork.grow.chaid import chaid_page
from branchwork.grow.cut_list import cuts_of
from branchwork.grow.grow import core_options, least_gain, sample_limits
from branchwork.grow.grown import core_ledger
from branchwork.grow.parting import NodeRows, part, part_by_tree
from branchwork.grow.recipe import Recipe
from branchwork.grow.tree_split import marked
from branchwork.table.levels import merged
from branchwork.table.table import MISSING, Table
from branchwork.table.target import Classes, Target
from branchwork.tree.expand import expand_page
from branchwork.tree.ledger import Candidate, HandedIn, Page
from branchwork.tree.tree import Tree
from branchwork.tree.walk import path_to

QUINLAN = ("c45", "j48")
UNLIMITED = 2**31 - 1


def replay(
    tree: Tree,
    table: Table,
    target: Target,
    recipe: Recipe,
    node: int,
    *,
    whole: tuple[Table, Target] | None = None,
    unseen_with_majority: bool = False,
    most_cuts: int | None = None,
) -> Page:
    """Return the page of a node, computed from the rows of a table that reach it.

    For the rows that the tree was grown on, this is the page of its ledger, with the branches and the thresholds of
    each candidate. For any other rows, it says which split they would have chosen.

    Parameters
    ----------
    whole : a table with more rows than the tree was grown on, as in `grow`; None: there is none.
    unseen_with_majority : whether unseen categories go with the majority.
    most_cuts : list at most this many thresholds per feature (see `best_of_strips`); None: all.
    """
    arrived = arrive(tree, table, target, unseen_with_majority=unseen_with_majority)
    here = arrived.rows_of(node, recipe.criterion)
    whole = whole or (table, target)
    of_training = arrived.are_of_training(node, recipe.criterion)
    handed_in = HandedIn(len(here.rows), here.all, of_training, whole[1].total_weight)
    if not here.all.weight > 0:
        return Page(node, (), handed_in)
    seen = merged(table)
    if recipe.chaid is not None:
        candidates = chaid_page(seen, here, recipe, *sample_limits(recipe, target))
    else:
        root_weight = float(tree.weight[0]) if of_training else handed_in.table_weight
        needed = least_gain(recipe, here.all.weight, root_weight)
        used = _used_above(tree, table, node, recipe)
        candidates = _candidates(seen, here, recipe, (merged(whole[0]), whole[1]), needed, used, most_cuts)
    candidates = expand_page(Page(node, candidates), table.schema).candidates
    own = None if tree.is_leaf(node) else part_by_tree(tree, node, here, table, recipe)
    return Page(node, marked(candidates, tree, node, own, here, recipe, table.schema), handed_in)


def _candidates(
    table: Table,
    here: NodeRows,
    recipe: Recipe,
    whole: tuple[Table, Target],
    needed: float,
    used: npt.NDArray[np.bool_],
    most_cuts: int | None,
) -> tuple[Candidate, ...]:
    """Return the best split of each feature. It must gain at least `needed`; features that are `used` up have none."""
    columns, target = _columns_here(table, here.rows, used), here.own_target()
    options = core_options(recipe, whole[1])
    options.max_depth, options.max_leaves, options.ledger_nodes = 1, -1, UNLIMITED
    options.collapse = options.data_cuts = False
    options.min_gain, options.min_decrease = max(needed, 0.0), 0.0
    if recipe.search.rules in QUINLAN and isinstance(whole[1], Classes):
        weight = float(whole[1].counts.sum())
        grown = _core.grow(columns.core, target.core, options, None, _seen(whole[0]).core, weight)
    else:
        grown = _core.grow(columns.core, target.core, options, None)
    ledger = core_ledger(grown, len(table.schema), recipe)
    page = None if ledger is None else ledger.page(0)
    if page is None:  # no split is searched: the rows are pure, or too few
        return ()
    missing_child = grown.ledger_missing_child.tolist()
    cuts = cuts_of(columns, target, options, recipe, here.all, most_cuts)
    found = []
    for j, one in enumerate(page.candidates):
        one = replace(one, verdict="used_above") if used[j] else one
        parting = part(one, here, table, recipe, missing_child[j])
        one = replace(one, parting=parting, cuts=cuts(one))
        found.append(_with_data_cut(one, whole[0], recipe))
    return tuple(found)


def _columns_here(table: Table, rows: npt.NDArray[np.intp], used: npt.NDArray[np.bool_]) -> Table:
    """Return the table of some rows. Features that are used up become constant; unseen categories become missing."""
    arrays = []
    for column, cells, is_used in zip(table.schema, table.arrays, used.tolist(), strict=True):
        own = np.zeros(len(rows), np.int32) if is_used else cells[rows]
        arrays.append(np.maximum(own, MISSING) if column.is_nominal else own)
    return Table(table.schema, tuple(arrays))


def _seen(table: Table) -> Table:
    """Return a table in which unseen categories are missing."""
    if table.first_unseen is None:
        return table
    return _columns_here(table, np.arange(table.n_rows), np.zeros(len(table.schema), bool))


def _used_above(tree: Tree, table: Table, node: int, recipe: Recipe) -> npt.NDArray[np.bool_]:
    used = np.zeros(len(table.schema), bool)
    nominal = recipe.search.nominal
    for ancestor in path_to(tree, node)[:-1]:
        column = table.schema[int(tree.feature[ancestor])]
        one_branch_each = nominal == "multiway" or (nominal == "groups" and column.n_levels <= 2)
        used[tree.feature[ancestor]] |= column.is_nominal and one_branch_each
    return used


def _with_data_cut(one: Candidate, table: Table, recipe: Recipe) -> Candidate:
    """Replace a midpoint by the largest value of the table that is not above it, with cut="data"."""
    if recipe.search.cut != "data" or recipe.search.rules in QUINLAN or one.cut is None or np.isinf(one.cut):
        return one
    cells = table.arrays[one.feature].astype(np.float64)
    return replace(one, cut=float(cells[cells <= one.cut].max()))
