"""Compute permutation importance on out-of-bag rows (Breiman 2001): how much shuffling a feature hurts each tree.

For each tree and each feature that it tests, the cells of the feature are shuffled among the tree's out-of-bag rows.
The increase of the tree's error is the importance of the feature. Missing cells are shuffled with the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork.learn.draws import PERMUTATION, Keys, key_of, keys, places, tree_key
from branchwork.learn.sampling import Sampling
from branchwork.learn.threads import in_columns, in_threads
from branchwork.model.model import Model
from branchwork.table.table import Table, read_only
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]


class PermutationImportance(NamedTuple):
    """The importance of the features.

    Parameters
    ----------
    importances_mean, standard_error : per feature, over the trees that have out-of-bag rows.
    importances : (trees, features); NaN for a tree that was grown on every row.
    """

    importances_mean: Floats
    standard_error: Floats
    importances: Floats


def permutation_importance(
    model: Model, table: Table, target: Target, sampling: Sampling, *, n_jobs: int = 1
) -> PermutationImportance:
    """Return the importance of every feature; `table` and `target` are the rows that samples were drawn from."""
    which = places(table.n_rows)
    table = in_columns(table)

    def of_tree(k: int) -> Floats:
        return _of_tree(model, k, table, target, sampling, which)

    found = np.stack(list(in_threads(of_tree, range(len(model.trees)), n_jobs=n_jobs)))
    asked = ~np.isnan(found[:, 0])
    count = int(asked.sum())
    if not count:
        unknown = np.full(found.shape[1], np.nan)
        return PermutationImportance(unknown, unknown, found)
    mean = found[asked].mean(axis=0)
    error = found[asked].std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else np.full(len(mean), np.nan)
    return PermutationImportance(mean, error, found)


def _of_tree(model: Model, k: int, table: Table, target: Target, sampling: Sampling, which: Keys) -> Floats:
    """Return the importance of each feature for one tree; NaN if the tree was grown on every row."""
    tree, rows = model.trees[k], np.flatnonzero(sampling.copies(k) == 0)
    found = np.full(len(table.schema), np.nan if not rows.size else 0.0)
    if not rows.size:
        return found
    part, truth = table.take(rows), target.take(rows)
    intact = _loss(model, tree, part, truth)
    for feature in _asked(tree):
        key = key_of(key_of(tree_key(sampling.seed, k), PERMUTATION), feature)
        order = np.argsort(keys(key, which[: rows.size]), kind="stable")
        found[feature] = _loss(model, tree, _permuted(part, feature, order), truth) - intact
    return found


def _asked(tree: Tree) -> list[int]:
    """Return the features whose cells can change what a tree predicts."""
    surrogates = () if tree.surrogates is None else tree.surrogates.feature.tolist()
    return sorted({*tree.asked, *surrogates})


def _permuted(table: Table, feature: int, order: npt.NDArray[np.intp]) -> Table:
    arrays = list(table.arrays)
    arrays[feature] = read_only(arrays[feature][order])
    return Table(table.schema, tuple(arrays))


def _loss(model: Model, tree: Tree, table: Table, target: Target) -> float:
    """Return the error rate of a tree, or its mean squared error, by weight."""
    if isinstance(target, Classes):
        wrong = (model.decisions_of(tree, table) != target.codes).astype(np.float64)
    else:
        wrong = (model.outputs_of(tree, table)[:, 0] - target.values) ** 2
    return float(np.average(wrong, weights=target.sample_weights))
