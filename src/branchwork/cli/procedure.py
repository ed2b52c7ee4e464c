"""How `grow` and `compare` learn a tree: by a recipe; folds choose the size of CART's and optimal trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from branchwork.cli import settings
from branchwork.cli.methods import METHOD_NAMES, default_method, recipe_of
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.grow.prepared import Drawn
    from branchwork.grow.recipe import Recipe
    from branchwork.learn.prune_cv import Choose
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.tree.proof import Proof

LARGE = 100_000
"""CART grows smaller trees, and there are three folds, on tables of more rows than this."""
MOST_LEAVES = 20_000
"""A leaf of CART on a large table holds at least one of this many parts of its rows."""


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
    folds : of that cross-validation.
    validation : rows that reduced-error pruning prunes by; None: it holds out a third of the rows.
    """

    method: str
    recipe: Recipe
    choose: Choose = None
    folds: int = 0
    validation: tuple[Table, Target] | None = None

    def pruned_by(self, validation: tuple[Table, Target] | None) -> Procedure:
        """Return the procedure with rows to prune by, if it prunes by rows that are held out."""
        pruning = self.recipe.pruning
        if validation is None or pruning is None or pruning.method != "reduced_error":
            return self
        return replace(self, recipe=self.recipe.replace(pruning=None), validation=validation)

    def learn(
        self,
        table: Table,
        target: Target,
        *,
        progress: Callable[[int], None] | None = None,
        drawn: Drawn | None = None,
    ) -> Learned:
        """Learn a tree. A part of a table may have fewer rows than there are folds; then each row is one."""
        from branchwork.learn.prune_cv import Plan, learn_cart
        from branchwork.learn.risk import Judge
        from branchwork.learn.single import learn

        folds = min(self.folds, len(target))
        if self.validation is not None:
            return self._pruned_by_rows(table, target, progress)
        if self.choose is None or folds < 2:
            model, cost = learn(table, target, self.recipe, progress=progress, drawn=drawn)
        elif self.recipe.optimal is not None:
            from branchwork.learn.optimal_cv import learn_optimal

            model, cost, _, _ = learn_optimal(
                table, target, self.recipe, xval=folds, choose=self.choose, progress=progress
            )
        else:
            plan = Plan(Judge(self.recipe.criterion), None, folds, self.choose)
            model, cost, _ = learn_cart(table, target, self.recipe, plan, progress=progress, drawn=drawn)
        return Learned(model, cost.leaves, cost.proof)

    def _pruned_by_rows(
        self, table: Table, target: Target, progress: Callable[[int], None] | None
    ) -> Learned:
        """Grow on all rows that are given, and prune by those that were kept apart."""
        from branchwork.learn.prune_model import prune_model
        from branchwork.learn.single import learn

        model, cost = learn(table, target, self.recipe, progress=progress)
        tree = prune_model(model, "reduced_error", self.validation, {}).tree
        return Learned(replace(model, trees=(tree,)), cost.leaves)

    def model_of(self, table: Table, target: Target, drawn: Drawn) -> Model:
        """Learn a tree and return the model alone, as cross-validation asks for it."""
        return self.learn(table, target, drawn=drawn).model

    @property
    def pruning(self) -> str | None:
        """How the tree is pruned, in words; None: it is not."""
        rule = "1-SE rule" if self.choose == "1se" else "least error"
        if self.choose is not None and self.recipe.optimal is not None:
            return f"the size chosen by cross-validation ({self.folds} folds, {rule})"
        if self.choose is not None:
            least = self.recipe.stopping.min_samples_leaf
            large = f", leaves of weight {least:g} or more" if least > 1 else ""
            return f"cost-complexity pruning ({self.folds} folds, {rule}{large})"
        if self.validation is not None:
            return f"reduced-error pruning (by {len(self.validation[1])} validation rows)"
        pruning = self.recipe.pruning
        if pruning is None:
            return None
        if pruning.method == "error_based":
            return f"error-based pruning (confidence {pruning.confidence:g})"
        return "reduced-error pruning (a third of the rows held out)"

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
    """Return the procedure of a method, or of the usual one for a target, with settings changed by name."""
    method = method or default_method(target)
    recipe = recipe_of(method, target)
    own: dict[str, Any] = {name: changes[name] for name in ("xval", "choose") if name in changes}
    if method == "optimal" and own:
        others = {name: value for name, value in changes.items() if name not in own}
        return _with_folds(method, settings.changed(recipe, others), own, target)
    if method != "cart" or changes.get("pruning", "cost_complexity") != "cost_complexity":
        return Procedure(method, settings.changed(recipe, changes))
    others = {name: value for name, value in changes.items() if name not in (*own, "pruning")}
    recipe = _for_size(settings.changed(recipe, others), target)
    _check_prunable(recipe)
    return _with_folds(method, recipe, own, target)


def _with_folds(method: str, recipe: Recipe, own: dict[str, Any], target: Target) -> Procedure:
    """Return a procedure in which cross-validation chooses the tree."""
    choose, xval = own.get("choose", "1se"), own.get("xval")
    if choose not in ("1se", "min"):
        raise ParameterError(f"--set choose={choose}; expected 1se or min.")
    if xval is not None and (not isinstance(xval, int) or isinstance(xval, bool)):
        raise ParameterError(f"--set xval={xval}; expected a number of folds.")
    if len(target) < 2:
        return Procedure(method, recipe)
    return Procedure(method, recipe, choose, checked_folds("--set xval:", xval, len(target)))


def _for_size(recipe: Recipe, target: Target) -> Recipe:
    """Return CART's recipe for a table: on a large one, leaves have a least weight, unless a limit was given.

    This bounds the work: without it, most leaves hold a single row, and every fold grows such a tree.
    """
    from branchwork.grow.recipe import Stopping
    from branchwork.learn.risk import sample_weights

    if len(target) <= LARGE or recipe.stopping != Stopping():
        return recipe
    return recipe.replace(
        stopping=Stopping(min_samples_leaf=float(sample_weights(target).sum()) / MOST_LEAVES)
    )


def _check_prunable(recipe: Recipe) -> None:
    """Refuse settings that cross-validation would not obey."""
    without = "--method cart is pruned by cross-validation; add --set pruning=none."
    if recipe.stopping.max_p_value is not None:
        raise ParameterError(f"--set max_p_value stops growth instead of pruning, but {without}")
    if recipe.search.missing == "share":
        raise ParameterError(
            f"--set missing=share: folds cannot judge a tree that shares rows, and {without}"
        )
