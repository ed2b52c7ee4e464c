"""The working of a node made again from the training data: every candidate, every cut, and the chi-square test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.chaid import chaid_page
from branchwork.grow.grow import check_fit, core_options, least_gain, sample_limits
from branchwork.grow.recipe import Recipe
from branchwork.measure.chance import chi_square
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.ledger import Candidate, Cut, Page, candidate
from branchwork.tree.tree import Tree
from branchwork.tree.walk import path_to, preorder


def replay(tree: Tree, table: Table, target: Target, recipe: Recipe, node: int) -> Page:
    """The page of a node, with every cut of every numeric column.

    The data must be what the tree was grown on: its rows that reach the node are what the choice was made from.
    """
    check_fit(table, target, recipe)
    if recipe.search.missing == "share":
        raise ParameterError(
            "Where rows are shared among branches, the working cannot be made again from the data. Trees of up to "
            "1 000 nodes keep it: call working(node) without X and y, or fit with max_depth."
        )
    rows = np.flatnonzero(_subtree(tree, node)[apply(tree, table)]).astype(np.uint32)
    if recipe.chaid is not None:
        return chaid_page(table, target, recipe, rows.astype(np.intp), node, sample_limits(recipe)[1])
    options = core_options(recipe, target)
    tally = _core.tally(table.core, target.core, rows, options)
    used = _used_above(tree, table, node, recipe)
    choice = _core.choose(tally, used, least_gain(recipe, tally.weight, float(tree.weight[0])), options)
    candidates = [
        candidate(c.feature, c.cut, c.gain, c.split_info, c.verdict, c.sides.tolist())
        for c in choice.candidates
    ]
    weight = tally.weight
    for j, column in enumerate(table.schema):
        if candidates[j].gain is None:
            continue
        if not column.is_nominal:
            candidates[j] = replace(candidates[j], cuts=_cuts(tally, j, options, choice.parent, weight))
        if isinstance(target, Classes):
            candidates[j] = _with_chi_square(candidates[j], tally, j, column.is_nominal)
    return Page(node, tuple(candidates))


def _subtree(tree: Tree, root: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which nodes lie in the subtree of a node, itself included."""
    inside = np.zeros(tree.n_nodes, bool)
    for node in preorder(tree, root):
        inside[node] = True
    return inside


def _used_above(
    tree: Tree, table: Table, node: int, recipe: Recipe
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    used = np.zeros(len(table.schema), bool)
    if recipe.search.nominal != "multiway":
        return used
    for ancestor in path_to(tree, node)[:-1]:
        feature = int(tree.feature[ancestor])
        used[feature] |= table.schema[feature].is_nominal
    return used


def _cuts(
    tally: _core.NodeTally, j: int, options: _core.Options, parent: float, weight: float
) -> tuple[Cut, ...]:
    rows = _core.list_cuts(tally, j, options).reshape(-1, 5).tolist()
    return tuple(Cut(cut, (parent - cost) / weight, *sides) for cut, cost, *sides in rows)


def _with_chi_square(best: Candidate, tally: _core.NodeTally, j: int, is_nominal: bool) -> Candidate:
    """Pearson's test of branches against classes, over branches and classes that have rows."""
    stats = tally.columns[j].stats.reshape(-1, len(tally.total))
    if is_nominal or best.cut is None:
        branches = stats
    else:
        known, left = stats[1:], tally.columns[j].values <= best.cut
        branches = np.stack([known[left].sum(0), known[~left].sum(0), stats[0]])
    statistic, p_value = chi_square(branches)
    return replace(best, statistic=statistic, p_value=p_value)
