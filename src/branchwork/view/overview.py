"""The frame of a page that is looked at from top to bottom: figures, charts and tables, in one file.

The overview of an ensemble, the first look at a table and the pages of studies are made of these parts. Only pages that
ask for a script have one.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from branchwork.tree.split import harmless
from branchwork.view.notebook import in_frame
from branchwork.webpage.parts import asset, style_of

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline';{scripts} img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body class="branchwork-overview">
<main class="branchwork overview">
{body}
</main>
{script}</body>
</html>
"""


_SCRIPT = """<script type="application/json" id="data">{data}</script>
<script type="module">
{script}
</script>
"""

FRAME_HEIGHT = 640


def page(
    title: str, sections: Sequence[str], *, more_style: Sequence[str] = (), script: str = "", data: str = ""
) -> str:
    """Return a page that needs nothing else.

    Parameters
    ----------
    sections : what stands on it, as HTML in which the text of tables is escaped.
    more_style : names of further style sheets in `view/assets`.
    script, data : a module that runs on the page, and its data as safe JSON in the element "data".
    """
    style = "\n".join([style_of("view", "ensemble.css"), *(asset("view", name) for name in more_style)])
    allowed = " script-src 'unsafe-inline';" if script else ""
    return _PAGE.format(
        title=text(title),
        style=style,
        body="\n".join(sections),
        scripts=allowed,
        script=_SCRIPT.format(data=data, script=script) if script else "",
    )


def frame(title: str, whole_page: str, *, text: str, scripts: bool = False) -> str:
    """Return a page in a frame that a notebook can show; scripts run there only if asked for, and see nothing of it.

    `text` is shown where frames are dropped.
    """
    allowed = "allow-scripts" if scripts else ""
    return in_frame(whole_page, title=title, height=FRAME_HEIGHT, allowed=allowed, text=text)


def text(plain: str) -> str:
    """Return text as HTML can carry it; control characters are shown."""
    return html.escape(harmless(plain))


def head(title: str, about: str) -> str:
    """Return the title of a page and a sentence about it."""
    return f"<h1>{text(title)}</h1>\n<p>{text(about)}</p>"


def figures(found: Sequence[tuple[str, str]]) -> str:
    """Return numbers in boxes; each has a name and a text."""
    items = "".join(f"<li><b>{text(value)}</b><span>{text(name)}</span></li>" for name, value in found)
    return f'<ul class="figures">{items}</ul>'


def charts(title: str, pictures: Sequence[str]) -> str:
    """Return pictures side by side, under a title."""
    panels = "\n".join(panel(title, picture) for picture in pictures)
    return f'<h2>{text(title)}</h2>\n<div class="charts">\n{panels}\n</div>'


def panel(title: str, picture: str) -> str:
    """Return a picture in a frame. On a narrow screen it keeps its size and is scrolled, also by the keyboard."""
    return f'<div class="panel" tabindex="0" role="group" aria-label="{text(title)}">{picture}</div>'
