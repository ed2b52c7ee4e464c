"""Patterns of classes in SVG: a class beyond the eighth has a colour of the first eight, hatched."""

from __future__ import annotations

from collections.abc import Iterable

from branchwork.view.palette import N_COLOURS, Pattern, class_look

SIDE = 6
"""Of the square that a pattern repeats."""

_DRAWN: dict[Pattern, str] = {
    "": "",
    "stripes": '<path class="gap" d="M-1 1L1 -1M-1 7L7 -1M5 7L7 5"/>',
    "dots": '<path class="hole" d="M1.5 3a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0z"/>',
    "grid": '<path class="gap" d="M0 3H6M3 0V6"/>',
}
"""What is cut out of the colour, in the colour of the card behind it."""


def patterns(entries: Iterable[int], prefix: str, *, letter: str = "f") -> str:
    """Return the definitions of the hatched entries of a legend; empty if all are plain.

    Parameters
    ----------
    entries : of the legend, those that stand for one class each.
    prefix : what the names of the patterns begin with: the class of the picture. A page may hold several pictures of
        one class: their definitions are alike.
    letter : what the names of colours begin with.
    """
    found = [
        f'<pattern id="{prefix}-{letter}{entry}" width="{SIDE}" height="{SIDE}" patternUnits="userSpaceOnUse">'
        f'<rect class="{letter}{entry % N_COLOURS}" width="{SIDE}" height="{SIDE}"/>{drawn}</pattern>'
        for entry in sorted(entries)
        if (drawn := _DRAWN[class_look(entry).pattern])
    ]
    return f"<defs>{''.join(found)}</defs>" if found else ""
