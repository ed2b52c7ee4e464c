"""Grow one tree: by one call into the core, or by the separate code for CHAID and for optimal trees."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import DataError, ParameterError, TargetError
from branchwork.grow.chaid import grow_chaid
from branchwork.grow.grown import core_ledger, grown_tree
from branchwork.grow.memory import room_for
from branchwork.grow.optimal import Costs, greedy_recipe, grow_optimal
from branchwork.grow.optimal_ledger import ledger_of
from branchwork.grow.own_functions import asked
from branchwork.grow.own_tables import audit, has_table, tabulated
from branchwork.grow.prepared import Drawn, Prepared
from branchwork.grow.recipe import Recipe
from branchwork.measure.criteria import criterion_of
from branchwork.measure.own_score import Score
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values
from branchwork.table.training import check_rows, refuse_unseen
from branchwork.tree.ledger import Ledger
from branchwork.tree.missing import missing_weight
from branchwork.tree.outputs import as_parent_where_empty, with_distribution
from branchwork.tree.proof import Proof
from branchwork.tree.tree import Floats, Tree

Progress = Callable[[int], None]
"""Called from time to time with the number of rows that have reached a leaf."""

MOST_GRID_POINTS = 10_000_000
MOST_NODES = 2**31
"""More nodes and levels than a tree can have, and more columns than a table can have."""

ROUNDING = 1e-11
"""The rounding error of a sum of weights, as a share of it."""

LEDGER_NODES = 1000
"""The ledger is kept for trees up to this size."""

LEDGER_CELLS = 2**19
"""The ledger of an optimal tree takes another pass over every node; on tables of more cells, it is left out."""


@dataclass(frozen=True)
class SearchCost:
    """The work of a search: the number of rules scored, and the number of rows read for it (including sorting).

    `leaves` is the number of leaves of the tree as it was grown, before pruning. `proof` is the proof of an optimal
    tree.
    """

    rules_scored: int
    rows_visited: int
    leaves: int = 0
    proof: Proof | None = field(default=None, repr=False)


def grow(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    whole: tuple[Table, Classes] | None = None,
    drawn: Drawn | None = None,
    checked: bool = False,
) -> tuple[Tree, SearchCost]:
    """Grow a tree by a recipe; the same tree for any number of threads.

    `whole` is a table that the rows are a part of. C4.5 and J48 use it, too: their thresholds are values of it, its
    weight decides which features have many values, and smoothing counts its classes.

    `drawn` says which rows of a prepared table these are, so that nothing needs to be sorted again. `checked` says that
    `check_fit` has already checked these rows.
    """
    if not checked:
        check_fit(table, target, recipe)
    if recipe.search.cuts == "random":
        raise ParameterError("Cuts are drawn at random only where many trees are grown: grow_many.")
    if recipe.subspace is not None:
        raise ParameterError("Features are drawn at random only where many trees are grown: grow_many.")
    if recipe.chaid is not None:
        tree, cost = _grow_chaid(table, target, recipe, n_jobs, progress)
    elif recipe.optimal is not None:
        tree, cost = _grow_optimal(table, target, recipe, n_jobs, progress)
    else:
        tree, cost = _grow_in_core(table, target, recipe, n_jobs, progress, whole, drawn)
    return tree.replace(missing_weight=missing_weight(tree, table, target.weights)), cost


def grow_for_answers(drawn: Drawn, target: Target, recipe: Recipe, *, n_jobs: int = 1) -> Tree:
    """Grow a tree on some rows of a prepared table that will be asked for its answers, but not shown.

    It has no ledger and does not know where missing cells went. The rows must have been checked, as part of a table.
    """
    if recipe.chaid is not None or recipe.optimal is not None:
        return grow(drawn.prepared.table.take(drawn.rows), target, recipe, n_jobs=n_jobs, drawn=drawn)[0]
    return _grow_in_core(drawn.prepared.table, target, recipe, n_jobs, None, None, drawn, ledger_nodes=0)[0]


def grow_many(
    prepared: Prepared,
    target: Target,
    recipe: Recipe,
    draws: Sequence[Drawn],
    *,
    seed: int = 0,
    first_tree: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> list[Tree]:
    """Grow a tree on each of some samples of a prepared table; the same trees for any number of threads.

    Several trees are grown in parallel, each by one thread; a single tree is grown by all threads. Random draws depend
    only on the seed, the number of the tree (counted from `first_tree`) and the position of the node.
    """
    check_fit(prepared.table, target, recipe)
    if recipe.chaid is not None or recipe.optimal is not None:
        raise ParameterError(f"The recipe {recipe.name!r} has its own growth: grow its trees one by one.")
    if recipe.subspace is not None and recipe.search.missing == "share":
        raise ParameterError('Features are not drawn at random where rows are shared (missing="share").')
    options = core_options(recipe, target, n_jobs, draws=draws)
    options.ledger_nodes = 0
    copies = [draw.copies for draw in draws]
    try:
        grown = _core.grow_many(prepared.core, target.core, options, copies, seed, first_tree, progress)
    except _core.TableChanged:
        raise DataError(
            "Cells changed while trees were grown from them. Hand in a copy of a table that another thread writes into."
        ) from None
    n_columns = len(prepared.table.schema)
    return [_audited(grown_tree(one, target, recipe, n_columns), target, recipe) for one in grown]


def _grow_in_core(
    table: Table,
    target: Target,
    recipe: Recipe,
    n_jobs: int,
    progress: Progress | None,
    whole: tuple[Table, Classes] | None,
    drawn: Drawn | None,
    ledger_nodes: int | None = None,
) -> tuple[Tree, SearchCost]:
    options = core_options(recipe, target, n_jobs)
    if ledger_nodes is not None:
        options.ledger_nodes = ledger_nodes
    room = room_for(table, target)
    if room is not None:
        options.most_nodes = room.most_nodes
    known: tuple[_core.Columns, float] | tuple[()] = ()
    if whole is not None and recipe.search.rules in ("c45", "j48"):
        known = (whole[0].core, float(whole[1].counts.sum()))
    try:
        if drawn is None:
            grown = _core.grow(table.core, target.core, options, progress, *known)
        else:
            grown = _core.grow_sample(
                drawn.prepared.core, drawn.copies, target.core, options, progress, *known
            )
    except _core.TreeTooLarge as error:
        assert room is not None
        room.refuse(int(str(error)))
    of_table = None if whole is None else whole[1].counts
    tree = _audited(grown_tree(grown, target, recipe, len(table.schema), of_table), target, recipe)
    return tree, SearchCost(grown.rules_scored, grown.rows_visited, grown.n_leaves)


def _audited(tree: Tree, target: Target, recipe: Recipe) -> Tree:
    """Return the core's tree. Refuse it if a user's own score turns out not to be one."""
    return audit(recipe.criterion, tree, target) if isinstance(recipe.criterion, Score) else tree


def _grow_chaid(
    table: Table, target: Target, recipe: Recipe, n_jobs: int, progress: Progress | None
) -> tuple[Tree, SearchCost]:
    min_split, min_leaf = sample_limits(recipe, target)
    tree, cost = grow_chaid(
        table,
        target,
        recipe,
        min_split=min_split,
        min_leaf=min_leaf,
        ledger_nodes=LEDGER_NODES,
        room=room_for(table, target),
        n_jobs=n_jobs,
        progress=progress,
    )
    return in_output_units(tree, target, recipe), SearchCost(cost.tests, cost.rows_visited, tree.n_leaves)


def _grow_optimal(
    table: Table, target: Target, recipe: Recipe, n_jobs: int, progress: Progress | None
) -> tuple[Tree, SearchCost]:
    """Grow an optimal tree. Features are sorted once for the greedy tree, the search and the ledger."""
    assert recipe.optimal is not None
    began = time.perf_counter()
    prepared, as_cart = Prepared(table, n_jobs=n_jobs), greedy_recipe(recipe)
    every = prepared.draw_all().copies
    options = core_options(as_cart, target, n_jobs)
    options.ledger_nodes = 0
    grown = _core.grow_sample(prepared.core, every, target.core, options, None)
    greedy = grown_tree(grown, target, as_cart, len(table.schema))
    if isinstance(target, Classes):
        greedy = greedy.replace(value=greedy.distribution, distribution=None)
    min_leaf = sample_limits(recipe, target)[1]
    tree, proof = grow_optimal(
        prepared,
        target,
        recipe,
        min_leaf=min_leaf,
        greedy=greedy,
        began=began,
        n_jobs=n_jobs,
        progress=progress,
    )
    answer = Costs.of(target, recipe.optimal).answers(tree)
    tree = in_output_units(tree, target, recipe).replace(answer=answer)
    if tree.n_nodes <= LEDGER_NODES and table.n_rows * len(table.schema) <= LEDGER_CELLS:
        by_split = core_options(recipe.replace(optimal=None), target, n_jobs)
        by_split.max_depth = 1

        def one_split(rows: npt.NDArray[np.intp]) -> Ledger | None:
            is_all = len(rows) == table.n_rows
            of_rows = target if is_all else target.take(rows)
            copies = every if is_all else prepared.draw(rows).copies
            root = _core.grow_sample(prepared.core, copies, of_rows.core, by_split, None)
            return core_ledger(root, len(table.schema), recipe)

        tree = tree.replace(ledger=ledger_of(tree, table, target, recipe.criterion, one_split))
    # The work of the search depends on the number of threads, so it is recorded only in `proof`.
    return tree, SearchCost(grown.rules_scored, grown.rows_visited, tree.n_leaves, proof)


def check_fit(table: Table, target: Target, recipe: Recipe) -> None:
    """Refuse rows that no tree can be learned from."""
    check_target(table, target, recipe)
    refuse_unseen(table)


def check_target(table: Table, target: Target, recipe: Recipe) -> None:
    """Refuse rows without a target, and targets that the recipe has no score for."""
    check_rows(table, target)
    if recipe.search.numeric == "grid" and recipe.search.grid is not None:
        _check_grid(table, recipe.search.grid)
    if criterion_of(recipe.criterion).of_counts and isinstance(target, Values):
        check_counts(target)
    if recipe.is_classification != isinstance(target, Classes):
        wanted = "classes" if recipe.is_classification else "numbers"
        raise TargetError(f"criterion={recipe.criterion!r} needs a target of {wanted}.")


def check_counts(target: Values, wanted: str = 'criterion="poisson"') -> None:
    """Refuse targets without a Poisson deviance; `wanted` is the setting that asks for it."""
    negative = np.flatnonzero(target.values < 0)
    if negative.size:
        row = int(negative[0])
        raise TargetError(f"y, row {row}: {target.values[row]} found, but {wanted} needs counts, 0 or more.")
    if not target.values.any():
        raise TargetError(f"y is zero in every row, but {wanted} needs a positive sum.")


def _check_grid(table: Table, grid: float) -> None:
    """Refuse a grid that would take forever."""
    for column, cells in zip(table.schema, table.arrays, strict=True):
        if column.is_nominal:
            continue
        finite = cells[np.isfinite(cells)].astype(np.float64)
        spread = float(finite.max() / 2 - finite.min() / 2) if finite.size else 0.0
        points = float(grid) if isinstance(grid, int | np.integer) else 2 * (spread / float(grid))
        if points > MOST_GRID_POINTS:
            raise ParameterError(
                f"grid={grid!r} asks for {points:.3g} points in column {column.name!r}; at most {MOST_GRID_POINTS} "
                'are tried. Take a larger step, or search="sorted".'
            )


def core_options(
    recipe: Recipe, target: Target, n_jobs: int = 1, *, draws: Sequence[Drawn] | None = None
) -> _core.Options:
    """Return a recipe as options of the core. `draws` are the samples that trees are grown on; None: all rows."""
    search, stopping = recipe.search, recipe.stopping
    options = _core.Options()
    if isinstance(recipe.criterion, Score):
        assert isinstance(target, Classes)
        options.criterion = _core.Criterion.own
        most = max((draw.weight_of(target) for draw in draws), default=1) if draws is not None else None
        if search.missing != "share" and has_table(recipe.criterion, target, most):
            options.own = tabulated(recipe.criterion, target, most)
        else:
            options.asked = asked(recipe.criterion, target)
    else:
        options.criterion = getattr(_core.Criterion, recipe.criterion)
    numeric = "random" if search.cuts == "random" else search.numeric
    options.search = getattr(_core.NumericSearch, numeric)
    if search.numeric == "grid" and search.grid is not None:
        is_count = isinstance(search.grid, int | np.integer)
        options.grid_points = int(search.grid) if is_count else 0
        options.grid_step = 0.0 if is_count else float(search.grid)
    options.only_changes = search.cuts == "changes"
    options.data_cuts = search.cut == "data"
    options.nominal = getattr(_core.Nominal, search.nominal)
    options.missing = getattr(_core.Missing, search.missing)
    options.order = getattr(_core.Order, recipe.order)
    options.rules = getattr(_core.Rules, search.rules)
    options.collapse = search.rules != "plain" and search.collapse
    options.cut_penalty = search.cut_penalty
    options.max_surrogates = min(search.max_surrogates, MOST_NODES)
    options.zero_gain = recipe.zero_gain
    options.max_depth = -1 if stopping.max_depth is None else min(stopping.max_depth, MOST_NODES)
    options.max_leaves = -1 if stopping.max_leaf_nodes is None else min(stopping.max_leaf_nodes, MOST_NODES)
    options.min_split_samples, options.min_leaf_samples = sample_limits(recipe, target)
    if stopping.min_weight_fraction_leaf:
        options.min_leaf_weight = _limit(stopping.min_weight_fraction_leaf * target.total_weight, 0)
    options.min_gain = float(stopping.min_gain)
    options.min_decrease = float(stopping.min_impurity_decrease)
    options.ledger_nodes = LEDGER_NODES
    options.threads = n_jobs
    if recipe.subspace is not None and recipe.subspace.per == "node":
        options.max_features = int(recipe.subspace.features)
    elif recipe.subspace is not None:
        options.tree_features = int(recipe.subspace.features)
    return options


def least_gain(recipe: Recipe, weight: float, root_weight: float) -> float:
    """Return the minimum gain per row of a split. A limit of 0 means none: with "variance", a gain may be negative."""
    stopping = recipe.stopping
    if stopping.min_gain == 0 and stopping.min_impurity_decrease == 0:
        return -np.inf
    return max(stopping.min_gain, stopping.min_impurity_decrease * root_weight / weight)


def sample_limits(recipe: Recipe, target: Target) -> tuple[float, float]:
    """Return the minimum number of samples of a node to be split, and of a branch; 0 means no limit.

    A setting below 1 is a share of all samples of the target. Samples are sums of sample weights.
    """
    shared, stopping = recipe.search.missing == "share", recipe.stopping
    found = []
    for setting, never_binds in ((stopping.min_samples_split, 2), (stopping.min_samples_leaf, 1)):
        if 0 < setting < 1:
            found.append(_limit(_share_of_samples(setting, target), 0))
        else:
            found.append(_limit(setting, 0 if shared else never_binds))
    return found[0], found[1]


def _share_of_samples(share: float, target: Target) -> float:
    """Return a share of all samples. With integer weights, it is a number of rows, rounded up as in scikit-learn."""
    weights = target.sample_weights
    if weights is None:
        return math.ceil(share * len(target))
    rows = np.rint(weights)
    if (np.abs(weights - rows) <= ROUNDING * rows).all():
        return math.ceil(share * float(rows.sum()))
    return share * math.fsum(weights)


def _limit(samples: float, never_binds: float) -> float:
    """Return a limit on samples for the core; 0 if it can never bind with whole rows, and so must not with fractions.

    Sums of weights have rounding errors, especially if class weights are divided out, so the limit is lowered a little.
    """
    return 0.0 if samples <= never_binds else float(samples) * (1 - ROUNDING)


def in_output_units(tree: Tree, target: Target, recipe: Recipe, of_table: Floats | None = None) -> Tree:
    """Turn class weights into probabilities; means stay as they are."""
    if isinstance(target, Classes):
        return with_distribution(tree, tree.value, recipe.smoothing, of_table)
    return tree.replace(value=as_parent_where_empty(tree, tree.value.copy()))
