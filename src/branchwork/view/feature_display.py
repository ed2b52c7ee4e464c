"""A feature against the target, drawn by matplotlib: histogram, bars or boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.tree.split import harmless
from branchwork.view.class_key import ClassKey
from branchwork.view.digits import brief, shortened
from branchwork.view.feature_chart import Bars, Boxes, Histogram
from branchwork.view.figure import LITERAL, WIDEST_NAME, axes_for, legend_beside
from branchwork.view.mpl_theme import HATCHES, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class FeatureDisplay:
    """A feature against the target: counts by class, or the quartiles of a numeric target.

    Parameters
    ----------
    picture : what a look holds for a feature.
    key : the classes and their colours; None if the target is numeric, or there is none.
    name : the name of the feature.

    Attributes
    ----------
    ax_, figure_ : what was drawn.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> display = bw.FeatureDisplay.from_look(bw.study.look(tennis.X, tennis.y), "Wind")
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['Weak', 'Strong']
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, picture: Histogram | Bars | Boxes, key: ClassKey | None, name: str) -> None:
        self.picture, self.key, self.name = picture, key, name

    @classmethod
    def from_look(cls, look: Any, name: str, *, ax: Axes | None = None) -> FeatureDisplay:
        """Draw a feature of what `bw.study.look` found."""
        if not hasattr(look, "feature") or not hasattr(look, "key"):
            raise ParameterError(f"Expected what bw.study.look returns; got {type(look).__name__}.")
        return cls(look.feature(name).picture, look.key, name).plot(ax)

    def plot(self, ax: Axes | None = None) -> FeatureDisplay:
        """Draw on given axes or in a new figure."""
        self.ax_ = axes_for("FeatureDisplay", ax, (5.6, 3.6))
        self.figure_ = self.ax_.figure
        if isinstance(self.picture, Histogram):
            self._histogram(self.picture)
        elif isinstance(self.picture, Bars):
            self._bars(self.picture)
        else:
            self._boxes(self.picture)
        self.ax_.set_title(shortened(harmless(self.name), 60), loc="left", **LITERAL)
        self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    def _parts(self, counts: Any) -> list[tuple[npt.NDArray[np.float64], dict[str, Any]]]:
        """Return the counts and the look of each class; without classes, of all rows."""
        table, theme = np.array(counts, np.float64).reshape(len(counts), -1), theme_of(self.ax_)
        if self.key is None:
            return [(table.sum(axis=1), {"color": theme.classes[0]})]
        looks = [
            {
                "facecolor": colour,
                "hatch": HATCHES[self.key.pattern(entry)] or None,
                "edgecolor": theme.card,
                "linewidth": 0,
            }
            for entry, colour in enumerate(self.key.colours(theme))
        ]
        return list(zip(table.T, looks, strict=True))

    def _legend(self) -> None:
        if self.key is not None:
            names = [shortened(name, WIDEST_NAME) for name in self.key.names]
            legend_beside(self.ax_, list(zip(self.ax_.containers, names, strict=True)))

    def _histogram(self, picture: Histogram) -> None:
        n = len(picture.counts)
        if not n:
            return
        edges = np.linspace(
            picture.low, picture.high if picture.high > picture.low else picture.low + 1, n + 1
        )
        base = np.zeros(n)
        for heights, look in self._parts(picture.counts):
            self.ax_.bar(edges[:-1], heights, np.diff(edges), base, align="edge", **look)
            base += heights
        missing = "" if picture.missing is None else f"; {sum(picture.missing)} rows are missing"
        self.ax_.set(ylabel="rows", xlabel=f"{brief(picture.low)} to {brief(picture.high)}{missing}")
        self._legend()

    def _bars(self, picture: Bars) -> None:
        base, places = np.zeros(len(picture.names)), np.arange(len(picture.names))
        for widths, look in self._parts(picture.counts):
            self.ax_.barh(places, widths, 0.75, base, **look)
            base += widths
        self.ax_.set_yticks(places, [shortened(name, WIDEST_NAME) for name in picture.names], **LITERAL)
        self.ax_.set(xlabel="rows", ylim=(len(places) - 0.4, -0.6))
        self._legend()

    def _boxes(self, picture: Boxes) -> None:
        places = [k for k, box in enumerate(picture.boxes) if box is not None]
        boxes = np.array([box for box in picture.boxes if box is not None], np.float64).reshape(-1, 4)
        self.ax_.bar(places, boxes[:, 3] - boxes[:, 1], 0.7, boxes[:, 1], color=theme_of(self.ax_).classes[0])
        self.ax_.hlines(
            boxes[:, 2], np.array(places) - 0.35, np.array(places) + 0.35, color=theme_of(self.ax_).ink
        )
        names = list(picture.names)
        if picture.ends is not None:
            groups = len(names) - picture.missing
            names[:groups] = [f"≤ {brief(end)}" for end in picture.ends[1 : groups + 1]]
        shown = [shortened(name, WIDEST_NAME) for name in names]
        self.ax_.set_xticks(range(len(names)), shown, rotation=45, ha="right", **LITERAL)
        self.ax_.set(ylabel="middle half of the target, and its median")
