"""A model in a notebook and at a prompt: its page, or of a large tree a compact picture of its upper levels."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np

from branchwork.model.model import Model
from branchwork.tree.split import harmless
from branchwork.view.digits import shortened
from branchwork.view.ensemble_page import ensemble_page
from branchwork.view.html import to_frame
from branchwork.view.notebook import in_cell
from branchwork.view.overview import frame
from branchwork.view.page_working import Pages
from branchwork.view.pieces import Svg
from branchwork.view.svg import to_svg

LARGEST_SHOWN = 1000
"""Nodes of a tree whose whole page a notebook shows; a page of more would swell every notebook it is shown in."""
LARGEST_PAGE = 1_500_000
"""Letters of a page that a notebook shows, for the same reason."""
MOST_WORKED = 50
"""Nodes that keep their working on a page that would be too large with all of it."""
LONGEST_NAME = 24
"""Letters of a label or of the target's name."""
MOST_WHOLE, MOST_CARDS = 31, 64
"""Nodes of a tree that is drawn with whole cards, and of a compact picture."""


DEEPEST_TEXT = 4
"""Levels of a tree that is shown as text."""
ALL_OF_IT = 'These are its first levels. to_html("tree.html") writes a page with all nodes.'


def model_html(model: Model, title: str) -> str:
    """Return a model for a notebook."""
    if model.combine.kind != "single":
        return _ensemble_html(model, title)
    if model.tree.n_nodes <= LARGEST_SHOWN:
        text = _plain(model, title)
        for shown, pages in ((model, None), _with_less_working(model)):
            page = to_frame(shown, unit=model.unit, title=title, text=text, pages=pages)
            if len(page) <= LARGEST_PAGE:
                return page
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in (model_text(model, title), ALL_OF_IT))
    return f"{words}{picture_html(model)}"


def picture_html(model: Model) -> str:
    """Return a picture of a tree that stays small, for a notebook."""
    return in_cell(static_picture(model), _plain(model, "Tree"))


def _with_less_working(model: Model) -> tuple[Model, Pages]:
    """Return a model without its working, and the working of its largest nodes."""
    tree, ledger = model.tree, model.tree.ledger
    if ledger is None:
        return model, {}
    nodes = ledger.node[np.argsort(-tree.weight[ledger.node], kind="stable")][:MOST_WORKED].tolist()
    pages = {node: page for node in nodes if (page := ledger.page(node)) is not None}
    return replace(model, trees=(replace(tree, ledger=None),)), pages


def _ensemble_html(model: Model, title: str) -> str:
    """Return the page of an ensemble; its trees can be opened there, unless that would make it too large."""
    page = ensemble_page(model, title=title)
    if len(page) > LARGEST_PAGE:
        page = ensemble_page(model, title=title, opens=False)
    return frame(title, page, text=model_text(model, title), scripts="<script" in page)


def _plain(model: Model, title: str) -> str:
    """Return a tree for a notebook that drops pages and pictures."""
    return f"{model_text(model, title)}\n{model.to_text(max_depth=DEEPEST_TEXT, color=False)}"


def static_picture(model: Model) -> Svg:
    """Return a picture of a tree that stays small: of more than a few nodes a compact one, of many the first levels."""
    tree = model.tree
    if tree.n_nodes <= MOST_WHOLE:
        return to_svg(model)
    upto = np.cumsum(np.bincount(tree.depths))  # nodes down to each depth
    depth = max(1, int(np.searchsorted(upto, MOST_CARDS, side="right")) - 1)
    return to_svg(model, max_depth=min(depth, tree.depth), orientation="LR", compact=True)


def model_text(model: Model, title: str = "Model") -> str:
    """Return a model in a few lines: what it predicts from what, and how large it is."""
    columns = f"{len(model.schema)} column{'s' * (len(model.schema) != 1)}"
    if model.labels is None:
        answers = "a number"
    else:
        shown = ", ".join(shortened(harmless(str(label)), LONGEST_NAME) for label in model.labels[:6])
        more = f", … {len(model.labels)} in all" if len(model.labels) > 6 else ""
        answers = f"{shown}{more}"
    target = f"{shortened(harmless(model.target), LONGEST_NAME)}: " if model.target else ""
    return f"{title}({_size(model)}; predicts {target}{answers} from {columns})"


def _size(model: Model) -> str:
    if model.combine.kind != "single":
        leaves = sum(tree.n_leaves for tree in model.trees)
        return f"{len(model.trees)} trees, {leaves} leaves"
    tree = model.tree
    return f"{tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}"
