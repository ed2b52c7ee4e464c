"""Compute what the nodes of a tree predict: class weights as probabilities, smoothed if asked for."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from branchwork.tree.tree import Floats, Tree

Smoothing = Literal["laplace"] | float | None


def with_distribution(
    tree: Tree, distribution: Floats, smoothing: Smoothing, of_table: Floats | None = None
) -> Tree:
    """Return the tree with these class weights and their outputs; an empty node predicts the same as its parent.

    `of_table` has the class weights of the whole table, if the root has only a part of it.
    """
    value = outputs_of(tree, distribution, smoothing, of_table)
    return tree.replace(value=value, distribution=distribution)


def outputs_of(
    tree: Tree, distribution: Floats, smoothing: Smoothing, of_table: Floats | None = None
) -> Floats:
    """Return the outputs of nodes with these class weights."""
    of_table = distribution[0] if of_table is None else of_table
    return as_parent_where_empty(tree, probabilities(distribution, tree.weight, smoothing, of_table))


def probabilities(counts: Floats, weight: Floats, smoothing: Smoothing, of_table: Floats) -> Floats:
    """Return n_kc / n_k, or smoothed: Laplace (n_kc + 1) / (n_k + K), m-estimate (n_kc + m p_c) / (n_k + m).

    K is the number of classes that occur in the table, and p_c is the share of class c there.
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
    """Copy the parent's output to every node without rows."""
    for node in np.flatnonzero(tree.weight == 0).tolist():
        value[node] = value[tree.parent[node]]
    return value


TIE = 1e-12
"""Sums of probabilities that are this close count as equal: they may differ by rounding errors."""


def likeliest(outputs: Floats) -> npt.NDArray[np.intp]:
    """Return the position of the largest output of every row; ties go to the first.

    >>> likeliest(np.array([[0.3, 0.7], [0.5, 0.5000000000000001]]))
    array([1, 0])
    """
    largest: npt.NDArray[np.intp] = np.argmax(outputs >= outputs.max(axis=1, keepdims=True) - TIE, axis=1)
    return largest
