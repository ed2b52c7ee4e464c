"""Pictures that matplotlib draws, as the bytes of a file; no window is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from branchwork.errors import MissingExtraError

if TYPE_CHECKING:
    from branchwork.view.picture_file import PictureFormat


def picture_of(draw: Callable[[], Any], form: PictureFormat) -> bytes:
    """Return what a function draws, as PNG or PDF; the function returns its axes."""
    from branchwork.view.picture_file import picture_bytes

    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(f"A picture as {form.upper()}", "matplotlib", "plot") from None
    matplotlib.use("Agg")
    return picture_bytes(draw().figure, form)
