"""Compute the working of a node from given rows, which are prepared as they were for growth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from branchwork.grow.grow import check_target
from branchwork.grow.recipe import Recipe
from branchwork.grow.replay import replay
from branchwork.learn.honest import halves
from branchwork.learn.prune_cv import rows_with_a_cell
from branchwork.learn.pruned import growing_rows
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import Page

MOST_PAGES = 40
"""The largest number of nodes whose working is computed for a page ..."""
MOST_CELLS = 2_500_000
"""... and the largest number of cells that are read for it, over all nodes: two or three seconds."""

MOST_CUTS = 48
"""The largest number of points of a gain curve on a page."""


def largest_pages(model: Model, table: Table, target: Target) -> dict[int, Page]:
    """Return the pages of the nodes with most rows, by node: empty unless the rows are those that grew the tree.

    A tree from another library has no recipe to make them by.
    """
    if "library" in model.recipe:
        return {}
    found: dict[int, Page] = {}
    of_numbers = not isinstance(target, Classes)
    looked_at, columns = 0, sum(of_numbers or not column.is_nominal for column in table.schema)
    for node in np.argsort(-model.tree.weight, kind="stable")[:MOST_PAGES].tolist():
        looked_at += table.n_rows + int(model.tree.n_rows[node]) * columns
        if found and looked_at > MOST_CELLS:
            break
        page = page_from_rows(model, node, table, target, most_cuts=MOST_CUTS)
        given = page.handed_in
        is_own = given is not None and (given.of_training or given.chose)
        if node == 0 and not is_own:
            return {}
        if is_own and page.candidates:
            found[node] = page
    return found


def page_from_rows(
    model: Model, node: int, table: Table, target: Target, *, most_cuts: int | None = None
) -> Page:
    """Return the page of a node of a model with one tree; the rows are in the columns and labels of the model.

    Reduced-error pruning holds a part of the rows out. If the whole table is handed back, the page is that of the rows
    that grew the tree. `most_cuts` is as in `replay`.
    """
    recipe = Recipe.from_dict(model.recipe)
    check_target(table, target, recipe)
    table, target = without_unused_rows(table, target, recipe)
    with_majority = model.handle_unknown == "majority"
    page = replay(
        model.tree, table, target, recipe, node, unseen_with_majority=with_majority, most_cuts=most_cuts
    )
    if recipe.honest is not None:
        return _page_of_chooser(model, node, table, target, recipe, most_cuts) or page
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
        most_cuts=most_cuts,
    )
    return part if part.handed_in and part.handed_in.of_training else page


def _page_of_chooser(
    model: Model, node: int, table: Table, target: Target, recipe: Recipe, most_cuts: int | None
) -> Page | None:
    """Return the page of the half that chose the splits of an honest tree; None: these are not the training rows."""
    assert recipe.honest is not None
    parts, with_majority = halves(target, recipe.honest), model.handle_unknown == "majority"
    rows = table.take(parts.estimate), target.take(parts.estimate)
    other = replay(model.tree, *rows, recipe, 0, unseen_with_majority=with_majority).handed_in
    if other is None or not other.of_training:
        return None
    rows = table.take(parts.structure), target.take(parts.structure)
    page = replay(model.tree, *rows, recipe, node, unseen_with_majority=with_majority, most_cuts=most_cuts)
    assert page.handed_in is not None
    return replace(page, handed_in=replace(page.handed_in, chose=True))


def without_unused_rows(table: Table, target: Target, recipe: Recipe) -> tuple[Table, Target]:
    """Return the rows that growth uses: those that have a weight and, as in rpart, at least one known cell."""
    used = np.ones(table.n_rows, bool) if target.weights is None else target.weights > 0
    if recipe.search.rules == "rpart":
        has_cell = np.zeros(table.n_rows, bool)
        has_cell[rows_with_a_cell(table)] = True
        used &= has_cell
    if used.all():
        return table, target
    rows = np.flatnonzero(used)
    return table.take(rows), target.take(rows)
