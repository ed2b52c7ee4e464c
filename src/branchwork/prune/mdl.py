"""Prune by description length: keep the tree that takes the fewest bits to send, with the classes of its rows.

leaf    1 bit, and the classes of its n rows (Krichevsky and Trofimov; Mehta, Rissanen and Agrawal 1995):
        sum_c n_c log2(n / n_c)  +  (k - 1)/2 log2(n / 2)  +  log2(pi^(k/2) / Gamma(k/2))
split   1 bit, log2(columns) for the column, and its test: log2(n - 1) for one of at most n - 1 cuts; one bit per
category for two groups; nothing where every category has its own branch
"""

from __future__ import annotations

import math

import numpy as np

from branchwork.prune.bottom_up import prune_bottom_up
from branchwork.prune.evidence import Verdicts
from branchwork.table.schema import Schema
from branchwork.tree.tree import Floats, Tree


def mdl(tree: Tree, schema: Schema) -> Verdicts:
    """Prune to the shortest description."""
    leaf = 1 + _bits_of_classes(tree)
    return prune_bottom_up(tree, leaf, "bits", split=_bits_of_splits(tree, schema), slack=1e-9)


def _bits_of_classes(tree: Tree) -> Floats:
    assert tree.distribution is not None
    counts, weight = tree.distribution, tree.weight[:, None]
    k = int(np.count_nonzero(counts[0] > 0))
    ratio = np.divide(weight, counts, out=np.ones_like(counts), where=counts > 0)
    bits = (counts * np.log2(ratio)).sum(axis=1)
    if k > 1:
        constant = k / 2 * math.log2(math.pi) - math.lgamma(k / 2) / math.log(2)
        bits += (k - 1) / 2 * np.log2(np.maximum(tree.weight, 1) / 2) + constant
    return np.where(tree.weight > 0, np.maximum(bits, 0.0), 0.0)


def _bits_of_splits(tree: Tree, schema: Schema) -> Floats:
    bits = np.zeros(tree.n_nodes)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        column = schema[int(tree.feature[node])]
        if not column.is_nominal:
            test = math.log2(max(float(tree.weight[node]) - 1, 1))
        else:
            levels = column.n_levels
            test = 0.0 if tree.n_children[node] >= levels > 2 else levels - 1.0
        bits[node] = 1 + math.log2(len(schema)) + test
    return bits
