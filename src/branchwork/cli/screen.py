"""A tree down to the depth that fits a screen, and a last line that says how to see the rest."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.tree.tree import Tree

USUAL_LINES = 40
"""Lines of a tree where there is no terminal that has a height."""
FEWEST_LINES = 12


def screen_lines() -> int:
    """Return how many lines of a tree fit: the height of the terminal, or the usual number of lines."""
    if not sys.stdout.isatty():
        return USUAL_LINES
    return max(FEWEST_LINES, shutil.get_terminal_size((80, USUAL_LINES)).lines - 4)


def depth_that_fits(tree: Tree, lines: int) -> int:
    """Return the depth down to which a tree takes at most this many lines; 1 at least, if it is split at all.

    An inner node at that depth takes two lines: a second one says how many nodes are below it.
    """
    nodes = np.cumsum(np.bincount(tree.depths))
    inner = np.bincount(tree.depths[tree.feature >= 0], minlength=len(nodes))
    fits = np.flatnonzero(nodes + inner <= lines)
    return max(min(1, tree.depth), int(fits[-1]) if fits.size else 0)


def fitted_tree(model: Model, saved_as: str | None) -> str:
    """Return the text of a tree as far as it fits a screen.

    Parameters
    ----------
    saved_as : the words after `branchwork show` that show the tree, for the command that shows more of it; None: the
        tree was not saved.
    """
    from branchwork.cli.text import tree_text
    from branchwork.view.dots import dots_of, heading_of
    from branchwork.view.terminal import terminal_width, wants_colour

    predicted = heading_of(model, dots_of(model, colour=wants_colour()), terminal_width())
    heading = 1 + len((predicted or "").splitlines())  # its size, and what is predicted
    tree, lines = model.tree, screen_lines() - heading + 1
    depth = depth_that_fits(tree, lines)
    if depth == tree.depth and tree.n_nodes <= lines:
        return tree_text(model)
    shown = tree_text(model, max_depth=depth).splitlines()
    hidden = tree.n_nodes - int(np.count_nonzero(tree.depths <= depth))
    if len(shown) > lines + heading:  # even the children of the root are too many
        cut_off = _nodes_in(tree, lines)
        shown, hidden = shown[: lines + heading], tree.n_nodes - cut_off
    return "\n".join([*shown, f"… {hidden} more nodes: {_how_to_see_more(tree, depth, saved_as)}"])


def _nodes_in(tree: Tree, lines: int) -> int:
    """Count the nodes in the first lines of a tree that is shown down to depth 1."""
    nodes, used = 1, 1
    for child in tree.children(0):
        if used >= lines:
            break
        nodes, used = nodes + 1, used + (1 if tree.is_leaf(child) else 2)
    return nodes


def _how_to_see_more(tree: Tree, depth: int, saved_as: str | None) -> str:
    if saved_as is None:
        return "add --full"
    deeper = f"--max-depth {depth + 2}" if depth + 2 < tree.depth else "--full"
    return f"branchwork show {saved_as} {deeper}"
