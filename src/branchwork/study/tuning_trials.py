"""The errors of all settings of a grid, on folds: by the shortest way there is.

    one tree for all depths and pruning strengths     single trees                       `TreeTrials`
    one forest for all depths                         forests: nodes draw by place       `ForestTrials`
    one search for all depths                         optimal trees                      `OptimalTrials`
    one fit per setting                               everything else                    `FitTrials`

Every table is sorted once, whatever the number of folds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning
from branchwork.grow.grow import sample_limits
from branchwork.grow.optimal import Costs
from branchwork.grow.optimal_path import Searches
from branchwork.learn.members import Members
from branchwork.learn.threads import in_threads, one_thread_each
from branchwork.model.model import Model
from branchwork.study.containers import Rows, rows_of
from branchwork.study.nested import answering, largest, leaf_counts, stopped
from branchwork.study.sources import BATCH_CELLS, Coder, leaves_of, losses
from branchwork.study.tuning_grid import Grid, Setting, settings_of
from branchwork.table.adapt import to_table
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.outputs import likeliest
from branchwork.tree.reshape import collapse, under
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Part = tuple[Rows, Rows]
Done = Callable[[int], None]


class Measured(NamedTuple):
    """Mean loss on the test rows, and number of leaves, for each setting."""

    loss: Floats
    leaves: Floats


class Trials(Protocol):
    """Something that measures all settings of a grid."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""

    @property
    def n_steps(self) -> int:
        """Steps of the progress bar for each part."""

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Learn from the training rows of each part, and measure the loss on its test rows."""


def trials_of(est: Any, X: Any, y: Any, grid: Grid, coder: Coder, n_jobs: int) -> Trials:
    """Return what measures the settings of a grid by the shortest way."""
    if "leaf_penalty" in grid and set(grid) == {"max_depth", "leaf_penalty"} and _is_plain_optimal(est):
        return OptimalTrials(est, to_table(X, est.categorical_features), est._target(y, None), grid, n_jobs)
    trials = tree_trials(est, X, y, grid, n_jobs)
    if trials is not None:
        return trials
    every = FitTrials(est, X, y, grid, coder, n_jobs)
    if "max_depth" in grid and _draws_by_place(est):
        return ForestTrials(est, X, y, grid, coder, n_jobs)
    return every


def fitted_with(est: Any, setting: Setting, X: Any, y: Any) -> Any:
    """Fit an estimator with a setting; a single tree is pruned by ccp_alpha after growth."""
    from sklearn.base import clone

    own, known = clone(est), est.get_params()
    own = own.set_params(**{name: value for name, value in setting.items() if name in known}).fit(X, y)
    if "ccp_alpha" in setting and "ccp_alpha" not in known:
        return own.prune("cost_complexity", alpha=setting["ccp_alpha"])
    return own


# --------------------------------------------------------------------------------------------- single trees


def tree_trials(est: Any, X: Any, y: Any, grid: Grid, n_jobs: int) -> TreeTrials | None:
    """Return the trials of a single tree; None: its trees are not parts of one another."""
    grows = getattr(est, "_members", None)
    if grows is None:
        return None
    table, target = to_table(X, est.categorical_features), est._target(y, None)
    inner = [name for name in ("max_depth", "ccp_alpha") if name in grid]
    if not inner:
        return None
    trials = TreeTrials(est, table, target, grid, n_jobs)
    for members in trials.of_outer():
        if members is None or members.alone is not None or members.recipe.search.missing == "share":
            return None
        if any(largest(name, grid[name], members.recipe) is None for name in inner):
            return None
    return trials


@dataclass(frozen=True, eq=False)
class TreeTrials:
    """Trees of one table: for each leaf size one tree, which has the trees of all depths and strengths in it."""

    est: Any
    table: Table
    target: Target
    grid: Grid
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
            told = _told(part, ids[top[leaf]], self.target.take(test))
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
    tree: Tree, leaf: npt.NDArray[Any], target: Target
) -> Callable[[npt.NDArray[np.intp]], list[float]]:
    """Return a function: given which node answers for each leaf (settings × nodes), the mean loss for each setting.

    The test rows are counted once, by leaf. Squared errors are those about the mean of the leaf's test rows, plus those
    of the mean itself.
    """
    n = tree.n_nodes
    rows = np.bincount(leaf, minlength=n).astype(np.float64)
    if isinstance(target, Classes):
        k = len(target.labels)
        counts = np.bincount(leaf * k + target.codes, minlength=n * k).reshape(n, k)
        decision, nodes = tree.decision, np.arange(n)

        def wrong(top: npt.NDArray[np.intp]) -> list[float]:
            right = counts[nodes, decision[top]].sum(axis=1)
            return list(((rows.sum() - right) / rows.sum()).tolist())

        return wrong
    mean = np.bincount(leaf, target.values, n) / np.where(rows > 0, rows, 1)
    spread = float(((target.values - mean[leaf]) ** 2).sum())

    def squared(top: npt.NDArray[np.intp]) -> list[float]:
        off = (rows * (mean - tree.value[top, 0]) ** 2).sum(axis=1)
        return list(((spread + off) / rows.sum()).tolist())

    return squared


# -------------------------------------------------------------------------------------------- optimal trees


def _is_plain_optimal(est: Any) -> bool:
    """Whether one search finds the trees of all depths: the exact search for the least error."""
    wanted = {
        "effort": "exact",
        "minimise": "error",
        "max_leaf_nodes": None,
        "xval": None,
        "time_limit": None,
    }
    wanted |= {"memory_limit": None, "min_category_rows": None, "max_levels": None}
    plain = all(getattr(est, name, value) == value for name, value in wanted.items())
    return plain and not getattr(est, "max_gap", 0) and getattr(est, "loss", None) is None


@dataclass(frozen=True, eq=False)
class OptimalTrials:
    """Optimal trees: for each penalty one search, which finds the best tree of every depth."""

    est: Any
    table: Table
    target: Target
    grid: Grid
    n_jobs: int = 1

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""
        return settings_of(self.grid)

    @property
    def n_steps(self) -> int:
        """One search for each penalty."""
        return len(self.grid["leaf_penalty"])

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Search the training rows of each part."""
        recipe = self.est._recipe()
        depths, count, found = self.grid["max_depth"], 0, []
        recipe = recipe.replace(stopping=replace(recipe.stopping, max_depth=max(depths)))
        assert recipe.optimal is not None
        costs = Costs.of(self.target, replace(recipe.optimal, leaf_penalty=0.0))
        for train, test in parts:
            target = self.target.take(train)
            least = sample_limits(recipe, target)[1]
            own = Searches(self.table.take(train), target, recipe, min_leaf=least, n_jobs=self.n_jobs)
            held, truth = self.table.take(test), self.target.take(test)
            by_setting = {}
            for penalty in self.grid["leaf_penalty"]:
                trees = own.trees(penalty)
                for depth in depths:
                    tree = trees[min(depth, len(trees) - 1)]
                    by_setting[depth, penalty] = _loss_of(tree, costs, held, truth), float(tree.n_leaves)
                count += 1
                done(count)
            numbers = [by_setting[one["max_depth"], one["leaf_penalty"]] for one in self.settings]
            found.append(Measured(*np.array(numbers).T))
        return found


def _loss_of(tree: Tree, costs: Costs, table: Table, target: Target) -> float:
    leaf = apply(tree, table)
    if isinstance(target, Classes):
        answers = costs.answers(tree)
        said = np.argmax(tree.value, axis=1) if answers is None else answers
        return float((said[leaf] != target.codes).mean())
    return float(((tree.value[leaf, 0] - target.values) ** 2).mean())


# ------------------------------------------------------------------------------------- everything else


@dataclass(frozen=True, eq=False)
class FitTrials:
    """Any estimator: one fit for each setting and part."""

    est: Any
    X: Any
    y: Any
    grid: Grid
    coder: Coder
    n_jobs: int = 1

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""
        return settings_of(self.grid)

    @property
    def n_steps(self) -> int:
        """One fit for each setting."""
        return len(self.settings)

    @cached_property
    def _rows(self) -> tuple[Any, npt.NDArray[Any]]:
        takes_tables = hasattr(type(self.est), "_target")
        return to_table(self.X) if takes_tables else self.X, self.coder.code(self.y)

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Fit every setting on the training rows of each part."""
        self._rows  # noqa: B018  # made before threads ask for it
        found = []
        for count, one in enumerate(in_threads(self._one, parts, n_jobs=self.n_jobs), 1):
            found.append(one)
            done(count * self.n_steps)
        return found

    def _one(self, part: Part) -> Measured:
        with one_thread_each(self.n_jobs), warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchworkWarning)  # a part may lack a class or a category
            numbers = [self._tried(one, *part) for one in self.settings]
        return Measured(*np.array(numbers).T)

    def _fitted(self, setting: Setting, train: Rows) -> Any:
        return fitted_with(self.est, setting, rows_of(self._rows[0], train), rows_of(self.y, train))

    def _tried(self, setting: Setting, train: Rows, test: Rows) -> tuple[float, float]:
        X, truth = self._rows
        est = self._fitted(setting, train)
        said = self.coder.code(est.predict(rows_of(X, test)))
        return float(losses(said, truth[test], self.coder.is_classes).mean()), leaves_of(est)


def _draws_by_place(est: Any) -> bool:
    """Whether a forest of less depth is the same forest cut off: what a node draws depends on its place alone."""
    if not hasattr(type(est), "estimators_samples_") or "honest" not in est.get_params(deep=False):
        return False
    return (
        est.max_leaf_nodes is None
        and not est.honest
        and est.n_iter_no_change is None
        and est.callback is None
    )


@dataclass(frozen=True, eq=False)
class ForestTrials(FitTrials):
    """Forests: for each leaf size one forest, which has the forests of all depths in it."""

    @cached_property
    def outer(self) -> tuple[Setting, ...]:
        """The settings that need a forest each."""
        return settings_of({name: values for name, values in self.grid.items() if name != "max_depth"})

    @property
    def n_steps(self) -> int:
        """One forest for each outer setting."""
        return len(self.outer)

    def _one(self, part: Part) -> Measured:
        train, test = part
        by_setting: dict[Any, tuple[float, float]] = {}
        depths = self.grid["max_depth"]
        deepest = None if None in depths else max(depths)
        with one_thread_each(self.n_jobs), warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchworkWarning)
            for outer in self.outer:
                est = self._fitted(outer | {"max_depth": deepest}, train)
                for depth, numbers in zip(depths, self._cut_off(est, test), strict=True):
                    by_setting[tuple(sorted((outer | {"max_depth": depth}).items(), key=str))] = numbers
        found = [by_setting[tuple(sorted(one.items(), key=str))] for one in self.settings]
        return Measured(*np.array(found).T)

    def _cut_off(self, est: Any, test: Rows) -> list[tuple[float, float]]:
        """Return loss and leaves of the forest at each depth: every tree answers by the first node at that depth."""
        model: Model = est.model_
        table = est._coded(rows_of(self._rows[0], test))
        depths = self.grid["max_depth"]
        total: Any = 0.0
        leaves = np.zeros(len(depths))
        for tree in model.trees:
            masks = stopped(tree, "max_depth", depths)
            top = answering(tree, masks)
            at = top[:, model._apply(tree, table, 1)]
            votes = model.combine.kind == "vote"
            total = total + (np.eye(tree.n_outputs)[tree.decision[at]] if votes else tree.value[at])
            leaves += leaf_counts(masks, top)
        outputs = total / len(model.trees)
        truth = self._rows[1][test]
        if model.labels is None:
            said: Any = outputs[:, :, 0]
        else:
            said = self.coder.codes_of(model.labels)[np.stack([likeliest(one) for one in outputs])]
        errors = losses(said, truth, self.coder.is_classes).mean(axis=1)
        return list(zip(errors.tolist(), leaves.tolist(), strict=True))
