"""Find where training rows with a missing cell went, and on which branches this should be said.

`default_child` says where a missing cell would go, but not whether any training row went there. `missing_weight`
has, for each node, the weight of the rows that came to it although the cell that its parent tests was missing. It is
counted once, after growing, from the rows themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.table.table import MISSING, Table
from branchwork.tree.tree import Floats, Tree


def missing_weight(tree: Tree, table: Table, weights: Floats | None) -> Floats:
    """Return, for each node, the weight of the rows that came to it with the cell missing that its parent tests.

    Only rows with a missing cell in a column that the tree tests are sent down the tree. A row that is shared among
    branches counts by its share.
    """
    if not table.core.with_missing(tree.feature):
        return np.zeros(tree.n_nodes)
    found: Floats = tree.walker.missing_arrivals(table.core, weights)
    return found


def is_missing(table: Table, feature: int) -> npt.NDArray[np.bool_]:
    """Return which cells of a column are missing."""
    cells = table.arrays[feature]
    if table.schema[feature].is_nominal:
        return np.asarray(cells == MISSING)
    return np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), np.bool_)


def decides_for_all(tree: Tree, node: int) -> bool:
    """Return whether all missing cells of a node go down one branch: no row is shared, and there are no surrogates."""
    stands_in = tree.surrogates is not None and bool(tree.surrogates.count[node] > 0)
    return bool(tree.default_child[node] >= 0) and not stands_in


def missing_branches(tree: Tree, node: int) -> tuple[int, ...]:
    """Return the branches, counted from the first, whose description should mention missing cells.

    If it is not known what training rows did, that is the branch that a missing cell would take. If rows are shared,
    or if surrogates decide, there is none: this is said once for the whole node (`missing_note`).
    """
    if not decides_for_all(tree, node):
        return ()
    if tree.missing_weight is None:
        return (int(tree.default_child[node]),)
    children = tree.children(node)
    return tuple(np.flatnonzero(tree.missing_weight[children.start : children.stop] > 0).tolist())


def missing_here(tree: Tree, node: int) -> float:
    """Return the weight of the training rows whose cell was missing at an inner node; 0 if it is not known."""
    children = tree.children(node)
    if tree.missing_weight is None:
        return 0.0
    return float(tree.missing_weight[children.start : children.stop].sum())


def marked_branches(tree: Tree, node: int) -> tuple[int, ...]:
    """Return the branches, counted from the first, on which a picture marks that missing cells go there.

    They are marked only where the training rows had missing cells, or where that is not known. Rows that are shared
    mark every branch; where surrogates decide, the branch is marked that is taken if all of them are missing too.
    """
    if decides_for_all(tree, node):
        return missing_branches(tree, node)
    if tree.missing_weight is not None and missing_here(tree, node) == 0:
        return ()
    default = int(tree.default_child[node])
    return tuple(range(int(tree.n_children[node]))) if default < 0 else (default,)
