"""A tree as a matplotlib picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwork.model.model import Model
from branchwork.view.arrange import Orientation, check_orientation
from branchwork.view.cards import Compact, deck
from branchwork.view.figure import axes_for, fitted_model
from branchwork.view.tree_drawing import place
from branchwork.view.tree_plot import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

LARGEST = 200.0
"""Inches; a larger tree is drawn smaller."""


class TreeDisplay:
    """A tree: a card for each node, a branch as wide as its share of the rows to each child.

    A new figure is as large as the tree, so that text can be read; on given axes the tree is drawn as small as they
    are.

    Parameters
    ----------
    model : of a fitted tree.
    max_depth : draw nodes down to this depth. None: as deep as about 200 nodes allow, or 1 000 where the picture is
        compact; a line says what is left out.
    orientation : "TB", from top to bottom, or "LR", from left to right, which suits deep trees.
    compact : True or "lines": one line for each node; "marks": a coloured mark for each node, without words.

    Attributes
    ----------
    ax_, figure_ : what was drawn on.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> display = bw.TreeDisplay.from_estimator(bw.ID3Classifier().fit(tennis.X, tennis.y), max_depth=1)
    >>> display.ax_.texts[0].get_text()
    'Down to depth 1: 4 of 8 nodes.'
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self,
        model: Model,
        *,
        max_depth: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
    ) -> None:
        check_orientation(orientation)
        self.model = model
        self.max_depth = max_depth
        self.orientation: Orientation = orientation
        self.compact: Compact = compact

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        max_depth: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
        ax: Axes | None = None,
    ) -> TreeDisplay:
        """Draw a fitted tree."""
        model = fitted_model(estimator)
        return cls(model, max_depth=max_depth, orientation=orientation, compact=compact).plot(ax)

    def plot(self, ax: Axes | None = None) -> TreeDisplay:
        """Draw on given axes or in a new figure."""
        shown = deck(self.model, max_depth=self.max_depth, compact=self.compact)
        drawing = place(shown, self.orientation, self.compact)
        shrink = min(1.0, LARGEST * 72 / max(drawing.width, drawing.height))
        size = drawing.width * shrink / 72, drawing.height * shrink / 72
        self.ax_ = axes_for("TreeDisplay", ax, size, whole=True)
        self.figure_ = self.ax_.figure
        draw(drawing, self.ax_)
        return self
