"""Optimal trees: of all trees within the limits, the one with the fewest errors, and the proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeClassifierFace, TreeRegressorFace
from branchwork.estimators._parameters import RandomState
from branchwork.grow import recipes
from branchwork.grow.checks import whole_number
from branchwork.grow.grow import Progress, SearchCost, sample_limits
from branchwork.grow.optimal import Alternative, root_alternatives
from branchwork.grow.optimal_settings import Effort, Minimise, OnInterrupt, Optimal
from branchwork.grow.recipe import Recipe, Smoothing, Stopping
from branchwork.learn.costs import Loss, costs_of
from branchwork.learn.optimal_cv import ChooseOptimal, CvTable, learn_optimal
from branchwork.learn.single import Validation
from branchwork.learn.threads import thread_count
from branchwork.model.model import Model
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.levels import merged
from branchwork.table.table import Table
from branchwork.table.target import Classes, ClassWeight, Target

OptimalNominal = Literal["one_vs_rest", "subset"]


class _OptimalTree:
    """What both estimators share: from the settings to the recipe, and the proof as attributes."""

    objective_: float
    lower_bound_: float
    gap_: float
    proven_: bool
    search_: Bunch
    cv_table_: CvTable
    chosen_: Bunch | None

    def _recipe_from(self, base: Recipe) -> Recipe:
        est: Any = self
        asked = Optimal(
            leaf_penalty=est.leaf_penalty,
            effort=est.effort,
            lookahead=est.lookahead,
            minimise=est.minimise,
            max_errors=est.max_errors,
            max_gap=est.max_gap,
            time_limit=est.time_limit,
            memory_limit=est.memory_limit,
            on_interrupt=est.on_interrupt,
        )
        return base.replace(
            search=base.search.replace(
                nominal=est.nominal, min_category_rows=est.min_category_rows, max_levels=est.max_levels
            ),
            stopping=Stopping(est.max_depth, 0, est.min_samples_leaf, est.max_leaf_nodes),
            smoothing=getattr(est, "smoothing", None),
            optimal=asked,
        )

    def alternatives_(self, k: int = 3, *, X: Any, y: Any, sample_weight: Any = None) -> list[Alternative]:
        """Return the `k` best root splits by different features, with the least objective of a tree that begins so.

        The training data are handed back, because a tree does not keep them. Features are left out by which no tree is
        better than a single leaf. The search takes about as long as a fit for each feature.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.OptimalTreeClassifier(max_depth=2).fit(tennis.X, tennis.y)
        >>> [(one.feature, one.objective) for one in tree.alternatives_(2, X=tennis.X, y=tennis.y)]
        [('Outlook', 0.0), ('Humidity', 2.0)]
        """
        check_is_fitted(self)
        k = whole_number("k", k, low=1)
        est: Any = self
        table, target = est._handed_in(X, y, sample_weight)
        recipe = Recipe.from_dict(est.model_.recipe)
        min_leaf = sample_limits(recipe, target)[1]
        found = root_alternatives(
            merged(table), target, recipe, min_leaf=min_leaf, n_jobs=thread_count(est.n_jobs)
        )
        return found[:k]

    def _growing_threads(self, table: Table) -> int:
        est: Any = self
        return thread_count(est.n_jobs)  # the search is shared out, however small the table is

    def _learn(
        self,
        table: Table,
        target: Target,
        recipe: Recipe,
        threads: int,
        progress: Progress | None,
        validation: Validation | None,
    ) -> tuple[Model, SearchCost, dict[str, Any]]:
        est: Any = self
        more: dict[str, Any] = {}
        if est.choose is not None and est.xval is None:
            raise ParameterError(f"choose={est.choose!r} needs cross-validation: set xval=10, say.")
        if est.xval is None:
            model, cost, _ = super()._learn(  # type: ignore[misc]
                table, target, recipe, threads, progress, validation
            )
        elif validation is not None:
            raise ParameterError(
                "X_val and y_val cut a tree off; xval chooses its size. Take one or the other."
            )
        else:
            model, cost, found_by_folds, choice = learn_optimal(
                table,
                target,
                recipe,
                xval=est.xval,
                choose=est.choose,
                handle_unknown=est.handle_unknown,
                n_jobs=threads,
                progress=progress,
            )
            more = {"cv_table_": found_by_folds, "chosen_": None if choice is None else Bunch(**vars(choice))}
        proof = cost.proof
        assert proof is not None
        found = {
            "objective_": proof.objective,
            "lower_bound_": proof.lower_bound,
            "gap_": proof.gap,
            "proven_": proof.proven,
            "search_": Bunch(ending=proof.ending, seconds=proof.seconds, **proof.counts),
        }
        return model, cost, found | more


class OptimalTreeClassifier(_OptimalTree, TreeClassifierFace):
    """The tree with the fewest errors on the training rows of all trees within the limits, and the proof.

    Greedy learners choose one split after the other; this one compares whole trees, by branch and bound. Every cut of
    every numeric feature is a candidate. A categorical feature can be split into one branch for each value, or one
    value against the others. Missing values may go to either side of every test, or stand alone. Time grows steeply
    with `max_depth`: depth 3 takes seconds for ten thousand rows, depth 4 minutes. docs/algorithms/optimal.md says when
    a greedy tree is enough.

    Of several trees with the fewest errors, the one with the smaller depth is taken, then the one whose split comes
    earlier in the table or at the smaller threshold, from the root down. The number of threads makes no difference.

    Parameters
    ----------
    max_depth : the largest depth of the tree. None: no limit.
    max_leaf_nodes : the largest number of leaves. None: no limit.
    leaf_penalty : add this share of all weight to the errors for each leaf but the first.
    min_samples_leaf : leaves have at least this sum of sample_weight; below 1, this share of it.
    effort : "exact": the best of all trees. "lookahead": each split begins the best tree of `lookahead` levels.
        "split": the best trees of one, two, … `lookahead` levels, and those that begin with other features, each offer
        their root split; each is completed by looking ahead, and the best complete tree decides. "greedy": CART,
        without splits that do not lower the objective.
    lookahead : levels that effort="lookahead" and "split" search exactly.
    minimise : "error", or "leaves": the fewest leaves with which the errors are at most `max_errors`.
    max_errors : with minimise="leaves": the largest allowed weight of errors.
    max_gap : stop when the errors are proven to be within this weight of the fewest. With a gap, one thread searches.
    time_limit : seconds; then the best tree so far is kept. It is never worse than effort="greedy".
    memory_limit : bytes that the search may use; then the best tree so far is kept, as with time_limit.
    on_interrupt : at Ctrl-C, "raise" KeyboardInterrupt, or "keep" the best tree so far.
    nominal : "one_vs_rest", or "subset": all divisions of the values in two groups, up to 8 values.
    xval : cross-validate the best trees of every depth up to max_depth and every penalty: a number of folds, or the
        fold of each row. See `cv_table_`. time_limit then holds for each search.
    choose : with xval, the depth and penalty to take: "min" (least error), "1se" (the simplest tree within a standard
        error), or None: those that are set.
    loss : loss[c][k] is the cost of taking class c for class k, as in CARTClassifier. None: 1 each.
    class_weight, smoothing, min_category_rows, max_levels, handle_unknown, categorical_features, n_jobs, verbose,
        random_state : as in CARTClassifier.

    Attributes
    ----------
    objective_ : weight (or cost) of the errors on the training rows, plus the penalties; with minimise="leaves", the
        number of leaves.
    lower_bound_ : no tree within the limits has a smaller objective.
    gap_ : objective_ − lower_bound_.
    proven_ : whether the gap is 0.
    search_ : how the search ended, its seconds, subproblems, cuts, what each bound closed, and the cache.
    cv_table_ : with xval, a row for each different tree: max_depth, leaf_penalty, n_leaves, error on the training rows,
        xerror on rows that the trees of the folds have not seen, and its standard error xstd.
    chosen_ : with choose, the max_depth and leaf_penalty that were taken.

    >>> import branchwork as bw
    >>> X = {"a": [0, 0, 1, 1] * 3, "b": [0, 1, 0, 1] * 3, "c": [0, 0, 0, 1, 1, 1] * 2}
    >>> tree = bw.OptimalTreeClassifier(max_depth=2).fit(X, ["no", "yes", "yes", "no"] * 3)
    >>> tree.objective_, tree.proven_, tree.get_n_leaves()
    (0.0, True, 4)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        leaf_penalty: float = 0.0,
        min_samples_leaf: int | float = 1,
        effort: Effort = "exact",
        lookahead: int = 2,
        minimise: Minimise = "error",
        max_errors: float | None = None,
        max_gap: float = 0,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        on_interrupt: OnInterrupt = "raise",
        nominal: OptimalNominal = "one_vs_rest",
        xval: Any = None,
        choose: ChooseOptimal = None,
        loss: Loss = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.leaf_penalty = leaf_penalty
        self.min_samples_leaf = min_samples_leaf
        self.effort = effort
        self.lookahead = lookahead
        self.minimise = minimise
        self.max_errors = max_errors
        self.max_gap = max_gap
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.on_interrupt = on_interrupt
        self.nominal = nominal
        self.xval = xval
        self.choose = choose
        self.loss = loss
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return self._recipe_from(recipes.OPTIMAL)

    def _learn(
        self,
        table: Table,
        target: Target,
        recipe: Recipe,
        threads: int,
        progress: Progress | None,
        validation: Validation | None,
    ) -> tuple[Model, SearchCost, dict[str, Any]]:
        assert isinstance(target, Classes)
        assert recipe.optimal is not None
        if self.loss is not None:
            costs = costs_of(None, self.loss, target).loss
            recipe = recipe.replace(optimal=replace(recipe.optimal, loss=costs.tolist()))
        return super()._learn(table, target, recipe, threads, progress, validation)


class OptimalTreeRegressor(_OptimalTree, TreeRegressorFace):
    """The tree with the smallest squared error on the training rows of all trees within the limits, and the proof.

    Parameters
    ----------
    leaf_penalty : add this share of the squared error of a single leaf to the objective for each leaf but the first.
    max_errors, max_gap : sums of squared errors.
    max_depth, max_leaf_nodes, min_samples_leaf, effort, lookahead, minimise, time_limit, memory_limit, on_interrupt,
        nominal, xval, choose, min_category_rows, max_levels, handle_unknown, categorical_features, n_jobs, verbose,
        random_state : as in OptimalTreeClassifier.

    Attributes
    ----------
    objective_ : sum of squared errors on the training rows, plus the penalties; with minimise="leaves", leaves.
    lower_bound_, gap_, proven_, search_, cv_table_, chosen_ : as in OptimalTreeClassifier.

    >>> import branchwork as bw
    >>> bikes = bw.datasets.load("bike_rentals")
    >>> tree = bw.OptimalTreeRegressor(max_depth=1).fit(bikes.X, bikes.y)
    >>> tree.proven_, tree.to_dict()["feature"]
    (True, 'SEASON')
    """

    def __init__(
        self,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        leaf_penalty: float = 0.0,
        min_samples_leaf: int | float = 1,
        effort: Effort = "exact",
        lookahead: int = 2,
        minimise: Minimise = "error",
        max_errors: float | None = None,
        max_gap: float = 0,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        on_interrupt: OnInterrupt = "raise",
        nominal: OptimalNominal = "one_vs_rest",
        xval: Any = None,
        choose: ChooseOptimal = None,
        min_category_rows: int | float | None = None,
        max_levels: int | None = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.leaf_penalty = leaf_penalty
        self.min_samples_leaf = min_samples_leaf
        self.effort = effort
        self.lookahead = lookahead
        self.minimise = minimise
        self.max_errors = max_errors
        self.max_gap = max_gap
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.on_interrupt = on_interrupt
        self.nominal = nominal
        self.xval = xval
        self.choose = choose
        self.min_category_rows = min_category_rows
        self.max_levels = max_levels
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _recipe(self) -> Recipe:
        return self._recipe_from(recipes.OPTIMAL_REGRESSION)
