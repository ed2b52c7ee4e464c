"""Compute feature importances: the impurity that the splits of each feature remove."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]


def importance(
    trees: Sequence[Tree], n_columns: int, *, shares: bool, weights: Sequence[float] | None = None
) -> Floats:
    """Return the share of each feature in the impurity that is removed; all zero if no tree has a split.

    Several trees are combined as in scikit-learn. With `shares`, this is the mean of the shares of the trees (forests),
    weighted if the trees have weights (AdaBoost). Otherwise the gains of all trees are added up first (boosting).
    """
    taken = [_taken_away(tree, n_columns) for tree in trees]
    if len(taken) == 1:
        return _shares(taken[0])
    of_trees = np.array([_shares(one) for one in taken] if shares else taken)
    if weights is not None:
        of_trees = of_trees * np.array(weights)[:, None]
    return _shares(of_trees.sum(axis=0))


def _taken_away(tree: Tree, n_columns: int) -> Floats:
    """Return the gain of the splits of each feature, times the weight of their nodes."""
    inner = tree.feature >= 0
    if np.isnan(tree.gain[inner]).any():
        raise ParameterError(
            "The gain of the splits of this model is not known, so there are no importances."
        )
    gains = np.maximum(tree.gain[inner] * tree.weight[inner], 0)
    return np.bincount(tree.feature[inner], gains, minlength=n_columns).astype(np.float64)


def _shares(total: Floats) -> Floats:
    return np.asarray(total / total.sum()) if total.sum() > 0 else total
