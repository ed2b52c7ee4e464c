"""What the nodes of a tree answer: class weights as probabilities, smoothed if asked for."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Floats, Tree

Smoothing = Literal["laplace"] | float | None


def with_distribution(
    tree: Tree, distribution: Floats, smoothing: Smoothing, of_table: Floats | None = None
) -> Tree:
    """The tree with these class weights and what follows of them; an empty node answers as its parent does.

    `of_table`: the class weights of a table of which the root has only a part.
    """
    smoothed = probabilities(
        distribution, tree.weight, smoothing, distribution[0] if of_table is None else of_table
    )
    value = as_parent_where_empty(tree, smoothed)
    return tree.replace(value=value, distribution=distribution)


def probabilities(counts: Floats, weight: Floats, smoothing: Smoothing, of_table: Floats) -> Floats:
    """n_kc / n_k, or smoothed: laplace (n_kc + 1) / (n_k + K), m-estimate (n_kc + m p_c) / (n_k + m).

    K counts the classes that occur in the table, p_c is their share there.
    """
    of_node = weight[:, None]
    occurs = of_table > 0
    share = occurs / occurs.sum() if smoothing == "laplace" else of_table / of_table.sum()
    m = float(occurs.sum()) if smoothing == "laplace" else float(smoothing or 0)
    shares: Floats = (
        counts / np.where(of_node > 0, of_node, 1) if m == 0 else (counts + m * share) / (of_node + m)
    )
    return shares


def as_parent_where_empty(tree: Tree, value: Floats) -> Floats:
    """Write the parent's answer where a node has no rows."""
    for node in np.flatnonzero(tree.weight == 0).tolist():
        value[node] = value[tree.parent[node]]
    return value


TIE = 1e-12
"""Probabilities that are sums, of shares or of trees, are equal if this close: the order of adding is no reason."""


def likeliest(outputs: Floats) -> npt.NDArray[np.intp]:
    """Position of the largest output of every row; of equal ones the first.

    >>> likeliest(np.array([[0.3, 0.7], [0.5, 0.5000000000000001]]))
    array([1, 0])
    """
    largest: npt.NDArray[np.intp] = np.argmax(outputs >= outputs.max(axis=1, keepdims=True) - TIE, axis=1)
    return largest
