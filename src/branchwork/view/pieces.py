"""Pieces of SVG as text. Everything that a user's table says passes through `escaped`."""

from __future__ import annotations

from html import escape

from branchwork.view.metrics import fitted, is_measured, text_width
from branchwork.view.terminal import harmless


class Svg(str):
    """An SVG picture as text; a notebook shows it as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def escaped(text: str) -> str:
    """Text as XML can carry it, in an element or an attribute; control characters are shown.

    >>> escaped("a<b> & \\x00")
    'a&lt;b&gt; &amp; \\\\x00'
    """
    return escape(harmless(text))


def short(x: float) -> str:
    """A coordinate to a tenth of a pixel.

    >>> short(12.0), short(0.25), short(-0.01)
    ('12', '0.2', '0')
    """
    text = f"{x:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def rect(x: float, y: float, width: float, height: float, style: str, *, corner: float = 0) -> str:
    """A rectangle."""
    place = f'x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}"'
    rounded = f' rx="{short(corner)}"' if corner else ""
    return f'<rect class="{style}" {place}{rounded}/>'


def path(data: str, style: str, *, width: float | None = None) -> str:
    """A line along a path."""
    stroke = "" if width is None else f' stroke-width="{short(width)}"'
    return f'<path class="{style}" d="{data}"{stroke}/>'


def title(lines: tuple[str, ...]) -> str:
    """What is shown when the pointer rests on the element around it."""
    return f"<title>{chr(10).join(escaped(line) for line in lines if line)}</title>"


def words(
    text: str,
    x: float,
    y: float,
    style: str,
    size: float,
    *,
    room: float,
    bold: bool = False,
    anchor: str = "",
) -> str:
    """Text on a baseline, in the room that there is. Where its width is only estimated it is set by force."""
    shown = fitted(harmless(text), room, size, bold=bold)
    attributes = f' text-anchor="{anchor}"' if anchor else ""
    if not is_measured(shown):
        width = text_width(shown, size, bold=bold)
        attributes += f' textLength="{short(width)}" lengthAdjust="spacingAndGlyphs"'
    return f'<text class="{style}" x="{short(x)}" y="{short(y)}"{attributes}>{escaped(shown)}</text>'
