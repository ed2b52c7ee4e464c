"""CART: two branches at every split, surrogates for missing cells, priors, losses and cost-complexity pruning."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._parameters import RandomState, seed_of
from branchwork.grow import recipes
from branchwork.grow.grow import Progress, SearchCost
from branchwork.grow.recipe import Recipe, Smoothing, Stopping
from branchwork.learn.costs import Costs, Loss, Priors, altered, costs_of, loss_of
from branchwork.learn.loss_direction import LossTable, warn_of_direction
from branchwork.learn.prune_cv import Choose, CpTable, Plan, check_rows_of_folds, learn_cart, rows_with_a_cell
from branchwork.learn.risk import Judge
from branchwork.learn.single import Validation
from branchwork.learn.threads import thread_count
from branchwork.measure.criteria import ClassCriterion, ValueCriterion
from branchwork.measure.own_score import Score
from branchwork.model.model import Model
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.table import Table
from branchwork.table.target import Classes, ClassWeight, Target

Style = Literal["plain", "rpart"]


def _cart_recipe(est: Any, base: Recipe) -> Recipe:
    """CART's recipe with its limits."""
    if est.choose is not None and est.xval is None:
        raise ParameterError(f"choose={est.choose!r} needs cross-validation: set xval=10, say.")
    for name, off in (("priors", None), ("loss", None), ("shrink", 0), ("style", "plain")):
        given = getattr(est, name, off)
        if est.honest and given is not off and not (isinstance(given, str | float | int) and given == off):
            raise ParameterError(
                f"honest=True counts other rows in the nodes, and {name} decides what they answer; expected one or the "
                "other."
            )
    surrogates = est.max_surrogates
    missing = "surrogate" if surrogates else "larger"
    return base.replace(
        criterion=est.criterion,
        search=base.search.replace(
            missing=missing,
            max_surrogates=surrogates,
            rules=est.style,
            min_category_rows=est.min_category_rows,
            max_levels=est.max_levels,
        ),
        stopping=Stopping(
            est.max_depth,
            est.min_samples_split,
            est.min_samples_leaf,
            est.max_leaf_nodes,
            min_impurity_decrease=est.min_impurity_decrease,
            min_weight_fraction_leaf=est.min_weight_fraction_leaf,
        ),
        order="best",
        smoothing=getattr(est, "smoothing", None),
        honest=seed_of(est.random_state) if est.honest else None,
    )


def _rpart_settings(changes: dict[str, Any]) -> dict[str, Any]:
    """rpart's settings; the least leaf follows the least split unless it is given."""
    least = changes.get("min_samples_split", 20)
    if not isinstance(least, numbers.Real):  # `fit` will refuse it
        least = 20
    return {
        "style": "rpart",
        "cp": 0.01,
        "min_samples_split": 20,
        "min_samples_leaf": round(least / 3) if least >= 1 else least / 3,
        "max_depth": 30,
        "max_surrogates": 5,
        "xval": 10,
        **changes,
    }


class _Cart:
    """What both CARTs share: from the settings to a plan."""

    cp: float
    xval: Any
    choose: Choose
    style: Style
    handle_unknown: HandleUnknown
    n_jobs: int | None
    cp_table_: CpTable

    def _judge(self, target: Target) -> Judge | None:
        """How answers are judged; None: as any tree's."""
        return None

    def _again(self, target: Target) -> Target:
        """A target of fewer rows: what classes count is to be counted again."""
        return target

    def _handed_in(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Target]:
        """Rows in the model's own categories and labels; as rpart has it, without those that have no known cell."""
        table, target = super()._handed_in(X, y, sample_weight)  # type: ignore[misc]
        fitted: _Cart = self._as_fitted()  # type: ignore[attr-defined]
        if fitted.style == "rpart":
            rows = rows_with_a_cell(table)
            if len(rows) < table.n_rows:
                table, target = table.take(rows), fitted._again(target.take(rows))
        return table, target

    def _growing_threads(self, table: Table) -> int:
        if self.xval is not None:  # the folds are shared out, too
            return thread_count(self.n_jobs)
        threads: int = super()._growing_threads(table)  # type: ignore[misc]
        return threads

    def _learn(
        self,
        table: Table,
        target: Target,
        recipe: Recipe,
        threads: int,
        progress: Progress | None,
        validation: Validation | None,
    ) -> tuple[Model, SearchCost, dict[str, Any]]:
        xval = self.xval
        if self.style == "rpart":
            rows = rows_with_a_cell(table)
            check_rows_of_folds(xval, table.n_rows)
            if len(rows) < table.n_rows:
                xval = xval if xval is None or np.ndim(xval) == 0 else np.asarray(xval)[rows]
                table, target = table.take(rows), self._again(target.take(rows))
        judge = self._judge(target)
        cp = None if self.cp == 0 and self.style == "plain" else self.cp
        plan = Plan(judge or Judge(recipe.criterion), cp, xval, self.choose)
        if judge is None and cp is None and xval is None:  # nothing was asked for
            learned: tuple[Model, SearchCost, dict[str, Any]] = super()._learn(  # type: ignore[misc]
                table, target, recipe, threads, progress, validation
            )
            return learned
        if validation is not None:
            raise ParameterError(
                "X_val and y_val stop growth; cp, xval, priors and loss prune it. Take one or the other."
            )
        model, cost, found = learn_cart(
            table,
            target,
            recipe,
            plan,
            handle_unknown=self.handle_unknown,
            n_jobs=threads,
            progress=progress,
        )
        return model, cost, {"cp_table_": found, **self._losses(table, target, recipe, plan, found, threads)}

    def _losses(
        self, table: Table, target: Target, recipe: Recipe, plan: Plan, found: CpTable, threads: int
    ) -> dict[str, LossTable]:
        """Return the losses by the names of classes, if there are any; warn if they seem to be the wrong way round."""
        return {}


class CARTClassifier(_Cart, TreeClassifierFace):
    """CART: two branches at every split, categories in the best two groups, no split for nothing.

    As it comes, nothing is pruned, and missing cells, which do not count in a split's gain, go with the larger branch.
    Everything else is there to be asked for; `CARTClassifier.like_rpart()` asks for what R's rpart does.
    The rules are in docs/algorithms/cart.md.

    Parameters
    ----------
    criterion : "gini", "entropy", "accuracy", "gain_ratio", or a score of your own (bw.Score).
    cp : cut splits that take less than cp · (risk of the root) from the risk, a split. 0: none.
    max_surrogates : of each node, how many other columns may stand in where the cell of the split is missing.
    priors : share of each class, by label or in the order of `classes_`; None: as in the data.
    loss : loss[c][k] is the cost of taking class c for class k, both in the order of `classes_` (a pandas DataFrame: by
        label); None: 1 each.
    xval : cross-validate the sequence of trees: a number of folds, or the fold of each row. See `cp_table_`.
    choose : with xval, the tree to keep: "min" (least error), "1se" (the simplest within a standard error), or None.
    style : "plain", or "rpart": its ways where they differ from ours.
    max_depth : stop at this depth; None: no limit.
    max_leaf_nodes : stop at this many leaves; None: no limit. The best nodes are split first.
    min_samples_split, min_samples_leaf : a node of less weight is not split; a split that makes a lighter branch is not
        made. From 1 on they are compared with sums of sample_weight (scikit-learn and rpart count rows); class weights
        do not count. Below 1 they are shares of all sample weight, rounded up where all weights are whole numbers.
    min_weight_fraction_leaf : a split that makes a branch of less than this share of all weight is not made; class
        weights, priors and losses count.
    min_impurity_decrease : a split must gain this much, times the node's share of the table.
    class_weight : weight of each class by label; "balanced": rows / (classes · rows of the class); None: 1 each. Not
        together with priors or loss.
    smoothing : of predict_proba: None (n_kc / n_k), "laplace", or the m of an m-estimate. Not with priors or loss.
    min_category_rows, max_levels : treat rare categories as one, "other"; as in TreeClassifier.
    honest : one half of the rows chooses the splits, the other half says what the nodes answer; as in TreeClassifier.
        Pruning by cp or xval is part of the choice. Not with priors, loss or style="rpart".
    handle_unknown, categorical_features, n_jobs, verbose, random_state : as in ID3Classifier.

    Attributes
    ----------
    cp_table_ : the sequence of trees, the simplest first, as columns: CP, nsplit, rel_error, and with xval also xerror
        and xstd. Errors are in units of the root's. There is none if nothing was pruned or cross-validated.
    loss_ : the losses, if any were given; it prints as a table with the names of the classes.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(bw.CARTClassifier(max_depth=1).fit(tennis.X, tennis.y).to_text())
    PlayTennis: No, Yes
    all rows                                      14 rows  Yes: 9 (64%)  No: 5 (36%)
    ├─ Outlook = Overcast → PlayTennis: Yes        4 rows  Yes: 4 (100%)
    └─ Outlook in {Rain, Sunny} → PlayTennis: No  10 rows  No: 5 (50%)  Yes: 5 (50%)
    """

    def __init__(
        self,
        *,
        criterion: ClassCriterion | Score = "gini",
        cp: float = 0.0,
        max_surrogates: int = 0,
        priors: Priors = None,
        loss: Loss = None,
        xval: Any = None,
        choose: Choose = None,
        style: Style = "plain",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        honest: bool = False,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.cp = cp
        self.max_surrogates = max_surrogates
        self.priors = priors
        self.loss = loss
        self.xval = xval
        self.choose = choose
        self.style = style
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.honest = honest
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def like_rpart(cls, **changes: Any) -> CARTClassifier:
        """CART as R's rpart has it: at least 20 samples to split and 7 in a leaf, cp 0.01, 5 surrogates, 10 folds.

        The folds are dealt out in turn, class by class, where rpart draws them; give the fold of each row to have the
        same ones.

        >>> CARTClassifier.like_rpart(cp=0.001)
        CARTClassifier(cp=0.001, max_depth=30, max_surrogates=5, min_samples_leaf=7,
                       min_samples_split=20, style='rpart', xval=10)
        """
        return cls(**_rpart_settings(changes))

    def _recipe(self) -> Recipe:
        if self.priors is not None or self.loss is not None:
            for name in ("class_weight", "smoothing"):
                if getattr(self, name) is not None:
                    raise ParameterError(f"{name} and priors or loss were given; expected one or the other.")
        return _cart_recipe(self, recipes.CART)

    def _target(self, y: Any, sample_weight: Any) -> Target:
        return self._again(super()._target(y, sample_weight))

    def _again(self, target: Target) -> Target:
        assert isinstance(target, Classes)
        costs = self._costs(target)
        return target if costs is None else altered(target, costs)

    def _costs(self, target: Classes) -> Costs | None:
        if self.priors is None and self.loss is None:
            return None
        return costs_of(self.priors, self.loss, target)

    def _losses(
        self, table: Table, target: Target, recipe: Recipe, plan: Plan, found: CpTable, threads: int
    ) -> dict[str, LossTable]:
        if self.loss is None:
            return {}
        assert isinstance(target, Classes)
        losses = LossTable(*loss_of(self.loss, target))

        def learn(loss: npt.NDArray[np.float64], as_rpart: bool) -> CpTable:
            costs = costs_of(self.priors, loss, target)
            judge = Judge(self.criterion, costs, as_rpart=as_rpart)
            own = altered(target, costs)
            return learn_cart(table, own, recipe, replace(plan, judge=judge), n_jobs=threads)[2]

        if "xerror" in found:
            warn_of_direction(found, losses, self.style == "rpart", learn)
        return {"loss_": losses}

    def _judge(self, target: Target) -> Judge | None:
        assert isinstance(target, Classes)
        costs = self._costs(target)
        return None if costs is None else Judge(self.criterion, costs, as_rpart=self.style == "rpart")


class CARTRegressor(_Cart, TreeRegressorFace):
    """CART for numbers: the split that leaves the smallest squared error; a leaf is a mean.

    Parameters
    ----------
    criterion : "squared_error", "variance" (n − 1) or "poisson" (counts).
    shrink : with criterion="poisson": pull the rates of leaves towards that of the table, as if they came from a
        distribution with this coefficient of variation. 0: they are means.
    cp, max_surrogates, xval, choose, style, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf,
        min_weight_fraction_leaf, min_impurity_decrease, min_category_rows, max_levels, honest (not with shrink),
        handle_unknown, categorical_features, n_jobs, verbose, random_state : as in CARTClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> bw.CARTRegressor(max_depth=1).fit(bikes.X, bikes.y).to_dict()["values"]
    [['autumn', 'spring', 'summer'], ['winter']]
    """

    def __init__(
        self,
        *,
        criterion: ValueCriterion = "squared_error",
        shrink: float = 0.0,
        cp: float = 0.0,
        max_surrogates: int = 0,
        xval: Any = None,
        choose: Choose = None,
        style: Style = "plain",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        honest: bool = False,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.shrink = shrink
        self.cp = cp
        self.max_surrogates = max_surrogates
        self.xval = xval
        self.choose = choose
        self.style = style
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.honest = honest
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def like_rpart(cls, **changes: Any) -> CARTRegressor:
        """CART as R's rpart has it; with criterion="poisson" rates are shrunk by 1.

        >>> CARTRegressor.like_rpart(criterion="poisson").shrink
        1.0
        """
        shrink = {"shrink": 1.0} if changes.get("criterion") == "poisson" else {}
        return cls(**_rpart_settings(shrink | changes))

    def _recipe(self) -> Recipe:
        if self.shrink and self.criterion != "poisson":
            raise ParameterError(f'shrink={self.shrink!r} goes with criterion="poisson" only; set it to 0.')
        return _cart_recipe(self, recipes.CART_REGRESSION)

    def _judge(self, target: Target) -> Judge | None:
        return Judge(self.criterion, shrink=self.shrink) if self.shrink else None
