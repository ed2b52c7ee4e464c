"""Histograms of the rows in each node, where data are handed to a picture.

Of classes: how the column that a node asks for is distributed, and where it is parted. Of numbers: how the target is
distributed, on the same scale in every node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target, Values
from branchwork.tree.split import Intervals, split_of
from branchwork.tree.tree import Tree
from branchwork.view.class_key import ClassKey
from branchwork.view.digits import brief
from branchwork.view.rows_by_node import Floats, Indices, RowsByNode

COLUMNS = 20
"""Columns of a numeric histogram."""
MOST_CATEGORIES = 20
"""Of more categories, those of one branch are one column."""


@dataclass(frozen=True)
class Histogram:
    """Columns side by side.

    Parameters
    ----------
    counts : the weight in each column, by entry of the legend; of a numeric target, one number.
    marks : places from 0 to 1: where the column is parted, or the mean of the target.
    ends : what stands at both ends of the scale; empty where columns are categories.
    """

    counts: tuple[tuple[float, ...], ...]
    marks: tuple[float, ...]
    ends: tuple[str, str] | None


def histograms(
    model: Model, nodes: range, key: ClassKey | None, table: Table, target: Target
) -> dict[int, Histogram]:
    """The histograms of these nodes, where they have one; `key` gives classes their entries."""
    rows = RowsByNode.of(model, table, target)
    scale = _ends(target.values[rows.row] if isinstance(target, Values) else np.empty(0))
    found: dict[int, Histogram] = {}
    for node in nodes:
        row, weight = rows.at(node)
        if not len(row):
            continue
        if isinstance(target, Values):
            found[node] = _of_target(target.values[row], weight, *scale)
        elif key is not None and not model.tree.is_leaf(node):
            found[node] = _of_column(model, node, key.entry[target.codes[row]], table, row, weight)
    return found


def _of_target(values: Floats, weight: Floats, low: float, high: float) -> Histogram:
    counts = np.bincount(_column(values, low, high), weights=weight, minlength=COLUMNS)
    mean = np.average(values, weights=weight, keepdims=True)
    marks = _place(mean, low, high).tolist() if high > low else ()
    return Histogram(tuple((count,) for count in counts.tolist()), tuple(marks), (brief(low), brief(high)))


def _of_column(
    model: Model, node: int, entry: Indices, table: Table, row: Indices, weight: Floats
) -> Histogram:
    """The column that a node asks for; cells that do not decide there, missing or absent, are left out."""
    feature = int(model.tree.feature[node])
    cells = table.arrays[feature][row]
    if model.schema[feature].is_nominal:
        known = cells >= 0
        known[known] = model.tree.pool[int(model.tree.lookup[node]) + 1 + cells[known]] >= 0
        column, n, marks = _categories(model.tree, node, cells[known])
        return Histogram(_stacked(column, n, entry[known], weight[known]), marks, None)
    cells = cells.astype(np.float64)
    known = np.isfinite(cells)
    low, high = _ends(cells[known])
    counts = _stacked(_column(cells[known], low, high), COLUMNS, entry[known], weight[known])
    cuts = _cuts(model, node)
    marks = _place(cuts[(low < cuts) & (cuts < high)], low, high).tolist() if high > low else ()
    return Histogram(counts, tuple(marks), (brief(low), brief(high)))


def _cuts(model: Model, node: int) -> Floats:
    split = split_of(model.tree, model.schema, node)
    return np.array(split.bounds if isinstance(split, Intervals) else [model.tree.cut[node]])


def _categories(
    tree: Tree, node: int, codes: npt.NDArray[np.int32]
) -> tuple[Indices, int, tuple[float, ...]]:
    """The column of each cell, how many there are, and where those of one branch end, unless each is one."""
    begin = int(tree.lookup[node]) + 1
    present = np.unique(codes)
    branch = tree.pool[begin + present]
    order = np.lexsort((present, branch))
    branch, place = branch[order], np.argsort(order)
    if len(present) > MOST_CATEGORIES:
        return tree.pool[begin + codes].astype(np.intp), int(tree.n_children[node]), ()
    ends = np.flatnonzero(np.diff(branch)) + 1
    marks = ends / len(present) if len(ends) < len(present) - 1 else np.empty(0)
    return place[np.searchsorted(present, codes)], len(present), tuple(marks.tolist())


def _ends(values: Floats) -> tuple[float, float]:
    """The lowest and the highest value; zeros if there is none."""
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


def _column(values: Floats, low: float, high: float) -> Indices:
    """The column of each value; all in the middle one if they are the same."""
    if not high > low:
        return np.full(len(values), COLUMNS // 2)
    return np.minimum((_place(values, low, high) * COLUMNS).astype(np.intp), COLUMNS - 1)


def _place(values: Floats, low: float, high: float) -> Floats:
    """Where values lie between low and high, from 0 to 1."""
    unit = 0.5 if high - low == math.inf else 1.0  # then halves are used, lest the difference be infinite
    return (values * unit - low * unit) / (high * unit - low * unit)


def _stacked(column: Indices, n: int, entry: Indices, weight: Floats) -> tuple[tuple[float, ...], ...]:
    """The weight of each entry in each column."""
    n_entries = int(entry.max()) + 1 if len(entry) else 1
    counts = np.bincount(column * n_entries + entry, weights=weight, minlength=n * n_entries)
    return tuple(map(tuple, counts.reshape(n, n_entries).tolist()))
