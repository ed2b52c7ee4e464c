"""Pages that are read from top to bottom, with one or two trees on them that answer to clicks elsewhere on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from branchwork.model.model import Model
from branchwork.view.html import MODULES, style
from branchwork.view.overview import page, text
from branchwork.view.page import to_data
from branchwork.webpage.parts import safe_json, script_of

FEW_COLUMNS, SOME_COLUMNS = 4, 9
MOST_NODES = 20_000
"""A larger tree makes a page that is slow to open."""
_OWN_STYLE = (
    "[data-do='theme'], .branchwork .keys { display: none; } .branchwork.embedded { border-radius: 10px; }"
)
"""The tree follows the theme of its page, and needs its room; the list of keys is read out by screen readers still."""


def page_beside_tree(
    title: str,
    sections: Sequence[str],
    model: Model,
    leaves: Mapping[str, Sequence[tuple[int, float]]],
    *,
    more_style: Sequence[str] = (),
) -> str:
    """Return a page with a tree in the element "tree".

    A click on an element with `data-cell` lights the leaves of that name, one on an element with `data-goto` selects a
    node. The element "told" tells which leaves are lit.

    Parameters
    ----------
    title, sections, more_style : as `page` of view/overview.py takes them.
    model : the tree.
    leaves : for each name some leaves, each with a number of rows.
    """
    data = {**_shown(model), "title": "The tree", "cells": leaves}
    return page(title, sections, more_style=more_style, script=_script("mountReport"), data=safe_json(data))


def page_of_two_trees(
    title: str, sections: Sequence[str], a: Model, b: Model, *, more_style: Sequence[str] = ()
) -> str:
    """Return a page with two trees, in the elements "tree-a" and "tree-b".

    A click on an element with `data-a` and `data-b` selects these nodes, and lights the ways to them.
    """
    data = {"style": _shown(a)["style"], "trees": [_shown(model)["tree"] for model in (a, b)]}
    return page(title, sections, more_style=more_style, script=_script("mountBoth"), data=safe_json(data))


def _shown(model: Model) -> dict[str, Any]:
    return {"tree": to_data(model, unit=model.unit), "style": tree_style()}


def tree_style() -> str:
    """Return the style of a tree that stands on a page among other things."""
    return f"{style()}\n{_OWN_STYLE}"


def ensemble_script() -> str:
    """Return the script of a page whose pictures of trees open the trees themselves, in the element "tree"."""
    return _script("mountEnsemble", "ensemble")


@cache
def _script(mounts: str, module: str = "report") -> str:
    modules = script_of("view", (*MODULES, module))
    return f'{modules}\n{mounts}(document, JSON.parse(document.getElementById("data").textContent));'


def tree_beside(content: str, usual: str, columns: int) -> str:
    """Return a table with the tree beside it, or nothing but the tree; and a line that tells what is lit.

    A table of many columns takes half of the width, or all of it; then the tree is below.
    """
    style = (
        "beside"
        if columns <= FEW_COLUMNS
        else "beside halves"
        if columns <= SOME_COLUMNS
        else "beside stacked"
    )
    told = f'<p id="told" role="status" data-usual="{text(usual)}">{text(usual)}</p>'
    if not content:
        return f'{told}<div id="tree"></div>'
    return f'<div class="{style}"><div>{content}{told}</div><div id="tree"></div></div>'
