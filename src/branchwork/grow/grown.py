"""Make the arrays of a tree that the core has grown, each when it is first asked for.

To make all of them takes longer than to grow a small tree, and a fit needs few of them: nobody may ever look at the
ledger, for example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork import _core
from branchwork.grow.recipe import Recipe
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import LEFT_OUT, Ledger
from branchwork.tree.outputs import as_parent_where_empty, outputs_of
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import Floats, Tree


def grown_tree(
    grown: _core.GrownTree, target: Target, recipe: Recipe, n_columns: int, of_table: Floats | None = None
) -> Tree:
    """Return the core's tree; the training rows are not kept.

    `of_table` has the class weights of the whole table, if the tree was grown on a part of it.
    """
    return Tree.made_later(_Arrays(grown, recipe, n_columns, isinstance(target, Classes), of_table))


@dataclass(frozen=True, eq=False)
class _Arrays:
    """Makes the arrays by name. Those that need no more work have the same name in the core."""

    grown: _core.GrownTree
    recipe: Recipe
    n_columns: int
    of_classes: bool
    of_table: Floats | None

    def __call__(self, tree: Tree, name: str) -> Any:
        make = _MAKERS.get(name)
        return getattr(self.grown, name) if make is None else make(self, tree)

    def stats(self) -> Floats:
        """Return the class weights of each node, or its mean."""
        return self.grown.stats.reshape(len(self.grown.feature), -1)

    def value(self, tree: Tree) -> Floats:
        if tree.distribution is None:
            return as_parent_where_empty(tree, self.stats().copy())
        return outputs_of(tree, tree.distribution, self.recipe.smoothing, self.of_table)


_MAKERS: dict[str, Callable[[_Arrays, Tree], Any]] = {
    "value": _Arrays.value,
    "distribution": lambda of, _: of.stats() if of.of_classes else None,
    "variance": lambda of, _: None if of.of_classes else of.grown.variance,
    "bounds": lambda *_: np.empty(0),
    "ledger": lambda of, _: core_ledger(of.grown, of.n_columns, of.recipe),
    "surrogates": lambda of, _: _surrogates(of.grown) if of.recipe.search.missing == "surrogate" else None,
}


def _surrogates(grown: _core.GrownTree) -> Surrogates:
    count = grown.surrogate_count
    return Surrogates(
        first=(np.cumsum(count) - count).astype(np.int32),
        count=count,
        feature=grown.surrogate_feature,
        cut=grown.surrogate_cut,
        low_child=grown.surrogate_low_child,
        lookup=grown.surrogate_lookup,
        pool=grown.surrogate_pool,
        agreement=grown.surrogate_agreement,
        adjusted=grown.surrogate_adjusted,
    )


def core_ledger(grown: _core.GrownTree, n_columns: int, recipe: Recipe) -> Ledger | None:
    """Return the ledger of the core; None if it kept none."""
    if not grown.has_ledger:
        return None
    shape = (-1, n_columns)
    judged = np.empty((3, 0, 0))
    if recipe.search.missing in LEFT_OUT:
        judged = np.stack([grown.ledger_known, grown.ledger_before, grown.ledger_price]).reshape((3, *shape))
    return Ledger(
        node=grown.ledger_node,
        cut=grown.ledger_cut.reshape(shape),
        gain=grown.ledger_gain.reshape(shape),
        split_info=grown.ledger_split_info.reshape(shape),
        verdict=grown.ledger_verdict.reshape(shape),
        sides_at=grown.ledger_sides_at.reshape(shape),
        sides=grown.ledger_sides,
        chance=np.stack([grown.ledger_statistic, grown.ledger_freedom, grown.ledger_rest]).reshape(
            (3, *shape)
        ),
        judged=judged,
    )
