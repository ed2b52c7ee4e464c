"""Two grown trees, array by array: the same splits to the bit, the same numbers but for rounding."""

from __future__ import annotations

import numpy as np

from branchwork.tree.tree import Tree


def assert_same_splits(tree: Tree, other: Tree) -> None:
    for name in ("feature", "cut", "first_child", "n_children", "lookup", "pool", "bounds", "default_child"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), name)


def assert_same_tree(tree: Tree, other: Tree, tolerance: float) -> None:
    assert_same_splits(tree, other)
    for name in ("n_rows", "stop"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), name)
    for name in ("weight", "value", "impurity", "gain"):
        np.testing.assert_allclose(
            getattr(tree, name), getattr(other, name), rtol=tolerance, atol=tolerance, err_msg=name
        )
