"""A model as plain data for the page: lists of numbers and text, one entry a node, that go into JSON as they are.

The names are those of `Tree`. JSON has neither NaN nor infinity: NaN is None, infinity the text "Infinity". Numbers are
written by their shortest exact form, so the page compares with the very same cuts.

    nodes.feature       2     -1      0  …       as in tree/tree.py
    nodes.condition    ""   "x <= 1"  …          what led to a node, in words
    entries.start       0      2      3  …       classes: entries start[n] to start[n + 1] are those of node n,
    entries.label       0  1   0      …          a label's weight and its probability where either is not 0
    pool.child          0      1      …          the pool of lookups in runs: pool.child[k] stands there
    pool.times         40      2      …          pool.times[k] times, since most categories are absent from a deep node
    working             the candidates of each node (view/page_working.py)
    rows                a histogram for each node, if data were handed in (view/page_rows.py)
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.model.model import Model
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.arrive import shown_split
from branchwork.tree.missing import missing_branches
from branchwork.tree.split import category, harmless
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import STOP_REASONS, Tree
from branchwork.view.candidate_row import WIDEST_CELL
from branchwork.view.class_key import key_of
from branchwork.view.digits import shortened
from branchwork.view.honest_words import honest_sentences
from branchwork.view.page_rows import ROOM, rows_of
from branchwork.view.page_working import Pages, plain_number, working_of
from branchwork.view.proof_words import proof_sentences
from branchwork.view.working import STOPPED

LONGEST_CONDITION = 500
"""Longer conditions are cut: a name of a megabyte must not be there once a node."""
LARGEST_SAFE_INTEGER = 2**53
"""Larger ones are not exact in JavaScript."""


def to_data(
    model: Model,
    *,
    unit: str,
    data: tuple[Table, Target] | None = None,
    pages: Pages | None = None,
    room: int = ROOM,
) -> dict[str, Any]:
    """A model's tree as data for the page.

    Parameters
    ----------
    data : rows in the model's columns and labels; the page then has histograms of them.
    pages : the working of some nodes, computed from the training rows; None: only what the tree kept.
    room : the characters that the histograms of all nodes may take; those of the largest nodes come first.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> data = to_data(bw.ID3Classifier().fit(tennis.X, tennis.y).model_, unit="entropy (bits)")
    >>> data["nodes"]["condition"][:3]
    ['', 'Outlook = Overcast', 'Outlook = Rain']
    """
    tree = model.tree
    return {
        "unit": unit,
        "target": None if model.target is None else _shown(model.target),
        "labels": None if model.labels is None else [_shown(label) for label in model.labels],
        **_looks(model),
        "classes": None if model.labels is None else model.class_order.tolist(),
        "handle_unknown": model.handle_unknown,
        "shares_rows": tree.shares_rows,
        "from_elsewhere": "library" in model.recipe,
        "columns": _columns(model),
        "nodes": _nodes(model),
        "entries": _entries(tree),
        "pool": _runs(tree.pool),
        "bounds": _plain(tree.bounds),
        "surrogates": None if tree.surrogates is None else _surrogates(tree.surrogates),
        "stopped": [STOPPED[reason] for reason in STOP_REASONS],
        "working": working_of(model, unit, pages or {}),
        "rows": None if data is None else rows_of(model, *data, sorted(_used(tree)), room),
        "proof": {
            "root": honest_sentences(model) + proof_sentences(model.proof, 0),
            "below": proof_sentences(model.proof, 1),
        },
    }


def _shown(value: Hashable) -> str:
    """A name for a person to read: no control characters, not too long."""
    return shortened(harmless(category(value)), WIDEST_CELL)


def _looks(model: Model) -> dict[str, list[str] | None]:
    """Return the name of each label's colour and its pattern, "" where there is none; None for numbers."""
    key = key_of(model)
    if key is None:
        return {"colours": None, "patterns": None}
    entries = key.entry.tolist()
    return {
        "colours": [key.fill(entry) for entry in entries],
        "patterns": [key.pattern(entry) for entry in entries],
    }


def _columns(model: Model) -> list[dict[str, Any]]:
    """The columns; categories of those only that the tree asks for."""
    used, spread = _used(model.tree), model.spread or [math.nan] * len(model.schema)
    return [_column(column, number in used, spread[number]) for number, column in enumerate(model.schema)]


def _used(tree: Tree) -> set[int]:
    """The columns that the tree asks for, in splits and surrogates."""
    used = set(tree.feature.tolist())
    if tree.surrogates is not None:
        used.update(tree.surrogates.feature.tolist())
    return used - {-1}


def _column(column: Column, is_used: bool, spread: float) -> dict[str, Any]:
    categories = column.categories if is_used else ()
    return {
        "name": column.name,
        "shown": shortened(harmless(column.name), WIDEST_CELL),
        "nominal": column.is_nominal,
        "spread": plain_number(spread) if is_used else None,
        "values": [_cell(value) for value in categories],
        "texts": [_shown(value) for value in categories],
        **({"rare": list(column.rare)} if is_used and column.rare else {}),
    }


def _cell(value: Hashable) -> str | bool | int | float:
    """A category as a cell of a JSON table; what JSON does not have becomes text."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int | float) and abs(value) <= LARGEST_SAFE_INTEGER:
        return value
    return str(value)


def _nodes(model: Model) -> dict[str, Any]:
    tree = model.tree
    unseen = tree.heaviest_child if model.handle_unknown == "majority" else tree.unseen_child
    return {
        "feature": tree.feature.tolist(),
        "cut": _plain(tree.cut),
        "first_child": tree.first_child.tolist(),
        "n_children": tree.n_children.tolist(),
        "lookup": tree.lookup.tolist(),
        "default_child": tree.default_child.tolist(),
        "unseen_child": None if unseen is None else unseen.tolist(),
        "condition": _conditions(model),
        "or_missing": _or_missing(tree),
        "missing_weight": None if tree.missing_weight is None else _plain(tree.missing_weight),
        "weight": _plain(tree.weight),
        "n_rows": tree.n_rows.tolist(),
        "impurity": _plain(tree.impurity),
        "gain": _plain(tree.gain),
        "stop": tree.stop.tolist(),
        "decision": None if model.labels is None else tree.decision.tolist(),
        "mean": _plain(tree.value[:, 0]) if model.labels is None else None,
        "variance": None if tree.variance is None else _plain(tree.variance),
    }


def _conditions(model: Model) -> list[str]:
    """What led to each node."""
    tree, schema = model.tree, model.schema
    conditions = [""]
    for node in np.flatnonzero(tree.feature >= 0).tolist():  # breadth first: children come in this order
        conditions.extend(
            harmless(shortened(text, LONGEST_CONDITION))
            for text in shown_split(tree, schema, node).branches(schema)
        )
    return conditions


def _or_missing(tree: Tree) -> list[int]:
    """Whether the condition that led to each node says "or missing": 1 or 0."""
    named = [0] * tree.n_nodes
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        for branch in missing_branches(tree, node):
            named[int(tree.first_child[node]) + branch] = 1
    return named


def _entries(tree: Tree) -> dict[str, Any] | None:
    """Weight and probability of the classes of each node."""
    if tree.distribution is None:
        return None
    node, label = np.nonzero((tree.distribution > 0) | (tree.value > 0))
    return {
        "start": np.searchsorted(node, np.arange(tree.n_nodes + 1)).tolist(),
        "label": label.tolist(),
        "weight": _plain(tree.distribution[node, label]),
        "share": _shares(tree, node, label),
    }


def _shares(
    tree: Tree, node: npt.NDArray[np.intp], label: npt.NDArray[np.intp]
) -> list[float | str | None] | None:
    """The probability of each entry; None: it is the entry's weight over that of its node."""
    assert tree.distribution is not None
    shares, of_node = tree.value[node, label], tree.weight[node]
    if (of_node > 0).all() and np.array_equal(shares, tree.distribution[node, label] / of_node):
        return None
    return _plain(shares)


def _surrogates(surrogates: Surrogates) -> dict[str, Any]:
    return {
        "first": surrogates.first.tolist(),
        "count": surrogates.count.tolist(),
        "feature": surrogates.feature.tolist(),
        "cut": _plain(surrogates.cut),
        "low_child": surrogates.low_child.tolist(),
        "lookup": surrogates.lookup.tolist(),
        "pool": _runs(surrogates.pool),
    }


def _runs(pool: npt.NDArray[np.int32]) -> dict[str, list[int]]:
    """Equal neighbours of a pool, and how many there are of each."""
    starts = np.flatnonzero(np.diff(pool, prepend=-2))  # no child is -2
    return {"child": pool[starts].tolist(), "times": np.diff(starts, append=len(pool)).tolist()}


def _plain(numbers: npt.NDArray[np.float64]) -> list[float | str | None]:
    listed: list[Any] = numbers.tolist()
    return listed if np.isfinite(numbers).all() else [plain_number(number) for number in listed]
