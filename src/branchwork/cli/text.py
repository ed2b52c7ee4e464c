"""Trees, errors and tables as the commands print them."""

from __future__ import annotations

import shutil
import sys
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
    from branchwork.view.terminal import paint, wants_colour

    colour = wants_colour() if colour is None else colour
    tree = model.tree
    size = f"Tree: {tree.n_nodes} node{'s' * (tree.n_nodes != 1)}, "
    size += f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"
    shown = model.to_text(max_depth=max_depth, color=colour, full=full)
    return f"{paint(size, 'bold', colour=colour)}\n{shown}"


def working_text(working: Working, *, to_terminal: bool = True) -> str:
    """Write the working of a node; in a terminal that is too narrow, fold the table so that it fits."""
    from branchwork.view.terminal import wants_colour

    text = working.to_text(color=to_terminal and wants_colour())
    if not (to_terminal and sys.stdout.isatty()):
        return text
    width = shutil.get_terminal_size().columns
    if max(map(len, working.to_text(color=False).splitlines())) <= width:
        return text
    from rich.console import Console

    console = Console(width=width, color_system="auto" if wants_colour() else None, highlight=False)
    with console.capture() as captured:
        console.print(working)
    return captured.get().rstrip("\n")


def error(model: Model, value: float) -> str:
    """An error in words."""
    return (
        f"{value:.2%} of rows wrong" if model.labels is not None else f"root mean squared error {value:.6g}"
    )


def baseline_text(always: Baseline) -> str:
    """The baseline in a sentence, whatever its labels hold."""
    from branchwork.view.terminal import harmless

    return harmless(str(always))


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], *, words: Iterable[int]) -> Grid:
    """A table of plain rows; columns of words stand at the left."""
    from branchwork.view.blocks import Grid

    lines = tuple(map(tuple, rows))
    marks: list[Mark] = [""] * len(lines)
    return Grid(tuple(header), lines, tuple(marks), frozenset(words))
