"""List every pruning method by name: the rows it needs, its options, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from branchwork.errors import ParameterError, TargetError, did_you_mean
from branchwork.measure.bounds import BoundVariant, ErrorBound
from branchwork.prune.cost_complexity import SAME, cut_at, impurity_risk, path, weakest_links
from branchwork.prune.error_based import by_rows, by_tree
from branchwork.prune.evidence import Errors, Verdicts, errors_on, training_errors
from branchwork.prune.mdl import mdl
from branchwork.prune.minimum_error import minimum_error
from branchwork.prune.pessimistic import pessimistic
from branchwork.prune.reduced_error import MEASURE, ReducedErrorOrder, bottom_up, greedy
from branchwork.prune.significance import significance
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target
from branchwork.tree.outputs import Smoothing
from branchwork.tree.reshape import Mask, collapse, under
from branchwork.tree.tree import Tree

LabelledRows = tuple[Table, Target]
Risk = Literal["impurity", "errors"]

MOST_STEPS = 1000
"""If a cost-complexity path is longer, only this many of its smallest trees are made, besides the whole tree."""


@dataclass(frozen=True, eq=False)
class Given:
    """The tree to prune, and the rows and settings to prune it by.

    Parameters
    ----------
    rows : held-out rows, or those that the tree was grown on; each method says which.
    criterion, smoothing : how the tree was made.
    """

    tree: Tree
    schema: Schema
    rows: LabelledRows | None = None
    criterion: object = None
    smoothing: Smoothing = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """A pruned tree, the trees on the way to it, and why.

    Parameters
    ----------
    tree : the result.
    steps : returns the trees from the given one to the smallest, each a subtree of the one before; computed when
        called.
    verdicts : for the nodes of the given tree.
    alphas : the α of each step; only for cost-complexity pruning.
    """

    tree: Tree
    steps: Callable[[], tuple[Tree, ...]]
    verdicts: Verdicts
    alphas: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Method:
    """One way to prune.

    Parameters
    ----------
    run : the function that prunes.
    rows : whether X and y are needed, and which rows they must be.
    numbers : whether it works for a numeric target.
    options : names and defaults.
    """

    run: Callable[..., Outcome]
    rows: Literal["none", "held-out", "training, optional"] = "none"
    numbers: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def prune(method: str, given: Given, options: dict[str, Any]) -> Outcome:
    """Prune by a method's name."""
    if method not in METHODS:
        raise ParameterError(
            f"method={method!r} is not known.{did_you_mean(method, METHODS)} Expected one of "
            f"{', '.join(map(repr, METHODS))}."
        )
    way = METHODS[method]
    for name in options:
        if name not in way.options:
            known = ", ".join(way.options) or "none"
            hint = did_you_mean(name, way.options)
            raise ParameterError(f"{method!r} has no option {name!r}; it has: {known}.{hint}")
    if given.tree.distribution is None and not way.numbers:
        fitting = ", ".join(repr(name) for name, other in METHODS.items() if other.numbers)
        raise TargetError(
            f"{method!r} counts errors of classes; this tree predicts numbers. These methods work: {fitting}."
        )
    if way.rows == "held-out" and given.rows is None:
        raise ParameterError(
            f"{method!r} needs rows that did not grow the tree: prune({method!r}, X_held_out, y_held_out)."
        )
    if way.rows == "none" and given.rows is not None:
        raise ParameterError(f"{method!r} looks at the tree alone; leave X and y out.")
    return way.run(given, **{**way.options, **options})


def _once(given: Given, verdicts: Verdicts) -> Outcome:
    tree = collapse(given.tree, verdicts.leaves)
    return Outcome(tree, lambda: (given.tree, tree), verdicts)


def _reduced_error(given: Given, order: ReducedErrorOrder) -> Outcome:
    assert given.rows is not None
    return reduce_error(given, errors_on(given.tree, *given.rows), order)


def reduce_error(given: Given, held_out: Errors, order: ReducedErrorOrder, measure: str = MEASURE) -> Outcome:
    """Prune by errors on rows that had no part in the predictions: held-out rows, or the test rows of folds."""
    if order == "bottom_up":
        return _once(given, replace(bottom_up(given.tree, held_out), measure=measure))
    if order != "greedy":
        raise ParameterError(f"order={order!r}; expected 'bottom_up' or 'greedy'.")
    nodes = greedy(given.tree, held_out)

    def after(count: int) -> Tree:
        return collapse(given.tree, _mask(given.tree, nodes[:count]))

    return Outcome(
        after(len(nodes)),
        lambda: (given.tree, *map(after, range(1, len(nodes) + 1))),
        Verdicts(_mask(given.tree, nodes), held_out.subtree, held_out.as_leaf, measure),
    )


def _mask(tree: Tree, nodes: list[int]) -> Mask:
    mask = np.zeros(tree.n_nodes, bool)
    mask[nodes] = True
    return mask


def _pessimistic(given: Given, repeat: bool) -> Outcome:
    verdicts = pessimistic(given.tree)
    tree = collapse(given.tree, verdicts.leaves)
    while repeat and (again := pessimistic(tree).leaves).any():
        tree = collapse(tree, again)
    return Outcome(tree, lambda: (given.tree, tree), verdicts)


def _error_based(given: Given, confidence: float, variant: BoundVariant, raising: bool | None) -> Outcome:
    bound = ErrorBound(confidence, variant)
    if given.rows is None:
        if raising:
            raise ParameterError(
                "raising=True sends rows down another branch, so the training data are needed: "
                "prune('error_based', X, y)."
            )
        return _once(given, by_tree(given.tree, bound))
    table, target = given.rows
    assert isinstance(target, Classes)
    tree, judged = by_rows(
        given.tree,
        table,
        target,
        bound,
        raising=raising is None or raising,
        criterion=given.criterion,
        smoothing=given.smoothing,
    )
    return Outcome(tree, lambda: (given.tree, tree), judged())


def _cost_complexity(given: Given, alpha: float, risk: Risk) -> Outcome:
    """Prune all links up to alpha; the steps continue from there to the root."""
    tree = given.tree
    if risk not in get_args(Risk):
        raise ParameterError(f"risk={risk!r}; expected one of {', '.join(map(repr, get_args(Risk)))}.")
    if not alpha >= 0:
        raise ParameterError(f"alpha={alpha!r}; expected a number of at least 0.")
    total = impurity_risk(tree) if risk == "impurity" else training_errors(tree).as_leaf
    cost = total / tree.weight[0]
    links = weakest_links(tree, cost)
    slack = SAME * float(cost[0])

    def cut(at: float) -> Tree:
        return collapse(tree, cut_at(tree, links, at + slack))

    alphas = path(tree, links, cost).alpha[1:][-MOST_STEPS:].tolist()
    inner, leaves = tree.feature >= 0, cut_at(tree, links, alpha + slack)
    verdicts = Verdicts(
        leaves & ~under(tree, leaves),
        np.where(inner, links, np.nan),
        np.where(inner, alpha, np.nan),
        f"{risk} that a leaf must save to stay",
    )
    return Outcome(cut(alpha), lambda: (tree, *map(cut, alphas)), verdicts, (0.0, *alphas))


METHODS: dict[str, Method] = {
    "reduced_error": Method(_reduced_error, "held-out", numbers=True, options={"order": "bottom_up"}),
    "cost_complexity": Method(_cost_complexity, numbers=True, options={"alpha": 0.0, "risk": "impurity"}),
    "pessimistic": Method(_pessimistic, options={"repeat": False}),
    "error_based": Method(
        _error_based,
        "training, optional",
        options={"confidence": 0.25, "variant": "c4.5", "raising": None},
    ),
    "minimum_error": Method(
        lambda given, m: _once(given, minimum_error(given.tree, m=m)), options={"m": 2.0}
    ),
    "mdl": Method(lambda given: _once(given, mdl(given.tree, given.schema))),
    "significance": Method(
        lambda given, max_p_value: _once(given, significance(given.tree, max_p_value=max_p_value)),
        numbers=True,
        options={"max_p_value": 0.05},
    ),
}
"""The contract tests run over all of them."""
