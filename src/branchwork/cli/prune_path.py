"""`branchwork prune --method cost_complexity` without an alpha: the trees there are, and how to choose one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from branchwork.cli.output import write, write_json

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.prune.path import PruningPath, PruningStep

MOST_LINES = 25
"""Trees that are printed: the whole one, and the smallest ones. JSON has all of them."""


def show_path(model: Model, file: str, options: dict[str, Any], as_json: bool) -> None:
    """Print the trees of cost-complexity pruning and the commands that choose one."""
    from branchwork.learn.prune_model import prune_model
    from branchwork.prune.path import path_of

    path = path_of("cost_complexity", prune_model(model, "cost_complexity", None, options), None)
    if as_json:
        write_json(path.to_dict())
        return
    write(f"{_table(path, model)}\n\n{_how_to_choose(path, model, file, options)}", None)


def _table(path: PruningPath, model: Model) -> str:
    from branchwork.cli.text import grid
    from branchwork.view.blocks import Sentence
    from branchwork.view.terminal import terminal_width, wants_colour
    from branchwork.view.working_formats import to_text

    steps, left_out = list(path), max(0, len(path) - MOST_LINES)
    shown = [steps[0], *steps[1 + left_out :]]
    wrong = "rows wrong" if model.labels is not None else "mean squared error"
    rows = [[_alpha(step), str(step.leaves), _error(step, model)] for step in shown]
    more = f" {left_out} trees after the first are left out; --json has them." if left_out else ""
    words = Sentence(
        f"alpha: from this value on, the tree of this line is the best. Errors are on training rows.{more}"
    )
    return to_text(
        [grid(["alpha", "leaves", wrong], rows, words=[]), words],
        colour=wants_colour(),
        width=terminal_width(),
    )


def _alpha(step: PruningStep) -> str:
    return f"{step.alpha or 0.0:.6g}"


def _error(step: PruningStep, model: Model) -> str:
    from branchwork.tree.split import rounded

    return f"{step.training_error:.2%}" if model.labels is not None else rounded(step.training_error)


def _how_to_choose(path: PruningPath, model: Model, file: str, options: dict[str, Any]) -> str:
    """Return the commands that choose: cross-validation, where it can judge the tree, or an alpha of the table."""
    from branchwork.view.terminal import folded, terminal_width

    prune = f"branchwork prune {shlex.quote(file)}"
    method = "--method cost_complexity"
    middle = path[len(path) // 2]
    risk = "".join(f" --set {name}={value}" for name, value in options.items())
    leaves = "leaf" if middle.leaves == 1 else "leaves"
    width = terminal_width()
    lines = [
        f"To keep the tree of {middle.leaves} {leaves}, say:",
        f"  {prune} {method} --set alpha={middle.alpha or 0.0!r}{risk} -o small.bw",
    ]
    if not model.tree.shares_rows:
        target = "COLUMN" if model.target is None else shlex.quote(model.target)
        lines = [
            folded("To let cross-validation choose, name the file that the tree was grown on:", width),
            f"  {prune} FILE --target {target} {method} --set choose=1se -o small.bw",
            *lines,
        ]
    return "\n".join(lines)
