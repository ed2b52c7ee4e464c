"""Find where one cell goes at one node, and why, by the same rules as the core (apply.cpp).

This explains one row at a time.

A known cell decides for itself. If it is missing, the surrogates of the node decide, the best first, and finally
`default_child`: one branch, or all of them by weight.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from branchwork.table.schema import Schema
from branchwork.table.table import UNSEEN
from branchwork.tree.surrogates import Surrogate
from branchwork.tree.tree import Tree

Cause = Literal["known", "missing", "unseen", "absent"]
"""What is known about a cell: its value; nothing; an unseen category; or one absent from a node with surrogates."""
Way = Literal["value", "majority", "unseen", "surrogate", "default", "shared"]
"""What decides where a cell goes."""

EVERY_CHILD = -1


@dataclass(frozen=True)
class Route:
    """Where a cell goes: the child counted from the first, or EVERY_CHILD."""

    child: int
    cause: Cause
    way: Way
    surrogate: Surrogate | None = None


def route(
    tree: Tree, schema: Schema, node: int, cells: Sequence[float], *, unseen_with_majority: bool = False
) -> Route:
    """Return where a row goes at an inner node. `cells` has its numbers (NaN is missing) and codes, by column."""
    feature = int(tree.feature[node])
    nominal = schema[feature].is_nominal
    cause = _cause(tree, node, cells[feature], nominal)
    decided = child_of_cell(
        tree, node, cells[feature], nominal=nominal, unseen_with_majority=unseen_with_majority
    )
    if decided is not None:
        with_majority: Way = "majority" if unseen_with_majority else "unseen"
        return Route(decided, cause, "value" if cause == "known" else with_majority)
    for surrogate in surrogates_of(tree, schema, node):
        child = sent_by(surrogate, cells[surrogate.feature])
        if child is not None:
            return Route(child, cause, "surrogate", surrogate)
    default = int(tree.default_child[node])
    return Route(default, cause, "shared" if default == EVERY_CHILD else "default")


def child_of_cell(
    tree: Tree, node: int, cell: float, *, nominal: bool, unseen_with_majority: bool
) -> int | None:
    """Return the child that a cell decides for by itself, or None if the cell is not known here."""
    if not nominal:
        return None if math.isnan(cell) else bisect_left(bounds_of(tree, node), cell)
    if cell >= 0:
        child = int(tree.pool[int(tree.lookup[node]) + 1 + int(cell)])
        return child if child >= 0 else None
    return unseen_child_of(tree, node, with_majority=unseen_with_majority) if cell == UNSEEN else None


def unseen_child_of(tree: Tree, node: int, *, with_majority: bool) -> int | None:
    """Return the child of an unseen category, or None if it counts as missing."""
    if with_majority:
        return int(tree.heaviest_child[node])
    return None if tree.unseen_child is None else int(tree.unseen_child[node])


def surrogates_of(tree: Tree, schema: Schema, node: int) -> list[Surrogate]:
    """Return the surrogates of a node, the best first."""
    if tree.surrogates is None:
        return []
    return tree.surrogates.of(node, [len(column.categories) for column in schema])


def bounds_of(tree: Tree, node: int) -> list[float]:
    """Return the bounds between the branches of a numeric node.

    The branch above an infinite bound is for missing cells.
    """
    first, n_children = int(tree.lookup[node]), int(tree.n_children[node])
    if first >= 0:
        return [float(bound) for bound in tree.bounds[first : first + n_children - 1]]
    return [float(tree.cut[node]), math.inf][: n_children - 1]


def parts_of(tree: Tree, node: int, goes_to: int) -> list[float]:
    """Return the part of a row that goes down each branch: all of it down one, or (EVERY_CHILD) by weight."""
    children = tree.children(node)
    if goes_to >= 0:
        return [float(k == goes_to) for k in range(len(children))]
    weights = tree.weight[children.start : children.stop]
    whole = np.cumsum(weights)[-1]  # added from the first to the last, as in the core
    return (weights / whole).tolist()  # type: ignore[no-any-return]


def _cause(tree: Tree, node: int, cell: float, nominal: bool) -> Cause:
    if not nominal:
        return "missing" if math.isnan(cell) else "known"
    if cell >= 0:
        return "known" if tree.pool[int(tree.lookup[node]) + 1 + int(cell)] >= 0 else "absent"
    return "unseen" if cell == UNSEEN else "missing"


def sent_by(surrogate: Surrogate, cell: float) -> int | None:
    """Return where a surrogate's own cell sends the row, or None if that cell is not known either."""
    if surrogate.children is not None:
        child = surrogate.children[int(cell)] if cell >= 0 else -1
        return child if child >= 0 else None
    if math.isnan(cell) or surrogate.cut is None or surrogate.low_child is None:
        return None
    return surrogate.low_child if cell <= surrogate.cut else 1 - surrogate.low_child
