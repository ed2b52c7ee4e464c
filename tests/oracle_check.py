"""Is this tree what the settings ask for? Every node of a finished tree is examined by brute force.

The oracle's own tree cannot always be the measure: of several best subsets of categories any may be taken. Here a
tree, as the nested dictionary of `to_dict()`, is walked with its training rows. At each node all splits are tried
again; what the node says of itself, the split that it has, and a leaf's reason to be one must all be right.

    check_tree(root, columns, target, settings, labels, weights, class_weights)   AssertionError, or nothing
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import oracle_splits
from oracle import gains_enough, is_missing, leaf, pose, reason_to_stop
from oracle_splits import Column, Number, Problem, Row, Scored, Settings, Split

CLOSE = 1e-9  # relative; where rows are shared, the fast library's weights are rounded
EXACT_UP_TO = 12  # present categories: with more, the best subset is not promised


@dataclass(frozen=True)
class Visit:
    """A node of the examined tree and the training rows that reach it."""

    problem: Problem
    node: dict[str, Any]
    rows: list[Row]
    used: frozenset[str]
    depth: int
    path: str
    parent: dict[str, Any] | None = None

    def expect(self, ok: bool, what: str, found: Any, wanted: Any) -> None:
        assert ok, f"{self.path}: {what}: the tree has {found!r}, expected {wanted!r}"


def check_tree(
    root: dict[str, Any],
    columns: Sequence[Column],
    target: Sequence[Any],
    settings: Settings,
    labels: Sequence[Any] | None = None,
    weights: Sequence[float] | None = None,
    class_weights: dict[Any, float] | None = None,
    *,
    exact_up_to: int = EXACT_UP_TO,
) -> None:
    """Raise an AssertionError that names the node and both numbers, unless the tree is right.

    A nominal column with more than `exact_up_to` categories in a node is not searched there for subsets.
    """
    problem = pose(columns, target, settings, labels, weights, class_weights)
    visits = [Visit(problem, root, problem.table, frozenset(), 0, "root")]
    n_leaves = 0
    for visit in visits:
        check_description(visit)
        if visit.node.get("children"):
            visits.extend(check_inner(visit, exact_up_to))
        else:
            n_leaves += 1
            if visit.rows and settings.max_leaf_nodes is None:
                check_leaf(visit, exact_up_to)
    limit = settings.max_leaf_nodes
    visits[0].expect(limit is None or n_leaves <= max(limit, 1), "number of leaves", n_leaves, f"<= {limit}")


# ------------------------------------------------------------------------------------- what a node says of itself


def check_description(visit: Visit) -> None:
    node, rows = visit.node, visit.rows
    visit.expect(node["n_rows"] == len(rows), "n_rows", node["n_rows"], len(rows))
    if not rows:
        check_empty(visit)
        return
    wanted = leaf(visit.problem, rows)
    expect_close(visit, "weight", node["weight"], wanted.weight)
    if wanted.distribution is None:
        scale = max(abs(float(row.target)) for row in rows)
        expect_close(visit, "mean", node["mean"], wanted.mean, scale)
        expect_close(visit, "prediction", node["prediction"], wanted.mean, scale)
        expect_close(visit, "variance", node["variance"], wanted.variance, scale**2)
        return
    visit.expect(
        list(node["distribution"]) == list(wanted.distribution), "labels", node["distribution"], wanted
    )
    for label, weight in wanted.distribution.items():
        expect_close(visit, f"weight of {label!r}", node["distribution"][label], weight, wanted.weight)
    likeliest = [wanted.prediction]
    if visit.problem.settings.missing == "share":  # rounded weights: a tie may fall either way
        heaviest = max(wanted.distribution.values())
        likeliest = [name for name, weight in wanted.distribution.items() if close(weight, heaviest)]
    visit.expect(node["prediction"] in likeliest, "prediction", node["prediction"], likeliest)


def check_empty(visit: Visit) -> None:
    """A branch without rows is a leaf that answers what its parent would."""
    node, parent = visit.node, visit.parent
    assert parent is not None
    visit.expect(not node.get("children"), "children of a node without rows", node.get("children"), [])
    visit.expect(node["weight"] == 0, "weight of a node without rows", node["weight"], 0)
    visit.expect(
        node["prediction"] == parent["prediction"],
        "prediction of a node without rows",
        node["prediction"],
        parent["prediction"],
    )
    if "distribution" in node:
        visit.expect(not any(node["distribution"].values()), "distribution", node["distribution"], "zeros")


def close(a: Number, b: Number, scale: float = 0.0) -> bool:
    return math.isclose(float(a), float(b), rel_tol=CLOSE, abs_tol=CLOSE * scale)


def expect_close(visit: Visit, what: str, found: Number, wanted: Number, scale: float = 0.0) -> None:
    visit.expect(close(found, wanted, scale), what, found, float(wanted))


# ------------------------------------------------------------------------------------------------------ leaves


def check_leaf(visit: Visit, exact_up_to: int) -> None:
    """A leaf is right if no split is looked for, or there is none, or the best one gains too little."""
    if reason_to_stop(visit.problem, visit.rows, visit.depth):
        return
    by_column = {name: found for name, found in splits_by_column(visit, exact_up_to).items() if found}
    if not by_column:
        return
    tolerance = tolerance_at(visit)
    best = max(scored.score for found in by_column.values() for scored in found)
    chosen = next(found for found in by_column.values() if max_score(found) >= best - tolerance)
    equals = [scored for scored in chosen if scored.score >= best - tolerance]
    may_stop = any(not gains_enough(visit.problem, visit.rows, scored) for scored in equals)
    at_the_limit = any(is_at_a_limit(visit, scored.gain) for scored in equals)
    visit.expect(may_stop or at_the_limit, "a leaf that should be split", "no split", described(equals[0]))


def is_at_a_limit(visit: Visit, gain: Number) -> bool:
    """Does a limit equal the gain but for rounding? Then both answers are right."""
    settings = visit.problem.settings
    decrease = oracle_splits.total(visit.rows) / oracle_splits.total(visit.problem.table) * gain
    return bool(
        (settings.min_gain and close(gain, settings.min_gain))
        or (settings.min_impurity_decrease and close(decrease, settings.min_impurity_decrease))
    )


# ------------------------------------------------------------------------------------------------- inner nodes


def check_inner(visit: Visit, exact_up_to: int) -> Iterator[Visit]:
    """Examine a split; yield the children."""
    problem, node, rows = visit.problem, visit.node, visit.rows
    reason = reason_to_stop(problem, rows, visit.depth)
    visit.expect(reason is None, "an inner node", f"a split by {node['feature']!r}", f"a leaf: {reason}")
    visit.expect(node["feature"] not in visit.used, "a column used above", node["feature"], "another column")
    split = recorded_split(visit)
    scored = oracle_splits.measure(problem, rows, split)
    assert scored is not None, f"{visit.path}: {described(split)} is not admissible"
    node_impurity = float(oracle_splits.impurity(rows, problem.settings.criterion))
    expect_close(visit, "gain", node["gain"], scored.gain, node_impurity)
    check_choice(visit, scored, splits_by_column(visit, exact_up_to))
    visit.expect(
        gains_enough(problem, rows, scored) or is_at_a_limit(visit, scored.gain),
        f"{described(split)} gains too little",
        float(scored.gain),
        f"a leaf, by {problem.settings}",
    )
    below = sum(child["weight"] for child in node["children"])
    expect_close(visit, "weight of the children", below, node["weight"])

    used = visit.used
    if oracle_splits.is_multiway(problem, split.column):
        used = used | {split.column.name}
    for index, branch in enumerate(oracle_splits.divide(rows, split)):
        path = f"{visit.path} > {described_branch(split, index)}"
        yield Visit(problem, node["children"][index], branch, used, visit.depth + 1, path, node)


def recorded_split(visit: Visit) -> Split:
    node = visit.node
    column = next(column for column in visit.problem.columns if column.name == node["feature"])
    n_children, missing = len(node["children"]), node["missing"]
    is_child = isinstance(missing, int) and 0 <= missing < n_children
    visit.expect(is_child or missing == "share", "missing", missing, "a child or 'share'")
    if column.kind == "numeric":
        return Split(column, n_children, cut=node["cut"], missing=missing)
    groups = tuple(tuple(c for c in group if not is_missing(c)) for group in node["values"])
    visit.expect(len(groups) == n_children, "children", n_children, f"one for each of {groups!r}")
    named = [category for group in groups for category in group]
    once_each = len(named) == len(column.categories) and set(named) == set(column.categories)
    visit.expect(once_each, "categories", groups, f"each of {column.categories!r} once")
    return Split(column, n_children, groups=groups, missing=missing)


def splits_by_column(visit: Visit, exact_up_to: int) -> dict[str, list[Scored]]:
    """All admissible splits of the node. Columns with too many categories for that are left out."""
    found = {}
    for column in visit.problem.columns:
        if column.name in visit.used:
            continue
        known, _ = oracle_splits.known_and_missing(visit.rows, column)
        is_subset = column.kind == "nominal" and visit.problem.settings.nominal == "subset"
        if is_subset and len(oracle_splits.present_categories(known, column)) > exact_up_to:
            continue
        found[column.name] = list(oracle_splits.admissible_splits(visit.problem, visit.rows, column))
    return found


def check_choice(visit: Visit, chosen: Scored, by_column: dict[str, list[Scored]]) -> None:
    """The split is one that may be, none is better, no earlier column has one as good."""
    tolerance = tolerance_at(visit)
    is_later = False
    for column in visit.problem.columns:
        is_chosen = column.name == chosen.split.column.name
        for rival in by_column.get(column.name, []):
            what = f"score of {described(chosen)} against {described(rival)}"
            found, wanted = float(chosen.score), float(rival.score)
            visit.expect(rival.score <= chosen.score + tolerance, what + ", which is better", found, wanted)
            is_earlier = not is_chosen and not is_later
            ties = is_earlier and rival.score >= chosen.score - tolerance
            visit.expect(not ties, what + ", an earlier column", found, wanted)
        is_later = is_later or is_chosen
    allowed = by_column.get(chosen.split.column.name)
    if allowed is None:
        return  # too many categories to try all subsets
    is_free = visit.problem.settings.nominal == "subset" and chosen.split.groups is not None
    equals = [scored for scored in allowed if scored.score >= chosen.score - tolerance]
    if not is_free:
        equals = equals[:1]  # the split found first
    visit.expect(
        any(is_same(visit, scored.split, chosen.split) for scored in equals),
        "split",
        described(chosen),
        " or ".join(map(described, equals)),
    )


def is_same(visit: Visit, a: Split, b: Split) -> bool:
    """The same test with the same children, whatever the order in which a child's categories are written."""
    if (a.cut, a.missing, a.n_children) != (b.cut, b.missing, b.n_children):
        return False
    if a.groups is None or b.groups is None:
        return a.groups is b.groups
    known, _ = oracle_splits.known_and_missing(visit.rows, a.column)
    counted = set(a.column.categories)
    weights = [oracle_splits.total(branch) for branch in oracle_splits.divide(known, a)]
    if visit.problem.settings.missing == "share" and close(weights[0], weights[1]):
        counted = set(oracle_splits.present_categories(known, a.column))  # absent ones: see check_description
    return [set(group) & counted for group in a.groups] == [set(group) & counted for group in b.groups]


def tolerance_at(visit: Visit) -> Number:
    return oracle_splits.tolerance_for(oracle_splits.impurity(visit.rows, visit.problem.settings.criterion))


def max_score(found: list[Scored]) -> Number:
    return max((scored.score for scored in found), default=Fraction(0))


# ---------------------------------------------------------------------------------------------------- messages


def described(found: Scored | Split) -> str:
    split = found.split if isinstance(found, Scored) else found
    test = f"<= {split.cut!r}" if split.groups is None else " | ".join(map(str, map(list, split.groups)))
    text = f"<{split.column.name} {test}, missing: {split.missing}, {split.n_children} children>"
    return text if isinstance(found, Split) else f"{text} (score {float(found.score)!r})"


def described_branch(split: Split, index: int) -> str:
    if split.groups is not None:
        return f"{split.column.name} in {list(split.groups[index])} (child {index})"
    return f"{split.column.name} {['<=', '>', 'missing, not'][index]} {split.cut!r}"
