"""Dots with intervals, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwork.tree.split import harmless
from branchwork.view.digits import shortened
from branchwork.view.dot_chart import DotChart
from branchwork.view.figure import LITERAL, WIDEST_NAME, axes_for, legend_beside
from branchwork.view.mpl_theme import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_dots(chart: DotChart, ax: Axes | None = None) -> Axes:
    """Draw a chart of dots on given axes, or in a new figure; return the axes."""
    axes = axes_for("A chart of dots", ax, (6.8, 1.4 + 0.34 * len(chart.dots)))
    for k, dot in enumerate(chart.dots):
        colour = theme_of(axes).classes[dot.colour]
        if dot.low is not None and dot.high is not None:
            axes.plot([dot.low, dot.high], [k, k], "|-", color=colour)
        axes.plot([dot.number], [k], "o", color=colour, markersize=7 if dot.strong else 5.5)
    if chart.reference is not None:
        line = axes.axvline(chart.reference, color=theme_of(axes).muted, linestyle="--", linewidth=1)
        legend_beside(axes, [(line, chart.reference_text)])
    axes.set_yticks(
        range(len(chart.dots)), [shortened(harmless(dot.name), WIDEST_NAME) for dot in chart.dots], **LITERAL
    )
    ticks = chart.ticks()
    axes.set_xticks([value for value, _ in ticks], [text for _, text in ticks])
    axes.set(ylim=(len(chart.dots) - 0.5, -0.5), xlim=chart.reach())
    axes.set_title(chart.heading, **LITERAL)
    axes.set_xlabel(chart.across, **LITERAL)
    axes.spines[["top", "right"]].set_visible(False)
    return axes
