"""Grow optimal trees: run the search of the core, which starts with the cost of a greedy tree.

Costs are sums over all rows: weights of errors, costs of errors, or squared errors. Each leaf but the first adds the
penalty. docs/algorithms/optimal.md explains the method.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import ParameterError
from branchwork.grow.optimal_progress import followed
from branchwork.grow.optimal_settings import Optimal
from branchwork.grow.optimal_tree import tree_of
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Recipe, Stopping
from branchwork.table.table import Table
from branchwork.table.target import Target, Values
from branchwork.tree.proof import Ending, Proof
from branchwork.tree.reshape import collapse
from branchwork.tree.tree import Floats, Tree

MOST_GROUPED = 8
"""A feature with more categories has too many divisions into two groups to try all of them."""
DEEPEST = 2**30
BYTES_PER_TEST = 24
"""Memory per row and test: its rank, and its position in the orders of the table and of two branches."""


def greedy_recipe(recipe: Recipe) -> Recipe:
    """Return CART's recipe with the tests and the limits of an optimal tree."""
    stopping = recipe.stopping
    return recipe.replace(
        name="cart" if recipe.is_classification else "cart-regression",
        criterion="gini" if recipe.is_classification else "squared_error",
        stopping=Stopping(stopping.max_depth, 0, stopping.min_samples_leaf, stopping.max_leaf_nodes),
        order="best",
        optimal=None,
    )


def grow_optimal(
    prepared: Prepared,
    target: Target,
    recipe: Recipe,
    *,
    min_leaf: float,
    greedy: Tree,
    began: float,
    n_jobs: int,
    progress: Callable[[int], None] | None = None,
) -> tuple[Tree, Proof]:
    """Grow the tree of least cost. Its values are class weights or means; `grow` turns them into outputs.

    `greedy` is CART's tree, also with class weights as values. `began` is the `time.perf_counter` of the start of the
    fit.
    """
    table = prepared.table
    asked = _checked(recipe, table)
    costs = Costs.of(target, asked)
    start = _in_error_rates(costs.without_idle_splits(greedy), target)
    started = costs.objective(start)
    if asked.effort == "greedy":
        return start, Proof(started, 0.0, "not_searched", time.perf_counter() - began)
    settings = _core_settings(recipe, asked, table, costs, min_leaf, n_jobs)
    if asked.time_limit is not None:
        settings.time_limit = max(0.0, asked.time_limit - (time.perf_counter() - began))
    if asked.effort == "exact" and asked.minimise == "error":
        settings.start = started
    standing = followed(progress, table.n_rows, of_leaves=asked.minimise == "leaves")
    found = _core.optimal_tree(prepared.core, target.core, costs.matrix, settings, standing)
    if asked.minimise == "leaves":
        return _fewest(found, table, target, recipe, asked)
    tree = start
    if found.has_tree:
        tree = tree_of(found.nodes, table, target, _deepest(recipe))
        if costs.objective(tree) > started * (1 + 1e-9):  # an interrupted search, or one that proves nothing
            tree = start
    proof = _proof(found, costs.objective(tree), asked)
    if standing is not None and asked.effort == "exact":
        standing(proof.objective, proof.lower_bound, 0)
    return tree, proof


def search_levels(
    prepared: Prepared, target: Target, recipe: Recipe, *, min_leaf: float, n_jobs: int
) -> tuple[Tree, ...]:
    """Find the best tree with at most 0, 1, … `max_depth` levels, all in one search.

    Values are class weights or means. If the time limit ends the search, the deeper trees are the best found so far.
    """
    table, deepest = prepared.table, recipe.stopping.max_depth
    assert deepest is not None
    asked = _checked(recipe, table)
    costs = Costs.of(target, asked)
    settings = _core_settings(recipe, asked, table, costs, min_leaf, n_jobs)
    if asked.time_limit is not None:
        settings.time_limit = asked.time_limit
    found = _core.optimal_tree(prepared.core, target.core, costs.matrix, settings)
    trees: list[Tree] = [tree_of([_core.OptimalNode()], table, target, 0)]
    for level in found.levels:
        if level.depth > 0:
            trees.extend([trees[-1]] * (level.depth - len(trees)))
            trees.append(tree_of(level.nodes, table, target, _deepest(recipe)))
    trees.extend([trees[-1]] * (deepest + 1 - len(trees)))
    return tuple(trees)


@dataclass(frozen=True)
class Alternative:
    """The best tree whose root splits on one feature.

    Parameters
    ----------
    feature : the name of the feature.
    cut : the threshold of a numeric feature; NaN for a categorical one.
    branches : for a categorical feature: the categories of each branch.
    objective : the least cost of a tree with this split at its root.
    """

    feature: str
    cut: float
    branches: tuple[tuple[str, ...], ...]
    objective: float


def root_alternatives(
    table: Table, target: Target, recipe: Recipe, *, min_leaf: float, n_jobs: int
) -> list[Alternative]:
    """Return the best tree for each feature at the root, the best first.

    A feature is left out if no tree that splits on it first is better than a single leaf. Ties: the earlier feature
    first.
    """
    asked = _checked(recipe, table)
    costs, prepared = Costs.of(target, asked), Prepared(table, n_jobs=n_jobs)
    settings = _core_settings(recipe, asked, table, costs, min_leaf, n_jobs)
    settings.max_gap, settings.target_cost, settings.lookahead = 0.0, -1.0, 0
    found = []
    for column in range(len(table.schema)):
        settings.only_column = column
        best = _core.optimal_tree(prepared.core, target.core, costs.matrix, settings)
        root = best.nodes[0]
        if root.column < 0:
            continue
        own = table.schema[column]
        sides = [
            tuple(str(name) for name, side in zip(own.categories, root.branch, strict=True) if side == k)
            for k in range(root.branches if own.is_nominal else 0)
        ]
        found.append(Alternative(own.name, root.cut, tuple(sides), best.cost))
    return sorted(found, key=lambda one: one.objective)


def _in_error_rates(tree: Tree, target: Target) -> Tree:
    """Return CART's tree with impurity and gain in the unit of optimal trees, and without its ledger."""
    if isinstance(target, Values):
        return tree.replace(ledger=None)
    impurity = 1 - tree.value.max(axis=1) / tree.weight
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], (tree.weight * impurity)[1:])
    gain = np.where(tree.feature >= 0, impurity - below / tree.weight, 0.0)
    return tree.replace(impurity=impurity, gain=gain, ledger=None)


def _fewest(
    found: _core.OptimalFound, table: Table, target: Target, recipe: Recipe, asked: Optimal
) -> tuple[Tree, Proof]:
    """Return the tree with the fewest leaves. Raise an error if no tree makes so few errors."""
    if not found.has_tree:
        name = found.ending.name
        if name != "proven":
            raise ParameterError(
                f"time_limit={asked.time_limit!r}: the search ended before a tree with at most {asked.max_errors:g} "
                f"errors was found; it has at least {found.leaves_needed} leaves. Raise time_limit or max_errors."
            )
        raise ParameterError(
            f"max_errors={asked.max_errors!r}: no tree within max_depth={recipe.stopping.max_depth} and "
            f"max_leaf_nodes={recipe.stopping.max_leaf_nodes} makes so few errors. Raise one of the three. Rows that "
            "are equal in all features but have different targets cannot be told apart by any tree."
        )
    tree = tree_of(found.nodes, table, target, _deepest(recipe))
    leaves = float(tree.n_leaves)
    return tree, Proof(leaves, float(found.leaves_needed), "proven", found.seconds, _counts(found))


def _proof(found: _core.OptimalFound, objective: float, asked: Optimal) -> Proof:
    if asked.effort != "exact" and found.ending.name == "proven":
        return Proof(objective, 0.0, "not_searched", found.seconds, _counts(found))
    ending = cast(Ending, found.ending.name)
    bound = objective if ending == "proven" else min(found.lower_bound, objective)
    bound = bound if asked.effort == "exact" else 0.0
    return Proof(objective, bound, ending, found.seconds, _counts(found))


def _counts(found: _core.OptimalFound) -> dict[str, int]:
    counters = found.counters
    names = [name for name in dir(counters) if not name.startswith("_")]
    return {name: int(getattr(counters, name)) for name in names}


def _checked(recipe: Recipe, table: Table) -> Optimal:
    """Refuse settings that do not go together, or not with this table."""
    asked = recipe.optimal
    assert asked is not None
    if recipe.stopping.max_leaf_nodes is not None and asked.effort in ("split", "lookahead"):
        raise ParameterError(
            f'max_leaf_nodes={recipe.stopping.max_leaf_nodes!r} goes with effort="exact" or "greedy", not with '
            f"effort={asked.effort!r}, which decides split after split. A leaf_penalty limits leaves with any effort."
        )
    tests = 0
    for column in table.schema:
        tests += 2 * column.n_levels if column.is_nominal else 2
        if recipe.search.nominal == "subset" and column.n_levels > MOST_GROUPED:
            raise ParameterError(
                f'nominal="subset": column {column.name!r} has {column.n_levels} categories, and all divisions in two '
                f'are tried only up to {MOST_GROUPED}. Take nominal="one_vs_rest", or merge rare categories by '
                f"max_levels={MOST_GROUPED - 1}."
            )
    needed = tests * table.n_rows * BYTES_PER_TEST
    if asked.memory_limit is not None and needed > asked.memory_limit:
        raise ParameterError(
            f"memory_limit={asked.memory_limit:g}: the search on {table.n_rows} rows needs about {needed:.3g} bytes. "
            "Raise the limit, or take fewer rows or columns."
        )
    return asked


def _deepest(recipe: Recipe) -> float:
    return np.inf if recipe.stopping.max_depth is None else recipe.stopping.max_depth


def _core_settings(
    recipe: Recipe, asked: Optimal, table: Table, costs: Costs, min_leaf: float, n_jobs: int
) -> _core.OptimalSettings:
    """Return the settings of the core."""
    stopping = recipe.stopping
    settings = _core.OptimalSettings()
    settings.max_depth = int(min(_deepest(recipe), max(table.n_rows - 1, 0), DEEPEST))
    if stopping.max_leaf_nodes is not None:
        settings.max_leaves = min(stopping.max_leaf_nodes, DEEPEST)
    settings.leaf_penalty = costs.penalty
    settings.min_leaf_samples = min_leaf
    settings.groups = recipe.search.nominal == "subset"
    settings.max_gap = asked.max_gap
    settings.keep_interrupted = asked.on_interrupt == "keep"
    settings.threads = n_jobs
    if asked.memory_limit is not None:
        settings.memory_limit = asked.memory_limit
    if asked.effort in ("lookahead", "split"):
        settings.lookahead = min(asked.lookahead, DEEPEST)
        settings.try_roots = asked.effort == "split"
    if asked.minimise == "leaves":
        assert asked.max_errors is not None
        settings.target_cost = asked.max_errors
        settings.max_leaves = min(settings.max_leaves, table.n_rows)
    return settings


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of trees.

    Parameters
    ----------
    matrix : the cost of predicting class k for a row of class c, at c · classes + k; empty: 1 per error, or squared
        errors.
    classes : the number of classes; 0 for numbers.
    penalty : the penalty of each leaf but the first, in the unit of costs.
    """

    matrix: npt.NDArray[np.float64]
    classes: int
    penalty: float

    @classmethod
    def of(cls, target: Target, asked: Optimal) -> Costs:
        """Take the costs of a target from the settings."""
        if isinstance(target, Values):
            weights = np.ones(len(target)) if target.weights is None else target.weights
            mean = float(weights @ target.values) / float(weights.sum())
            whole = float(weights @ (target.values - mean) ** 2)
            return cls(np.empty(0), 0, asked.leaf_penalty * whole)
        matrix = np.empty(0) if asked.loss is None else np.array(asked.loss, np.float64).ravel()
        return cls(matrix, len(target.labels), asked.leaf_penalty * target.total_weight)

    def as_leaves(self, tree: Tree) -> Floats:
        """Return the cost of each node as a leaf. The values of the tree are class weights or means."""
        if self.classes == 0:
            return np.asarray(tree.weight * tree.impurity)
        if self.matrix.size == 0:
            return np.asarray(tree.value.sum(axis=1) - tree.value.max(axis=1))
        return np.asarray((tree.value @ self.matrix.reshape(self.classes, -1)).min(axis=1))

    def answers(self, tree: Tree) -> npt.NDArray[np.int32] | None:
        """Return the class that each node predicts if errors have costs; None: the most likely class."""
        if self.matrix.size == 0:
            return None
        losses = tree.value @ self.matrix.reshape(self.classes, -1)
        return np.asarray(np.argmin(losses, axis=1), np.int32)

    def objective(self, tree: Tree) -> float:
        """Return the cost of a tree."""
        leaves = tree.feature < 0
        return float(self.as_leaves(tree)[leaves].sum()) + self.penalty * (int(leaves.sum()) - 1)

    def without_idle_splits(self, tree: Tree) -> Tree:
        """Prune subtrees that cost no less than a leaf."""
        cost = self.as_leaves(tree).tolist()
        idle = np.zeros(tree.n_nodes, bool)
        first, count = tree.first_child.tolist(), tree.n_children.tolist()
        for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parent
            if first[node] < 0:
                continue
            below = sum(cost[first[node] : first[node] + count[node]], self.penalty * (count[node] - 1))
            idle[node] = cost[node] <= below * (1 + 1e-12)
            cost[node] = min(cost[node], below)
        return collapse(tree, idle, reason="no_gain") if idle.any() else tree
