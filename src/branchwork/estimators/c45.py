"""C4.5: Quinlan's algorithm, as Release 8 and as Weka's J48 have it."""

from __future__ import annotations

from typing import Literal

from branchwork.errors import ParameterError
from branchwork.estimators._base import TreeClassifierFace
from branchwork.grow import recipes
from branchwork.grow.recipe import Recipe, Smoothing, Stopping, number_in, one_of
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.conform import HandleUnknown
from branchwork.table.target import ClassWeight

Variant = Literal["c4.5", "j48"]


class C45Classifier(TreeClassifierFace):
    """C4.5's growth: the largest gain ratio among tests of at least average gain; unknown cells go down every branch.

    Nothing is pruned. A numeric cut is a value of the training table and pays log2(cuts tried) / rows for the choice; a
    nominal column has one branch per value and is used once on a path. A row whose cell is unknown is shared among the
    branches by their weight, in training and in prediction.

    Parameters
    ----------
    variant : "c4.5" (Release 8) or "j48" (Weka 3.6). They differ in how they break near-ties.
    min_cases : two branches of every split must have this many rows, and a node of fewer than twice as many is a leaf.
    gain_ratio : False chooses by gain alone (Release 8's option -g).
    collapse : does a subtree that makes no fewer errors in training than a leaf become one?
    max_depth : stop at this depth; None: no limit.
    class_weight : weight of each class by label, "balanced", or None.
    smoothing, handle_unknown, categorical_features, n_jobs, verbose : as in ID3Classifier.

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
        min_cases: int | float = 2,
        gain_ratio: bool = True,
        collapse: bool = True,
        max_depth: int | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        handle_unknown: HandleUnknown = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.min_cases = min_cases
        self.gain_ratio = gain_ratio
        self.collapse = collapse
        self.max_depth = max_depth
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        one_of("variant", self.variant, Variant)
        number_in("min_cases", self.min_cases, low=1)
        for name in ("gain_ratio", "collapse"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name}={getattr(self, name)!r}; expected True or False.")
        base = recipes.C45 if self.variant == "c4.5" else recipes.J48
        return base.replace(
            criterion="gain_ratio" if self.gain_ratio else "entropy",
            search=base.search.replace(collapse=self.collapse),
            stopping=Stopping(max_depth=self.max_depth, min_samples_leaf=self.min_cases),
            smoothing=self.smoothing,
        )
