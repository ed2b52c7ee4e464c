"""A tree as rules: one for each leaf, in the order of the leaves from left to right.

A condition of a rule is one branch on the path to its leaf. It also says what the tree does with missing values and
unseen categories, so the rules predict as the tree does, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from branchwork.errors import ParameterError
from branchwork.model.model import Model
from branchwork.rules.condition import Among, Condition, Interval, Plain, StandIn, WithSurrogates
from branchwork.rules.rule import Rule, Share, rule_for_class
from branchwork.rules.rule_list import RuleList
from branchwork.rules.simplify import simplify_rule, with_condition
from branchwork.tree.missing import missing_branches
from branchwork.tree.route import bounds_of, parts_of, surrogates_of, unseen_child_of
from branchwork.tree.surrogates import Surrogate
from branchwork.tree.tree import Tree
from branchwork.tree.walk import leaves, path_to, preorder

MOST_CONDITIONS = 5_000_000
"""A chain of n nodes has n² / 2 conditions; more than these are refused before they fill the memory."""


def extract(model: Model, *, simplify: bool = False) -> RuleList:
    """Return the rules of a model that is a single tree.

    With `simplify`, conditions on one feature are merged on the way, as `RuleList.simplify` would do afterwards. So
    even a chain of thousands of nodes has short rules.
    """
    tree = model.tree
    if not simplify:
        _refuse_too_many(tree)
    ways: dict[int, tuple[tuple[Condition, ...], tuple[Share, ...]]] = {0: ((), ())}
    rules = []
    for node in preorder(tree):
        conditions, shares = ways.pop(node)
        if tree.is_leaf(node):
            rules.append(_rule_of(model, node, conditions, shares))
            continue
        for child, (condition, share) in zip(tree.children(node), _asked(model, node), strict=True):
            longer = with_condition(conditions, condition) if simplify else (*conditions, condition)
            ways[child] = longer, (*shares, share) if share else shares
    if simplify:
        rules = [short for rule in rules if (short := simplify_rule(rule, model.schema))]
    return RuleList(
        model.schema,
        model.labels,
        tuple(rules),
        _rule_of(model, 0, (), ()),
        None if tree.distribution is None else tuple(tree.distribution[0].tolist()),
        model.handle_unknown,
        model.target,
    )


def conditions_to(model: Model, node: int) -> tuple[Condition, ...]:
    """Return the conditions on the way to a node: one for each feature, without those that always hold."""
    conditions: tuple[Condition, ...] = ()
    for above, below in pairwise(path_to(model.tree, node)):
        asked = _asked(model, above)[below - int(model.tree.first_child[above])]
        conditions = with_condition(conditions, asked[0])
    return tuple(one for one in conditions if not one.is_implied(model.schema))


def rules_of(given: Model | RuleList, *, simplify: bool = False) -> RuleList:
    """Return a list of rules unchanged, or the rules of a model."""
    if isinstance(given, RuleList):
        return given.simplify() if simplify else given
    return extract(given, simplify=simplify)


def _refuse_too_many(tree: Tree) -> None:
    n_conditions = int(tree.depths[leaves(tree)].astype(np.int64).sum())
    if n_conditions > MOST_CONDITIONS:
        raise ParameterError(
            f"The rules of this tree of {tree.n_leaves} leaves have {n_conditions} conditions; the limit "
            f"is {MOST_CONDITIONS}. Merge conditions with rules(simplify=True)."
        )


def _rule_of(model: Model, node: int, conditions: tuple[Condition, ...], shares: tuple[Share, ...]) -> Rule:
    tree = model.tree
    value, weight = tree.value[node].tolist(), float(tree.weight[node])
    if model.labels is None or tree.distribution is None:
        variance = None if tree.variance is None else float(tree.variance[node])
        coverage = weight / (float(tree.weight[0]) or 1.0)  # trees of other libraries may have no weights
        return Rule(conditions, value[0], tuple(value), weight, coverage, variance=variance, shares=shares)
    counts, prior = tree.distribution[node].tolist(), tree.distribution[0].tolist()
    code = int(tree.decision[node])
    return rule_for_class(conditions, code, model.labels, counts, prior, value=value, shares=shares)


def _asked(model: Model, node: int) -> Sequence[tuple[Condition, Share | None]]:
    """Return the conditions of a node's branches, with its surrogates."""
    plain = branches(model, node)
    if model.tree.surrogates is None:
        return plain
    others = surrogates_of(model.tree, model.schema, node)
    nominal = model.schema[int(model.tree.feature[node])].is_nominal
    if not others and not nominal:
        return plain
    # A category that is in no group did not occur in the node. Like a missing value, it is in neither set.
    own = [_known(model, node, condition) for condition, _ in plain]
    return [
        (
            WithSurrogates(
                StandIn(own[k], own[1 - k]),
                tuple(_stand_in(other, k) for other in others),
                int(model.tree.default_child[node]) == k,
            ),
            None,
        )
        for k in (0, 1)
    ]


def _known(model: Model, node: int, condition: Plain) -> Plain:
    """Return what a branch requires of values that decide by themselves, which unseen categories may do, too."""
    decides = unseen_child_of(model.tree, node, with_majority=model.handle_unknown == "majority") is not None
    if isinstance(condition, Among) and decides:
        return replace(condition, missing=False, named=False)
    return condition.strict()


def _stand_in(other: Surrogate, branch: int) -> StandIn:
    """Return what a surrogate sends to a branch, and what to the other one."""
    feature = other.feature
    if other.children is not None:
        sides: list[Plain] = [
            Among(feature, tuple(code for code, to in enumerate(other.children) if to == k)) for k in (0, 1)
        ]
    else:
        low, high = Interval(feature, None, other.cut), Interval(feature, other.cut, None)
        sides = [low, high] if other.low_child == 0 else [high, low]
    return StandIn(sides[branch], sides[1 - branch])


def branches(model: Model, node: int) -> list[tuple[Plain, Share | None]]:
    """Return the conditions of a node's branches, with the share of a row that takes each if its value is unknown."""
    tree, feature = model.tree, int(model.tree.feature[node])
    column, n_children = model.schema[feature], int(tree.n_children[node])
    missing = parts_of(tree, node, int(tree.default_child[node]))
    own = unseen_child_of(tree, node, with_majority=model.handle_unknown == "majority")
    unseen = missing if own is None else parts_of(tree, node, own)
    conditions: Sequence[Plain]
    named = missing_branches(tree, node)
    if column.is_nominal:
        begin = int(tree.lookup[node]) + 1
        place = tree.pool[begin : begin + len(column.categories)]
        conditions = [
            Among(
                feature, tuple(np.flatnonzero(place == k).tolist()), missing[k] > 0, unseen[k] > 0, k in named
            )
            for k in range(n_children)
        ]
    else:
        limits = [None, *bounds_of(tree, node), None]
        conditions = [
            Interval(feature, above, upto, missing[k] > 0, k in named)
            for k, (above, upto) in enumerate(pairwise(limits))
        ]
    shares = [
        Share(feature, missing[k], unseen[k]) if 0 < missing[k] < 1 or 0 < unseen[k] < 1 else None
        for k in range(n_children)
    ]
    return list(zip(conditions, shares, strict=True))
