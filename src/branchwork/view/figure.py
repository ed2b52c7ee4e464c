"""What every matplotlib picture here needs: the library, axes to draw on, and text that means nothing but itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwork.errors import MissingExtraError, ParameterError
from branchwork.model.model import Model
from branchwork.view.digits import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST_NAME = 24
"""Signs of a name that fit beside an axis."""
MOST_ENTRIES_BELOW = 16
"""Entries of a legend that stand below each other; more make another column."""
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
"""For text of unknown origin: "$" is a dollar."""


def axes_for(what: str, ax: Axes | None, size: tuple[float, float], *, whole: bool = False) -> Axes:
    """The axes given, or those of a new figure of a size in inches; they may take the whole of it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError(what, "matplotlib", "plot") from None
    if ax is not None:
        return ax
    figure = plt.figure(figsize=size, layout="none" if whole else "constrained")
    return figure.add_axes((0, 0, 1, 1)) if whole else figure.add_subplot()


def legend_beside(axes: Axes, entries: Sequence[tuple[Any, str]], heading: str = "") -> None:
    """Put the legend at the right of the axes, where it hides no data and needs no search for a free place.

    An entry is what matplotlib drew and its name. Names are written as they are: matplotlib would leave out a label
    that begins with "_", and read "$" as mathematics.
    """
    legend = axes.legend(
        [handle for handle, _ in entries],
        [" "] * len(entries),
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        borderaxespad=0,
        frameon=False,
        ncols=math.ceil(len(entries) / MOST_ENTRIES_BELOW),
        alignment="left",
    )
    if heading:
        legend.set_title(shortened(heading, WIDEST_NAME))
        legend.get_title().set(**LITERAL)
    for text, (_, name) in zip(legend.get_texts(), entries, strict=True):
        text.set(text=name, **LITERAL)


def fitted_model(estimator: Any) -> Model:
    """The model of a fitted tree; a model is one already."""
    if hasattr(estimator, "rules_"):
        raise ParameterError(f"{type(estimator).__name__} answers by its rules; expected a tree.")
    model = estimator if isinstance(estimator, Model) else getattr(estimator, "model_", None)
    if not isinstance(model, Model):
        raise ParameterError(
            f"Expected a fitted Branchwork tree; got {type(estimator).__name__}. Is it fitted?"
        )
    return model
