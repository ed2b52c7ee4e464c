"""Write and read nodes and surrogates as small JSON objects that name columns and categories."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.store.arrays import OPTIONAL, SURROGATES, TREE, Array
from branchwork.store.strict import (
    a_list,
    a_number,
    a_whole,
    an_object,
    number_as_json,
    one_of,
    refuse,
)
from branchwork.store.values import as_json
from branchwork.table.schema import Schema
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import STOP_REASONS, Tree

MOST = 2**31 - 1
MOST_ROWS = 2**63 - 1


class Names:
    """The columns and categories of a schema by their names, both ways."""

    def __init__(self, schema: Schema) -> None:
        self.columns = [as_json(column.name, "name") for column in schema]
        self.position = {_key(name): j for j, name in enumerate(self.columns)}
        self.is_nominal = [column.is_nominal for column in schema]
        self.categories = [[as_json(v, column.name) for v in column.categories] for column in schema]
        self.codes = [{_key(value): code for code, value in enumerate(of)} for of in self.categories]

    @staticmethod
    def key(value: Any) -> str:
        """Return the key of a value: 1, 1.0, true and "1" are four values."""
        return _key(value)

    def column(self, found: Any, place: str) -> int:
        """Return the position of a column."""
        position = self.position.get(_key(found))
        if position is None:
            refuse(place, "no column has this name")
        return position

    def groups(self, column: int, child_of: list[int], n_groups: int) -> list[list[Any]]:
        """Return the categories of each child; those of child -1 are in no group."""
        found: list[list[Any]] = [[] for _ in range(n_groups)]
        for value, child in zip(self.categories[column], child_of, strict=True):
            if child >= 0:
                found[child].append(value)
        return found

    def children(self, column: int, found: Any, place: str) -> list[int]:
        """Return the child of each category; -1 means in no group."""
        child_of = [-1] * len(self.categories[column])
        for child, group in enumerate(a_list(found, place)):
            for value in a_list(group, f"{place}[{child}]"):
                code = self.codes[column].get(_key(value))
                if code is None or child_of[code] >= 0:
                    refuse(f"{place}[{child}]", "a category that is not known, or that is in two groups")
                child_of[code] = child
        return child_of


def _key(value: Any) -> str:
    """Return the key of a JSON value: 1, 1.0, true and "1" are four values.

    JSON that stands for no value has no key.
    """
    if isinstance(value, list) or (
        isinstance(value, dict) and any(not isinstance(v, str) for v in value.values())
    ):
        return ""
    return json.dumps(value)


def numbers_as_json(array: Array) -> list[Any]:
    """Return a list of numbers as JSON."""
    return [number_as_json(number) for number in array.tolist()]


def numbers_from_json(found: Any, place: str, length: int | None = None) -> list[float]:
    """Return the numbers of a list."""
    return [a_number(number, f"{place}[{k}]") for k, number in enumerate(a_list(found, place, length))]


# ---- nodes


def nodes_as_json(tree: Tree, names: Names) -> list[dict[str, Any]]:
    """Return the nodes of a tree, which is in the layout of files, as JSON."""
    return [_node_as_json(tree, names, node) for node in range(tree.n_nodes)]


def _node_as_json(tree: Tree, names: Names, node: int) -> dict[str, Any]:
    row: dict[str, Any] = {"id": node}
    if not tree.is_leaf(node):
        feature = int(tree.feature[node])
        row["feature"] = names.columns[feature]
        row |= _split_as_json(tree, names, feature, node)
        row["children"] = list(tree.children(node))
        row["missing"] = "share" if tree.default_child[node] < 0 else int(tree.default_child[node])
    row["gain"] = number_as_json(float(tree.gain[node]))
    row["impurity"] = number_as_json(float(tree.impurity[node]))
    row["weight"] = float(tree.weight[node])
    row["n_rows"] = int(tree.n_rows[node])
    row["value"] = numbers_as_json(tree.value[node])
    if tree.distribution is not None:
        row["distribution"] = numbers_as_json(tree.distribution[node])
    if tree.variance is not None:
        row["variance"] = number_as_json(float(tree.variance[node]))
    if tree.answer is not None:
        row["answer"] = int(tree.answer[node])
    if tree.unseen_child is not None:
        row["unseen_child"] = int(tree.unseen_child[node])
    if tree.missing_weight is not None:
        row["missing_weight"] = float(tree.missing_weight[node])
    row["stop"] = STOP_REASONS[tree.stop[node]]
    return row


def _split_as_json(tree: Tree, names: Names, feature: int, node: int) -> dict[str, Any]:
    begin, n_children = int(tree.lookup[node]), int(tree.n_children[node])
    if names.is_nominal[feature]:
        slots = tree.pool[begin + 1 : begin + 1 + len(names.categories[feature])].tolist()
        return {"values": names.groups(feature, slots, n_children)}
    if begin >= 0:
        return {"bounds": numbers_as_json(tree.bounds[begin : begin + n_children - 1])}
    return {"cut": number_as_json(float(tree.cut[node]))}


def nodes_from_json(found: Any, names: Names, place: str) -> dict[str, Array]:
    """Return the arrays of a tree."""
    rows = a_list(found, place)
    if not rows:
        refuse(place, "there are none")
    optional = {name for name in OPTIONAL if isinstance(rows[0], dict) and name in rows[0]}
    columns: dict[str, list[Any]] = {name: [] for name in (*TREE, *optional)}
    for node, row in enumerate(rows):
        _read_node(row, names, node, columns, optional, f"{place}[{node}]")
    widths = {name: len(columns[name][0]) for name in ("value", "distribution") if name in columns}
    for name, width in widths.items():
        for node, numbers in enumerate(columns[name]):
            a_list(numbers, f"{place}[{node}].{name}", width)
    kinds = TREE | OPTIONAL
    return {name: np.array(numbers, kinds[name][0]) for name, numbers in columns.items()}


def _read_node(
    row: Any, names: Names, node: int, columns: dict[str, list[Any]], optional: set[str], place: str
) -> None:
    always = ("id", "gain", "impurity", "weight", "n_rows", "value", "stop", *optional)
    an_object(row, place, always, ("feature", "cut", "bounds", "values", "children", "missing"))
    a_whole(row["id"], f"{place}.id", node, node)
    for name in ("gain", "impurity", "weight", "variance", "missing_weight"):
        if name in columns:
            columns[name].append(a_number(row[name], f"{place}.{name}"))
    for name in ("value", "distribution"):
        if name in columns:
            columns[name].append(numbers_from_json(row[name], f"{place}.{name}"))
    columns["n_rows"].append(a_whole(row["n_rows"], f"{place}.n_rows", 0, MOST_ROWS))
    if "answer" in columns:
        columns["answer"].append(a_whole(row["answer"], f"{place}.answer", 0, MOST))
    if "unseen_child" in columns:
        columns["unseen_child"].append(a_whole(row["unseen_child"], f"{place}.unseen_child", -1, MOST))
    columns["stop"].append(STOP_REASONS.index(one_of(row["stop"], f"{place}.stop", STOP_REASONS)))
    if "feature" in row:
        _read_split(row, names, columns, place)
        return
    an_object(row, place, always)  # a leaf has no other names
    for name, nothing in _LEAF.items():
        columns[name].append(nothing)


_LEAF = {
    "feature": -1,
    "cut": np.nan,
    "first_child": -1,
    "n_children": 0,
    "lookup": -1,
    "default_child": -1,
}


def _read_split(row: dict[str, Any], names: Names, columns: dict[str, list[Any]], place: str) -> None:
    an_object(row, place, ("children", "missing"), row)
    feature = names.column(row["feature"], f"{place}.feature")
    children = a_list(row["children"], f"{place}.children")
    first = a_whole(children[0] if children else None, f"{place}.children[0]", 1, MOST)
    for k, child in enumerate(children):
        a_whole(child, f"{place}.children[{k}]", first + k, first + k)
    missing = row["missing"]
    if missing != "share":
        missing = a_whole(missing, f"{place}.missing", 0, len(children) - 1)
    default = -1 if missing == "share" else missing
    how = "values" if names.is_nominal[feature] else "bounds" if "bounds" in row else "cut"
    an_object(row, place, (how,), row.keys() - {"values", "bounds", "cut"})
    cut, lookup = np.nan, -1
    if how == "values":
        lookup = len(columns["pool"])
        a_list(row["values"], f"{place}.values", len(children))
        columns["pool"] += [default, *names.children(feature, row["values"], f"{place}.values")]
    elif how == "bounds":
        lookup = len(columns["bounds"])
        columns["bounds"] += numbers_from_json(row["bounds"], f"{place}.bounds", len(children) - 1)
    else:
        cut = a_number(row["cut"], f"{place}.cut")
    own = {
        "feature": feature,
        "cut": cut,
        "first_child": first,
        "n_children": len(children),
        "lookup": lookup,
        "default_child": default,
    }
    for name, number in own.items():
        columns[name].append(number)


# ---- surrogates


def surrogates_as_json(surrogates: Surrogates, names: Names) -> list[dict[str, Any]]:
    """Return the surrogates of a tree, which is in the layout of files, as JSON, grouped by node."""
    levels = [len(categories) for categories in names.categories]
    found = []
    for node in np.flatnonzero(surrogates.count).tolist():
        for one in surrogates.of(node, levels):
            row: dict[str, Any] = {"node": node, "feature": names.columns[one.feature]}
            if one.children is not None:
                row["values"] = names.groups(one.feature, list(one.children), 2)
            elif one.cut is not None:
                row |= {"cut": number_as_json(one.cut), "low": one.low_child}
            rating = {"agreement": one.agreement, "adjusted": one.adjusted}
            found.append(row | {name: number_as_json(number) for name, number in rating.items()})
    return found


def surrogates_from_json(found: Any, names: Names, n_nodes: int, place: str) -> dict[str, Array]:
    """Return the arrays of the surrogates."""
    columns: dict[str, list[Any]] = {name: [] for name in SURROGATES}
    count: npt.NDArray[np.int32] = np.zeros(n_nodes, np.int32)
    before = 0
    for k, row in enumerate(a_list(found, place)):
        here = f"{place}[{k}]"
        rating = ("agreement", "adjusted")
        an_object(row, here, ("node", "feature", *rating), ("cut", "low", "values"))
        before = a_whole(row["node"], f"{here}.node", before, n_nodes - 1)
        count[before] += 1
        feature = names.column(row["feature"], f"{here}.feature")
        for name in rating:
            columns[name].append(a_number(row[name], f"{here}.{name}"))
        nominal = names.is_nominal[feature]
        an_object(row, here, ("node", "feature", *rating, *(("values",) if nominal else ("cut", "low"))))
        columns["feature"].append(feature)
        columns["lookup"].append(len(columns["pool"]) if nominal else -1)
        columns["cut"].append(np.nan if nominal else a_number(row["cut"], f"{here}.cut"))
        columns["low_child"].append(-1 if nominal else a_whole(row["low"], f"{here}.low", 0, 1))
        if nominal:
            a_list(row["values"], f"{here}.values", 2)
            columns["pool"] += names.children(feature, row["values"], f"{here}.values")
    arrays = {name: np.array(numbers, SURROGATES[name][0]) for name, numbers in columns.items()}
    return arrays | {"count": count, "first": (np.cumsum(count) - count).astype(np.int32)}
