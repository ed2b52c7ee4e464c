"""Measure how stable a tree is: grow it again on bootstrap samples, and see what comes back.

A bootstrap sample draws as many rows as there are, with replacement; about 37 % of the rows are not drawn. Trees are
compared in four ways:

    splits          whether the same feature splits the same place of the tree, and where its threshold lies
    partitions      the share of pairs of rows that are in one leaf of one tree, but not of the other (1 − Rand index)
    predictions     how often two trees disagree about a row that neither of them has seen
    leaves          what trees that have not seen the rows of a leaf predict for them

A place of the tree is found again branch by branch. The branches of two thresholds correspond by their order, those of
two groups of categories by the rows that they share.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning, DataError, ParameterError, shown
from branchwork.grow.checks import whole_number
from branchwork.learn.sampling import Copies, Sampling
from branchwork.learn.threads import in_threads, one_thread_each, thread_count
from branchwork.model.model import Model
from branchwork.study.asked import bar, check_estimator, seed_of
from branchwork.study.containers import check_lengths
from branchwork.study.sources import BATCH_CELLS
from branchwork.study.stability_result import Leaves, Splits, Stability
from branchwork.table.adapt import to_table
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import Tree
from branchwork.tree.walk import preorder

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]


def stability(
    est: Any,
    X: Any,
    y: Any,
    n: int = 100,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Stability:
    """Measure how much of a tree comes back when it is grown again on bootstrap samples.

    Parameters
    ----------
    est : an estimator that grows a single tree, not fitted.
    X, y : the rows, in any container.
    n : number of bootstrap samples.
    random_state : seed of all draws.
    n_jobs : number of threads; -1 means all. The result does not depend on it.
    verbose : show a progress bar.

    >>> import branchwork as bw
    >>> X, y = bw.study.CheckerboardSampler(flip=0.1, squares=2)(300, seed=0)
    >>> found = bw.study.stability(bw.TreeClassifier(max_depth=2), X, y, n=50)
    >>> found
    Stability(50 samples, root comes back in 70%)
    """
    is_classes = check_estimator(est)
    if not hasattr(type(est), "cost_complexity_path") or "rules_" in getattr(
        type(est), "__annotations__", {}
    ):
        raise ParameterError(
            f"est={shown(est)}; expected an estimator of Branchwork that grows a single tree, such as "
            "bw.TreeClassifier()."
        )
    rows = check_lengths(X, y)
    whole_number("n", n, low=2)
    seed, threads = seed_of(random_state), thread_count(n_jobs)
    if rows < 2:
        raise DataError("X has one row; bootstrap samples of it are all the same.")
    from sklearn.base import clone

    fitted = clone(est).fit(X, y)
    table, target = to_table(X, est.categorical_features), est._target(y, None)
    sampling = Sampling(rows, rows, seed)
    tally = _Tally(fitted.model_, table, target, n)
    with bar(verbose, n, f"stability of {type(est).__name__}") as done:
        for k, (tree, copies) in enumerate(_trees(est, table, target, sampling, n, threads)):
            tally.add(k, tree, copies)
            done(k + 1)
    return tally.found(type(est).__name__, is_classes)


def _trees(
    est: Any, table: Table, target: Target, sampling: Sampling, n: int, threads: int
) -> Iterator[tuple[Tree, Copies]]:
    """Yield the tree of each sample: some at a time on one sorted table or, if that is impossible, by single fits."""
    members = est._members(table, target, threads)
    size = max(1, min(n, BATCH_CELLS // table.n_rows))
    for begin in range(0, n, size):
        copies = [sampling.copies(k) for k in range(begin, min(n, begin + size))]
        if members is not None:
            yield from zip(members.grow(begin, copies), copies, strict=True)
            continue
        own = in_threads(lambda one: _fitted(est, table, target, one, threads), copies, n_jobs=threads)
        yield from zip(own, copies, strict=True)


def _fitted(est: Any, table: Table, target: Target, copies: Copies, threads: int) -> Tree:
    from sklearn.base import clone

    from branchwork.model.model import label_array

    rows = np.repeat(np.arange(len(copies)), copies)
    part = target.take(rows)
    y = label_array(part.labels)[part.codes] if isinstance(part, Classes) else part.values
    with one_thread_each(threads), warnings.catch_warnings():  # a sample may lack a class or a category
        warnings.simplefilter("ignore", BranchworkWarning)
        model: Model = clone(est).fit(table.take(rows), y).model_
    return _in_labels(model, target)


def _in_labels(model: Model, target: Target) -> Tree:
    """Return the tree with outputs in the order of the labels of the whole table; a sample may lack a class."""
    tree = model.trees[0]
    if not isinstance(target, Classes) or model.labels == target.labels:
        return tree
    assert model.labels is not None
    places = [target.labels.index(label) for label in model.labels]
    value = np.zeros((tree.n_nodes, len(target.labels)))
    value[:, places] = tree.value
    answer = np.asarray(places, np.int32)[tree.decision]
    return tree.replace(value=value, answer=answer, distribution=None)


@dataclass(frozen=True, eq=False)
class _Walk:
    """A tree with the positions of its nodes in preorder: all nodes below a node follow it directly."""

    tree: Tree
    place: Ints

    @staticmethod
    def of(tree: Tree) -> _Walk:
        place = np.empty(tree.n_nodes, np.intp)
        place[np.fromiter(preorder(tree), np.intp, tree.n_nodes)] = np.arange(tree.n_nodes)
        return _Walk(tree, place)

    def branch(self, node: int, below: Ints) -> Ints:
        """Return the child of a node, counted from the first, that each of some nodes below it lies under."""
        children = self.tree.children(node)
        starts = self.place[children.start : children.stop]
        return np.searchsorted(starts, self.place[below], side="right") - 1


class _Tally:
    """Counts what comes back, tree by tree."""

    def __init__(self, model: Model, table: Table, target: Target, n: int) -> None:
        self.model, self.table, self.target, self.n = model, table, target, n
        self.walk = _Walk.of(model.tree)
        tree = model.tree
        self.leaf = model._apply(tree, table, 1).astype(np.intp)
        self.back = np.zeros(tree.n_nodes, np.int64)
        self.reached = np.zeros(tree.n_nodes, np.int64)
        self.alike = np.zeros(tree.n_nodes)
        self.cuts: dict[int, list[float]] = {}
        # The last entry is for trees that are a single leaf.
        self.root = np.zeros(len(table.schema) + 1, np.int64)
        self.used = np.zeros(len(table.schema), np.int64)
        self.distance = np.zeros(n)
        self.sizes = np.zeros(n)
        self.leaf_values = np.full((n, tree.n_nodes), np.nan)
        classes = len(target.labels) if isinstance(target, Classes) else 0
        self.votes = np.zeros((len(target), classes), np.int32)
        # For numbers: the count, the sum about the tree's prediction, and the sum of squares.
        self.sums = np.zeros((3, len(target)))

    def add(self, k: int, tree: Tree, copies: Copies) -> None:
        """Count one tree."""
        leaf = self.model._apply(tree, self.table, 1).astype(np.intp)
        self.root[int(tree.feature[0])] += 1  # -1 is the last entry
        self.used[tree.asked] += 1
        self.sizes[k] = tree.n_leaves
        both, counts = np.unique(self.leaf * tree.n_nodes + leaf, return_counts=True)
        pairs = np.stack(np.divmod(both, tree.n_nodes))
        self.distance[k] = _apart(pairs, counts)
        self._match(tree, pairs, counts)
        unseen = np.flatnonzero(copies == 0)
        if unseen.size:
            self._predictions(k, tree, leaf, unseen)

    def _predictions(self, k: int, tree: Tree, leaf: Ints, unseen: Ints) -> None:
        own, n_nodes = self.leaf[unseen], self.model.tree.n_nodes
        if isinstance(self.target, Classes):
            self.votes[unseen, tree.decision[leaf[unseen]]] += 1
            said = tree.value[leaf[unseen], self.model.tree.decision[own]]
        else:
            said = tree.value[leaf[unseen], 0]
            off = said - self.model.tree.value[own, 0]
            self.sums[:, unseen] += np.stack([np.ones(len(unseen)), off, off**2])
        count = np.bincount(own, minlength=n_nodes)
        mean = np.bincount(own, said, n_nodes) / np.where(count > 0, count, 1)
        self.leaf_values[k] = np.where(count > 0, mean, np.nan)

    def _match(self, tree: Tree, pairs: Ints, counts: Ints) -> None:
        """Go down both trees at once, as long as the same feature splits the same place.

        `pairs` are the leaves that rows reach in both trees, with the number of such rows. Down a branch, only the
        pairs remain whose leaves lie below it in both trees.
        """
        mine, other = self.walk, _Walk.of(tree)
        waiting = [(0, 0, np.arange(len(counts)))]
        while waiting:
            node, place, kept = waiting.pop()
            if mine.tree.is_leaf(node):
                continue
            self.reached[node] += 1
            if tree.feature[place] != mine.tree.feature[node]:
                continue
            self.back[node] += 1
            if not np.isnan(tree.cut[place]):
                self.cuts.setdefault(node, []).append(float(tree.cut[place]))
            below, there = mine.branch(node, pairs[0, kept]), other.branch(place, pairs[1, kept])
            shared = np.zeros((mine.tree.n_children[node], tree.n_children[place]))
            np.add.at(shared, (below, there), counts[kept])
            is_cut = not (np.isnan(tree.cut[place]) or np.isnan(mine.tree.cut[node]))
            matches = [(i, i) for i in range(min(shared.shape))] if is_cut else _best_matches(shared.copy())
            total = shared.sum()
            self.alike[node] += sum(shared[one] for one in matches) / total if total else 1.0
            for i, j in matches:
                children = mine.tree.children(node).start + i, tree.children(place).start + j
                waiting.append((*children, kept[(below == i) & (there == j)]))

    def found(self, name: str, is_classes: bool) -> Stability:
        """Return the result."""
        tree = self.model.tree
        inner, leaves = np.flatnonzero(tree.feature >= 0), np.flatnonzero(tree.feature < 0)
        cuts = np.full((len(inner), 2), np.nan)
        for k, node in enumerate(inner.tolist()):
            # Splits between known and missing cells have no threshold.
            finite = [cut for cut in self.cuts.get(node, ()) if np.isfinite(cut)]
            if finite:
                cuts[k] = np.quantile(finite, (0.05, 0.95))
        splits = Splits(
            inner,
            self.back[inner] / self.n,
            self.back[inner] / np.where(self.reached[inner] > 0, self.reached[inner], 1),
            np.where(self.back[inner] > 0, self.alike[inner] / np.maximum(self.back[inner], 1), np.nan),
            cuts,
        )
        of_leaves = self.leaf_values[:, leaves]
        seen = np.count_nonzero(~np.isnan(of_leaves), axis=0)
        ends = np.full((2, len(leaves)), np.nan)
        known = seen > 0
        if known.any():
            ends[:, known] = np.nanquantile(of_leaves[:, known], (0.025, 0.975), axis=0)
        if isinstance(self.target, Classes):
            values = tree.value[leaves, tree.decision[leaves]]
        else:
            values = tree.value[leaves, 0]
        return Stability(
            name,
            self.model,
            self.n,
            splits,
            Leaves(leaves, values, ends[0], ends[1], seen),
            self.root / self.n,
            self.used / self.n,
            self.distance,
            self._disagreement(),
            self.sizes,
            is_classes,
        )

    def _disagreement(self) -> float:
        """Return how much two trees differ about a row that neither has seen, averaged over rows.

        For classes, this is the share of pairs of trees that predict differently; for numbers, the root mean squared
        difference.
        """
        if isinstance(self.target, Classes):
            count = self.votes.sum(axis=1).astype(np.float64)
            same = (self.votes * (self.votes - 1.0)).sum(axis=1)
            asked = count > 1
            apart = 1 - same[asked] / (count[asked] * (count[asked] - 1))
            return float(apart.mean()) if asked.any() else float("nan")
        count, total, squares = self.sums
        asked = count > 1
        variance = (squares[asked] - total[asked] ** 2 / count[asked]) / (count[asked] - 1)
        return float(np.sqrt(2 * np.maximum(variance, 0).mean())) if asked.any() else float("nan")


def _apart(pairs: Ints, counts: Ints) -> float:
    """Return the share of pairs of rows that are in one leaf of one tree, but not of the other: 1 − Rand index."""
    n = float(counts.sum())
    both = float((counts.astype(np.float64) ** 2).sum())
    one, other = (np.bincount(of_tree, counts) for of_tree in pairs)
    return float(((one**2).sum() + (other**2).sum() - 2 * both) / (n * (n - 1)))


def _best_matches(shared: Floats) -> list[tuple[int, int]]:
    """Return pairs of branches of two splits that share rows, those with the most rows first; each branch once."""
    found = []
    for _ in range(min(shared.shape)):
        i, j = np.unravel_index(int(np.argmax(shared)), shared.shape)
        if shared[i, j] <= 0:
            break
        found.append((int(i), int(j)))
        shared[i, :] = shared[:, j] = -1
    return found
