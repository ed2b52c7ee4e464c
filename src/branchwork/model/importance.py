"""Which columns matter: the impurity that their splits took away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Tree


def impurity_importance(tree: Tree, n_columns: int) -> npt.NDArray[np.float64]:
    """Weighted gain of each column's splits, as shares of their sum; all zero for a tree without splits."""
    inner = tree.feature >= 0
    gains = np.maximum(tree.gain[inner] * tree.weight[inner], 0)
    total = np.bincount(tree.feature[inner], gains, minlength=n_columns).astype(np.float64)
    return total / total.sum() if total.sum() > 0 else total
