"""A list of rules as a classifier: a C4.5 tree, made into rules and post-pruned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeClassifierFace
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._parameters import RandomState
from branchwork.estimators._predicting import one_column
from branchwork.estimators.c45 import C45Classifier, Variant
from branchwork.grow.recipe import Recipe
from branchwork.learn.single import without_weightless_rows
from branchwork.model.model import Model
from branchwork.rules.extract import extract
from branchwork.rules.post_prune import post_pruned
from branchwork.rules.rule_list import Method, RuleList
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.table import Table
from branchwork.table.target import Classes, ClassWeight, Target
from branchwork.tree.tree import Tree
from branchwork.view.why import Why

if TYPE_CHECKING:
    import scipy.sparse


class RuleListClassifier(TreeClassifierFace):
    """Rules from a C4.5 tree, post-pruned: the first rule that a row matches answers for it.

    The tree is grown without pruning, every leaf becomes a rule, and rules lose the conditions that do not help.
    `rules_` is the list. The tree stays at hand: `tree_`, `working()`, `get_depth()`, `get_n_leaves()` and
    `feature_importances_` speak of it; everything else speaks of the rules.

    A missing cell satisfies no condition. `predict_proba` gives, for the rule that answers, Laplace's shares among the
    training rows that it was the first to match: (n_c + 1) / (n + classes). The class of a rule that is wrong on most
    of them is not the most probable one.

    Parameters
    ----------
    method : "c4.5rules" (Quinlan 1993: pessimistic deletion, the subset of shortest description for each class, ordered
        classes, a default) or "mitchell" (delete what does not lower a rule's estimated accuracy, sort by it).
    confidence : of the pessimistic error; smaller deletes more.
    variant, min_cases, gain_ratio, collapse, max_depth : of the tree, as in C45Classifier.
    class_weight : as in C45Classifier; rules are chosen and their rows counted by these weights, too.
    handle_unknown, categorical_features, n_jobs, verbose, random_state : as in ID3Classifier; an unseen category that
        goes with the "majority" satisfies no condition either.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(bw.RuleListClassifier().fit(tennis.X, tennis.y).rules_)
       rule                                                  rows  coverage  confidence  estimate  lift
    1  Outlook = Sunny and Humidity = High → PlayTennis: No     3     21.4%      100.0%     63.0%  2.80
    2  Outlook = Rain and Wind = Strong → PlayTennis: No        2     14.3%      100.0%     50.0%  2.80
    3  Outlook = Overcast → PlayTennis: Yes                     4     28.6%      100.0%     70.7%  1.56
    4  Humidity = Normal → PlayTennis: Yes                      7     50.0%       85.7%     66.2%  1.33
    5  Outlook = Rain and Wind = Weak → PlayTennis: Yes         3     21.4%      100.0%     63.0%  1.56
       otherwise → PlayTennis: Yes
    """

    rules_: RuleList

    def __init__(
        self,
        *,
        method: Method = "c4.5rules",
        confidence: float = 0.25,
        variant: Variant = "c4.5",
        min_cases: int | float = 2,
        gain_ratio: bool = True,
        collapse: bool = True,
        max_depth: int | None = None,
        class_weight: ClassWeight = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.method = method
        self.confidence = confidence
        self.variant = variant
        self.min_cases = min_cases
        self.gain_ratio = gain_ratio
        self.collapse = collapse
        self.max_depth = max_depth
        self.class_weight = class_weight
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _members(self, table: Table, target: Target, n_jobs: int) -> None:
        """Rules are made after growth, so each sample needs a fit of its own."""

    def _recipe(self) -> Recipe:
        return C45Classifier(
            variant=self.variant,
            pruning=None,
            min_cases=self.min_cases,
            gain_ratio=self.gain_ratio,
            collapse=self.collapse,
            max_depth=self.max_depth,
        )._recipe()

    def _after(self, model: Model, table: Table, target: Target) -> dict[str, Any]:
        table, target = without_weightless_rows(table, target)
        assert isinstance(target, Classes)
        rules = extract(model)
        return {"rules_": post_pruned(rules, table, target, method=self.method, confidence=self.confidence)}

    def _with_tree(self, tree: Tree) -> Self:
        raise ParameterError(
            "The rules came from the tree as it was grown. Shorten them by confidence= or rules().post_prune(X, y); "
            "to prune a tree take C45Classifier."
        )

    def _notebook_html(self) -> str:
        return self.rules_._repr_html_()

    def why(self, row: Any, *, want: Any = None, fixed: Iterable[str] = ()) -> Why:
        """Refuse: the first rule that a row matches answers, not the tree that the rules came from."""
        raise ParameterError(
            "A list of rules answers by the first rule that matches: apply(X) tells which, rules() shows it. To "
            "explain a row by a tree take C45Classifier."
        )

    # ---- predicting

    @of_one_fit
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of every row: that of the first rule it matches."""
        table = self._coded(X)
        self._threads(table)
        return self.classes_[self.model_.class_place[self.rules_.decisions(table)]]

    @of_one_fit
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Predict the probability of every class, in the order of `classes_`."""
        table = self._coded(X)
        self._threads(table)
        return self.rules_.predict_proba(table)

    @of_one_fit
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows, by weight, whose class is predicted right."""
        table = self._coded(X)
        return self.rules_.score(table, one_column(y, type(self).__name__), sample_weight)

    @of_one_fit
    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the position in `rules_` of the rule that answers for every row; -1 is the default."""
        table = self._coded(X)
        return self.rules_.apply(table)

    @of_one_fit
    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return a sparse 0–1 matrix (rows × rules): which rules each row matches, whatever their order."""
        from scipy.sparse import csr_matrix

        table = self._coded(X)
        return csr_matrix(self.rules_.matches(table).astype(np.int8))

    # ---- looking

    def rules(self, *, simplify: bool = False) -> RuleList:
        """Return the list of rules; `simplify` merges conditions on one feature."""
        check_is_fitted(self)
        return self.rules_.simplify() if simplify else self.rules_

    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the rules as a program, or as a table: see `RuleList.export`."""
        check_is_fitted(self)
        return self.rules_.export(language, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as plain data."""
        check_is_fitted(self)
        return self.rules_.to_dict()

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        color: bool | None = None,
        full: bool = False,
        width: int | None = None,
    ) -> str:
        """Return the rules as text, a line each; `max_depth` and `color` are for trees and change nothing."""
        check_is_fitted(self)
        return self.rules_.to_text(full=full, width=width)
