"""Which rows come to which node, and what follows of that: slow and obvious, from a tree's `to_dict()` and the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass
class Node:
    """A node of `to_dict()`, and the training rows there: position and share of each."""

    told: dict[str, Any]
    parent: Node | None
    rows: list[tuple[int, float]]

    @property
    def id(self) -> int:
        return int(self.told["id"])


def nodes_with_rows(tree: dict[str, Any], rows: list[Row]) -> dict[int, Node]:
    """Every node by id, with the rows that come to it."""
    root = Node(tree, None, [(k, 1.0) for k in range(len(rows))])
    found, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        found[node.id] = node
        children = [Node(child, node, []) for child in node.told.get("children", [])]
        for k, share in node.rows if children else []:
            for child, part in goes_to(node.told, rows[k]):
                children[child].rows.append((k, share * part))
        waiting += children
    return dict(sorted(found.items()))


def goes_to(node: dict[str, Any], row: Row) -> list[tuple[int, float]]:
    """The children that a row goes to, and the part of it that goes there."""
    child = child_of(node, row[node["feature"]])
    for surrogate in node.get("surrogates", []):
        if child is None:
            child = child_of_surrogate(surrogate, row[surrogate["feature"]])
    if child is None and node["missing"] != "share":
        child = node["missing"]
    if child is not None:
        return [(child, 1.0)]
    whole = sum(one["weight"] for one in node["children"])
    return [(k, one["weight"] / whole) for k, one in enumerate(node["children"]) if one["weight"] > 0]


def child_of(node: dict[str, Any], value: Any) -> int | None:
    if value is None:
        return None
    if "values" in node:
        return next((k for k, group in enumerate(node["values"]) if value in group), None)
    bounds = node["bounds"] if "bounds" in node else [node["cut"]]
    return sum(bound < value for bound in bounds)


def child_of_surrogate(surrogate: dict[str, Any], value: Any) -> int | None:
    if value is None or "values" in surrogate:
        return child_of({"values": surrogate.get("values", [])}, value)
    return int(surrogate["low"]) if value <= surrogate["cut"] else 1 - int(surrogate["low"])


def weigh(node: Node, weights: list[float]) -> float:
    return math.fsum(share * weights[k] for k, share in node.rows)


def of_labels(node: Node, weights: list[float], y: list[Any], labels: list[Any]) -> dict[Any, float]:
    """Weight of each label."""
    return {
        label: math.fsum(share * weights[k] for k, share in node.rows if y[k] == label) for label in labels
    }


def mean_and_variance(node: Node, weights: list[float], y: list[float]) -> tuple[float, float]:
    """The mean, and the variance with n - 1; a single row has none, which is 0."""
    n = weigh(node, weights)
    mean = math.fsum(share * weights[k] * y[k] for k, share in node.rows) / n
    squares = math.fsum(share * weights[k] * (y[k] - mean) ** 2 for k, share in node.rows)
    return mean, squares / (n - 1) if n > 1 else 0.0
