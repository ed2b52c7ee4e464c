"""Measure the errors of all settings of single trees: one tree contains the trees of all depths and pruning strengths.

For each of the other settings, such as the leaf size, one tree is grown on the training rows of each part; the table is
sorted once for all of them. The test rows walk down once, and are counted by leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.learn.members import Members
from branchwork.learn.threads import in_threads
from branchwork.measure.losses import Loss
from branchwork.study.containers import Rows
from branchwork.study.nested import answering, largest, leaf_counts, stopped
from branchwork.study.sources import BATCH_CELLS, Coder
from branchwork.study.tuning_fits import Done, Measured, Part
from branchwork.study.tuning_grid import Grid, Setting, settings_of
from branchwork.table.adapt import to_table
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.reshape import collapse, under
from branchwork.tree.tree import Tree

TINY = 1e-300
"""The mean of a leaf is not raised to the least rate: only what is predicted is."""


def tree_trials(
    est: Any, X: Any, y: Any, grid: Grid, coder: Coder, n_jobs: int, weights: Any = None
) -> TreeTrials | None:
    """Return the trials of a single tree, or None if its trees are not nested."""
    grows = getattr(est, "_members", None)
    if grows is None or (weights is not None and not (np.asarray(weights) > 0).all()):
        return None
    table, target = to_table(X, est.categorical_features), est._target(y, weights)
    inner = [name for name in ("max_depth", "ccp_alpha") if name in grid]
    if not inner:
        return None
    trials = TreeTrials(est, table, target, grid, coder.loss, n_jobs)
    for members in trials.of_outer():
        if members is None or members.alone is not None or members.recipe.search.missing == "share":
            return None
        if any(largest(name, grid[name], members.recipe) is None for name in inner):
            return None
    return trials


@dataclass(frozen=True, eq=False)
class TreeTrials:
    """Trees of one table: for each leaf size one tree, which contains the trees of all depths and strengths."""

    est: Any
    table: Table
    target: Target
    grid: Grid
    loss: Loss
    n_jobs: int = 1

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""
        return settings_of(self.grid)

    @cached_property
    def outer(self) -> tuple[Setting, ...]:
        """The settings that need a tree each."""
        return settings_of(
            {name: v for name, v in self.grid.items() if name not in ("max_depth", "ccp_alpha")}
        )

    @property
    def n_steps(self) -> int:
        """One tree for each outer setting."""
        return len(self.outer)

    def of_outer(self) -> Iterator[Members | None]:
        """Yield what grows the largest trees of each outer setting."""
        from sklearn.base import clone

        for one in self.outer:
            est = clone(self.est).set_params(**one)
            if "max_depth" in self.grid:
                depths = self.grid["max_depth"]
                est.set_params(max_depth=None if None in depths else max(depths))
            yield est._members(self.table, self.target, self.n_jobs)

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Grow the trees of all parts on one sorted table, some at a time."""
        shape = (len(parts), len(self.settings))
        loss, leaves = np.empty(shape), np.empty(shape)
        place = {tuple(one.items()): k for k, one in enumerate(self.settings)}
        prepared, count = None, 0
        size = max(1, BATCH_CELLS // max(1, self.table.n_rows))
        for outer, members in zip(self.outer, self.of_outer(), strict=True):
            assert members is not None
            prepared = prepared or members.prepared
            members.__dict__["prepared"] = prepared  # a cached property: sorted once for all
            for begin in range(0, len(parts), size):
                batch = parts[begin : begin + size]
                trees = members.grow(0, [prepared.draw(train).copies for train, _ in batch])
                of_trees = in_threads(self._tried, trees, [test for _, test in batch], n_jobs=self.n_jobs)
                for k, found in enumerate(of_trees):
                    for inner, (error, n_leaves) in found:
                        column = place[tuple({name: (outer | inner)[name] for name in self.grid}.items())]
                        loss[begin + k, column], leaves[begin + k, column] = error, n_leaves
                    count += 1
                    done(count)
        return [Measured(*pair) for pair in zip(loss, leaves, strict=True)]

    def _tried(self, tree: Tree, test: Rows) -> list[tuple[Setting, tuple[float, float]]]:
        """Return the loss and the leaves for each depth and strength, from one walk of the test rows."""
        leaf = apply(tree, self.table.take(test), unseen_with_majority=self.est.handle_unknown == "majority")
        depths = self.grid.get("max_depth", (None,))
        tops = answering(tree, stopped(tree, "max_depth", depths))
        found = []
        for depth, top in zip(depths, tops, strict=True):
            mask = tree.depths >= (np.inf if depth is None else depth)
            part = collapse(tree, (tree.feature >= 0) & mask)
            ids = np.cumsum(~under(tree, (tree.feature >= 0) & mask)) - 1
            told = _told(part, ids[top[leaf]], self.target.take(test), self.loss)
            named = {} if "max_depth" not in self.grid else {"max_depth": depth}
            if "ccp_alpha" not in self.grid:
                every = np.arange(part.n_nodes)[None, :]
                found.append((named, (told(every)[0], float(part.n_leaves))))
                continue
            alphas = self.grid["ccp_alpha"]
            masks = stopped(part, "ccp_alpha", alphas)
            top_of = answering(part, masks)
            pairs = zip(alphas, told(top_of), leaf_counts(masks, top_of).tolist(), strict=True)
            found += [(named | {"ccp_alpha": a}, (error, float(n))) for a, error, n in pairs]
        return found


def _told(
    tree: Tree, leaf: npt.NDArray[Any], target: Target, loss: Loss
) -> Callable[[npt.NDArray[np.intp]], list[float]]:
    """Return a function from the node that predicts for each leaf (settings × nodes) to the mean loss of each setting.

    The test rows are counted once, by leaf. Squared errors are those about the mean of the leaf's test rows, plus those
    of the mean itself, and deviances likewise.
    """
    n, weights = tree.n_nodes, target.sample_weights
    rows = np.bincount(leaf, weights, n).astype(np.float64)
    if isinstance(target, Classes):
        k = len(target.labels)
        counts = np.bincount(leaf * k + target.codes, weights, n * k).reshape(n, k)
        decision, nodes = tree.decision, np.arange(n)

        def wrong(top: npt.NDArray[np.intp]) -> list[float]:
            right = counts[nodes, decision[top]].sum(axis=1)
            return list(((rows.sum() - right) / rows.sum()).tolist())

        return wrong
    weighted = target.values if weights is None else weights * target.values
    mean = np.bincount(leaf, weighted, n) / np.where(rows > 0, rows, 1)
    about_mean = replace(loss, least=TINY).of_rows(mean[leaf], target.values)
    spread = float(np.sum(about_mean if weights is None else weights * about_mean))

    def of_numbers(top: npt.NDArray[np.intp]) -> list[float]:
        off = (rows * loss.of_rows(tree.value[top, 0], mean)).sum(axis=1)
        return list(((spread + off) / rows.sum()).tolist())

    return of_numbers
