"""Turn the trees of a model into one ensemble of the core, which adds up their outputs in one call.

The core packs the trees on first use (cpp/core/predict/ensemble.hpp). In every form, the outputs are those of the plain
walk, added in the order of the trees, to the last bit.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from branchwork import _core
from branchwork.model.combine import Combine
from branchwork.table.schema import Schema
from branchwork.tree.tree import Floats, Tree

Form = Literal["automatic", "raw", "bytes", "words"]


def packed_trees(
    trees: tuple[Tree, ...],
    schema: Schema,
    combine: Combine,
    *,
    unseen_with_majority: bool = False,
    form: Form = "automatic",
) -> _core.Ensemble:
    """Return the trees as an ensemble of the core. Tests choose a form; otherwise the shape of the trees decides."""
    width = len(combine.base) or trees[0].n_outputs
    return _core.Ensemble(
        [tree.walker_with_majority if unseen_with_majority else tree.walker for tree in trees],
        [_values(tree, combine, k) for k, tree in enumerate(trees)],
        [-1] * len(trees) if combine.output is None else list(combine.output),
        [tree.shares_rows for tree in trees],
        # Start from -0.0: adding a number to it changes nothing, not even the sign of a zero.
        list(combine.base) or [-0.0] * width,
        list(schema.levels),
        form,
    )


def _values(tree: Tree, combine: Combine, number: int) -> Floats:
    """Return what the nodes add. A tree that shares rows adds up shares from 0.0, so it never gives -0.0.

    A node that votes adds 1, or the weight of its tree, for the class that it predicts.
    """
    if combine.takes_votes:
        votes = np.eye(tree.n_outputs)[tree.decision]
        return combine.weights[number] * votes if combine.weights else votes
    value = np.ascontiguousarray(tree.value)
    return value + 0.0 if tree.shares_rows else value
