"""A tree as one HTML page that needs nothing else: no network, no server, no library.

The page is the data of `view/page.py`, the style `tree.css` and the modules below, joined by `webpage/parts.py`.
A notebook shows the same page in a frame of its own.
"""

from __future__ import annotations

import html
import json
from functools import cache
from typing import Literal

from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.split import harmless
from branchwork.view.arrange import Orientation, check_orientation
from branchwork.view.notebook import in_frame
from branchwork.view.page import to_data
from branchwork.view.page_working import Pages
from branchwork.view.palette import DARK, LIGHT
from branchwork.webpage.parts import asset, safe_json, script_of, style_of

MODULES = (
    *(
        "memory",
        "address",
        "walk",
        "row",
        "layout",
        "dom",
        "words",
        "geometry",
        "shade",
        "fold",
        "draw",
        "icicle",
    ),
    *("camera", "save", "print", "divider", "frame"),
    *("charts", "candidates", "panel", "nearest", "why", "fields", "follow", "growth", "player", "tree"),
)
"""Of the page, each after those it imports."""

Start = Literal["tree", "steps"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
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
mount(page, pageData, {{ title: document.title, orientation: {orientation}, start: {start}, embedded: {embedded} }});
</script>
</body>
</html>
"""

FRAME_HEIGHT = 560


def to_html(
    model: Model,
    *,
    unit: str,
    title: str,
    orientation: Orientation = "TB",
    embedded: bool = False,
    data: tuple[Table, Target] | None = None,
    pages: Pages | None = None,
    start: Start = "tree",
) -> str:
    """Return the tree of a model as one page.

    Parameters
    ----------
    unit : what impurity and gain are measured in.
    title : what the page is called.
    orientation : "TB" draws the tree from the top down, "LR" from left to right; a button on the page changes it.
    embedded : whether it is part of another page; then an upright wheel scrolls that page.
    data, pages : rows to show histograms of, and workings that were computed from them, as in `to_data`.
    start : what the page opens with: the tree, or its growth step by step.
    """
    check_orientation(orientation)
    return _PAGE.format(
        title=html.escape(harmless(title)),
        style=style(),
        data=safe_json(to_data(model, unit=unit, data=data, pages=pages)),
        script=script(),
        orientation=json.dumps(orientation),
        start=json.dumps(start),
        embedded=json.dumps(embedded),
    )


def to_frame(model: Model, *, unit: str, title: str, text: str, pages: Pages | None = None) -> str:
    """Return the page in a frame that a notebook can show: its scripts run there, and see nothing of the notebook.

    `text` is shown where frames are dropped; `pages` are as in `to_data`.
    """
    page = to_html(model, unit=unit, title=title, embedded=True, pages=pages)
    return in_frame(
        page, title=title, height=FRAME_HEIGHT, allowed="allow-scripts allow-downloads", text=text
    )


@cache
def script() -> str:
    """The modules of the page as one: their imports of each other are left out."""
    return script_of("view", MODULES)


@cache
def style() -> str:
    """The style sheet of the page, and the colours of classes, which are those of every picture."""
    dark = DARK.fills()
    colours = [f"--{name}: light-dark({light}, {dark[name]});" for name, light in LIGHT.fills().items()]
    sheets = style_of("view", "tree.css"), asset("view", "panel.css")
    return f"{sheets[0]}\n{sheets[1]}\n.branchwork {{\n  {' '.join(colours)}\n}}\n"
