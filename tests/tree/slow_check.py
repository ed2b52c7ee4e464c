"""What makes a tree valid, node by node in plain Python: slow, and plain to see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

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
        and (tree.ledger is None or _has_ledger(tree.ledger, tree, levels))
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
    leaf, value = tree.feature[node] < 0, tree.value[node].tolist()
    impurity, gain = float(tree.impurity[node]), float(tree.gain[node])
    square = min(max(abs(number) for number in value), 1e150) ** 2
    return (
        all(math.isfinite(number) for number in value)
        and int(tree.stop[node]) < len(STOP_REASONS)
        and (STOP_REASONS[tree.stop[node]] != "split") == leaf
        and not math.isinf(impurity)
        and not impurity < -CLOSE * (1 + square)
        and (gain == 0 if leaf else not math.isinf(gain))
        and (tree.variance is None or _amount(float(tree.variance[node]), unknown=True))
        and (tree.distribution is None or _counts(tree.distribution[node].tolist(), float(tree.weight[node])))
        and (tree.answer is None or 0 <= tree.answer[node] < tree.n_outputs)
    )


def _amount(number: float, *, unknown: bool = False) -> bool:
    return (unknown and math.isnan(number)) or (math.isfinite(number) and number >= 0)


def _counts(counts: list[float], weight: float) -> bool:
    return all(map(_amount, counts)) and abs(sum(counts) - weight) <= CLOSE * max(weight, 1)


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
        node = int(np.repeat(np.arange(tree.n_nodes), surrogates.count)[k])
        ratings = (float(surrogates.agreement[k]), float(surrogates.adjusted[k]))
        if feature == tree.feature[node] or not all(-CLOSE <= rating <= 1 + CLOSE for rating in ratings):
            return False
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


def _has_ledger(ledger: Ledger, tree: Tree, levels: Sequence[int]) -> bool:
    nodes = ledger.node.tolist()
    if any(not 0 <= node < tree.n_nodes for node in nodes) or nodes != sorted(set(nodes)):
        return False
    following = parts = 0
    for page, node in enumerate(nodes):
        for column, level in enumerate(levels):
            start = int(ledger.sides_at[page, column])
            if start < -1 or ledger.verdict[page, column] >= len(VERDICTS):
                return False
            if start >= 0:
                if level < 0 or start != following:
                    return False
                following += level
            if ledger.tests.size:
                begin, end = ledger.parts_at[page, column].tolist()
                if not 0 <= begin <= end <= len(ledger.parts):
                    return False
                parts += end - begin
        verdicts = [VERDICTS[code] for code in ledger.verdict[page].tolist()]
        if verdicts.count("chosen") > 1:
            return False
        if tree.feature[node] >= 0 and verdicts[tree.feature[node]] != "chosen":
            return False
    if following != len(ledger.sides) or parts > len(ledger.parts):
        return False
    every = [(page, column) for page in range(len(nodes)) for column in range(len(levels))]
    return all(_is_candidate(ledger, tree, page, column, levels[column]) for page, column in every)


def _is_candidate(ledger: Ledger, tree: Tree, page: int, column: int, level: int) -> bool:
    """One candidate: nothing is told of a split that there is not, and all that is needed of one that there is."""
    cut, gain = float(ledger.cut[page, column]), float(ledger.gain[page, column])
    start = int(ledger.sides_at[page, column])
    sides = ledger.sides[start : start + level].tolist() if start >= 0 else []
    chance = ledger.chance[:, page, column].tolist() if ledger.chance.size else [math.nan] * 3
    test = ledger.tests[:, page, column].tolist() if ledger.tests.size else [math.nan] * 3
    begin, end = ledger.parts_at[page, column].tolist() if ledger.tests.size else (0, 0)
    parts = ledger.parts[begin:end].tolist()
    if math.isinf(gain) or not _amount(float(ledger.split_info[page, column]), unknown=True):
        return False
    if any(not -1 <= side < max(level, 2) for side in sides):
        return False
    if not _is_test(chance) or not _is_test(test):
        return False
    if any(math.isinf(number) for number in chance[1:]):
        return False
    if ledger.judged.size:
        known, before, penalty = ledger.judged[:, page, column].tolist()
        if not (math.isnan(known) or -CLOSE <= known <= 1 + CLOSE) or math.isinf(before):
            return False
        if not _amount(penalty, unknown=True):
            return False
    if any(not (math.isnan(p) or -CLOSE <= p <= 1 + CLOSE) for p in test[1:]):
        return False
    if level >= 0:
        if parts and (len(parts) != level + 1 or any(p not in range(-1, level + 1) for p in parts)):
            return False
    elif not _are_bounds(parts):
        return False
    if math.isnan(gain):
        told = not math.isnan(cut) or start >= 0 or parts or not math.isnan(chance[0])
        return not told and math.isnan(test[0]) and VERDICTS[ledger.verdict[page, column]] != "chosen"
    if level >= 0 and not math.isnan(cut):
        return False
    if level < 0 and math.isnan(cut) and not (parts and math.isfinite(parts[0])):
        return False
    if ledger.tests.size and (not parts or math.isnan(test[0])):
        return False
    node = int(ledger.node[page])
    return tree.feature[node] != column or _is_split_of(tree, node, level, cut, sides, parts)


def _are_bounds(parts: list[float]) -> bool:
    """Whether numbers rise; only the last may be infinite."""
    last_known = not parts or math.isfinite(parts[-1]) or parts[-1] == math.inf
    return last_known and all(map(math.isfinite, parts[:-1])) and all(a < b for a, b in pairwise(parts))


def _is_test(numbers: list[float]) -> bool:
    """A statistic, which may be infinite, and its other numbers; or none."""
    return math.isnan(numbers[0]) or (numbers[0] >= 0 and not any(map(math.isnan, numbers[1:])))


def _is_split_of(tree: Tree, node: int, level: int, cut: float, sides: list[int], parts: list[float]) -> bool:
    begin = int(tree.lookup[node])
    if level >= 0:
        children = tree.pool[begin + 1 : begin + 1 + level].tolist()
        branches = parts or sides or range(level)
        return all(branch in (-1, child) for branch, child in zip(branches, children, strict=False))
    if not math.isnan(tree.cut[node]):
        return cut == tree.cut[node]
    return parts == tree.bounds[begin : begin + int(tree.n_children[node]) - 1].tolist()
