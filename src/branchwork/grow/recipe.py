"""A recipe: everything that makes one tree-growing algorithm differ from another, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal

from branchwork.errors import ParameterError, did_you_mean, shown
from branchwork.grow import optimal_settings
from branchwork.grow.checks import Check, number_in, smoothing_of, true_or_false, whole_number, word_in
from branchwork.grow.optimal_settings import Optimal
from branchwork.measure.criteria import CriterionName, CriterionOrScore, criterion_of
from branchwork.measure.own_score import Score
from branchwork.table.adapt import check_features
from branchwork.tree.outputs import Smoothing as Smoothing  # also named from here

NumericSearch = Literal["sorted", "values", "grid"]
Cuts = Literal["all", "changes", "random"]
Cut = Literal["midpoint", "data"]
Nominal = Literal["multiway", "subset", "one_vs_rest", "groups"]
Missing = Literal["branch", "larger", "share", "learn", "surrogate"]
Order = Literal["depth", "breadth", "best"]
Rules = Literal["plain", "c45", "j48", "rpart"]
Correction = Literal["bonferroni"]
PruningMethod = Literal["error_based", "reduced_error"]
Per = Literal["node", "tree"]
ChaidVariant = Literal["chaid", "exhaustive"]
ChaidStatistic = Literal["pearson", "likelihood"]
ChaidMultiplier = Literal["spss", "biggs"]

_share = partial(number_in, low=0, low_excluded=True, high=1)
_at_least_0 = partial(number_in, low=0)


def criterion_in(literal: Any) -> Check:
    """Return a check that refuses criteria other than the words of a Literal and user-defined scores."""
    check = word_in(literal)
    return lambda name, value: value if isinstance(value, Score) else check(name, value)


CHECKS: dict[str, Check] = {
    "criterion": criterion_in(CriterionName),
    "order": word_in(Order),
    "zero_gain": true_or_false,
    "smoothing": smoothing_of,
    "honest": partial(whole_number, low=0, none=True),
    # how splits are searched
    "search": word_in(NumericSearch),
    "grid": partial(number_in, low=0, low_excluded=True, none=True),
    "cuts": word_in(Cuts),
    "cut": word_in(Cut),
    "nominal": word_in(Nominal),
    "missing": word_in(Missing),
    "rules": word_in(Rules),
    "collapse": true_or_false,
    "threshold_penalty": true_or_false,
    "max_surrogates": partial(whole_number, low=0),
    "min_category_rows": partial(number_in, low=0, none=True),
    "max_levels": partial(whole_number, low=1, none=True),
    # when a node becomes a leaf
    "max_depth": partial(whole_number, low=0, none=True),
    "max_leaf_nodes": partial(whole_number, low=1, none=True),
    "min_samples_split": _at_least_0,
    "min_samples_leaf": _at_least_0,
    "min_weight_fraction_leaf": partial(number_in, low=0, high=0.5),
    "min_gain": _at_least_0,
    "min_impurity_decrease": _at_least_0,
    "max_p_value": partial(number_in, low=0, high=1, none=True),
    "correction": word_in(Correction | None),
    # how a grown tree is pruned
    "pruning": word_in(PruningMethod),
    "confidence": _share,
    "subtree_raising": true_or_false,
    # CHAID
    "variant": word_in(ChaidVariant),
    "statistic": word_in(ChaidStatistic),
    "multiplier": word_in(ChaidMultiplier),
    "alpha_merge": _share,
    "alpha_split": _share,
    "alpha_resplit": partial(number_in, low=0, low_excluded=True, high=1, none=True),
    "bonferroni": true_or_false,
    "bins": partial(whole_number, low=2),
    "ordinal_features": check_features,
    # optimal trees
    **optimal_settings.CHECKS,
    # features drawn at random
    "features": partial(whole_number, low=1),
    "per": word_in(Per),
}
"""The check of each setting of a recipe, by its name in the estimators, which use the same checks."""

USER_NAMES = {
    "numeric": "search",
    "method": "pruning",
    "raising": "subtree_raising",
    "cut_penalty": "threshold_penalty",
}
"""Fields that have another name in the estimators."""


def _check_fields(part: Any, names: Iterable[str] | None = None) -> None:
    """Check the fields of a part of a recipe, all or only the named ones, and store them as plain Python."""
    settings = vars(part)
    for field_name in names or tuple(settings):
        name = USER_NAMES.get(field_name, field_name)
        if (check := CHECKS.get(name)) is not None:
            settings[field_name] = check(name, settings[field_name])


@dataclass(frozen=True)
class Search:
    """How splits are searched.

    Parameters
    ----------
    numeric : "sorted" (sort once, running counts), or the slow "values" and "grid" of the lecture.
    grid : for "grid": a step (float) or a number of points (int).
    cuts : "all" gaps between distinct values, only those where the class "changes", or one cut at "random" between the
        smallest and the largest value of each node (extra trees).
    cut : "midpoint" of two neighbouring values, or "data": the largest value of the training table not above it.
    nominal : "multiway": one branch per category, and a feature that was used is not tried again below; "subset": two
        groups of categories; "one_vs_rest": one category against all others; "groups": with C4.5's rules, any number of
        groups, chosen by the gain ratio.
    missing : where missing values go: to a "branch" of their own, to the "larger" branch, to every branch by weight
        ("share"), to the branch where the split is best ("learn"), or where the best other feature sends the row
        ("surrogate").
    max_surrogates : with missing="surrogate": how many surrogates a node keeps.
    rules : "plain": the best score wins; "c45", "j48": Quinlan's rules, as in C4.5 Release 8 and in Weka's J48;
        "rpart": as rpart does it where it differs from us (docs/algorithms/cart.md).
    collapse : with Quinlan's rules: whether a subtree becomes a leaf if that makes no more errors in training.
    cut_penalty : with Quinlan's rules: whether log2(thresholds tried) / rows is subtracted from the gain of a
        threshold, because it was chosen among many.
    min_category_rows : categories with less weight than this, summed over the rows of the fit, are merged into one
        level, "other". None: no category is merged.
    max_levels : keep this many categories of a categorical feature, those with the most weight (ties: the earlier
        category); the others are merged into "other". None: no limit.
    """

    numeric: NumericSearch = "sorted"
    grid: float | int | None = None
    cuts: Cuts = "all"
    cut: Cut = "midpoint"
    nominal: Nominal = "multiway"
    missing: Missing = "branch"
    rules: Rules = "plain"
    collapse: bool = False
    cut_penalty: bool = True
    max_surrogates: int = 0
    min_category_rows: int | float | None = None
    max_levels: int | None = None

    def __post_init__(self) -> None:
        _check_fields(self)
        if (self.missing == "surrogate") != (self.max_surrogates > 0):
            raise ParameterError(
                f"max_surrogates={self.max_surrogates} with missing={self.missing!r}; surrogates need both, as in "
                'CARTClassifier(max_surrogates=5). Here missing="larger" may do.'
            )
        if self.missing == "surrogate" and (self.nominal, self.numeric) != ("subset", "sorted"):
            raise ParameterError('missing="surrogate" goes with nominal="subset" and search="sorted".')
        if self.rules in ("c45", "j48") and (self.missing != "share" or self.nominal == "subset"):
            raise ParameterError(
                f'rules={self.rules!r} go with missing="share" and any nominal but "subset".'
            )
        if self.cuts == "random" and (
            self.missing in ("share", "surrogate")
            or (self.numeric, self.cut, self.rules) != ("sorted", "midpoint", "plain")
        ):
            raise ParameterError(
                'cuts="random" goes with search="sorted", cut="midpoint", and missing="larger", "learn" or "branch".'
            )
        if self.nominal == "groups" and self.rules != "c45":
            raise ParameterError(f'nominal="groups" goes with rules="c45", not with {self.rules!r}.')
        if self.numeric == "grid" and self.grid is None:
            raise ParameterError('search="grid" needs grid=: a step (0.1) or a number of points (100).')
        if self.numeric != "grid" and self.grid is not None:
            raise ParameterError(
                f'grid={self.grid!r} without search="grid" has no effect: set both, or leave grid out.'
            )

    def replace(self, **changes: Any) -> Search:
        """Return a search with some settings changed."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Stopping:
    """When a node becomes a leaf.

    Parameters
    ----------
    max_depth, max_leaf_nodes : None: no limit.
    min_samples_split, min_samples_leaf : minimum sum of sample weights of a node to be split, and of a branch.
        min_samples_split up to 2 and min_samples_leaf up to 1 never bind, because every split has rows on both sides.
        Below 1: a share of the sum of all sample weights, rounded up if all weights are whole numbers. 0: no limit.
    min_weight_fraction_leaf : the minimum share of all weight in a branch, including class weights. 0: no limit.
    min_gain : the minimum gain of a split per row; 0 disables the limit.
    min_impurity_decrease : the same, times the node's share of the table; 0 disables the limit.
    max_p_value : the largest p-value of a split, by Pearson's chi-square of branch against class, or by the F test for
        numbers. None: no limit.
    correction : "bonferroni" multiplies the p-value by the number of splits that were compared.
    """

    max_depth: int | None = None
    min_samples_split: int | float = 0
    min_samples_leaf: int | float = 0
    max_leaf_nodes: int | None = None
    min_gain: float = 0
    min_impurity_decrease: float = 0
    max_p_value: float | None = None
    correction: Correction | None = None
    min_weight_fraction_leaf: float = 0

    def __post_init__(self) -> None:
        _check_fields(self)
        if self.max_p_value is None:
            if self.correction is not None:
                raise ParameterError(
                    f"correction={self.correction!r} without max_p_value has no effect: set both, or leave it out."
                )
            return
        if self.max_leaf_nodes is not None:
            raise ParameterError(
                "max_p_value and max_leaf_nodes do not go together: leave one of them out, or prune('significance')."
            )


@dataclass(frozen=True)
class Pruning:
    """How a tree is pruned as part of its recipe.

    Parameters
    ----------
    method : "error_based": by the expected errors, from the rows that the tree was grown on; "reduced_error": a third
        of the rows is held out, and subtrees that do not reduce the errors on them are removed.
    confidence : "error_based": the smaller, the more is pruned.
    raising : "error_based": whether the largest branch of a node may replace it.
    """

    method: PruningMethod
    confidence: float = 0.25
    raising: bool = True

    def __post_init__(self) -> None:
        _check_fields(self)


@dataclass(frozen=True)
class Chaid:
    """How CHAID merges categories and tests features.

    Parameters
    ----------
    variant : "chaid" (Kass 1980) or "exhaustive" (Biggs et al. 1991), which merges down to two groups and keeps the
        best stage.
    statistic : for classes: "pearson" or "likelihood" chi-square. Numbers are tested by F.
    alpha_merge : groups whose p-value is above this are merged. Exhaustive CHAID does not use it.
    alpha_split : a feature may split a node if its adjusted p-value is at most this.
    alpha_resplit : a merged group of three or more categories is split again if the p-value of its best split is at
        most this; None: never.
    bonferroni : whether p-values are multiplied by the number of ways to form the groups.
    multiplier : which multiplier exhaustive CHAID uses for unordered categories: "spss" or "biggs".
    bins : numeric features with more values than this are binned into this many intervals of about equal weight.
    ordinal_features : features whose categories are ordered; a numeric feature among them keeps all its values.
    """

    variant: ChaidVariant = "chaid"
    statistic: ChaidStatistic = "pearson"
    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    alpha_resplit: float | None = None
    bonferroni: bool = True
    multiplier: ChaidMultiplier = "spss"
    bins: int = 10
    ordinal_features: Any = ()

    def __post_init__(self) -> None:
        _check_fields(self)
        if self.alpha_resplit is not None:
            self._check_resplit(self.alpha_resplit)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a plain dictionary."""
        features = [getattr(feature, "item", lambda f=feature: f)() for feature in self.ordinal_features]
        return {**vars(self), "ordinal_features": features}

    def _check_resplit(self, alpha: float) -> None:
        if self.variant == "exhaustive":
            raise ParameterError(
                f"alpha_resplit={alpha!r}: exhaustive CHAID never splits merged groups again. Leave it at None."
            )
        if alpha > self.alpha_merge:
            raise ParameterError(
                f"alpha_resplit={alpha!r} is above alpha_merge={self.alpha_merge!r}: categories that were just merged "
                "would be split again. Take a value that is not above."
            )


@dataclass(frozen=True)
class Subspace:
    """Random subsets of features that a tree may use.

    Parameters
    ----------
    features : how many features.
    per : "node": each node draws a new subset; features that cannot split the node do not count (Breiman 2001). "tree":
        one subset for the whole tree (Ho 1998).
    """

    features: int
    per: Per = "node"

    def __post_init__(self) -> None:
        _check_fields(self)


@dataclass(frozen=True)
class Recipe:
    """One algorithm.

    Parameters
    ----------
    name : as in `branchwork grow --method`.
    criterion : the score of a split.
    order : which node is split next; it matters only with max_leaf_nodes.
    zero_gain : whether a split may have a gain of 0 (with "variance": also a negative gain).
    pruning : how the grown tree is pruned; None: not at all.
    smoothing : smoothing of leaf probabilities: None (n_kc / n_k), "laplace", or m of the m-estimate.
    chaid : for CHAID: how features are tested. The tests choose the splits, and the criterion only measures the gain.
    subspace : random subsets of features; None: every node may use all features.
    optimal : for optimal trees: what to minimise, and how to search. Then the criterion only measures the gain.
    honest : the seed that divides the rows into two halves: one chooses the splits, the other determines the
        predictions of the nodes (learn/honest.py). None: all rows do both.
    """

    name: str
    criterion: CriterionOrScore
    search: Search = field(default_factory=Search)
    stopping: Stopping = field(default_factory=Stopping)
    order: Order = "depth"
    zero_gain: bool = False
    pruning: Pruning | None = None
    smoothing: Smoothing = None
    chaid: Chaid | None = None
    subspace: Subspace | None = None
    optimal: Optimal | None = None
    honest: int | None = None

    def __post_init__(self) -> None:
        _check_fields(self, ("criterion", "order", "zero_gain", "smoothing", "honest"))
        if self.honest is not None:
            self._check_honest()
        if self.chaid is not None:
            self._check_chaid()
        if self.optimal is not None:
            self._check_optimal()
        if self.search.rules in ("c45", "j48") and self.stopping.min_weight_fraction_leaf:
            raise ParameterError(
                f"rules={self.search.rules!r} have no min_weight_fraction_leaf; use min_cases."
            )
        if not isinstance(self.name, str):
            raise ParameterError(f"name={shown(self.name)}; expected text.")

    def _check_honest(self) -> None:
        if self.search.missing == "share":
            raise ParameterError(
                'honest=True does not go with missing="share": rows are shared by the weights of the branches, which '
                'an honest tree counts again. Take missing="learn" or "larger".'
            )
        if self.chaid is not None or self.optimal is not None or self.search.rules in ("c45", "j48"):
            raise ParameterError("honest=True is for the trees of Tree, CART and forests.")

    def _check_chaid(self) -> None:
        if self.criterion not in ("entropy", "squared_error"):
            raise ParameterError(
                f"criterion={self.criterion!r}: CHAID chooses by p-values. Leave the criterion out."
            )
        limits = self.stopping
        if (
            limits.max_leaf_nodes is not None
            or limits.min_weight_fraction_leaf
            or limits.min_gain
            or limits.min_impurity_decrease
        ):
            raise ParameterError(
                "CHAID knows no max_leaf_nodes, min_weight_fraction_leaf, min_gain or min_impurity_decrease; take "
                "alpha_split or max_depth."
            )

    def _check_optimal(self) -> None:
        if self.criterion not in ("accuracy", "squared_error"):
            raise ParameterError(
                f"criterion={self.criterion!r}: optimal trees make the fewest errors, or the smallest squared error. "
                "Leave the criterion out."
            )
        usual = Stopping(
            self.stopping.max_depth, 0, self.stopping.min_samples_leaf, self.stopping.max_leaf_nodes
        )
        if self.stopping != usual or self.pruning is not None:
            raise ParameterError(
                "Optimal trees are limited by max_depth, max_leaf_nodes, min_samples_leaf and leaf_penalty alone."
            )
        if self.search.nominal not in ("one_vs_rest", "subset") or self.search.missing != "learn":
            raise ParameterError(
                f"nominal={self.search.nominal!r}, missing={self.search.missing!r}: optimal trees take "
                'nominal="one_vs_rest" or "subset", and missing="learn".'
            )

    @property
    def is_classification(self) -> bool:
        """Whether the criterion is for classes."""
        return criterion_of(self.criterion).task == "classes"

    @property
    def unit(self) -> str:
        """What impurity and gain are measured in."""
        return criterion_of(self.criterion).unit

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain dictionaries."""
        parts = {
            "search": {**vars(self.search)},
            "stopping": {**vars(self.stopping)},
            "pruning": None if self.pruning is None else {**vars(self.pruning)},
            "chaid": None if self.chaid is None else self.chaid.to_dict(),
            "subspace": None if self.subspace is None else {**vars(self.subspace)},
            "optimal": None if self.optimal is None else self.optimal.to_dict(),
        }
        told = {name: value for name, value in vars(self).items() if name != "honest" or value is not None}
        return {**told, **parts}

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> Recipe:
        """Make the recipe from the result of `to_dict`; settings that are not given have their defaults.

        >>> recipe = Recipe("mine", "gini", stopping=Stopping(max_depth=3))
        >>> Recipe.from_dict(recipe.to_dict()) == recipe
        True
        """
        if "library" in settings or not {"name", "criterion"} <= settings.keys():
            raise ParameterError("The model does not say how its tree was grown.")
        may_be_none = ("pruning", "chaid", "subspace", "optimal")
        told = [name for name in PARTS if name in settings]
        parts = {
            name: _made_of(PARTS[name], settings[name], name)
            for name in told
            if settings[name] is not None or name not in may_be_none
        }
        made: Recipe = _made_of(cls, {**settings, **parts}, "recipe")
        return made

    def replace(self, **changes: Any) -> Recipe:
        """Return a recipe with some settings changed."""
        return replace(self, **changes)


PARTS: dict[str, Any] = {
    "search": Search,
    "stopping": Stopping,
    "pruning": Pruning,
    "chaid": Chaid,
    "subspace": Subspace,
    "optimal": Optimal,
}
"""The parts of a recipe that have settings of their own."""


def _made_of(kind: Any, settings: object, name: str) -> Any:
    """Make a recipe, or a part of one, from its settings; refuse unknown names."""
    if not isinstance(settings, dict):
        raise ParameterError(f"{name}={shown(settings)}; expected settings by name.")
    known = [own.name for own in fields(kind)]
    for word in settings:
        if word not in known:
            raise ParameterError(f"{name} has no setting {word!r}.{did_you_mean(str(word), known)}")
    try:
        return kind(**settings)
    except TypeError:
        raise ParameterError(f"{name} lacks a setting, or has one of a wrong type.") from None
