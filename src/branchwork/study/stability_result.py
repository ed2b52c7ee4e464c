"""Hold how much of a tree comes back: splits, leaves, and the distance between trees."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from branchwork.files import save_text
from branchwork.lazy import cached_property
from branchwork.model.model import Model
from branchwork.tree.arrive import shown_split
from branchwork.tree.split import harmless, number, rounded
from branchwork.tree.walk import path_to
from branchwork.view.blocks import Grid, Mark
from branchwork.view.digits import shortened
from branchwork.view.dot_chart import Dot, DotChart, to_svg
from branchwork.view.dot_plot import plot_dots
from branchwork.view.notebook import in_cell
from branchwork.view.overview import charts, figures, head, page, text
from branchwork.view.palette import ThemeName
from branchwork.view.study_page import text_lines
from branchwork.view.svg import to_svg as tree_svg
from branchwork.view.terminal import folded, terminal_width
from branchwork.view.words import answer, size
from branchwork.view.working_formats import to_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

MOST_SHOWN = 30
"""The largest number of splits and leaves in tables and pictures: those nearest to the root, and the largest."""
WIDEST = 46


class Splits(NamedTuple):
    """The splits of the tree of all rows.

    `back` is the share of all trees that split the same place by the same feature, `given` the share among those that
    agree above it, and `alike` the mean share of the rows there that then take the same branch. `cuts` has the
    5 % and the 95 % quantile of their thresholds; NaN if there are none.
    """

    node: Ints
    back: Floats
    given: Floats
    alike: Floats
    cuts: Floats


class Leaves(NamedTuple):
    """The leaves of the tree of all rows: the probability of its class, or its mean, with a 95 % interval.

    The interval is that of the predictions of trees for rows of the leaf that they have not seen. `trees` is the
    number of trees that did not see some of its rows; if it is 0, the interval is not known.
    """

    node: Ints
    value: Floats
    low: Floats
    high: Floats
    trees: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of a tree over bootstrap samples. A notebook shows the page.

    Parameters
    ----------
    name : of the estimator.
    model : the tree of all rows.
    n : number of bootstrap samples.
    splits, leaves : of the tree of all rows.
    root_features : share of the trees with each feature at the root; the last entry: trees without any split.
    used_features : share of the trees that test each feature at all.
    distances : the distance of each tree from the tree of all rows: the share of pairs of rows that are in one leaf
        of one of them, but not of the other (1 − Rand index).
    disagreement : how much two trees differ on a row that neither has seen: the share of different classes, or the root
        mean squared difference.
    sizes : number of leaves of each tree.
    is_classes : whether classes are predicted.
    """

    name: str
    model: Model
    n: int
    splits: Splits
    leaves: Leaves
    root_features: Floats
    used_features: Floats
    distances: Floats
    disagreement: float
    sizes: Floats
    is_classes: bool

    # ---- numbers

    @property
    def root(self) -> float:
        """Share of the trees that have the same feature at the root; for a single leaf, the share of single leaves."""
        feature = int(self.model.tree.feature[0])
        return float(self.root_features[feature])

    @property
    def stable_splits(self) -> int:
        """Splits that come back in more than half of the trees."""
        return int(np.count_nonzero(self.splits.back > 0.5))

    @property
    def distance(self) -> float:
        """Mean distance of the trees from the tree of all rows."""
        return float(self.distances.mean())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        names = self.model.schema.names
        return {
            "estimator": self.name,
            "samples": self.n,
            "root": self.root,
            "root_features": {
                name: float(share)
                for name, share in zip(names, self.root_features, strict=False)
                if share > 0
            },
            "no_split": float(self.root_features[-1]),
            "used_features": dict(zip(names, self.used_features.tolist(), strict=True)),
            "disagreement": _or_none(self.disagreement),
            "distance": self.distance,
            "distances": self.distances.tolist(),
            "sizes": self.sizes.tolist(),
            "splits": [self._split(k) for k in range(len(self.splits.node))],
            "leaves": [self._leaf(k) for k in range(len(self.leaves.node))],
        }

    def _split(self, k: int) -> dict[str, Any]:
        node = int(self.splits.node[k])
        return {
            "node": node,
            "split": self._words(node),
            "rows": int(self.model.tree.n_rows[node]),
            "comes_back": float(self.splits.back[k]),
            "comes_back_given_above": float(self.splits.given[k]),
            "rows_alike": _or_none(float(self.splits.alike[k])),
            "cuts": [_or_none(end) for end in self.splits.cuts[k].tolist()],
        }

    def _leaf(self, k: int) -> dict[str, Any]:
        node = int(self.leaves.node[k])
        return {
            "node": node,
            "path": self._path(node),
            "answer": answer(self.model, node),
            "rows": int(self.model.tree.n_rows[node]),
            "value": float(self.leaves.value[k]),
            "interval": [_or_none(float(end[k])) for end in (self.leaves.low, self.leaves.high)],
            "trees": int(self.leaves.trees[k]),
        }

    # ---- words

    def _words(self, node: int) -> str:
        tree, schema = self.model.tree, self.model.schema
        name = schema.names[int(tree.feature[node])]
        cut = float(tree.cut[node])
        return name if math.isnan(cut) else f"{name} ≤ {number(cut)}"

    @cached_property
    def _branches(self) -> dict[int, list[str]]:
        return {}

    def _path(self, node: int) -> str:
        tree, schema, parts = self.model.tree, self.model.schema, []
        way = path_to(tree, node)
        for above, below in pairwise(way):
            if above not in self._branches:
                self._branches[above] = shown_split(tree, schema, above).branches(schema)
            parts.append(self._branches[above][below - tree.children(above).start])
        return ", ".join(parts) or "all rows"

    @property
    def verdict(self) -> str:
        """How much the tree can be trusted, in three sentences."""
        share, several = f"{self.root:.0%}", f"{self.stable_splits} of {len(self.splits.node)}"
        if not len(self.splits.node):
            first = f"The tree is a single leaf, and so are {share} of the trees of bootstrap samples."
        elif self.root >= 0.9:
            first = f"The first split is stable: it comes back in {share} of the trees."
        elif self.root > 0.5:
            first = f"The first split comes back in {share} of the trees; in the others another feature takes over."
        else:
            first = f"The first split is one of several that do as well: it comes back in only {share} of the trees."
        second = f" {several} splits come back in more than half of them." if len(self.splits.node) else ""
        return f"{first}{second} {self._differ}"

    @property
    def _differ(self) -> str:
        if math.isnan(self.disagreement):
            return "There were too few rows to compare predictions."
        if self.is_classes:
            return f"Two such trees give different answers for {self.disagreement:.1%} of the rows they have not seen."
        apart = rounded(self.disagreement)
        return f"For a row they have not seen, two such trees differ by {apart} (root mean square)."

    def split_grid(self) -> Grid:
        """Return the splits nearest to the root, with how often they come back."""
        head = ("node", "split", "rows", "comes back", "given above", "rows alike", "thresholds (5% – 95%)")
        rows = []
        for one in (self._split(k) for k in range(min(MOST_SHOWN, len(self.splits.node)))):
            low, high = one["cuts"]
            cuts = "" if low is None else f"{low:.5g} – {high:.5g}"
            alike = "" if one["rows_alike"] is None else f"{one['rows_alike']:.0%}"
            shares = f"{one['comes_back']:.0%}", f"{one['comes_back_given_above']:.0%}", alike
            rows.append((str(one["node"]), shortened(one["split"], WIDEST), f"{one['rows']}", *shares, cuts))
        return _grid(head, rows, {1, 6}, ("rows alike", "given above", "rows", "thresholds (5% – 95%)"))

    def leaf_grid(self) -> Grid:
        """Return the largest leaves, with the interval of their probability or mean."""
        head = (
            "leaf",
            "where",
            self.model.target or "answer",
            "rows",
            "probability" if self.is_classes else "mean",
            "95% interval",
        )
        rows = []
        for one in (self._leaf(k) for k in self._largest):
            interval = self._interval(one["interval"])
            rows.append(
                (
                    str(one["node"]),
                    shortened(one["path"], WIDEST),
                    shortened(one["answer"], 20),
                    f"{one['rows']}",
                    self._number(one["value"]),
                    interval,
                )
            )
        return _grid(head, rows, {1, 2, 5}, ("rows",))

    @property
    def _largest(self) -> list[int]:
        rows = self.model.tree.n_rows[self.leaves.node]
        return sorted(np.argsort(-rows, kind="stable")[:MOST_SHOWN].tolist())

    def _number(self, x: float) -> str:
        return f"{x:.1%}" if self.is_classes else rounded(x)

    def _interval(self, ends: list[float | None]) -> str:
        low, high = ends
        return "not known" if low is None or high is None else f"{self._number(low)} – {self._number(high)}"

    def root_grid(self) -> Grid:
        """Return the features that split first, the most frequent one first, and how often features are used at all."""
        names = self.model.schema.names
        order = np.lexsort((-self.used_features, -self.root_features[:-1]))[:MOST_SHOWN]
        rows = [
            (shortened(names[k], WIDEST), f"{self.root_features[k]:.0%}", f"{self.used_features[k]:.0%}")
            for k in order.tolist()
            if self.used_features[k] > 0
        ]
        return _grid(("feature", "at the root", "anywhere"), rows, {0})

    def __str__(self) -> str:
        """Show the text; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return the verdict, the features at the root, the splits and the leaves, as text.

        `width` is the maximum length of lines; to fit, the least important columns are left out. None: no limit.
        """
        return "\n".join(
            [folded(self.verdict, width), "", folded(self.about, width), "", self._tables(width)]
        )

    def _tables(self, width: int | None = None) -> str:
        grids = (self.root_grid(), self.split_grid(), self.leaf_grid())
        tables = [to_text([grid], width=width) for grid in grids if grid.rows]
        return "\n\n".join([*tables, *self._left_out()])

    def _left_out(self) -> list[str]:
        splits, leaves = len(self.splits.node) - MOST_SHOWN, len(self.leaves.node) - MOST_SHOWN
        found = []
        if splits > 0:
            found.append(f"{splits} splits further down are left out.")
        if leaves > 0:
            found.append(f"{leaves} smaller leaves are left out.")
        return found

    @property
    def about(self) -> str:
        """What was measured."""
        low, high = np.quantile(self.sizes, (0.05, 0.95))
        return (
            f"{self.name}, grown again on {self.n} bootstrap samples: {low:g} to {high:g} leaves (the tree of all rows "
            f"has {self.model.tree.n_leaves}). Mean distance from the tree of all rows: {self.distance:.1%} of the "
            "pairs of rows are in one leaf of one tree, but not of the other."
        )

    def __repr__(self) -> str:
        """Show the number of samples, and how often the root comes back."""
        return f"Stability({self.n} samples, root comes back in {self.root:.0%})"

    # ---- pictures

    def split_chart(self) -> DotChart:
        """Return a picture of how often each split comes back, as plain data."""
        dots = []
        for k in range(min(MOST_SHOWN, len(self.splits.node))):
            one = self._split(k)
            share = one["comes_back"]
            label = f"{one['node']}: {one['split']}"
            dots.append(
                Dot(label, share, 0.0, share, f"{share:.0%}", f"{label}, {one['rows']} rows", 0, share > 0.5)
            )
        return DotChart(
            "How often each split comes back", "share of the trees", tuple(dots), 0.5, "half", True
        )

    def leaf_chart(self) -> DotChart:
        """Return a picture of the intervals of the largest leaves, as plain data."""
        dots = []
        for k in self._largest:
            one = self._leaf(k)
            low, high = one["interval"]
            more = f"{one['path']}: {self._number(one['value'])}, {self._interval([low, high])}"
            label = f"{one['node']}: {one['answer']}" if self.is_classes else str(one["node"])
            dots.append(Dot(label, one["value"], low, high, size(self.model.tree, one["node"]), more, 2))
        across = "probability of the leaf's class" if self.is_classes else "mean of the leaf"
        return DotChart(
            "What the leaves say, with 95% intervals", across, tuple(dots), percent=self.is_classes
        )

    def to_svg(self, *, theme: ThemeName = "auto") -> str:
        """Return the picture of the splits as SVG text; of a single leaf, that of the leaf."""
        return to_svg(self.split_chart() if len(self.splits.node) else self.leaf_chart(), theme)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often each split comes back with matplotlib; return the axes."""
        return plot_dots(self.split_chart() if len(self.splits.node) else self.leaf_chart(), ax)

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return one page: how much should I trust this tree?

        Parameters
        ----------
        path : where to write the page; then the path is returned. None: the page is returned as text.
        title : what the page is called.
        """
        name = title or "How much should I trust this tree?"
        boxes = [
            ("of the trees have the same first split", f"{self.root:.0%}"),
            ("splits come back in more than half", f"{self.stable_splits} of {len(self.splits.node)}"),
            self._box(),
            ("distance between trees (pairs of rows)", f"{self.distance:.1%}"),
            ("bootstrap samples", str(self.n)),
        ]
        pictures = [to_svg(self.leaf_chart(), "auto")]
        if len(self.splits.node):
            pictures.insert(0, to_svg(self.split_chart(), "auto"))
        parts = [
            head(name, self.verdict),
            figures(boxes),
            charts("Splits and leaves", pictures),
            charts("The tree of all rows", [tree_svg(self.model, max_depth=None, theme="auto")]),
            f"<p>{text(self.about)}</p>",
            f"<h2>All numbers</h2>\n<pre>{text_lines(self._tables())}</pre>",
        ]
        whole = page(name, parts)
        return whole if path is None else save_text(path, whole)

    def _box(self) -> tuple[str, str]:
        if math.isnan(self.disagreement):
            return "disagreement of two trees", "not known"
        if self.is_classes:
            return "of unseen rows get different answers from two trees", f"{self.disagreement:.1%}"
        return "difference of two trees on unseen rows", rounded(self.disagreement)


def _grid(
    header: tuple[str, ...], rows: Sequence[tuple[str, ...]], words: set[int], spare: tuple[str, ...] = ()
) -> Grid:
    lines = tuple(tuple(harmless(cell) for cell in row) for row in rows)
    marks: list[Mark] = [""] * len(lines)
    return Grid(header, lines, tuple(marks), frozenset(words), spare)


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) else float(x)
