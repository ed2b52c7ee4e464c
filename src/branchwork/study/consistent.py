"""Show that of all trees consistent with the training rows, smaller ones predict other rows better.

Many trees without an error on the training rows are grown, with random splits, so that they have different sizes; the
greedy tree is one more. All explain the data they saw equally well. On rows they did not see, small trees do better:
each of their leaves rests on more rows, and there are far fewer small trees than large ones, so it is less likely that
a small one fits the data by chance (Occam's razor).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError
from branchwork.grow.checks import whole_number
from branchwork.grow.grow import grow
from branchwork.grow.recipe import Subspace
from branchwork.grow.recipes import TREE
from branchwork.learn.members import Members
from branchwork.learn.threads import thread_count
from branchwork.model.model import Model
from branchwork.study.asked import seed_of
from branchwork.study.containers import check_lengths
from branchwork.study.splitting import split
from branchwork.study.validate import row_losses
from branchwork.table.adapt import to_table
from branchwork.table.conform import conform
from branchwork.table.target import classes
from branchwork.table.text_table import terminal_width
from branchwork.table.wide_text import fold
from branchwork.tree.tree import Tree
from branchwork.view.band_chart import BandChart, Line
from branchwork.view.band_svg import to_svg
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = 8
"""The picture groups trees into this many groups of neighbouring sizes."""


@dataclass(frozen=True, eq=False)
class ConsistentTrees:
    """Trees that make no error on the training rows, from the smallest to the largest.

    Parameters
    ----------
    models : one for each tree; `models[k].to_text()` shows it.
    leaves : the number of leaves of each tree.
    errors : the error rate of each tree on the rows that it did not see.
    n_train, n_test : numbers of rows.
    """

    models: tuple[Model, ...]
    leaves: npt.NDArray[np.int64]
    errors: npt.NDArray[np.float64]
    n_train: int
    n_test: int

    @property
    def smallest(self) -> Model:
        """The tree with the fewest leaves."""
        return self.models[0]

    @property
    def correlation(self) -> float:
        """Rank correlation of size and error (Spearman's); above 0, larger trees are more often wrong."""
        if len(set(self.leaves.tolist())) < 2 or len(set(self.errors.tolist())) < 2:
            return 0.0
        from scipy.stats import spearmanr

        return float(spearmanr(self.leaves, self.errors).statistic)

    def __repr__(self) -> str:
        """Show the number of trees and their sizes."""
        return f"ConsistentTrees({len(self.models)} trees, {self.leaves[0]} to {self.leaves[-1]} leaves)"

    def __str__(self) -> str:
        """Say which tree to take, and why; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Say which tree to take, and why; `width` is the columns that lines may take, None: any number."""
        small, large = (
            f"{self.leaves[k]} leaves, {self.n_train / self.leaves[k]:.1f} training rows per leaf, "
            f"{self.errors[k]:.1%} of other rows wrong"
            for k in (0, -1)
        )
        mean = f"{self.errors.mean():.1%} of other rows wrong"
        mean += f"; rank correlation of size and error {self.correlation:.2f}"
        count = f"{len(self.models)} trees without an error on {self.n_train} training rows"
        advice = (
            "Take the smaller one: its leaves rest on more rows, and there are far fewer trees of its size, so it fits "
            "by chance less easily."
        )
        lines = [
            *fold(f"{count}, judged by {self.n_test} others", width),
            *fold(f"smallest  {small}", width, " " * 10),
            *fold(f"largest   {large}", width, " " * 10),
            *fold(f"mean      {mean}", width, " " * 10),
            *fold(advice, width),
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return sizes and errors as plain data."""
        return {
            "leaves": self.leaves.tolist(),
            "errors": self.errors.tolist(),
            "correlation": self.correlation,
            "n_train": self.n_train,
            "n_test": self.n_test,
        }

    def chart(self) -> BandChart:
        """Return the error against the size as plain data: the smallest tree, and means of groups of the others."""
        others = np.array_split(np.arange(1, len(self.leaves)), GROUPS)
        groups = [np.array([0]), *(group for group in others if len(group))]
        means = [float(self.errors[group].mean()) for group in groups]
        spread = [
            float(self.errors[group].std(ddof=1) / np.sqrt(len(group))) if len(group) > 1 else 0.0
            for group in groups
        ]
        places = [float(self.leaves[group].mean()) for group in groups]
        return BandChart(
            title=f"{len(self.models)} trees that all fit {self.n_train} training rows",
            across="leaves of the tree",
            up="share of wrong answers",
            places=tuple(places),
            texts=tuple(f"{place:.0f}" for place in places),
            lines=(
                Line("training rows", (0.0,) * len(places)),
                Line("other rows, with one standard error", tuple(means), tuple(spread)),
            ),
            mark=0,
            mark_text=f"the smallest: {self.leaves[0]} leaves",
        )

    def to_svg(self, *, theme: ThemeName = "auto") -> str:
        """Return the picture as SVG text: theme "light", "dark", or "auto", which follows the reader's setting."""
        return to_svg(self.chart(), theme)

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture with matplotlib, on given axes or in a new figure; return the axes."""
        from branchwork.view.curve_display import CurveDisplay

        return CurveDisplay(self.chart()).plot(ax).ax_


def consistent_trees(
    X: Any, y: Any, *, test: float = 0.5, n_trees: int = 200, random_state: int = 0, n_jobs: int | None = None
) -> ConsistentTrees:
    """Grow trees that all fit the training rows without an error, and judge them by other rows.

    Parameters
    ----------
    X, y : rows and their classes, in any container.
    test : the share of test rows.
    n_trees : the number of trees with random splits; the greedy tree is added.
    random_state : seed of the parts and of the splits.
    n_jobs : number of threads; -1 means all. The result does not depend on it.

    >>> import branchwork as bw
    >>> X, y = bw.study.CheckerboardSampler(flip=0)(400, seed=0)
    >>> found = bw.study.consistent_trees(X, y)
    >>> found
    ConsistentTrees(201 trees, 15 to 127 leaves)
    >>> bool(found.errors[0] < found.errors[-1]), bool(found.correlation > 0.3)
    (True, True)
    """
    check_lengths(X, y)
    whole_number("n_trees", n_trees, low=1)
    seed, threads = seed_of(random_state), thread_count(n_jobs)
    parts = split(to_table(X), y, validation=0, test=test, seed=seed)
    assert parts.test is not None
    table, target = parts.train.X, classes(parts.train.y)
    random = TREE.replace(
        search=TREE.search.replace(missing="larger", cuts="random"), subspace=Subspace(1, "node")
    )
    every = np.ones(table.n_rows, np.uint32)
    members = Members(table.schema, table, target, random, seed, threads)
    trees = [grow(table, target, TREE, n_jobs=threads)[0], *members.grow(0, [every] * n_trees)]
    models = [_model(tree, table.schema, target.labels) for tree in trees]
    _refuse_contradictions(models[0], table, target)
    judged = conform(parts.test.X, table.schema)
    others = classes(parts.test.y)
    errors = np.array([float(row_losses(model, judged, others).mean()) for model in models])
    leaves = np.array([tree.n_leaves for tree in trees])
    order = np.lexsort((errors, leaves))
    return ConsistentTrees(
        tuple(models[k] for k in order), leaves[order], errors[order], table.n_rows, judged.n_rows
    )


def _model(tree: Tree, schema: Any, labels: tuple[Any, ...]) -> Model:
    return Model(schema, labels, (tree,), TREE.to_dict())


def _refuse_contradictions(model: Model, table: Any, target: Any) -> None:
    """Refuse rows with equal features but different classes: no tree is consistent with them."""
    wrong = np.flatnonzero(row_losses(model, table, target))
    if wrong.size:
        raise DataError(
            f"No tree fits these rows: {wrong.size} of {table.n_rows} training rows have the same features as others, "
            "but another class."
        )
