"""Optimal trees for every depth and every penalty: the trees among which cross-validation chooses.

A search goes through the depths one by one, so a single search gives the best tree of each. As the penalty of a leaf
rises, the best tree of a depth changes at a few penalties only. Plotted as cost against leaves, the trees between these
are the corners of the lower convex hull:

    cost │●                      Let −λ be the slope of the line through two corners. A search with penalty λ either
         │ ╲                     finds a tree below the line, which is a new corner, or proves that there is none. Then
         │  ●                    the best tree changes from one corner to the other at exactly this λ.
         │    ╲ · ●
         └──────────── leaves
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from branchwork.grow.optimal import Costs, search_levels
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Recipe
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.tree import Tree

SMALLEST = 1e-6
"""A penalty, as a share, so small that it only breaks ties: of equally good trees, the smaller one wins."""
SAME = 1e-9
"""Costs that differ by less than this share count as equal."""


@dataclass(frozen=True, eq=False)
class OptimalPath:
    """The best trees of a table.

    Parameters
    ----------
    penalties : a penalty for each corner of the path at the largest depth, ascending: the geometric mean of the two
        penalties between which this tree is the best. They are shares, like `leaf_penalty`.
    trees : for each penalty, the best tree with at most 0, 1, 2, … levels.
    """

    penalties: tuple[float, ...]
    trees: tuple[tuple[Tree, ...], ...]


class Searches:
    """Searches on one table, each with its own penalty."""

    def __init__(self, table: Table, target: Target, recipe: Recipe, *, min_leaf: float, n_jobs: int) -> None:
        assert recipe.optimal is not None and recipe.stopping.max_depth is not None
        self._recipe, self._min_leaf, self._n_jobs = recipe, min_leaf, n_jobs
        self._prepared, self._target = Prepared(table, n_jobs=n_jobs), target
        self.costs = Costs.of(target, replace(recipe.optimal, leaf_penalty=0.0))
        self.unit = Costs.of(target, replace(recipe.optimal, leaf_penalty=1.0)).penalty

    def trees(self, penalty: float) -> tuple[Tree, ...]:
        """Return the best tree with at most 0, 1, 2, … levels; values are class weights, or means."""
        asked = self._recipe.optimal
        assert asked is not None
        recipe = self._recipe.replace(optimal=replace(asked, leaf_penalty=penalty))
        return search_levels(
            self._prepared, self._target, recipe, min_leaf=self._min_leaf, n_jobs=self._n_jobs
        )

    def corner(self, tree: Tree) -> tuple[int, float]:
        """Return the number of leaves and the cost of a tree, without penalties and as a share."""
        return tree.n_leaves, self.costs.objective(tree) / (self.unit or 1.0)


def optimal_path(
    table: Table,
    target: Target,
    recipe: Recipe,
    *,
    min_leaf: float,
    n_jobs: int,
    done: Callable[[], None] | None = None,
) -> OptimalPath:
    """Find the best trees of a table for every penalty. `done` is called after each search."""
    searches = Searches(table, target, recipe, min_leaf=min_leaf, n_jobs=n_jobs)

    def trees(penalty: float) -> tuple[Tree, ...]:
        found = searches.trees(penalty)
        if done is not None:
            done()
        return found

    largest = trees(SMALLEST)
    changes = _changes(searches.corner(largest[-1]), searches.corner(largest[0]), trees, searches.corner)
    ends = [SMALLEST, *sorted(changes)]
    middles = [math.sqrt(a * b) for a, b in pairwise(ends)] or [SMALLEST]
    return OptimalPath(tuple(middles), tuple(trees(penalty) for penalty in middles))


Corner = tuple[int, float]


def _changes(
    large: Corner,
    small: Corner,
    trees: Callable[[float], tuple[Tree, ...]],
    corner: Callable[[Tree], Corner],
) -> list[float]:
    """Return the penalties at which the best tree changes between two corners of the path."""
    if large[0] <= small[0]:
        return []
    slope = (small[1] - large[1]) / (large[0] - small[0])
    if slope <= SMALLEST:
        return [SMALLEST]
    between = corner(trees(slope)[-1])
    on_line = large[1] + slope * large[0]
    if between[1] + slope * between[0] >= on_line * (1 - SAME) or not small[0] < between[0] < large[0]:
        return [slope]
    return [*_changes(large, between, trees, corner), *_changes(between, small, trees, corner)]
