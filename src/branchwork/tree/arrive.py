"""Find the categories that can arrive at a node: those that the tests above it let through.

    c in {a, d}              all categories can arrive: a, b, c, d
    └─ c in {a, b, c}        only a and d can arrive; so this branch is taken by a alone

At a node with surrogates, a category that was absent in training is treated as a missing cell and may go down either
branch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.table.schema import Schema
from branchwork.tree.missing import missing_branches
from branchwork.tree.split import Lookup, Split, split_of
from branchwork.tree.tree import Tree


def arriving(tree: Tree, schema: Schema, node: int) -> npt.NDArray[np.bool_]:
    """Return whether each category of the nominal column that a node tests can arrive there."""
    feature = int(tree.feature[node])
    found = np.ones(len(schema[feature].categories), np.bool_)
    above, branch = tree.asked_above
    while (before := int(above[node])) >= 0:
        begin = int(tree.lookup[before]) + 1
        place = tree.pool[begin : begin + len(found)]
        found &= (place == branch[node]) | (place < 0)
        node = before
    return found


def shown_split(tree: Tree, schema: Schema, node: int) -> Split:
    """Return the split of a node as it should be shown: only what can arrive, and where missing cells went."""
    split, missing = split_of(tree, schema, node), missing_branches(tree, node)
    if not isinstance(split, Lookup):
        return split.with_missing(missing)
    categories, can = schema[split.feature].categories, arriving(tree, schema, node)
    begin = int(tree.lookup[node]) + 1
    place = tree.pool[begin : begin + len(categories)]
    groups = tuple(
        tuple(categories[code] for code in np.flatnonzero(can & (place == k)).tolist())
        for k in range(len(split.groups))
    )
    default = int(tree.default_child[node])
    never = [k for k, group in enumerate(groups) if split.groups[k] and not group and k != default]
    return Lookup(split.feature, groups, missing, tuple(never))
