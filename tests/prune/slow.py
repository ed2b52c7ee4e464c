"""Pruning, slow and obvious: recursion over a tree as nested dictionaries, straight from the definitions.

Every function returns the ids of the nodes that become leaves, topmost ones only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from scipy import stats

Node = dict[str, Any]


def inner(node: Node) -> bool:
    return "children" in node


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("children", ()):
        yield from nodes(child)


def leaves(node: Node) -> list[Node]:
    return [n for n in nodes(node) if not inner(n)]


def bottom_up(
    node: Node, leaf: Callable[[Node], float], split: Callable[[Node], float], slack: float
) -> tuple[float, set[int]]:
    """The cheapest cost, and the nodes to prune for it."""
    if not inner(node):
        return leaf(node), set()
    parts = [bottom_up(child, leaf, split, slack) for child in node["children"]]
    cost = split(node) + sum(cost for cost, _ in parts)
    if leaf(node) <= cost + slack:
        return leaf(node), {node["id"]}
    return cost, set().union(*(pruned for _, pruned in parts))


def nothing(node: Node) -> float:
    return 0.0


def errors(node: Node) -> float:
    return node["weight"] - node["distribution"][node["prediction"]]


# ---- held-out rows


def shares(node: Node, row: dict[str, Any], share: float = 1.0) -> Iterator[tuple[int, float]]:
    """Every node that a row reaches, and with what share."""
    yield node["id"], share
    if not inner(node):
        return
    cell, children = row[node["feature"]], node["children"]
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        if node["missing"] == "share":
            whole = sum(child["weight"] for child in children)
            for child in children:
                if child["weight"] > 0:
                    yield from shares(child, row, share * child["weight"] / whole)
            return
        way = node["missing"]
    elif "bounds" in node:
        way = sum(bound < cell for bound in node["bounds"])
    elif "cut" in node:
        way = 0 if cell <= node["cut"] else 1
    else:
        way = next(k for k, group in enumerate(node["values"]) if cell in group)
    yield from shares(children[way], row, share)


def held_out_errors(root: Node, rows: list[dict[str, Any]], y: list[Any]) -> dict[int, float]:
    """Errors of every node as a leaf: wrong rows, or squared differences."""
    by_id = {node["id"]: node for node in nodes(root)}
    found = dict.fromkeys(by_id, 0.0)
    for row, truth in zip(rows, y, strict=True):
        for node, share in shares(root, row):
            answer = by_id[node]["prediction"]
            wrong = float(answer != truth) if "distribution" in by_id[node] else (answer - truth) ** 2
            found[node] += share * wrong
    return found


def reduced_error(root: Node, rows: list[dict[str, Any]], y: list[Any]) -> set[int]:
    found = held_out_errors(root, rows, y)
    return bottom_up(root, lambda node: found[node["id"]], nothing, 1e-9)[1]


def greedy(root: Node, rows: list[dict[str, Any]], y: list[Any]) -> set[int]:
    """Try every node, take the best, begin again."""
    found = held_out_errors(root, rows, y)
    pruned: set[int] = set()

    def total(node: Node) -> float:
        if not inner(node) or node["id"] in pruned:
            return found[node["id"]]
        return sum(total(child) for child in node["children"])

    def alive(node: Node) -> Iterator[Node]:
        if inner(node) and node["id"] not in pruned:
            yield node
            for child in node["children"]:
                yield from alive(child)

    while candidates := list(alive(root)):
        saved = {node["id"]: total(node) - found[node["id"]] for node in candidates}
        size = {node["id"]: len(list(alive(node))) for node in candidates}
        best = min(saved, key=lambda k: (-round(saved[k], 6), -size[k], k))
        if saved[best] < -1e-9:
            break
        pruned.add(best)
    return topmost(root, pruned)


def topmost(node: Node, pruned: set[int]) -> set[int]:
    if node["id"] in pruned:
        return {node["id"]}
    return set().union(*(topmost(child, pruned) for child in node.get("children", ())))


# ---- the tree alone


def pessimistic(node: Node) -> set[int]:
    if not inner(node):
        return set()
    n = node["weight"]
    subtree = sum(errors(leaf) for leaf in leaves(node)) + len(leaves(node)) / 2
    doubt = math.sqrt(subtree * max(0, n - min(subtree, n)) / n)
    if errors(node) + 0.5 <= subtree + doubt:
        return {node["id"]}
    return set().union(*(pessimistic(child) for child in node["children"]))


def minimum_error(root: Node, m: float) -> set[int]:
    share = {label: n / root["weight"] for label, n in root["distribution"].items()}

    def leaf(node: Node) -> float:
        n = node["weight"]
        if n == 0:
            return 0.0
        best = max((node["distribution"][c] + m * share[c]) / (n + m) for c in share)
        return n * (1 - best)

    return bottom_up(root, leaf, nothing, 1e-9)[1]


def mdl(root: Node, columns: dict[str, int | None]) -> set[int]:
    """`columns`: of each column the number of its categories; None: numeric."""
    k = sum(n > 0 for n in root["distribution"].values())

    def leaf(node: Node) -> float:
        n = node["weight"]
        if n == 0:
            return 1.0
        bits = sum(c * math.log2(n / c) for c in node["distribution"].values() if c > 0)
        if k > 1:
            bits += (k - 1) / 2 * math.log2(max(n, 1) / 2)
            bits += math.log2(math.pi ** (k / 2) / math.gamma(k / 2))
        return 1 + max(bits, 0)

    def split(node: Node) -> float:
        levels = columns[node["feature"]]
        if levels is None:
            test = math.log2(max(node["weight"] - 1, 1))
        elif len(node["children"]) >= levels > 2:
            test = 0.0
        else:
            test = levels - 1
        return 1 + math.log2(len(columns)) + test

    return bottom_up(root, leaf, split, 1e-9)[1]


def error_based(root: Node, bound: Callable[[float, float], float]) -> set[int]:
    return bottom_up(root, lambda node: errors(node) + bound(errors(node), node["weight"]), nothing, 0.1)[1]


def p_value(node: Node) -> float:
    children = [child for child in node["children"] if child["weight"] > 0]
    if len(children) < 2:
        return 1.0
    if "distribution" in node:
        present = [c for c in node["distribution"] if any(child["distribution"][c] > 0 for child in children)]
        if len(present) < 2:
            return 1.0
        table = [[child["distribution"][c] for c in present] for child in children]
        return float(stats.chi2_contingency(table, correction=False).pvalue)
    n = sum(child["weight"] for child in children)
    mean = sum(child["weight"] * child["mean"] for child in children) / n
    between = sum(child["weight"] * (child["mean"] - mean) ** 2 for child in children) / (len(children) - 1)
    within = sum(child["variance"] * (child["weight"] - 1) for child in children)
    freedom = n - len(children)
    if freedom <= 0:
        return 1.0
    return float(stats.f.sf(between / (within / freedom), len(children) - 1, freedom)) if within > 0 else 0.0


def significance(node: Node, limit: float) -> set[int]:
    if not inner(node):
        return set()
    if all(p_value(below) > limit for below in nodes(node) if inner(below)):
        return {node["id"]}
    return set().union(*(significance(child, limit) for child in node["children"]))
