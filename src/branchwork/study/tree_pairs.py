"""Align two trees: find the nodes at the same place, and how they differ.

The roots are a pair. If both nodes of a pair have the same test, or test the same number with another threshold, their
children are pairs, branch by branch. Otherwise the nodes below are only counted.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from branchwork.model.describe import prediction
from branchwork.model.model import Model
from branchwork.tree.arrive import shown_split
from branchwork.tree.split import Lookup, Threshold, answer_text, category, harmless, rounded, split_of
from branchwork.tree.walk import subtree_sizes

Kind = Literal["same", "threshold", "split", "leaf", "answer"]
"""same: the same question or the same answer · threshold: the same number, another threshold · split: another
question · leaf: one is a leaf and the other is not · answer: both are leaves, with different answers
"""


@dataclass(frozen=True)
class Pair:
    """Two nodes at the same place.

    Parameters
    ----------
    a, b : their numbers in the first and the second tree.
    depth : below the root.
    parent : position of the pair above; -1 for the roots.
    kind : how the two nodes differ.
    condition : the condition that leads to them, in words; if thresholds differ, that of the first tree.
    a_text, b_text : the test or the prediction of each.
    below_a, below_b : the number of nodes below that are not compared; 0 if the children are pairs.
    """

    a: int
    b: int
    depth: int
    parent: int
    kind: Kind
    condition: str
    a_text: str
    b_text: str
    below_a: int
    below_b: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


def pairs_of(a: Model, b: Model) -> tuple[Pair, ...]:
    """Align two trees; each pair comes before those below it."""
    sizes = subtree_sizes(a.tree), subtree_sizes(b.tree)
    found: list[Pair] = []
    waiting: list[tuple[int, int, int, int, str]] = [(0, 0, 0, -1, "all rows")]
    while waiting:
        one, other, depth, parent, condition = waiting.pop()
        kind = _kind(a, b, one, other)
        ways_part = kind in ("split", "leaf")
        found.append(
            Pair(
                one,
                other,
                depth,
                parent,
                kind,
                condition,
                _text(a, one),
                _text(b, other),
                int(sizes[0][one]) - 1 if ways_part else 0,
                int(sizes[1][other]) - 1 if ways_part else 0,
            )
        )
        if kind not in ("same", "threshold") or a.tree.is_leaf(one):
            continue
        words = shown_split(a.tree, a.schema, one).branches(a.schema)
        children = list(zip(a.tree.children(one), _matching(a, b, one, other), words, strict=True))
        place = len(found) - 1
        waiting.extend((x, y, depth + 1, place, harmless(text)) for x, y, text in reversed(children))
    return tuple(found)


def _kind(a: Model, b: Model, one: int, other: int) -> Kind:
    leaf_a, leaf_b = a.tree.is_leaf(one), b.tree.is_leaf(other)
    if leaf_a and leaf_b:
        return "same" if prediction(a, one) == prediction(b, other) else "answer"
    if leaf_a or leaf_b:
        return "leaf"
    x, y = split_of(a.tree, a.schema, one), split_of(b.tree, b.schema, other)
    if type(x) is not type(y) or a.schema[x.feature].name != b.schema[y.feature].name:
        return "split"
    if isinstance(x, Threshold) and isinstance(y, Threshold):
        if x.has_missing_branch != y.has_missing_branch:
            return "split"
        return "same" if x.cut == y.cut else "threshold"
    if isinstance(x, Lookup) and isinstance(y, Lookup):
        return "same" if sorted(map(_key, x.groups)) == sorted(map(_key, y.groups)) else "split"
    return "same" if x.bounds == y.bounds else "split"  # type: ignore[union-attr]  # both are Intervals


def _key(group: tuple[Hashable, ...]) -> list[str]:
    return sorted(map(repr, group))


def _matching(a: Model, b: Model, one: int, other: int) -> list[int]:
    """Return the children of the second node in the order of those of the first: groups may be in another order."""
    x, y = split_of(a.tree, a.schema, one), split_of(b.tree, b.schema, other)
    children = list(b.tree.children(other))
    if not isinstance(x, Lookup) or not isinstance(y, Lookup):
        return children
    left = [_key(group) for group in y.groups]
    order = []
    for group in x.groups:
        place = left.index(_key(group))
        order.append(children[place])
        left[place] = ["taken"]
    return order


def _text(model: Model, node: int) -> str:
    """Return the test of a node, or its prediction."""
    if model.tree.is_leaf(node):
        said = prediction(model, node)
        text = rounded(said) if model.labels is None else harmless(category(said))
        return f"→ {answer_text(model.target, text)}"
    return harmless(split_of(model.tree, model.schema, node).describe(model.schema))


def differing_above(pairs: tuple[Pair, ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for each pair whether it, or a pair below it, differs."""
    found = np.array([pair.kind != "same" for pair in pairs])
    for k in range(len(pairs) - 1, 0, -1):
        if found[k]:
            found[pairs[k].parent] = True
    return found
