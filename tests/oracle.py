"""A slow and obvious decision-tree learner: the oracle that the fast code is compared with.

Standard library only. Every split is tried by really dividing the rows and measuring the parts from scratch;
no sorting tricks, no running counts. Weights and targets are held as exact fractions, so impurities and gains
are free of rounding (entropy and Poisson deviance alone need logarithms, hence floats). What a `Node` shows is
rounded to float once, at the end. What every setting means is told in docs/decisions/0008.

    grow(columns, target, settings)  ->  Node, whose children are Nodes
    predict(root, row), predict_shares(root, row), leaf_of(root, row), leaves_of(root, row)
    stump_grid(...), stump_values(...)   the two naive searches for a single rule x > t

`oracle_check.check_tree` examines a tree that somebody else has grown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

from oracle_splits import (
    ClassCriterion,
    Column,
    Number,
    Problem,
    Row,
    Scored,
    Settings,
    ValueCriterion,
    admissible_splits,
    between,
    child_of_cell,
    divide,
    exact,
    impurity,
    is_multiway,
    sample_variance,
    tolerance_for,
    total,
    total_samples,
    weight_by_label,
    weighted_mean,
)


@dataclass(frozen=True)
class Candidate:
    """The best split of one column at one node. Not admissible: there is none, and cut and gain are None."""

    name: str
    cut: float | None
    gain: float | None
    admissible: bool
    score: float | None = None  # what splits are compared by: the gain, or the gain ratio


@dataclass
class Node:
    weight: float
    n_rows: int  # a row that is shared counts as one in every child that it reaches
    prediction: Any
    distribution: dict[Any, float] | None  # label -> weight, all labels in order; None in regression
    shares: dict[Any, float] | None  # label -> probability; an empty leaf has its parent's
    mean: float | None  # regression only; an empty leaf has its parent's
    variance: float | None  # regression only: with W - 1, whatever the criterion
    impurity: float  # of the settings' criterion
    exact_weight: Fraction
    exact_answer: dict[Any, Fraction] | Fraction  # `shares` or `mean` before rounding
    children: list[Node] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)  # one per column, if a split was looked for
    # The rest is for inner nodes only.
    feature: str | None = None
    cut: float | None = None  # numeric splits
    values: list[list[Any]] | None = None  # nominal splits: the categories of each child, [None] = missing
    gain: float | None = None
    missing_child: int | Literal["share"] | None = None  # the child that a missing value takes


@dataclass(eq=False)
class Growing:
    """A node that may be split further, and the split that it would get."""

    node: Node
    rows: list[Row]
    used: frozenset[str]  # nominal columns that need not be asked again: every category has its own branch
    depth: int
    best: Scored | None = None


# ---------------------------------------------------------------------------------------------------- growing


def grow(
    columns: Sequence[Column],
    target: Sequence[Any],
    settings: Settings,
    *,
    labels: Sequence[Any] | None = None,
    weights: Sequence[float] | None = None,
    class_weights: dict[Any, float] | None = None,
) -> Node:
    """Learn a tree. `labels` are the classes in declared order; None means regression."""
    problem = pose(columns, target, settings, labels, weights, class_weights)
    root = open_node(problem, problem.table, frozenset(), depth=0)
    waiting = [root] if root.best else []
    n_leaves = 1
    while waiting:
        growing = take_next(waiting, settings.order)
        assert growing.best is not None
        more_leaves = growing.best.split.n_children - 1
        if settings.max_leaf_nodes is not None and n_leaves + more_leaves > settings.max_leaf_nodes:
            continue  # it stays a leaf; a node with fewer branches may still fit
        n_leaves += more_leaves
        children = [child for child in split_node(problem, growing) if child.best]
        waiting = children + waiting if settings.order == "depth" else waiting + children
    return root.node


def take_next(waiting: list[Growing], order: str) -> Growing:
    """Remove the node that is split next. `waiting` is in the order "depth", or in the order of making."""
    chosen = waiting[0]
    if order == "best":
        for other in waiting[1:]:
            promised, slack = promise(chosen)
            if promise(other)[0] > promised + slack:
                chosen = other
    waiting.remove(chosen)
    return chosen


def promise(growing: Growing) -> tuple[Number, Number]:
    """Weight times gain of the split that a node would get, and how much more counts as more."""
    assert growing.best is not None
    weight = total(growing.rows)
    return weight * growing.best.gain, weight * tolerance_for(exact(growing.node.impurity))


def open_node(problem: Problem, rows: list[Row], used: frozenset[str], *, depth: int) -> Growing:
    """A node, a leaf as yet, with the split that it is to have if there is room for it."""
    growing = Growing(leaf(problem, rows), rows, used, depth)
    if reason_to_stop(problem, rows, depth) is None:
        best = best_split(problem, growing)
        if best is not None and gains_enough(problem, rows, best):
            growing.best = best
    return growing


def reason_to_stop(problem: Problem, rows: list[Row], depth: int) -> str | None:
    """Why no split is looked for."""
    settings = problem.settings
    if len({row.target for row in rows}) == 1:
        return "pure"
    if settings.max_depth is not None and depth >= settings.max_depth:
        return "max_depth"
    if total_samples(rows) < exact(settings.min_samples_split):
        return "min_samples_split"
    return None


def best_split(problem: Problem, growing: Growing) -> Scored | None:
    """The best split of the node; notes the best of every column."""
    tolerance = tolerance_for(impurity(growing.rows, problem.settings.criterion))
    best: Scored | None = None
    for column in problem.columns:
        best_here: Scored | None = None
        if column.name not in growing.used:
            for scored in admissible_splits(problem, growing.rows, column):
                if best_here is None or scored.score > best_here.score + tolerance:
                    best_here = scored
        growing.node.candidates.append(noted(column, best_here))
        if best_here is not None and (best is None or best_here.score > best.score + tolerance):
            best = best_here
    return best


def noted(column: Column, best: Scored | None) -> Candidate:
    if best is None:
        return Candidate(column.name, None, None, admissible=False)
    return Candidate(column.name, best.split.cut, float(best.gain), admissible=True, score=float(best.score))


def gains_enough(problem: Problem, rows: list[Row], best: Scored) -> bool:
    """May the best split be made? All three rules look at its gain, whatever it was chosen by."""
    settings = problem.settings
    tolerance = tolerance_for(impurity(rows, settings.criterion))
    if best.gain <= tolerance and not settings.zero_gain:
        return False
    decrease = total(rows) / total(problem.table) * best.gain
    if settings.min_impurity_decrease and decrease + tolerance < exact(settings.min_impurity_decrease):
        return False
    return not settings.min_gain or best.gain + tolerance >= exact(settings.min_gain)


def split_node(problem: Problem, growing: Growing) -> list[Growing]:
    """Make the split; return the children that have rows."""
    assert growing.best is not None
    node, split = growing.node, growing.best.split
    used = growing.used
    if split.groups is not None:
        node.values = [list(group) for group in split.groups]
        if is_multiway(problem, split.column):
            used = used | {split.column.name}
    node.feature = split.column.name
    node.cut = split.cut
    node.gain = float(growing.best.gain)
    node.missing_child = split.missing
    opened = []
    for branch in divide(growing.rows, split):
        if branch:
            opened.append(open_node(problem, branch, used, depth=growing.depth + 1))
            node.children.append(opened[-1].node)
        else:
            node.children.append(empty_leaf(problem, node))
    return opened


# ----------------------------------------------------------------------------------------------------- leaves


def leaf(problem: Problem, rows: list[Row]) -> Node:
    """A node without children that describes these rows (one or more)."""
    weight = total(rows)
    node = Node(
        weight=float(weight),
        n_rows=len(rows),
        prediction=None,
        distribution=None,
        shares=None,
        mean=None,
        variance=None,
        impurity=float(impurity(rows, problem.settings.criterion)),
        exact_weight=weight,
        exact_answer=Fraction(0),
    )
    if problem.labels is None:
        node.exact_answer = weighted_mean(rows)
        node.mean = float(node.exact_answer)
        node.variance = float(sample_variance(rows))
    else:
        weights = weight_by_label(rows)
        node.exact_answer = {label: weights[label] / weight for label in problem.labels}
        node.distribution = {label: float(weights[label]) for label in problem.labels}
        node.shares = {label: float(share) for label, share in node.exact_answer.items()}
    node.prediction = decided(node.exact_answer)
    return node


def decided(answer: dict[Any, Fraction] | Fraction) -> Any:
    """The first of the likeliest labels; in regression the mean."""
    return max(answer, key=answer.__getitem__) if isinstance(answer, dict) else float(answer)


def empty_leaf(problem: Problem, parent: Node) -> Node:
    """The leaf of a branch without rows: it answers what its parent would answer."""
    return Node(
        weight=0.0,
        n_rows=0,
        prediction=parent.prediction,
        distribution=None if problem.labels is None else dict.fromkeys(problem.labels, 0.0),
        shares=None if parent.shares is None else dict(parent.shares),
        mean=parent.mean,
        variance=None if problem.labels is not None else 0.0,
        impurity=0.0,
        exact_weight=Fraction(0),
        exact_answer=parent.exact_answer,
    )


# ------------------------------------------------------------------------------------------------- predicting


def predict(root: Node, row: dict[str, Any]) -> Any:
    """The prediction for a row, given as column name -> cell."""
    return decided(mixed_answer(root, row))


def predict_shares(root: Node, row: dict[str, Any]) -> dict[Any, float]:
    """Label -> probability."""
    answer = mixed_answer(root, row)
    assert isinstance(answer, dict)
    return {label: float(share) for label, share in answer.items()}


def mixed_answer(root: Node, row: dict[str, Any]) -> dict[Any, Fraction] | Fraction:
    """The answers of the leaves that a row reaches, each with the share of the row that reaches it."""
    reached = leaves_of(root, row)
    if isinstance(root.exact_answer, dict):
        labels = list(root.exact_answer)
        return {label: sum(share * node.exact_answer[label] for node, share in reached) for label in labels}
    return sum((share * node.exact_answer for node, share in reached), Fraction(0))


def leaf_of(root: Node, row: dict[str, Any]) -> Node:
    """The leaf that gets the largest share of the row (ties: the first)."""
    reached = leaves_of(root, row)
    largest = max(share for _, share in reached)
    return next(node for node, share in reached if share == largest)


def leaves_of(root: Node, row: dict[str, Any]) -> list[tuple[Node, Fraction]]:
    """The leaves that a row reaches, from the first to the last, and its share in each; the shares add to 1."""
    if root.feature is None:
        return [(root, Fraction(1))]
    child = child_index(root, row[root.feature])
    if child != "share":
        return leaves_of(root.children[child], row)
    weight_below = sum(child.exact_weight for child in root.children)
    return [
        (node, share * child.exact_weight / weight_below)
        for child in root.children
        if child.exact_weight > 0
        for node, share in leaves_of(child, row)
    ]


def child_index(node: Node, cell: Any) -> int | Literal["share"]:
    """Which child of an inner node a cell goes to. An unseen category goes where a missing cell goes."""
    assert node.missing_child is not None
    unseen = node.values is not None and not any(cell in categories for categories in node.values)
    if is_missing(cell) or unseen:
        return node.missing_child
    return child_of_cell(cell, node.cut, node.values)


# ------------------------------------------------------------------------------------------ reading the table


def pose(
    columns: Sequence[Column],
    target: Sequence[Any],
    settings: Settings,
    labels: Sequence[Any] | None,
    weights: Sequence[float] | None,
    class_weights: dict[Any, float] | None,
) -> Problem:
    """The table as a question to the learner."""
    rows = rows_of(columns, target, weights, class_weights, is_regression=labels is None)
    check(columns, settings, labels, rows)
    if class_weights is not None and (labels is None or any(w <= 0 for w in class_weights.values())):
        raise ValueError(f"class weights {class_weights!r} with labels={labels!r}")
    gaps = frozenset(c.name for c in columns if any(row.cells[c.name] is None for row in rows))
    return Problem(columns, settings, labels, rows, gaps)


def is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def rows_of(
    columns: Sequence[Column],
    target: Sequence[Any],
    weights: Sequence[float] | None,
    class_weights: dict[Any, float] | None,
    *,
    is_regression: bool,
) -> list[Row]:
    """The table as rows, without those of weight 0. A label without a class weight has 1."""
    if weights is None:
        weights = [1] * len(target)
    for name, length in [("weights", len(weights)), *((c.name, len(c.cells)) for c in columns)]:
        if length != len(target):
            raise ValueError(f"{name!r} has {length} entries, the target has {len(target)}")
    rows = []
    for i in range(len(target)):
        cells: dict[str, Any] = {}
        for column in columns:
            cell = column.cells[i]
            if is_missing(cell):
                cells[column.name] = None
            else:
                cells[column.name] = float(cell) if column.kind == "numeric" else cell
        sample_weight = exact(weights[i])
        class_weight = 1 if class_weights is None else exact(class_weights.get(target[i], 1))
        answer = exact(target[i]) if is_regression else target[i]
        rows.append(Row(cells, answer, sample_weight * class_weight, sample_weight))
    return [row for row in rows if row.sample_weight != 0]


def check(
    columns: Sequence[Column], settings: Settings, labels: Sequence[Any] | None, rows: list[Row]
) -> None:
    """Refuse questions without an answer: a slip in a test should not look like a difference of learners."""
    if not rows:
        raise ValueError("no row has a positive weight")
    if any(row.sample_weight < 0 for row in rows):
        raise ValueError("a weight is negative")
    if len({column.name for column in columns}) != len(columns):
        raise ValueError("two columns have the same name")
    if settings.criterion not in get_args(ValueCriterion if labels is None else ClassCriterion):
        raise ValueError(f"criterion {settings.criterion!r} with labels={labels!r}")
    for name, known in WORDS.items():
        if getattr(settings, name) not in known:
            raise ValueError(f"unknown {name} {getattr(settings, name)!r}")
    if settings.criterion == "poisson" and not (min(row.target for row in rows) >= 0 < weighted_mean(rows)):
        raise ValueError("poisson needs targets of at least 0 with a sum above 0")
    for row in rows:
        if labels is not None and row.target not in labels:
            raise ValueError(f"{row.target!r} is not among the labels {labels!r}")
        for column in columns:
            cell = row.cells[column.name]
            if column.kind == "nominal" and cell is not None and cell not in column.categories:
                raise ValueError(f"{cell!r} is not among the categories of {column.name!r}")


WORDS = {
    "cuts": ("all", "changes"),
    "nominal": ("multiway", "subset", "one_vs_rest"),
    "missing": ("branch", "larger", "share", "learn"),
    "cut": ("midpoint", "data"),
    "order": ("depth", "breadth", "best"),
}


# ----------------------------------------------------------------------------------------------- single rules


Stump = tuple[str | None, float | None, Fraction]  # column, cut, accuracy


def stump_grid(columns: Sequence[Column], target: Sequence[Any], labels: Sequence[Any], step: float) -> Stump:
    """The most accurate rule x > t, t among the float products k * step from the column's min to its max."""
    if step <= 0:
        raise ValueError(f"the step must be positive, got {step!r}")

    def multiples(values: list[float]) -> list[float]:
        low, high = min(values), max(values)
        first, last = math.floor(low / step) - 1, math.ceil(high / step) + 1  # one to spare at each end
        return [k * step for k in range(first, last + 1) if low <= k * step <= high]

    return best_stump(columns, target, labels, multiples)


def stump_values(columns: Sequence[Column], target: Sequence[Any], labels: Sequence[Any]) -> Stump:
    """The most accurate rule x > t, t among the values of the rows."""
    return best_stump(columns, target, labels, sorted)


def best_stump(
    columns: Sequence[Column],
    target: Sequence[Any],
    labels: Sequence[Any],
    thresholds: Callable[[list[float]], list[float]],
) -> Stump:
    """Try every threshold (ascending) of every numeric column; a later rule must be strictly more accurate.

    The cut returned is the midpoint of the two data values around the threshold. If no rule is more accurate
    than always answering the most frequent label: (None, None, the accuracy of that answer).
    """
    if len(target) == 0:
        raise ValueError("the table has no rows")
    if any(label not in labels for label in target):
        raise ValueError(f"the target holds a label that is not among {labels!r}")
    best: Stump = (None, None, Fraction(max(Counter(target).values()), len(target)))
    for column in columns:
        if column.kind != "numeric":
            continue
        if len(column.cells) != len(target) or any(is_missing(cell) for cell in column.cells):
            raise ValueError(f"{column.name!r} must have a number in every row")
        values = [float(cell) for cell in column.cells]
        for threshold in thresholds(values):
            accuracy = rule_accuracy(values, target, threshold)
            if accuracy is not None and accuracy > best[2]:
                below = max(value for value in values if value <= threshold)
                above = min(value for value in values if value > threshold)
                best = (column.name, between(below, above), accuracy)
    return best


def rule_accuracy(values: list[float], target: Sequence[Any], threshold: float) -> Fraction | None:
    """Share of rows answered correctly by the most frequent label on their side; None if a side is empty."""
    above = Counter(label for value, label in zip(values, target, strict=True) if value > threshold)
    below = Counter(label for value, label in zip(values, target, strict=True) if not value > threshold)
    if not above or not below:
        return None
    return Fraction(max(above.values()) + max(below.values()), len(target))
