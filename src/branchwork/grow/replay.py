"""The working of a node made again from the training data: every candidate, its branches, every cut, and the test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.chaid import chaid_page
from branchwork.grow.grow import check_fit, core_options, least_gain, sample_limits
from branchwork.grow.memory import check_tally
from branchwork.grow.parting import NodeRows, part
from branchwork.grow.recipe import Recipe
from branchwork.measure.chance import chi_square, f_test
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply, shares
from branchwork.tree.ledger import Candidate, Cut, Page, candidate
from branchwork.tree.tree import Tree
from branchwork.tree.walk import path_to, preorder

QUINLAN = ("c45", "j48")
ENOUGH = 25.0
"""Rows on either side of a cut that are always enough for C4.5."""
NOTHING = 1e-12
"""Squares within branches that are less than this share of all of them are rounding."""


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
    here = _rows_of(tree, table, target, recipe, node)
    rows = here.rows.astype(np.uint32)
    if recipe.chaid is not None:
        return chaid_page(table, here, recipe, node, sample_limits(recipe)[1])
    options = core_options(recipe, target)
    check_tally(table, target, rows)
    tally = _core.tally(table.core, target.core, rows, options)
    used = _used_above(tree, table, node, recipe)
    choice = _core.choose(tally, used, least_gain(recipe, tally.weight, float(tree.weight[0])), options)
    candidates = [
        candidate(c.feature, c.cut, c.gain, c.split_info, c.verdict, c.sides.tolist())
        for c in choice.candidates
    ]
    for j, column in enumerate(table.schema):
        one = candidates[j]
        one = replace(one, parting=part(one, here, table, recipe, choice.candidates[j].missing_child))
        if one.gain is not None and not column.is_nominal:
            one = replace(one, cuts=_cuts(tally, j, options, choice.parent))
        candidates[j] = _tested(one, recipe)
    return Page(node, tuple(candidates))


def recount(page: Page, tree: Tree, table: Table, target: Target, recipe: Recipe) -> Page:
    """A page that was kept, with every candidate's branches and cuts counted again from the training data.

    For rows that are shared among branches. What a cut gains is what it gained before C4.5's price for choosing it.
    """
    here = _rows_of(tree, table, target, recipe, page.node)
    options = core_options(recipe, target)
    if recipe.search.rules in QUINLAN:
        options.min_leaf_samples = min(options.min_leaf_samples, ENOUGH)
    rows = here.rows.astype(np.uint32)
    check_tally(table, target, rows)
    tally = _core.tally(table.core, here.weighted_target().core, rows, options)
    parent = float(tree.impurity[page.node]) * tally.weight
    found = []
    for one in page.candidates:
        cuts: tuple[Cut, ...] = ()
        if one.cut is not None:
            cuts = _cuts(tally, one.feature, options, parent)
        found.append(
            replace(one, parting=part(one, here, table, recipe), cuts=_admitted(cuts, recipe, target))
        )
    return Page(page.node, tuple(found))


def _admitted(cuts: tuple[Cut, ...], recipe: Recipe, target: Target) -> tuple[Cut, ...]:
    """Cuts that C4.5 looks at: each side has a tenth of a class's rows on average, or as many as a branch must have.

    `ENOUGH` are enough, even where a branch must have more and the tenth is more still (`min_side` in quinlan.hpp).
    """
    if recipe.search.rules not in QUINLAN or not cuts or not isinstance(target, Classes):
        return cuts
    known = cuts[0].left + cuts[0].right
    fewest, tenth = sample_limits(recipe)[1], 0.1 * known / len(target.labels)
    least = fewest if fewest >= tenth * (1 - 1e-9) else min(tenth, ENOUGH)
    return tuple(cut for cut in cuts if min(cut.left, cut.right) >= least * (1 - 1e-9))


def _rows_of(tree: Tree, table: Table, target: Target, recipe: Recipe, node: int) -> NodeRows:
    """The rows that reach a node; of a row that is shared, the share that does."""
    inside = _subtree(tree, node)
    if not tree.shares_rows:
        return NodeRows.of(target, np.flatnonzero(inside[apply(tree, table)]), recipe.criterion)
    found = shares(tree, table)
    here = np.add.reduceat(found.share * inside[found.leaf], found.starts[:-1])
    rows = np.flatnonzero(here > 0)
    return NodeRows.of(target, rows, recipe.criterion, here[rows])


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


def _cuts(tally: _core.NodeTally, j: int, options: _core.Options, parent: float) -> tuple[Cut, ...]:
    rows = _core.list_cuts(tally, j, options).reshape(-1, 5).tolist()
    return tuple(Cut(cut, (parent - cost) / tally.weight, *sides) for cut, cost, *sides in rows)


def _tested(candidate: Candidate, recipe: Recipe) -> Candidate:
    """With Pearson's test of branches against classes, or the F test of their means. Deviances have no test."""
    if candidate.parting is None or recipe.criterion == "poisson":
        return candidate
    branches = candidate.parting.branches
    if recipe.is_classification:
        statistic, p_value = chi_square(np.array([group.counts for group in branches], np.float64))
        return replace(candidate, statistic=statistic, p_value=p_value)
    weight = np.array([group.weight for group in branches])
    mean = np.array([group.mean for group in branches])
    whole = candidate.parting.whole
    squares = whole.impurity * (whole.weight - (1 if recipe.criterion == "variance" else 0))
    within = squares - float(weight @ (mean - (whole.mean or 0.0)) ** 2)
    statistic, p_value = f_test(weight, mean, within if within > NOTHING * squares else 0.0)
    return replace(candidate, statistic=statistic, p_value=p_value)
