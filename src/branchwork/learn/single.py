"""Learn a single tree: drop rows without weight, merge rare categories, grow, prune, and wrap the tree in a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.errors import OneClassWarning, warn
from branchwork.grow.grow import Progress, SearchCost, check_fit
from branchwork.grow.prepared import Drawn
from branchwork.grow.recipe import Recipe
from branchwork.learn.honest import Halves, estimated, halves
from branchwork.learn.levels import with_levels
from branchwork.learn.low_weight import warn_of_low_weight
from branchwork.learn.pruned import grow_pruned
from branchwork.learn.risk import sample_weights
from branchwork.learn.stopping import stop_at_chance, stop_without_progress
from branchwork.model.model import Model
from branchwork.table.conform import HandleUnknown
from branchwork.table.levels import merged
from branchwork.table.schema import Schema
from branchwork.table.spread import spread
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.expand import expand
from branchwork.tree.tree import STOP_REASONS, Tree

Validation = Callable[[Schema, tuple[Hashable, ...] | None], tuple[Table, Target]]


def learn(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    handle_unknown: HandleUnknown = "missing",
    n_jobs: int = 1,
    progress: Progress | None = None,
    validation: Validation | None = None,
    drawn: Drawn | None = None,
) -> tuple[Model, SearchCost]:
    """Learn one tree.

    `validation` returns rows in the learned columns and labels; growth stops where a split does not help on them.
    `drawn` says which rows of a prepared table these are, so that nothing needs to be sorted again.
    """
    check_fit(table, target, recipe)
    given, ids = table, None if drawn is None else drawn.rows
    if ids is not None and target.weights is not None:
        ids = ids[target.weights > 0]
    table, target = without_weightless_rows(table, target)
    rows_given = table is given
    table, seen = with_levels(table, target, recipe)
    if not rows_given or seen is not table:  # other rows, or other categories, than were drawn
        drawn = None
    labels = target.labels if isinstance(target, Classes) else None
    held = None if validation is None else validation(table.schema, labels)

    def stop(tree: Tree, grown_on: Table) -> Tree:
        tree = stop_at_chance(tree, grown_on, recipe)
        return tree if held is None else stop_without_progress(tree, merged(held[0]), held[1])

    own_rows = OwnRows.of(seen, target, recipe, drawn, ids)
    tree, cost = grow_pruned(
        own_rows.table,
        own_rows.target,
        recipe,
        stop,
        n_jobs=n_jobs,
        progress=progress,
        drawn=own_rows.drawn,
        checked=rows_given and own_rows.parts is None,
    )
    one_answer_warning(tree, target)
    warn_of_low_weight(
        tree,
        own_rows.target,
        recipe,
        lambda other: grow_pruned(own_rows.table, other, recipe, stop, n_jobs=n_jobs)[0],
    )
    tree = expand(own_rows.finished(tree, n_jobs), table.schema)
    # All rows of a class may be among those that were held out to prune by.
    occurring = tuple(target.counts.nonzero()[0].tolist()) if isinstance(target, Classes) else None
    scale = spread_of_asked(tree, table, target)
    proof = cost.proof if validation is None else None  # the validation rows may have stopped growth
    model = Model(
        table.schema,
        labels,
        (tree,),
        recipe.to_dict(),
        handle_unknown,
        occurring,
        scale,
        proof=proof,
        class_weights=class_weights_of(target),
    )
    return model, cost


@dataclass(frozen=True, eq=False)
class OwnRows:
    """The rows that a tree is grown on: all of them, or the half that chooses the splits of an honest tree."""

    table: Table
    target: Target
    drawn: Drawn | None
    whole: tuple[Table, Target]
    recipe: Recipe
    parts: Halves | None

    @staticmethod
    def of(
        table: Table,
        target: Target,
        recipe: Recipe,
        drawn: Drawn | None,
        ids: npt.NDArray[np.intp] | None = None,
    ) -> OwnRows:
        """Return the rows to grow on; equal `ids` are copies of one row."""
        whole = table, target
        if recipe.honest is None:
            return OwnRows(table, target, drawn, whole, recipe, None)
        parts = halves(target, recipe.honest, ids=ids)
        part = None if drawn is None else drawn.part(parts.structure)
        rows = parts.structure
        return OwnRows(table.take(rows), target.take(rows), part, whole, recipe, parts)

    def finished(self, tree: Tree, n_jobs: int) -> Tree:
        """Return the tree with the statistics of the other half, if it is honest."""
        if self.parts is None:
            return tree
        table, target = self.whole
        rows, recipe = self.parts.estimate, self.recipe
        return estimated(
            tree,
            table.take(rows),
            target.take(rows),
            recipe.criterion,
            recipe.smoothing,
            of_table=target.counts if isinstance(target, Classes) else None,
            n_jobs=n_jobs,
        )


def class_weights_of(target: Target) -> tuple[float, ...] | None:
    """Return how much a row of each class counts; None if all count alike."""
    if not isinstance(target, Classes) or target.class_weights is None:
        return None
    return tuple(target.class_weights.tolist())


def one_answer_warning(tree: Tree, target: Target) -> None:
    """Warn if there is nothing to learn: all rows have the same target."""
    if tree.n_nodes == 1 and STOP_REASONS[tree.stop[0]] == "pure" and _has_one_answer(target):
        what = "one class" if isinstance(target, Classes) else "one value"
        warn(f"The target has only {what}, so the tree is a single leaf.", OneClassWarning)


def _has_one_answer(target: Target) -> bool:
    """Return whether all rows have the same target, not only the half that grew an honest tree."""
    if isinstance(target, Classes):
        return bool(np.count_nonzero(target.counts) <= 1)
    return bool((target.values == target.values[0]).all())


def spread_of_asked(tree: Tree, table: Table, target: Target) -> tuple[float, ...]:
    """Return the spread of each numeric column that the tree tests."""
    weights = None if target.weights is None else sample_weights(target)
    return spread(table, weights, columns=tree.feature)


def without_weightless_rows(table: Table, target: Target) -> tuple[Table, Target]:
    """Drop rows of weight 0. They count as absent: they add no label, no category, no candidate cut and no row."""
    if target.weights is None or (target.weights > 0).all():
        return table, target
    rows = np.flatnonzero(target.weights > 0)
    return table.take(rows).forget_undeclared(), target.take(rows).forget_undeclared()
