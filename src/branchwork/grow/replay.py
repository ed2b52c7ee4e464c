"""The working of a node from rows that are handed in: every candidate, its branches, and every cut.

The core grows a tree of depth one on the rows that reach the node, by the recipe of the whole tree. Its ledger is then
the page of the node, whatever the recipe does: C4.5's rules, shared rows, groups of values and grids need no code here.

What a node knows of the rest of the table is told to the core: features that were used above are constant columns,
limits that depend on the table are limits on this node, and C4.5 is shown the whole table as well, because its cuts
are values of that table.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.chaid import chaid_page
from branchwork.grow.cut_list import cuts_of
from branchwork.grow.grow import core_ledger, core_options, least_gain, sample_limits
from branchwork.grow.parting import NodeRows, part, part_by_tree
from branchwork.grow.recipe import Recipe
from branchwork.grow.tree_split import marked
from branchwork.table.table import MISSING, Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply, shares
from branchwork.tree.ledger import Candidate, Group, HandedIn, Page
from branchwork.tree.tree import Tree
from branchwork.tree.walk import path_to, preorder

QUINLAN = ("c45", "j48")
SAME = 1e-6
"""Numbers that differ by less than this share of themselves are equal: sums of shares are rounded."""
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
) -> Page:
    """Return the page of a node, computed from the rows of a table that reach it.

    Rows that were handed back are those that the tree was grown on, and the page is then the one of its ledger, with
    the branches and the cuts of each candidate. Of any other rows it says what they would have made the node choose.

    Parameters
    ----------
    whole : a table of more rows than the tree was grown on, as in `grow`; None: there are no more.
    unseen_with_majority : do unseen categories go with the majority?
    """
    here = rows_of(tree, table, target, recipe, node, unseen_with_majority=unseen_with_majority)
    whole = whole or (table, target)
    of_training = is_training(tree, node, here.all, recipe)
    handed_in = HandedIn(len(here.rows), here.all, of_training, whole[1].total_weight)
    if not here.all.weight > 0:
        return Page(node, (), handed_in)
    if recipe.chaid is not None:
        candidates = chaid_page(table, here, recipe, *sample_limits(recipe))
    else:
        candidates = _candidates(tree, table, here, recipe, node, whole)
    own = None if tree.is_leaf(node) else part_by_tree(tree, node, here, table, recipe)
    return Page(node, marked(candidates, tree, node, own, here, recipe, table.schema), handed_in)


def rows_of(
    tree: Tree,
    table: Table,
    target: Target,
    recipe: Recipe,
    node: int,
    *,
    unseen_with_majority: bool = False,
) -> NodeRows:
    """The rows that reach a node; of a row that is shared, the share that does."""
    inside = np.zeros(tree.n_nodes, bool)
    inside[list(preorder(tree, node))] = True
    if not tree.shares_rows:
        leaf = apply(tree, table, unseen_with_majority=unseen_with_majority)
        return NodeRows.of(target, np.flatnonzero(inside[leaf]), recipe.criterion)
    found = shares(tree, table, unseen_with_majority=unseen_with_majority)
    here = np.add.reduceat(found.share * inside[found.leaf], found.starts[:-1])
    rows = np.flatnonzero(here > 0)
    return NodeRows.of(target, rows, recipe.criterion, here[rows])


def is_training(tree: Tree, node: int, rows: Group, recipe: Recipe) -> bool:
    """Whether these are the rows that the tree says the node has, as far as rounding can tell."""
    weight, impurity = float(tree.weight[node]), float(tree.impurity[node])
    if abs(rows.weight - weight) > SAME * weight:
        return False
    if tree.distribution is not None:
        gap = np.abs(tree.distribution[node] - np.array(rows.counts))
        return bool((gap <= SAME * weight).all())
    if recipe.criterion == "poisson":  # the answer of a node may be a shrunken rate, which is no mean
        return abs(rows.impurity - impurity) <= SAME * (impurity + 1)
    mean = float(tree.value[node, 0])
    spread = SAME * (abs(mean) + impurity**0.5)
    is_mean = abs((rows.mean or 0.0) - mean) <= spread
    return is_mean and abs(rows.impurity - impurity) <= SAME * impurity + spread**2


def _candidates(
    tree: Tree, table: Table, here: NodeRows, recipe: Recipe, node: int, whole: tuple[Table, Target]
) -> tuple[Candidate, ...]:
    used = _used_above(tree, table, node, recipe)
    columns, target = _columns_here(table, here.rows, used), here.own_target()
    options = core_options(recipe, whole[1])
    options.max_depth, options.max_leaves, options.ledger_nodes = 1, -1, UNLIMITED
    options.collapse = options.data_cuts = False
    needed = least_gain(recipe, here.all.weight, float(tree.weight[0]))
    options.min_gain, options.min_decrease = max(needed, 0.0), 0.0
    if recipe.search.rules in QUINLAN and isinstance(whole[1], Classes):
        weight = float(whole[1].counts.sum())
        grown = _core.grow(columns.core, target.core, options, None, _seen(whole[0]).core, weight)
    else:
        grown = _core.grow(columns.core, target.core, options, None)
    ledger = core_ledger(grown, len(table.schema), recipe)
    page = None if ledger is None else ledger.page(0)
    if page is None:  # nobody looks for a split of these rows: they are pure, or too few
        return ()
    missing_child = grown.ledger_missing_child.tolist()
    cuts = cuts_of(columns, target, options, recipe, here.all)
    found = []
    for j, one in enumerate(page.candidates):
        one = replace(one, verdict="used_above") if used[j] else one
        parting = part(one, here, table, recipe, missing_child[j])
        one = replace(one, parting=parting, cuts=cuts(one))
        found.append(_with_data_cut(one, whole[0], recipe))
    return tuple(found)


def _columns_here(table: Table, rows: npt.NDArray[np.intp], used: npt.NDArray[np.bool_]) -> Table:
    """The columns of some rows. A column that must not be used again is constant; unseen categories are missing."""
    arrays = []
    for column, cells, is_used in zip(table.schema, table.arrays, used.tolist(), strict=True):
        own = np.zeros(len(rows), np.int32) if is_used else cells[rows]
        arrays.append(np.maximum(own, MISSING) if column.is_nominal else own)
    return Table(table.schema, tuple(arrays))


def _seen(table: Table) -> Table:
    """A table in which unseen categories are missing."""
    if table.first_unseen is None:
        return table
    return _columns_here(table, np.arange(table.n_rows), np.zeros(len(table.schema), bool))


def _used_above(tree: Tree, table: Table, node: int, recipe: Recipe) -> npt.NDArray[np.bool_]:
    used = np.zeros(len(table.schema), bool)
    if recipe.search.nominal != "multiway":
        return used
    for ancestor in path_to(tree, node)[:-1]:
        feature = int(tree.feature[ancestor])
        used[feature] |= table.schema[feature].is_nominal
    return used


def _with_data_cut(one: Candidate, table: Table, recipe: Recipe) -> Candidate:
    """With cut="data" a midpoint gives way to the largest value of the table that is not above it."""
    if recipe.search.cut != "data" or recipe.search.rules in QUINLAN or one.cut is None or np.isinf(one.cut):
        return one
    cells = table.arrays[one.feature].astype(np.float64)
    return replace(one, cut=float(cells[cells <= one.cut].max()))
