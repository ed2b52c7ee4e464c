"""Data on the page: for each node a small histogram of the feature that it asks for. No row is stored.

A histogram is a list, short because there may be thousands of them:

    [[low, high], labels, lines]        of a numeric feature, or
    [code, labels, lines]               the categories of the bins, those of one branch side by side

    classes    labels = [0, 1]          the classes that occur; -1 stands for all that have no line of their own
               lines = ["03a", "01"]    for each class the weight in each bin
    numbers    labels = [low, high]     of the target
               lines = ["0a3", "07"]    for each bin the weight at each height of the target, from the lowest up

A line has a digit of base 36 for each cell. If the fullest cell has no more than 35, and all are whole, digits are the
weights themselves; otherwise "z" is the fullest cell, and a fourth element says its weight. Zeros at the end of a line
are left out.

A page stays small: the nodes with most rows come first, and what does not fit into the room is left out.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from branchwork.model.model import Model
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values
from branchwork.view.rows_by_node import Floats, Indices, RowsByNode

ROOM = 300_000
"""Characters for the histograms of all nodes: 60 for each of 5 000 inner nodes."""
BINS, FEW_BINS = 20, 10
"""Bins of a numeric feature; the second where a node has less than `FEW_ROWS` rows."""
FEW_ROWS = 100
HEIGHTS = 10
"""Cells of a numeric target."""
MOST_CATEGORIES = 16
"""Of more categories, the most frequent ones have a bin."""
MOST_LABELS = 8
"""Of more classes, the most frequent ones are told apart."""
LEAST_ROWS = 2
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def rows_of(model: Model, table: Table, target: Target, used: list[int], room: int = ROOM) -> dict[str, Any]:
    """Return the histograms of a page.

    `used` are the features that the tree asks for, `room` is the characters for the histograms of nodes.
    """
    rows = RowsByNode.of(model, table, target)
    everywhere = rows.at(0)
    columns = {
        str(feature): {
            "histogram": _histogram(model, feature, table, target, *everywhere),
            **_cells(table.schema[feature], table.arrays[feature][everywhere[0]]),
        }
        for feature in used
        if len(everywhere[0])
    }
    nodes, left_out = _of_nodes(model, table, target, rows, room)
    return {"n": table.n_rows, "columns": columns, "nodes": nodes, "left_out": left_out}


def _of_nodes(
    model: Model, table: Table, target: Target, rows: RowsByNode, room: int
) -> tuple[dict[str, Any], int]:
    """The histograms of inner nodes, and how many there was no room for."""
    tree, sizes = model.tree, rows.end - rows.begin
    inner = np.flatnonzero((tree.feature >= 0) & (sizes >= LEAST_ROWS))
    largest_first = inner[np.argsort(-sizes[inner], kind="stable")].tolist()
    found: dict[str, Any] = {}
    for node in largest_first:
        one = _histogram(model, int(tree.feature[node]), table, target, *rows.at(node), node=node)
        room -= len(json.dumps(one)) + len(str(node))
        if room < 0:
            break
        found[str(node)] = one
    return dict(sorted(found.items(), key=lambda item: int(item[0]))), len(largest_first) - len(found)


def _histogram(
    model: Model, feature: int, table: Table, target: Target, row: Indices, weight: Floats, node: int = -1
) -> list[Any]:
    """The histogram of a feature in some rows; cells that are missing are left out."""
    cells, column = table.arrays[feature][row], table.schema[feature]
    known = cells >= 0 if column.is_nominal else np.isfinite(cells)
    row, weight, cells = row[known], weight[known], cells[known]
    place, n, scale = _categories(model, node, cells) if column.is_nominal else _bins(cells)
    inside = place >= 0
    row, weight, place = row[inside], weight[inside], place[inside]
    if isinstance(target, Classes):
        return [scale, *_of_classes(target.codes[row].astype(np.intp), weight, place, n)]
    assert isinstance(target, Values)
    return [scale, *_of_numbers(target.values[row], weight, place, n)]


def _bins(cells: Floats) -> tuple[Indices, int, list[float]]:
    """The bin of each number, how many bins there are, and the ends of the first and the last."""
    if not len(cells):
        return np.empty(0, np.intp), 0, [0, 0]
    low, high = float(cells.min()), float(cells.max())
    n = FEW_BINS if len(cells) < FEW_ROWS else BINS
    return _place(cells.astype(np.float64), low, high, n), n, [_short(low), _short(high)]


def _place(numbers: Floats, low: float, high: float, n: int) -> Indices:
    """Which of n equal parts of a range each number is in; all in the middle one if the range is a single number."""
    if not high > low:
        return np.full(len(numbers), n // 2)
    half = 0.5 if high - low == np.inf else 1.0  # then halves are used, lest the difference be infinite
    share = (numbers * half - low * half) / (high * half - low * half)
    return np.minimum((share * n).astype(np.intp), n - 1)


def _categories(model: Model, node: int, codes: Indices) -> tuple[Indices, int, list[int]]:
    """The bin of each category (-1: it has none), how many bins there are, and the categories of the bins."""
    present, times = np.unique(codes, return_counts=True)
    kept = np.sort(present[np.argsort(-times, kind="stable")[:MOST_CATEGORIES]])
    if node >= 0:
        branch = model.tree.pool[int(model.tree.lookup[node]) + 1 + kept]
        kept = kept[np.argsort(branch, kind="stable")]
    place = np.full(int(present.max()) + 1 if len(present) else 1, -1, np.intp)
    place[kept] = np.arange(len(kept))
    return place[codes], len(kept), kept.tolist()


def _of_classes(code: Indices, weight: Floats, place: Indices, n: int) -> list[Any]:
    of_label = np.bincount(code, weights=weight)
    labels = np.flatnonzero(of_label)
    others = len(labels) > MOST_LABELS
    if others:
        heaviest = np.argsort(-of_label[labels], kind="stable")
        labels = np.sort(labels[heaviest[: MOST_LABELS - 1]])
    entry = np.full(len(of_label), len(labels))
    entry[labels] = np.arange(len(labels))
    lines = len(labels) + others
    counts = np.bincount(entry[code] * n + place, weights=weight, minlength=lines * n)
    table = counts.astype(np.float64).reshape(lines, n)
    return [[*labels.tolist(), *([-1] if others else [])], *_lines(table)]


def _of_numbers(values: Floats, weight: Floats, place: Indices, n: int) -> list[Any]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    height = _place(values, low, high, HEIGHTS)
    counts = np.bincount(place * HEIGHTS + height, weights=weight, minlength=n * HEIGHTS)
    return [[_short(low), _short(high)], *_lines(counts.astype(np.float64).reshape(n, HEIGHTS))]


def _lines(counts: Floats) -> list[Any]:
    """The lines of a histogram and, where digits are not the weights themselves, the weight of the fullest cell."""
    most = float(counts.max(initial=0.0))
    are_weights = most < len(DIGITS) and (counts == np.floor(counts)).all()
    shades = counts if are_weights else np.ceil(counts / most * (len(DIGITS) - 1))
    lines = ["".join(DIGITS[k] for k in line).rstrip("0") for line in shades.astype(np.intp).tolist()]
    return [lines] if are_weights else [lines, float(f"{most:.6g}")]


def _cells(column: Column, cells: Indices | Floats) -> dict[str, Any]:
    """What cells are like: the most frequent category or the (lower) median, and whether all numbers are whole."""
    known = cells[cells >= 0] if column.is_nominal else np.sort(cells[np.isfinite(cells)])
    if not len(known):
        return {"typical": None, "whole": False}
    value = np.bincount(known).argmax() if column.is_nominal else known[(len(known) - 1) // 2]
    return {"typical": _short(float(value)), "whole": bool((known == np.floor(known)).all())}


def _short(x: float) -> float | int:
    """A number whose JSON is short: 3, not 3.0."""
    return int(x) if float(x).is_integer() and abs(x) < 2**53 else float(x)
