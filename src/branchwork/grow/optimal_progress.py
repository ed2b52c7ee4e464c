"""Show the progress of the search for an optimal tree: the best objective so far, the lower bound, and the gap."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, runtime_checkable

Standing = Callable[[float, float, int], None]
"""Called with the best objective so far (infinity: none), the lower bound, and the depth that is being searched."""


@runtime_checkable
class Tells(Protocol):
    """A progress bar that can show a line of text."""

    def tell(self, text: str) -> None:
        """Show a text next to the bar."""


def followed(
    progress: Callable[[int], None] | None, total: int, *, of_leaves: bool = False
) -> Standing | None:
    """Return the function that the core calls to update a progress bar; None if there is no bar.

    The bar shows how much of the initial gap is closed, as a share of `total`.
    """
    if progress is None:
        return None
    widest = 0.0

    def standing(best: float, bound: float, depth: int) -> None:
        nonlocal widest
        if math.isfinite(best):
            gap = max(0.0, best - bound)
            widest = max(widest, gap)
            progress(int(total * (1 - gap / widest)) if widest else total)
        tell(progress, standing_text(best, bound, depth, of_leaves=of_leaves))

    return standing


def tell(progress: object, text: str) -> None:
    """Show a text next to a progress bar, if it can show one."""
    if isinstance(progress, Tells):
        progress.tell(text)


def standing_text(best: float, bound: float, depth: int, *, of_leaves: bool = False) -> str:
    """Describe the progress of a search in words.

    >>> standing_text(23, 20, 3)
    'best 23, lower bound 20, gap 3, searching depth 3'
    """
    searching = f"searching depth {depth}" if depth else "starting"
    if of_leaves and not math.isfinite(best):
        return f"at least {bound:g} leaves, {searching}"
    if not math.isfinite(best):
        return searching
    gap = max(0.0, best - bound)
    now = f"best {best:g}, lower bound {bound:g}, gap {gap:g}"
    return f"{now}, {searching}" if gap and depth else now
