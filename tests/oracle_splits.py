"""The splits that the oracle tries, one by one, and what each is worth. `oracle` tells the rest.

possible_splits(problem, rows, column)   every split of some rows by a column, in order
measure(problem, rows, split)            its gain and score, by dividing the rows and measuring the parts
divide(rows, split)                      the rows of each child
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

Number = Fraction | float  # an exact Fraction for every criterion without logarithms

# Of two scores the later must be larger by more than RELATIVE_TOLERANCE * max(impurity of the node, TINY).
RELATIVE_TOLERANCE = Fraction(1, 10**9)
TINY = Fraction(sys.float_info.min)

ClassCriterion = Literal["accuracy", "entropy", "gini", "gain_ratio"]
ValueCriterion = Literal["variance", "squared_error", "poisson"]


@dataclass(frozen=True)
class Column:
    """One column of the table; a missing cell is None (NaN counts as missing too)."""

    name: str
    kind: Literal["numeric", "nominal"]
    cells: Sequence[Any]
    categories: Sequence[Any] = ()  # nominal only: the declared categories, in order


@dataclass(frozen=True)
class Settings:
    criterion: ClassCriterion | ValueCriterion
    cuts: Literal["all", "changes"]  # every gap between distinct values, or only where the target changes
    zero_gain: bool  # may a split without gain be taken?
    max_depth: int | None = None
    min_samples_split: float = 2  # compared with the node's sum of sample weights
    nominal: Literal["multiway", "subset", "one_vs_rest"] = "multiway"
    missing: Literal["branch", "larger", "share", "learn"] = "branch"
    cut: Literal["midpoint", "data"] = "midpoint"
    min_samples_leaf: float = 0  # compared with the sum of sample weights of every branch
    min_impurity_decrease: float = 0  # 0: no limit, not even for the negative gains of "variance"
    min_gain: float | None = 0  # 0 or None: no limit
    order: Literal["depth", "breadth", "best"] = "depth"
    max_leaf_nodes: int | None = None
    min_weight_fraction_leaf: float = 0  # of the weight of the whole table, class weights included


@dataclass(frozen=True)
class Row:
    cells: dict[str, Any]  # column name -> cell, None = missing
    target: Any  # a label, or a Fraction in regression
    weight: Fraction  # sample weight times class weight: what is measured
    sample_weight: Fraction  # what min_samples_split and min_samples_leaf are compared with


@dataclass(frozen=True)
class Problem:
    """What stays the same at every node."""

    columns: Sequence[Column]
    settings: Settings
    labels: Sequence[Any] | None  # None in regression
    table: list[Row]  # the whole training table
    gaps: frozenset[str]  # names of the columns with a missing cell anywhere in the training table


@dataclass(frozen=True)
class Split:
    """A question about one column, and where its missing cells go."""

    column: Column
    n_children: int
    cut: float | None = None  # numeric
    groups: tuple[tuple[Any, ...], ...] | None = None  # nominal: the categories of each child
    missing: int | Literal["share"] = 0  # the child that missing cells go to


@dataclass(frozen=True)
class Scored:
    split: Split
    gain: Number
    score: Number  # the gain, or the gain ratio


# ------------------------------------------------------------------------------------------- possible splits


def admissible_splits(problem: Problem, rows: list[Row], column: Column) -> Iterator[Scored]:
    for split in possible_splits(problem, rows, column):
        scored = measure(problem, rows, split)
        if scored is not None:
            yield scored


def possible_splits(problem: Problem, rows: list[Row], column: Column) -> Iterator[Split]:
    """Every way to split these rows by this column, in the order in which they are tried."""
    known, missing = known_and_missing(rows, column)
    if not known:
        return
    for question in questions(problem, known, column):
        for split in with_missing(problem, rows, question):
            yield with_absent(rows, split)
    if missing and problem.settings.missing in ("branch", "learn") and not is_multiway(problem, column):
        yield known_against_missing(problem, known, column)


def is_multiway(problem: Problem, column: Column) -> bool:
    return column.kind == "nominal" and problem.settings.nominal == "multiway"


def questions(problem: Problem, known: list[Row], column: Column) -> Iterator[Split]:
    """The questions to ask, before it is settled where missing cells go."""
    if column.kind == "numeric":
        for cut in possible_cuts(problem, known, column):
            yield Split(column, 2, cut=cut)
        return
    if is_multiway(problem, column):
        groups = tuple((category,) for category in column.categories)
        yield Split(column, len(groups), groups=groups)
        return
    present = present_categories(known, column)
    if len(present) < 2:
        return
    if problem.settings.nominal == "one_vs_rest":
        for value in present:
            rest = tuple(category for category in column.categories if category != value)
            yield Split(column, 2, groups=((value,), rest))
        return
    first, *others = present
    for number in range(2 ** len(others) - 1):  # its bits say who joins the first; not all of them may
        joins = [category for bit, category in enumerate(others) if number >> bit & 1]
        stays = [category for category in others if category not in joins]
        yield Split(column, 2, groups=((first, *joins), tuple(stays)))


def present_categories(known: list[Row], column: Column) -> list[Any]:
    present = {row.cells[column.name] for row in known}
    return [category for category in column.categories if category in present]


def with_missing(problem: Problem, rows: list[Row], question: Split) -> Iterator[Split]:
    """The question with every place where missing cells might go, in the order in which they are tried."""
    policy = problem.settings.missing
    known, missing = known_and_missing(rows, question.column)
    if policy == "share":
        yield replace(question, missing="share")
    elif policy == "branch" and question.column.name in problem.gaps:
        groups = None if question.groups is None else (*question.groups, (None,))
        n_children = question.n_children + 1
        yield replace(question, n_children=n_children, groups=groups, missing=n_children - 1)
    elif policy == "learn" and missing:
        multiway = is_multiway(problem, question.column)
        branches = [k for k, branch in enumerate(divide(known, question)) if branch]
        for child in branches if multiway else (1, 0):
            yield replace(question, missing=child)
    else:
        yield replace(question, missing=heaviest(divide(known, question)))


def with_absent(rows: list[Row], split: Split) -> Split:
    """A subset split whose heavier branch has also got the categories that are absent from the node."""
    if split.groups is None:
        return split
    named = [category for group in split.groups for category in group]
    absent = [category for category in split.column.categories if category not in named]
    if not absent:
        return split
    heavier = heaviest(divide(rows, split)[:2])
    groups = list(split.groups)
    members = {*groups[heavier], *absent}
    groups[heavier] = tuple(category for category in split.column.categories if category in members)
    return replace(split, groups=tuple(groups))


def known_against_missing(problem: Problem, known: list[Row], column: Column) -> Split:
    """All that is known in the first child; a branch of its own is the third child, the second has no rows."""
    own_branch = problem.settings.missing == "branch"
    missing = 2 if own_branch else 1
    if column.kind == "numeric":
        cut = max(row.cells[column.name] for row in known) if own_branch else math.inf
        return Split(column, missing + 1, cut=cut, missing=missing)
    groups = (tuple(column.categories), (), (None,)) if own_branch else (tuple(column.categories), ())
    return Split(column, missing + 1, groups=groups, missing=missing)


def heaviest(branches: list[list[Row]]) -> int:
    """The first of the heaviest."""
    weights = [total(branch) for branch in branches]
    return weights.index(max(weights))


def possible_cuts(problem: Problem, known: list[Row], column: Column) -> Iterator[float]:
    values = sorted({row.cells[column.name] for row in known})
    for a, b in pairwise(values):
        targets_beside_gap = {row.target for row in known if row.cells[column.name] in (a, b)}
        if problem.settings.cuts == "changes" and len(targets_beside_gap) == 1:
            continue
        cut = between(a, b)
        if problem.settings.cut == "data":
            everywhere = known_and_missing(problem.table, column)[0]
            cut = max(row.cells[column.name] for row in everywhere if row.cells[column.name] <= cut)
        yield cut


def between(a: float, b: float) -> float:
    """A cut with a <= cut < b: the midpoint, or a where rounding moves the midpoint out of that range."""
    middle = a / 2 + b / 2
    return middle if a <= middle < b else a


# --------------------------------------------------------------------------------------------------- dividing


def divide(rows: list[Row], split: Split) -> list[list[Row]]:
    """The rows of each child, in order. A shared row is in several, with a part of its weight in each."""
    known, missing = known_and_missing(rows, split.column)
    branches: list[list[Row]] = [[] for _ in range(split.n_children)]
    for row in known:
        branches[child_of_cell(row.cells[split.column.name], split.cut, split.groups)].append(row)
    if split.missing != "share":
        branches[split.missing] += missing
        return branches
    shares = [total(branch) / total(known) for branch in branches]
    for branch, share in zip(branches, shares, strict=True):
        if share > 0:
            for row in missing:
                shared = replace(row, weight=row.weight * share, sample_weight=row.sample_weight * share)
                branch.append(shared)
    return branches


def child_of_cell(cell: Any, cut: float | None, groups: Sequence[Sequence[Any]] | None) -> int:
    """Which child a cell that is not missing goes to."""
    if groups is None:
        assert cut is not None
        return 0 if cell <= cut else 1
    return next(index for index, group in enumerate(groups) if cell in group)


def known_and_missing(rows: list[Row], column: Column) -> tuple[list[Row], list[Row]]:
    known = [row for row in rows if row.cells[column.name] is not None]
    missing = [row for row in rows if row.cells[column.name] is None]
    return known, missing


# -------------------------------------------------------------------------------------------------- measuring


def measure(problem: Problem, rows: list[Row], split: Split) -> Scored | None:
    """Gain and score of a split; None if it is not admissible."""
    settings = problem.settings
    counted, left_out = rows, []
    if settings.missing in ("larger", "share"):
        counted, left_out = known_and_missing(rows, split.column)
    branches = [branch for branch in divide(counted, split) if branch]
    if len(branches) < 2:
        return None
    if any(total_samples(branch) < exact(settings.min_samples_leaf) for branch in branches):
        return None
    least = exact(settings.min_weight_fraction_leaf) * total(problem.table)
    if any(total(branch) < least for branch in branches):
        return None
    if settings.criterion == "poisson" and any(weighted_mean(branch) == 0 for branch in branches):
        return None

    gain = impurity(counted, settings.criterion)
    for branch in branches:
        gain = gain - total(branch) / total(counted) * impurity(branch, settings.criterion)
    gain = total(counted) / total(rows) * gain
    if settings.criterion != "gain_ratio":
        return Scored(split, gain, gain)
    if gain <= tolerance_for(impurity(rows, settings.criterion)):
        return Scored(split, gain, Fraction(0))
    parts = [*branches, left_out] if left_out else branches
    return Scored(split, gain, gain / entropy([total(part) / total(rows) for part in parts]))


def exact(number: Any) -> Fraction:
    """The very number that an int or a float holds, without rounding."""
    return Fraction(number) if isinstance(number, int | float | Fraction) else Fraction(float(number))


def tolerance_for(node_impurity: Number) -> Number:
    return RELATIVE_TOLERANCE * max(node_impurity, TINY)


def total(rows: list[Row]) -> Fraction:
    return sum((row.weight for row in rows), Fraction(0))


def total_samples(rows: list[Row]) -> Fraction:
    """Like `total`, but class weights do not count."""
    return sum((row.sample_weight for row in rows), Fraction(0))


def impurity(rows: list[Row], criterion: str) -> Number:
    """Impurity per row (per unit of weight) of one or more rows."""
    weight = total(rows)
    if criterion == "squared_error":
        return squared_deviations(rows) / weight
    if criterion == "variance":
        return sample_variance(rows)
    if criterion == "poisson":
        return poisson_deviance(rows)
    shares = [class_weight / weight for class_weight in weight_by_label(rows).values()]
    if criterion == "accuracy":
        return 1 - max(shares)
    if criterion == "gini":
        return 1 - sum(share * share for share in shares)
    if criterion in ("entropy", "gain_ratio"):
        return entropy(shares)
    raise ValueError(f"unknown criterion {criterion!r}")


def entropy(shares: Sequence[Fraction]) -> float:
    return math.fsum(float(share) * math.log2(1 / share) for share in shares)


def weight_by_label(rows: list[Row]) -> defaultdict[Any, Fraction]:
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


def poisson_deviance(rows: list[Row]) -> float:
    """2 * mean of t log(t / m) - t + m, where the mean of -t + m is 0, and 0 log 0 = 0."""
    weight, mean = total(rows), weighted_mean(rows)
    terms = [row.weight / weight * row.target * math.log(row.target / mean) for row in rows if row.target]
    return 2 * math.fsum(terms)
