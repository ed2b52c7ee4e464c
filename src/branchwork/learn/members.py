"""Grow the trees of an ensemble on samples of one table that is sorted once.

If a recipe needs only growth, one call of the core grows many trees. Trees that are also pruned, or that are grown in
another way, are learned one by one on the rows of their samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from branchwork.errors import BranchworkWarning
from branchwork.grow.grow import Progress, grow, grow_many
from branchwork.grow.prepared import Drawn, Prepared
from branchwork.grow.recipe import Recipe
from branchwork.lazy import cached_property
from branchwork.learn.honest import estimated, halves_of_copies
from branchwork.learn.sampling import Copies
from branchwork.learn.threads import in_columns, in_threads
from branchwork.table.schema import Schema
from branchwork.table.table import Table, read_only
from branchwork.table.target import Classes, Target
from branchwork.tree.expand import expand
from branchwork.tree.tree import Tree

LearnAlone = Callable[[Table, Target, Drawn], Tree]
"""Learns one tree from the rows of a sample, which are also given as a draw from the prepared table."""


@dataclass(frozen=True, eq=False)
class Members:
    """How the trees are grown.

    Parameters
    ----------
    schema : the schema of the model; the categories of `table` may be merged (learn/levels.py).
    table, target : the rows to draw from.
    recipe : the recipe of every tree.
    alone : learns a single tree, if the recipe needs more than growth; None if it does not.
    balanced : whether to weight the classes of each sample so that all count the same ("balanced_subsample").
    """

    schema: Schema
    table: Table
    target: Target
    recipe: Recipe
    seed: int = 0
    n_jobs: int = 1
    alone: LearnAlone | None = None
    balanced: bool = False

    @cached_property
    def prepared(self) -> Prepared:
        """The table, sorted once.

        Random cuts read its cells repeatedly, so its columns are made contiguous for them.
        """
        table = in_columns(self.table) if self.recipe.search.cuts == "random" else self.table
        return Prepared(table, n_jobs=self.n_jobs)

    def grow(self, first: int, copies: Sequence[Copies], progress: Progress | None = None) -> list[Tree]:
        """Grow a tree on each sample; `first` is the number of the first tree."""
        draws = [Drawn(self.prepared, one) for one in copies]
        if self.recipe.honest is not None and self.alone is None:
            trees = self._honest(first, draws, progress)
        elif self.alone is None and not self.balanced:
            trees = self._many(self.target, draws, first, progress)
        else:
            trees = [self._one(draw, first + k) for k, draw in enumerate(draws)]
        return [expand(tree, self.schema) for tree in trees]

    def _honest(self, first: int, draws: list[Drawn], progress: Progress | None) -> list[Tree]:
        """Grow each tree on one half of its sample, and count the other half in its nodes."""
        of_trees = [_balanced(self.target, draw) if self.balanced else self.target for draw in draws]
        parts = [
            halves_of_copies(self.target, draw.copies, self.seed, first + k) for k, draw in enumerate(draws)
        ]
        grown_on = [Drawn(self.prepared, structure) for structure, _ in parts]
        if self.balanced:
            pairs = enumerate(zip(of_trees, grown_on, strict=True))
            trees = [self._many(target, [draw], first + k)[0] for k, (target, draw) in pairs]
        else:
            trees = self._many(self.target, grown_on, first, progress)

        def counted(tree: Tree, target: Target, draw: Drawn, estimate: Copies) -> Tree:
            of_table = None
            if isinstance(target, Classes):
                weights = draw.copies * (1.0 if target.weights is None else target.weights)
                of_table = np.bincount(target.codes, weights, len(target.labels)).astype(np.float64)
            return estimated(
                tree,
                self.table,
                target,
                self.recipe.criterion,
                self.recipe.smoothing,
                copies=estimate,
                of_table=of_table,
            )

        others = [estimate for _, estimate in parts]
        return list(in_threads(counted, trees, of_trees, draws, others, n_jobs=self.n_jobs))

    def weighted(self, draw: Drawn, target: Target) -> Tree:
        """Learn one tree on weighted rows; trees of up to 1 000 nodes keep their working."""
        table, part = self.table, target
        if not (draw.copies == 1).all():
            rows = draw.rows
            table, part = table.take(rows), target.take(rows)
        if self.alone is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", BranchworkWarning)
                return expand(self.alone(table, part, draw), self.schema)
        tree, _ = grow(table, part, self.recipe, n_jobs=self.n_jobs, drawn=draw)
        return expand(tree, self.schema)

    def _many(
        self, target: Target, draws: list[Drawn], first: int, progress: Progress | None = None
    ) -> list[Tree]:
        return grow_many(
            self.prepared,
            target,
            self.recipe,
            draws,
            seed=self.seed,
            first_tree=first,
            n_jobs=self.n_jobs,
            progress=progress,
        )

    def _one(self, draw: Drawn, number: int) -> Tree:
        target = _balanced(self.target, draw) if self.balanced else self.target
        if self.alone is None:
            return self._many(target, [draw], number)[0]
        rows = draw.rows
        # A sample may have only one class; the user need not be warned about that.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchworkWarning)
            return self.alone(self.table.take(rows), target.take(rows), draw)


def _balanced(target: Target, draw: Drawn) -> Target:
    """Weight every class by rows / (classes · rows of the class), counted in the sample."""
    assert isinstance(target, Classes)
    rows = np.bincount(target.codes, draw.copies, minlength=len(target.labels))
    present = rows > 0
    factors = np.where(present, rows.sum() / (present.sum() * np.where(present, rows, 1)), 1.0)
    weights = factors[target.codes] * (1.0 if target.sample_weights is None else target.sample_weights)
    return replace(target, weights=read_only(weights), class_weights=factors)
