"""The nearest change by trying everything: all sets of columns, all values at the cuts and one step above them."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any


def nearest(
    tree: dict[str, Any], row: dict[str, Any], wanted: Any, scale: dict[str, float], heaviest: bool
) -> Any:
    """(number of changes, distance, leaf), or None. `tree` is a tree's to_dict(), `wanted` a test of a leaf."""
    values = {name: candidates(tree, name) for name in row}
    for count in range(len(row) + 1):
        found = [
            (
                count,
                math.fsum(distance(row[name], value, scale[name]) for name, value in changes.items()),
                leaf["id"],
            )
            for names in combinations(row, count)
            for chosen in product(*(values[name] for name in names))
            if (changes := dict(zip(names, chosen, strict=True))) is not None
            and (leaf := leaf_of(tree, {**row, **changes}, heaviest)) is not None
            and wanted(leaf)
        ]
        if found:
            return min(found)
    return None


def nodes_of(tree: dict[str, Any]) -> list[dict[str, Any]]:
    found, waiting = [], [tree]
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].get("children", [])
    return found


def candidates(tree: dict[str, Any], name: str) -> list[Any]:
    """Values that a column might be changed to."""
    inner = [node for node in nodes_of(tree) if node.get("feature") == name]
    groups = [group for node in inner for group in node.get("values", [])]
    if groups:
        return sorted({value for group in groups for value in group})
    cuts = {cut for node in inner for cut in (node["bounds"] if "bounds" in node else [node["cut"]])}
    finite = {cut for cut in cuts if math.isfinite(cut)}
    return sorted(finite | {math.nextafter(cut, math.inf) for cut in finite} | {0.0})


def distance(old: Any, new: Any, scale: float) -> float:
    return 1.0 if old is None or isinstance(old, str) else abs(new - old) / scale


def leaf_of(tree: dict[str, Any], row: dict[str, Any], heaviest: bool) -> dict[str, Any] | None:
    """Where a row comes to as a whole, asking no other column than the tree's own; None if it does not."""
    node = tree
    while "children" in node:
        child = child_of(node, row[node["feature"]], heaviest)
        if child is None:
            return None
        node = node["children"][child]
    return node


def child_of(node: dict[str, Any], value: Any, heaviest: bool) -> int | None:
    if value is not None and "values" in node:
        for child, group in enumerate(node["values"]):
            if value in group:
                return child
        if heaviest and value == "new":
            weights = [child["weight"] for child in node["children"]]
            return weights.index(max(weights))
    elif value is not None:
        bounds = node["bounds"] if "bounds" in node else [node["cut"]]
        return sum(bound < value for bound in bounds)
    if node["missing"] == "share" or node.get("surrogates"):
        return None
    return node["missing"]
