"""Learn optimal trees whose depth and number of leaves are chosen by cross-validation.

whole table ─► the best tree of every depth and penalty ─► each tried on folds ─► cv_table, and the depth and penalty
                                                           (a search for each penalty and fold gives all depths)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.grow.grow import Progress, SearchCost, check_fit, sample_limits
from branchwork.grow.optimal import Costs
from branchwork.grow.optimal_path import OptimalPath, Searches, optimal_path
from branchwork.grow.optimal_progress import tell
from branchwork.grow.recipe import Recipe
from branchwork.learn.levels import with_levels
from branchwork.learn.prune_cv import folds_of, parts_of
from branchwork.learn.risk import sample_weights
from branchwork.learn.single import learn, without_weightless_rows
from branchwork.model.model import Model
from branchwork.table.conform import HandleUnknown
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
ChooseOptimal = Literal["min", "1se", None]
CvTable = dict[str, list[float]]
"""One row per distinct tree of the whole table: max_depth, leaf_penalty, n_leaves, error, xerror, xstd."""


@dataclass(frozen=True)
class Choice:
    """The depth and the penalty that cross-validation has chosen."""

    max_depth: int
    leaf_penalty: float


def learn_optimal(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    xval: Any,
    choose: ChooseOptimal,
    handle_unknown: HandleUnknown = "missing",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Model, SearchCost, CvTable, Choice | None]:
    """Learn an optimal tree, and the table of errors on rows that trees of each depth and penalty have not seen."""
    check_fit(table, target, recipe)
    _check(recipe, choose)
    folds = folds_of(xval, target)
    assert folds is not None
    of_rows, own_target = without_weightless_rows(table, target)
    folds = folds[sample_weights(target) > 0]
    seen = with_levels(of_rows, own_target, recipe)[1]
    found = cross_validated(seen, own_target, recipe, folds, n_jobs=n_jobs, progress=progress)
    choice = None if choose is None else chosen(found, choose)
    if choice is not None:
        assert recipe.optimal is not None
        recipe = recipe.replace(
            stopping=replace(recipe.stopping, max_depth=choice.max_depth),
            optimal=replace(recipe.optimal, leaf_penalty=choice.leaf_penalty),
        )
    model, cost = learn(
        table, target, recipe, handle_unknown=handle_unknown, n_jobs=n_jobs, progress=progress
    )
    return model, cost, found, choice


def cross_validated(
    table: Table,
    target: Target,
    recipe: Recipe,
    folds: npt.NDArray[np.intp],
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> CvTable:
    """Return the errors of optimal trees of each depth and penalty on the rows of folds that they have not seen."""
    min_leaf = sample_limits(recipe, target)[1]
    path = optimal_path(table, target, recipe, min_leaf=min_leaf, n_jobs=n_jobs)
    assert recipe.optimal is not None
    costs = Costs.of(target, replace(recipe.optimal, leaf_penalty=0.0))
    shape = (len(path.penalties), len(path.trees[0]))
    losses = np.zeros((len(target), *shape))
    parts = list(parts_of(folds))
    for k, (train, test) in enumerate(parts):
        _tell(progress, table.n_rows * k // len(parts), f"fold {k + 1} of {len(parts)}")
        part = target.take(train)
        own = Searches(
            table.take(train), part, recipe, min_leaf=sample_limits(recipe, part)[1], n_jobs=n_jobs
        )
        held = table.take(test)
        for p, penalty in enumerate(path.penalties):
            for depth, tree in enumerate(own.trees(penalty)):
                losses[test, p, depth] = _losses(tree, costs, held, target, test)
    return _table(path, costs, losses, target)


def chosen(found: CvTable, choose: ChooseOptimal) -> Choice:
    """Return the row of least error, or the simplest within a standard error: fewest leaves, then fewest levels."""
    errors, leaves, depths = np.array(found["xerror"]), found["n_leaves"], found["max_depth"]
    best = min(range(len(errors)), key=lambda k: (errors[k], leaves[k], depths[k]))
    if choose == "1se":
        limit = errors[best] + found["xstd"][best]
        near = [k for k in range(len(errors)) if errors[k] <= limit]
        best = min(near, key=lambda k: (leaves[k], depths[k], errors[k]))
    return Choice(int(depths[best]), found["leaf_penalty"][best])


def _check(recipe: Recipe, choose: ChooseOptimal) -> None:
    """Refuse settings that the path does not support."""
    asked = recipe.optimal
    assert asked is not None
    if recipe.stopping.max_depth is None:
        raise ParameterError("xval needs a max_depth: trees up to this depth are cross-validated.")
    for name, usual in (("effort", "exact"), ("minimise", "error"), ("max_gap", 0.0)):
        if getattr(asked, name) != usual:
            raise ParameterError(
                f"{name}={getattr(asked, name)!r} does not go with xval, which tries the best tree of every depth and "
                f"penalty. Leave it at {usual!r}, or xval at None."
            )
    if choose is not None and asked.leaf_penalty:
        raise ParameterError(
            f"leaf_penalty={asked.leaf_penalty!r} does not go with choose={choose!r}, which chooses the penalty. Leave "
            "it at 0.0, or choose at None."
        )


def _losses(tree: Tree, costs: Costs, held: Table, target: Target, rows: npt.NDArray[np.intp]) -> Floats:
    """Return the loss of a tree for each of some rows, without their weights.

    Its values are class weights, or means.
    """
    leaves = apply(tree, held)
    if not isinstance(target, Classes):
        return np.asarray((target.values[rows] - tree.value[leaves, 0]) ** 2)
    truth = target.codes[rows]
    answers = costs.answers(tree)
    if answers is None:
        return np.asarray(truth != tree.value.argmax(axis=1)[leaves], np.float64)
    return np.asarray(costs.matrix.reshape(costs.classes, -1)[truth, answers[leaves]])


def _table(path: OptimalPath, costs: Costs, losses: Floats, target: Target) -> CvTable:
    """Return one row per distinct tree of the whole table, the simplest first."""
    weights = np.ones(len(target)) if target.weights is None else target.weights
    total = float(weights.sum())
    names = ("max_depth", "leaf_penalty", "n_leaves", "error", "xerror", "xstd")
    rows: dict[tuple[int, int, float], list[float]] = {}
    for p, penalty in enumerate(path.penalties):
        for depth, tree in enumerate(path.trees[p]):
            key = (tree.n_leaves, tree.depth, costs.objective(tree))
            if key in rows:
                continue
            own = losses[:, p, depth]
            mean = float(weights @ own) / total
            spread = float(weights @ (own - mean) ** 2) / total
            error = (spread * float(weights @ weights)) ** 0.5 / total
            rows[key] = [depth, penalty, tree.n_leaves, key[2] / total, mean, error]
    listed = [rows[key] for key in sorted(rows)]
    return {name: [row[k] for row in listed] for k, name in enumerate(names)}


def _tell(progress: Progress | None, done: int, text: str) -> None:
    if progress is not None:
        progress(done)
        tell(progress, text)
