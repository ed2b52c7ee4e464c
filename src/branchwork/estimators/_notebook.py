"""How a fitted estimator is shown in a notebook."""

from __future__ import annotations

from typing import Any

from branchwork.estimators._predicting import PredictsByTrees
from branchwork.view.model_view import model_html


class ShowsInNotebook(PredictsByTrees):
    """A notebook shows the model of a fitted estimator; one that is not fitted is shown as scikit-learn does."""

    def _notebook_html(self) -> str:
        """Return what a notebook shows of the fitted model."""
        return model_html(self.model_, type(self).__name__)

    def _repr_html_inner(self) -> str:
        """Return the HTML; scikit-learn asks here for it."""
        return self._notebook_html() if "model_" in vars(self) else str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show the same where a notebook asks for several forms at once."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle and "model_" in vars(self):
            bundle["text/html"] = self._notebook_html()
        return bundle
