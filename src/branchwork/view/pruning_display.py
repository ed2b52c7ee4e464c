"""The way from a grown tree to a pruned one, as curves: error against size, or against the price of a leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from branchwork.errors import ParameterError
from branchwork.view.figure import axes_for, legend_beside
from branchwork.view.mpl_theme import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Against = Literal["leaves", "alpha"]

LARGE = 50
"""Numbers that differ by more than this factor are drawn by powers."""
BEYOND = 1.3
"""How far, times the largest alpha, its curve goes on."""


@dataclass(frozen=True)
class Curve:
    """The error of every tree on some rows; with its standard error, if that is known."""

    name: str
    errors: tuple[float, ...]
    standard_errors: tuple[float, ...] | None = None


class PruningPathDisplay:
    """Errors of the trees on a pruning path.

    Parameters
    ----------
    method : its name.
    leaves : of each tree.
    training : errors on the training rows.
    held_out : errors on other rows; None: there are none.
    alphas : the price of a leaf from which on each tree is the best; None: the method has none.
    measure : what the errors are measured in.

    Attributes
    ----------
    best_ : position of the tree with the smallest error on other rows (of equal ones the smallest tree), or None.
    one_se_ : position of the smallest tree within one standard error of it, or None.
    ax_, figure_ : what was drawn on.

    >>> import numpy as np
    >>> import branchwork as bw
    >>> noise = np.random.default_rng(0)
    >>> X, y = noise.random((200, 3)), noise.integers(0, 2, 200)
    >>> tree = bw.TreeClassifier().fit(X[:100], y[:100])
    >>> display = bw.PruningPathDisplay.from_estimator(tree, "reduced_error", X[100:], y[100:], order="greedy")
    >>> display.leaves[0] == tree.get_n_leaves(), display.best_ == len(display.leaves) - 1
    (True, True)
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self,
        method: str,
        leaves: Sequence[int],
        training: Curve,
        held_out: Curve | None = None,
        alphas: Sequence[float] | None = None,
        measure: str = "error",
    ) -> None:
        self.method = method
        self.leaves = tuple(leaves)
        self.training = training
        self.held_out = held_out
        self.alphas = None if alphas is None else tuple(alphas)
        self.measure = measure
        self.best_ = None if held_out is None else _smallest_below(held_out, self.leaves, 0.0)
        self.one_se_ = None
        if held_out is not None and held_out.standard_errors is not None and self.best_ is not None:
            slack = held_out.standard_errors[self.best_]
            self.one_se_ = _smallest_below(held_out, self.leaves, slack)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        method: str,
        X: Any = None,
        y: Any = None,
        *,
        against: Against = "leaves",
        ax: Axes | None = None,
        **options: Any,
    ) -> PruningPathDisplay:
        """Draw the path of a fitted tree; arguments and options are those of its `pruning_path`."""
        return cls.from_path(estimator.pruning_path(method, X, y, **options), against=against, ax=ax)

    @classmethod
    def from_path(
        cls, path: Any, *, against: Against = "leaves", ax: Axes | None = None
    ) -> PruningPathDisplay:
        """Draw what `pruning_path` returned."""
        steps = path.to_dict()["steps"]
        columns = {name: tuple(step[name] for step in steps) for name in steps[0]}
        held_out, alphas = columns["validation_error"], columns["alpha"]
        display = cls(
            path.method,
            columns["leaves"],
            Curve("training rows", columns["training_error"]),
            None if None in held_out else Curve("validation rows", held_out),
            None if None in alphas else alphas,
        )
        return display.plot(ax, against=against)

    @classmethod
    def from_cp_table(
        cls, table: dict[str, list[float]], *, against: Against = "leaves", ax: Axes | None = None
    ) -> PruningPathDisplay:
        """Draw the `cp_table_` of CART: errors as shares of the root's, cross-validated ones if there are."""
        columns = {name: tuple(column) for name, column in table.items()}
        crossed = columns.get("xerror")
        display = cls(
            "cost_complexity",
            [int(splits) + 1 for splits in columns["nsplit"]],
            Curve("training rows", columns["rel_error"]),
            None if crossed is None else Curve("cross-validation", crossed, columns["xstd"]),
            columns["CP"],
            "error, as a share of the root's",
        )
        return display.plot(ax, against=against)

    def plot(self, ax: Axes | None = None, *, against: Against = "leaves") -> PruningPathDisplay:
        """Draw on given axes or in a new figure: errors against the number of leaves, or the price of a leaf."""
        places = self._places(against)
        self.ax_ = axes_for("PruningPathDisplay", ax, (8.4, 4.2))
        self.figure_ = self.ax_.figure
        _draw(self.ax_, self.training, places, against, color=theme_of(self.ax_).classes[0], marker="o")
        if self.held_out is not None:
            _draw(self.ax_, self.held_out, places, against, color=theme_of(self.ax_).classes[5], marker="s")
        self._mark(self.best_, places, "smallest error", "-")
        self._mark(self.one_se_, places, "within one standard error", ":")
        self.ax_.set(xlabel=against, ylabel=self.measure, title=self.method.replace("_", " "))
        self.ax_.spines[["top", "right"]].set_visible(False)
        _scale(self.ax_, places, against)
        legend_beside(self.ax_, list(zip(*self.ax_.get_legend_handles_labels(), strict=True)))
        return self

    def _places(self, against: Against) -> Sequence[float]:
        if against == "leaves":
            return self.leaves
        if against != "alpha":
            raise ParameterError(f"against={against!r}; expected 'leaves' or 'alpha'.")
        if self.alphas is None:
            raise ParameterError(f"The method {self.method!r} has no alpha; draw against='leaves'.")
        return self.alphas

    def _mark(self, k: int | None, places: Sequence[float], what: str, style: str) -> None:
        if k is not None:
            text = f"{what}: {self.leaves[k]} {'leaf' if self.leaves[k] == 1 else 'leaves'}"
            look: Any = {"color": theme_of(self.ax_).muted, "linewidth": 1, "linestyle": style, "zorder": 0}
            self.ax_.axvline(places[k], label=text, **look)


def _smallest_below(curve: Curve, leaves: tuple[int, ...], slack: float) -> int:
    """The smallest tree whose error is the least one, or no more than the slack above it."""
    limit = min(curve.errors) + slack
    return min(
        (size, k) for k, (size, error) in enumerate(zip(leaves, curve.errors, strict=True)) if error <= limit
    )[1]


def _draw(
    ax: Axes, curve: Curve, places: Sequence[float], against: Against, *, color: str, marker: str
) -> None:
    """A curve; against alpha in steps, because each tree is the best until the next one is."""
    order = np.argsort(places, kind="stable")
    if against == "alpha":  # the last one for ever
        order = np.append(order, order[-1])
    x, errors = np.array(places, np.float64)[order], np.array(curve.errors)[order]
    steps: Any = "default"
    if against == "alpha":
        x[-1] *= BEYOND
        steps = "steps-post"
    look: Any = {"marker": marker, "markersize": 4, "markevery": range(len(places)), "drawstyle": steps}
    ax.plot(x, errors, color=color, label=curve.name, **look)
    if curve.standard_errors is not None:
        spread = np.array(curve.standard_errors)[order]
        band: Any = {"alpha": 0.15, "linewidth": 0, "step": "post" if against == "alpha" else None}
        ax.fill_between(x, errors - spread, errors + spread, color=color, **band)


def _scale(ax: Axes, places: Sequence[float], against: Against) -> None:
    """Far apart numbers by powers; leaves in whole numbers."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    positive = [place for place in places if place > 0]
    by_powers = bool(positive) and max(positive) > LARGE * min(positive)
    if against == "alpha" and by_powers:
        ax.set_xscale("symlog", linthresh=min(positive))
        ax.set_xlim(left=-0.1 * min(positive))
    elif against == "leaves" and by_powers:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
    elif against == "leaves":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
