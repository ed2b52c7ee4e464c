"""A picture in a notebook: as large as the cell allows, and dark where the notebook is dark.

A notebook says by an attribute or a class of its page whether its theme is light or dark. A style sheet beside the
output sees this. It sets the colour scheme of a picture, or of a frame: the page inside a frame prefers what its frame
has, so no script has to run for it.
"""

from __future__ import annotations

import html
import re

from branchwork.tree.split import harmless

LIGHT_NOTEBOOK = (
    '[data-jp-theme-light="true"],.vscode-light,.vscode-high-contrast-light,'
    '[theme="light"],[data-theme="light"]'
)
DARK_NOTEBOOK = (
    '[data-jp-theme-light="false"],.vscode-dark,.vscode-high-contrast:not(.vscode-high-contrast-light),'
    '[theme="dark"],[data-theme="dark"]'
)
"""What JupyterLab, VS Code, Colab and sites of documentation write on a page that is light or dark."""
TALLEST = 720
"""Pixels of a picture; a taller one is scrolled."""
SMALLEST_SCALE = 0.7
"""A wide picture shrinks to the cell down to this scale; below that it is scrolled, so that it can be read."""

_FRAME = (
    '<iframe class="branchwork-frame" title="{title}" style="width: 100%; height: {height}px; border: 0" '
    'sandbox="{allowed}" allow="clipboard-write" srcdoc="{page}"></iframe>'
)


def in_cell(picture: str) -> str:
    """Return an SVG picture as a notebook shows it: it fits the cell, or is scrolled where it would be too small."""
    found = re.match(r'<svg [^>]*?width="([\d.]+)"', picture)
    least = f"min-width:{float(found[1]) * SMALLEST_SCALE:.0f}px" if found else ""
    shown = picture.replace(
        'style="max-width:100%;height:auto"', f'style="max-width:100%;height:auto;{least}"', 1
    )
    return (
        f"{_with_theme('.bw-cell>svg')}"
        f'<div class="bw-cell" style="max-width:100%;max-height:{TALLEST}px;overflow:auto">{shown}</div>'
    )


def in_frame(page: str, *, title: str, height: int, allowed: str) -> str:
    """Return a page in a frame of its own; `allowed` is what its scripts may do (the attribute "sandbox")."""
    frame = _FRAME.format(
        title=html.escape(harmless(title)), height=height, allowed=allowed, page=html.escape(page)
    )
    return frame + _with_theme(".branchwork-frame")


def _with_theme(selector: str) -> str:
    """Return a style sheet that gives some elements the theme of the notebook around them."""
    schemes = ((LIGHT_NOTEBOOK, "light"), (DARK_NOTEBOOK, "dark"))
    rules = (f":is({notebook}) {selector}{{color-scheme:{scheme}}}" for notebook, scheme in schemes)
    return f"<style>{''.join(rules)}</style>"
