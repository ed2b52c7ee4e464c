"""Trees, errors and tables as the commands print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.study.baseline import Baseline
    from branchwork.view.blocks import Grid, Mark
    from branchwork.view.working import Working


def tree_text(
    model: Model, *, max_depth: int | None = None, colour: bool | None = None, full: bool = False
) -> str:
    """How large a tree is, and the tree; colour: None for what the terminal wants; full: name every category."""
    from branchwork.view.terminal import paint, terminal_width, wants_colour

    colour = wants_colour() if colour is None else colour
    tree = model.tree
    size = f"Tree: {tree.n_nodes} node{'s' * (tree.n_nodes != 1)}, "
    size += f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"
    shown = model.to_text(
        max_depth=max_depth, color=colour, full=full, width=None if full else terminal_width()
    )
    return f"{paint(size, 'bold', colour=colour)}\n{shown}"


def working_text(working: Working, *, to_terminal: bool = True) -> str:
    """Write the working of a node; on a terminal, with as many columns as there is room for."""
    from branchwork.view.terminal import terminal_width, wants_colour

    if not to_terminal:
        return working.to_text(color=False)
    return working.to_text(color=wants_colour(), width=terminal_width())


def error(model: Model, value: float) -> str:
    """An error in words."""
    from branchwork.tree.split import rounded

    return (
        f"{value:.2%} of rows wrong"
        if model.labels is not None
        else f"root mean squared error {rounded(value)}"
    )


def baseline_text(always: Baseline) -> str:
    """The line about the baseline, whatever its labels hold."""
    from branchwork.view.terminal import folded, harmless, terminal_width

    return folded(f"baseline         {harmless(str(always))}", terminal_width(), " " * 17)


def grid(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Iterable[int],
    spare: Sequence[str] = (),
) -> Grid:
    """A table of plain rows; columns of words stand at the left. A narrow terminal leaves out `spare` columns."""
    from branchwork.view.blocks import Grid

    lines = tuple(map(tuple, rows))
    marks: list[Mark] = [""] * len(lines)
    return Grid(tuple(header), lines, tuple(marks), frozenset(words), tuple(spare))
