"""Colours of matplotlib pictures: those of the theme that can be read on the paper there is, and patterns as hatching.

`plt.style.use("dark_background")` makes the paper dark; what is drawn on it then has the colours of the dark theme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwork.view.palette import DARK, LIGHT, Pattern, Theme, contrast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES: dict[Pattern, str] = {"": "", "stripes": "//////", "dots": "....", "grid": "++++"}
"""Patterns of classes, as matplotlib calls them."""


def theme_on(paper: str) -> Theme:
    """Return the theme whose text can be read on paper of a colour, "#rrggbb"."""
    return LIGHT if contrast(paper, LIGHT.ink) > contrast(paper, DARK.ink) else DARK


def theme_of(ax: Axes) -> Theme:
    """Return the theme that suits the ground of some axes; transparent axes lie on their figure."""
    from matplotlib.colors import to_hex, to_rgba

    ground = ax.get_facecolor()
    if to_rgba(ground)[3] == 0 or not ax.axison:
        ground = ax.figure.get_facecolor()
    return theme_on(to_hex(ground))
