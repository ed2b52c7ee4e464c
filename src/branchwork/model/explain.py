"""Explain the prediction for a row: the nodes it passes, where it goes at each of them, and why.

A row with a missing value may be shared among branches. Then the nodes it passes form a small tree, and each of its
leaves has a share in the prediction. Otherwise they form a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from branchwork.model.model import Model
from branchwork.table.conform import conform
from branchwork.table.one_row import one_row
from branchwork.table.table import Table
from branchwork.tree.route import Route, parts_of, route


@dataclass(frozen=True)
class Row:
    """One row: as it was given, coded by the schema of a model, and as numbers and codes."""

    values: dict[str, Any]
    table: Table

    @property
    def cells(self) -> list[float]:
        """The number (NaN: missing) or the code of the category, by column."""
        return [array[0].item() for array in self.table.arrays]


@dataclass(frozen=True)
class WayStep:
    """One inner node on the way of a row.

    Parameters
    ----------
    node : the id of the node.
    share : the share of the row that reaches the node.
    route : where the row goes from here, and why.
    children : the ids of the nodes that it goes to, with the share for each.
    """

    node: int
    share: float
    route: Route
    children: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Explanation:
    """The prediction for one row and the way to it.

    Parameters
    ----------
    row : the row.
    steps : the inner nodes that it passes, each before those below it.
    leaves : the ids of the leaves that it reaches, from left to right, with its share in each.
    prediction : the label, or the number.
    outputs : the probabilities of all labels, or the number.
    """

    row: Row
    steps: tuple[WayStep, ...]
    leaves: tuple[tuple[int, float], ...]
    prediction: Any
    outputs: tuple[float, ...]


def read_row(model: Model, row: Any) -> Row:
    """Read a row, in any form, into the columns of a model."""
    given = one_row(row, model.schema)
    table = conform(given, model.schema, handle_unknown=model.handle_unknown)
    values = {}
    for name, raw, column, array in zip(
        model.schema.names, given.row(0).values(), model.schema, table.arrays, strict=True
    ):
        known = column.is_nominal and array[0] >= 0
        values[name] = column.categories[array[0]] if known else raw
    return Row(values, table)


def explain(model: Model, row: Row) -> Explanation:
    """Explain the prediction for a row.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> model = bw.ID3Classifier().fit(tennis.X, tennis.y).model_
    >>> found = explain(model, read_row(model, tennis.X.take([0])))
    >>> [step.node for step in found.steps], found.leaves, found.prediction
    ([0, 3], ((6, 1.0),), 'No')
    """
    steps, leaves = _walk(model, row.cells)
    outputs = model.outputs(row.table)[0]
    if model.labels is None:
        return Explanation(row, steps, leaves, float(outputs[0]), (float(outputs[0]),))
    label = model.labels[int(model.decisions(row.table)[0])]
    return Explanation(row, steps, leaves, label, tuple(outputs.tolist()))


def _walk(model: Model, cells: list[float]) -> tuple[tuple[WayStep, ...], tuple[tuple[int, float], ...]]:
    """Return the steps and leaves of a row, in the same order as the walk of the core over shared rows."""
    tree, with_majority = model.tree, model.handle_unknown == "majority"
    steps, leaves, waiting = [], [], [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        if tree.is_leaf(node):
            leaves.append((node, share))
            continue
        found = route(tree, model.schema, node, cells, unseen_with_majority=with_majority)
        parts = parts_of(tree, node, found.child)
        children = tuple(
            (child, share * part) for child, part in zip(tree.children(node), parts, strict=True) if part > 0
        )
        steps.append(WayStep(node, share, found, children))
        waiting.extend(reversed(children))
    return tuple(steps), tuple(leaves)
