"""The working of a node for the commands: as it was kept while the tree grew, or made again from the data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.tree.ledger import Page
    from branchwork.view.working import Working

    LabelledRows = tuple[Table, Target]

MOST_CANDIDATES = 10
"""Candidates of a split that are printed; JSON has all of them."""
WIDEST_TEST = 50
"""Characters of a test that are printed beside its numbers."""


def root_working(model: Model, table: Table, target: Target) -> Working:
    """Return the working of the root of a tree that was just grown on these rows, for a tree of any size."""
    from branchwork.view.working import working

    return working(model, 0, _kept_root(model) or page_again(model, 0, table, target), model.unit)


def _kept_root(model: Model) -> Page | None:
    return None if model.tree.ledger is None else model.tree.ledger.page(0)


def node_working(model: Model, node: int, rows: LabelledRows | None, file: str) -> Working:
    """Return the working of a node: the one that was kept or, with the training rows, one that is made again."""
    from branchwork.view.working import working

    if not 0 <= node < model.tree.n_nodes:
        raise ParameterError(f"--node {node}; the tree has nodes 0 to {model.tree.n_nodes - 1}.")
    if rows is None and model.tree.ledger is None:
        raise ParameterError(
            f"{file} does not hold the working of its nodes. Name the training data to make it again: "
            f"branchwork show {file} --node {node} --data FILE --target COLUMN"
        )
    if rows is None:
        return model.working(node)
    return working(model, node, page_again(model, node, *rows), model.unit)


def page_again(model: Model, node: int, table: Table, target: Target) -> Page:
    """Return the page of a node, made again from rows; of other rows than those of training it says so."""
    from branchwork.learn.handed_back import page_from_rows

    return page_from_rows(model, node, table, target)


def best_of(model: Model, working: Working, most: int = MOST_CANDIDATES) -> tuple[Working, str]:
    """Return the chosen candidate and the next best ones, and a line that counts those left out."""
    from branchwork.view.candidate_row import best_first
    from branchwork.view.digits import shortened

    best = [working.rows[k] for k in best_first(model, working.rows)[:most]]
    rows = [{**row, "test": row["test"] and shortened(row["test"], WIDEST_TEST)} for row in best]
    left = len(working.rows) - most
    line = f"… {left} more feature{'s' * (left != 1)}" if left > 0 else ""
    return replace(working, rows=tuple(rows)), line
