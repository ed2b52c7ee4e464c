"""The methods that prune a model. Loaded models and those of other libraries have them like fitted estimators.

Pruning and learning depend on models, not the other way round, so each method imports them when it is called.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.prune.cost_complexity import ImpurityPath


class Prunes:
    """The methods that prune a model of one tree; of several trees, take `model.member(k)`."""

    def prune(
        self, method: str, X: Any = None, y: Any = None, *, sample_weight: Any = None, **options: Any
    ) -> Model:
        """Return a model with a pruned tree; this model is not changed.

        Parameters
        ----------
        method, options : as in the `prune` of an estimator.
        X, y, sample_weight : the rows that a method needs. A model does not store the class weights of its training;
            give them as sample weights.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> model = bw.ID3Classifier().fit(tennis.X, tennis.y).model_
        >>> model.tree.n_leaves, model.prune("cost_complexity", alpha=0.3).tree.n_leaves
        (5, 1)
        """
        from branchwork.learn.prune_model import prune_model, rows_for

        model = cast("Model", self)
        outcome = prune_model(model, method, rows_for(model, X, y, sample_weight), options)
        return replace(model, trees=(outcome.tree,), proof=None)

    def cost_complexity_path(self) -> ImpurityPath:
        """Return the sequence of cost-complexity pruning by impurity: `ccp_alphas` and `impurities`."""
        from branchwork.prune.cost_complexity import impurity_path

        return impurity_path(cast("Model", self).tree)
