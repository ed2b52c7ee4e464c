"""A picture in a notebook: as large as the cell allows, and dark where the notebook is dark.

A notebook says by an attribute or a class of its page whether its theme is light or dark. A style sheet beside the
output sees this. It sets the colour scheme of a picture, or of a frame: the page inside a frame prefers what its frame
has, so no script has to run for it.

A notebook that is not trusted drops frames, pictures and style sheets, and keeps text. So every output starts with a
text that its own style sheet hides: where the style sheet is dropped, the text is what remains.
"""

from __future__ import annotations

import html
import re

from branchwork.table.shown import TALLEST
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
SMALLEST_SCALE = 0.7
"""A wide picture shrinks to the cell down to this scale; below that it is scrolled, so that it can be read."""

MOST_LINES = 40
"""Lines of the text that remains in a notebook that is not trusted."""
TRUST = "Trust this notebook, or run the cell again, to see the {what}."

_FRAME = (
    '<iframe class="branchwork-frame" title="{title}" style="width: 100%; height: {height}px; border: 0" '
    'sandbox="{allowed}" allow="clipboard-write" srcdoc="{page}"></iframe>'
)


def in_cell(picture: str, text: str = "") -> str:
    """Return an SVG picture as a notebook shows it: it fits the cell, or is scrolled where it would be too small.

    `text` is shown in its place where pictures are dropped; without it, the picture's own title and description are.
    """
    found = re.match(r'<svg [^>]*?width="([\d.]+)"', picture)
    least = f"min-width:{float(found[1]) * SMALLEST_SCALE:.0f}px" if found else ""
    shown = picture.replace(
        'style="max-width:100%;height:auto"', f'style="max-width:100%;height:auto;{least}"', 1
    )
    cell = f'<div class="bw-cell" style="max-width:100%;max-height:{TALLEST}px;overflow:auto">{shown}</div>'
    return _or_text(f"{_with_theme('.bw-cell>svg')}{cell}", text or _described(picture), "picture")


def in_frame(page: str, *, title: str, height: int, allowed: str, text: str) -> str:
    """Return a page in a frame of its own; `allowed` is what its scripts may do (the attribute "sandbox").

    `text` is shown in its place where frames are dropped.
    """
    frame = _FRAME.format(
        title=html.escape(harmless(title)), height=height, allowed=allowed, page=html.escape(page)
    )
    return _or_text(frame + _with_theme(".branchwork-frame"), text, "page")


def _or_text(shown: str, text: str, what: str) -> str:
    """Return some HTML, and a text for notebooks that drop it.

    The attribute "hidden" stays when the style sheet goes. It keeps the labels of a dropped picture out of sight. It
    has a value because JupyterLab drops attributes without one.
    Line breaks are written as references: Markdown ends a block of HTML at an empty line.
    """
    lines = harmless_lines(text)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} more lines"]
    plain = html.escape("\n".join([*lines, "", TRUST.format(what=what)]))
    both = (
        f'<pre class="bw-plain">{plain}</pre><div class="bw-shown" hidden="hidden">{shown}</div>'
        "<style>.bw-plain{display:none!important}.bw-shown{display:block!important}</style>"
    )
    return both.replace("\n", "&#10;")


def harmless_lines(text: str) -> list[str]:
    """Return the lines of a text; control characters are shown."""
    return [harmless(line) for line in text.rstrip().split("\n")]


def _described(picture: str) -> str:
    """Return what a picture says of itself; a tree has a line for each node."""
    found = re.search("<desc>(.*?)</desc>", picture, re.DOTALL) or re.search(
        "<title>(.*?)</title>", picture, re.DOTALL
    )
    return re.sub(r" (?=Node \d+: )", "\n", html.unescape(found[1])) if found else "A picture."


def _with_theme(selector: str) -> str:
    """Return a style sheet that gives some elements the theme of the notebook around them."""
    schemes = ((LIGHT_NOTEBOOK, "light"), (DARK_NOTEBOOK, "dark"))
    rules = (f":is({notebook}) {selector}{{color-scheme:{scheme}}}" for notebook, scheme in schemes)
    return f"<style>{''.join(rules)}</style>"
