"""A page of figures, charts and tables without any script: the overview of an ensemble, the first look at a table."""

from __future__ import annotations

import html
from collections.abc import Sequence

from branchwork.tree.split import harmless
from branchwork.webpage.parts import asset, style_of

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body class="branchwork-overview">
<main class="branchwork overview">
{body}
</main>
</body>
</html>
"""

_FRAME = (
    '<iframe title="{title}" style="width: 100%; height: {height}px; border: 0" sandbox="" '
    'srcdoc="{page}"></iframe>'
)
FRAME_HEIGHT = 640


def overview_page(title: str, sections: Sequence[str], *, more_style: Sequence[str] = ()) -> str:
    """Return a page that needs nothing else.

    Parameters
    ----------
    sections : what stands on it, as HTML in which the text of tables is escaped.
    more_style : names of further style sheets in `view/assets`.
    """
    style = "\n".join([style_of("view", "ensemble.css"), *(asset("view", name) for name in more_style)])
    return _PAGE.format(title=html.escape(harmless(title)), style=style, body="\n".join(sections))


def overview_frame(title: str, page: str) -> str:
    """Return the page in a frame that a notebook can show."""
    return _FRAME.format(title=html.escape(harmless(title)), height=FRAME_HEIGHT, page=html.escape(page))
