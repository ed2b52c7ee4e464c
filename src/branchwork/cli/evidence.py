"""The working of a node for the commands: as it was kept while the tree grew, or made again from the data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from branchwork.errors import DataError, ParameterError

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.tree.ledger import Page
    from branchwork.view.working import Working

    Rows = tuple[Table, Target]

MOST_CANDIDATES = 10
"""Candidates of a split that are printed; JSON has all of them."""
WIDEST_TEST = 50
"""Characters of a test that are printed beside its numbers."""


def root_working(model: Model, table: Table, target: Target) -> Working:
    """Return the working of the root of a tree that was just grown on these rows, for a tree of any size."""
    from branchwork.view.working import working

    return working(model, 0, _kept(model, 0) or _page_of_root(model, table, target), model.unit)


def node_working(model: Model, node: int, rows: Rows | None, file: str) -> Working:
    """Return the working of a node: the one that was kept or, with the training rows, one that is made again."""
    from branchwork.view.working import working

    _check_node(model, node)
    if rows is None:
        if model.tree.ledger is None:
            raise ParameterError(
                f"{file} does not hold the working of its nodes. Name the training data to make it again: "
                f"branchwork show {file} --node {node} --data FILE --target COLUMN"
            )
        return working(model, node, _kept(model, node), model.unit)
    return working(model, node, page_again(model, node, *rows), model.unit)


def page_again(model: Model, node: int, table: Table, target: Target) -> Page | None:
    """Return the page of a node, made again from the training rows, without the single cuts.

    None: the node is a leaf that was never looked at.
    """
    from branchwork.grow.recipe import Recipe
    from branchwork.grow.replay import recount, replay
    from branchwork.tree.ledger import Page

    _check_rows(model, node, table, target)
    recipe = Recipe.from_dict(model.recipe)
    page: Page | None
    if recipe.search.missing != "share":
        page = replay(model.tree, table, target, recipe, node)
    elif model.tree.ledger is not None:
        kept = _kept(model, node)
        page = kept and recount(kept, model.tree, table, target, recipe)
    elif node == 0:
        page = _page_of_root(model, table, target)
    else:
        raise ParameterError(
            f"The working of node {node} cannot be made again: this method shares rows among branches. The root's can "
            "(--node 0), and a tree of up to 1 000 nodes before pruning keeps that of every node: grow it with "
            "--max-depth."
        )
    return page and Page(page.node, tuple(replace(one, cuts=()) for one in page.candidates))


def _kept(model: Model, node: int) -> Page | None:
    ledger = model.tree.ledger
    return None if ledger is None else ledger.page(node)


def _page_of_root(model: Model, table: Table, target: Target) -> Page:
    """Return the page of the root from one more split of all rows, by the same recipe."""
    from branchwork.grow.grow import grow
    from branchwork.grow.recipe import Recipe
    from branchwork.tree.ledger import Page

    recipe = Recipe.from_dict(model.recipe)
    once = recipe.replace(
        stopping=replace(recipe.stopping, max_depth=1), search=recipe.search.replace(collapse=False)
    )
    tree, _ = grow(table, target, once)
    page = None if tree.ledger is None else tree.ledger.page(0)
    return page or Page(0, ())


def _check_node(model: Model, node: int) -> None:
    if not 0 <= node < model.tree.n_nodes:
        raise ParameterError(f"--node {node}; the tree has nodes 0 to {model.tree.n_nodes - 1}.")


def _check_rows(model: Model, node: int, table: Table, target: Target) -> None:
    """Refuse rows that the tree was not grown on: their working would be about another tree."""
    from branchwork.learn.risk import sample_weights
    from branchwork.table.target import Classes

    only = f"The working of node {node} can only be made again from the training data"
    given, grown = float(sample_weights(target).sum()), float(model.tree.weight[0])
    if not np.isclose(given, grown, rtol=1e-9):
        raise DataError(
            f"The tree was grown on rows of total weight {grown:g}, but --data has {given:g}. {only}; if they had "
            "weights, add --weights COLUMN."
        )
    if isinstance(target, Classes):
        same = np.allclose(target.counts, model.tree.distribution[0])  # type: ignore[index]
    else:
        same = np.isclose(np.average(target.values, weights=target.weights), model.tree.value[0, 0])
    if not same:
        raise DataError(f"The target in --data is not the one that the tree was grown on. {only}.")


def best_of(working: Working, most: int = MOST_CANDIDATES) -> tuple[Working, str]:
    """Return the chosen candidate and the next best ones by gain, and a line that counts those left out."""
    from branchwork.view.digits import shortened

    rows = sorted(
        working.rows,
        key=lambda row: (
            row["verdict"] != "chosen",
            row["gain"] is None,
            -(row["gain"] if row["gain"] is not None else 0.0),
        ),
    )
    rows = [{**row, "test": row["test"] and shortened(row["test"], WIDEST_TEST)} for row in rows[:most]]
    left = len(working.rows) - most
    line = f"… {left} more feature{'s' * (left != 1)}" if left > 0 else ""
    return replace(working, rows=tuple(rows)), line
