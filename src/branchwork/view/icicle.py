"""A tree as a small picture without words: each level is a row, each node a cell as wide as its share of the rows.

    [            root            ]
    [   node 1   ][    node 2    ]

A cell has the colour of the node's answer, stronger the purer the node is. The page of a tree draws the same by
`assets/icicle.mjs`.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from branchwork.model.model import Model
from branchwork.tree.tree import Tree
from branchwork.view.class_key import key_of
from branchwork.view.palette import DARK, LIGHT, mixed
from branchwork.view.pieces import Svg

WIDTH, HEIGHT = 300, 96
"""In the units of the picture, which takes the size of its place on the page."""
TALLEST_ROW = 24
NARROWEST_CELL = 0.4
STEPS = 8
"""Of strength: cells of one colour and strength are one path."""


def icicle(model: Model, about: str) -> Svg:
    """Return the picture of a single tree; `about` tells in words what it shows, as plain text without markup."""
    start, width = _spans(model.tree)
    edges = _edges(model.tree.depth + 1)
    names, strength = _looks(model)
    paths: dict[tuple[str, int], list[str]] = defaultdict(list)
    for node in np.flatnonzero(width * WIDTH >= NARROWEST_CELL).tolist():
        top, bottom = edges[model.tree.depths[node]], edges[model.tree.depths[node] + 1]
        wide = max(float(width[node]) * WIDTH - 0.4, NARROWEST_CELL)
        if bottom - top >= 0.3:
            place = f"M{float(start[node]) * WIDTH:.1f} {top:.1f}h{wide:.1f}v{bottom - top - 0.4:.1f}h{-wide:.1f}z"
            paths[names[node], int(strength[node])].append(place)
    drawn = "".join(
        f'<path style="fill:{_colour(name, step)}" d="{"".join(cells)}"/>'
        for (name, step), cells in paths.items()
    )
    height = f"{edges[-1]:.0f}"
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" preserveAspectRatio="none" '
        f'role="img" aria-label="{about}">{drawn}</svg>'
    )


def _spans(tree: Tree) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where the cell of each node begins and how wide it is, as shares of the whole width."""
    start, width = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    width[0] = 1.0
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        children = tree.children(node)
        cells = slice(children.start, children.stop)
        weight = tree.weight[cells]
        whole = weight.sum()
        parts = weight / whole if whole > 0 else np.full(len(children), 1 / len(children))
        width[cells] = width[node] * parts
        start[cells] = start[node] + width[node] * (np.cumsum(parts) - parts)
    return start, width


def _edges(levels: int) -> list[float]:
    """Return the top of each level and the bottom of the last. The first levels are taller than those below."""
    sizes = 1 / (1 + np.maximum(0, np.arange(levels) - 3) / 4)
    unit = min(TALLEST_ROW, HEIGHT / float(sizes.sum()))
    return [0.0, *np.cumsum(sizes * unit).tolist()]


def _looks(model: Model) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the name of the colour of each node, and how strong it is, in steps."""
    tree, key = model.tree, key_of(model)
    if key is None:
        values = tree.value[:, 0]
        low, high = float(values.min()), float(values.max())
        share = (values - low) / (high - low) if high > low else np.full(tree.n_nodes, 0.5)
        return ["fr8"] * tree.n_nodes, np.rint(share * STEPS).astype(np.intp)
    decision = tree.decision
    share = tree.value[np.arange(tree.n_nodes), decision]
    return [key.fill(int(key.entry[label])) for label in decision.tolist()], np.rint(share * STEPS).astype(
        np.intp
    )


def _colour(name: str, step: int) -> str:
    """Return a colour for daylight and night in CSS."""
    share = 0.15 + 0.85 * step / STEPS
    light, dark = (mixed(theme.fills()[name], theme.background, share) for theme in (LIGHT, DARK))
    return f"light-dark({light},{dark})"
