"""`branchwork grow --method bagging | forest | extra | adaboost`: many trees instead of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from branchwork.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from branchwork.grow.recipe import Recipe
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target

METHODS = ("bagging", "forest", "extra", "adaboost")
"""Methods of `grow` that make many trees."""

OF_SAMPLES = (
    "n_estimators",
    "max_samples",
    "bootstrap",
    "max_features",
    "subspace",
    "combine",
    "random_state",
)
OF_BOOSTING = ("n_estimators", "learning_rate", "method", "algorithm", "random_state")
MOST_FEATURES = 10
"""Features whose importance is printed."""


@dataclass(frozen=True)
class EnsembleProcedure:
    """How an ensemble is learned: the recipe of its trees, and its own settings by name."""

    method: str
    recipe: Recipe
    own: dict[str, Any] = field(default_factory=dict)

    def learn(
        self,
        table: Table,
        target: Target,
        *,
        progress: Callable[[int], None] | None = None,
        measure: bool = False,
    ) -> Model:
        """Learn the ensemble; `measure`: with the out-of-bag error."""
        from branchwork.table.target import Classes

        if self.method == "adaboost":
            return self._boosted(table, target, progress)
        from branchwork.grow.recipe import Subspace
        from branchwork.learn.features import features_of
        from branchwork.learn.forest import learn_forest

        classes, count = isinstance(target, Classes), len(table.schema)
        per = self.own.get("subspace", "tree" if self.method == "bagging" else "node")
        default = None if self.method == "bagging" else "auto"
        features = features_of(self.own.get("max_features", default), count, classes=classes, per=per)
        recipe = self.recipe if features == count else self.recipe.replace(subspace=Subspace(features, per))
        return learn_forest(table, target, recipe, self._plan(classes, measure), progress=progress).model

    def _plan(self, classes: bool, measure: bool) -> Any:
        from branchwork.learn.forest import Plan
        from branchwork.model.combine import Combine

        bootstrap = self.own.get("bootstrap", self.method != "extra")
        combine = self.own.get("combine", "mean")
        if combine not in (("mean", "vote") if classes else ("mean",)):
            allowed = "mean or vote" if classes else "mean: numbers have no votes"
            raise ParameterError(f"--set combine={combine}; expected {allowed}.")
        most = self.own.get("max_samples")
        return Plan(
            self.method,  # type: ignore[arg-type]
            self.n_trees,
            Combine(combine),
            bootstrap,
            most,
            self.own.get("random_state", 0),
            measure=measure and (bootstrap or most is not None),
        )

    def _boosted(self, table: Table, target: Target, progress: Callable[[int], None] | None) -> Model:
        from branchwork.learn.adaboost import BoostPlan, learn_adaboost

        plan = BoostPlan(
            self.n_trees,
            self.own.get("method", "weights"),
            self.own.get("algorithm", "samme"),
            float(self.own.get("learning_rate", 1.0)),
            self.own.get("random_state", 0),
        )
        return learn_adaboost(table, target, self.recipe, plan, progress=progress)

    @property
    def n_trees(self) -> int:
        """The number of trees that is asked for."""
        return int(self.own.get("n_estimators", 50 if self.method == "adaboost" else 100))

    def steps(self, n_rows: int) -> int:
        """Return how far the progress bar goes."""
        return self.n_trees if self.method == "adaboost" else self.n_trees * n_rows


def ensemble_of(method: str, target: Target, changes: dict[str, Any]) -> EnsembleProcedure:
    """Return the procedure of a method for many trees, with settings changed by name."""
    from branchwork.cli.settings import changed
    from branchwork.grow.recipe import Stopping
    from branchwork.grow.recipes import TREE, TREE_REGRESSION
    from branchwork.table.target import Classes

    base = TREE if isinstance(target, Classes) else TREE_REGRESSION
    if method == "adaboost":
        base = base.replace(stopping=Stopping(max_depth=1 if isinstance(target, Classes) else 3))
    elif method == "extra":
        base = base.replace(search=base.search.replace(missing="larger", cuts="random"))
    names = OF_BOOSTING if method == "adaboost" else OF_SAMPLES
    own = {name: value for name, value in changes.items() if name in names}
    others = {name: value for name, value in changes.items() if name not in names}
    _check(own)
    try:
        recipe = changed(base, others)
    except ParameterError as error:
        strange = next((name for name in others if f"no setting {name!r}" in str(error)), None)
        if strange is None:
            raise
        hint = did_you_mean(strange, names) or did_you_mean(
            strange, ["max_depth", "min_samples_leaf", "criterion"]
        )
        raise ParameterError(
            f"--method {method} has no setting {strange!r}.{hint} Its own are {', '.join(names)}; those of its "
            "trees are the settings of --method tree."
        ) from None
    return EnsembleProcedure(method, recipe.replace(name=base.name if method == "adaboost" else method), own)


def _check(own: dict[str, Any]) -> None:
    """Refuse values that the settings of an ensemble cannot have."""
    from branchwork.grow.checks import count_or_share, number_in, true_or_false, whole_number, word_in
    from branchwork.grow.recipe import Per
    from branchwork.learn.adaboost import Algorithm, BoostMethod
    from branchwork.learn.features import check_max_features

    checks: dict[str, Callable[[str, Any], Any]] = {
        "n_estimators": lambda name, value: whole_number(name, value, low=1),
        "random_state": lambda name, value: whole_number(name, value, low=0),
        "max_samples": lambda name, value: value if value is None else count_or_share(name, value),
        "max_features": check_max_features,
        "bootstrap": true_or_false,
        "subspace": word_in(Per),
        "learning_rate": lambda name, value: number_in(name, value, low=0, low_excluded=True),
        "method": word_in(BoostMethod),
        "algorithm": word_in(Algorithm),
    }
    for name, value in own.items():
        if name in checks:
            checks[name](f"--set {name}", value)


def describe(model: Model) -> str:
    """Tell in a few lines what an ensemble is."""
    import numpy as np

    from branchwork.view.chart import number
    from branchwork.view.ensemble_page import KINDS

    title = "Ensemble" if model.ensemble is None else model.ensemble.title
    leaves = [tree.n_leaves for tree in model.trees]
    depths = [tree.depth for tree in model.trees]
    return (
        f"{title}: {len(model.trees)} trees; the answer is {KINDS[model.combine.kind]}\n"
        f"leaves of a tree  {min(leaves)} to {max(leaves)}, mean {number(float(np.mean(leaves)))}\n"
        f"depth of a tree   {min(depths)} to {max(depths)}, mean {number(float(np.mean(depths)))}"
    )


def importances_text(model: Model) -> str:
    """Return the features that matter most, one per line."""
    from branchwork.view.terminal import harmless

    shares = model.feature_importances_
    order = [j for j in sorted(range(len(shares)), key=lambda j: -shares[j]) if shares[j] > 0]
    names = [harmless(model.schema[j].name) for j in order[:MOST_FEATURES]]
    widest = max(map(len, names), default=0)
    lines = [f"{name:{widest}}  {shares[j]:.1%}" for name, j in zip(names, order, strict=False)]
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
