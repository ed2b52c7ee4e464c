"""A tree as one HTML page that needs nothing else: no network, no server, no library.

The page is the data of `view/page.py`, the style `tree.css` and the modules below, joined by `webpage/parts.py`.
A notebook shows the same page in a frame of its own.
"""

from __future__ import annotations

import html
import json
from functools import cache

from branchwork.model.model import Model
from branchwork.tree.split import harmless
from branchwork.view.page import to_data
from branchwork.view.palette import DARK, LIGHT
from branchwork.webpage.parts import safe_json, script_of, style_of

MODULES = ("walk", "row", "layout", "dom", "words", "draw", "camera", "panel", "follow", "tree")
"""Of the page, each after those it imports."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; base-uri 'none'; form-action 'none';
 style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body class="branchwork-page">
<main id="tree"></main>
<script type="application/json" id="data">{data}</script>
<script type="module">
{script}
const page = document.getElementById("tree");
const pageData = JSON.parse(document.getElementById("data").textContent);
mount(page, pageData, {{ title: document.title, embedded: {embedded} }});
</script>
</body>
</html>
"""

_FRAME = (
    '<iframe title="{title}" style="width: 100%; height: {height}px; border: 0" '
    'sandbox="allow-scripts" allow="clipboard-write" srcdoc="{page}"></iframe>'
)
FRAME_HEIGHT = 560


def to_html(model: Model, *, unit: str, title: str, embedded: bool = False) -> str:
    """A model's tree as one page.

    Parameters
    ----------
    unit : what impurity and gain are measured in.
    title : what the page is called.
    embedded : whether it is part of another page; then a wheel scrolls that one, and zooms with Ctrl.
    """
    return _PAGE.format(
        title=html.escape(harmless(title)),
        style=style(),
        data=safe_json(to_data(model, unit=unit)),
        script=script(),
        embedded=json.dumps(embedded),
    )


def to_frame(model: Model, *, unit: str, title: str) -> str:
    """The page in a frame that a notebook can show: its scripts run there, and see nothing of the notebook."""
    page = to_html(model, unit=unit, title=title, embedded=True)
    return _FRAME.format(title=html.escape(harmless(title)), height=FRAME_HEIGHT, page=html.escape(page))


@cache
def script() -> str:
    """The modules of the page as one: their imports of each other are left out."""
    return script_of("view", MODULES)


@cache
def style() -> str:
    """The style sheet of the page, and the colours of classes, which are those of every picture."""
    dark = DARK.fills()
    colours = [f"--{name}: light-dark({light}, {dark[name]});" for name, light in LIGHT.fills().items()]
    return f"{style_of('view', 'tree.css')}\n.branchwork {{\n  {' '.join(colours)}\n}}\n"
