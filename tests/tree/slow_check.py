"""What makes a tree valid, node by node in plain Python: slow, and plain to see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from branchwork.tree.ledger import VERDICTS, Ledger
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import STOP_REASONS, Tree

CLOSE = 1e-9


def is_valid(tree: Tree, levels: Sequence[int]) -> bool:
    """Whether arrays of the right types and lengths make a tree; `levels`: categories a column, -1 for numeric."""
    return (
        _has_shape(tree, len(levels))
        and all(_splits(tree, node, levels) for node in range(tree.n_nodes))
        and _has_room(tree, levels)
        and all(_weighs(tree, node) and _answers(tree, node) for node in range(tree.n_nodes))
        and (tree.surrogates is None or _has_surrogates(tree, tree.surrogates, levels))
        and (tree.ledger is None or _has_ledger(tree.ledger, tree.n_nodes, levels))
    )


def _has_shape(tree: Tree, n_columns: int) -> bool:
    """The children of the nodes, in their order, are 1, 2, 3, … to the last node."""
    following = 1
    for node in range(tree.n_nodes):
        feature, count, first = (
            int(tree.feature[node]),
            int(tree.n_children[node]),
            int(tree.first_child[node]),
        )
        if feature == -1:
            if count != 0 or first != -1:
                return False
            continue
        if not 0 <= feature < n_columns or count < 2 or first != following or first <= node:
            return False
        following += count
    return following == tree.n_nodes


def _splits(tree: Tree, node: int, levels: Sequence[int]) -> bool:
    feature, count = int(tree.feature[node]), int(tree.n_children[node])
    unseen = None if tree.unseen_child is None else int(tree.unseen_child[node])
    if feature < 0:
        return unseen in (None, -1)
    if not -1 <= tree.default_child[node] < count or not (unseen is None or 0 <= unseen < count):
        return False
    begin = int(tree.lookup[node])
    if levels[feature] >= 0:
        slots = tree.pool[begin : begin + 1 + levels[feature]].tolist() if begin >= 0 else []
        lowest = 0 if tree.surrogates is None else -1
        return (
            len(slots) == 1 + levels[feature]
            and -1 <= slots[0] < count
            and all(lowest <= slot < count for slot in slots[1:])
        )
    if not math.isnan(tree.cut[node]):
        return begin == -1 and count <= 3
    bounds = tree.bounds[begin : begin + count - 1].tolist() if begin >= 0 else []
    return (
        len(bounds) == count - 1
        and all(math.isfinite(bound) for bound in bounds[:-1])
        and (math.isfinite(bounds[-1]) or bounds[-1] == math.inf)
        and all(low < high for low, high in pairwise(bounds))
    )


def _has_room(tree: Tree, levels: Sequence[int]) -> bool:
    """Slots and bounds are not shared among nodes, or there were too few."""
    slots = bounds = 0
    for node in range(tree.n_nodes):
        feature = int(tree.feature[node])
        if feature >= 0 and levels[feature] >= 0:
            slots += 1 + levels[feature]
        elif feature >= 0 and math.isnan(tree.cut[node]):
            bounds += int(tree.n_children[node]) - 1
    return slots <= len(tree.pool) and bounds <= len(tree.bounds)


def _weighs(tree: Tree, node: int) -> bool:
    weight, rows = float(tree.weight[node]), int(tree.n_rows[node])
    missing = 0.0 if tree.missing_weight is None else float(tree.missing_weight[node])
    if not 0 <= missing <= weight * (1 + CLOSE) or (node == 0 and missing != 0):
        return False
    if not (math.isfinite(weight) and weight >= 0 and rows >= 0):
        return False
    if tree.feature[node] < 0:
        return True
    children = tree.children(node)
    below = sum(float(tree.weight[child]) for child in children)
    rows_below = [int(tree.n_rows[child]) for child in children]
    shared = tree.default_child[node] < 0
    if shared and not below > 0:
        return False
    adds_up = abs(sum(rows_below) - rows) <= CLOSE * max(rows, 1)
    may_be_shared = shared and sum(rows_below) >= rows and max(rows_below) <= rows
    return abs(below - weight) <= CLOSE * max(weight, 1) and (adds_up or bool(may_be_shared))


def _answers(tree: Tree, node: int) -> bool:
    return (
        all(math.isfinite(number) for number in tree.value[node].tolist())
        and int(tree.stop[node]) < len(STOP_REASONS)
        and (
            tree.distribution is None
            or all(math.isfinite(number) and number >= 0 for number in tree.distribution[node].tolist())
        )
        and (tree.answer is None or 0 <= tree.answer[node] < tree.n_outputs)
    )


def _has_surrogates(tree: Tree, surrogates: Surrogates, levels: Sequence[int]) -> bool:
    following = slots = 0
    for node in range(tree.n_nodes):
        count = int(surrogates.count[node])
        if tree.feature[node] >= 0 and tree.default_child[node] < 0:
            return False
        if count and (count < 0 or surrogates.first[node] != following or tree.n_children[node] != 2):
            return False
        following += count
    if following != len(surrogates):
        return False
    for k in range(len(surrogates)):
        feature, begin = int(surrogates.feature[k]), int(surrogates.lookup[k])
        if not 0 <= feature < len(levels) or (levels[feature] >= 0) != (begin >= 0):
            return False
        if levels[feature] < 0:
            if surrogates.low_child[k] not in (0, 1) or math.isnan(surrogates.cut[k]):
                return False
            continue
        own = surrogates.pool[begin : begin + levels[feature]].tolist()
        slots += levels[feature]
        if len(own) != levels[feature] or any(slot not in (-1, 0, 1) for slot in own):
            return False
    return slots <= len(surrogates.pool)


def _has_ledger(ledger: Ledger, n_nodes: int, levels: Sequence[int]) -> bool:
    nodes = ledger.node.tolist()
    if any(not 0 <= node < n_nodes for node in nodes) or nodes != sorted(set(nodes)):
        return False
    following = parts = 0
    for page in range(len(nodes)):
        for column, level in enumerate(levels):
            start = int(ledger.sides_at[page, column])
            if ledger.verdict[page, column] >= len(VERDICTS):
                return False
            if start >= 0:
                own = ledger.sides[start : start + level].tolist() if level >= 0 else None
                if own is None or start != following or any(not -1 <= side <= level for side in own):
                    return False
                following += level
            elif start != -1:
                return False
            if ledger.tests.size:
                begin, end = ledger.parts_at[page, column].tolist()
                if not 0 <= begin <= end <= len(ledger.parts):
                    return False
                parts += end - begin
    return following == len(ledger.sides) and parts <= len(ledger.parts)
