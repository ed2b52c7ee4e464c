"""Which columns matter, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.tree.split import harmless
from branchwork.view.digits import shortened
from branchwork.view.figure import LITERAL, WIDEST_NAME, axes_for, fitted_model
from branchwork.view.mpl_theme import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class ImportanceDisplay:
    """Importance of columns, the largest on top.

    Parameters
    ----------
    names, importances : of all columns.
    max_features : how many to show; a line says how many are not.

    Attributes
    ----------
    ax_, figure_, bars_ : what was drawn.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> display = bw.ImportanceDisplay.from_estimator(bw.ID3Classifier().fit(tennis.X, tennis.y))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['Humidity', 'Wind', 'Outlook', 'Temperature']
    """

    ax_: Axes
    figure_: Figure | SubFigure
    bars_: Any

    def __init__(self, names: Sequence[str], importances: npt.ArrayLike, *, max_features: int = 20) -> None:
        if max_features < 1:
            raise ParameterError(f"max_features={max_features!r}; expected a whole number from 1 on.")
        self.names = tuple(names)
        self.importances = np.asarray(importances, np.float64)
        if self.importances.shape != (len(self.names),):
            raise ParameterError(
                f"There are {len(self.names)} names, but {self.importances.size} importances."
            )
        self.max_features = max_features

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_features: int = 20, ax: Axes | None = None
    ) -> ImportanceDisplay:
        """Draw the importances of a fitted tree: the impurity that each column's splits took away, as shares."""
        model = fitted_model(estimator)
        shares = model.feature_importances_
        return cls(model.schema.names, shares, max_features=max_features).plot(ax)

    def plot(self, ax: Axes | None = None) -> ImportanceDisplay:
        """Draw on given axes or in a new figure."""
        order = np.argsort(-self.importances, kind="stable")[: self.max_features].tolist()
        self.ax_ = axes_for("ImportanceDisplay", ax, (6.4, 1.2 + 0.3 * len(order)))
        self.figure_ = self.ax_.figure
        shares = self.importances[order]
        places = np.arange(len(order))
        self.bars_ = self.ax_.barh(places, shares, color=theme_of(self.ax_).classes[0], height=0.7)
        self.ax_.bar_label(self.bars_, [f"{share:.3f}" for share in shares], padding=3, fontsize="small")
        self.ax_.set_yticks(
            places, [shortened(harmless(self.names[k]), WIDEST_NAME) for k in order], **LITERAL
        )
        self.ax_.set(xlabel="importance", ylim=(len(order) - 0.4, -0.6), xlim=(0, 1.15 * (shares.max() or 1)))
        self.ax_.spines[["top", "right"]].set_visible(False)
        hidden = len(self.names) - len(order)
        if hidden:
            what = "1 column that is" if hidden == 1 else f"{hidden} columns that are"
            text = f"Not shown: {what} no more important"
            self.ax_.set_title(text, loc="left", fontsize="small")
        return self
