"""Turn the nodes of another library into a Tree: two branches per node, renumbered breadth first, and checked.

    theirs   0 ─┬─ 1 ─┬─ 2        ours   0 ─┬─ 1 ─┬─ 3        children stand side by side; what is not
                │     └─ 3                  │     └─ 4        below node 0 is left behind
                └─ 4                        └─ 2

Files may be damaged or malicious, so every number is checked before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError, TreeError
from branchwork.table.schema import Schema
from branchwork.tree.check import check
from branchwork.tree.tree import STOP_REASONS, Floats, Ints, Tree

Array = npt.NDArray[Any]

MOST_SLOTS = 2**28
"""The largest total size of the lookup tables: a small file could ask for any size."""


@dataclass(frozen=True)
class Nodes:
    """A tree of another library, as arrays with one entry per node.

    Parameters
    ----------
    left, right : ids of the children; -1 at leaves.
    feature : the column that is tested.
    cut : a number up to it goes left; ignored for nominal columns.
    missing_left : whether a missing cell goes left.
    left_codes : the codes that go left at nominal nodes.
    unseen_left : whether an unseen category goes left; None means that it goes with missing cells.
    value : (nodes, outputs).
    weight, n_rows : of the training rows in leaves; those of inner nodes are sums over their leaves.
    gain : the gain of each split, per row.
    impurity, distribution, variance : as in Tree; None: not known.
    inner_means : whether inner nodes get the weighted mean of their leaves instead of `value`, because boosting stores
        numbers on another scale there.
    """

    left: Array
    right: Array
    feature: Array
    cut: Floats
    missing_left: Array
    value: Floats
    weight: Floats
    n_rows: Array
    gain: Floats
    left_codes: Mapping[int, Array] | None = None
    unseen_left: Array | None = None
    impurity: Floats | None = None
    distribution: Floats | None = None
    variance: Floats | None = None
    inner_means: bool = False


def to_tree(nodes: Nodes, schema: Schema, place: str = "tree") -> Tree:
    """Make a tree from the nodes of another library; `place` is what an error calls them."""
    order = _breadth_first(nodes, place)
    inner = nodes.left[order] >= 0
    _check_questions(nodes, order[inner], schema, place)
    first = np.full(len(order), -1, np.int32)
    first[inner] = 1 + 2 * np.arange(np.count_nonzero(inner))
    lookup, pool = _lookups(nodes, order, schema, place)
    weight = _summed(nodes.weight[order].astype(np.float64), first)
    value = np.ascontiguousarray(nodes.value[order], np.float64)
    tree = Tree(
        feature=np.where(inner, nodes.feature[order], -1).astype(np.int32),
        cut=np.where(inner & (lookup < 0), nodes.cut[order], np.nan),
        first_child=first,
        n_children=np.where(inner, 2, 0).astype(np.int32),
        lookup=lookup,
        pool=pool,
        default_child=_child(nodes.missing_left, order, inner),
        value=_means(value, weight, first) if nodes.inner_means else value,
        distribution=None if nodes.distribution is None else nodes.distribution[order],
        weight=weight,
        n_rows=_summed(nodes.n_rows[order].astype(np.int64), first),
        impurity=np.full(len(order), np.nan) if nodes.impurity is None else nodes.impurity[order],
        gain=np.where(inner, nodes.gain[order], 0.0),
        variance=None if nodes.variance is None else nodes.variance[order],
        stop=np.where(inner, STOP_REASONS.index("split"), STOP_REASONS.index("not_told")).astype(np.uint8),
        unseen_child=None if nodes.unseen_left is None else _child(nodes.unseen_left, order, inner),
    )
    try:
        check(tree, schema)
    except TreeError as error:
        raise ModelFormatError(f"{place}: {error}") from None
    return tree


def _breadth_first(nodes: Nodes, place: str) -> npt.NDArray[np.intp]:
    """Return the ids in our order. Every node below the root must be reached exactly once, or walks might not end."""
    n = len(nodes.left)
    if n == 0:
        raise ModelFormatError(f"{place} has no nodes.")
    left, right = nodes.left.tolist(), nodes.right.tolist()
    seen = bytearray(n)
    order = [0]
    seen[0] = 1
    for node in order:
        if left[node] == right[node] == -1:
            continue
        for child in (left[node], right[node]):
            if not 0 <= child < n:
                raise ModelFormatError(f"{place}: node {node} has child {child}; there are {n} nodes.")
            if seen[child]:
                raise ModelFormatError(
                    f"{place}: node {child} is reached twice, the second time from {node}."
                )
            seen[child] = 1
            order.append(child)
    return np.array(order, np.intp)


def _check_questions(nodes: Nodes, inner: npt.NDArray[np.intp], schema: Schema, place: str) -> None:
    known = (nodes.feature[inner] >= 0) & (nodes.feature[inner] < len(schema))
    if not known.all():
        node = int(inner[np.argmin(known)])
        raise ModelFormatError(
            f"{place}: node {node} asks for column {nodes.feature[node]}; there are {len(schema)} columns."
        )
    nominal = np.array([column.is_nominal for column in schema])[nodes.feature[inner]]
    coded = np.isin(inner, list(nodes.left_codes or ()))
    if not (nominal == coded).all():
        node = int(inner[np.argmin(nominal == coded)])
        raise ModelFormatError(
            f"{place}: node {node} compares column {schema[int(nodes.feature[node])].name!r}, which other nodes "
            "look up by category."
        )
    strange = ~nominal & np.isnan(nodes.cut[inner])
    if strange.any():
        raise ModelFormatError(f"{place}: the threshold of node {inner[np.argmax(strange)]} is not a number.")


def _child(goes_left: Array, order: npt.NDArray[np.intp], inner: npt.NDArray[np.bool_]) -> Ints:
    return np.where(inner, np.where(goes_left[order], 0, 1), -1).astype(np.int32)


def _lookups(
    nodes: Nodes, order: npt.NDArray[np.intp], schema: Schema, place: str
) -> tuple[Ints, npt.NDArray[np.int32]]:
    """Return where each nominal node's slots begin, and the slots: one for a missing cell, then one per category."""
    lookup = np.full(len(order), -1, np.int32)
    pieces: list[Ints] = []
    at = 0
    for node, origin in enumerate(order.tolist()):
        if nodes.left_codes is None or origin not in nodes.left_codes or nodes.left[origin] < 0:
            continue
        codes, n = nodes.left_codes[origin], len(schema[int(nodes.feature[origin])].categories)
        if at + 1 + n > MOST_SLOTS:
            raise ModelFormatError(f"{place}: its lookup tables have more than {MOST_SLOTS} entries.")
        slots = np.ones(1 + n, np.int32)
        slots[1 + codes] = 0
        slots[0] = 0 if nodes.missing_left[origin] else 1
        pieces.append(slots)
        lookup[node], at = at, at + 1 + n
    return lookup, np.concatenate(pieces) if pieces else np.zeros(0, np.int32)


def _summed(of_nodes: Array, first_child: Ints) -> Array:
    """Return the sums over the leaves below each node, from the last node to the first."""
    sums, first = of_nodes.tolist(), first_child.tolist()
    for node in range(len(sums) - 1, -1, -1):
        if first[node] >= 0:
            sums[node] = sums[first[node]] + sums[first[node] + 1]
    return np.array(sums, of_nodes.dtype)


def _means(value: Floats, weight: Floats, first_child: Ints) -> Floats:
    """Return the values of leaves, and for inner nodes the weighted mean of their leaves."""
    means, weights, first = value[:, 0].tolist(), weight.tolist(), first_child.tolist()
    for node in range(len(means) - 1, -1, -1):
        if (left := first[node]) >= 0:
            share = weights[left] / weights[node] if weights[node] > 0 else 0.5
            means[node] = share * means[left] + (1 - share) * means[left + 1]
    return np.array(means)[:, None]
