"""The working of a node from rows that are handed in: the rows are prepared as they were for growth."""

from __future__ import annotations

import numpy as np

from branchwork.grow.grow import check_target
from branchwork.grow.recipe import Recipe
from branchwork.grow.replay import replay
from branchwork.learn.prune_cv import rows_with_a_cell
from branchwork.learn.pruned import growing_rows
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import Page


def page_from_rows(model: Model, node: int, table: Table, target: Target) -> Page:
    """Return the page of a node of a model with one tree; the rows are in the columns and labels of the model.

    Reduced-error pruning holds a part of the rows out. If the whole table is handed back, the page is that of the rows
    that grew the tree.
    """
    recipe = Recipe.from_dict(model.recipe)
    check_target(table, target, recipe)
    table, target = without_unused_rows(table, target, recipe)
    with_majority = model.handle_unknown == "majority"
    page = replay(model.tree, table, target, recipe, node, unseen_with_majority=with_majority)
    held_out = recipe.pruning is not None and recipe.pruning.method == "reduced_error"
    if not held_out or not isinstance(target, Classes) or (page.handed_in and page.handed_in.of_training):
        return page
    grown = growing_rows(target, recipe)
    part = replay(
        model.tree,
        table.take(grown),
        target.take(grown),
        recipe,
        node,
        whole=(table, target),
        unseen_with_majority=with_majority,
    )
    return part if part.handed_in and part.handed_in.of_training else page


def without_unused_rows(table: Table, target: Target, recipe: Recipe) -> tuple[Table, Target]:
    """The rows that growth looks at: those that have a weight and, as rpart has it, at least one known cell."""
    used = np.ones(table.n_rows, bool) if target.weights is None else target.weights > 0
    if recipe.search.rules == "rpart":
        has_cell = np.zeros(table.n_rows, bool)
        has_cell[rows_with_a_cell(table)] = True
        used &= has_cell
    if used.all():
        return table, target
    rows = np.flatnonzero(used)
    return table.take(rows), target.take(rows)
