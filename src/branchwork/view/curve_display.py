"""Curves of a study with matplotlib, in scikit-learn's manner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwork.view.band_chart import BandChart
from branchwork.view.figure import LITERAL, axes_for, legend_beside
from branchwork.view.mpl_theme import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE = (6.8, 4.4)
MARK = 5
"""The colour of the chosen point, among those of classes."""


class CurveDisplay:
    """Lines with bands over the values of a setting: errors, or the parts of an error.

    Parameters
    ----------
    chart : what is drawn; `Curve.chart()` and `BiasVarianceSweep.chart()` return it.

    Attributes
    ----------
    ax_, figure_ : what was drawn on.
    lines_ : one for each line of the chart, in its order.

    >>> import branchwork as bw
    >>> X, y = bw.study.CheckerboardSampler()(200, seed=0)
    >>> found = bw.study.curve(bw.TreeClassifier(), X, y, over="max_depth")
    >>> display = bw.CurveDisplay.from_curve(found)
    >>> len(display.lines_)
    2
    """

    ax_: Axes
    figure_: Figure | SubFigure
    lines_: list[Any]

    def __init__(self, chart: BandChart) -> None:
        self.chart = chart

    @classmethod
    def from_curve(cls, curve: Any, *, ax: Axes | None = None, **options: Any) -> CurveDisplay:
        """Draw what a study found; options are those of its `chart`."""
        return cls(curve.chart(**options)).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, over: str, *, ax: Axes | None = None, **options: Any
    ) -> CurveDisplay:
        """Measure the curve of an estimator and draw it; options are those of `bw.study.curve`."""
        from branchwork.study.curves import curve

        return cls.from_curve(curve(estimator, X, y, over, **options), ax=ax)

    def plot(self, ax: Axes | None = None) -> CurveDisplay:
        """Draw on given axes, or in a new figure."""
        chart = self.chart
        axes = axes_for("CurveDisplay", ax, SIZE)
        places = [chart.places[k] for k in chart.order]
        self.lines_ = _stack(chart, axes, places) if chart.stacked else _lines(chart, axes, places)
        if chart.floor is not None:
            axes.axhline(
                chart.floor, color=theme_of(axes).muted, linestyle="--", linewidth=1, label=chart.floor_text
            )
        if chart.mark is not None:
            place, error = chart.places[chart.mark], chart.lines[-1].numbers[chart.mark]
            look: Any = {"color": theme_of(axes).classes[MARK], "zorder": 5}
            axes.plot([place], [error], "o", markersize=8, label=chart.mark_text, **look)
        _scale(chart, axes)
        _zones(chart, axes)
        axes.set_title(chart.title, **LITERAL)
        axes.set_xlabel(chart.across, **LITERAL)
        axes.set_ylabel(chart.up, **LITERAL)
        axes.set_ylim(bottom=min(0.0, chart.reach()[0]))
        legend_beside(axes, list(zip(*axes.get_legend_handles_labels(), strict=True)))
        self.ax_, self.figure_ = axes, axes.figure
        return self


def _lines(chart: BandChart, axes: Axes, places: list[float]) -> list[Any]:
    drawn = []
    for k, line in enumerate(chart.lines):
        numbers = [line.numbers[j] for j in chart.order]
        drawn += axes.plot(
            places, numbers, "o-", markersize=3.5, color=theme_of(axes).classes[k], label=line.name
        )
        if line.spread is not None:
            low = [line.numbers[j] - line.spread[j] for j in chart.order]
            high = [line.numbers[j] + line.spread[j] for j in chart.order]
            axes.fill_between(places, low, high, color=theme_of(axes).classes[k], alpha=0.18, linewidth=0)
    return drawn


def _stack(chart: BandChart, axes: Axes, places: list[float]) -> list[Any]:
    parts = [[line.numbers[j] for j in chart.order] for line in chart.lines]
    names, colours = [line.name for line in chart.lines[:-1]], theme_of(axes).classes[: len(parts) - 1]
    drawn: list[Any] = list(axes.stackplot(places, *parts[:-1], labels=names, colors=colours, alpha=0.75))
    drawn += axes.plot(
        places, parts[-1], "o-", markersize=3.5, color=theme_of(axes).ink, label=chart.lines[-1].name
    )
    return drawn


def _scale(chart: BandChart, axes: Axes) -> None:
    if chart.by_powers:
        least = min(place for place in chart.places if place > 0)
        if min(chart.places) <= 0:
            axes.set_xscale("symlog", linthresh=least)
        else:
            axes.set_xscale("log")
    ticks = chart.ticks()
    axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks])
    axes.minorticks_off()


def _zones(chart: BandChart, axes: Axes) -> None:
    """Mark the stretch where models fit, and name all of them above the axes."""
    zones, top = chart.zones, axes.get_xaxis_transform()
    for k, zone in enumerate(zones):
        if zone.name == "fits":
            low = _between(chart, zones[k - 1].high, zone.low) if k else zone.low
            high = _between(chart, zone.high, zones[k + 1].low) if k + 1 < len(zones) else zone.high
            axes.axvspan(low, high, color=theme_of(axes).track, zorder=0)
        middle = _between(chart, zone.low, zone.high)
        axes.text(
            middle,
            0.985,
            zone.name,
            transform=top,
            ha="center",
            va="top",
            color=theme_of(axes).muted,
            fontsize=8,
        )


def _between(chart: BandChart, low: float, high: float) -> float:
    """Return the place halfway between two places, as it looks on the axis."""
    return (low * high) ** 0.5 if chart.by_powers and low > 0 else (low + high) / 2
