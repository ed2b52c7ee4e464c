"""Pieces of SVG as text. Everything that a user's table says passes through `escaped`."""

from __future__ import annotations

import re
from html import escape

from branchwork.view.metrics import fitted
from branchwork.view.notebook import in_cell
from branchwork.view.terminal import harmless


class Svg(str):
    """An SVG picture as text; a notebook shows it as a picture."""

    __slots__ = ()

    def __repr__(self) -> str:
        size = re.search(r'width="([\d.]+)" height="([\d.]+)"', self)
        shown = f"{size[1]} × {size[2]} pixels, " if size else ""
        return f"Svg({shown}{len(self)} characters)"

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return in_cell(self)


def escaped(text: str) -> str:
    """Text as XML can carry it, in an element or an attribute; control characters are shown.

    >>> escaped("a<b> & \\x00")
    'a&lt;b&gt; &amp; \\\\x00'
    """
    return text if text.isalnum() else escape(harmless(text))


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
    """Text on a baseline, cut short where there is no room for all of it."""
    shown = fitted(harmless(text), room, size, bold=bold)
    attributes = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{style}" x="{short(x)}" y="{short(y)}"{attributes}>{escaped(shown)}</text>'
