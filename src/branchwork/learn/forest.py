"""Learn many trees on samples of one table and combine them: bagging, random forests and extra trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import InterruptedWarning, OneClassWarning, ParameterError, TooLargeError, shown, warn
from branchwork.grow.grow import Progress, check_fit
from branchwork.grow.memory import SURELY_FREE, free_bytes, gigabytes, grouped
from branchwork.grow.recipe import Recipe
from branchwork.learn.levels import with_levels
from branchwork.learn.members import LearnAlone, Members
from branchwork.learn.out_of_bag import OutOfBag
from branchwork.learn.risk import sample_weights
from branchwork.learn.sampling import Copies, Sampling
from branchwork.learn.single import without_weightless_rows
from branchwork.model.combine import Combine
from branchwork.model.ensemble import Ensemble, Method
from branchwork.model.model import Model
from branchwork.table.conform import HandleUnknown
from branchwork.table.spread import spread
from branchwork.table.table import Table, read_only
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import Tree

OnInterrupt = Literal["raise", "keep"]
Callback = Callable[[int, Tree], Any]
"""Called after each tree, with its number and the tree; growth ends if it returns True."""

LOOK = 10
"""The out-of-bag error is measured, and early stopping is considered, after every this many trees."""


@dataclass(frozen=True)
class Plan:
    """The settings of an ensemble.

    Parameters
    ----------
    method : its name.
    n_trees : how many trees.
    combine : "mean" or "vote".
    bootstrap, max_samples : how rows are drawn; see `sampling_of`.
    seed : the seed of all draws.
    balanced : whether to weight the classes of each sample.
    measure : whether to measure the out-of-bag error.
    patience, tol : stop if the out-of-bag error fell by `tol` or less in this many measurements; None: grow all trees.
    on_interrupt : "keep": Ctrl-C returns the trees that are done.
    callback : see Callback.
    """

    method: Method
    n_trees: int
    combine: Combine
    bootstrap: bool = True
    max_samples: int | float | None = None
    seed: int = 0
    balanced: bool = False
    measure: bool = False
    patience: int | None = None
    tol: float = 0.0
    on_interrupt: OnInterrupt = "raise"
    callback: Callback | None = None


@dataclass(frozen=True, eq=False)
class Learned:
    """A model of many trees, how its rows were drawn, and the out-of-bag predictions, if they were asked for.

    `kept` has the positions of the rows that have a weight; samples and predictions are about these rows.
    """

    model: Model
    sampling: Sampling
    kept: npt.NDArray[np.intp]
    out_of_bag: OutOfBag | None


def learn_forest(
    table: Table,
    target: Target,
    recipe: Recipe,
    plan: Plan,
    *,
    handle_unknown: HandleUnknown = "missing",
    n_jobs: int = 1,
    progress: Progress | None = None,
    groups: npt.NDArray[np.intp] | None = None,
    alone: LearnAlone | None = None,
    so_far: Model | None = None,
) -> Learned:
    """Learn an ensemble. The result is the same for any number of threads. `so_far` has the trees learned before."""
    check_fit(table, target, recipe)
    kept = np.arange(len(target)) if target.weights is None else np.flatnonzero(target.weights > 0)
    groups = None if groups is None else np.unique(groups[kept], return_inverse=True)[1]
    table, target = without_weightless_rows(table, target)
    table, seen = with_levels(table, target, recipe)
    warn_of_one_answer(target)
    sampling = sampling_of(plan, target, groups)
    frame = frame_of(table, target, recipe, plan.combine, handle_unknown)
    if so_far is not None:
        _check_same(so_far, frame)
    levels_done = recipe.replace(search=recipe.search.replace(min_category_rows=None, max_levels=None))
    members = Members(
        table.schema,
        seen,
        without_drawn_weights(target) if sampling.weights is not None else target,
        levels_done,
        plan.seed,
        n_jobs,
        alone,
        plan.balanced,
    )
    measured = OutOfBag(frame, table, target, n_jobs) if plan.measure or plan.patience else None
    before = () if so_far is None else so_far.trees[: plan.n_trees]
    trees, errors = _grown(members, sampling, plan, before, measured, progress)
    return Learned(
        finished(frame, table, target, trees, plan.method, plan.seed, errors), sampling, kept, measured
    )


# ---- growing


def _grown(
    members: Members,
    sampling: Sampling,
    plan: Plan,
    before: tuple[Tree, ...],
    measured: OutOfBag | None,
    progress: Progress | None,
) -> tuple[list[Tree], list[tuple[int, float]]]:
    """Return the trees, and the out-of-bag error after every ten of them."""
    trees: list[Tree] = []
    errors: list[tuple[int, float]] = []
    try:
        for grown, copies, are_new in _batches(members, sampling, plan, before, progress):
            answers = repeat(None) if measured is None else measured.ask(grown, copies)
            for tree, said in zip(grown, answers, strict=False):
                if measured is not None and said is not None:
                    measured.add(said)
                trees.append(tree)
                looks = len(trees) % LOOK == 0
                if looks and measured is not None and not math.isnan(error := measured.error):
                    errors.append((len(trees), error))
                if are_new and plan.callback is not None and plan.callback(len(trees) - 1, tree) is True:
                    return trees, _with_last(errors, trees, measured)
                if looks and plan.patience is not None and _has_settled(errors, plan):
                    return trees, errors
    except KeyboardInterrupt:
        if plan.on_interrupt == "raise" or not trees:
            raise
        warn(
            f"Interrupted after {len(trees)} of {plan.n_trees} trees; the model has these {len(trees)}.",
            InterruptedWarning,
        )
    return trees, _with_last(errors, trees, measured)


def _with_last(
    errors: list[tuple[int, float]], trees: list[Tree], measured: OutOfBag | None
) -> list[tuple[int, float]]:
    """Add the error of all trees, unless it has already been measured."""
    if measured is None or len(trees) % LOOK == 0 or math.isnan(error := measured.error):
        return errors
    return [*errors, (len(trees), error)]


def _batches(
    members: Members,
    sampling: Sampling,
    plan: Plan,
    before: tuple[Tree, ...],
    progress: Progress | None,
) -> Iterator[tuple[Sequence[Tree], Sequence[Copies], bool]]:
    """Yield some trees at a time, with their samples; trees learned before come first."""
    done = 0
    while done < plan.n_trees:
        size = _batch(members.n_jobs, plan)
        count = min(size, len(before) - done) if done < len(before) else min(size, plan.n_trees - done)
        copies = [sampling.copies(done + k) for k in range(count)]
        if done < len(before):
            yield before[done : done + count], copies, False
            done += count
            continue
        grown = members.grow(done, copies, _shifted(progress, done * sampling.rows))
        if done == 0:
            _check_memory(grown, plan.n_trees)
        yield grown, copies, True
        done += count
        if progress is not None:
            progress(done * sampling.rows)


def _batch(n_jobs: int, plan: Plan) -> int:
    """Return how many trees are grown in one call: five for each thread, so that few threads wait at the end.

    Each tree of a batch needs memory for a number per row. If finished trees are kept after Ctrl-C, a call grows
    only one tree per thread.
    """
    return n_jobs if plan.on_interrupt == "keep" else LOOK * max(1, math.ceil(n_jobs / 2))


def _shifted(progress: Progress | None, rows: int) -> Progress | None:
    return None if progress is None else lambda done: progress(rows + done)


def _has_settled(errors: list[tuple[int, float]], plan: Plan) -> bool:
    """Return whether none of the last measurements is clearly below the best one before them."""
    assert plan.patience is not None
    if len(errors) <= plan.patience:
        return False
    found = [error for _, error in errors]
    return min(found[-plan.patience :]) >= min(found[: -plan.patience]) - plan.tol


def _check_memory(grown: list[Tree], n_trees: int) -> None:
    """Refuse an ensemble whose first trees show that all of them will not fit in memory."""
    arrays = (array for tree in grown for array in tree.__getstate__().values())
    taken = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    needed = taken / len(grown) * n_trees
    if needed <= SURELY_FREE:
        return
    free = free_bytes()
    if free is not None and needed > free + taken:
        raise TooLargeError(
            f"{grouped(n_trees)} trees do not fit in memory: the first {len(grown)} take {gigabytes(taken)}, so all "
            f"need about {gigabytes(int(needed))}; {gigabytes(free + taken)} are free. Take fewer trees "
            "(n_estimators), or smaller ones (max_depth, min_samples_leaf)."
        )


# ---- before and after


def sampling_of(plan: Plan, target: Target, groups: npt.NDArray[np.intp] | None) -> Sampling:
    """Return how the rows of each tree are drawn.

    With bootstrap, each tree draws n rows, or `max_samples` of them (a number or a share), with replacement, and with
    probability proportional to their weights. Without bootstrap, each tree has all rows, or `max_samples` of them, each
    once; weights then count in the trees.
    """
    weights = None if target.sample_weights is None or not plan.bootstrap else target.sample_weights
    units = len(target) if groups is None else int(groups.max()) + 1
    draws = _draws(plan, units, "rows" if groups is None else "groups")
    return Sampling(len(target), draws, plan.seed, plan.bootstrap, weights, groups)


def _draws(plan: Plan, units: int, what: str) -> int | None:
    most = plan.max_samples
    if most is None:
        return units if plan.bootstrap else None
    if isinstance(most, float):
        return max(1, round(most * units))
    if most > units:
        raise ParameterError(
            f"max_samples={shown(most)}, but there are {units} {what} to draw from. Take a smaller number, or a "
            "share up to 1.0."
        )
    return most


def without_drawn_weights(target: Target) -> Target:
    """Keep only the class weights: row weights already count as probabilities of being drawn."""
    if isinstance(target, Classes) and target.class_weights is not None:
        return replace(target, weights=read_only(target.class_weights[target.codes]))
    return replace(target, weights=None)


def frame_of(
    table: Table, target: Target, recipe: Recipe, combine: Combine, handle_unknown: HandleUnknown
) -> Model:
    """Return the model of an ensemble without its trees."""
    labels = target.labels if isinstance(target, Classes) else None
    occurring = tuple(np.flatnonzero(target.counts > 0).tolist()) if isinstance(target, Classes) else None
    return Model(table.schema, labels, (), recipe.to_dict(), handle_unknown, occurring, combine=combine)


def _check_same(so_far: Model, frame: Model) -> None:
    """Refuse to continue an ensemble that was learned from another table or with other settings."""
    for name, what in (("schema", "columns"), ("labels", "labels"), ("recipe", "settings of the trees")):
        if getattr(so_far, name) != getattr(frame, name):
            raise ParameterError(
                f"warm_start=True adds trees to those of the last fit, but the {what} are different now. Fit the same "
                "data with the same settings, or set warm_start=False."
            )


def finished(
    frame: Model,
    table: Table,
    target: Target,
    trees: Sequence[Tree],
    method: Method,
    seed: int | None,
    errors: Sequence[tuple[int, float]],
) -> Model:
    """Return the model with its trees, and with a record of how they were made."""
    asked = sorted(set().union(*(tree.asked for tree in trees)))
    weights = None if target.weights is None else sample_weights(target)
    return replace(
        frame,
        trees=tuple(trees),
        spread=spread(table, weights, columns=asked),
        ensemble=Ensemble(method, seed, tuple(errors)),
    )


def warn_of_one_answer(target: Target) -> None:
    """Warn that there is nothing to learn: all rows have the same target."""
    found = np.count_nonzero(target.counts) if isinstance(target, Classes) else len(np.unique(target.values))
    if found == 1:
        what = "class" if isinstance(target, Classes) else "value"
        warn(f"The target has only one {what}, so every tree is a single leaf.", OneClassWarning)
