"""What every matplotlib picture here needs: the library, axes to draw on, and text that means nothing but itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from branchwork.errors import MissingExtraError, ParameterError
from branchwork.model.model import Model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

WIDEST_NAME = 24
"""Signs of a name that fit beside an axis."""
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


def name_entries(texts: Iterable[Text], names: Iterable[str]) -> None:
    """Write the entries of a legend. matplotlib would leave out a label that begins with "_"."""
    for text, name in zip(texts, names, strict=True):
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
