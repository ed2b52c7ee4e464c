"""Check that a ledger is valid: its nodes exist, its candidates can be shown, and the chosen split is the tree's.

Code that shows a page relies on this. For example, a huge branch number would make it allocate that many branches.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.tree.ledger import KEPT, VERDICTS, Ledger
from branchwork.tree.ranges import OF_PAGES, OF_TESTS, require_ranges
from branchwork.tree.require import Mask, require, require_array, require_everywhere, slots_of
from branchwork.tree.tree import Tree

SHAPED: dict[str, type[np.generic]] = {
    "cut": np.float64,
    "gain": np.float64,
    "split_info": np.float64,
    "verdict": np.uint8,
    "sides_at": np.int64,
}
"""Arrays with one number for each page and column."""

Levels = npt.NDArray[np.int64]
CHOSEN = VERDICTS.index("chosen")
TESTS = ("chance", "tests")
"""Arrays that hold the statistic of a test, and the arrays with the other numbers of the same test."""


def check_ledger(ledger: Ledger, tree: Tree, levels: Levels) -> None:
    """Raise TreeError unless this is a ledger of this tree.

    `levels` has each column's number of categories, -1 for numeric.
    """
    _check_arrays(ledger, len(levels))
    _check_nodes(ledger.node, tree.n_nodes)
    require_everywhere(ledger.verdict < len(KEPT), "ledger.verdict of page {} is out of range")
    _check_numbers(ledger)
    _check_sides(ledger, levels)
    _check_parts(ledger, levels)
    _check_candidates(ledger, levels)
    _check_chosen(ledger, tree, levels)


def _check_arrays(ledger: Ledger, columns: int) -> None:
    require_array("ledger.node", ledger.node, np.int32, (None,))
    pages = len(ledger.node)
    for name, dtype in SHAPED.items():
        require_array(f"ledger.{name}", getattr(ledger, name), dtype, (pages, columns))
    for name, numbers in OF_TESTS.items():
        array, n = getattr(ledger, name), len(numbers)
        shape = (n, pages, columns) if array.size else (n, None, None)
        require_array(f"ledger.{name}", array, np.float64, shape)


def _check_nodes(node: npt.NDArray[np.int32], n_nodes: int) -> None:
    require_everywhere((node >= 0) & (node < n_nodes), "ledger.node of page {} is out of range")
    require_everywhere(node[1:] > node[:-1], "ledger.node of page {} is not below the next one's")


def _check_numbers(ledger: Ledger) -> None:
    """Check that every number is in its range, and that a known statistic comes with the other numbers of its test."""
    require_ranges(ledger, OF_PAGES, "page", "ledger.")
    for name, ranges in OF_TESTS.items():
        array = getattr(ledger, name)
        if not array.size:
            continue
        for numbers, allowed in zip(array, ranges, strict=True):
            require_everywhere(allowed.has(numbers), f"ledger.{name} of page {{}} is {allowed}")
        if name in TESTS:
            complete = np.isnan(array[0]) | ~np.isnan(array[1:]).any(axis=0)
            require_everywhere(complete, f"ledger.{name} of page {{}}: a statistic without its other numbers")


def _check_sides(ledger: Ledger, levels: Levels) -> None:
    """Check that sides lie one column after the other, one for each category."""
    require_array("ledger.sides", ledger.sides, np.int32, (None,))
    starts = ledger.sides_at.ravel()
    require_everywhere(starts >= -1, "ledger.sides_at {} is out of range")
    given = np.flatnonzero(starts >= 0)
    size = np.broadcast_to(levels, ledger.sides_at.shape).ravel()[given]
    require_everywhere(size >= 0, "ledger.sides_at {}: a numeric column has no sides", given)
    in_order = starts[given] == np.cumsum(size) - size
    require_everywhere(in_order, "ledger.sides_at {} is out of range", given)
    require(size.sum() == len(ledger.sides), "ledger.sides: not one for each category")
    branches = np.maximum(np.repeat(size, size), 2)
    require_everywhere((ledger.sides >= -1) & (ledger.sides < branches), "ledger.sides {} is out of range")


def _check_parts(ledger: Ledger, levels: Levels) -> None:
    """Check that parts are groups of categories or rising bounds, and that each candidate has its own."""
    require_array("ledger.parts", ledger.parts, np.float64, (None,))
    if not ledger.tests.size:
        return
    require_array("ledger.parts_at", ledger.parts_at, np.int64, (*ledger.cut.shape, 2))
    begin, end = ledger.parts_at[..., 0].ravel(), ledger.parts_at[..., 1].ravel()
    inside = (begin >= 0) & (begin <= end) & (end <= len(ledger.parts))
    require_everywhere(inside, "ledger.parts_at {} is out of range")
    size = end - begin
    require(size.sum() <= len(ledger.parts), "ledger.parts_at: candidates share parts")
    of_column = np.broadcast_to(levels, ledger.cut.shape).ravel()
    fits = (size == 0) | (of_column < 0) | (size == of_column + 1)
    require_everywhere(fits, "ledger.parts_at {}: not one part for each category and for missing cells")
    places, run = slots_of(begin, size)
    parts, nominal = ledger.parts[places], of_column[run] >= 0
    group = (parts >= -1) & (parts <= of_column[run]) & (parts == np.floor(parts))
    last = places == (end - 1)[run]
    bound = np.isfinite(parts) | (last & (parts == np.inf))
    require_everywhere(np.where(nominal, group, bound), "ledger.parts {} is out of range", places)
    rises = nominal[1:] | last[:-1] | (parts[1:] > parts[:-1])
    require_everywhere(rises, "ledger.parts {}: bounds do not rise", places)


def _check_candidates(ledger: Ledger, levels: Levels) -> None:
    """Check that a column with a gain has a split that can be shown, and that a column without a gain has none."""
    split, has_cut, nominal = ~np.isnan(ledger.gain), ~np.isnan(ledger.cut), levels >= 0
    has_parts = _has_parts(ledger)
    _require(split | ~has_cut, "ledger.cut of page {}: there is no gain")
    _require(split | (ledger.sides_at < 0), "ledger.sides_at of page {}: there is no gain")
    _require(split | ~has_parts, "ledger.parts_at of page {}: there is no gain")
    for name in TESTS:
        array = getattr(ledger, name)
        if array.size:
            _require(split | np.isnan(array[0]), f"ledger.{name} of page {{}}: there is no gain")
    _require(~(has_cut & nominal), "ledger.cut of page {}: a nominal column has none")
    _require(~split | nominal | has_cut | _finite_bounds(ledger), "ledger.cut of page {} is not a number")
    if ledger.tests.size:
        _require(~split | has_parts, "ledger.parts_at of page {}: a candidate has no parts")
        _require(~split | ~np.isnan(ledger.tests[0]), "ledger.tests of page {}: a candidate has no test")


def _require(holds: Mask, message: str) -> None:
    """Raise TreeError unless a condition holds on every page and for every column of it."""
    require_everywhere(np.asarray(holds.all(axis=1)), message)


def _has_parts(ledger: Ledger) -> Mask:
    if not ledger.tests.size:
        return np.zeros(ledger.cut.shape, np.bool_)
    return np.asarray(ledger.parts_at[..., 1] > ledger.parts_at[..., 0])


def _finite_bounds(ledger: Ledger) -> Mask:
    """Return which candidates have parts whose first bound is finite, so that they can be shown without a cut."""
    found = _has_parts(ledger)
    if found.any():
        found[found] = np.isfinite(ledger.parts[ledger.parts_at[found][:, 0]])
    return found


def _check_chosen(ledger: Ledger, tree: Tree, levels: Levels) -> None:
    """Check that at most one candidate per page was chosen, and that it is the split of the tree."""
    chosen = ledger.verdict == CHOSEN
    require_everywhere(chosen.sum(axis=1) <= 1, "ledger.verdict of page {}: more than one is chosen")
    _require(~chosen | ~np.isnan(ledger.gain), "ledger.gain of page {}: the chosen column has none")
    pages = np.flatnonzero(tree.feature[ledger.node] >= 0)
    node, feature = ledger.node[pages], tree.feature[ledger.node[pages]]
    own = "is not the split of the tree"
    require_everywhere(chosen[pages, feature], f"ledger.verdict of page {{}}: what is chosen {own}", pages)
    cut, given = tree.cut[node], ledger.cut[pages, feature]
    is_cut = ~np.isnan(cut) & (levels[feature] < 0)
    require_everywhere(~is_cut | (given == cut), f"ledger.cut of page {{}} {own}", pages)
    for page, column in zip(pages[~is_cut].tolist(), feature[~is_cut].tolist(), strict=True):
        at = int(ledger.node[page])
        if levels[column] >= 0:
            same = _same_groups(ledger, tree, page, at, column, int(levels[column]))
        else:
            same = _same_bounds(ledger, tree, page, at, column)
        require(same, f"ledger.sides or ledger.parts of page {page} {own}")


def _same_groups(ledger: Ledger, tree: Tree, page: int, node: int, column: int, n: int) -> bool:
    """Return whether the categories take the same branches as in the tree; -1 is a category absent from the node."""
    start = int(ledger.sides_at[page, column])
    branch: npt.NDArray[np.floating | np.integer] = np.arange(n)
    if ledger.tests.size:
        begin = int(ledger.parts_at[page, column, 0])
        branch = ledger.parts[begin : begin + n]
    elif start >= 0:
        branch = ledger.sides[start : start + n]
    begin = int(tree.lookup[node]) + 1
    child = tree.pool[begin : begin + n]
    return bool(((branch < 0) | (branch == child)).all())


def _same_bounds(ledger: Ledger, tree: Tree, page: int, node: int, column: int) -> bool:
    if not ledger.tests.size:
        return False
    begin, end = ledger.parts_at[page, column].tolist()
    first = int(tree.lookup[node])
    return np.array_equal(
        ledger.parts[begin:end], tree.bounds[first : first + int(tree.n_children[node]) - 1]
    )
