"""Describe a tree as plain data: nested dictionaries, one per node."""

from __future__ import annotations

import math
from typing import Any

from branchwork.model.model import Model
from branchwork.tree.split import Intervals, Threshold, split_of
from branchwork.tree.surrogates import Surrogate
from branchwork.tree.walk import preorder


def to_dict(model: Model) -> dict[str, Any]:
    """Return the tree as a nested dictionary.

    Every node has id, weight, n_rows, prediction and either distribution (label → weight) or mean and variance
    (with n − 1; None: not known). Inner nodes also have

    - feature;
    - cut (numeric: `<= cut` is the first child), bounds (numeric with several intervals: `<= bounds[0]` is the first
      child, `<= bounds[1]` of the others the second, and so on) or values (a list of category lists, one per child; an
      empty list is the branch for missing values);
    - gain;
    - missing: the child, counted from 0, that missing values go to, or "share": all children, by weight;
    - surrogates, if the tree has any: a list of feature, agreement, adjusted, and either cut with low, the child of
      values up to it, or values as above;
    - children, in the same order.
    """
    nodes = [describe_node(model, node) for node in range(model.tree.n_nodes)]
    for node in preorder(model.tree):
        children = model.tree.children(node)
        if children:
            nodes[node]["children"] = [nodes[child] for child in children]
    return nodes[0]


def prediction(model: Model, node: int) -> Any:
    """Return what a node predicts: a label or a number."""
    tree = model.tree
    return float(tree.value[node, 0]) if model.labels is None else model.labels[tree.decision[node]]


def describe_node(model: Model, node: int) -> dict[str, Any]:
    """Return one node as a plain dictionary, without its children."""
    tree = model.tree
    described: dict[str, Any] = {
        "id": node,
        "weight": float(tree.weight[node]),
        "n_rows": int(tree.n_rows[node]),
        "prediction": prediction(model, node),
    }
    if tree.distribution is not None and model.labels is not None:
        described["distribution"] = dict(zip(model.labels, tree.distribution[node].tolist(), strict=True))
    else:
        described["mean"] = float(tree.value[node, 0])
        described["variance"] = None if tree.variance is None else float(tree.variance[node])
    if tree.is_leaf(node):
        return described
    split = split_of(tree, model.schema, node)
    described["feature"] = model.schema[split.feature].name
    if isinstance(split, Threshold):
        described["cut"] = split.cut
    elif isinstance(split, Intervals):
        described["bounds"] = [bound for bound in split.bounds if bound != math.inf]
    else:
        described["values"] = [list(group) for group in split.groups]
    described["gain"] = float(tree.gain[node])
    described["missing"] = "share" if tree.default_child[node] < 0 else int(tree.default_child[node])
    if tree.surrogates is not None:
        levels = [len(column.categories) for column in model.schema]
        described["surrogates"] = [_describe_surrogate(model, s) for s in tree.surrogates.of(node, levels)]
    return described


def _describe_surrogate(model: Model, surrogate: Surrogate) -> dict[str, Any]:
    column = model.schema[surrogate.feature]
    described: dict[str, Any] = {
        "feature": column.name,
        "agreement": surrogate.agreement,
        "adjusted": surrogate.adjusted,
    }
    if surrogate.children is None:
        return described | {"cut": surrogate.cut, "low": surrogate.low_child}
    pairs = list(zip(column.categories, surrogate.children, strict=True))
    return described | {"values": [[value for value, child in pairs if child == k] for k in (0, 1)]}
