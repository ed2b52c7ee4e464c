"""How `grow` and `compare` learn a tree: by a recipe; folds choose the size of CART's and optimal trees."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from branchwork.cli.methods import METHOD_NAMES, default_method, recipe_of
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.grow.grow import SearchCost
    from branchwork.grow.prepared import Drawn
    from branchwork.grow.recipe import Recipe
    from branchwork.learn.prune_cv import Choose, Plan
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.tree.proof import Proof

LARGE = 100_000
"""CART grows smaller trees, and there are three folds, on tables of more rows than this."""
MOST_LEAVES = 20_000
"""A leaf of CART on a large table holds at least one of this many parts of its rows."""
LIMITS = frozenset(
    {
        "max_depth",
        "max_leaf_nodes",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "min_impurity_decrease",
    }
)
"""Settings that limit growth; who gives one of them gets no other limit."""


def usual_folds(n_rows: int) -> int:
    """Return how many folds are taken unless a number is given: the more rows, the fewer are needed.

    >>> [usual_folds(n_rows) for n_rows in (6, 10_000, 50_000, 3_000_000)]
    [6, 10, 5, 3]
    """
    return min(n_rows, 10 if n_rows <= 10_000 else 5 if n_rows <= LARGE else 3)


def checked_folds(name: str, folds: int | None, n_rows: int) -> int:
    """Return a number of folds that was given, or the usual one; refuse more folds than rows."""
    if folds is None:
        return usual_folds(n_rows)
    if not 2 <= folds <= n_rows:
        raise ParameterError(
            f"{name} {folds}; expected a number from 2 to {n_rows}, the number of rows."
            if n_rows > 1
            else f"{name} {folds}; a table of one row cannot be cross-validated."
        )
    return folds


@dataclass(frozen=True)
class Learned:
    """A model, how many leaves its tree had before it was pruned, and what is proven about an optimal tree."""

    model: Model
    leaves_grown: int
    proof: Proof | None = None


@dataclass(frozen=True)
class Procedure:
    """One way to learn.

    Parameters
    ----------
    method : as in `--method`.
    recipe : how the tree is grown, and pruned if the recipe says so.
    choose : which tree is kept, by cross-validation: one of the cost-complexity sequence or, of optimal trees, one of
        those of every depth and penalty. None: the recipe prunes.
    folds : of that cross-validation, a number or the fold of each row.
    est : the estimator whose settings were changed; None: nothing was.
    validation : rows that reduced-error pruning prunes by; None: it holds out a third of the rows.
    """

    method: str
    recipe: Recipe
    choose: Choose = None
    folds: Any = None
    est: Any = None
    validation: tuple[Table, Target] | None = None

    def pruned_by(self, validation: tuple[Table, Target] | None) -> Procedure:
        """Return the procedure with rows to prune by, if it prunes by rows that are held out."""
        pruning = self.recipe.pruning
        if validation is None or pruning is None or pruning.method != "reduced_error":
            return self
        return replace(self, recipe=self.recipe.replace(pruning=None), validation=validation)

    def counted(self, target: Target) -> Target:
        """Return the target with the weights of classes, priors and losses; they depend on which rows there are."""
        from branchwork.table.target import Classes

        if self.est is None or not isinstance(target, Classes):
            return target
        weighted = target.weighted(getattr(self.est, "class_weight", None))
        again: Target = self.est._again(weighted) if hasattr(self.est, "_again") else weighted
        return again

    def learn(
        self,
        table: Table,
        target: Target,
        *,
        progress: Callable[[int], None] | None = None,
        drawn: Drawn | None = None,
    ) -> Learned:
        """Learn a tree. A part of a table may have fewer rows than there are folds; then each row is one."""
        from branchwork.learn.prune_cv import learn_cart
        from branchwork.learn.single import learn

        target = self.counted(target)
        given: dict[str, Any] = {"handle_unknown": getattr(self.est, "handle_unknown", "missing")}
        given |= {"n_jobs": self._threads, "progress": progress}
        folds = min(self.folds, len(target)) if isinstance(self.folds, int) else self.folds
        folds = None if folds == 1 else folds
        if self.validation is not None:
            return self._pruned_by_rows(table, target, given)
        if self.recipe.optimal is not None:
            model, cost = self._searched(table, target, folds, given)
        elif getattr(self.est, "style", "plain") == "rpart":
            model, cost = self._as_rpart(table, target, folds, progress)
        elif (plan := self._plan(target, folds)) is not None:
            model, cost, _ = learn_cart(table, target, self.recipe, plan, **given, drawn=drawn)
        else:
            model, cost = learn(table, target, self.recipe, **given, drawn=drawn)
        return Learned(model, cost.leaves, cost.proof)

    @property
    def _threads(self) -> int:
        from branchwork.learn.threads import thread_count

        return 1 if self.est is None else thread_count(self.est.n_jobs)

    def _plan(self, target: Target, folds: Any) -> Plan | None:
        """Return how CART's tree is judged and chosen; None: it is kept as it grew, or the recipe prunes it."""
        from branchwork.learn.prune_cv import Plan
        from branchwork.learn.risk import Judge

        judge = self.est._judge(target) if hasattr(self.est, "_judge") else None
        cp = getattr(self.est, "cp", 0)
        if folds is None and judge is None and not cp:
            return None
        choose = None if folds is None else self.choose
        return Plan(judge or Judge(self.recipe.criterion), cp or None, folds, choose)

    def _as_rpart(
        self, table: Table, target: Target, folds: Any, progress: Callable[[int], None] | None
    ) -> tuple[Model, SearchCost]:
        """Leave it to the estimator, which knows rpart's ways."""
        est = copy.copy(self.est)
        est.xval, est.choose = folds, None if folds is None else self.choose
        model, cost, _ = est._learn(table, target, self.recipe, self._threads, progress, None)
        return model, cost

    def _searched(
        self, table: Table, target: Target, folds: Any, given: dict[str, Any]
    ) -> tuple[Model, SearchCost]:
        """Search for an optimal tree; folds choose its size."""
        from branchwork.learn.costs import costs_of
        from branchwork.learn.optimal_cv import learn_optimal
        from branchwork.learn.single import learn

        recipe = self.recipe
        assert recipe.optimal is not None
        if (loss := getattr(self.est, "loss", None)) is not None:
            costs = costs_of(None, loss, target).loss  # type: ignore[arg-type]  # only classes have losses
            recipe = recipe.replace(optimal=replace(recipe.optimal, loss=costs.tolist()))
        if folds is None:
            return learn(table, target, recipe, **given)
        model, cost, _, _ = learn_optimal(table, target, recipe, xval=folds, choose=self.choose, **given)
        return model, cost

    def _pruned_by_rows(self, table: Table, target: Target, given: dict[str, Any]) -> Learned:
        """Grow on all rows that are given, and prune by those that were kept apart."""
        from branchwork.learn.prune_model import prune_model
        from branchwork.learn.single import learn

        model, cost = learn(table, target, self.recipe, **given)
        tree = prune_model(model, "reduced_error", self.validation, {}).tree
        return Learned(replace(model, trees=(tree,)), cost.leaves)

    def model_of(self, table: Table, target: Target, drawn: Drawn) -> Model:
        """Learn a tree and return the model alone, as cross-validation asks for it."""
        return self.learn(table, target, drawn=drawn).model

    @property
    def pruning(self) -> str | None:
        """How the tree is pruned, in words; None: it is not."""
        rule = "1-SE rule" if self.choose == "1se" else "least error"
        folds = f"{self.folds} folds" if isinstance(self.folds, int) else "given folds"
        if self.choose is not None and self.recipe.optimal is not None:
            return f"the size chosen by cross-validation ({folds}, {rule})"
        if self.choose is not None:
            least = self.recipe.stopping.min_samples_leaf
            large = f", leaves of weight {least:g} or more" if least > 1 else ""
            return f"cost-complexity pruning ({folds}, {rule}{large})"
        if cp := getattr(self.est, "cp", 0):
            return f"cost-complexity pruning (cp {cp:g})"
        if self.validation is not None:
            return f"reduced-error pruning (by {len(self.validation[1])} validation rows)"
        pruning = self.recipe.pruning
        if pruning is None:
            return None
        if pruning.method == "error_based":
            return f"error-based pruning (confidence {pruning.confidence:g})"
        return "reduced-error pruning (a third of the rows held out)"

    @property
    def unpruned(self) -> str:
        """The setting that keeps the whole tree."""
        if getattr(self.est, "cp", 0):
            return "cp=0"
        return "pruning=none" if self.recipe.pruning is not None else "xval=none"

    def check_parts(self, parts: int) -> None:
        """Refuse to cross-validate what knows the rows of the whole table only."""
        if parts and self.folds is not None and not isinstance(self.folds, int):
            raise ParameterError(
                "--set xval gives the fold of each row of the whole table, but cross-validation learns from parts. "
                "Add --folds 0."
            )

    def describe(self, learned: Learned) -> str:
        """Tell in one line which method was used, and what pruning did."""
        name = METHOD_NAMES[self.method]
        if learned.proof is not None:
            from branchwork.view.proof_words import how_good

            chosen = "" if self.choose is None else f" with {self.pruning}"
            return f"{name}{chosen}: {how_good(learned.proof)}"
        if self.pruning is None:
            return f"{name}, not pruned"
        before, after = learned.leaves_grown, learned.model.tree.n_leaves
        if before == 1:
            return f"{name} with {self.pruning}: a single leaf was grown"
        leaves = "leaf" if after == 1 else "leaves"
        kept = (
            f"pruned from {before} to {after} {leaves}"
            if after < before
            else f"all {before} leaves were kept"
        )
        return f"{name} with {self.pruning}: {kept}"


def procedure_of(method: str | None, target: Target, changes: dict[str, Any]) -> Procedure:
    """Return the procedure of a method, or of the usual one for a target, with settings changed by name.

    On the command line CART is pruned: unless xval, choose or cp say otherwise, folds choose its size.
    """
    method = method or default_method(target)
    if method == "cart" and not changes.keys() & {"xval", "choose", "cp"}:
        procedure = _grown(method, target, {**changes, "xval": None, "choose": None})
        return _with_folds(procedure, target, changes, usual_folds(len(target)), "1se")
    if method in ("cart", "optimal") and changes.keys() & {"xval", "choose"}:
        xval, choose = changes.get("xval", usual_folds(len(target))), changes.get("choose", "1se")
        if xval is None and "choose" not in changes:
            choose = None
        if isinstance(xval, int) and not isinstance(xval, bool):
            checked_folds("--set xval:", xval, len(target))
        procedure = _grown(method, target, {**changes, "xval": xval, "choose": choose})
        return procedure if xval is None else _with_folds(procedure, target, changes, xval, choose)
    return _grown(method, target, changes)


def _grown(method: str, target: Target, changes: dict[str, Any]) -> Procedure:
    """Return a procedure that grows trees.

    Without changes nobody needs the estimator, which takes a second to import.
    """
    if not any(value is not None for value in changes.values()) and changes.keys() <= {"xval", "choose"}:
        return Procedure(method, recipe_of(method, target))
    from branchwork.cli.estimators import new_estimator
    from branchwork.estimators._parameters import check_parameters

    recipe_of(method, target)  # refuses a target that the method cannot learn
    est = new_estimator(method, target, changes)
    check_parameters(est)
    for name in ("confidence", "subtree_raising"):
        if name in changes and est.pruning != "error_based":
            raise ParameterError(
                f"--set {name} is a setting of error-based pruning, and this {method} is not pruned that way. Take "
                "--set pruning=error_based."
            )
    return Procedure(method, est._recipe(), est=est)


def _with_folds(
    procedure: Procedure, target: Target, changes: dict[str, Any], folds: Any, choose: Choose
) -> Procedure:
    """Return the procedure in which cross-validation chooses the tree, if there are rows for it."""
    if len(target) < 2:
        return procedure
    recipe = procedure.recipe
    if procedure.method == "cart" and not changes.keys() & LIMITS:
        recipe = _for_size(recipe, target)
    return replace(procedure, recipe=recipe, folds=folds, choose=choose)


def _for_size(recipe: Recipe, target: Target) -> Recipe:
    """Return CART's recipe for a table, if no limit was given: on a large one, leaves have a least weight.

    This bounds the work: without it, most leaves hold a single row, and every fold grows such a tree.
    """
    from branchwork.learn.risk import sample_weights

    if len(target) <= LARGE:
        return recipe
    least = float(sample_weights(target).sum()) / MOST_LEAVES
    return recipe.replace(stopping=replace(recipe.stopping, min_samples_leaf=least))
