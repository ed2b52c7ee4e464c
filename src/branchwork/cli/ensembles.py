"""`branchwork grow --method bagging | forest | extra | adaboost`: many trees instead of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target

METHODS = ("bagging", "forest", "extra", "adaboost")
"""Methods of `grow` that make many trees."""

MOST_FEATURES, WIDEST_NAME = 10, 60
"""Features whose importance is printed, and the width of a name where there is no terminal that has one."""


@dataclass(frozen=True)
class EnsembleProcedure:
    """How an ensemble is learned: by an estimator with its settings."""

    method: str
    est: Any

    def learn(
        self,
        table: Table,
        target: Target,
        *,
        progress: Callable[[int], None] | None = None,
        measure: bool = False,
    ) -> Model:
        """Learn the ensemble; `measure`: with the out-of-bag error."""
        from branchwork.estimators._ensemble import learns_alone
        from branchwork.learn.adaboost import learn_adaboost
        from branchwork.learn.forest import learn_forest
        from branchwork.learn.threads import thread_count
        from branchwork.table.target import Classes

        est, member, threads = self.est, self.est._member(), thread_count(self.est.n_jobs)
        if isinstance(target, Classes):
            target = target.weighted(getattr(member, "class_weight", None))
        given = {"handle_unknown": member.handle_unknown, "n_jobs": threads, "progress": progress}
        if self.method == "adaboost":
            recipe = member._recipe()
            alone = learns_alone(member, recipe, threads)
            return learn_adaboost(table, target, recipe, est._plan(), alone=alone, **given)
        recipe = est._tree_recipe(member).replace(subspace=est._subspace(len(table.schema)))
        plan = est._plan(None)
        plan = replace(plan, measure=measure and (plan.bootstrap or plan.max_samples is not None))
        alone = learns_alone(member, recipe, threads)
        return learn_forest(table, target, recipe, plan, alone=alone, **given).model

    def steps(self, n_rows: int) -> int:
        """Return how far the progress bar goes."""
        trees = int(self.est.n_estimators)
        return trees if self.method == "adaboost" else trees * n_rows


def ensemble_of(method: str, target: Target, changes: dict[str, Any]) -> EnsembleProcedure:
    """Return the procedure of a method for many trees, with settings changed by name."""
    from branchwork.cli.estimators import new_estimator
    from branchwork.estimators._parameters import check_parameters

    est = new_estimator(method, target, changes)
    check_parameters(est)
    if method != "adaboost":
        est._check_together()
    return EnsembleProcedure(method, est)


def describe(model: Model) -> str:
    """Tell in a few lines what an ensemble is."""
    import numpy as np

    from branchwork.view.chart import number
    from branchwork.view.ensemble_page import KINDS
    from branchwork.view.terminal import folded, harmless, terminal_width

    title = "Ensemble" if model.ensemble is None else model.ensemble.title
    leaves = [tree.n_leaves for tree in model.trees]
    depths = [tree.depth for tree in model.trees]
    if model.target is not None:
        title = f"{title} for {harmless(model.target)}"
    what = f"{title}: {len(model.trees)} trees; the answer is {KINDS[model.combine.kind]}"
    return (
        f"{folded(what, terminal_width(), '  ')}\n"
        f"leaves of a tree  {min(leaves)} to {max(leaves)}, mean {number(float(np.mean(leaves)))}\n"
        f"depth of a tree   {min(depths)} to {max(depths)}, mean {number(float(np.mean(depths)))}"
    )


def importances_text(model: Model) -> str:
    """Return the features that matter most, one per line."""
    from branchwork.table.wide_text import cells, cut, left
    from branchwork.view.terminal import harmless, terminal_width

    shares = model.feature_importances_
    order = [j for j in sorted(range(len(shares)), key=lambda j: -shares[j]) if shares[j] > 0]
    room = (terminal_width() or WIDEST_NAME) - 8
    names = [cut(harmless(model.schema[j].name), room) for j in order[:MOST_FEATURES]]
    widest = max(map(cells, names), default=0)
    lines = [f"{left(name, widest)}  {shares[j]:>5.1%}" for name, j in zip(names, order, strict=False)]
    more = len(order) - MOST_FEATURES
    return "\n".join([*lines, *([f"… {more} more"] if more > 0 else [])]) or "no tree splits"


def measured_text(model: Model) -> str | None:
    """Return the out-of-bag error, or the errors of the rounds of AdaBoost, in words; None: nothing was measured."""
    from branchwork.cli.text import error

    made = model.ensemble
    if made is None or not made.errors:
        return None
    if made.method == "adaboost":
        first, last = made.errors[0][1], made.errors[-1][1]
        return f"weighted error   {first:.2%} in round 1, {last:.2%} in round {len(made.errors)}"
    value = made.errors[-1][1]
    return f"out of bag       {error(model, value if model.labels is not None else value**0.5)}"
