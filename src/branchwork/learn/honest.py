"""Grow honest trees: one half of the rows chooses the splits, the other half determines what the nodes predict.

A split is chosen because it looks good on the rows it is chosen on, so the classes of these rows are a flattering
estimate. Rows that had no part in the choice give an unbiased one (Athey and Imbens 2016; Wager and Athey 2018).

    rows, in the order of their target    a a | a a | b b | b b | b        taken in pairs, and a draw sends one of each
                                          S E   E S   S E   E S   S        pair to each half; a last single one to S

So both halves have the same share of every class, or the same spread of small and large numbers. The draw depends on
the seed and on the number of the tree alone. A row that a sample has several times is in one half with all its copies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.learn.draws import HALVES, key_of, keys, places, tree_key
from branchwork.measure.criteria import CriterionOrScore, criterion_of, impurities_of_counts
from branchwork.measure.impurity import ONE_ROW
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.apply import apply
from branchwork.tree.missing import missing_weight
from branchwork.tree.outputs import Smoothing, as_parent_where_empty, with_distribution
from branchwork.tree.reshape import levels, sum_below
from branchwork.tree.tree import Floats, Tree

Copies = npt.NDArray[np.uint32]
Rows = npt.NDArray[np.intp]


class Halves(NamedTuple):
    """The rows that choose the splits, and the rows that determine what the nodes predict."""

    structure: Rows
    estimate: Rows


def halves(target: Target, seed: int, tree: int = 0, ids: Rows | None = None) -> Halves:
    """Return the two halves of some rows; a single row is both.

    Parameters
    ----------
    seed, tree : the draw depends on these two numbers.
    ids : rows with the same number are copies of one row, and stay together; None means that there are no copies.
    """
    first = np.arange(len(target)) if ids is None else np.unique(ids, return_index=True)[1]
    chosen = _in_structure(target.take(first), seed, tree)
    if len(first) == 1:
        every = np.arange(len(target))
        return Halves(every, every)
    of_row = chosen if ids is None else chosen[np.unique(ids, return_inverse=True)[1]]
    return Halves(np.flatnonzero(of_row), np.flatnonzero(~of_row))


def halves_of_copies(target: Target, copies: Copies, seed: int, tree: int) -> tuple[Copies, Copies]:
    """Return how often each half of a sample has each row of a table."""
    drawn = np.flatnonzero(copies)
    if len(drawn) == 1:
        return copies, copies
    in_structure = np.zeros(len(copies), bool)
    in_structure[drawn] = _in_structure(target.take(drawn), seed, tree)
    none = np.zeros_like(copies)
    return np.where(in_structure, copies, none), np.where(in_structure, none, copies)


def _in_structure(target: Target, seed: int, tree: int) -> npt.NDArray[np.bool_]:
    """Return which rows choose the splits: a draw picks one of every two neighbours in the order of the target."""
    order = np.argsort(target.codes if isinstance(target, Classes) else target.values, kind="stable")
    drawn = keys(key_of(tree_key(seed, tree), HALVES), places((len(order) + 1) // 2))
    second = (drawn >> np.uint64(63)).astype(np.intp)  # the first or the second of each pair
    chosen = 2 * np.arange(len(second)) + second
    found = np.zeros(len(order), bool)
    found[order[np.minimum(chosen, len(order) - 1)]] = True
    return found


def estimated(
    tree: Tree,
    table: Table,
    target: Target,
    criterion: CriterionOrScore,
    smoothing: Smoothing = None,
    *,
    copies: Copies | None = None,
    of_table: Floats | None = None,
    n_jobs: int = 1,
) -> Tree:
    """Return the tree with the statistics of other rows than those that grew it; an empty node predicts as its parent.

    Parameters
    ----------
    table, target : the rows, coded as those that grew the tree.
    copies : how often each row counts; None means once.
    of_table : weight of each class in both halves, for smoothing.
    """
    leaf = apply(tree, table, n_jobs=n_jobs)
    weights = np.ones(len(target)) if target.weights is None else target.weights
    if copies is not None:
        weights = weights * copies
    n_rows = sum_below(tree, np.bincount(leaf, copies, tree.n_nodes).astype(np.float64))
    weight = sum_below(tree, np.bincount(leaf, weights, tree.n_nodes).astype(np.float64))
    tree = tree.replace(
        n_rows=np.rint(n_rows).astype(np.int64),
        weight=weight,
        ledger=None,
        answer=None,
        missing_weight=None if copies is not None else missing_weight(tree, table, target.weights),
    )
    if isinstance(target, Classes):
        n = len(target.labels)
        counts = np.bincount(leaf * n + target.codes, weights, minlength=tree.n_nodes * n).reshape(-1, n)
        distribution = np.column_stack([sum_below(tree, column) for column in counts.astype(np.float64).T])
        impurity = impurities_of_counts(criterion, distribution, target.labels)
        tree = tree.replace(impurity=impurity, gain=_gain(tree, impurity))
        return with_distribution(tree, distribution, smoothing, of_table)
    mean, squares = _spread(tree, leaf, target.values, weights)
    total = np.where(weight > 0, weight, 1)
    variance = np.where(weight > ONE_ROW, squares / np.where(weight > ONE_ROW, weight - 1, 1), 0.0)
    known = criterion_of(criterion, task="numbers")
    impurity = variance if known.of_sample else squares / total
    if known.of_counts:
        of_rows = _times_log(target.values) * weights
        logs = sum_below(tree, np.bincount(leaf, of_rows, tree.n_nodes).astype(np.float64)) / total
        impurity = np.maximum(0.0, 2 * (logs - _times_log(mean)))
    impurity = np.where(weight > 0, impurity, 0.0)
    tree = tree.replace(impurity=impurity, gain=_gain(tree, impurity), variance=variance)
    return tree.replace(value=as_parent_where_empty(tree, mean[:, None].copy()))


def _spread(
    tree: Tree, leaf: npt.NDArray[np.int32], values: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the mean of every node, and the sum of squares about it; an empty node has 0 for both.

    The squares of a node are those of its children about their own means, and those of the means about its own.
    """
    total = np.where(tree.weight > 0, tree.weight, 1)
    sums = np.bincount(leaf, weights * values, tree.n_nodes).astype(np.float64)
    mean = sum_below(tree, sums) / total
    squares = np.bincount(leaf, weights * (values - mean[leaf]) ** 2, tree.n_nodes).astype(np.float64)
    for level in reversed(levels(tree)[1:]):
        ids = np.asarray(level)
        above = tree.parent[ids]
        between = tree.weight[ids] * (mean[ids] - mean[above]) ** 2
        np.add.at(squares, above, squares[ids] + between)
    return mean, squares


def _gain(tree: Tree, impurity: Floats) -> Floats:
    """Return the gain of each split per row. On rows that did not choose the split it may be negative."""
    kept = np.zeros(tree.n_nodes)
    np.add.at(kept, tree.parent[1:], (tree.weight * impurity)[1:])
    total = np.where(tree.weight > 0, tree.weight, 1)
    return np.asarray(np.where((tree.feature >= 0) & (tree.weight > 0), impurity - kept / total, 0.0))


def _times_log(x: Floats) -> Floats:
    """Return x times its natural logarithm; 0 for 0."""
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)
