"""Dart boards with matplotlib, in scikit-learn's manner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwork.errors import ParameterError
from branchwork.view.dart_board import Board, reach_of
from branchwork.view.figure import LITERAL, axes_for
from branchwork.view.mpl_theme import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE = 3.2
"""Inches of a board."""


class BiasVarianceDisplay:
    """Dart boards: each dart is a model, the middle is the truth.

    The centre of the darts is as far from the middle as the root of the squared bias; how far they scatter around it is
    the variance.

    Parameters
    ----------
    boards : what is drawn; `BiasVariance.board()` and `BiasVarianceSweep.boards()` return it.

    Attributes
    ----------
    axes_ : of each board.
    ax_, figure_ : of the first board.

    >>> import branchwork as bw
    >>> found = bw.study.bias_variance(bw.TreeRegressor(), bw.study.WaveSampler(), n_repeats=20, n_test=50)
    >>> display = bw.BiasVarianceDisplay.from_result(found)
    >>> len(display.axes_)
    1
    """

    ax_: Axes
    axes_: list[Axes]
    figure_: Figure | SubFigure

    def __init__(self, boards: Sequence[Board]) -> None:
        self.boards = tuple(boards)

    @classmethod
    def from_result(cls, found: Any, *, ax: Axes | None = None) -> BiasVarianceDisplay:
        """Draw what `bw.study.bias_variance` returned, for one setting or for several values."""
        boards = found.boards() if hasattr(found, "boards") else [found.board("All models")]
        return cls(boards).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, sampler: Any = None, *, ax: Axes | None = None, **options: Any
    ) -> BiasVarianceDisplay:
        """Take the error of an estimator apart and draw it; options are those of `bw.study.bias_variance`."""
        from branchwork.study.decompose import bias_variance

        return cls.from_result(bias_variance(estimator, sampler, **options), ax=ax)

    def plot(self, ax: Axes | None = None) -> BiasVarianceDisplay:
        """Draw the boards side by side in a new figure, or a single one on given axes."""
        count = len(self.boards)
        if ax is not None and count > 1:
            raise ParameterError(
                f"There are {count} boards; leave ax out, so that they get a figure of their own."
            )
        first = axes_for("BiasVarianceDisplay", ax, (SIZE * count, SIZE + 0.5))
        self.axes_ = [first]
        if count > 1:
            figure = first.figure
            first.remove()
            self.axes_ = list(figure.subplots(1, count, sharex=True, sharey=True))
        reach = reach_of(self.boards)
        for axes, board in zip(self.axes_, self.boards, strict=True):
            _draw(axes, board, reach)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        return self


def _draw(axes: Axes, board: Board, reach: float) -> None:
    from matplotlib.patches import Circle

    for share in (1 / 3, 2 / 3, 1):
        axes.add_patch(Circle((0, 0), reach * share, fill=False, color=theme_of(axes).branch))
    shown = [dart for dart in board.darts if max(map(abs, dart)) <= reach]
    axes.plot(
        [x for x, _ in shown],
        [y for _, y in shown],
        "o",
        markersize=3,
        alpha=0.45,
        color=theme_of(axes).classes[0],
    )
    axes.plot([0, board.centre[0]], [0, board.centre[1]], color=theme_of(axes).ink, linewidth=1)
    axes.plot([0], [0], "+", markersize=10, color=theme_of(axes).ink)
    axes.plot([board.centre[0]], [board.centre[1]], "o", markersize=7, color=theme_of(axes).classes[5])
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[], aspect="equal")
    axes.set_title(board.title, **LITERAL)
    axes.set_xlabel(board.note, fontsize=8, **LITERAL)
    axes.set_frame_on(False)
