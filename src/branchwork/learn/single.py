"""Learn a single tree: drop what has no weight, grow, and wrap the tree in a model."""

from __future__ import annotations

import numpy as np

from branchwork.errors import OneClassWarning, warn
from branchwork.grow.grow import Progress, SearchCost, check_fit, grow
from branchwork.grow.recipe import Recipe
from branchwork.model.model import Model
from branchwork.table.conform import HandleUnknown
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import STOP_REASONS, Tree


def learn(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    handle_unknown: HandleUnknown = "missing",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Model, SearchCost]:
    """Learn one tree."""
    check_fit(table, target, recipe)
    table, target = without_weightless_rows(table, target)
    tree, cost = grow(table, target, recipe, n_jobs=n_jobs, progress=progress)
    one_answer_warning(tree, target)
    labels = target.labels if isinstance(target, Classes) else None
    return Model(table.schema, labels, (tree,), recipe.to_dict(), handle_unknown), cost


def one_answer_warning(tree: Tree, target: Target) -> None:
    """Say that there was nothing to learn."""
    if STOP_REASONS[tree.stop[0]] == "pure":
        what = "one class" if isinstance(target, Classes) else "one value"
        warn(f"The target has {what} only, so the tree is a single leaf.", OneClassWarning)


def without_weightless_rows(table: Table, target: Target) -> tuple[Table, Target]:
    """A row of weight 0 is as if absent: no label, no category, no candidate cut, no row count."""
    if target.weights is None or (target.weights > 0).all():
        return table, target
    rows = np.flatnonzero(target.weights > 0)
    return table.take(rows).forget_undeclared(), target.take(rows).forget_undeclared()
