"""Hold the pruning path from a grown tree to a pruned one: trees, sizes, errors, and the evidence at every node."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.prune.evidence import Errors, errors_on, training_errors
from branchwork.prune.methods import LabelledRows, Outcome
from branchwork.table.shown import first_lines, html_table
from branchwork.table.text_table import plain_table, terminal_width
from branchwork.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class PruningStep:
    """One tree of a pruning path.

    Parameters
    ----------
    tree : the tree at this step.
    leaves, nodes : its size.
    training_error, validation_error : error rate, or mean squared error for numbers; None if there are no rows for it.
    alpha : the α of cost-complexity pruning; None for other methods.
    """

    tree: Tree
    leaves: int
    nodes: int
    training_error: float
    validation_error: float | None = None
    alpha: float | None = None


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The trees from the grown one to the smallest, and the evidence at every node of the grown tree.

    Parameters
    ----------
    method : the name of the pruning method.
    steps : one for each tree.
    evidence : for each node that was judged: node, subtree and leaf (the two numbers compared), pruned, measure.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(bw.ID3Classifier().fit(tennis.X, tennis.y).pruning_path("pessimistic"))
    pessimistic
    step  leaves  training error
       0       5           0.000
       1       5           0.000
    """

    method: str
    steps: tuple[PruningStep, ...]
    evidence: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.steps)

    def __getitem__(self, k: int) -> PruningStep:
        """Return one step."""
        return self.steps[k]

    def __iter__(self) -> Iterator[PruningStep]:
        """Iterate over the steps."""
        return iter(self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return sizes, errors and evidence as plain data."""
        columns = ("leaves", "nodes", "training_error", "validation_error", "alpha")
        steps = [{name: getattr(step, name) for name in columns} for step in self.steps]
        return {"method": self.method, "steps": steps, "evidence": list(self.evidence)}

    def __repr__(self) -> str:
        """Show the first lines."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """Show sizes and errors as a table in a notebook."""
        columns = ("leaves", "nodes", "training_error", "validation_error", "alpha")
        shown = [name for name in columns if any(getattr(step, name) is not None for step in self.steps)]
        rows = []
        for k, step in enumerate(self.steps):
            cells = [getattr(step, name) for name in shown]
            rows.append([str(k), *("" if cell is None else f"{cell:.4g}" for cell in cells)])
        head = ["step", *(name.replace("_", " ") for name in shown)]
        return f"<p>{self.method.replace('_', ' ')}</p>{html_table(head, rows)}"

    def __str__(self) -> str:
        """Show sizes and errors, one line per tree; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return sizes and errors, one line per tree.

        `width` is the columns that lines may take, where the least important columns are left out; None: any number.
        """
        validated = any(step.validation_error is not None for step in self.steps)
        has_alpha = any(step.alpha is not None for step in self.steps)
        head = ["step", "leaves", "training error", *["validation error"] * validated, *["alpha"] * has_alpha]
        rows = []
        for k, step in enumerate(self.steps):
            row = [str(k), str(step.leaves), f"{step.training_error:.3f}"]
            if validated:
                row.append("" if step.validation_error is None else f"{step.validation_error:.3f}")
            if has_alpha:
                row.append("" if step.alpha is None else f"{step.alpha:.6g}")
            rows.append(row)
        return f"{self.method}\n{plain_table(head, rows, spare=['training error'], room=width)}"


def path_of(method: str, outcome: Outcome, validation: LabelledRows | None) -> PruningPath:
    """Measure every tree of the path."""
    trees = outcome.steps()
    alphas = outcome.alphas or (None,) * len(trees)
    steps = tuple(
        PruningStep(
            tree,
            tree.n_leaves,
            tree.n_nodes,
            _rate(training_errors(tree)),
            None if validation is None else _rate(errors_on(tree, *validation)),
            alpha,
        )
        for tree, alpha in zip(trees, alphas, strict=True)
    )
    return PruningPath(method, steps, tuple(_evidence(outcome)))


def _rate(errors: Errors) -> float:
    return float(errors.subtree[0] / errors.weight[0])


def _evidence(outcome: Outcome) -> Iterator[dict[str, Any]]:
    verdicts = outcome.verdicts
    for node in np.flatnonzero(~np.isnan(verdicts.subtree)).tolist():
        subtree, leaf = float(verdicts.subtree[node]), float(verdicts.leaf[node])
        yield {
            "node": node,
            "subtree": subtree,
            "leaf": leaf if not math.isnan(leaf) else None,
            "pruned": bool(verdicts.leaves[node]),
            "measure": verdicts.measure,
        }
