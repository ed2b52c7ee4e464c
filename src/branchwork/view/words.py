"""What every printout says about a node, in the same words."""

from __future__ import annotations

import numpy as np

from branchwork.errors import ParameterError
from branchwork.measure.impurity import ONE_ROW
from branchwork.model.describe import prediction
from branchwork.model.model import Model
from branchwork.tree.missing import decides_for_all, missing_here
from branchwork.tree.split import DIGITS, answer_text, category, class_share, rounded
from branchwork.tree.tree import Tree
from branchwork.view.digits import percent, weighed
from branchwork.view.terminal import harmless

CLASSES_SHOWN = 4
"""Of a node with more classes only the heaviest are named."""
ROUNDING = 1e-9
"""Weights that miss the number of rows by less than this share of it were added up with rounding."""


def check_depth(max_depth: int | None) -> None:
    """Down to which depth a tree is shown: all of it, or a whole number."""
    is_whole = isinstance(max_depth, int | np.integer) and not isinstance(max_depth, bool)
    if max_depth is not None and (not is_whole or max_depth < 0):
        raise ParameterError(f"max_depth={max_depth!r}; expected None or a whole number from 0 on.")


def answer(model: Model, node: int, digits: int | None = DIGITS) -> str:
    """Return what a node answers: its label, or its number; `digits=None`: all digits."""
    given = prediction(model, node)
    return rounded(given, digits) if model.labels is None else harmless(category(given))


def named_answer(model: Model, node: int, digits: int | None = DIGITS) -> str:
    """Return what a node answers, with the name of what is predicted: "survived: yes"."""
    return answer_text(model.target, answer(model, node, digits))


def size(tree: Tree, node: int, *, one: str = "row", many: str = "rows", digits: int = DIGITS) -> str:
    """How many rows a node has, and their weight where it is another.

    `one` and `many` are the words for rows. The weight alone, where nobody knows how many rows there were.
    """
    return size_of(int(tree.n_rows[node]), float(tree.weight[node]), one=one, many=many, digits=digits)


def size_of(n_rows: int, weight: float, *, one: str = "row", many: str = "rows", digits: int = DIGITS) -> str:
    """How many rows there are, and their weight where it is another."""
    if n_rows == 0 and weight > 0:
        return f"weight {rounded(weight, digits)}"
    rows = f"{n_rows} {one if n_rows == 1 else many}"
    is_same = abs(weight - n_rows) <= ROUNDING * n_rows
    return rows if is_same else f"{rows} (weight {rounded(weight, digits)})"


def class_shares(model: Model, node: int, *, most: int) -> list[str]:
    """The classes of a node, the heaviest first: "Yes: 9 (64%)"; after the most that are asked for, "… 3 more".

    The first number is the weight of the class, the second its probability, smoothed if the tree is.
    """
    shown, left = heaviest(model, node, most)
    shares = [share_text(model, node, c) for c in shown]
    return [*shares, f"… {left} more"] if left else shares


def heaviest(model: Model, node: int, most: int) -> tuple[list[int], int]:
    """Return the classes that occur in a node, the heaviest first, up to this many; and how many more there are."""
    assert model.tree.distribution is not None
    counts = model.tree.distribution[node].tolist()
    present = sorted((c for c, count in enumerate(counts) if count > 0), key=lambda c: -counts[c])
    return present[:most], max(0, len(present) - most)


def share_text(model: Model, node: int, c: int) -> str:
    """Return how often a class occurs in a node: "Yes: 9 (64%)"."""
    tree = model.tree
    assert model.labels is not None and tree.distribution is not None
    count, share = weighed(float(tree.distribution[node, c]), 2), percent(tree.value[node, c])
    return class_share(harmless(category(model.labels[c])), count, share)


def facts(model: Model, node: int) -> str:
    """How many rows a node has, and their classes, or their mean and standard deviation; two blanks between columns."""
    return "  ".join([size(model.tree, node, one="row "), *more_facts(model, node)])


def more_facts(model: Model, node: int, digits: int | None = DIGITS) -> list[str]:
    """Return what there is to say of a node beside its size: its classes, or its mean and standard deviation."""
    tree = model.tree
    if is_empty(tree, node):
        return ["as its parent"]
    if model.labels is None:
        what = "value" if tree.variance is None else "mean"
        spread = [f"sd {rounded(deviation(tree, node), digits)}"] if has_deviation(tree, node) else []
        return [f"{what} {rounded(float(tree.value[node, 0]), digits)}", *spread]
    return class_shares(model, node, most=CLASSES_SHOWN)


def missing_note(model: Model, node: int) -> str:
    """How many rows of an inner node miss the cell it asks for, where no single branch takes them; else nothing."""
    tree = model.tree
    weight = 0.0 if tree.is_leaf(node) or decides_for_all(tree, node) else missing_here(tree, node)
    if weight == 0:
        return ""
    name = harmless(model.schema[int(tree.feature[node])].name)
    how = (
        "shared among the branches"
        if tree.default_child[node] < 0
        else "sent on by surrogates, or with the majority"
    )
    return f"{name} missing: {weighed(weight, 2)}, {how}"


def is_empty(tree: Tree, node: int) -> bool:
    """Whether no training row came to a node."""
    return bool(tree.n_rows[node] == 0 and tree.weight[node] == 0)


def has_deviation(tree: Tree, node: int) -> bool:
    """Whether a standard deviation is known: the rows weigh enough to have one; a single row has none, which is 0."""
    if tree.variance is None:
        return False
    return bool(tree.n_rows[node] <= 1 or tree.weight[node] > ONE_ROW)


def deviation(tree: Tree, node: int) -> float:
    """The standard deviation of a numeric target in a node; 0 where it is not known."""
    return 0.0 if tree.variance is None else float(tree.variance[node]) ** 0.5
