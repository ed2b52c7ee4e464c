"""The frame of a chart: an SVG element with its style sheet, its ground and its title."""

from __future__ import annotations

from collections.abc import Sequence

from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.pieces import Svg, escaped, rect, short, words
from branchwork.view.style import line_colours, style_sheet


def picture(
    width: float,
    height: float,
    title: str,
    theme: ThemeName,
    pieces: Sequence[str],
    *,
    margin: float,
    lines: bool = False,
) -> Svg:
    """Return a picture of some pieces; `lines` says whether there are lines in the colours of classes among them."""
    check_theme(theme)
    size = f'width="{short(width)}" height="{short(height)}" viewBox="0 0 {short(width)} {short(height)}"'
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="branchwork-{theme}" role="img" {size} '
        f'style="max-width:100%;height:auto" aria-label="{escaped(title)}">',
        f"<title>{escaped(title)}</title>",
        f"<style>{style_sheet(theme)}{line_colours(theme) if lines else ''}</style>",
        rect(0, 0, width, height, "background"),
        words(title, margin, margin + 9, "ink title", 13, room=width - 2 * margin, bold=True),
        *pieces,
        "</svg>",
    ]
    return Svg("\n".join(body))
