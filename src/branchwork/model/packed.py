"""The trees of a model as one ensemble of the core, which adds up their outputs in one call.

The core packs the trees when it is first asked (cpp/core/predict/ensemble.hpp). Whatever way it takes, the outputs are
those of the plain walk, added in the order of the trees, to the last bit.
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
    """Return the trees as the core predicts with them. Tests ask for a form; otherwise their shape decides."""
    width = len(combine.base) or trees[0].n_outputs
    return _core.Ensemble(
        [tree.walker_with_majority if unseen_with_majority else tree.walker for tree in trees],
        [_values(tree, combine, k) for k, tree in enumerate(trees)],
        [-1] * len(trees) if combine.output is None else list(combine.output),
        [tree.shares_rows for tree in trees],
        # Minus zero is the number that changes nothing when it is added to, not even the sign of a zero.
        list(combine.base) or [-0.0] * width,
        list(schema.levels),
        form,
    )


def _values(tree: Tree, combine: Combine, number: int) -> Floats:
    """Return what the nodes add. A tree that shares rows adds up shares from zero, which is never minus zero.

    A node that votes adds 1 for the class that it decides for, or the weight of its tree.
    """
    if combine.takes_votes:
        votes = np.eye(tree.n_outputs)[tree.decision]
        return combine.weights[number] * votes if combine.weights else votes
    value = np.ascontiguousarray(tree.value)
    return value + 0.0 if tree.shares_rows else value
