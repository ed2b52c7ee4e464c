"""Hold what all readers produce, a list of questions and answers, and turn it into a tree.

    0  Question  feature 2 · bounds (2.5,) · children [1, 2] · missing → child 1
    1  Answer    0
    2  Question  feature 3 · bounds (1.5,) · children [3, 4] · missing → child 1
     …

Node 0 is the root. Nodes are numbered as their reader found them; the tree numbers them breadth first.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from branchwork.errors import ParameterError, TreeError
from branchwork.table.schema import Schema
from branchwork.tree.check import check
from branchwork.tree.tree import STOP_REASONS, Floats, Ints, Tree


@dataclass
class Question:
    """A node that tests one feature; readers append its children as they find them.

    Parameters
    ----------
    feature : position of the feature.
    bounds : for a number: it goes to child k if k bounds are below it. An extra child is for missing cells.
    child_of : for a category: the child of each code; None for numbers.
    missing : the child of a missing cell.
    unseen : the child of a category that the schema does not have; None means the child of a missing cell.
    children : positions of the children in the list of nodes.
    """

    feature: int
    bounds: tuple[float, ...] = ()
    child_of: tuple[int, ...] | None = None
    missing: int = 0
    unseen: int | None = None
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """A leaf: what it predicts and, if the writer gave them, the probability of each label or the number in full."""

    says: Hashable
    outputs: tuple[float, ...] | None = None


Node = Question | Answer


def answers_of(nodes: Sequence[Node]) -> list[Answer]:
    """Return the leaves, in the order in which they were read."""
    return [node for node in nodes if isinstance(node, Answer)]


def to_tree(nodes: Sequence[Node], schema: Schema, labels: tuple[Hashable, ...] | None) -> Tree:
    """Make a tree from nodes. Every leaf counts the same until rows are counted (`counted.py`)."""
    order = _breadth_first(nodes)
    listed = [nodes[k] for k in order]
    n_children = np.array(
        [len(node.children) if isinstance(node, Question) else 0 for node in listed], np.int32
    )
    inner = n_children > 0
    first = np.where(inner, 1 + np.cumsum(n_children) - n_children, -1).astype(np.int32)
    cut, lookup = np.full(len(order), np.nan), np.full(len(order), -1, np.int32)
    pool: list[int] = []
    bounds: list[float] = []
    for k, node in enumerate(listed):
        if isinstance(node, Answer):
            continue
        if node.child_of is not None:
            lookup[k] = len(pool)
            pool += [node.missing, *node.child_of]
        elif len(node.bounds) <= 1 and len(node.children) <= 3:
            cut[k] = node.bounds[0] if node.bounds else math.inf
        else:
            lookup[k] = len(bounds)
            own_branch = len(node.children) == len(node.bounds) + 2
            bounds += [*node.bounds, *([math.inf] if own_branch else [])]
    asked = [node if isinstance(node, Question) else None for node in listed]
    told_unseen = any(node is not None and node.unseen is not None for node in asked)
    weight = _leaf_weights(n_children, first)
    value, answer = _outputs(listed, labels, first, weight)
    tree = Tree(
        feature=np.array([-1 if node is None else node.feature for node in asked], np.int32),
        cut=cut,
        first_child=first,
        n_children=n_children,
        lookup=lookup,
        pool=np.array(pool, np.int32),
        bounds=np.array(bounds, np.float64),
        default_child=np.array([-1 if node is None else node.missing for node in asked], np.int32),
        value=value,
        answer=answer,
        distribution=None if labels is None else value * weight[:, None],
        weight=weight,
        n_rows=np.zeros(len(order), np.int64),
        impurity=np.full(len(order), np.nan),
        gain=np.where(inner, np.nan, 0.0),
        variance=None,
        stop=np.where(inner, STOP_REASONS.index("split"), STOP_REASONS.index("not_told")).astype(np.uint8),
        unseen_child=np.array([_unseen_child(node) for node in asked], np.int32) if told_unseen else None,
    )
    try:
        check(tree, schema)
    except TreeError as error:
        raise ParameterError(f"These nodes do not make a tree: {error}") from None
    return tree


def _unseen_child(node: Question | None) -> int:
    if node is None:
        return -1
    return node.missing if node.unseen is None else node.unseen


def _breadth_first(nodes: Sequence[Node]) -> list[int]:
    order = [0]
    for k in order:
        node = nodes[k]
        if isinstance(node, Question):
            order += node.children
    return order


def _leaf_weights(n_children: Ints, first: Ints) -> Floats:
    """Return 1 for each leaf, and at inner nodes the number of leaves below."""
    weight = np.ones(len(n_children))
    for k in reversed(np.flatnonzero(n_children).tolist()):
        weight[k] = weight[first[k] : first[k] + n_children[k]].sum()
    return weight


def _outputs(
    listed: Sequence[Node], labels: tuple[Hashable, ...] | None, first: Ints, weight: Floats
) -> tuple[Floats, Ints | None]:
    """Return the outputs of every node, for inner nodes the mean of their leaves, and the label that each predicts.

    Labels are returned only if the outputs alone would predict others.
    """
    value = np.zeros((len(listed), 1 if labels is None else len(labels)))
    decides = np.full(len(listed), -1, np.int32)
    place = {label: k for k, label in enumerate(labels or ())}
    for k in reversed(range(len(listed))):
        node = listed[k]
        if isinstance(node, Question):
            children = slice(first[k], first[k] + len(node.children))
            value[k] = weight[children] @ value[children] / weight[k]
            continue
        if labels is None:
            value[k] = float(node.says) if node.outputs is None else node.outputs  # type: ignore[arg-type]
            continue
        decides[k] = place[node.says]
        if node.outputs is None:
            value[k, decides[k]] = 1.0
        else:
            value[k] = node.outputs
    if labels is None:
        return value, None
    likeliest = value.argmax(axis=1).astype(np.int32)
    decides = np.where(decides < 0, likeliest, decides).astype(np.int32)
    return value, None if (decides == likeliest).all() else decides
