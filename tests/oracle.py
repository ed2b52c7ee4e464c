"""A slow and obvious decision-tree learner: the oracle that the fast code is compared with.

Standard library only. Every split is tried by really dividing the rows and measuring the parts from scratch;
no sorting tricks, no running counts. Weights and targets are held as exact fractions, so impurities and gains
are free of rounding (entropy alone needs logarithms, hence floats). What a `Node` shows is rounded to float
once, at the end.

    grow(columns, target, settings)  ->  Node, whose children are Nodes
    predict(root, row), leaf_of(root, row)
    stump_grid(...), stump_values(...)   the two naive searches for a single rule x > t
"""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

Number = Fraction | float  # an exact Fraction for every criterion but entropy

# Of two gains the later must be larger by more than RELATIVE_TOLERANCE * max(impurity of the node, TINY).
RELATIVE_TOLERANCE = Fraction(1, 10**9)
TINY = Fraction(sys.float_info.min)


@dataclass(frozen=True)
class Column:
    """One column of the table; a missing cell is None (NaN counts as missing too)."""

    name: str
    kind: Literal["numeric", "nominal"]
    cells: Sequence[Any]
    categories: Sequence[Any] = ()  # nominal only: the declared categories, in order


@dataclass(frozen=True)
class Settings:
    criterion: Literal["accuracy", "entropy", "gini", "variance", "squared_error"]
    cuts: Literal["all", "changes"]  # every gap between distinct values, or only where the target changes
    zero_gain: bool  # may a split without gain be taken?
    max_depth: int | None = None
    min_samples_split: float = 2  # compared with the node's weight


@dataclass(frozen=True)
class Candidate:
    """The best split of one column at one node. Not admissible: there is none, and cut and gain are None."""

    name: str
    cut: float | None
    gain: float | None
    admissible: bool


@dataclass
class Node:
    weight: float
    n_rows: int
    prediction: Any
    distribution: dict[Any, float] | None  # label -> weight, all labels in order; None in regression
    shares: dict[Any, float] | None  # label -> probability; an empty leaf has its parent's
    mean: float | None  # regression only; an empty leaf has its parent's
    variance: float | None  # regression only: with W - 1, whatever the criterion
    impurity: float  # of the settings' criterion
    children: list[Node] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)  # one per column, if a split was looked for
    # The rest is for inner nodes only.
    feature: str | None = None
    cut: float | None = None  # numeric splits
    values: list[list[Any]] | None = None  # nominal splits: the categories of each child, [None] = missing
    gain: float | None = None
    missing_child: int | None = None  # the child that a missing value takes


@dataclass(frozen=True)
class Row:
    cells: dict[str, Any]  # column name -> cell, None = missing
    target: Any  # a label, or a Fraction in regression
    weight: Fraction


@dataclass(frozen=True)
class Problem:
    """What stays the same at every node."""

    columns: Sequence[Column]
    settings: Settings
    labels: Sequence[Any] | None  # None in regression
    gaps: frozenset[str]  # names of the columns with a missing cell anywhere in the training table


# ---------------------------------------------------------------------------------------------------- growing


def grow(
    columns: Sequence[Column],
    target: Sequence[Any],
    settings: Settings,
    *,
    labels: Sequence[Any] | None = None,
    weights: Sequence[float] | None = None,
) -> Node:
    """Learn a tree. `labels` are the classes in declared order; None means regression."""
    rows = rows_of(columns, target, weights)
    if labels is None:
        rows = [Row(row.cells, exact(row.target), row.weight) for row in rows]
    check(columns, settings, labels, rows)
    gaps = frozenset(c.name for c in columns if any(row.cells[c.name] is None for row in rows))
    return grow_node(Problem(columns, settings, labels, gaps), rows, frozenset(), depth=0)


def grow_node(problem: Problem, rows: list[Row], used: frozenset[str], *, depth: int) -> Node:
    """The tree for these rows; `used` names the nominal columns that ancestors have asked about."""
    settings = problem.settings
    node = leaf(problem, rows)
    if len({row.target for row in rows}) == 1:
        return node  # pure
    if depth == settings.max_depth:
        return node
    if total(rows) < settings.min_samples_split:
        return node

    node_impurity = impurity(rows, settings.criterion)
    tolerance = RELATIVE_TOLERANCE * max(node_impurity, TINY)

    best: tuple[Column, float | None, Number] | None = None
    for column in problem.columns:
        found = None
        if column.name not in used:
            found = best_of_column(problem, rows, column, node_impurity, tolerance)
        if found is None:
            node.candidates.append(Candidate(column.name, None, None, admissible=False))
            continue
        cut, gain = found
        node.candidates.append(Candidate(column.name, cut, float(gain), admissible=True))
        if best is None or gain > best[2] + tolerance:
            best = (column, cut, gain)

    if best is None:
        return node
    column, cut, gain = best
    if gain <= tolerance and not settings.zero_gain:
        return node

    has_missing_branch = column.name in problem.gaps
    if column.kind == "nominal":
        used = used | {column.name}
        node.values = [[category] for category in column.categories]
        if has_missing_branch:
            node.values.append([None])
    node.feature = column.name
    node.cut = cut
    node.gain = float(gain)
    branches = divide(rows, column, cut, has_missing_branch)
    for branch in branches:
        if branch:
            node.children.append(grow_node(problem, branch, used, depth=depth + 1))
        else:
            node.children.append(empty_leaf(problem, node))
    if has_missing_branch:
        node.missing_child = len(branches) - 1
    else:
        branch_weights = [total(branch) for branch in branches]
        node.missing_child = branch_weights.index(max(branch_weights))  # the first of the heaviest
    return node


def best_of_column(
    problem: Problem, rows: list[Row], column: Column, node_impurity: Number, tolerance: Number
) -> tuple[float | None, Number] | None:
    """Cut (None for a nominal column) and gain of the column's best split; None if it has no split."""
    node_weight = total(rows)
    best: tuple[float | None, Number] | None = None
    for cut in possible_cuts(rows, column, problem.settings.cuts):
        branches = divide(rows, column, cut, column.name in problem.gaps)
        if sum(1 for branch in branches if branch) < 2:
            continue  # not admissible: all rows in one branch
        gain = node_impurity
        for branch in branches:
            if branch:
                gain = gain - total(branch) / node_weight * impurity(branch, problem.settings.criterion)
        if best is None or gain > best[1] + tolerance:
            best = (cut, gain)
    return best


def possible_cuts(rows: list[Row], column: Column, cuts: Literal["all", "changes"]) -> list[float | None]:
    """The cuts to try, in order; a nominal column has just one way to split, written None."""
    if column.kind == "nominal":
        return [None]
    known = [row for row in rows if row.cells[column.name] is not None]
    values = sorted({row.cells[column.name] for row in known})
    found: list[float | None] = []
    for a, b in pairwise(values):
        targets_beside_gap = {row.target for row in known if row.cells[column.name] in (a, b)}
        if cuts == "changes" and len(targets_beside_gap) == 1:
            continue
        found.append(between(a, b))
    if values and len(known) < len(rows):
        found.append(values[-1])  # all known values to the left, none to the right, the missing ones apart
    return found


def between(a: float, b: float) -> float:
    """A cut with a <= cut < b: the midpoint, or a where rounding moves the midpoint out of that range."""
    middle = a / 2 + b / 2
    return middle if a <= middle < b else a


def divide(rows: list[Row], column: Column, cut: float | None, has_missing_branch: bool) -> list[list[Row]]:
    """The rows of each branch, in the order of the children. Branches may be empty."""
    name = column.name
    known = [row for row in rows if row.cells[name] is not None]
    missing = [row for row in rows if row.cells[name] is None]
    if column.kind == "nominal":
        branches = [[row for row in known if row.cells[name] == category] for category in column.categories]
    else:
        left = [row for row in known if row.cells[name] <= cut]
        right = [row for row in known if row.cells[name] > cut]
        branches = [left, right]
    if has_missing_branch:
        branches.append(missing)
    return branches


# -------------------------------------------------------------------------------------------------- measuring


def total(rows: list[Row]) -> Fraction:
    return sum((row.weight for row in rows), Fraction(0))


def impurity(rows: list[Row], criterion: str) -> Number:
    """Impurity per row (per unit of weight) of one or more rows."""
    weight = total(rows)
    if criterion == "squared_error":
        return squared_deviations(rows) / weight
    if criterion == "variance":
        return sample_variance(rows)
    shares = [class_weight / weight for class_weight in class_weights(rows).values()]
    if criterion == "accuracy":
        return 1 - max(shares)
    if criterion == "gini":
        return 1 - sum(share * share for share in shares)
    if criterion == "entropy":
        return math.fsum(float(share) * math.log2(1 / share) for share in shares)
    raise ValueError(f"unknown criterion {criterion!r}")


def class_weights(rows: list[Row]) -> defaultdict[Any, Fraction]:
    """Label -> summed weight, for the labels that occur in these rows; any other label has 0."""
    weights: defaultdict[Any, Fraction] = defaultdict(Fraction)
    for row in rows:
        weights[row.target] += row.weight
    return weights


def weighted_mean(rows: list[Row]) -> Fraction:
    return sum((row.weight * row.target for row in rows), Fraction(0)) / total(rows)


def squared_deviations(rows: list[Row]) -> Fraction:
    """The weighted sum of (target - mean)^2."""
    mean = weighted_mean(rows)
    return sum((row.weight * (row.target - mean) ** 2 for row in rows), Fraction(0))


def sample_variance(rows: list[Row]) -> Fraction:
    weight = total(rows)
    return squared_deviations(rows) / (weight - 1) if weight > 1 else Fraction(0)


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
    )
    if problem.labels is None:
        node.mean = float(weighted_mean(rows))
        node.variance = float(sample_variance(rows))
        node.prediction = node.mean
    else:
        weights = class_weights(rows)
        heaviest = max(weights.values())
        node.distribution = {label: float(weights[label]) for label in problem.labels}
        node.shares = {label: float(weights[label] / weight) for label in problem.labels}
        node.prediction = next(label for label in problem.labels if weights[label] == heaviest)
    return node


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
    )


# ------------------------------------------------------------------------------------------------- predicting


def predict(root: Node, row: dict[str, Any]) -> Any:
    """The prediction for a row, given as column name -> cell."""
    return leaf_of(root, row).prediction


def leaf_of(root: Node, row: dict[str, Any]) -> Node:
    node = root
    while node.feature is not None:
        node = node.children[child_index(node, row[node.feature])]
    return node


def child_index(node: Node, cell: Any) -> int:
    """Which child of an inner node a cell goes to. An unseen category goes where a missing cell goes."""
    assert node.missing_child is not None
    if is_missing(cell):
        return node.missing_child
    if node.values is None:
        assert node.cut is not None
        return 0 if cell <= node.cut else 1
    for index, categories in enumerate(node.values):
        if cell in categories:
            return index
    return node.missing_child


# ------------------------------------------------------------------------------------------ reading the table


def is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def exact(number: Any) -> Fraction:
    """The very number that an int or a float holds, without rounding."""
    return Fraction(number) if isinstance(number, int | float | Fraction) else Fraction(float(number))


def rows_of(columns: Sequence[Column], target: Sequence[Any], weights: Sequence[float] | None) -> list[Row]:
    """The table as rows, without those of weight 0."""
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
        rows.append(Row(cells, target[i], exact(weights[i])))
    return [row for row in rows if row.weight != 0]


def check(
    columns: Sequence[Column], settings: Settings, labels: Sequence[Any] | None, rows: list[Row]
) -> None:
    """Refuse questions without an answer: a slip in a test should not look like a difference of learners."""
    if not rows:
        raise ValueError("no row has a positive weight")
    if any(row.weight < 0 for row in rows):
        raise ValueError("a weight is negative")
    if len({column.name for column in columns}) != len(columns):
        raise ValueError("two columns have the same name")
    if (labels is None) != (settings.criterion in ("variance", "squared_error")):
        raise ValueError(f"criterion {settings.criterion!r} with labels={labels!r}")
    if settings.cuts not in ("all", "changes"):
        raise ValueError(f"unknown cuts {settings.cuts!r}")
    for row in rows:
        if labels is not None and row.target not in labels:
            raise ValueError(f"{row.target!r} is not among the labels {labels!r}")
        for column in columns:
            cell = row.cells[column.name]
            if column.kind == "nominal" and cell is not None and cell not in column.categories:
                raise ValueError(f"{cell!r} is not among the categories of {column.name!r}")


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
