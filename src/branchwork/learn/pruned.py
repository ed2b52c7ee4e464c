"""Grow a tree and prune it as its recipe asks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from branchwork.grow.grow import Progress, SearchCost, grow
from branchwork.grow.prepared import Drawn
from branchwork.grow.recipe import Recipe
from branchwork.measure.bounds import ErrorBound
from branchwork.measure.folds import deal
from branchwork.prune.error_based import by_rows
from branchwork.prune.evidence import errors_on
from branchwork.prune.reduced_error import bottom_up
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.reshape import collapse
from branchwork.tree.tree import Tree

PARTS = 3
"""Reduced-error pruning holds out one part of this many."""


def grow_pruned(
    table: Table,
    target: Target,
    recipe: Recipe,
    stop: Callable[[Tree, Table], Tree],
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    drawn: Drawn | None = None,
    checked: bool = False,
) -> tuple[Tree, SearchCost]:
    """Grow a tree and prune it as the recipe says; `stop` prunes it first where growth should have stopped.

    `drawn` and `checked` are those of `grow`.
    """
    pruning = recipe.pruning
    if pruning is None or pruning.method == "error_based" or not isinstance(target, Classes):
        tree, cost = grow(
            table, target, recipe, n_jobs=n_jobs, progress=progress, drawn=drawn, checked=checked
        )
        tree = stop(tree, table)
        if pruning is None or not isinstance(target, Classes):
            return tree, cost
        bound = ErrorBound(pruning.confidence, "j48" if recipe.search.rules == "j48" else "c4.5")
        pruned, _ = by_rows(
            tree,
            table,
            target,
            bound,
            raising=pruning.raising,
            criterion=recipe.criterion,
            smoothing=recipe.smoothing,
        )
        return pruned, cost
    kept = growing_rows(target, recipe)
    grown_on = table.take(kept), target.take(kept)
    part = None if drawn is None else drawn.part(kept)
    tree, cost = grow(*grown_on, recipe, n_jobs=n_jobs, progress=progress, whole=(table, target), drawn=part)
    tree = stop(tree, grown_on[0])
    rows = np.setdiff1d(np.arange(len(target)), kept)
    verdicts = bottom_up(tree, errors_on(tree, table.take(rows), target.take(rows)), slack=1e-6)
    return collapse(tree, verdicts.leaves), cost


def growing_rows(target: Classes, recipe: Recipe) -> npt.NDArray[np.intp]:
    """Return the rows that grow the tree, if the others are held out to prune it."""
    return np.flatnonzero(~_held_out(target, recipe))


def _held_out(target: Classes, recipe: Recipe) -> npt.NDArray[np.bool_]:
    """Return the rows that prune the tree and do not grow it."""
    if len(target) < PARTS:
        return np.zeros(len(target), bool)
    if recipe.search.rules == "j48":
        return _wekas_last_fold(target)
    return np.asarray(deal(target, PARTS) == PARTS - 1)


def _wekas_last_fold(target: Classes) -> npt.NDArray[np.bool_]:
    """Return the rows that Weka prunes by: it groups the rows by class, deals them out, and takes the last part."""
    codes, order = target.codes.tolist(), list(range(len(target)))
    index = 1
    while index < len(order):
        wanted = codes[order[index - 1]]
        for j in range(index, len(order)):
            if codes[order[j]] == wanted:
                order[index], order[j] = order[j], order[index]
                index += 1
        index += 1
    held_out = np.zeros(len(target), bool)
    held_out[order[PARTS - 1 :: PARTS]] = True
    return held_out
