"""C4.5: Quinlan's algorithm, as Release 8 and as Weka's J48 have it."""

from __future__ import annotations

from typing import Literal

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeClassifierFace
from branchwork.estimators._parameters import RandomState
from branchwork.grow import recipes
from branchwork.grow.recipe import (
    Nominal,
    Pruning,
    PruningMethod,
    Recipe,
    Smoothing,
    Stopping,
)
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight

Variant = Literal["c4.5", "j48"]
C45Nominal = Literal["multiway", "one_vs_rest"]


class C45Classifier(TreeClassifierFace):
    """C4.5: the largest gain ratio among tests of at least average gain; pruned by the errors to expect.

    A numeric cut is a value of the training table and pays log2(cuts tried) / rows for the choice; a nominal column has
    one branch per value and is used once on a path. A row whose cell is unknown is shared among the branches by their
    weight, in training and in prediction. Then the tree is pruned: a subtree gives way to a leaf, or to its own largest
    branch, where no more errors are expected of that.

    Parameters
    ----------
    variant : "c4.5" (Release 8) or "j48" (Weka 3.6). They differ in how they break near-ties.
    confidence : of error-based pruning: the smaller, the more is pruned.
    min_cases : two branches of every split must have at least this sum of sample_weight, and nodes with less than twice
        as much are not split. Class weights do not count.
    pruning : "error_based"; "reduced_error": a third of the rows prunes what the others grew; None: the tree as grown.
    subtree_raising : may the largest branch of a node take its place?
    collapse : does a subtree that makes no fewer errors in training than a leaf become one, before any pruning?
    gain_ratio : False chooses by gain alone (Release 8's option -g).
    nominal : "multiway": one branch per value; "one_vs_rest": one value against all others (Weka's option -B).
    value_groups : True groups the values of a column of three and more (Release 8's option -s): a branch for each
        group, as many as make the gain ratio large; values that a node has nothing of share one more branch. Such a
        column may be tested again below.
    threshold_penalty : does a cut pay for having been chosen among many?
    max_depth : stop at this depth; None: no limit.
    class_weight : weight of each class by label; "balanced": rows / (classes · rows of the class); None: 1 each.
    min_category_rows, max_levels : treat rare categories as one, "other"; as in TreeClassifier.
    smoothing, handle_unknown, categorical_features, n_jobs, verbose, random_state : as in ID3Classifier.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> tree = bw.C45Classifier().fit(tennis.X, tennis.y)
    >>> tree.to_dict()["feature"], tree.get_n_leaves()
    ('Outlook', 5)
    """

    def __init__(
        self,
        *,
        variant: Variant = "c4.5",
        confidence: float = 0.25,
        min_cases: int | float = 2,
        pruning: PruningMethod | None = "error_based",
        subtree_raising: bool = True,
        collapse: bool = True,
        gain_ratio: bool = True,
        nominal: C45Nominal = "multiway",
        value_groups: bool = False,
        threshold_penalty: bool = True,
        max_depth: int | None = None,
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
        self.variant = variant
        self.confidence = confidence
        self.min_cases = min_cases
        self.pruning = pruning
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.gain_ratio = gain_ratio
        self.nominal = nominal
        self.value_groups = value_groups
        self.threshold_penalty = threshold_penalty
        self.max_depth = max_depth
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
        base = recipes.C45 if self.variant == "c4.5" else recipes.J48
        return base.replace(
            criterion="gain_ratio" if self.gain_ratio else "entropy",
            search=base.search.replace(
                collapse=self.collapse,
                nominal=self._branches(),
                cut_penalty=self.threshold_penalty,
                min_category_rows=self.min_category_rows,
                max_levels=self.max_levels,
            ),
            stopping=Stopping(max_depth=self.max_depth, min_samples_leaf=self.min_cases),
            pruning=self._pruning(),
            smoothing=self.smoothing,
        )

    def _branches(self) -> Nominal:
        if not self.value_groups:
            return self.nominal
        if self.variant == "j48":
            raise ParameterError('value_groups=True: J48 has no groups of values; take variant="c4.5".')
        if self.nominal != "multiway":
            raise ParameterError(
                f'value_groups=True does not go with nominal={self.nominal!r}; take nominal="multiway".'
            )
        return "groups"

    def _pruning(self) -> Pruning | None:
        if self.variant == "j48" and self.confidence > 0.5:
            raise ParameterError(f"confidence={self.confidence!r}; J48 takes at most 0.5.")
        return None if self.pruning is None else Pruning(self.pruning, self.confidence, self.subtree_raising)
