"""What makes a ledger valid: pages of nodes that exist, and candidates that can be told."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.tree.ledger import KEPT, Ledger
from branchwork.tree.require import require, require_array, require_everywhere

SHAPED: dict[str, type[np.generic]] = {
    "cut": np.float64,
    "gain": np.float64,
    "split_info": np.float64,
    "verdict": np.uint8,
    "sides_at": np.int64,
}
"""Arrays with one number a page and column."""


def check_ledger(ledger: Ledger, n_nodes: int, levels: npt.NDArray[np.int64]) -> None:
    """Raise TreeError unless every page is of a node; `levels` has each column's categories, -1 for numeric."""
    require_array("ledger.node", ledger.node, np.int32, (None,))
    pages, columns = len(ledger.node), len(levels)
    for name, dtype in SHAPED.items():
        require_array(f"ledger.{name}", getattr(ledger, name), dtype, (pages, columns))
    _check_nodes(ledger.node, n_nodes)
    known = ledger.verdict < len(KEPT)
    require_everywhere(known, "ledger.verdict of page {} is out of range")
    for name in ("chance", "judged", "tests"):
        array = getattr(ledger, name)
        require_array(
            f"ledger.{name}", array, np.float64, (3, pages, columns) if array.size else (3, None, None)
        )
    _check_sides(ledger, levels)
    _check_parts(ledger)


def _check_nodes(node: npt.NDArray[np.int32], n_nodes: int) -> None:
    require_everywhere((node >= 0) & (node < n_nodes), "ledger.node of page {} is out of range")
    require_everywhere(node[1:] > node[:-1], "ledger.node of page {} is not below the next one's")


def _check_sides(ledger: Ledger, levels: npt.NDArray[np.int64]) -> None:
    """Sides stand one column after the other, one for each category."""
    require_array("ledger.sides", ledger.sides, np.int32, (None,))
    starts = ledger.sides_at.ravel()
    require_everywhere(starts >= -1, "ledger.sides_at {} is out of range")
    given = np.flatnonzero(starts >= 0)
    size = np.broadcast_to(levels, ledger.sides_at.shape).ravel()[given]
    require_everywhere(size >= 0, "ledger.sides_at {}: a numeric column has no sides", given)
    in_order = starts[given] == np.cumsum(size) - size
    require_everywhere(in_order, "ledger.sides_at {} is out of range", given)
    require(size.sum() == len(ledger.sides), "ledger.sides: not one for each category")
    most = np.repeat(size, size)
    require_everywhere((ledger.sides >= -1) & (ledger.sides <= most), "ledger.sides {} is out of range")


def _check_parts(ledger: Ledger) -> None:
    require_array("ledger.parts", ledger.parts, np.float64, (None,))
    if not ledger.tests.size:
        return
    require_array("ledger.parts_at", ledger.parts_at, np.int64, (*ledger.cut.shape, 2))
    begin, end = ledger.parts_at[..., 0].ravel(), ledger.parts_at[..., 1].ravel()
    inside = (begin >= 0) & (begin <= end) & (end <= len(ledger.parts))
    require_everywhere(inside, "ledger.parts_at {} is out of range")
    require((end - begin).sum() <= len(ledger.parts), "ledger.parts_at: candidates share parts")
